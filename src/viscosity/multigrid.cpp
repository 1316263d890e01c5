// SPDX-License-Identifier: Apache-2.0
#include "viscosity/multigrid.hpp"

#include "freshet/grid/halo.hpp"
#include "viscosity/behind_wall.hpp"

#include <algorithm>
#include <cmath>

namespace freshet::viscous {
namespace {

/// dt mu / (rho dx^2) below which smoothing alone solves a level's equations well enough.
constexpr double least_stiffness = 0.2;
constexpr int smoothing_degree = 4;  ///< thin ropes need far fewer iterations than with degree 2
constexpr int largest_degree = 60;   ///< bound of the degree on the last level

/// Kind of a coarse face in the interpolation to finer ones.
enum FaceUse : int { dry = 0, held = 1, known = 2 };

/// Whether viscosity acts beyond a cell's neighbours within dt, so that a coarser level is needed.
bool is_stiff(double scale, double viscosity) {
  return scale * viscosity > least_stiffness;
}

/// Interpolation from coarse faces of component d, which every fine cell holds as a copy: along d, a face between two
/// coarse ones takes their mean; across d, 3/4 of the nearer and 1/4 of the farther one.
template <class Shape, int d>
struct Interpolation {
  static constexpr TileExtents<Shape> extents{1};

