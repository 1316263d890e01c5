// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/surface_distance.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/geometry/shape.hpp"
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/bit_tile.hpp"
#include "freshet/grid/kernels/cell_beside.hpp"
#include "freshet/grid/kernels/face_bits.hpp"
#include "freshet/grid/kernels/row.hpp"
#include "freshet/solids/near_bodies.hpp"
#include "freshet/solids/outward_neighbour.hpp"
#include "freshet/solids/wall_sides.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace freshet {
namespace {

constexpr double reach = 1.5;  ///< radius of the B-spline [cells]
constexpr int phi_within = 2;  ///< largest distance of computed cells from a cell without particles
constexpr std::uint8_t counts = 1;
constexpr std::uint8_t counts_and_found = 3;

/// A(phi) of (1): the part of the B-spline in s < -phi.
double content(double phi) {
  const double s = std::clamp(std::abs(phi), 0.0, reach);
  const double beyond = s <= 0.5 ? 0.5 - s * (0.75 - s * s / 3.0) : (reach - s) * (reach - s) * (reach - s) / 6.0;
  return phi >= 0.0 ? beyond : 1.0 - beyond;
}

/// B(phi) of (1); even in phi.
double first_moment(double phi) {
  const double s = std::clamp(std::abs(phi), 0.0, reach);
  const double t = reach - s;
  if (s >= 0.5) return 0.5 * (reach * t * t * t / 3.0 - t * t * t * t / 4.0);
  return 0.125 + 0.375 * (0.25 - s * s) - 0.25 * (0.0625 - s * s * s * s);
}

/// The inverse of an increasing function of phi, as a table with equal steps in the function's values.
class InverseTable {
 public:
  template <class Function>
  InverseTable(Function f, double low, double high) : low_(low), scale_(n_bins / (high - low)) {
    for (std::size_t n = 0; n <= n_bins; ++n) {
      const double value = low + (high - low) * static_cast<double>(n) / n_bins;
      double below = -reach;
      double above = reach;
      for (int round = 0; round < 50; ++round) {
        const double middle = 0.5 * (below + above);
        (f(middle) < value ? below : above) = middle;
      }
      phi_[n] = 0.5 * (below + above);
    }
  }
  double operator()(double value) const {
    const double at = std::clamp((value - low_) * scale_, 0.0, static_cast<double>(n_bins));
    const auto n = std::min(static_cast<std::size_t>(at), n_bins - 1);
    const double part = at - static_cast<double>(n);
    return phi_[n] + part * (phi_[n + 1] - phi_[n]);
  }

 private:
  static constexpr std::size_t n_bins = 1024;
  std::array<double, n_bins + 1> phi_{};
  double low_;
  double scale_;
};

double mean_offset(double phi) {
  const double a = content(phi);
  return a > 0.0 ? first_moment(phi) / a : reach;
}

const InverseTable& phi_of_offset() {
  static const InverseTable table(mean_offset, 0.0, reach);
  return table;
}

const InverseTable& phi_of_lack() {
  static const InverseTable table([](double phi) { return 1.0 - content(phi); }, 0.0, 1.0);
  return table;
}

}  // namespace

SurfaceDistance::SurfaceDistance(int per_cell, std::optional<double> contact_angle,
                                 std::shared_ptr<ScratchMemory> memory)
    : per_cell_(per_cell),
      meets_bodies_(contact_angle.has_value()),
      cosine_(contact_angle.value_or(90.0) >= 90.0 ? 0.0 : std::cos(*contact_angle * std::numbers::pi / 180.0)),
      deposit_(std::move(memory)) {}

