// SPDX-License-Identifier: Apache-2.0
#include "pressure/null_space/sealed_bodies.hpp"

#include "freshet/grid/halo.hpp"
#include "freshet/parallel/gather_all.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace freshet::pressure {

GlobalIndex SealedBodies::find_unanchored(const PoissonCoefficients& coefficients, const Unknowns& unknowns) {
  system_ = &coefficients;
  unknowns_ = &unknowns;
  cells_ = unknowns.layout().cells_per_block();
  sizes_.clear();
  parts_.clear();
  flood_.reset(coefficients, unknowns);
  return static_cast<GlobalIndex>(flood_.unmarked_blocks().size());
}

void SealedBodies::resolve() {
  n_agreements_ = 0;
  find_local_bodies();
  bool any = !own_label_.empty();
  if (unknowns_->layout().comm().size() > 1) {
    find_all_contacts();
    any = (!has_depths_ || !are_anchored_as_before()) && spread_labels();
    has_depths_ = !any;
    keep_depths();
  }
  body_labels_.clear();
  if (any) number_bodies();
  keep_sealed_parts();
}

/// Find the local bodies. Blocks and cells ascend, so that a body is found by its first cell.
void SealedBodies::find_local_bodies() {
  own_label_.clear();
  for (const LocalIndex block : flood_.unmarked_blocks())
    for (int cell = flood_.first_unmarked(block); cell >= 0; cell = flood_.first_unmarked(block)) {
      const auto body = static_cast<LocalIndex>(own_label_.size());
      own_label_.push_back(1 + (unknowns_->layout().first_global() + block) * cells_ + cell);
      for (const BlockCells& cells : flood_.mark_from(block, cell)) parts_.push_back({cells, body});
    }
  label_ = own_label_;
  depth_.assign(own_label_.size(), 0);
}

template <class Shape>
void SealedBodies::find_contacts(const Part& part) {
  const BlockLayout& layout = unknowns_->layout();
  const LocalIndex block = part.cells.block;
  const StarSlots beside = star_slots(layout, block);
  const auto note = [&](LocalIndex slot, int ghost_cell, double weight) {
    const bool is_ghost = slot >= layout.n_owned() && slot < layout.background();
    if (is_ghost && weight > 0.0 && system_->unknown.block(slot)[ghost_cell] != 0)
      contacts_.push_back({part.body, slot, ghost_cell});
  };
  for_each_axis<Shape>([&](auto axis) {
    constexpr int stride = Shape::stride(axis);
    constexpr int to_last_layer = (Shape::n(axis) - 1) * stride;
    const CellField<float>& weight = (*system_->weight)[axis];
    const LocalIndex below = beside.low[axis];
    const LocalIndex above = beside.high[axis];
    for (int c = 0; c < Shape::cells; ++c) {
      if (!part.cells.contains(c)) continue;
      const int layer = c / stride % Shape::n(axis);
      if (layer == 0) note(below, c + to_last_layer, weight.block(block)[c]);
      if (layer == Shape::n(axis) - 1) note(above, c - to_last_layer, weight.block(above)[c - to_last_layer]);
    }
  });
}

void SealedBodies::find_all_contacts() {
  const BlockLayout& layout = unknowns_->layout();
  contacts_.clear();
  with_shape(layout.domain().dimension(), [this](auto shape) {
    for (const Part& part : parts_)
      if (unknowns_->is_shared(part.cells.block)) find_contacts<decltype(shape)>(part);
  });
  rim_labels_.reset(layout, 0);
  for (const LocalIndex block : unknowns_->active_blocks()) {
    if (unknowns_->is_shared(block)) std::fill_n(rim_labels_.block(block), cells_, GlobalIndex{0});
  }
}

/// Whether the depths of the last call show that all bodies are anchored, on all ranks; all labels become 0 then.
/// Depths that do not fit these bodies never show too much: an unanchored body of the smallest depth would have to
/// touch a smaller one. Collective
bool SealedBodies::are_anchored_as_before() {
  constexpr GlobalIndex unknown_depth = std::numeric_limits<GlobalIndex>::max();
  depth_.assign(own_label_.size(), unknown_depth);
  for (const Part& part : parts_)
    if (const int depth = depth_before(part.cells.block); depth > 0)
      depth_[part.body] = std::min<GlobalIndex>(depth_[part.body], depth);
  gather_rims(depth_);
  std::vector<bool> is_anchored(depth_.size(), false);
  for (const Contact& contact : contacts_)
    if (rim_labels_.block(contact.slot)[contact.cell] < depth_[contact.body] && depth_[contact.body] < unknown_depth)
      is_anchored[contact.body] = true;
  GlobalIndex n_in_doubt = std::count(is_anchored.begin(), is_anchored.end(), false);
  ++n_agreements_;
  unknowns_->layout().comm().sum_in_place(std::span<GlobalIndex>(&n_in_doubt, 1));
  if (n_in_doubt > 0) return false;
  std::fill(label_.begin(), label_.end(), GlobalIndex{0});
  return true;
}