  /// Call f(offset, weight, whether the offset is across d) for the coarse faces of fine face (i, j, k).
  template <class Function>
  [[gnu::always_inline]] void for_each(int i, int j, int k, Function&& f) const {
    const int place[3] = {i, j, k};
    int step[3] = {0, 0, 0};
    float near[3] = {1.0F, 1.0F, 1.0F};
    for (int e = 0; e < Shape::dim; ++e) {
      const bool is_odd = (place[e] & 1) != 0;
      if (e == d) {
        step[e] = is_odd ? extents.stride(e) : 0;
        near[e] = is_odd ? 0.5F : 1.0F;
      } else {
        step[e] = is_odd ? extents.stride(e) : -extents.stride(e);
        near[e] = 0.75F;
      }
    }
    constexpr int n = 1 << Shape::dim;
    for (int side = 0; side < n; ++side) {
      int offset = 0;
      float weight = 1.0F;
      for (int e = 0; e < Shape::dim; ++e) {
        const bool is_far = (side >> e & 1) != 0;
        offset += is_far ? step[e] : 0;
        weight *= is_far ? 1.0F - near[e] : near[e];
      }
      f(offset, weight, (side & ~(1 << d)) != 0);
    }
  }
};

template <class Shape, class Function>
void for_each_component(Function&& f) {
  f(std::integral_constant<int, 0>{});
  f(std::integral_constant<int, 1>{});
  if constexpr (Shape::dim == 3) f(std::integral_constant<int, 2>{});
}

/// Copy an octant's coarse values to the fine cells that they cover.
template <class Shape>
void copy_to_fine(const float* octant, float* fine) {
  for (int k = 0; k < Shape::nz; ++k)
    for (int j = 0; j < Shape::ny; ++j)
      for (int i = 0; i < Shape::nx; ++i) fine[Shape::cell(i, j, k)] = octant[Shape::cell(i / 2, j / 2, k / 2)];
}

template <class Visit>
void for_each_active(const StressWeights& weights, Visit&& visit) {
  const std::vector<LocalIndex>& active = weights.active();
  parallel_for_blocks(static_cast<LocalIndex>(active.size()),
                      [&](LocalIndex n) { visit(active[static_cast<std::size_t>(n)], n); });
}

}  // namespace

void ViscousMultigrid::reset(const StressWeights& finest, double scale, double viscosity, double magnitude) {
  set_layouts(finest.layout());
  magnitude_ = std::isnormal(magnitude) ? std::ldexp(1.0, std::ilogb(magnitude)) : 1.0;
  n_levels_ = 0;
  while (true) {
    Level& level = *levels_[n_levels_];
    if (n_levels_ == 0) {
      level.weights = &finest;
    } else {
      Level& finer = *levels_[n_levels_ - 1];
      level.own_weights->coarsen(*finer.weights, *finer.link, *level.layout, finest.layout().domain(), level.factor);
    }
    ++n_levels_;
    const bool is_last = !is_stiff(scale, viscosity) || (n_levels_ == levels_.size() && !add_layout());
    set_coefficients(*levels_[n_levels_ - 1], scale, viscosity, is_last);
    if (n_levels_ > 1) set_shares(*levels_[n_levels_ - 2], *levels_[n_levels_ - 1]);
    if (is_last) return;
    scale /= 4.0;
  }
}

void ViscousMultigrid::set_layouts(const BlockLayout& finest) {
  if (layout_id_ == finest.id() && !levels_.empty()) return;
  layout_id_ = finest.id();
  levels_.clear();
  levels_.push_back(std::make_unique<Level>());
  levels_.back()->layout = &finest;
}

/// Add a coarser level; false if no axis can be halved. Collective
bool ViscousMultigrid::add_layout() {
  Level& fine = *levels_.back();
  const Domain& domain = fine.layout->domain();
  const Domain& finest = levels_.front()->layout->domain();
  bool is_large = false;
  for (int d = 0; d < domain.dimension(); ++d) {
    if (domain.periodic(d) && domain.lattice()[d] % 2 == 1) return false;
    is_large = is_large || finest.cells()[d] > fine.factor;
  }
  if (!is_large) return false;
  auto level = std::make_unique<Level>();
  level->factor = 2 * fine.factor;
  const Domain coarser = coarser_domain(domain);
  level->own_layout = std::make_unique<const BlockLayout>(
      fine.layout->comm(), coarser, fine.layout->splitters().coarser(),
      CoarseLink::blocks_in_reach(*levels_.front()->layout, coarser, level->factor));
  level->layout = level->own_layout.get();
  level->own_weights = std::make_unique<StressWeights>();
  level->weights = level->own_weights.get();
  fine.link = std::make_unique<const CoarseLink>(*fine.layout, *level->layout);
  levels_.push_back(std::move(level));
  return true;
}

void ViscousMultigrid::set_coefficients(Level& level, double scale, double viscosity, bool is_last) {
  level.strain.reset(*level.weights, scale);
  for (FaceField<float>* field :
       {&level.inverse, &level.share, &level.x, &level.z, &level.residual, &level.interpolated}) {
    field->reset(*level.layout, 0.0F);
    field->fill(0.0F);
  }
  for_each_active(*level.weights, [&](LocalIndex block, LocalIndex) {
    float* target[3] = {};
    for (int d = 0; d < level.inverse.dimension(); ++d) target[d] = level.inverse[d].block(block);
    level.strain.inverse_bound(block, target);
  });
  // On the last level, halving the error takes a degree that grows with the root of the condition number.
  const double condition = 1.0 + 24.0 * scale * viscosity;
  level.degree =
      is_last ? std::min(static_cast<int>(std::ceil(std::sqrt(condition))), largest_degree) : smoothing_degree;
}

void ViscousMultigrid::set_shares(Level& level, const Level& coarse) {
  const BlockLayout& layout = *level.layout;
  const Domain& finest = levels_.front()->layout->domain();
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    CellField<float> use(*coarse.layout, 0.0F);
    for_each_component<Shape>([&](auto axis) {
      constexpr int d = axis;
      parallel_for_blocks(coarse.layout->n_owned(), [&](LocalIndex block) {
        for (int c = 0; c < Shape::cells; ++c) {
          const double mass = coarse.weights->mass(d, block, c);
          use.block(block)[c] = mass > 0.0 ? known : mass < 0.0 ? held : dry;
        }
      });
      CellField<float>& copies = level.interpolated[d];
      level.link->spread(
          use, [&](LocalIndex block, const float* octant) { copy_to_fine<Shape>(octant, copies.block(block)); });
      layout.halo().gather(copies, 1);
      const Interpolation<Shape, d> interpolation;
      for_each_active(*level.weights, [&](LocalIndex block, LocalIndex) {
        Tile<float, Shape, 1> tile(copies, block);
        if (layout.touches_boundary(block)) {
          const int z = Shape::dim == 3 ? 1 : 0;
          for (int k = -z; k < Shape::nz + z; ++k)
            for (int j = -1; j < Shape::ny + 1; ++j)
              for (int i = -1; i < Shape::nx + 1; ++i) {
                const Vec3i cell = layout.first_cell(block) + Vec3i(i, j, k);
                const Vec3i coarse_cell(cell.x() >> 1, cell.y() >> 1, Shape::dim == 3 ? cell.z() >> 1 : 0);
                if (is_behind_wall(finest, coarse.factor, d, coarse_cell)) tile[tile.extents.at(i, j, k)] = held;
              }
        }
        float* const share = level.share[d].block(block);
        for (int k = 0; k < Shape::nz; ++k)
          for (int j = 0; j < Shape::ny; ++j)
            for (int i = 0; i < Shape::nx; ++i) {
              const int c = Shape::cell(i, j, k);
              if (!(level.weights->mass(d, block, c) > 0.0)) continue;
              const int at = interpolation.extents.at(i, j, k);
              float sum = 0.0F;
              interpolation.for_each(i, j, k, [&](int offset, float weight, bool is_across) {
                const float needed = is_across ? known : held;
                if (tile[at + offset] >= needed) sum += weight;
              });
              share[c] = sum > 0.0F ? 1.0F / sum : 0.0F;
            }
      });
    });
  });
}

