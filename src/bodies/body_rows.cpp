// SPDX-License-Identifier: Apache-2.0
// FreeBodies in the pressure's system: rows of the cells around them, and what the pressure does to them.
#include "bodies/closed_parts.hpp"
#include "freshet/bodies/free_bodies.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/tile.hpp"
#include "freshet/grid/regrid.hpp"
#include "freshet/solids/periodic_copies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace freshet {
namespace {

constexpr int most_bodies_in_cell = 8;
constexpr double row_reach = 2.0;  ///< cells farther than this from a body have no face that it closes [cells]

Vec6 from_columns(const double* values, int dimension) {
  Vec6 result;
  if (dimension == 3)
    result << values[0], values[1], values[2], values[3], values[4], values[5];
  else
    result << values[0], values[1], 0.0, 0.0, 0.0, values[2];
  return result;
}

constexpr double open_part = 0.02;  ///< a body counts as submerged if a smaller part of its size is open to air
constexpr int farthest_known = 2;   ///< a step uncovers cells as far from those that it began with [cells]

/// Extrapolate a pressure to a cell that lacks it from the nearest cells along the axes that have one: linearly, where
/// the cell behind them has one, too. \param[in] at  index of the cell in the tile. \return 0 if there are none
template <class Shape, int pad>
double extrapolated(const Tile<double, Shape, pad>& pressure, int at) {
  static_assert(pad > farthest_known);
  for (int far = 1; far <= farthest_known; ++far) {
    double sum = 0.0;
    int n = 0;
    for (int axis = 0; axis < Shape::dim; ++axis)
      for (const int step : {-pressure.extents.stride(axis), pressure.extents.stride(axis)}) {
        const double known = pressure[at + far * step], behind = pressure[at + (far + 1) * step];
        if (known == 0.0) continue;
        sum += behind == 0.0 ? known : known + far * (known - behind);
        ++n;
      }
    if (n > 0) return sum / n;
  }
  return 0.0;
}

/// Copy a pressure to the cells that have rows, and extrapolate it to those that it lacks. A pressure of 0 counts as
/// none. \param[in] pressure  ghosts valid to width farthest_known + 1. Parallel: local
template <class Shape>
void extend_to_rows(const Regions& regions, const CellField<double>& pressure, CellField<double>& extended) {
  LocalIndex filled = -1;
  Tile<double, Shape, farthest_known + 1> tile;
  regions.for_each_row([&](int /*region*/, LocalIndex block, int cell, std::span<const double> /*row*/) {
    double value = pressure.block(block)[cell];
    if (value == 0.0) {
      if (block != filled) tile.fill(pressure, filled = block);
      value = extrapolated(tile, tile.extents.of_cell(cell));
    }
    extended.block(block)[cell] = value;
  });
}

/// What one body closes of one cell's faces and takes of the cell. Lengths from the centre of the cell, in cells; areas
/// in faces.
struct ClosedByBody {
  int solid = -1;  ///< index of the solid
  Vec6 row =
      Vec6::Zero();  ///< row of S: sum of the closed areas, out of the cell, and moments about the centre of mass [m]
  /// What liquid at rest adds to the pressure of the centre: the sum of `row`, each closed part times gravity times its
  /// height, less the weight of what the body takes of the cell [m/s^2]
  Vec6 weight = Vec6::Zero();
};

/// The closed faces of one cell, by body.
class CellBodies {
 public:
  void clear() { count_ = 0; }
  std::span<ClosedByBody> all() { return {bodies_.data(), static_cast<std::size_t>(count_)}; }
  /// The closed faces of a body; null if it closes none.
  ClosedByBody* find(int solid) {
    for (ClosedByBody& body : all())
      if (body.solid == solid) return &body;
    return nullptr;
  }
  ClosedByBody& of(int solid) {
    if (ClosedByBody* const body = find(solid)) return *body;
    FRESHET_EXPECT(count_ < most_bodies_in_cell);
    ClosedByBody& added = bodies_[static_cast<std::size_t>(count_++)];
    added = {};
    added.solid = solid;
    return added;
  }

