// SPDX-License-Identifier: Apache-2.0
#include "pressure/null_space/sealed_bodies.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "pressure/krylov/threaded_vec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace freshet::pressure {
namespace {

/// Call f(low_cell, high_cell) for every pair of cells across the plane between two blocks: the cell in the first layer
/// of the block above it, and the one in the last layer of the block below.
template <class Shape, int axis, class Function>
void for_each_pair(Function&& f) {
  constexpr int first = axis == 0 ? 1 : 0;
  constexpr int second = axis == 2 ? 1 : 2;
  constexpr int to_last_layer = (Shape::n(axis) - 1) * Shape::stride(axis);
  for (int v = 0; v < Shape::n(second); ++v)
    for (int u = 0; u < Shape::n(first); ++u) {
      const int above = u * Shape::stride(first) + v * Shape::stride(second);
      f(above, above + to_last_layer);
    }
}

/// Which cells of a block belong together: a forest whose roots are the smallest cells.
using CellForest = std::array<std::int16_t, BlockShape<3>::cells>;

std::int16_t root_of(CellForest& parent, std::int16_t cell) {
  while (parent[cell] != cell) {
    parent[cell] = parent[parent[cell]];
    cell = parent[cell];
  }
  return cell;
}

void join_cells(CellForest& parent, int a, int b) {
  const std::int16_t root_a = root_of(parent, static_cast<std::int16_t>(a));
  const std::int16_t root_b = root_of(parent, static_cast<std::int16_t>(b));
  parent[std::max(root_a, root_b)] = std::min(root_a, root_b);
}

}  // namespace

void UnionFind::reset(LocalIndex n) {
  parent_.resize(static_cast<std::size_t>(n));
  std::iota(parent_.begin(), parent_.end(), LocalIndex{0});
}