void ViscousMultigrid::apply(const double* r, double* z, std::size_t stride) {
  Level& level = *levels_[0];
  const int dimension = level.layout->domain().dimension();
  const int cells = level.layout->cells_per_block();
  const double scale = 1.0 / magnitude_;
  for_each_active(*level.weights, [&](LocalIndex block, LocalIndex n) {
    const double* from = r + static_cast<std::size_t>(n) * stride;
    for (int d = 0; d < dimension; ++d)
      for (int c = 0; c < cells; ++c)
        level.residual[d].block(block)[c] = static_cast<float>(scale * from[d * cells + c]);
  });
  visit(0);
  for_each_active(*level.weights, [&](LocalIndex block, LocalIndex n) {
    double* to = z + static_cast<std::size_t>(n) * stride;
    for (int d = 0; d < dimension; ++d)
      for (int c = 0; c < cells; ++c) to[d * cells + c] = magnitude_ * static_cast<double>(level.x[d].block(block)[c]);
  });
}

/// Take one cycle on a level and the coarser ones: x from the residual.
void ViscousMultigrid::visit(std::size_t number) {
  Level& level = *levels_[number];
  const bool is_last = number + 1 == n_levels_;
  smooth(level, true, is_last);
  if (is_last) return;
  Level& coarse = *levels_[number + 1];
  restrict_residual(level, coarse);
  visit(number + 1);
  prolong(coarse, level);
  subtract_image(level);
  smooth(level, false, true);
}

/// x += q(M^-1 A) M^-1 r. r is undefined afterwards if `is_last`.
void ViscousMultigrid::smooth(Level& level, bool from_zero, bool is_last) {
  const int dimension = level.layout->domain().dimension();
  const int n_rows = level.layout->cells_per_block() / block_width;
  for (int step = 1; step <= level.degree; ++step) {
    const auto old_part = static_cast<float>(2 * step - 3) / static_cast<float>(2 * step + 1);
    const auto new_part = static_cast<float>(8 * step - 4) / static_cast<float>(2 * step + 1);
    for_each_active(*level.weights, [&](LocalIndex block, LocalIndex) {
      for (int d = 0; d < dimension; ++d) {
        const float* inverse = level.inverse[d].block(block);
        const float* r = level.residual[d].block(block);
        float* z = level.z[d].block(block);
        float* x = level.x[d].block(block);
        for_each_set_row(level.weights->rows(d, block), n_rows, [&](int row) {
          for (int c = block_width * row; c < block_width * (row + 1); ++c) {
            const float change = new_part * inverse[c] * r[c];
            z[c] = step == 1 ? change : old_part * z[c] + change;
            x[c] = step == 1 && from_zero ? z[c] : x[c] + z[c];
          }
        });
      }
    });
    if (step < level.degree || !is_last) subtract_image(level);
  }
}

/// r -= A z
void ViscousMultigrid::subtract_image(Level& level) {
  level.layout->halo().gather(level.z, 1);
  with_shape(level.layout->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    for_each_active(*level.weights, [&](LocalIndex block, LocalIndex) {
      float image[3][Shape::cells];
      float* const target[3] = {image[0], image[1], image[2]};
      level.strain.apply_in_block<Shape>(level.z, block, false, target);
      for (int d = 0; d < Shape::dim; ++d) {
        float* r = level.residual[d].block(block);
        for_each_set_row(level.weights->rows(d, block), Shape::rows, [&](int row) {
          for (int c = block_width * row; c < block_width * (row + 1); ++c) r[c] -= image[d][c];
        });
      }
    });
  });
}