/// Set near_ from the distance to cells without particles.
template <class Shape>
void SurfaceDistance::mark_near(const LabelField& occupied) {
  const BlockLayout& layout = occupied.layout();
  near_.reset(layout, std::uint8_t{0});
  occupied_.find(occupied);
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::uint8_t* near = near_.block(b);
    if (!any_around(layout, occupied_.has_air, b))
      return static_cast<void>(std::fill_n(near, Shape::cells, std::uint8_t{0}));
    using Tile = BitTile<Shape, near_within>;
    const LocalIndex* around = layout.neighbours(b);
    const Tile air = ~(Tile(occupied_.liquid, around) | Tile(occupied_.solid, around));
    const Tile close = air.grown(near_within);
    const Tile closer = air.grown(phi_within);
    static_assert(counts_and_found == (counts | counts << 1));
    for (int r = 0; r < Shape::rows; ++r) {
      const int j = r % Shape::ny, k = r / Shape::ny;
      const std::uint64_t bytes = counts * bytes_of_bits[close.template row<>(j, k)] |
                                  (counts << 1) * bytes_of_bits[closer.template row<>(j, k)];
      std::memcpy(near + Shape::nx * r, &bytes, sizeof bytes);
    }
  });
}

/// Find the points that count in addition to particles: mirror images in bodies of the particles that count, and
/// particles beside thin walls, which count for cells on their own side only. An image counts for the cells that its
/// particle reaches; across a plane along the grid it reaches no others outside the body.
template <class Shape>
void SurfaceDistance::find_extra_points(const ParticleStore& particles, const SolidFields& solids) {
  const BlockLayout& layout = near_.layout();
  const Domain& domain = layout.domain();
  const double dx = domain.dx();
  constexpr double gradient_step = 1e-3;
  constexpr double just_beyond = 1.001 * reach;
  extra_.resize(static_cast<std::size_t>(layout.n_owned()));
  double beyond_center = 0.0;  // how much nearer to a body than its cell's centre a particle may be
  for (const auto& shape : solids.shapes()) beyond_center = std::max(beyond_center, 0.87 * dx + shape->slack());
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::vector<ExtraPoint>& extra = extra_[static_cast<std::size_t>(b)];
    extra.clear();
    if (solids.bodies().empty() || solids.nearest(b) > static_cast<float>(reach)) return;
    const std::uint8_t* const here = near_.block(b);
    if (std::all_of(here, here + Shape::cells, [](std::uint8_t bits) { return bits == 0; })) return;
    const NearBodies near(solids, b);
    const WallSides<Shape> sides(solids, layout, b);
    const Vec3 corner = layout.first_cell(b).template cast<double>();
    const std::span<const double> of_center = solids.center_distances(b);
    for (ParticleIndex p = particles.block_begin()[b]; p < particles.block_begin()[b + 1]; ++p) {
      const ParticleReal* at = particles.position() + 3 * p;
      const Vec3 x(at[0], at[1], at[2]);
      const Vec3i cell(static_cast<int>(x[0]), static_cast<int>(x[1]), Shape::dim == 3 ? static_cast<int>(x[2]) : 0);
      if (near_.block(b)[Shape::cell(cell)] == 0) continue;
      const std::uint32_t own = sides.has_walls() ? sides.cells_beside(cell, x) : ~0U;
      const auto add = [&](const Vec3& point) {
        const std::uint32_t cells = own != ~0U ? sides.around_point(cell, own, point) : ~0U;
        if (cells != 0) extra.push_back({{point.x(), point.y(), point.z()}, {cell.x(), cell.y(), cell.z()}, cells});
      };
      if (sides.has_walls() && sides.is_walled(cell)) add(x);
      if (!of_center.empty() &&
          of_center[static_cast<std::size_t>(Shape::cell(cell))] > just_beyond * dx + beyond_center)
        continue;
      const Vec3 world = domain.origin() + dx * (corner + x);
      near.for_each_within(just_beyond * dx, world, [&](std::size_t n) {
        const freshet::Shape& body = *near.shapes()[n];
        const double distance = body.signed_distance(world) / dx;
        if (distance > reach) return;
        const Vec3 image = x - 2.0 * distance * outward_normal(body, world, gradient_step * dx);
        add(image);
      });
    }
    for (const WalledCell& walled : solids.walled_cells(b)) near_.block(b)[walled.cell] &= ~counts;
    for (const SolidSide& side : solids.solid_sides(b)) near_.block(b)[side.cell] &= ~counts;
  });
}

