// SPDX-License-Identifier: Apache-2.0
// Volume and energy of the liquid in a box; for the whole domain they equal those of steps.csv.
#include "blocks.hpp"
#include "checks.hpp"
#include "freshet/fluid/below_core.hpp"
#include "freshet/fluid/inner_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet {
namespace {

class RegionGauge : public Gauge {
 public:
  RegionGauge(const GaugeParameters& parameters, const GaugeSetup& setup)
      : setup_(setup), box_(box_of(setup.domain, parameters)) {}

  /// Measure the volume as liquid_volume_here() does: cells inside the liquid are full, elsewhere particles count.
  void measure_flow(const GaugeFlow& flow) override {
    volume_ = {};
    const BlockLayout& layout = flow.labels.layout();
    with_shape(setup_.domain.dimension(), [&](auto shape) {
      using Shape = decltype(shape);
      sum_over_blocks(layout.n_owned(), volume_, [&](LocalIndex b) { return volume_of_block<Shape>(flow, b); });
    });
  }

  void measure_liquid(const GaugeLiquid& liquid) override {
    sums_ = {};
    with_shape(setup_.domain.dimension(), [&](auto shape) {
      using Shape = decltype(shape);
      sum_over_blocks(liquid.layout.n_owned(), sums_, [&](LocalIndex b) { return liquid_of_block<Shape>(liquid, b); });
    });
  }

  void add_to(Reduction& reduction) override {
    volume_of_all_ = volume_;
    totals_ = sums_;
    reduction.sum(volume_of_all_[0]);
    for (ExactSum& sum : totals_) reduction.sum(sum);
  }

  std::vector<double> values() const override {
    const Vec3 x(totals_[2].round(), totals_[3].round(), totals_[4].round());
    return {setup_.domain.cell_volume() * volume_of_all_[0].round(), totals_[0].round(),
            0.5 * setup_.particle_mass * totals_[1].round(), -setup_.particle_mass * setup_.gravity.dot(x)};
  }

  std::string describe(const SolidFields& /*solids*/) const override {
    const Box common = clipped(setup_.domain, box_);
    const double liquid = values()[0];
    return fmt::format("box of {:.4g} m^3 in the domain: {}", (common.upper - common.lower).prod(),
                       liquid > 0.0 ? fmt::format("{:.4g} m^3 of liquid", liquid) : std::string("dry"));
  }

 private:
  template <class Shape>
  std::optional<std::array<double, 1>> volume_of_block(const GaugeFlow& flow, LocalIndex b) const {
    const BlockLayout& layout = flow.labels.layout();
    const ParticleIndex begin = flow.particles.block_begin()[b];
    const ParticleIndex end = flow.particles.block_begin()[b + 1];
    const bool is_empty = begin == end && !has_cells_below_core<Shape>(flow.below_core, b);
    if (is_empty || !overlap(block_box(layout, b), box_)) return std::nullopt;
    double full[Shape::cells];
    find_full_parts<Shape>(flow.labels, flow.solids, b, full);
    const std::uint8_t* inner = flow.inner_cells.block(b);
    const double dx = setup_.domain.dx();
    const Vec3 corner = block_box(layout, b).lower;
    double sum = 0.0;
    for (int k = 0; k < Shape::nz; ++k)
      for (int j = 0; j < Shape::ny; ++j)
        for (int i = 0; i < Shape::nx; ++i) {
          if (inner[Shape::cell(i, j, k)] == 0) continue;
          const Vec3 low = corner + dx * Vec3(i, j, k);
          sum += full[Shape::cell(i, j, k)] * part_in_box(low, dx);
        }
    ParticleIndex outside = 0;
    for (ParticleIndex p = begin; p < end; ++p) {
      const ParticleReal* x = flow.particles.position() + 3 * p;
      const int k = Shape::dim == 3 ? static_cast<int>(x[2]) : 0;
      if (inner[Shape::cell(static_cast<int>(x[0]), static_cast<int>(x[1]), k)] == 0 &&
          contains(corner + dx * Vec3(x[0], x[1], x[2])))
        ++outside;
    }
    return std::array{sum + static_cast<double>(outside) / setup_.per_cell};
  }

