// SPDX-License-Identifier: Apache-2.0
#include "sealed_bodies.hpp"

#include "freshet/core/parallel_for.hpp"
#include "freshet/grid/halo.hpp"
#include "threaded_vec.hpp"

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

using CellForest = std::array<std::int16_t, 512>;

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

void SealedBodies::clear() {
  body_labels_.clear();
  sizes_.clear();
  spans_.clear();
}

bool SealedBodies::is_one_piece(LocalIndex block) const {
  return unknowns_->fill(block) == Fill::full && unknowns_->coefficients(block) != Coefficients::general;
}

GlobalIndex SealedBodies::join_pieces(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
  const BlockLayout& layout = unknowns.layout();
  cells_ = layout.cells_per_block();
  clear();
  with_shape(layout.domain().dimension(), [this](auto shape) {
    using Shape = decltype(shape);
    first_piece_.assign(static_cast<std::size_t>(unknowns_->layout().n_owned()) + 1, 0);
    piece_.resize(static_cast<std::size_t>(unknowns_->layout().n_owned()) * Shape::cells);
    parallel_for_blocks(unknowns_->n_active(), [this](LocalIndex n) {
      const LocalIndex block = unknowns_->active_blocks()[n];
      if (is_one_piece(block)) {
        first_piece_[block] = 1;
      } else {
        split_block<Shape>(block);
      }
    });
    std::exclusive_scan(first_piece_.begin(), first_piece_.end(), first_piece_.begin(), LocalIndex{0});
    describe_pieces();
    join_blocks<Shape>();
  });
  GlobalIndex n_in_doubt = 0;
  for (LocalIndex piece = 0; piece < first_piece_.back(); ++piece) {
    if (joined_.root(piece) == piece && is_open_[piece] == 0) ++n_in_doubt;
  }
  return n_in_doubt;
}

template <class Shape>
void SealedBodies::split_block(LocalIndex block) {
  const std::uint8_t* unknown = system_->unknown.block(block);
  CellForest parent;
  std::iota(parent.begin(), parent.end(), std::int16_t{0});
  for_each_axis<Shape>([&](auto axis) {
    constexpr int stride = Shape::stride(axis);
    const double* weight = system_->weight[axis].block(block);
    for (int c = stride; c < Shape::cells; ++c) {
      const bool inside = c / stride % Shape::n(axis) != 0;
      if (inside && unknown[c] != 0 && unknown[c - stride] != 0 && weight[c] > 0.0) join_cells(parent, c, c - stride);
    }
  });
  std::int16_t* piece = &piece_[static_cast<std::size_t>(block) * Shape::cells];
  std::int16_t n_pieces = 0;
  for (int c = 0; c < Shape::cells; ++c) {
    const std::int16_t root = root_of(parent, static_cast<std::int16_t>(c));
    piece[c] = unknown[c] == 0 ? std::int16_t{-1} : root == c ? n_pieces++ : piece[root];
  }
  first_piece_[block] = n_pieces;
}

void SealedBodies::describe_pieces() {
  const auto n_pieces = static_cast<std::size_t>(first_piece_.back());
  piece_block_.resize(n_pieces);
  piece_first_cell_.assign(n_pieces, cells_);
  is_open_.assign(n_pieces, 0);
  parallel_for_blocks(unknowns_->n_active(), [this](LocalIndex n) {
    const LocalIndex block = unknowns_->active_blocks()[n];
    std::fill(&piece_block_[first_piece_[block]], &piece_block_[0] + first_piece_[block + 1], block);
    const std::uint8_t* masks = unknowns_->masks(block);
    const std::uint8_t* anchored = unknowns_->anchored(block);
    for (int r = 0; r < cells_ / block_width; ++r)
      for (unsigned rest = masks[r]; rest != 0; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const LocalIndex piece = piece_of(block, block_width * r + i);
        piece_first_cell_[piece] = std::min(piece_first_cell_[piece], block_width * r + i);
        if ((anchored[r] >> static_cast<unsigned>(i) & 1U) != 0) is_open_[piece] = 1;
      }
  });
}

