// SPDX-License-Identifier: Apache-2.0
#include "viscosity/body_stress.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/solids/outward_neighbour.hpp"
#include "freshet/solids/periodic_copies.hpp"
#include "viscosity/block_scene.hpp"
#include "viscosity/box_stress.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <limits>

namespace freshet::viscous {
namespace {

constexpr float bodies_reach = 3.0F;  ///< bodies farther from a block hold no face that its faces feel [cells]

/// The axis of six that a column of a body stands for.
int axis_of(int column, int columns) {
  return columns == 6 || column < 2 ? column : 5;
}

}  // namespace

/// Finds the part of one block.
template <class Shape>
class BodyStress::PartFinder {
 public:
  PartFinder(const BlockScene<Shape>& scene, const ViscousLiquid& liquid, double scale, const FaceField<double>& start,
             const FaceField<double>& before, const FaceField<double>& held, const MovedBodies& moved, LocalIndex block,
             Part& part)
      : scene_(scene),
        solids_(liquid.solids),
        layout_(before.layout()),
        domain_(layout_.domain()),
        first_(layout_.first_cell(block)),
        bodies_(moved.bodies),
        near_(solids_, block),
        start_(start),
        before_(before),
        scale_(scale),
        block_(block),
        part_(part),
        velocity_(held, block) {}

  void find() {
    for (int d = 0; d < Shape::dim; ++d)
      for (int c = 0; c < Shape::cells; ++c) {
        const Vec3i cell = Shape::place(c);
        const FaceState state = scene_.state(d, cell);
        if (state == FaceState::unknown) add_unknown(d, cell);
        if (state == FaceState::held) add_held(d, cell);
      }
    for (int c = 0; c < Shape::cells; ++c) add_cell(Shape::place(c));
    for (std::vector<Row>* rows : {&part_.faces, &part_.held_cells}) std::ranges::stable_sort(*rows, {}, &Row::body);
  }

 private:
  struct Face {
    int d;
    Vec3i cell;
    double sign;
  };