/// Set phi = 0 in the cells of a block beyond the domain, as in missing blocks: a block may exist beyond one end of an
/// axis and not beyond the other.
template <class Shape>
void clear_beyond_domain(const BlockLayout& layout, LocalIndex b, float* phi) {
  if (!layout.touches_boundary(b)) return;
  const Vec3i first = layout.first_cell(b);
  for (int c = 0; c < Shape::cells; ++c)
    if (!layout.domain().contains_cell(first + Shape::place(c))) phi[c] = 0.0F;
}

template <class Shape>
void SurfaceDistance::evaluate(const LabelField& occupied, CellField<float>& phi) const {
  const InverseTable& of_offset = phi_of_offset();
  const InverseTable& of_lack = phi_of_lack();
  constexpr double sparse = 2.0;  // liquid with half the particles is not spray
  constexpr double dense = 1.5;   // liquid is no denser than this
  const LocalIndex n_owned = phi.layout().n_owned();
  parallel_for_blocks(phi.layout().n_blocks(), [&](LocalIndex b) {
    if (b >= n_owned)  // only the rim of a ghost block is gathered, but kernels read whole rows
      return static_cast<void>(std::fill_n(phi.block(b), Shape::cells, farthest));
    const Label* label = occupied.block(b);
    float* result = phi.block(b);
    for (int c = 0; c < Shape::cells; ++c) result[c] = label[c] == Label::air ? farthest : -farthest;
    for (int r = 0; r < Shape::rows; ++r) {
      std::uint64_t near = 0;
      std::memcpy(&near, near_.block(b) + Shape::nx * r, sizeof near);
      for (std::uint64_t found = near >> 1 & low_column; found != 0; found &= found - 1) {
        const int c = Shape::nx * r + std::countr_zero(found) / 8;
        const Moments& sum = moments_.block(b)[c];
        if (!(sum.weight > 0)) {
          result[c] = farthest;
          continue;
        }
        const double o[3] = {sum.offset[0], sum.offset[1], sum.offset[2]};
        const double weight = sum.weight;
        const double by_offset = of_offset(std::sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]) / weight);
        const double part = weight / per_cell_;
        const double at_least = of_lack(1.0 - sparse * part);
        const double at_most = of_lack(1.0 - part / dense);
        result[c] = static_cast<float>(std::clamp(by_offset, at_least, at_most));
      }
    }
    clear_beyond_domain<Shape>(phi.layout(), b, result);
  });
}

/// Make cells of air that liquid encloses liquid, except beside solids, where liquid may be separating.
template <class Shape>
void SurfaceDistance::fill_holes(CellField<float>& phi) {
  const BlockLayout& layout = phi.layout();
  holes_.resize(static_cast<std::size_t>(layout.n_owned()));
  const auto n_slots = static_cast<std::size_t>(layout.n_slots());
  below_.resize(n_slots * Shape::nz);
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < n_slots * Shape::nz; ++row) {
    std::uint64_t plane = 0;
    for (int j = 0; j < Shape::ny; ++j)
      plane |= std::uint64_t{bits_of(
                   load_row(phi.data() + Shape::nx * (Shape::ny * row + static_cast<std::size_t>(j))) < 0.0F)}
               << Shape::nx * j;
    below_[row] = plane;
  }
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::vector<Hole>& holes = holes_[static_cast<std::size_t>(b)];
    holes.clear();
    using Tile = BitTile<Shape, 1>;
    const LocalIndex* around = layout.neighbours(b);
    const Tile below(below_, around);
    const Tile solid(occupied_.solid, around);
    Tile enclosed = ~(below | solid);
    for_each_axis<Shape>([&](auto axis) {
      enclosed = enclosed & below.template neighbours<axis, -1>() & below.template neighbours<axis, 1>() &
                 ~(solid.template neighbours<axis, -1>() | solid.template neighbours<axis, 1>());
    });
    for (int r = 0; r < Shape::rows; ++r)
      for (unsigned bits = enclosed.template row<>(r % Shape::ny, r / Shape::ny); bits != 0; bits &= bits - 1) {
        const int c = Shape::nx * r + std::countr_zero(bits);
        float highest = -farthest;
        for_each_cell_beside<Shape>(layout, b, c, [&](const CellBeside& beside) {
          highest = std::max(highest, phi.block(beside.slot)[beside.cell]);
        });
        holes.push_back({c, highest});
      }
  });
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    for (const Hole& hole : holes_[static_cast<std::size_t>(b)]) phi.block(b)[hole.cell] = hole.phi;
  });
}