 private:
  std::array<ClosedByBody, most_bodies_in_cell> bodies_;
  int count_ = 0;
};

/// Add the closed part of a face. \param[in] middle  from the centre of the cell [cells]
/// \param[in] arm  from the centre of mass to the middle [m]
void add_part(ClosedByBody& body, const Vec3& normal, double area, const Vec3& middle, const Vec3& arm,
              const Vec3& gravity) {
  const Vec6 unit = joined(normal, arm.cross(normal));
  body.row += area * unit;
  body.weight += area * gravity.dot(middle) * unit;
}

/// Add the weight of a part of a cell; a negative volume takes it away. The closed parts of the cell's faces and the
/// body's surface enclose what the body takes of it. The closed parts of faces between two cells cancel out, so that a
/// body of any thickness in liquid at rest feels the weight of what it displaces. Liquid between a face and a wall
/// thinner than a cell that stands beyond it lies in the next cell, but belongs to this one. \param[in] arm  from the
/// centre of mass to the part's middle [m]
void add_weight(Vec6& weight, double volume, const Vec3& arm, const Vec3& gravity) {
  weight.head<3>() += volume * gravity;
  weight.tail<3>() += volume * arm.cross(gravity);
}

/// The p~ at which the mean pressure on a body's part of a cell is 0, with the weight of the liquid between the centre
/// of the cell and the body. [m/s] \param[in] acting  time that gravity acts for [s]
double floor_of(const ClosedByBody& body, double acting) {
  constexpr double least = 1e-3;  // smallest area that has a normal, in units of a face
  const Vec3 area = body.row.head<3>();
  const double square = area.squaredNorm();
  if (square < least * least) return std::numeric_limits<double>::lowest();
  return -acting * Vec3(body.weight.head<3>()).dot(area) / square;
}

}  // namespace

void FreeBodies::append_columns(std::vector<int>& columns) const {
  columns.insert(columns.end(), bodies_.size(), domain_.dimension() == 3 ? 6 : 3);
}

/// The lever arm from a solid's centre of mass. [m]
Vec3 FreeBodies::arm_of(int solid, const Vec3& x) const {
  Vec3 arm = x - centers_[static_cast<std::size_t>(solid)];
  if (domain_.dimension() == 2) arm.z() = 0.0;
  return arm;
}

template <class Shape>
void FreeBodies::add_rows_of_block(const SolidFields& solids, const CellField<std::uint8_t>& unknown, LocalIndex b,
                                   int first, Regions& regions, double* floors) {
  ClosedParts<Shape> closed(solids, unknown.layout(), b);
  std::uint8_t may_be_closed[Shape::cells];
  closed.mark_cells(may_be_closed);
  const double dx = domain_.dx();
  CellBodies bodies;
  const std::span<const double> of_center = solids.center_distances(b);
  std::span<const TakenPart> left = solids.taken_parts(b);  // from cell c on
  for (int c = 0; c < Shape::cells; ++c) {
    std::size_t n_taken = 0;
    while (n_taken < left.size() && left[n_taken].cell == c) ++n_taken;
    const std::span<const TakenPart> taken = left.first(n_taken);
    left = left.subspan(n_taken);
    if (unknown.block(b)[c] == 0 || (may_be_closed[c] == 0 && taken.empty())) continue;
    if (!of_center.empty() && of_center[static_cast<std::size_t>(c)] > row_reach * dx) continue;
    closed.go_to(c);
    bodies.clear();
    for (int d = 0; d < Shape::dim; ++d)
      for (const int outward : {-1, 1}) {
        const auto [solid, area, middle, to_thin_wall] = closed(d, outward);
        if (area <= 0.0 || of_solid_[static_cast<std::size_t>(solid)] < 0) continue;
        const Vec3 normal = outward * Vec3::Unit(d), arm = arm_of(solid, closed.center() + dx * middle);
        ClosedByBody& body = bodies.of(solid);
        add_part(body, normal, area, middle, arm, gravity_);
        if (to_thin_wall != 0.0) add_weight(body.weight, area * to_thin_wall, arm, gravity_.dot(normal) * normal);
      }
    for (const TakenPart& of_cell : taken) {
      const int moved = of_solid_[static_cast<std::size_t>(of_cell.body)];
      if (moved < 0) continue;
      ClosedByBody* const body = bodies.find(of_cell.body);
      Vec6& weight = body != nullptr ? body->weight : weights_of_block_[static_cast<std::size_t>(moved)];
      const Vec3 arm = arm_of(of_cell.body, closed.center() + dx * of_cell.part.middle());
      add_weight(weight, -of_cell.part.volume, arm, gravity_);
    }
    for (ClosedByBody& body : bodies.all()) {
      const auto s = static_cast<std::size_t>(body.solid);
      const std::array<double, 6> row = columns_of(body.row, Shape::dim);
      regions.add_row(first + of_solid_[s], b, c, {row.data(), Shape::dim == 3 ? 6U : 3U});
      weights_of_block_[static_cast<std::size_t>(of_solid_[s])] += body.weight;
      if (floors != nullptr && solids.bodies()[s].wall == WallCondition::separating)
        floors[c] = std::max(floors[c], floor_of(body, acting_));
    }
  }
}

