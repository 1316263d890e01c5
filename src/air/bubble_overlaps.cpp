// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/bubble_overlaps.hpp"

#include "freshet/core/parallel_for.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>

namespace freshet {
namespace {

using Overlap = BubbleOverlaps::Overlap;

std::size_t index_of(std::int32_t number) {
  return static_cast<std::size_t>(number);
}

/// Whether an overlap is that of a region too small for a bubble.
bool is_small(const Overlap& overlap, std::span<const BubbleOverlaps::Kind> kind) {
  return overlap.region != BubbleOverlaps::none && kind[index_of(overlap.region)] == BubbleOverlaps::Kind::small;
}

/// Add an overlap to those of a block, which has few.
void add_overlap(std::vector<Overlap>& list, const Overlap& overlap) {
  const auto same = std::find_if(list.rbegin(), list.rend(), [&](const Overlap& other) {
    return other.region == overlap.region && other.before == overlap.before;
  });
  if (same == list.rend()) {
    list.push_back(overlap);
  } else {
    same->weight += overlap.weight;
    same->beside += overlap.beside;
  }
}

}  // namespace

/// Sort a list, and add up the overlaps of the same two.
void BubbleOverlaps::merge(std::vector<Overlap>& list) {
  std::ranges::sort(list, {}, [](const Overlap& o) { return std::tuple(o.region, o.before, o.weight, o.beside); });
  std::size_t n = 0;
  for (const Overlap& overlap : list) {
    if (n > 0 && list[n - 1].region == overlap.region && list[n - 1].before == overlap.before) {
      list[n - 1].weight += overlap.weight;
      list[n - 1].beside += overlap.beside;
    } else {
      list[n++] = overlap;
    }
  }
  list.resize(n);
}

/// Let cells beside a bubble of the step before count only if no region has cells inside it.
void BubbleOverlaps::keep_closest(std::size_t n_before, std::span<const Kind> kind) {
  has_inside_.assign(n_before, 0);
  for (const Overlap& overlap : all_)
    if (overlap.before != none && overlap.weight > 0 && !is_small(overlap, kind))
      has_inside_[index_of(overlap.before)] = 1;
  for (Overlap& overlap : all_)
    if (overlap.before != none && has_inside_[index_of(overlap.before)] == 0)
      overlap.weight = overlap.region != none ? overlap.beside : 0;
  std::erase_if(all_, [](const Overlap& overlap) { return overlap.weight == 0; });
}

void BubbleOverlaps::find_shares(std::span<const Kind> kind, std::span<const double> volume, std::size_t n_before) {
  of_region_.assign(volume.size(), 0.0);
  for (std::vector<double>* values : {&of_before_, &lost_, &volume_of_before_}) values->assign(n_before, 0.0);
  for (const Overlap& overlap : all_) {
    if (is_small(overlap, kind)) continue;
    const auto weight = static_cast<double>(overlap.weight);
    if (overlap.region != none) of_region_[index_of(overlap.region)] += weight;
    if (overlap.before == none) continue;
    of_before_[index_of(overlap.before)] += weight;
    if (overlap.region == none) lost_[index_of(overlap.before)] += weight;
  }
  const auto volume_of = [&](const Overlap& overlap) {
    const std::size_t region = index_of(overlap.region);
    return volume[region] * static_cast<double>(overlap.weight) / of_region_[region];
  };
  for (const Overlap& overlap : all_)
    if (overlap.region != none && overlap.before != none && !is_small(overlap, kind))
      volume_of_before_[index_of(overlap.before)] += volume_of(overlap);
  for (Overlap& overlap : all_) {
    if (overlap.region == none || is_small(overlap, kind)) continue;
    if (overlap.before == none) {
      overlap.part = static_cast<double>(overlap.weight) / of_region_[index_of(overlap.region)];
    } else if (const std::size_t o = index_of(overlap.before); volume_of_before_[o] > 0.0) {
      overlap.part = (1.0 - lost_[o] / of_before_[o]) * volume_of(overlap) / volume_of_before_[o];
    }
  }
}

void BubbleOverlaps::find(const CellField<std::int32_t>& region, std::span<const std::uint8_t> near,
                          std::span<const Kind> kind, std::span<const double> volume, const CellField<double>& before,
                          std::size_t n_before) {
  const BlockLayout& layout = region.layout();
  of_block_.resize(std::max(of_block_.size(), static_cast<std::size_t>(layout.n_owned())));
  parallel_for_blocks(layout.n_owned(), [&](LocalIndex b) {
    std::vector<Overlap>& list = of_block_[static_cast<std::size_t>(b)];
    list.clear();
    if (near[static_cast<std::size_t>(b)] == 0) return;
    const std::int32_t* const number = region.block(b);
    const double* const mark = before.block(b);
    for (int c = 0; c < layout.cells_per_block(); ++c) {
      if (number[c] < 0 || mark[c] == no_air) continue;
      const bool is_closed = kind[index_of(number[c])] != Kind::atmosphere;
      if (!is_closed && mark[c] == atmosphere) continue;
      const std::int64_t beside = mark[c] != atmosphere ? static_cast<std::int64_t>(mark[c]) % 2 : 0;
      add_overlap(list, {is_closed ? number[c] : none,
                         mark[c] == atmosphere ? none : static_cast<std::int32_t>(mark[c]) / 2, 1 - beside, beside});
    }
  });
  here_.clear();
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    const std::vector<Overlap>& list = of_block_[static_cast<std::size_t>(b)];
    here_.insert(here_.end(), list.begin(), list.end());
  }
  merge(here_);
  const std::span<const std::byte> bytes = gather_(layout.comm(), std::as_bytes(std::span(here_)));
  all_.resize(bytes.size() / sizeof(Overlap));
  if (!bytes.empty()) std::memcpy(all_.data(), bytes.data(), bytes.size());
  merge(all_);
  keep_closest(n_before, kind);
  find_shares(kind, volume, n_before);
}

std::span<const Overlap> BubbleOverlaps::of_region(std::int32_t region) const {
  const auto begin = std::ranges::lower_bound(all_, region, {}, &Overlap::region);
  const auto end = std::ranges::upper_bound(all_, region, {}, &Overlap::region);
  return {begin, end};
}

}  // namespace freshet