/// By how much phi rises from the outward neighbour of a cut cell to that cell if the surface goes on straight: the
/// gradient in the neighbour, by differences to the sides where phi is smaller, as it is known beside the surface only.
/// \param[in] open  whether a cell is outside bodies, and in a block: those beyond the domain's walls do not exist
/// \return 0 where the surface does not pass between the neighbour and the cells beside it
template <class Shape, class Open>
double SurfaceDistance::rise_into_body(const CellField<float>& phi, LocalIndex b, const CutCell& cut, Open open) {
  const BlockLayout& layout = phi.layout();
  const Vec3i way = direction_offset(cut.outward);
  const Vec3i next = Shape::place(cut.cell) + way;
  const auto value = [&](const CellPlace& at) { return phi.block(at.slot)[at.cell]; };
  const float here = value(cell_near<Shape>(layout, b, next));
  Vec3 gradient = Vec3::Zero();
  bool passes = false;
  for (int d = 0; d < Shape::dim; ++d) {
    float nearest = std::numeric_limits<float>::infinity();
    for (const int side : {-1, 1}) {
      const CellPlace beside = cell_near<Shape>(layout, b, next + side * Vec3i::Unit(d));
      if (!open(beside)) continue;
      const float there = value(beside);
      passes = passes || (there < 0.0F) != (here < 0.0F);
      if (std::abs(there) == std::abs(nearest)) gradient[d] = 0.5 * (gradient[d] + side * (there - here));
      if (std::abs(there) >= std::abs(nearest)) continue;
      nearest = there;
      gradient[d] = side * (there - here);
    }
  }
  if (!passes) return 0.0;
  return -gradient.dot(way.template cast<double>()) / std::max(1.0, gradient.norm());
}

/// Set phi of cut cells with their centre in a body from the outward neighbour. If that is solid, phi stays the one of
/// the cell's own particles.
template <class Shape>
void SurfaceDistance::extend_into_bodies(const SolidFields& solids, const LabelField& occupied, CellField<float>& phi) {
  const BlockLayout& layout = phi.layout();
  const auto open = [&](const CellPlace& at) {
    return at.slot != layout.background() && occupied.block(at.slot)[at.cell] != Label::solid;
  };
  of_cut_cells_.resize(static_cast<std::size_t>(layout.n_owned()));
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::vector<float>& values = of_cut_cells_[static_cast<std::size_t>(b)];
    values.clear();
    for (const CutCell& cut : solids.cut_cells(b)) {
      const CellPlace next = outward_neighbour<Shape>(layout, b, cut);
      if (!open(next)) {
        values.push_back(phi.block(b)[cut.cell]);
        continue;
      }
      const double rise = meets_bodies_ ? -cosine_ * direction_offset(cut.outward).template cast<double>().norm()
                                        : rise_into_body<Shape>(phi, b, cut, open);
      values.push_back(std::clamp(phi.block(next.slot)[next.cell] + static_cast<float>(rise), -farthest, farthest));
    }
  });
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    const float* value = of_cut_cells_[static_cast<std::size_t>(b)].data();
    for (const CutCell& cut : solids.cut_cells(b)) phi.block(b)[cut.cell] = *value++;
  });
}

void SurfaceDistance::operator()(const ParticleStore& particles, const SolidFields& solids, const LabelField& occupied,
                                 CellField<float>& phi) {
  const BlockLayout& layout = occupied.layout();
  phi.reset(layout, 0.0F);
  moments_.reset(layout, Moments{});
  with_shape(layout.domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    mark_near<Shape>(occupied);
    find_extra_points<Shape>(particles, solids);
    deposit_(particles, near_, extra_, moments_);
    evaluate<Shape>(occupied, phi);
    layout.halo().gather(phi, 1);
    fill_holes<Shape>(phi);
    layout.halo().gather(phi, solids.any_fractions() ? 2 : 1);
    if (!solids.any_fractions()) return;
    extend_into_bodies<Shape>(solids, occupied, phi);
    layout.halo().gather(phi, 1);
  });
}

}  // namespace freshet