/// Find the free body that each solid of the grid is, and where its centre of mass is.
void FreeBodies::find_solids(const SolidFields& solids) {
  of_solid_.assign(solids.bodies().size(), -1);
  centers_.assign(solids.bodies().size(), Vec3::Zero());
  for (std::size_t s = 0; s < of_solid_.size(); ++s) {
    const int number = number_of_body(solids.bodies(), static_cast<int>(s));
    for (std::size_t n = 0; n < bodies_.size(); ++n) {
      if (bodies_[n].solid != number) continue;
      of_solid_[s] = static_cast<int>(n);
      centers_[s] = states_[n].center + solids.bodies()[s].shift(solids.time());
    }
  }
}

/// Whether a free body may close faces of a block's cells. \param[in] half  half the size of a block [cells]
bool FreeBodies::is_near(const SolidFields& solids, LocalIndex b, const Vec3& half) const {
  static_assert(row_reach < listed_within);
  if (static_cast<double>(solids.nearest(b)) > row_reach) return false;
  return std::ranges::any_of(solids.near_block(b).list.bodies, [&](const NearBody& near) {
    return of_solid_[static_cast<std::size_t>(near.body)] >= 0 &&
           near.distance < domain_.dx() * (half.norm() + row_reach);
  });
}

/// Call f(bodies, C) for bodies that share a matrix, with C as a function of the numbers i and j among six a body.
template <class Function>
void FreeBodies::for_each_response(Function&& f) const {
  for (std::size_t n = 0; n < bodies_.size(); ++n) {
    const auto body = static_cast<int>(n);
    if (assembly_of_[n] < 0 && !held_.holds(body))
      f(std::span<const int>(&body, 1), [&](int i, int j) { return trials_[n].response(i, j); });
  }
  for (const Assembly& assembly : assemblies_)
    if (!held_.holds(assembly.bodies().front()))
      f(std::span<const int>(assembly.bodies()), [&](int i, int j) { return scale_ * assembly.response()(i, j); });
  for (const HeldRows::Group& group : held_.groups())
    f(std::span<const int>(group.bodies), [&](int i, int j) { return scale_ * group.held.response()(i, j); });
}

void FreeBodies::set_matrices(int first, Regions& regions) {
  for_each_response([&](std::span<const int> bodies, auto entry) {
    const auto n = static_cast<int>(6 * bodies.size());
    matrix_.clear();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (is_column(i % 6) && is_column(j % 6)) matrix_.push_back(entry(i, j));
    coupled_.clear();
    for (const int body : bodies) coupled_.push_back(first + body);
    regions.couple(coupled_, matrix_);
  });
  products_.assign(static_cast<std::size_t>(regions.columns()), 0.0);
  const std::vector<double> all = weights();
  std::ranges::copy(all, products_.begin() + regions.first_column(first));
  regions.set_offset(products_);
}

void FreeBodies::add_rows(const SolidFields& solids, const CellField<std::uint8_t>& unknown, int first,
                          Regions& regions, CellField<double>* floors) {
  const BlockLayout& layout = unknown.layout();
  first_ = first;
  find_solids(solids);
  weights_.assign(6 * bodies_.size(), ExactSum());
  with_shape(domain_.dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    const Vec3 half = 0.5 * Vec3(Shape::nx, Shape::ny, Shape::nz);
    for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
      if (!is_near(solids, b, half)) continue;
      weights_of_block_.assign(bodies_.size(), Vec6::Zero());
      add_rows_of_block<Shape>(solids, unknown, b, first, regions, floors != nullptr ? floors->block(b) : nullptr);
      for (const NearBody& near : solids.near_block(b).list.bodies) {
        const int body = of_solid_[static_cast<std::size_t>(near.body)];
        if (body < 0) continue;
        const auto n = static_cast<std::size_t>(body);
        for (int i = 0; i < 6; ++i) weights_[6 * n + static_cast<std::size_t>(i)].add(weights_of_block_[n][i]);
        weights_of_block_[n].setZero();  // another copy of the body may be near as well
      }
    }
  });
  layout.comm().sum_in_place(std::span<ExactSum>(weights_));
  for (std::size_t n = 0; n < bodies_.size(); ++n)
    for (int i = 0; i < 6; ++i) trials_[n].weight[i] = acting_ * weights_[6 * n + static_cast<std::size_t>(i)].round();
}

