// SPDX-License-Identifier: Apache-2.0
// nightly: 1 2 4
#include "freshet/pressure/preconditioners.hpp"
#include "pressure/preconditioners/mic0.hpp"
#include "pressure/preconditioners/petsc_preconditioner.hpp"
#include "pressure/preconditioners/preconditioner_shell.hpp"
#include "support/rough_scenes.hpp"

#include <map>
#include <tuple>

namespace freshet {
namespace {

using namespace test;
using namespace pressure;

/// f(shell, scene, unknowns) for every preconditioner of freshet's own, made ready for each of many scenes.
template <class Function>
void for_each_shell(Function&& f) {
  for (const PreconditionerRow& row : preconditioners()) {
    if (row.make == nullptr) continue;
    SCOPED_TRACE(row.name);
    for_each_rough_scene([&](Scene& scene) {
      Unknowns unknowns;
      unknowns.rebuild(scene.coefficients);
      const std::unique_ptr<PreconditionerShell> shell = row.make({});
      shell->reset(scene.coefficients, unknowns);
      f(*shell, scene, unknowns);
    });
  }
}

CellField<double> apply(PreconditionerShell& shell, const Scene& scene, const CellField<double>& r) {
  CellField<double> z = zeros(scene);
  shell.apply(r.data(), z.data());
  return z;
}

TEST(PreconditionerShell, is_symmetric_and_positive) {
  for_each_shell([](PreconditionerShell& shell, const Scene& scene, const Unknowns& unknowns) {
    const CellField<double> x = noise_field(scene, 1);
    const CellField<double> y = noise_field(scene, 2);
    const CellField<double> m_x = apply(shell, scene, x);
    const CellField<double> m_y = apply(shell, scene, y);
    const double scale = std::sqrt(dot(scene, m_x, m_x) * dot(scene, y, y));
    EXPECT_NEAR(dot(scene, y, m_x), dot(scene, x, m_y), 1e-5 * scale + 1e-12);  // multigrid computes in float32
    if (world().any(unknowns.count() > 0)) {
      EXPECT_GT(dot(scene, x, m_x), 0.0);
    }
  });
}

TEST(PreconditionerShell, leaves_0_where_there_is_no_unknown) {
  for_each_shell([](PreconditionerShell& shell, const Scene& scene, const Unknowns& unknowns) {
    const CellField<double> z = apply(shell, scene, noise_field(scene, 1));
    CellField<double> masked = zeros(scene);
    unknowns.copy(z.data(), masked.data());
    for (LocalIndex block = 0; block < scene.layout.n_owned(); ++block)
      EXPECT_TRUE(std::equal(z.block(block), z.block(block) + scene.layout.cells_per_block(), masked.block(block)));
  });
}

TEST(PreconditionerShell, takes_new_diagonals_as_if_made_anew) {
  for_each_shell([](PreconditionerShell& shell, Scene& scene, Unknowns& unknowns) {
    const CellField<double> r = noise_field(scene, 1);
    apply(shell, scene, r);
    std::vector<LocalIndex> changed;
    for (const LocalIndex block : unknowns.active_blocks()) {
      if (block % 3 != 0) continue;
      changed.push_back(block);
      scene.coefficients.diagonal.block(block)[block % scene.layout.cells_per_block()] += 1.0;
    }
    unknowns.examine(scene.coefficients, changed);
    shell.update(changed);
    const CellField<double> updated = apply(shell, scene, r);
    shell.reset(scene.coefficients, unknowns);
    EXPECT_EQ(scene.difference(updated, apply(shell, scene, r)), 0.0);
  });
}

TEST(PetscPreconditioner, matrix_equals_the_definition_cell_by_cell) {
  for_each_rough_scene([](const Scene& scene) {
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    SealedBodies sealed;
    if (world().sum(sealed.find_unanchored(scene.coefficients, unknowns)) > 0) sealed.resolve();
    PetscPreconditioner petsc;
    petsc.reset(scene.coefficients, unknowns, sealed);
    // Of the PC called "mat" the product with the matrix is what it applies.
    PcHandle pc;
    ASSERT_EQ(PCCreate(world().raw(), pc.receive()), 0);
    ASSERT_EQ(PCSetType(pc.get(), PCMAT), 0);
    petsc.set_up(pc.get());
    const CellField<double> x = noise_field(scene, 1);
    CellField<double> product = zeros(scene);
    petsc.apply(pc.get(), x.data(), product.data());
    // Sums of 7 terms below 6; in sealed bodies the diagonal is raised by 1e-8 of itself.
    EXPECT_LE(scene.difference(product, multiply(scene, x)), sealed.count() > 0 ? 1e-7 : 1e-14);
  });
}

TEST(Preconditioners, have_names_by_which_they_are_found) {
  for (const PreconditionerRow& row : preconditioners()) EXPECT_EQ(&row_of(preconditioner_named(row.name)), &row);
  EXPECT_EQ(row_of({}).name, "multigrid");  // the default
}

TEST(Preconditioners, promise_no_bits_where_petsc_options_may_choose_anything) {
  PressureOptions options = solver_parameters("multigrid", 1e-5);
  EXPECT_EQ(rank_agreement(options), RankAgreement::same_bits);
  options.petsc = {{"ksp_type", "gmres"}};
  EXPECT_EQ(rank_agreement(options), RankAgreement::within_tolerance);
  EXPECT_EQ(rank_agreement(solver_parameters("mic0", 1e-5)), RankAgreement::within_tolerance);
}

TEST(Preconditioners, with_the_same_bits_on_any_number_of_ranks_have_them) {
  const Domain domain = make_domain(3, {40, 32, 24});
  const std::vector<BlockKey> keys = all_blocks(domain);
  const Communicator alone(MPI_COMM_SELF);
  const Scene scene(world(), domain, keys, equal_splitters(world(), keys), splash(domain.cells(), 3));
  const Scene whole(alone, domain, keys, equal_splitters(alone, keys), splash(domain.cells(), 3));
  for (const PreconditionerRow& row : preconditioners()) {
    if (row.agreement != RankAgreement::same_bits) continue;
    SCOPED_TRACE(row.name);
    const auto solve = [&](const Scene& on) {
      PressureSolver solver(on.layout.comm(), solver_parameters(row.name, 1e-8));
      CellField<double> p = on.field([](const Vec3i&) { return 0.0; });
      EXPECT_TRUE(solver.solve(on.coefficients, noise_field(on, 5), p).converged);
      return p;
    };
    const CellField<double> shared = solve(scene);
    const CellField<double> single = solve(whole);
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      EXPECT_EQ(shared.block(block)[c], single.block(whole.layout.find(scene.layout.key(block)))[c])
          << cell.transpose();
    });
  }
}

