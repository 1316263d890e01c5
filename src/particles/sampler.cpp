// SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include "freshet/core/contracts.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

/// The shapes that reach into one block. A liquid that covers the whole block is the last; others get no sample.
struct Sampler::NearShapes {
  struct Near {
    const Shape* shape;
    int index;
    bool covers;  ///< whether the whole block lies inside
  };
  std::vector<Near> liquids;
  std::vector<Near> solids;

  bool in_solid(const Vec3& x) const {
    return std::any_of(solids.begin(), solids.end(),
                       [&](const Near& solid) { return solid.covers || solid.shape->signed_distance(x) <= 0.0; });
  }
};

namespace {

/// Coordinate of x along an axis [blocks]; it may be infinite.
double in_blocks(const Domain& domain, double x, int axis) {
  return (x - domain.origin()[axis]) / (domain.dx() * domain.block_cells()[axis]);
}

/// Call f(cell) for the cells 0 .. n_cells - 1 of a block, x fastest.
template <class Function>
void for_each_cell(const Vec3i& n_cells, Function&& f) {
  Vec3i cell;
  for (cell.z() = 0; cell.z() < n_cells.z(); ++cell.z())
    for (cell.y() = 0; cell.y() < n_cells.y(); ++cell.y())
      for (cell.x() = 0; cell.x() < n_cells.x(); ++cell.x()) f(cell);
}

}  // namespace

Sampler::Sampler(const Domain& domain, const SamplingOptions& sampling, std::uint64_t seed,
                 const std::vector<LiquidBody>& liquids, const Shapes& solids)
    : domain_(domain),
      liquids_(liquids),
      solids_(solids),
      per_axis_(Vec3i::Constant(sampling.per_axis)),
      jitter_(sampling.jitter),
      seed_(seed) {
  FRESHET_EXPECT(sampling.per_axis >= 1 && jitter_ >= 0.0 && jitter_ <= 1.0);
  if (domain.dimension() == 2) per_axis_.z() = 1;
}

CellBox Sampler::candidate_blocks() const {
  const Vec3i width = domain_.block_cells();
  const Vec3i n_blocks = (domain_.cells() + width - Vec3i::Ones()).cwiseQuotient(width);
  CellBox box{n_blocks, Vec3i::Zero()};
  for (const LiquidBody& liquid : liquids_) {
    const Box bounds = liquid.shape->bounds();
    if ((bounds.lower.array() > bounds.upper.array()).any()) continue;
    for (int axis = 0; axis < domain_.dimension(); ++axis) {
      const double n = n_blocks[axis];
      const double lower = std::clamp(std::floor(in_blocks(domain_, bounds.lower[axis], axis)), 0.0, n);
      const double upper = std::clamp(std::floor(in_blocks(domain_, bounds.upper[axis], axis)) + 1.0, 0.0, n);
      box.lower[axis] = std::min(box.lower[axis], static_cast<int>(lower));
      box.upper[axis] = std::max(box.upper[axis], static_cast<int>(upper));
    }
    if (domain_.dimension() == 2) {
      box.lower.z() = 0;
      box.upper.z() = 1;
    }
  }
  box.upper = box.upper.cwiseMax(box.lower);
  return box;
}

Sampler::NearShapes Sampler::shapes_near(const Vec3i& first_cell) const {
  Vec3 half_width = 0.5 * domain_.dx() * domain_.block_cells().cast<double>();
  const Vec3 center = domain_.origin() + domain_.dx() * first_cell.cast<double>() + half_width;
  if (domain_.dimension() == 2) half_width.z() = 0.0;  // samples lie in the middle plane
  // A distance changes by at most the displacement: the distance at the centre bounds all others. The margin is
  // for rounding.
  const double reach = half_width.norm() * (1.0 + 1e-6);
  NearShapes near;
  for (std::size_t m = 0; m < liquids_.size(); ++m) {
    const double distance = liquids_[m].shape->signed_distance(center);
    if (distance > reach) continue;
    near.liquids.push_back({liquids_[m].shape.get(), static_cast<int>(m), distance < -reach});
    if (near.liquids.back().covers) break;
  }
  if (near.liquids.empty()) return near;
  for (std::size_t m = 0; m < solids_.size(); ++m) {
    const double distance = solids_[m]->signed_distance(center);
    if (distance <= reach) near.solids.push_back({solids_[m].get(), static_cast<int>(m), distance < -reach});
  }
  return near;
}

Sample Sampler::place(const CellRandom& random, const Vec3i& cell_in_block, int sub_cell) const {
  const Vec3i sub{sub_cell % per_axis_.x(), sub_cell / per_axis_.x() % per_axis_.y(),
                  sub_cell / (per_axis_.x() * per_axis_.y())};
  Sample sample{};
  for (int axis = 0; axis < 3; ++axis) {
    const bool flat = axis >= domain_.dimension();
    const double u = flat ? 0.5 : random.uniform(static_cast<std::uint64_t>(3 * sub_cell + axis));
    const int low = cell_in_block[axis];
    const double x = low + (sub[axis] + 0.5 + jitter_ * (u - 0.5)) / per_axis_[axis];
    // Rounding must not carry a sample into the next cell, which may lie outside the domain.
    const ParticleReal last = std::nextafter(static_cast<ParticleReal>(low + 1), ParticleReal{0});
    sample.position[axis] = std::min(static_cast<ParticleReal>(x), last);
  }
  return sample;
}

GlobalIndex Sampler::sample_block(const Vec3i& block, std::vector<Sample>& samples) const {
  const Vec3i first_cell = block.cwiseProduct(domain_.block_cells());
  const NearShapes near = shapes_near(first_cell);
  if (near.liquids.empty()) return 0;
  const Vec3i n_cells = (domain_.cells() - first_cell).cwiseMin(domain_.block_cells());
  GlobalIndex dropped = 0;
  for_each_cell(n_cells, [&](const Vec3i& cell) {
    const CellRandom random(seed_, first_cell + cell);
    for (int sub_cell = 0; sub_cell < per_axis_.prod(); ++sub_cell) {
      Sample sample = place(random, cell, sub_cell);
      const Vec3 relative(sample.position[0], sample.position[1], sample.position[2]);
      const Vec3 x = domain_.origin() + domain_.dx() * (first_cell.cast<double>() + relative);
      const auto liquid =
          std::find_if(near.liquids.begin(), near.liquids.end(), [&](const NearShapes::Near& near_shape) {
            return near_shape.covers || near_shape.shape->exact_distance(x) < 0.0;
          });
      if (liquid == near.liquids.end()) continue;
      if (near.in_solid(x)) {
        ++dropped;
        continue;
      }
      sample.liquid = liquid->index;
      samples.push_back(sample);
    }
  });
  return dropped;
}

}  // namespace freshet