  Vec3 center(int d, const Vec3i& cell) const {
    const Vec3 place = (first_ + cell).template cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d));
    return domain_.origin() + domain_.dx() * place;
  }
  Vec6 row(int solid, const Face& face) const { return bodies_.row_at(solid, center(face.d, face.cell), face.d); }
  double velocity(const Face& face) const { return velocity_[face.d][velocity_.extents.at(face.cell)]; }
  std::int16_t number(int d, const Vec3i& cell) const {
    return static_cast<std::int16_t>(d * Shape::cells + Shape::cell(cell));
  }

  /// The solid that holds or cuts a face, if the liquid moves it; else -1.
  int moved_solid(int d, const Vec3i& cell) const {
    const CellPlace place = cell_near<Shape>(layout_, block_, cell);
    if (place.slot >= layout_.n_blocks()) return -1;
    const int solid = solids_.body_at_face(place.slot, d, place.cell);
    if (solid < 0 || bodies_.of_solid(solid) < 0) return -1;
    return copy_of_body(solids_.bodies(), solid, periods_between(domain_, Vec3i(first_ + cell)));
  }

  Row& row_of(int body, int d, const Vec3i& cell) {
    const std::int16_t face = number(d, cell);
    for (auto row = part_.faces.rbegin(); row != part_.faces.rend() && row->number == face; ++row)
      if (row->body == body) return *row;
    const auto mass = static_cast<double>(static_cast<float>(scene_.mass(d, cell)));
    part_.faces.push_back({face, static_cast<std::int16_t>(body), Vec6::Zero(), 0.0, mass});
    return part_.faces.back();
  }
  std::array<double, n_sums>& sums_of(int body) {
    for (BlockSums& sums : part_.sums)
      if (sums.body == body) return sums.values;
    part_.sums.push_back({static_cast<std::int16_t>(body)});
    return part_.sums.back().values;
  }
  /// D += left right^T
  void add_to_own(int body, const Vec6& left, const Vec6& right) {
    double* own = &sums_of(body)[6];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) *own++ += left[i] * right[j];
  }
  void add_to_constant(int body, const Vec6& added) {
    for (int i = 0; i < 6; ++i) sums_of(body)[static_cast<std::size_t>(i)] += added[i];
  }

  void add_unknown(int d, const Vec3i& cell) {
    const Vec3i below = cell - Vec3i::Unit(d), above = cell + Vec3i::Unit(d);
    const auto add_cell_stress = [&](const Vec3i& of, const Vec3i& low, const Vec3i& high, std::size_t own) {
      const auto stress = static_cast<double>(static_cast<float>(cell_stress(scene_, d, of)));
      if (stress == 0.0) return;
      const std::array<Face, 2> faces{Face{d, low, -1.0}, Face{d, high, 1.0}};
      add_difference(faces, own, [&](const Face& i, const Face& j) { return stress * i.sign * j.sign; });
    };
    add_cell_stress(below, below, cell, 1);
    add_cell_stress(cell, cell, above, 0);
    for (int e = 0; e < Shape::dim; ++e) {
      if (e == d) continue;
      add_edge(d, e, cell, cell);
      add_edge(d, e, cell + Vec3i::Unit(e), cell);
      if (scene_.has_thin_walls())
        for (int side = 0; side < 2; ++side) add_wall_drag(d, e, side, cell);
    }
    add_rest(d, cell);
  }

  /// Add the stress on the low edge along d and e of a cell. \param[in] cell  whose low face d gets the force
  void add_edge(int d, int e, const Vec3i& edge, const Vec3i& cell) {
    const int low = std::min(d, e), high = std::max(d, e);
    const EdgeStress stress = edge_stress(scene_, low, high, edge);
    const double of_low = static_cast<float>(stress.low), of_high = static_cast<float>(stress.high);
    const double of_both = static_cast<float>(stress.cross);
    if (of_low == 0.0 && of_high == 0.0) return;
    const std::array<Face, 4> faces{Face{low, edge - Vec3i::Unit(high), -1.0}, Face{low, edge, 1.0},
                                    Face{high, edge - Vec3i::Unit(low), -1.0}, Face{high, edge, 1.0}};
    const std::size_t own = (d == low ? 0U : 2U) + (cell == edge ? 1U : 0U);
    add_difference(faces, own, [&](const Face& i, const Face& j) {
      return i.sign * j.sign * (i.d != j.d ? of_both : i.d == low ? of_low : of_high);
    });
  }

  /// Add the force on faces[own] of a difference with the coefficients Q, if a body holds one of its faces.
  template <std::size_t n, class Coefficient>
  void add_difference(const std::array<Face, n>& faces, std::size_t own, Coefficient&& coefficient) {
    int body = std::numeric_limits<int>::max(), solid = -1;
    std::array<int, n> owner{};
    for (std::size_t j = 0; j < n; ++j) {
      owner[j] = -1;
      if (scene_.state(faces[j].d, faces[j].cell) != FaceState::held) continue;
      const int holder = moved_solid(faces[j].d, faces[j].cell);
      owner[j] = holder < 0 ? -2 : bodies_.of_solid(holder);
      if (owner[j] < 0 || owner[j] >= body) continue;
      body = owner[j];
      solid = holder;
    }
    if (solid < 0) return;
    const Vec6& of_body = bodies_.velocity(body);
    Vec6 values = Vec6::Zero();
    double correction = 0.0, of_sliding = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      const double q = scale_ * coefficient(faces[own], faces[j]);
      if (q == 0.0) continue;
      const Vec6 at_face = row(solid, faces[j]);
      const double rigid = at_face.dot(of_body);
      if (owner[j] == -1) {
        values -= q * at_face;
        correction += q * rigid;
        continue;
      }
      const double u = velocity(faces[j]);
      correction += q * u;
      if (owner[j] == body && static_cast<float>(u) != static_cast<float>(rigid)) of_sliding += q * (u - rigid);
    }
    const Vec6 at_own = row(solid, faces[own]);
    Row& row = row_of(body, faces[own].d, faces[own].cell);
    row.values += values;
    row.correction += correction - of_sliding;
    add_to_constant(body, (values.dot(of_body) + of_sliding) * at_own);
    add_to_own(body, -at_own, values);
  }

  /// Add the drag of a thin wall along a face, see wall_drag().
  void add_wall_drag(int e, int d, int side, const Vec3i& cell) {
    const double drag = scale_ * static_cast<double>(static_cast<float>(wall_drag(scene_, e, cell, d, side)));
    if (drag == 0.0) return;
    const Vec3i edge = first_ + cell + side * Vec3i::Unit(d);
    const Vec3 place = edge.template cast<double>() + 0.5 * (Vec3::Ones() - Vec3::Unit(d) - Vec3::Unit(e));
    const Vec3 x = domain_.origin() + domain_.dx() * place;
    const auto solid = static_cast<int>(near_.nearest(x, any_body).body);
    const int body = bodies_.of_solid(solid);
    if (body < 0) return;
    const Vec6 at_face = row(solid, {e, cell, 1.0});
    const double rigid = at_face.dot(bodies_.velocity(body));
    Row& row = row_of(body, e, cell);
    row.values -= drag * at_face;
    row.correction += drag * (rigid - solids_.velocity_at(x)[e]);
    add_to_constant(body, -drag * rigid * at_face);
    add_to_own(body, drag * at_face, at_face);
  }

  /// Note a face whose mass in the viscous step is not that of its open part.
  void add_rest(int d, const Vec3i& cell) {
    const int solid = scene_.moved_at_cut(d, cell);
    if (solid < 0) return;
    const auto mass = static_cast<double>(static_cast<float>(scene_.mass(d, cell)));
    const double rest = mass - scene_.open_fraction(d, cell) * scene_.whole_volume(d, cell);
    if (rest == 0.0) return;
    add_body_face(solid, d, cell, BodyFace::Kind::cut);
    part_.body_faces.back().rest = rest;
    part_.body_faces.back().start = start_[d].block(block_)[Shape::cell(cell)];
  }

  void add_body_face(int solid, int d, const Vec3i& cell, BodyFace::Kind kind) {
    const auto body = static_cast<std::int16_t>(bodies_.of_solid(solid));
    part_.body_faces.push_back({number(d, cell), body, kind, row(solid, {d, cell, 1.0})});
  }

  /// Add a face that a body holds. The liquid of its open part moves on with the body.
  void add_held(int d, const Vec3i& cell) {
    const int solid = moved_solid(d, cell);
    if (solid < 0) return;
    const bool is_partly_open = scene_.is_held_by_body(d, cell) && scene_.is_beside_liquid(d, cell);
    add_body_face(solid, d, cell, is_partly_open ? BodyFace::Kind::held_partly_open : BodyFace::Kind::held);
    if (!is_partly_open) return;
    const double mass = scene_.open_fraction(d, cell) * scene_.whole_volume(d, cell);
    if (mass == 0.0) return;
    const BodyFace& face = part_.body_faces.back();
    const double lost = before_[d].block(block_)[Shape::cell(cell)] - velocity({d, cell, 1.0});
    add_to_constant(face.body, mass * lost * face.row);
    add_to_own(face.body, mass * face.row, face.row);
  }

  /// Add the flow into a cell through open faces that bodies hold.
  void add_cell(const Vec3i& cell) {
    for (int d = 0; d < Shape::dim; ++d)
      for (int side = 0; side < 2; ++side) {
        const Vec3i face = cell + side * Vec3i::Unit(d);
        if (scene_.state(d, face) != FaceState::held || !scene_.is_held_by_body(d, face)) continue;
        const double open = scene_.open_fraction(d, face);
        const int solid = open > 0.0 ? moved_solid(d, face) : -1;
        if (solid < 0) continue;
        const auto place = static_cast<std::int16_t>(Shape::dim * Shape::cells + Shape::cell(cell));
        part_.held_cells.push_back({place, static_cast<std::int16_t>(bodies_.of_solid(solid)),
                                    (side == 0 ? open : -open) * row(solid, {d, face, 1.0})});
      }
  }

  const BlockScene<Shape>& scene_;
  const SolidFields& solids_;
  const BlockLayout& layout_;
  const Domain& domain_;
  const Vec3i first_;
  const FreeBodies& bodies_;
  const NearBodies near_;
  const FaceField<double>& start_;
  const FaceField<double>& before_;
  const double scale_;
  const LocalIndex block_;
  Part& part_;
  const FaceTile<double, Shape, 1> velocity_;
};

