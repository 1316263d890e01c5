// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/surface_faces.hpp"

#include "block_contents.hpp"
#include "find_cells.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/padded.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {
namespace {

/// Labels and velocities of a block and of the cells around it.
template <class Shape>
struct Around {
  static constexpr int width(int pad) { return Shape::nx + 2 * pad; }
  static constexpr int size(int pad) { return width(pad) * width(pad) * (Shape::dim == 3 ? width(pad) : 1); }

  PaddedExtents<Shape> wide{2};
  PaddedExtents<Shape> narrow{1};
  Label label[size(2)];
  double u[Shape::dim][size(1)];    ///< on low faces
  double u_s[Shape::dim][size(1)];  ///< of solids
  bool skips_walls = false;         ///< no cell of air beside a solid counts

  void fill_velocity(const FaceField<double>& velocity, const FaceField<float>& of_solids, LocalIndex b) {
    for (int d = 0; d < Shape::dim; ++d) {
      fill_padded(velocity[d], b, narrow, u[d]);
      fill_padded(of_solids[d], b, narrow, u_s[d]);
    }
  }
  /// Low faces between two cells of air with liquid beyond one of these.
  int find_faces(int axis, int* cells) const {
    const int stride = axis == 0 ? 1 : axis == 1 ? wide.nx : wide.nx * wide.ny;
    const auto test = [this, stride](int n, int) {
      const Label* here = label + n;
      return (here[0] == Label::air) & (here[-stride] == Label::air) &
             ((here[stride] == Label::liquid) != (here[-2 * stride] == Label::liquid));
    };
    return find_cells(wide, test, cells);
  }
  Label at(const Vec3i& cell) const { return label[wide.at(cell.x(), cell.y(), cell.z())]; }
  /// The velocity of the low face of a cell along an axis.
  double low(const Vec3i& cell, int axis) const {
    const bool is_wall = at(cell) == Label::solid || at(cell - Vec3i::Unit(axis)) == Label::solid;
    return (is_wall ? u_s : u)[axis][narrow.at(cell.x(), cell.y(), cell.z())];
  }
  /// True for a cell of air whose one liquid neighbour is the one at `liquid`.
  bool is_beside(const Vec3i& cell, const Vec3i& liquid) const {
    if (at(cell) != Label::air || at(liquid) != Label::liquid) return false;
    if (skips_walls && touches_solid(cell)) return false;
    int n_liquid = 0;
    for (int d = 0; d < Shape::dim; ++d)
      for (const int step : {-1, 1}) n_liquid += at(cell + step * Vec3i::Unit(d)) == Label::liquid ? 1 : 0;
    return n_liquid == 1;
  }
  bool touches_solid(const Vec3i& cell) const {
    for (int d = 0; d < Shape::dim; ++d)
      for (const int step : {-1, 1})
        if (at(cell + step * Vec3i::Unit(d)) == Label::solid) return true;
    return false;
  }
  /// Net outflow of a cell through its faces along the other axes.
  double outflow_beside(const Vec3i& cell, int axis) const {
    double sum = 0.0;
    for (int d = 0; d < Shape::dim; ++d)
      if (d != axis) sum += low(cell + Vec3i::Unit(d), d) - low(cell, d);
    return sum;
  }
};

}  // namespace

template <class Shape>
void SurfaceFaces::find(const LabelField& known, const SolidFields& solids, double fastest,
                        const FaceField<double>& velocity, LocalIndex b) {
  std::vector<Update>& updates = updates_[static_cast<std::size_t>(b)];
  updates.clear();
  constexpr std::uint8_t both = content_bit(Label::liquid) | content_bit(Label::air);
  if ((contents_around(known.layout(), contents_, b) & both) != both) return;
  Around<Shape> around;
  fill_padded(known, b, around.wide, around.label);
  around.skips_walls = solids.any_separating_fractions();
  bool has_velocity = false;
  int cells[Shape::cells];
  for (int d = 0; d < Shape::dim; ++d) {
    const int n = around.find_faces(d, cells);
    if (n > 0 && !has_velocity) around.fill_velocity(velocity, solids.velocity(), b);
    has_velocity |= n > 0;
    for (const int* c = cells; c < cells + n; ++c) {
      const Vec3i cell(*c % Shape::nx, *c / Shape::nx % Shape::ny, *c / (Shape::nx * Shape::ny));
      const Vec3i along = Vec3i::Unit(d);
      const Vec3i below = cell - along;
      const double limit = std::max(fastest, std::abs(around.low(cell, d)));
      const auto update = [&](double value) { updates.push_back({d, *c, std::clamp(value, -limit, limit)}); };
      if (around.is_beside(cell, cell + along))
        update(around.low(cell + along, d) + around.outflow_beside(cell, d));
      else if (around.is_beside(below, below - along))
        update(around.low(below, d) - around.outflow_beside(below, d));
    }
  }
}

void SurfaceFaces::operator()(const LabelField& known, const SolidFields& solids, double fastest,
                              FaceField<double>& velocity) {
  const BlockLayout& layout = known.layout();
  const LocalIndex n_owned = layout.n_owned();
  layout.halo().gather(velocity, 1);
  updates_.resize(static_cast<std::size_t>(n_owned));
  find_contents(known, contents_);
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(n_owned, [&](LocalIndex b) { find<decltype(shape)>(known, solids, fastest, velocity, b); });
  });
  parallel_for_blocks(n_owned, [&](LocalIndex b) {
    for (const Update& update : updates_[static_cast<std::size_t>(b)])
      velocity[update.axis].block(b)[update.face] = update.value;
  });
}

}  // namespace freshet
