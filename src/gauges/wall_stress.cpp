// SPDX-License-Identifier: Apache-2.0
// Shear stress of the wall law at a point of a wall.
#include "blocks.hpp"
#include "checks.hpp"
#include "freshet/core/exact_sum.hpp"
#include "freshet/grid/block_shape.hpp"
#include "point.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace freshet {
namespace {

/// The means of stress and y+ over the area of wall in cells near a point: their centres are within 3/2 cells of it
/// along each axis.
class WallStressGauge : public Gauge {
 public:
  WallStressGauge(const GaugeParameters& parameters, const Domain& domain)
      : domain_(domain), x_(parameters.point), solid_(parameters.solid) {}

  void measure_flow(const GaugeFlow& flow) override {
    sums_ = {};
    if (flow.wall_stress == nullptr || !flow.wall_stress->is_bound_to(flow.labels.layout())) return;
    const BlockLayout& layout = flow.labels.layout();
    const Pose pose =
        solid_ < 0 ? Pose() : flow.solids.bodies()[static_cast<std::size_t>(solid_)].pose(flow.solids.time());
    const Vec3 x = pose.to_world(x_);
    with_shape(layout.domain().dimension(), [&](auto shape) {
      using Shape = decltype(shape);
      for (LocalIndex b = 0; b < layout.n_owned(); ++b) add_block<Shape>(flow, layout, b, x);
    });
  }
  void measure_liquid(const GaugeLiquid& /*liquid*/) override {}
  void add_to(Reduction& reduction) override {
    totals_ = sums_;
    for (ExactSum& sum : totals_) reduction.sum(sum);
  }
  std::vector<double> values() const override {
    const double part = totals_[3].round();
    if (part == 0.0) return {0.0, 0.0, 0.0};
    return {totals_[0].round() / part, totals_[1].round() / part, totals_[2].round()};
  }

  std::string describe(const SolidFields& solids) const override {
    const Pose pose = solid_ < 0 ? Pose() : solids.bodies()[static_cast<std::size_t>(solid_)].pose(solids.time());
    return fmt::format("wall stress {}: {:.4g} Pa in {:.0f} cells",
                       surroundings_text(solids, domain_, pose.to_world(x_)), values()[0], values()[2]);
  }

 private:
  template <class Shape>
  void add_block(const GaugeFlow& flow, const BlockLayout& layout, LocalIndex b, const Vec3& x) {
    constexpr double reach = 1.5;  // [cells]
    const Vec3 corner = (x - domain_.origin()) / domain_.dx() - layout.first_cell(b).template cast<double>();
    for (int d = 0; d < Shape::dim; ++d)
      if (corner[d] < -reach || corner[d] > Shape::n(d) + reach) return;
    for (int c = 0; c < Shape::cells; ++c) {
      const auto part = static_cast<double>(flow.wall_part->block(b)[c]);
      if (part <= 0.0) continue;
      const Vec3 centre = Shape::place(c).template cast<double>() + Vec3::Constant(0.5);
      bool is_near = true;
      for (int d = 0; d < Shape::dim; ++d) is_near = is_near && std::abs(centre[d] - corner[d]) <= reach;
      if (!is_near) continue;
      sums_[0].add(part * static_cast<double>(flow.wall_stress->block(b)[c]));
      sums_[1].add(part * static_cast<double>(flow.y_plus->block(b)[c]));
      sums_[2].add(1.0);
      sums_[3].add(part);
    }
  }

  Domain domain_;
  Vec3 x_;                          ///< position in the case file [m]
  int solid_;                       ///< index of the solid that moves the point; -1: none
  std::array<ExactSum, 4> sums_;    ///< stress [Pa] and y+ times WallLaw::part(), number of cells, that part
  std::array<ExactSum, 4> totals_;  ///< sums over all ranks, after the reduction
};

std::vector<CsvColumn> wall_stress_columns(const GaugeParameters& /*parameters*/) {
  return {{"wall_stress", "Pa"}, {"y_plus", ""}, {"cells", ""}};
}

}  // namespace

GaugeTypeRecord wall_stress_gauge() {
  return {"wall_stress",
          "shear stress of a wall with a wall law at a point",
          {"point", "solid"},
          check_point,
          wall_stress_columns,
          [](const GaugeParameters& parameters, const GaugeSetup& setup) -> std::unique_ptr<Gauge> {
            return std::make_unique<WallStressGauge>(parameters, setup.domain);
          },
          GaugeNeeds::wall_law};
}

}  // namespace freshet
