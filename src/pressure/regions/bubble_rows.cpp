// SPDX-License-Identifier: Apache-2.0
#include "pressure/regions/bubble_rows.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/free_surface/surface_condition.hpp"
#include "freshet/grid/kernels/cell_beside.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace freshet::pressure {
namespace {

/// Whether an owned block or one that shares a face with it has a property. \param[in] has  by slot
bool any_beside(const BlockLayout& layout, const std::vector<std::uint8_t>& has, LocalIndex block) {
  const StarSlots around = star_slots(layout, block);
  bool any = has[static_cast<std::size_t>(block)] != 0;
  for (std::size_t d = 0; d < 3; ++d)
    any =
        any || has[static_cast<std::size_t>(around.low[d])] != 0 || has[static_cast<std::size_t>(around.high[d])] != 0;
  return any;
}

/// (1 - theta) / theta (q^n + s) of a gas.
double from_before(const Bubble& bubble) {
  return bubble.softness > 0.0 ? (1.0 - bubble.theta) / bubble.theta * (bubble.outflow + bubble.swept) : 0.0;
}

}  // namespace

/// Find a block's faces between unknowns and bubbles, in the order of cells.
template <class Shape>
void BubbleRows::find_faces(const PoissonCoefficients& coefficients, LocalIndex block) {
  const BlockLayout& layout = number_->layout();
  std::vector<Face>& faces = of_block_[static_cast<std::size_t>(block)].faces;
  faces.clear();
  const UnknownRows& rows = coefficients.rows[static_cast<std::size_t>(block)];
  if (rows.any == 0 || !any_beside(layout, has_air_, block)) return;
  const std::uint8_t* unknown = coefficients.unknown.block(block);
  for (int c = 0; c < Shape::cells; ++c) {
    if (unknown[c] == 0) continue;
    for (int axis = 0; axis < Shape::dim; ++axis)
      for (const int side : {-1, 1}) {
        const CellBeside air = cell_beside<Shape>(layout, block, c, axis, side);
        const std::int32_t bubble = number_->block(air.slot)[air.cell];
        if (bubble < 0) continue;
        const double open = (*coefficients.weight)[axis].block(air.face_slot)[air.face];
        const AirFace face = air_face(coefficients.surface, open, block, c, air.slot, air.cell);
        if (face.coupling != 0.0) faces.push_back({block, c, bubble, face.coupling, face.surface_pressure});
      }
  }
}

/// Find the outflow of u* and of solids through the faces of bubbles in a block. Faces between two cells of a bubble,
/// or beside a block far from the liquid, lie inside it.
template <class Shape>
void BubbleRows::find_outflows(const SolidFields& solids, const FaceField<double>& velocity, LocalIndex block) {
  const BlockLayout& layout = number_->layout();
  std::vector<Outflow>& outflows = of_block_[static_cast<std::size_t>(block)].outflows;
  outflows.clear();
  if (has_air_[static_cast<std::size_t>(block)] == 0) return;
  const std::int32_t* number = number_->block(block);
  const auto add = [&outflows](std::int32_t bubble, double value, double swept) {
    auto same = std::ranges::find(outflows, bubble, &Outflow::bubble);
    if (same == outflows.end()) same = outflows.insert(same, {bubble, 0.0, 0.0});
    same->value += value;
    same->swept += swept;
  };
  const std::vector<SolidBody>& bodies = solids.bodies();
  const auto is_free = [&bodies](int body) { return body >= 0 && bodies[static_cast<std::size_t>(body)].is_free(); };
  for (int c = 0; c < Shape::cells; ++c) {
    if (number[c] < 0) continue;
    double outflow = 0.0, swept = 0.0;
    for (int axis = 0; axis < Shape::dim; ++axis)
      for (const int side : {-1, 1}) {
        const CellBeside other = cell_beside<Shape>(layout, block, c, axis, side);
        const bool is_low_side = side < 0 && !layout.domain().periodic(axis) &&
                                 layout.first_cell(block)[axis] + c / Shape::stride(axis) % Shape::n(axis) == 0;
        if (other.slot == layout.background() && !is_low_side) continue;
        const std::int32_t of_other = number_->block(other.slot)[other.cell];
        if (of_other == number[c] || of_other == Bubbles::far) continue;
        const double open = solids.open_fraction()[axis].block(other.face_slot)[other.face];
        const double solid = solids.velocity()[axis].block(other.face_slot)[other.face];
        const double u = velocity[axis].block(other.face_slot)[other.face];
        outflow += side * ((open > 0.0 ? open * u : 0.0) + (1.0 - open) * solid);
        if (solid != 0.0 && !is_free(solids.body_at_face(other.face_slot, axis, other.face)))
          swept += side * (1.0 - open) * solid;
      }
    if (outflow != 0.0 || swept != 0.0) add(number[c], outflow, swept);
  }
  for (const BodyFlow& flow : solids.body_flows(block)) {
    const auto value = static_cast<double>(flow.outflow);
    if (number[flow.cell] >= 0) add(number[flow.cell], value, is_free(flow.body) ? 0.0 : value);
  }
}