void BodyStress::find(const ViscousLiquid& liquid, double scale, const FaceField<double>& start,
                      const FaceField<double>& before, const FaceField<double>& held, MovedBodies& moved) {
  moved_ = &moved;
  layout_ = &before.layout();
  dimension_ = layout_->domain().dimension();
  cells_ = layout_->cells_per_block();
  columns_ = dimension_ == 3 ? 6 : 3;
  moved.bodies.find_solids(liquid.solids);
  parts_.resize(static_cast<std::size_t>(layout_->n_owned()));
  with_shape(dimension_, [&](auto shape) {
    using Shape = decltype(shape);
    parallel_for_blocks(layout_->n_owned(), [&](LocalIndex block) {
      Part& part = parts_[static_cast<std::size_t>(block)];
      part.faces.clear();
      part.held_cells.clear();
      part.cells.clear();
      part.body_faces.clear();
      part.sums.clear();
      if (!(liquid.solids.nearest(block) < bodies_reach)) return;
      static thread_local BlockScene<Shape> scene;
      if (scene.look_at(liquid, *layout_, block) != BlockScene<Shape>::Content::mixed) return;
      PartFinder<Shape>(scene, liquid, scale, start, before, held, moved, block, part).find();
    });
  });
  near_.clear();
  for (LocalIndex block = 0; block < layout_->n_owned(); ++block) {
    const Part& part = parts_[static_cast<std::size_t>(block)];
    if (!part.faces.empty() || !part.body_faces.empty() || !part.held_cells.empty()) near_.push_back(block);
  }
  sum_parts();
  set_response();
}