/// Depth of a block in the last call; 0: none is known.
int SealedBodies::depth_before(LocalIndex block) const {
  const BlockKey key = unknowns_->layout().key(block);
  const auto found = std::lower_bound(depth_of_block_.begin(), depth_of_block_.end(), std::pair(key, 0));
  return found != depth_of_block_.end() && found->first == key ? found->second : 0;
}

void SealedBodies::keep_depths() {
  depth_of_block_.clear();
  for (const Part& part : parts_)
    if (label_[part.body] == 0)
      depth_of_block_.emplace_back(unknowns_->layout().key(part.cells.block), static_cast<int>(depth_[part.body]));
  std::sort(depth_of_block_.begin(), depth_of_block_.end());
  const auto is_same_block = [](const auto& a, const auto& b) { return a.first == b.first; };
  depth_of_block_.erase(std::unique(depth_of_block_.begin(), depth_of_block_.end(), is_same_block),
                        depth_of_block_.end());
}

/// Gather the ghosts of a value of each local body; anchored unknowns have the value 0. Collective
void SealedBodies::gather_rims(const std::vector<GlobalIndex>& of_bodies) {
  for (const Part& part : parts_) {
    if (!unknowns_->is_shared(part.cells.block)) continue;
    GlobalIndex* values = rim_labels_.block(part.cells.block);
    for (int c = 0; c < cells_; ++c)
      if (part.cells.contains(c)) values[c] = of_bodies[part.body];
  }
  unknowns_->layout().halo().gather(rim_labels_, 1);
}

/// Exchange labels with neighbours until no body touches a smaller one; 0, of anchored unknowns, is the smallest. The
/// ranks agree after 1, 3, 7, 15, ... rounds: a label that crosses n ranks takes fewer than 2 n + 2 exchanges with
/// neighbours and at most log2(n) + 2 reductions. Returns true if any body is left without an anchor, on any rank.
bool SealedBodies::spread_labels() {
  int n_before = 0;
  for (int n_rounds = 1;; n_rounds *= 2) {
    bool changed = false;
    for (int n = 0; n < n_rounds; ++n) changed = spread_to_neighbours(++n_before);
    ++n_agreements_;
    GlobalIndex totals[] = {changed ? 1 : 0, static_cast<GlobalIndex>(named_here().size())};
    unknowns_->layout().comm().sum_in_place(std::span<GlobalIndex>(totals));
    const auto [n_changed, n_bodies] = totals;
    if (n_changed == 0) return n_bodies > 0;
  }
}

/// Labels of the sealed bodies whose first cells this rank holds, once no label changes any more.
std::vector<GlobalIndex> SealedBodies::named_here() const {
  std::vector<GlobalIndex> labels;
  for (std::size_t body = 0; body < label_.size(); ++body)
    if (label_[body] == own_label_[body]) labels.push_back(label_[body]);
  return labels;
}

/// Take the smaller labels of other ranks' bodies that touch this rank's. Returns true if there were any. Collective
/// \param[in] round  number of the round, from 1: the depth of a body that 0 reaches in it
bool SealedBodies::spread_to_neighbours(int round) {
  gather_rims(label_);
  bool changed = false;
  for (const Contact& contact : contacts_) {
    const GlobalIndex theirs = rim_labels_.block(contact.slot)[contact.cell];
    if (theirs >= label_[contact.body]) continue;
    label_[contact.body] = theirs;
    if (theirs == 0) depth_[contact.body] = round;
    changed = true;
  }
  return changed;
}

/// Gather the labels of all sealed bodies on every rank. The rank of a body's first cell gives its label.
void SealedBodies::number_bodies() {
  body_labels_ = gather_all(unknowns_->layout().comm(), named_here());
}

