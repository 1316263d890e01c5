// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/chambers.hpp"

#include "freshet/core/parallel_for.hpp"

#include <algorithm>
#include <cstring>

namespace freshet {

void Chambers::find(const LabelField& labels, const SolidFields& solids, std::span<const std::uint8_t> near) {
  const BlockLayout& layout = labels.layout();
  if (layout_id_ == layout.id() && !solids.any_moving()) return;
  layout_id_ = layout.id();
  fluid_.reset(layout, Label::solid);
  parallel_for_blocks(layout.n_blocks(), [&](LocalIndex b) {
    std::transform(labels.block(b), labels.block(b) + layout.cells_per_block(), fluid_.block(b),
                   [](Label label) { return label == Label::solid ? Label::solid : Label::air; });
  });
  regions_.find(fluid_, solids, near);
}

std::span<const std::int32_t> Chambers::of_regions(const std::vector<AirRegions::Region>& air) {
  of_regions_.assign(air.size(), 0);
  if (count() < 2) return of_regions_;
  const BlockLayout& layout = fluid_.layout();
  found_.clear();
  for (std::size_t n = 0; n < air.size(); ++n) {
    const LocalIndex b = layout.find_owned(air[n].block);
    if (b != layout.background())
      found_.push_back({static_cast<std::int32_t>(n), regions_.number().block(b)[air[n].cell]});
  }
  std::span<const std::byte> rest = gather_(layout.comm(), std::as_bytes(std::span(found_)));
  for (; !rest.empty(); rest = rest.subspan(sizeof(Found))) {
    Found of{};
    std::memcpy(&of, rest.data(), sizeof of);
    of_regions_[static_cast<std::size_t>(of.region)] = of.chamber;
  }
  return of_regions_;
}

}  // namespace freshet