void UnionFind::join(LocalIndex a, LocalIndex b) {
  a = root(a);
  b = root(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

GlobalIndex SealedBodies::look(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
  cells_ = unknowns.layout().cells_per_block();
  body_labels_.clear();
  sizes_.clear();
  spans_.clear();
  unanchored_.find(coefficients, unknowns);
  return static_cast<GlobalIndex>(unanchored_.blocks().size());
}

void SealedBodies::resolve() {
  with_shape(unknowns_->layout().domain().dimension(), [this](auto shape) { join_pieces<decltype(shape)>(); });
  label_bodies();
  if (unknowns_->layout().comm().size() > 1) spread_labels();
  number_bodies();
  if (!body_labels_.empty()) list_spans();
}

/// True if the block is all unknowns, unanchored and joined, as most of a full tank are.
bool SealedBodies::is_one_piece(LocalIndex block) const {
  const std::uint8_t* masks = unanchored_.masks(block);
  return unknowns_->fill(block) == Fill::full && unknowns_->coefficients(block) != Coefficients::general &&
         masks[0] != 0;  // reaching one cell of such a block would have reached them all
}

template <class Shape>
void SealedBodies::join_pieces() {
  const auto n_owned = static_cast<std::size_t>(unknowns_->layout().n_owned());
  first_piece_.assign(n_owned + 1, 0);
  piece_.resize(n_owned * Shape::cells);
  const std::vector<LocalIndex>& blocks = unanchored_.blocks();
  parallel_for_blocks(static_cast<LocalIndex>(blocks.size()), [&](LocalIndex n) {
    if (is_one_piece(blocks[n])) {
      first_piece_[blocks[n]] = 1;
    } else {
      split_block<Shape>(blocks[n]);
    }
  });
  std::exclusive_scan(first_piece_.begin(), first_piece_.end(), first_piece_.begin(), LocalIndex{0});
  describe_pieces();
  joined_.reset(first_piece_.back());
  contacts_.clear();
  for (const LocalIndex block : blocks) {
    for_each_axis<Shape>([&](auto axis) { join_across_low_face<Shape, axis>(block); });
  }
  for (const LocalIndex block : blocks) {
    if (!unknowns_->is_shared(block)) continue;
    for_each_axis<Shape>([&](auto axis) { find_contacts_across<Shape, axis>(block); });
  }
}

template <class Shape>
void SealedBodies::split_block(LocalIndex block) {
  const auto counts = [&](int c) { return unanchored_.contains(block, c); };
  CellForest parent;
  std::iota(parent.begin(), parent.end(), std::int16_t{0});
  for_each_axis<Shape>([&](auto axis) {
    constexpr int stride = Shape::stride(axis);
    const double* weight = system_->weight[axis].block(block);
    for (int c = stride; c < Shape::cells; ++c) {
      const bool inside = c / stride % Shape::n(axis) != 0;
      if (inside && counts(c) && counts(c - stride) && weight[c] > 0.0) join_cells(parent, c, c - stride);
    }
  });
  std::int16_t* piece = &piece_[static_cast<std::size_t>(block) * Shape::cells];
  std::int16_t n_pieces = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    const std::int16_t root = root_of(parent, static_cast<std::int16_t>(c));
    piece[c] = !counts(c) ? std::int16_t{-1} : root == c ? n_pieces++ : piece[root];
  }
  first_piece_[block] = n_pieces;
}

void SealedBodies::describe_pieces() {
  piece_block_.resize(static_cast<std::size_t>(first_piece_.back()));
  piece_first_cell_.assign(piece_block_.size(), 0);
  for (const LocalIndex block : unanchored_.blocks()) {
    for (LocalIndex piece = first_piece_[block]; piece < first_piece_[block + 1]; ++piece) piece_block_[piece] = block;
    if (is_one_piece(block)) continue;
    for (int c = cells_ - 1; c >= 0; --c) {
      if (unanchored_.contains(block, c)) piece_first_cell_[piece_of(block, c)] = c;
    }
  }
}

template <class Shape, int axis>
void SealedBodies::join_across_low_face(LocalIndex block) {
  const LocalIndex below = unknowns_->layout().neighbours(block)[low_direction(axis)];
  if (below >= unknowns_->layout().n_owned() || unknowns_->fill(below) == Fill::empty) return;
  if (is_one_piece(block) && is_one_piece(below)) {  // every face between them weighs 1
    joined_.join(first_piece_[block], first_piece_[below]);
    return;
  }
  const double* weight = system_->weight[axis].block(block);
  for_each_pair<Shape, axis>([&](int above, int last) {
    if (!unanchored_.contains(block, above) || !unanchored_.contains(below, last) || weight[above] <= 0.0) return;
    joined_.join(piece_of(block, above), piece_of(below, last));
  });
}

template <class Shape, int axis>
void SealedBodies::find_contacts_across(LocalIndex block) {
  const BlockLayout& layout = unknowns_->layout();
  const CellField<double>& weight = system_->weight[axis];
  const auto is_ghost = [&layout](LocalIndex slot) { return slot >= layout.n_owned() && slot < layout.background(); };
  const auto note = [&](int cell, LocalIndex slot, int ghost_cell, double face_weight) {
    if (!unanchored_.contains(block, cell) || system_->unknown.block(slot)[ghost_cell] == 0) return;
    if (face_weight > 0.0) contacts_.push_back({joined_.root(piece_of(block, cell)), slot, ghost_cell});
  };
  const LocalIndex below = layout.neighbours(block)[low_direction(axis)];
  const LocalIndex above = layout.neighbours(block)[high_direction(axis)];
  for_each_pair<Shape, axis>([&](int first, int last) {
    if (is_ghost(below)) note(first, below, last, weight.block(block)[first]);
    if (is_ghost(above)) note(last, above, first, weight.block(above)[first]);
  });
}

GlobalIndex SealedBodies::own_label(LocalIndex piece) const {
  return 1 + (unknowns_->layout().first_global() + piece_block_[piece]) * cells_ + piece_first_cell_[piece];
}

void SealedBodies::label_bodies() {
  label_.resize(static_cast<std::size_t>(first_piece_.back()));
  for (LocalIndex piece = 0; piece < first_piece_.back(); ++piece) label_[piece] = own_label(joined_.root(piece));
}

/// Rounds with the neighbours until no body here touches a smaller label. 0, of anchored unknowns, is the smallest.
void SealedBodies::spread_labels() {
  const BlockLayout& layout = unknowns_->layout();
  rim_labels_.reset(layout, 0);
  for (const LocalIndex block : unknowns_->active_blocks()) {
    if (unknowns_->is_shared(block)) std::fill_n(rim_labels_.block(block), cells_, GlobalIndex{0});
  }
  bool changed = true;
  while (layout.comm().any(changed)) {
    for (const LocalIndex block : unanchored_.blocks()) {
      if (!unknowns_->is_shared(block)) continue;
      for (int c = 0; c < cells_; ++c) {
        if (unanchored_.contains(block, c)) rim_labels_.block(block)[c] = label_[joined_.root(piece_of(block, c))];
      }
    }
    layout.halo().gather(rim_labels_, 1);
    changed = false;
    for (const Contact& contact : contacts_) {
      const GlobalIndex theirs = rim_labels_.block(contact.slot)[contact.cell];
      if (theirs >= label_[contact.piece]) continue;
      label_[contact.piece] = theirs;
      changed = true;
    }
  }
}

/// Every rank learns the labels of all sealed bodies; each is told by the rank that holds the body's first cell.
void SealedBodies::number_bodies() {
  const Communicator& comm = unknowns_->layout().comm();
  std::vector<GlobalIndex> mine;
  for (LocalIndex piece = 0; piece < first_piece_.back(); ++piece) {
    if (joined_.root(piece) == piece && label_[piece] == own_label(piece)) mine.push_back(label_[piece]);
  }
  const int n_mine = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(comm.size()));
  std::vector<int> begins(counts.size());
  check_mpi(MPI_Allgather(&n_mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.raw()), "MPI_Allgather");
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  body_labels_.resize(static_cast<std::size_t>(begins.back()) + static_cast<std::size_t>(counts.back()));
  check_mpi(MPI_Allgatherv(mine.data(), n_mine, MPI_INT64_T, body_labels_.data(), counts.data(), begins.data(),
                           MPI_INT64_T, comm.raw()),
            "MPI_Allgatherv");
}