/// Collect the blocks' faces, and add up F and the outflows of the bubbles.
void BubbleRows::add_up_blocks() {
  const std::size_t n_bubbles = sums_.size() / 3;
  faces_.clear();
  for (LocalIndex b = 0; b < number_->layout().n_owned(); ++b) {
    const OfBlock& of_block = of_block_[static_cast<std::size_t>(b)];
    faces_.insert(faces_.end(), of_block.faces.begin(), of_block.faces.end());
    for (const Outflow& outflow : of_block.outflows) {
      sums_[n_bubbles + static_cast<std::size_t>(outflow.bubble)].add(outflow.value);
      sums_[2 * n_bubbles + static_cast<std::size_t>(outflow.bubble)].add(outflow.swept);
    }
  }
  for (const Face& face : faces_) {
    sums_[static_cast<std::size_t>(face.bubble)].add(face.coupling);
    sums_[n_bubbles + static_cast<std::size_t>(face.bubble)].add(face.coupling * face.surface_pressure);
  }
}

void BubbleRows::add(const PoissonCoefficients& coefficients, const SolidFields& solids,
                     const FaceField<double>& velocity, Bubbles& bubbles, Regions& regions, CellField<double>& b,
                     const FreeBodies* bodies) {
  const BlockLayout& layout = coefficients.unknown.layout();
  const std::size_t n = bubbles.bubbles.size();
  number_ = bubbles.number;
  FRESHET_EXPECT(number_ != nullptr && number_->is_bound_to(layout));
  has_air_.resize(static_cast<std::size_t>(layout.n_slots()));
  parallel_for_blocks(layout.n_slots(), [&](LocalIndex slot) {
    const std::int32_t* number = number_->block(slot);
    has_air_[static_cast<std::size_t>(slot)] =
        std::any_of(number, number + layout.cells_per_block(), [](std::int32_t of_cell) { return of_cell >= 0; });
  });
  sums_.assign(3 * n, {});
  of_block_.resize(std::max(of_block_.size(), static_cast<std::size_t>(layout.n_owned())));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      find_faces<decltype(shape)>(coefficients, block);
      find_outflows<decltype(shape)>(solids, velocity, block);
    });
  });
  add_up_blocks();
  layout.comm().sum_in_place(std::span<ExactSum>(sums_));
  for (std::vector<double>* values : {&coupling_, &softness_, &own_, &lack_, &held_inverse_, &products_, &of_bubbles_})
    values->assign(n, 0.0);
  GasFaces faces;
  if (bodies != nullptr)
    faces = bodies->find_gas_faces(solids, {*number_, Bubbles::far, static_cast<int>(n), bubbles.of_far_block});
  for (std::size_t i = 0; i < n; ++i) {
    Bubble& bubble = bubbles.bubbles[i];
    coupling_[i] = sums_[i].round();
    double outflow = sums_[n + i].round();  // outflow of u*, with that by p_I
    if (bodies != nullptr) outflow += faces.outflow_at_cuts[i];
    bubble.outflow_before = bubble.outflow;
    bubble.swept = sums_[2 * n + i].round();
    softness_[i] = bubble.softness / (bubble.theta * bubble.theta);
    lack_[i] = bubble.lack;
    held_inverse_[i] = bubble.is_held && coupling_[i] > 0.0 ? 1.0 / coupling_[i] : 0.0;
    own_[i] = softness_[i] * bubble.pressure - from_before(bubble) - outflow;
    if (bodies != nullptr) continue;
    const double all = coupling_[i] + softness_[i];
    const double matrix[] = {all > 0.0 ? -1.0 / all : 0.0};
    regions.set_matrix(static_cast<int>(i), matrix);
  }
  areas_.reset(0, 0);
  if (bodies != nullptr) couple(*bodies, faces.areas, regions);
  for (const Face& face : faces_) {
    const auto i = static_cast<std::size_t>(face.bubble);
    regions.add_row(face.bubble, face.block, face.cell, std::span(&face.coupling, 1));
    if (bodies != nullptr) continue;
    b.block(face.block)[face.cell] += face.coupling * own_[i] / (coupling_[i] + softness_[i]);
  }
}