  /// Sum 1, |u|^2 and x over the particles in the box, and those that cells below a band's core lack.
  template <class Shape>
  std::optional<std::array<double, 5>> liquid_of_block(const GaugeLiquid& liquid, LocalIndex b) const {
    const ParticleIndex begin = liquid.particles.block_begin()[b];
    const ParticleIndex end = liquid.particles.block_begin()[b + 1];
    const bool is_below_core = has_cells_below_core<Shape>(liquid.below_core, b);
    if ((begin == end && !is_below_core) || !overlap(block_box(liquid.layout, b), box_)) return std::nullopt;
    const Vec3 corner = block_box(liquid.layout, b).lower;
    std::array<double, 5> sums{};
    for (ParticleIndex p = begin; p < end; ++p) {
      const ParticleReal* r = liquid.particles.position() + 3 * p;
      const ParticleReal* v = liquid.particles.velocity() + 3 * p;
      const Vec3 x = corner + setup_.domain.dx() * Vec3(r[0], r[1], r[2]);
      if (contains(x)) add(1.0, Vec3(v[0], v[1], v[2]), x, sums);
    }
    if (!is_below_core) return sums;
    const auto add_cell = [&](int /*cell*/, GlobalIndex n, const Vec3& x, const Vec3& u) {
      const double dx = setup_.domain.dx();
      add(static_cast<double>(n) * part_in_box(x - Vec3::Constant(0.5 * dx), dx), u, x, sums);
    };
    for_each_below_core<Shape>(*liquid.below_core, *liquid.velocity, liquid.particles, b, setup_.per_cell, add_cell);
    return sums;
  }

  /// Add n particles.
  static void add(double n, const Vec3& u, const Vec3& x, std::array<double, 5>& sums) {
    sums[0] += n;
    sums[1] += n * u.squaredNorm();
    for (int d = 0; d < 3; ++d) sums[static_cast<std::size_t>(2 + d)] += n * x[d];
  }

  bool contains(const Vec3& x) const {
    return (x.array() >= box_.lower.array()).all() && (x.array() <= box_.upper.array()).all();
  }
  /// Part of a cell inside the box. \param[in] low  low corner of the cell
  double part_in_box(const Vec3& low, double dx) const {
    if (contains(low) && contains(low + Vec3::Constant(dx))) return 1.0;
    const Vec3 common = (low + Vec3::Constant(dx)).cwiseMin(box_.upper) - low.cwiseMax(box_.lower);
    return (common / dx).cwiseMax(0.0).prod();
  }

  GaugeSetup setup_;
  Box box_;
  std::array<ExactSum, 1> volume_;         ///< volume on this rank [cells]
  std::array<ExactSum, 5> sums_;           ///< sums of 1, |u|^2 [m^2/s^2] and x [m] on this rank
  std::array<ExactSum, 1> volume_of_all_;  ///< volume on all ranks, after the reduction [cells]
  std::array<ExactSum, 5> totals_;         ///< sums on all ranks, after the reduction
};

void check_region(const GaugeParameters& gauge, const GaugeScene& scene, const keys::Table& table) {
  table.require(check_corners(gauge, scene, table) == 0, "upper",
                fmt::format("equals '{}lower' along an axis", table.name), "a box has a volume", "Move one of them");
  check_common_part(gauge, scene, table);
}

std::vector<CsvColumn> region_columns(const GaugeParameters& /*parameters*/) {
  return {{"volume", "m^3"}, {"particles", ""}, {"kinetic_energy", "J"}, {"potential_energy", "J"}};
}

}  // namespace

GaugeTypeRecord region_gauge() {
  return {"region",
          "volume and energy of the liquid in a box",
          {"lower", "upper"},
          check_region,
          region_columns,
          [](const GaugeParameters& parameters, const GaugeSetup& setup) -> std::unique_ptr<Gauge> {
            return std::make_unique<RegionGauge>(parameters, setup);
          }};
}

}  // namespace freshet
