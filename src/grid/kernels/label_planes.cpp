// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/kernels/label_planes.hpp"

#include "freshet/grid/kernels/face_bits.hpp"

namespace freshet {

void LabelPlanes::find(const LabelField& labels) {
  static_assert(static_cast<int>(Label::liquid) == 1 && static_cast<int>(Label::solid) == 2);  // a bit for each
  const auto n_slots = static_cast<std::size_t>(labels.layout().n_slots());
  with_shape(labels.layout().domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    for (CellPlanes* planes : {&liquid, &solid}) planes->resize(n_slots * Shape::nz);
    for (auto* of_slots : {&has_liquid, &has_air}) of_slots->resize(n_slots);
#pragma omp parallel for schedule(static)
    for (std::size_t slot = 0; slot < n_slots; ++slot) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(labels.block(static_cast<LocalIndex>(slot)));
      std::uint64_t any = 0;
      std::uint64_t all = ~0ULL;
      for (int k = 0; k < Shape::nz; ++k) {
        const std::size_t plane = slot * Shape::nz + static_cast<std::size_t>(k);
        liquid[plane] = plane_of(bytes + 64 * k, 0);
        solid[plane] = plane_of(bytes + 64 * k, 1);
        any |= liquid[plane];
        all &= liquid[plane] | solid[plane];
      }
      has_liquid[slot] = any != 0 ? 1 : 0;
      has_air[slot] = all != ~0ULL ? 1 : 0;
    }
  });
}

}  // namespace freshet