void BodyStress::sum_parts() {
  const auto n_bodies = static_cast<std::size_t>(moved_->bodies.count());
  sums_.assign(n_sums * n_bodies, ExactSum());
  for (const LocalIndex block : near_)
    for (const BlockSums& of_block : parts_[static_cast<std::size_t>(block)].sums)
      for (std::size_t i = 0; i < n_sums; ++i)
        sums_[n_sums * static_cast<std::size_t>(of_block.body) + i].add(of_block.values[i]);
  layout_->comm().sum_in_place(std::span<ExactSum>(sums_));
  constant_.assign(n_bodies, Vec6::Zero());
  own_.assign(n_bodies, Mat6());
  for (std::size_t n = 0; n < n_bodies; ++n) {
    for (int i = 0; i < 6; ++i) constant_[n][i] = sums_[n_sums * n + static_cast<std::size_t>(i)].round();
    for (std::size_t i = 0; i < 36; ++i) own_[n].entries[i] = sums_[n_sums * n + 6 + i].round();
  }
}

/// N = (1 + C D)^-1 C
void BodyStress::set_response() {
  const Dense& c = moved_->response;
  const int n = c.rows;
  using Matrix = Eigen::MatrixXd;
  Matrix system = Matrix::Identity(n, n), right(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      right(i, j) = c(i, j);
      const int body = j / columns_, column = axis_of(j % columns_, columns_);
      for (int k = 0; k < columns_; ++k)
        system(i, j) += c(i, body * columns_ + k) * own_[static_cast<std::size_t>(body)](axis_of(k, columns_), column);
    }
  const Matrix result = system.partialPivLu().solve(right);
  response_.reset(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) response_(i, j) = 0.5 * (result(i, j) + result(j, i));
}

void BodyStress::add_cells(const ViscousLiquid& liquid, const CellField<std::uint8_t>& kept) {
  std::vector<int> columns;
  moved_->bodies.append_columns(columns);
  regions_.reset(*layout_, columns);
  moved_->bodies.add_rows(liquid.solids, kept, 0, regions_);
  for (const LocalIndex block : near_)
    for (const Row& row : parts_[static_cast<std::size_t>(block)].held_cells) {
      const int cell = row.number - n_faces();
      if (kept.block(block)[cell] == 0) continue;
      std::array<double, 6> numbers{};  // what leaves the cell
      for (int k = 0; k < columns_; ++k) numbers[static_cast<std::size_t>(k)] = -row.values[axis_of(k, columns_)];
      regions_.add_row(row.body, block, cell, {numbers.data(), static_cast<std::size_t>(columns_)});
    }
  regions_.finish();
  regions_.for_each_row([&](int body, LocalIndex block, int cell, std::span<const double> numbers) {
    Row row{static_cast<std::int16_t>(n_faces() + cell), static_cast<std::int16_t>(body), Vec6::Zero()};
    for (int k = 0; k < columns_; ++k) row.values[axis_of(k, columns_)] = -numbers[static_cast<std::size_t>(k)];
    Part& part = parts_[static_cast<std::size_t>(block)];
    part.cells.push_back(row);
    if (!std::ranges::binary_search(near_, block)) near_.insert(std::ranges::lower_bound(near_, block), block);
  });
}