/// Bridson's factor and solves, by cell in the natural order of a domain, as in figures 4.2 and 4.3 (but small pivots
/// raised to sigma times the diagonal).
class NaturalMic0 {
 public:
  explicit NaturalMic0(const Scene& scene) {
    const int dimension = scene.layout.domain().dimension();
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      Equation& equation = equations_[order(cell)];
      equation.diagonal = scene.coefficients.diagonal.block(block)[c];
      for (int d = 0; d < dimension; ++d) equation.low_weight[d] = (*scene.coefficients.weight)[d].block(block)[c];
      equation.cell = cell;
    });
    for (auto& [key, equation] : equations_) factor(equation);
  }
  std::map<std::tuple<int, int, int>, double> solve(const Scene& scene, const CellField<double>& r) {
    std::map<std::tuple<int, int, int>, double> q;
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) { q[order(cell)] = r.block(block)[c]; });
    for (auto& [key, equation] : equations_) {
      for (int d = 0; d < 3; ++d) {
        const Equation* low = find(equation.cell - Vec3i::Unit(d));
        if (low != nullptr) q[key] += equation.low_weight[d] * low->precon * q[order(low->cell)];
      }
      q[key] *= equation.precon;
    }
    for (auto entry = equations_.rbegin(); entry != equations_.rend(); ++entry) {
      const auto& [key, equation] = *entry;
      for (int d = 0; d < 3; ++d) {
        const Equation* high = find(equation.cell + Vec3i::Unit(d));
        if (high != nullptr) q[key] += high->low_weight[d] * equation.precon * q[order(high->cell)];
      }
      q[key] *= equation.precon;
    }
    return q;
  }
  static std::tuple<int, int, int> order(const Vec3i& cell) { return {cell.z(), cell.y(), cell.x()}; }

 private:
  struct Equation {
    Vec3i cell = Vec3i::Zero();
    double diagonal = 0.0;
    double low_weight[3] = {};
    double precon = 0.0;
  };
  const Equation* find(const Vec3i& cell) const {
    const auto found = equations_.find(order(cell));
    return found != equations_.end() ? &found->second : nullptr;
  }
  void factor(Equation& equation) const {
    double e = equation.diagonal;
    for (int d = 0; d < 3; ++d) {
      const Equation* low = find(equation.cell - Vec3i::Unit(d));
      if (low == nullptr) continue;
      double others = 0.0;
      for (int other = 0; other < 3; ++other) {
        const Equation* up = find(low->cell + Vec3i::Unit(other));
        if (other != d && up != nullptr) others += up->low_weight[other];
      }
      const double weight = equation.low_weight[d];
      e -= weight * (weight + 0.97 * others) * low->precon * low->precon;
    }
    equation.precon = 1.0 / std::sqrt(std::max(e, 0.25 * equation.diagonal));
  }
  std::map<std::tuple<int, int, int>, Equation> equations_;
};

TEST(Mic0, is_bridsons_factor_in_the_natural_order_on_one_rank) {
  const Communicator alone(MPI_COMM_SELF);
  for (const int dimension : {2, 3}) {
    const Domain domain = make_domain(dimension, dimension == 3 ? Vec3i(24, 24, 16) : Vec3i(40, 32, 1));
    const std::vector<BlockKey> keys = all_blocks(domain);
    const Scene scene(alone, domain, keys, uniform_splitters(domain, 1), splash(domain.cells(), 3));
    const CellField<double> r = noise_field(scene, 4);
    const auto expected = NaturalMic0(scene).solve(scene, r);
    Unknowns unknowns;
    unknowns.rebuild(scene.coefficients);
    Mic0 mic0(0.97, 0.25, Mic0::Reach::rank);
    mic0.reset(scene.coefficients, unknowns);
    const CellField<double> z = apply(mic0, scene, r);
    scene.for_each_unknown([&](const Vec3i& cell, LocalIndex block, int c) {
      EXPECT_NEAR(z.block(block)[c], expected.at(NaturalMic0::order(cell)),
                  1e-12);  // values about 1, factors well conditioned
    });
  }
}

}  // namespace
}  // namespace freshet