template <class Shape>
void SealedBodies::join_blocks() {
  joined_.reset(first_piece_.back());
  for (const LocalIndex block : unknowns_->active_blocks()) {
    for_each_axis<Shape>([&](auto axis) { join_across_low_face<Shape, axis>(block); });
  }
  for (LocalIndex piece = 0; piece < first_piece_.back(); ++piece) {
    if (is_open_[piece] != 0) is_open_[joined_.root(piece)] = 1;
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
  const std::uint8_t* unknown = system_->unknown.block(block);
  const std::uint8_t* unknown_below = system_->unknown.block(below);
  const double* weight = system_->weight[axis].block(block);
  for_each_pair<Shape, axis>([&](int above, int last) {
    if (unknown[above] == 0 || unknown_below[last] == 0 || weight[above] <= 0.0) return;
    joined_.join(piece_of(block, above), piece_of(below, last));
  });
}

template <class Shape>
void SealedBodies::find_contacts() {
  contacts_.clear();
  for (const LocalIndex block : unknowns_->active_blocks()) {
    if (!unknowns_->is_shared(block)) continue;
    for_each_axis<Shape>([&](auto axis) { find_contacts_across<Shape, axis>(block); });
  }
}

template <class Shape, int axis>
void SealedBodies::find_contacts_across(LocalIndex block) {
  const BlockLayout& layout = unknowns_->layout();
  const CellField<double>& weight = system_->weight[axis];
  const std::uint8_t* unknown = system_->unknown.block(block);
  const auto is_ghost = [&layout](LocalIndex slot) { return slot >= layout.n_owned() && slot < layout.background(); };
  const auto note = [&](int cell, LocalIndex slot, int ghost_cell, double face_weight) {
    if (unknown[cell] == 0 || system_->unknown.block(slot)[ghost_cell] == 0 || face_weight <= 0.0) return;
    const LocalIndex root = joined_.root(piece_of(block, cell));
    if (is_open_[root] == 0) contacts_.push_back({root, slot, ghost_cell});
  };
  const LocalIndex below = layout.neighbours(block)[low_direction(axis)];
  const LocalIndex above = layout.neighbours(block)[high_direction(axis)];
  for_each_pair<Shape, axis>([&](int first, int last) {
    if (is_ghost(below)) note(first, below, last, weight.block(block)[first]);
    if (is_ghost(above)) note(last, above, first, weight.block(above)[first]);
  });
}

void SealedBodies::resolve() {
  with_shape(unknowns_->layout().domain().dimension(), [this](auto shape) { find_contacts<decltype(shape)>(); });
  label_bodies();
  if (unknowns_->layout().comm().size() > 1) spread_labels();
  number_bodies();
  if (!body_labels_.empty()) list_spans();
}

void SealedBodies::label_bodies() {
  const GlobalIndex first_block = unknowns_->layout().first_global();
  label_.assign(static_cast<std::size_t>(first_piece_.back()), 0);
  for (LocalIndex piece = 0; piece < first_piece_.back(); ++piece) {
    if (joined_.root(piece) != piece || is_open_[piece] != 0) continue;
    label_[piece] = 1 + (first_block + piece_block_[piece]) * cells_ + piece_first_cell_[piece];
  }
}

void SealedBodies::spread_labels() {
  const BlockLayout& layout = unknowns_->layout();
  rim_labels_.reset(layout, 0);
  bool changed = true;
  while (layout.comm().any(changed)) {
    for (LocalIndex block = 0; block < layout.n_owned(); ++block) {
      if (!unknowns_->is_shared(block)) continue;
      GlobalIndex* labels = rim_labels_.block(block);
      const std::uint8_t* unknown = system_->unknown.block(block);
      for (int c = 0; c < cells_; ++c) labels[c] = unknown[c] != 0 ? label_[joined_.root(piece_of(block, c))] : 0;
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
  const BlockLayout& layout = unknowns_->layout();
  std::vector<GlobalIndex> mine;
  for (LocalIndex piece = 0; piece < first_piece_.back(); ++piece) {
    const GlobalIndex own = 1 + (layout.first_global() + piece_block_[piece]) * cells_ + piece_first_cell_[piece];
    if (label_[piece] == own) mine.push_back(own);
  }
  const int n_mine = static_cast<int>(mine.size());
  const auto n_ranks = static_cast<std::size_t>(layout.comm().size());
  std::vector<int> counts(n_ranks);
  std::vector<int> begins(n_ranks);
  check_mpi(MPI_Allgather(&n_mine, 1, MPI_INT, counts.data(), 1, MPI_INT, layout.comm().raw()), "MPI_Allgather");
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  body_labels_.resize(static_cast<std::size_t>(begins.back() + counts.back()));
  check_mpi(MPI_Allgatherv(mine.data(), n_mine, MPI_INT64_T, body_labels_.data(), counts.data(), begins.data(),
                           MPI_INT64_T, layout.comm().raw()),
            "MPI_Allgatherv");
}

void SealedBodies::list_spans() {
  spans_.clear();
  sizes_.assign(body_labels_.size(), 0.0);
  const auto body_of = [this](LocalIndex piece) -> LocalIndex {
    const GlobalIndex label = label_[joined_.root(piece)];
    if (label == 0) return -1;
    return static_cast<LocalIndex>(std::lower_bound(body_labels_.begin(), body_labels_.end(), label) -
                                   body_labels_.begin());
  };
  const auto append = [this](LocalIndex begin, LocalIndex end, LocalIndex body, bool may_join) {
    if (body < 0) return;
    sizes_[body] += end - begin;
    if (may_join && !spans_.empty() && spans_.back().end == begin && spans_.back().body == body) {
      spans_.back().end = end;
    } else {
      spans_.push_back({begin, end, body});
    }
  };
  for (const LocalIndex block : unknowns_->active_blocks()) {
    LocalIndex n = unknowns_->first(block);
    if (is_one_piece(block)) {
      append(n, unknowns_->first(block + 1), body_of(first_piece_[block]), false);
      continue;
    }
    const std::uint8_t* unknown = system_->unknown.block(block);
    for (int c = 0; c < cells_; ++c) {
      if (unknown[c] == 0) continue;
      append(n, n + 1, body_of(piece_of(block, c)), n > unknowns_->first(block));
      ++n;
    }
  }
  unknowns_->layout().comm().sum_in_place(std::span<double>(sizes_));
}

double SealedBodies::remove_means(double* values) {
  if (sizes_.empty()) return 0.0;
  const auto n_spans = static_cast<LocalIndex>(spans_.size());
  span_sums_.resize(spans_.size());
#pragma omp parallel for schedule(static)
  for (LocalIndex s = 0; s < n_spans; ++s) {
    span_sums_[s] = local_sum(values + spans_[s].begin, spans_[s].end - spans_[s].begin);
  }
  body_sums_.assign(sizes_.size(), 0.0);
  for (LocalIndex s = 0; s < n_spans; ++s) body_sums_[spans_[s].body] += span_sums_[s];
  unknowns_->layout().comm().sum_in_place(std::span<double>(body_sums_));
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