/// Set the matrix of all bubbles and bodies, with columns f and S:
///   -D^-1           D^-1 T C
///   C T^T D^-1      C - C T^T D^-1 T C
void BubbleRows::couple(const FreeBodies& bodies, const Dense& areas, Regions& regions) {
  const auto n = static_cast<int>(coupling_.size()), m = bodies.columns();
  const Dense response = bodies.response();
  areas_ = areas;
  moved_.reset(n, m);
  for (int b = 0; b < n; ++b)
    for (int k = 0; k < m; ++k)
      if (areas_(b, k) != 0.0)
        for (int i = 0; i < m; ++i) moved_(b, i) += areas_(b, k) * response(k, i);
  inverse_.reset(n, n);
  is_idle_.assign(coupling_.size(), 0);
  for (int b = 0; b < n; ++b) {
    for (int d = 0; d <= b; ++d) {
      double sum = 0.0;
      for (int i = 0; i < m; ++i) sum += moved_(b, i) * areas_(d, i);
      inverse_(b, d) = inverse_(d, b) = sum;
    }
    const auto of = static_cast<std::size_t>(b);
    inverse_(b, b) += coupling_[of] + softness_[of];
    if (inverse_(b, b) > 0.0) continue;
    inverse_(b, b) = 1.0;
    is_idle_[of] = 1;
  }
  Dense lower;
  invert(inverse_, lower);
  Dense given;  // D^-1 T C
  given.reset(n, m);
  for (int b = 0; b < n; ++b)
    for (int d = 0; d < n; ++d)
      for (int i = 0; i < m; ++i) given(b, i) += inverse_(b, d) * moved_(d, i);
  Dense all;
  all.reset(n + m, n + m);
  for (int b = 0; b < n; ++b) {
    for (int d = 0; d < n; ++d) all(b, d) = -inverse_(b, d);
    for (int i = 0; i < m; ++i) all(b, n + i) = all(n + i, b) = given(b, i);
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = response(i, j);
      for (int b = 0; b < n; ++b) sum -= moved_(b, i) * given(b, j);
      all(n + i, n + j) = all(n + j, n + i) = sum;
    }
  std::vector<int> numbers(static_cast<std::size_t>(regions.count()));
  std::iota(numbers.begin(), numbers.end(), 0);
  regions.couple(numbers, all.entries);
  terms_ = own_;
  const std::vector<double> weights = bodies.weights();
  terms_.insert(terms_.end(), weights.begin(), weights.end());
  regions.set_offset(terms_);
}

void BubbleRows::mark_rows(PoissonCoefficients& coefficients) const {
  const BlockLayout& layout = number_->layout();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    if (UnknownRows& rows = coefficients.rows[static_cast<std::size_t>(b)]; any_beside(layout, has_air_, b))
      rows.cut = rows.any;
}

void BubbleRows::join(PoissonCoefficients& coefficients) {
  constexpr double least = 1e-3;  // keeps the joined system definite where nothing else holds the pressure
  ground_.resize(coupling_.size());
  for (std::size_t i = 0; i < coupling_.size(); ++i)
    ground_[i] = least + (coupling_[i] > 0.0 ? std::min(softness_[i] / coupling_[i], 1e3) : 0.0);
  joined_.build(coefficients, *number_, has_air_, ground_);
}

void BubbleRows::write(CellField<double>& pressure) const {
  parallel_for_blocks(pressure.layout().n_blocks(), [&](LocalIndex slot) {
    if (has_air_[static_cast<std::size_t>(slot)] == 0) return;
    const std::int32_t* number = number_->block(slot);
    for (int c = 0; c < pressure.layout().cells_per_block(); ++c)
      if (number[c] >= 0) pressure.block(slot)[c] = of_bubbles_[static_cast<std::size_t>(number[c])];
  });
}