void SealedBodies::append_span(LocalIndex begin, LocalIndex end, LocalIndex piece) {
  const GlobalIndex label = label_[joined_.root(piece)];
  if (label == 0) return;
  const auto found = std::lower_bound(body_labels_.begin(), body_labels_.end(), label);
  const auto body = static_cast<LocalIndex>(found - body_labels_.begin());
  sizes_[body] += end - begin;
  spans_.push_back({begin, end, body});
}

void SealedBodies::list_spans() {
  sizes_.assign(body_labels_.size(), 0.0);
  for (const LocalIndex block : unanchored_.blocks()) {
    LocalIndex n = unknowns_->first(block);
    if (is_one_piece(block)) {
      append_span(n, unknowns_->first(block + 1), first_piece_[block]);
      continue;
    }
    const std::uint8_t* unknown = system_->unknown.block(block);
    LocalIndex begin = n;
    LocalIndex current = -1;  // piece of the span from `begin`; -1 for anchored unknowns
    for (int c = 0; c < cells_; ++c) {
      if (unknown[c] == 0) continue;
      const LocalIndex piece = unanchored_.contains(block, c) ? piece_of(block, c) : -1;
      if (piece != current) {
        if (current >= 0) append_span(begin, n, current);
        begin = n;
        current = piece;
      }
      ++n;
    }
    if (current >= 0) append_span(begin, n, current);
  }
  unknowns_->layout().comm().sum_in_place(std::span<double>(sizes_));
}

double SealedBodies::remove_means(double* values) {
  if (sizes_.empty()) return 0.0;
  const auto n_spans = static_cast<LocalIndex>(spans_.size());
  span_sums_.resize(spans_.size());
#pragma omp parallel for schedule(static)
  for (LocalIndex s = 0; s < n_spans; ++s) {
    span_sums_[s] = sum_entries(values + spans_[s].begin, spans_[s].end - spans_[s].begin);
  }
  exact_sums_.assign(sizes_.size(), ExactSum());
  for (LocalIndex s = 0; s < n_spans; ++s) exact_sums_[spans_[s].body].add(span_sums_[s]);
  unknowns_->layout().comm().sum_in_place(std::span<ExactSum>(exact_sums_));
  body_sums_.resize(sizes_.size());
  std::transform(exact_sums_.begin(), exact_sums_.end(), body_sums_.begin(),
                 [](const ExactSum& sum) { return sum.round(); });
#pragma omp parallel for schedule(static)
  for (LocalIndex s = 0; s < n_spans; ++s) {
    const double mean = body_sums_[spans_[s].body] / sizes_[spans_[s].body];
    for (LocalIndex n = spans_[s].begin; n < spans_[s].end; ++n) values[n] -= mean;
  }
  double lost = 0.0;
  for (std::size_t body = 0; body < sizes_.size(); ++body) lost += body_sums_[body] * body_sums_[body] / sizes_[body];
  return std::sqrt(lost);
}

}  // namespace freshet::pressure
