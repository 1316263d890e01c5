// SPDX-License-Identifier: Apache-2.0
#include "freshet/air/vents.hpp"

#include "freshet/grid/block_shape.hpp"

#include <algorithm>

namespace freshet {
namespace {

/// The cells of a block whose centres lie in a shape.
template <class BlockCells>
Vents::Bits cells_inside(const Domain& domain, const Shape& shape, const Vec3i& place) {
  Vents::Bits bits{};
  const Vec3i first = place.cwiseProduct(domain.block_cells());
  const auto center = [&](const Vec3i& cell) -> Vec3 {
    return domain.origin() + domain.dx() * (cell.cast<double>() + Vec3::Constant(0.5));
  };
  for (int c = 0; c < BlockCells::cells; ++c) {
    const Vec3i cell = first + BlockCells::place(c);
    if (domain.contains_cell(cell) && shape.signed_distance(center(cell)) < 0.0)
      bits[static_cast<std::size_t>(c / 64)] |= std::uint64_t{1} << (c % 64);
  }
  return bits;
}

bool any(const Vents::Bits& bits) {
  return std::ranges::any_of(bits, [](std::uint64_t word) { return word != 0; });
}

}  // namespace

Vents::Vents(const Domain& domain, std::span<const std::shared_ptr<const Shape>> shapes) {
  for (const auto& shape : shapes) {
    Vec3i low = Vec3i::Zero(), high = Vec3i::Zero();
    for (int d = 0; d < domain.dimension(); ++d) {
      const double width = domain.dx() * domain.block_cells()[d];
      const auto block_at = [&](double x) {
        const double at = (x - domain.origin()[d]) / width;
        return static_cast<int>(
            std::clamp(at, 0.0, static_cast<double>((domain.cells()[d] - 1) / domain.block_cells()[d])));
      };
      low[d] = block_at(shape->bounds().lower[d]);
      high[d] = block_at(shape->bounds().upper[d]);
    }
    for (int k = low.z(); k <= high.z(); ++k)
      for (int j = low.y(); j <= high.y(); ++j)
        for (int i = low.x(); i <= high.x(); ++i) {
          const Vec3i place(i, j, k);
          const Bits bits = with_shape(domain.dimension(),
                                       [&](auto of) { return cells_inside<decltype(of)>(domain, *shape, place); });
          if (any(bits)) blocks_.push_back({place, bits});
        }
  }
}

bool Vents::reach(const Vec3i& place, const Bits& cells) const {
  return std::ranges::any_of(blocks_, [&](const Block& block) {
    if (block.place != place) return false;
    for (std::size_t k = 0; k < cells.size(); ++k)
      if ((block.bits[k] & cells[k]) != 0) return true;
    return false;
  });
}

}  // namespace freshet