/// Set of_bubbles_ to D^-1 (f^T p - T C (S^T p + J) + own), and push_. \param[in] all  f^T p, then S^T p
void BubbleRows::find_pressures_with_bodies(const std::vector<double>& all) {
  const int n = inverse_.rows, m = moved_.columns;
  std::vector<double> right(static_cast<std::size_t>(n));
  for (int b = 0; b < n; ++b) {
    const auto of = static_cast<std::size_t>(b);
    right[of] = all[of] + own_[of];
    for (int i = 0; i < m; ++i) {
      const auto column = static_cast<std::size_t>(n + i);
      right[of] -= moved_(b, i) * (all[column] + terms_[column]);
    }
  }
  push_.assign(static_cast<std::size_t>(m), 0.0);
  for (int b = 0; b < n; ++b) {
    double p = 0.0;
    for (int d = 0; d < n; ++d) p += inverse_(b, d) * right[static_cast<std::size_t>(d)];
    of_bubbles_[static_cast<std::size_t>(b)] = p;
    for (int i = 0; i < m; ++i) push_[static_cast<std::size_t>(i)] += areas_(b, i) * p;
  }
}

void BubbleRows::finish(const Regions& regions, const CellField<double>& pressure, Bubbles& bubbles) {
  std::vector<double>& all = products_;
  all.resize(static_cast<std::size_t>(regions.columns()));
  regions.multiply_transposed(pressure.data(), all);
  const bool has_bodies = areas_.rows > 0;
  push_.clear();
  if (has_bodies) find_pressures_with_bodies(all);
  for (std::size_t i = 0; i < bubbles.bubbles.size(); ++i) {
    Bubble& bubble = bubbles.bubbles[i];
    const double denominator = coupling_[i] + softness_[i];
    const bool is_idle = has_bodies ? is_idle_[i] != 0 : !(denominator > 0.0);
    const double p = is_idle ? bubble.pressure : has_bodies ? of_bubbles_[i] : (all[i] + own_[i]) / denominator;
    const double q = bubble.softness > 0.0 ? softness_[i] * (bubble.pressure - p) - from_before(bubble) : 0.0;
    const double of_liquid = bubble.softness > 0.0 ? q - bubble.swept : 0.0;
    bubble.mean_outflow =
        bubble.softness > 0.0 ? (1.0 - bubble.theta) * bubble.outflow + bubble.theta * of_liquid + bubble.swept : 0.0;
    bubble.pressure = of_bubbles_[i] = p;
    bubble.outflow = of_liquid;
  }
}

void BubbleRows::begin_displacement(double part, Regions& regions, CellField<double>& b) {
  for (std::size_t i = 0; i < coupling_.size(); ++i) own_[i] = part * lack_[i];
  regions.set_offset({});
  if (areas_.rows > 0) {  // bodies hold their places
    Dense all;
    all.reset(regions.columns(), regions.columns());
    for (int i = 0; i < areas_.rows; ++i) all(i, i) = -held_inverse_[static_cast<std::size_t>(i)];
    std::vector<int> numbers(static_cast<std::size_t>(regions.count()));
    std::iota(numbers.begin(), numbers.end(), 0);
    regions.couple(numbers, all.entries);
  } else {
    for (std::size_t i = 0; i < coupling_.size(); ++i) {
      const double matrix[] = {-held_inverse_[i]};
      regions.set_matrix(static_cast<int>(i), matrix);
    }
  }
  for (const Face& face : faces_) {
    const auto i = static_cast<std::size_t>(face.bubble);
    b.block(face.block)[face.cell] += face.coupling * own_[i] * held_inverse_[i];
  }
}

void BubbleRows::extend_displacement(const Regions& regions, CellField<double>& potential) {
  products_.resize(static_cast<std::size_t>(regions.columns()));
  regions.multiply_transposed(potential.data(), products_);
  for (std::size_t i = 0; i < coupling_.size(); ++i) of_bubbles_[i] = (products_[i] + own_[i]) * held_inverse_[i];
  write(potential);
}

}  // namespace freshet::pressure