void BodyStress::remove_cells() {
  for (Part& part : parts_) part.cells.clear();
}

template <class Value>
void BodyStress::multiply_transposed(Value&& value) const {
  const auto n_bodies = static_cast<std::size_t>(moved_->bodies.count());
  product_sums_.assign(6 * n_bodies, ExactSum());
  for (const LocalIndex block : near_) {
    const Part& part = parts_[static_cast<std::size_t>(block)];
    for (const std::vector<Row>* rows : {&part.faces, &part.cells})
      for (std::size_t begin = 0; begin < rows->size();) {
        const std::int16_t body = (*rows)[begin].body;
        Vec6 sum = Vec6::Zero();
        std::size_t end = begin;
        for (; end < rows->size() && (*rows)[end].body == body; ++end)
          sum += value(block, (*rows)[end].number) * (*rows)[end].values;
        for (int i = 0; i < 6; ++i)
          product_sums_[6 * static_cast<std::size_t>(body) + static_cast<std::size_t>(i)].add(sum[i]);
        begin = end;
      }
  }
  layout_->comm().sum_in_place(std::span<ExactSum>(product_sums_));
  products_.assign(n_bodies, Vec6::Zero());
  for (std::size_t n = 0; n < n_bodies; ++n)
    for (int i = 0; i < 6; ++i) products_[n][i] = product_sums_[6 * n + static_cast<std::size_t>(i)].round();
}

void BodyStress::set_change(double factor_of_constant, double factor) const {
  change_.assign(products_.size(), Vec6::Zero());
  for (int i = 0; i < response_.rows; ++i) {
    double sum = 0.0;
    for (int j = 0; j < response_.columns; ++j) {
      const auto body = static_cast<std::size_t>(j / columns_);
      const int axis = axis_of(j % columns_, columns_);
      sum += response_(i, j) * (factor_of_constant * constant_[body][axis] + factor * products_[body][axis]);
    }
    change_[static_cast<std::size_t>(i / columns_)][axis_of(i % columns_, columns_)] = sum;
  }
}

/// Where the part of a block begins in a vector; below 0 if the block is not active.
std::ptrdiff_t BodyStress::begin_of(const VectorPlace& place, LocalIndex block) {
  const auto found = std::ranges::lower_bound(place.active, block);
  if (found == place.active.end() || *found != block) return -1;
  return (found - place.active.begin()) * static_cast<std::ptrdiff_t>(place.entries);
}

void BodyStress::subtract_from_product(const VectorPlace& place, const double* x, double* y) const {
  std::ptrdiff_t begin = -1;
  LocalIndex last = -1;
  multiply_transposed([&](LocalIndex block, std::int16_t number) {
    if (block != last) begin = begin_of(place, block);
    last = block;
    return begin >= 0 ? x[begin + number] : 0.0;
  });
  set_change(0.0, 1.0);
  for (const LocalIndex block : near_) {
    begin = begin_of(place, block);
    const Part& part = parts_[static_cast<std::size_t>(block)];
    for (const std::vector<Row>* rows : {&part.faces, &part.cells})
      for (const Row& row : *rows)
        if (begin >= 0) y[begin + row.number] -= row.values.dot(change_[static_cast<std::size_t>(row.body)]);
  }
}

void BodyStress::change_residual(const VectorPlace& place, const FaceField<double>* u, double* residual) const {
  multiply_transposed([&](LocalIndex block, std::int16_t number) {
    if (u == nullptr || number >= n_faces()) return 0.0;
    return (*u)[number / cells_].block(block)[number % cells_];
  });
  set_change(1.0, -1.0);
  for (const LocalIndex block : near_) {
    const std::ptrdiff_t begin = begin_of(place, block);
    const Part& part = parts_[static_cast<std::size_t>(block)];
    for (const std::vector<Row>* rows : {&part.faces, &part.cells})
      for (const Row& row : *rows) {
        const double change = row.correction - row.values.dot(change_[static_cast<std::size_t>(row.body)]);
        if (begin >= 0) residual[begin + row.number] += change;
      }
  }
}