/// Merge the local bodies of a sealed body into one part for each block: sums then have the same bits on any ranks.
void SealedBodies::keep_sealed_parts() {
  sizes_.assign(body_labels_.size(), 0.0);
  std::vector<Part> sealed;
  for (const Part& part : parts_) {
    const GlobalIndex label = label_[part.body];
    if (label == 0) continue;
    const auto found = std::lower_bound(body_labels_.begin(), body_labels_.end(), label);
    sealed.push_back({part.cells, static_cast<LocalIndex>(found - body_labels_.begin())});
    for (const std::uint64_t word : part.cells.bits) sizes_[sealed.back().body] += std::popcount(word);
  }
  const auto place = [](const Part& part) { return std::pair(part.cells.block, part.body); };
  std::sort(sealed.begin(), sealed.end(), [&](const Part& a, const Part& b) { return place(a) < place(b); });
  parts_.clear();
  for (const Part& part : sealed) {
    if (parts_.empty() || place(parts_.back()) != place(part)) {
      parts_.push_back(part);
      continue;
    }
    for (std::size_t word = 0; word < part.cells.bits.size(); ++word)
      parts_.back().cells.bits[word] |= part.cells.bits[word];
  }
  if (!sizes_.empty()) unknowns_->layout().comm().sum_in_place(std::span<double>(sizes_));
}

/// Call f(row, mask of the part's cells in the row) for the rows of an array that hold cells of a part.
template <class Function>
void SealedBodies::for_each_row(const Part& part, double* values, Function&& f) const {
  const auto* masks = reinterpret_cast<const std::uint8_t*>(part.cells.bits.data());
  double* row = values + static_cast<std::size_t>(part.cells.block) * static_cast<std::size_t>(cells_);
  for (int r = 0; r < unknowns_->rows(); ++r, row += block_width)
    if (masks[r] != 0) f(row, masks[r]);
}

double SealedBodies::remove_means(double* values) {
  if (sizes_.empty()) return 0.0;
  const auto n_parts = static_cast<LocalIndex>(parts_.size());
  part_sums_.resize(parts_.size());
#pragma omp parallel for schedule(static)
  for (LocalIndex n = 0; n < n_parts; ++n) {
    RealRow sum{};
    for_each_row(parts_[n], values,
                 [&sum](const double* row, std::uint8_t mask) { sum += keep_lanes(mask, load_reals(row)); });
    part_sums_[n] = sum_lanes(sum);
  }
  body_sums_.assign(sizes_.size(), ExactSum());
  for (LocalIndex n = 0; n < n_parts; ++n) body_sums_[parts_[n].body].add(part_sums_[n]);
  unknowns_->layout().comm().sum_in_place(std::span<ExactSum>(body_sums_));
  means_.resize(sizes_.size());
  double lost = 0.0;
  for (std::size_t body = 0; body < sizes_.size(); ++body) {
    const double sum = body_sums_[body].round();
    means_[body] = sum / sizes_[body];
    lost += sum * sum / sizes_[body];
  }
  std::vector<double> shifts(means_);
  for (double& shift : shifts) shift = -shift;
  add(shifts, values);
  return std::sqrt(lost);
}

std::vector<double> SealedBodies::sums() const {
  std::vector<double> sums(sizes_.size(), 0.0);
  for (std::size_t body = 0; body < means_.size() && body < sums.size(); ++body)
    sums[body] = means_[body] * sizes_[body];
  return sums;
}

LocalIndex SealedBodies::body_at(LocalIndex block, int cell) const {
  const auto first = std::lower_bound(parts_.begin(), parts_.end(), block,
                                      [](const Part& part, LocalIndex b) { return part.cells.block < b; });
  for (auto part = first; part != parts_.end() && part->cells.block == block; ++part)
    if (part->cells.contains(cell)) return part->body;
  return -1;
}

void SealedBodies::add(std::span<const double> constants, double* values) const {
  const auto n_parts = static_cast<LocalIndex>(parts_.size());
#pragma omp parallel for schedule(static)
  for (LocalIndex n = 0; n < n_parts; ++n) {
    const RealRow constant = RealRow::all(constants[static_cast<std::size_t>(parts_[n].body)]);
    for_each_row(parts_[n], values, [&constant](double* row, std::uint8_t mask) {
      store_row(row, load_reals(row) + keep_lanes(mask, constant));
    });
  }
}

}  // namespace freshet::pressure
