// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/fluid/inner_cells.hpp"
#include "freshet/free_surface/labels.hpp"
#include "freshet/particles/particle_arrays.hpp"
#include "freshet/particles/seeding.hpp"
#include "freshet/particles/sort.hpp"
#include "freshet/solids/solids.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace freshet::test {

/// Particles at given places of a domain whose blocks all exist, sorted, with labels, inner cells and bodies.
class PlacedParticles {
 public:
  struct Options {
    std::vector<Vec3> velocity = {};  ///< of each particle [m/s]; empty: 0
    std::vector<std::uint8_t> tags = {};
    std::vector<SolidBody> bodies = {};
    bool apic = false;  ///< particles have the arrays of APIC
  };
  /// \param[in] places  from the domain's origin [m]; ids follow their order. Collective
  PlacedParticles(const Domain& domain_of_test, const std::vector<Vec3>& places, const Options& options)
      : domain(domain_of_test),
        layout(world(), domain, equal_splitters(world(), all_blocks(domain)), all_blocks(domain)) {
    GivenParticles given;
    if (world().is_root()) {
      given.position = places;
      given.velocity = options.velocity;
      given.velocity.resize(places.size(), Vec3::Zero());
      given.tags = options.tags;
    }
    if (options.apic) add_arrays(particles, ArrayNeed::apic);
    place_particles(world(), domain, given, {}, layout.splitters(), particles);
    sort();
    solids.reset(layout, options.bodies);
    label();
  }
  PlacedParticles(const Domain& domain_of_test, const std::vector<Vec3>& places)
      : PlacedParticles(domain_of_test, places, Options()) {}

  void sort() {
    SortWorkspace workspace;
    sort_particles(particles, layout, CellOrder::by_id, workspace);
  }
  /// Collective.
  void label() {
    labels.reset(layout, Label::solid);
    label_cells(particles, solids, labels);
    find_inner_cells(labels, solids, inner);
  }
  /// Call f(place in cells, p) for every particle of this rank.
  template <class Function>
  void for_each(Function&& f) const {
    for (LocalIndex b = 0; b < layout.n_owned(); ++b)
      for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
        const ParticleReal* x = particles.position() + 3 * p;
        f(Vec3(layout.first_cell(b).cast<double>() + Vec3(x[0], x[1], x[2])), p);
      }
  }

  Domain domain;
  BlockLayout layout;
  ParticleStore particles;
  SolidFields solids;
  LabelField labels;
  CellField<std::uint8_t> inner;
};

/// The places of 8 particles (4 in 2-D) in each cell lower <= cell < upper, in cells.
inline std::vector<Vec3> full_cells(const Vec3i& lower, const Vec3i& upper) {
  std::vector<Vec3> places;
  const bool flat = upper.z() - lower.z() == 1 && lower.z() == 0;
  for (int k = flat ? 0 : 2 * lower.z(); k < (flat ? 1 : 2 * upper.z()); ++k)
    for (int j = 2 * lower.y(); j < 2 * upper.y(); ++j)
      for (int i = 2 * lower.x(); i < 2 * upper.x(); ++i)
        places.push_back(0.5 * Vec3(i + 0.5, j + 0.5, flat ? 1.0 : k + 0.5));
  return places;
}

/// An axis-aligned box as a body.
class BoxShape : public Shape {
 public:
  BoxShape(const Vec3& lower, const Vec3& upper) : box_{lower, upper} {}
  double signed_distance(const Vec3& x) const override {
    const Vec3 apart = (x - 0.5 * (box_.lower + box_.upper)).cwiseAbs() - 0.5 * (box_.upper - box_.lower);
    return apart.cwiseMax(0.0).norm() + std::min(0.0, apart.maxCoeff());
  }
  Box bounds() const override { return box_; }

 private:
  Box box_;
};

}  // namespace freshet::test
