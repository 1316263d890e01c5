// SPDX-License-Identifier: Apache-2.0
#include "pressure/regions/bubble_rows.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/kernels/cell_beside.hpp"
#include "pressure/operator/surface_theta.hpp"

#include <algorithm>
#include <cmath>

namespace freshet::pressure {
namespace {

constexpr double largest_correction = 0.1;  ///< displacement of a bubble's surface in a step by its correction [cells]

/// Whether an owned block or one that shares a face with it has a property. \param[in] has  by slot
bool any_beside(const BlockLayout& layout, const std::vector<std::uint8_t>& has, LocalIndex block) {
  const FaceNeighbours around = face_neighbours(layout, block);
  bool any = has[static_cast<std::size_t>(block)] != 0;
  for (std::size_t d = 0; d < 3; ++d)
    any =
        any || has[static_cast<std::size_t>(around.low[d])] != 0 || has[static_cast<std::size_t>(around.high[d])] != 0;
  return any;
}

/// (1 - theta) / theta q^n of a gas.
double from_before(const Bubble& bubble) {
  return bubble.softness > 0.0 ? (1.0 - bubble.theta) / bubble.theta * bubble.outflow : 0.0;
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
  const auto add = [&outflows](std::int32_t bubble, double value) {
    auto same = std::ranges::find(outflows, bubble, &Outflow::bubble);
    if (same == outflows.end()) same = outflows.insert(same, {bubble, 0.0});
    same->value += value;
  };
  for (int c = 0; c < Shape::cells; ++c) {
    if (number[c] < 0) continue;
    double outflow = 0.0;
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
      }
    if (outflow != 0.0) add(number[c], outflow);
  }
  for (const BodyFlow& flow : solids.body_flows(block))
    if (number[flow.cell] >= 0) add(number[flow.cell], static_cast<double>(flow.outflow));
}

/// Collect the blocks' faces, and add up F and the outflows of the bubbles.
void BubbleRows::add_up_blocks() {
  const std::size_t n_bubbles = sums_.size() / 2;
  faces_.clear();
  for (LocalIndex b = 0; b < number_->layout().n_owned(); ++b) {
    const OfBlock& of_block = of_block_[static_cast<std::size_t>(b)];
    faces_.insert(faces_.end(), of_block.faces.begin(), of_block.faces.end());
    for (const Outflow& outflow : of_block.outflows)
      sums_[n_bubbles + static_cast<std::size_t>(outflow.bubble)].add(outflow.value);
  }
  for (const Face& face : faces_) {
    sums_[static_cast<std::size_t>(face.bubble)].add(face.coupling);
    sums_[n_bubbles + static_cast<std::size_t>(face.bubble)].add(face.coupling * face.surface_pressure);
  }
}

void BubbleRows::add(const PoissonCoefficients& coefficients, const SolidFields& solids,
                     const FaceField<double>& velocity, Bubbles& bubbles, Regions& regions, CellField<double>& b) {
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
  sums_.assign(2 * n, {});
  of_block_.resize(std::max(of_block_.size(), static_cast<std::size_t>(layout.n_owned())));
  with_shape(layout.domain().dimension(), [&](auto shape) {
    parallel_for_blocks(layout.n_owned(), [&](LocalIndex block) {
      find_faces<decltype(shape)>(coefficients, block);
      find_outflows<decltype(shape)>(solids, velocity, block);
    });
  });
  add_up_blocks();
  layout.comm().sum_in_place(std::span<ExactSum>(sums_));
  for (std::vector<double>* values : {&coupling_, &softness_, &own_, &products_, &of_bubbles_}) values->assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    Bubble& bubble = bubbles.bubbles[i];
    coupling_[i] = sums_[i].round();
    const double outflow = sums_[n + i].round();  // outflow of u*, with that by p_I
    if (bubble.is_new) bubble.outflow = outflow;
    bubble.outflow_before = bubble.outflow;
    softness_[i] = bubble.softness / (bubble.theta * bubble.theta);
    const double most = largest_correction * bubbles.cell_speed * coupling_[i];
    bubble.correction = std::clamp(bubble.correction, -most, most);
    own_[i] = softness_[i] * bubble.pressure - from_before(bubble) + bubble.correction - outflow;
    const double all = coupling_[i] + softness_[i];
    const double matrix[] = {all > 0.0 ? -1.0 / all : 0.0};
    regions.set_matrix(static_cast<int>(i), matrix);
  }
  for (const Face& face : faces_) {
    const auto i = static_cast<std::size_t>(face.bubble);
    regions.add_row(face.bubble, face.block, face.cell, std::span(&face.coupling, 1));
    b.block(face.block)[face.cell] += face.coupling * own_[i] / (coupling_[i] + softness_[i]);
  }
}

void BubbleRows::mark_rows(PoissonCoefficients& coefficients) const {
  const BlockLayout& layout = number_->layout();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b)
    if (UnknownRows& rows = coefficients.rows[static_cast<std::size_t>(b)]; any_beside(layout, has_air_, b))
      rows.cut = rows.any;
}

void BubbleRows::write(CellField<double>& pressure) const {
  parallel_for_blocks(pressure.layout().n_blocks(), [&](LocalIndex slot) {
    if (has_air_[static_cast<std::size_t>(slot)] == 0) return;
    const std::int32_t* number = number_->block(slot);
    for (int c = 0; c < pressure.layout().cells_per_block(); ++c)
      if (number[c] >= 0) pressure.block(slot)[c] = of_bubbles_[static_cast<std::size_t>(number[c])];
  });
}

void BubbleRows::finish(const Regions& regions, CellField<double>& pressure, Bubbles& bubbles) {
  std::vector<double>& all = products_;
  all.resize(static_cast<std::size_t>(regions.columns()));
  regions.multiply_transposed(pressure.data(), all);
  for (std::size_t i = 0; i < bubbles.bubbles.size(); ++i) {
    Bubble& bubble = bubbles.bubbles[i];
    const double denominator = coupling_[i] + softness_[i];
    const double p = denominator > 0.0 ? (all[i] + own_[i]) / denominator : bubble.pressure;
    const double q = bubble.softness > 0.0 ? softness_[i] * (bubble.pressure - p) - from_before(bubble) : 0.0;
    bubble.mean_outflow = (1.0 - bubble.theta) * bubble.outflow + bubble.theta * q;
    if (bubble.softness == 0.0) bubble.mean_outflow = 0.0;
    bubble.pressure = of_bubbles_[i] = p;
    bubble.outflow = q;
  }
  write(pressure);
}

void BubbleRows::hold_volumes(Regions& regions) {
  for (std::size_t i = 0; i < coupling_.size(); ++i) {
    const double matrix[] = {coupling_[i] > 0.0 ? -1.0 / coupling_[i] : 0.0};
    regions.set_matrix(static_cast<int>(i), matrix);
  }
}

void BubbleRows::extend(const Regions& regions, CellField<double>& potential) {
  products_.resize(static_cast<std::size_t>(regions.columns()));
  regions.multiply_transposed(potential.data(), products_);
  for (std::size_t i = 0; i < coupling_.size(); ++i)
    of_bubbles_[i] = coupling_[i] > 0.0 ? products_[i] / coupling_[i] : 0.0;
  write(potential);
}

}  // namespace freshet::pressure