/// Set the impulses of bodies from B^T x and V' - V.
void BodyStress::set_impulses() {
  moved_->impulses.assign(products_.size(), Vec6::Zero());
  for (std::size_t n = 0; n < products_.size(); ++n) {
    const Vec6 all = constant_[n] - products_[n] - own_[n] * change_[n];
    for (int k = 0; k < columns_; ++k) {
      const int axis = axis_of(k, columns_);
      moved_->impulses[n][axis] = moved_->bodies.cell_mass() * all[axis];
    }
  }
}

/// Give the bodies what cut faces gained of momentum beyond that of their open parts.
void BodyStress::add_rests(const FaceField<double>& after) {
  const auto n_bodies = static_cast<std::size_t>(moved_->bodies.count());
  product_sums_.assign(6 * n_bodies, ExactSum());
  for (const LocalIndex block : near_)
    for (const BodyFace& face : parts_[static_cast<std::size_t>(block)].body_faces) {
      if (face.kind != BodyFace::Kind::cut) continue;
      const double change = after[face.number / cells_].block(block)[face.number % cells_] - face.start;
      for (int i = 0; i < 6; ++i)
        product_sums_[6 * static_cast<std::size_t>(face.body) + static_cast<std::size_t>(i)].add(face.rest * change *
                                                                                                 face.row[i]);
    }
  layout_->comm().sum_in_place(std::span<ExactSum>(product_sums_));
  for (std::size_t n = 0; n < n_bodies; ++n)
    for (int k = 0; k < columns_; ++k) {
      const int axis = axis_of(k, columns_);
      moved_->impulses[n][axis] +=
          moved_->bodies.cell_mass() * product_sums_[6 * n + static_cast<std::size_t>(axis)].round();
    }
}

void BodyStress::finish(const FaceField<double>& after, const CellField<double>* pressure) {
  multiply_transposed([&](LocalIndex block, std::int16_t number) {
    if (number < n_faces()) return after[number / cells_].block(block)[number % cells_];
    return pressure != nullptr ? pressure->block(block)[number - n_faces()] : 0.0;
  });
  set_change(1.0, -1.0);
  set_impulses();
  add_rests(after);
}

void BodyStress::finish_explicitly(const FaceField<double>& before, FaceField<double>& velocity) {
  multiply_transposed(
      [&](LocalIndex block, std::int16_t number) { return before[number / cells_].block(block)[number % cells_]; });
  set_change(1.0, -1.0);
  set_impulses();
  for (const LocalIndex block : near_) {
    const Part& part = parts_[static_cast<std::size_t>(block)];
    for (const Row& row : part.faces)
      velocity[row.number / cells_].block(block)[row.number % cells_] +=
          (row.correction - row.values.dot(change_[static_cast<std::size_t>(row.body)])) / row.mass;
    for (const BodyFace& face : part.body_faces)
      if (face.kind == BodyFace::Kind::held_partly_open)
        velocity[face.number / cells_].block(block)[face.number % cells_] +=
            face.row.dot(change_[static_cast<std::size_t>(face.body)]);
  }
  add_rests(velocity);
}

void BodyStress::move_held(FaceField<double>& velocity) const {
  for (const LocalIndex block : near_)
    for (const BodyFace& face : parts_[static_cast<std::size_t>(block)].body_faces)
      if (face.kind != BodyFace::Kind::cut)
        velocity[face.number / cells_].block(block)[face.number % cells_] +=
            face.row.dot(change_[static_cast<std::size_t>(face.body)]);
}

void BodyStress::copy_held(const FaceField<double>& from, FaceField<double>& to) const {
  for (const LocalIndex block : near_)
    for (const BodyFace& face : parts_[static_cast<std::size_t>(block)].body_faces)
      if (face.kind == BodyFace::Kind::held_partly_open)
        to[face.number / cells_].block(block)[face.number % cells_] =
            from[face.number / cells_].block(block)[face.number % cells_];
}

}  // namespace freshet::viscous