/// Whether liquid surrounds each body: the closed parts of faces around it add up to 0.
/// \param[in,out] ones  buffer. Parallel: collective (one sum)
std::vector<bool> FreeBodies::find_submerged(int first, const Regions& regions, CellField<double>& ones) {
  regions.for_each_row(
      [&](int /*region*/, LocalIndex block, int cell, auto /*row*/) { ones.block(block)[cell] = 1.0; });
  regions.multiply_transposed(ones.data(), products_);
  std::vector<bool> result;
  const double dimension = domain_.dimension();
  for (int n = 0; n < count(); ++n) {
    const Vec6 area = from_columns(products_.data() + regions.first_column(first + n), domain_.dimension());
    const double size = std::pow(body(n).mass.displaced / scale_, (dimension - 1.0) / dimension);  // [faces]
    result.push_back(area.head<3>().norm() < open_part * size);
  }
  return result;
}

void FreeBodies::add_foreseen(int first, const Regions& regions) {
  if (foreseen_.pressure == nullptr) return;
  const BlockLayout& layout = foreseen_.pressure->layout();
  padded_.reset(layout, 0.0);
  copy_owned(*foreseen_.pressure, padded_);
  layout.halo().gather(padded_, farthest_known + 1);
  extended_.reset(layout, 0.0);
  products_.assign(static_cast<std::size_t>(regions.columns()), 0.0);
  const std::vector<bool> is_submerged = find_submerged(first, regions, extended_);
  with_shape(domain_.dimension(), [&](auto shape) { extend_to_rows<decltype(shape)>(regions, padded_, extended_); });
  regions.multiply_transposed(extended_.data(), products_);
  const double scale = domain_.cell_volume() / (scale_ * domain_.dx());  // 1 / (rho dx)
  for (int n = 0; n < count(); ++n) {
    if (!is_submerged[static_cast<std::size_t>(n)]) continue;
    const Vec6 here = from_columns(products_.data() + regions.first_column(first + n), domain_.dimension());
    const Vec6 change = foreseen_.length * (states_[static_cast<std::size_t>(n)].pressed - scale * here);
    for (int d = 0; d < 3; ++d) trials_[static_cast<std::size_t>(n)].weight[d] += change[d];
  }
}

Dense FreeBodies::response() const {
  const int of_body = domain_.dimension() == 3 ? 6 : 3;
  Dense result;
  result.reset(columns(), columns());
  for_each_response([&](std::span<const int> bodies, auto entry) {
    for (int i = 0, n = 0; n < static_cast<int>(bodies.size()); ++n)
      for (int axis = 0, row = of_body * bodies[static_cast<std::size_t>(n)]; axis < 6; ++axis, ++i) {
        if (!is_column(axis)) continue;
        for (int j = 0, m = 0; m < static_cast<int>(bodies.size()); ++m)
          for (int other = 0, column = of_body * bodies[static_cast<std::size_t>(m)]; other < 6; ++other, ++j)
            if (is_column(other)) result(row, column++) = entry(i, j);
        ++row;
      }
  });
  return result;
}

std::vector<double> FreeBodies::weights() const {
  std::vector<double> all;
  for (const Trial& trial : trials_) {
    const std::array<double, 6> values = columns_of(trial.weight, domain_.dimension());
    all.insert(all.end(), values.begin(), values.begin() + (domain_.dimension() == 3 ? 6 : 3));
  }
  return all;
}

void FreeBodies::take_pressure(const Regions& regions, const CellField<double>& pressure, std::span<const double> gas) {
  products_.assign(static_cast<std::size_t>(regions.columns()), 0.0);
  regions.multiply_transposed(pressure.data(), products_);
  const auto columns_here = [&](int n) {
    return from_columns(products_.data() + regions.first_column(first_ + n), domain_.dimension());
  };
  for (int n = 0; n < count(); ++n) trials_[static_cast<std::size_t>(n)].pressed = columns_here(n);
  for (std::size_t i = 0; i < gas.size(); ++i)
    products_[static_cast<std::size_t>(regions.first_column(first_)) + i] += gas[i];
  for (int n = 0; n < count(); ++n) {
    Trial& trial = trials_[static_cast<std::size_t>(n)];
    trial.impulse = impulses_[static_cast<std::size_t>(n)] = scale_ * (columns_here(n) + trial.weight);
  }
  set_change(impulses_);
  for (std::size_t n = 0; n < bodies_.size(); ++n) trials_[n].velocity = trials_[n].predicted + changes_[n];
  obey_held_rows();
  for (std::size_t n = 0; n < bodies_.size(); ++n) move_path(n, trials_[n].velocity);
}

}  // namespace freshet