/// Set the coarse residual to P^T r / 8, in 2-D / 4.
void ViscousMultigrid::restrict_residual(Level& level, Level& coarse) {
  const BlockLayout& layout = *level.layout;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    for_each_active(*level.weights, [&](LocalIndex block, LocalIndex) {
      for (int d = 0; d < Shape::dim; ++d) {
        const float* share = level.share[d].block(block);
        const float* r = level.residual[d].block(block);
        float* scaled = level.interpolated[d].block(block);
        for (int c = 0; c < Shape::cells; ++c) scaled[c] = share[c] * r[c];
      }
    });
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      if (level.weights->kind(block) != Kind::none) return;
      for (int d = 0; d < Shape::dim; ++d) std::fill_n(level.interpolated[d].block(block), Shape::cells, 0.0F);
    });
    layout.halo().gather(level.interpolated, 1);
    for_each_active(*coarse.weights, [&](LocalIndex block, LocalIndex) {  // octants without a fine block get 0
      for (int d = 0; d < Shape::dim; ++d) std::fill_n(coarse.residual[d].block(block), Shape::cells, 0.0F);
    });
    for_each_component<Shape>([&](auto axis) {
      constexpr int d = axis;
      constexpr float along[3] = {0.5F, 1.0F, 0.5F};
      constexpr float across[4] = {0.25F, 0.75F, 0.75F, 0.25F};
      const auto first = [](int e) { return e < Shape::dim ? -1 : 0; };
      const auto count = [](int e) { return e >= Shape::dim ? 1 : e == d ? 3 : 4; };
      const auto weight = [&](int e, int n) { return e >= Shape::dim ? 1.0F : e == d ? along[n] : across[n]; };
      level.link->collect(coarse.residual[d], [&](LocalIndex block, float* octant) {
        const Tile<float, Shape, 1> tile(level.interpolated[d], block);
        for (int k = 0; k < (Shape::dim == 3 ? 4 : 1); ++k)
          for (int j = 0; j < 4; ++j)
            for (int i = 0; i < 4; ++i) {
              float sum = 0.0F;
              for (int c = 0; c < count(2); ++c)
                for (int b = 0; b < count(1); ++b) {
                  float row = 0.0F;
                  for (int a = 0; a < count(0); ++a)
                    row += weight(0, a) * tile(2 * i + first(0) + a, 2 * j + first(1) + b, 2 * k + first(2) + c);
                  sum += weight(1, b) * weight(2, c) * row;
                }
              octant[Shape::cell(i, j, k)] = sum / static_cast<float>(1 << Shape::dim);
            }
      });
    });
  });
}

/// z = P x with x of the coarser level; x += z.
void ViscousMultigrid::prolong(const Level& coarse, Level& level) {
  const BlockLayout& layout = *level.layout;
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    for (int d = 0; d < Shape::dim; ++d)
      level.link->spread(coarse.x[d], [&](LocalIndex block, const float* octant) {
        copy_to_fine<Shape>(octant, level.interpolated[d].block(block));
      });
    layout.halo().gather(level.interpolated, 1);
    for_each_component<Shape>([&](auto axis) {
      constexpr int d = axis;
      const Interpolation<Shape, d> interpolation;
      for_each_active(*level.weights, [&](LocalIndex block, LocalIndex) {
        const Tile<float, Shape, 1> tile(level.interpolated[d], block);
        const float* share = level.share[d].block(block);
        float* z = level.z[d].block(block);
        float* x = level.x[d].block(block);
        for (int k = 0; k < Shape::nz; ++k)
          for (int j = 0; j < Shape::ny; ++j)
            for (int i = 0; i < Shape::nx; ++i) {
              const int c = Shape::cell(i, j, k);
              const int at = interpolation.extents.at(i, j, k);
              float sum = 0.0F;
              interpolation.for_each(i, j, k,
                                     [&](int offset, float weight, bool) { sum += weight * tile[at + offset]; });
              z[c] = share[c] * sum;
              x[c] += z[c];
            }
      });
    });
  });
}

}  // namespace freshet::viscous
