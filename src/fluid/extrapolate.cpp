// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/extrapolate.hpp"

#include "distance.hpp"
#include "face_bits.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/grid/halo.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace freshet {
namespace {

using Lanes [[gnu::vector_size(64)]] = double;  ///< a row of eight faces
using Integers [[gnu::vector_size(64)]] = std::int64_t;

/// A row of eight faces of component d and the faces around it: what extrapolation sums.
///
/// The cost is one of instructions: 9 masked additions of a row, and 18 tests at its ends, which only faces at the ends
/// of the row need.
template <class Shape>
class RowSums {
 public:
  /// \param[in] blocks  the 27 blocks around. \param[in] known  planes of the component's known faces, all slots
  /// \param[in] wanted  bits of the faces that need a mean
  RowSums(const CellField<double>& u, const std::uint64_t* known, const LocalIndex* blocks, int j, int k,
          std::uint64_t wanted) {
    constexpr int z = Shape::dim == 3 ? 1 : 0;
    const bool at_start = (wanted & 1U) != 0;
    const bool at_end = (wanted & 0x80U) != 0;
    for (int dk = -z; dk <= z; ++dk)
      for (int dj = -1; dj <= 1; ++dj) {
        const int y = j + dj < 0 ? -1 : j + dj >= Shape::ny ? 1 : 0;
        const int side = k + dk < 0 ? -1 : k + dk >= Shape::nz ? 1 : 0;
        const int row = j + dj - Shape::ny * y + Shape::ny * (k + dk - Shape::nz * side);
        const int middle = direction_index(0, y, side);
        const std::uint64_t bits = row_bits(known, blocks[middle], row);
        if (bits != 0) add_row(u.block(blocks[middle]) + Shape::nx * row, bits);
        if (at_start) add_end(u, known, blocks[middle - 1], row, Shape::nx - 1, before_, n_before_);
        if (at_end) add_end(u, known, blocks[middle + 1], row, 0, after_, n_after_);
      }
  }

  /// Means over the faces around each; any numbers for faces that were not wanted.
  void means(double* mean) const {
    // a byte counts up to 27, so that sums of bytes do not reach the next one
    const std::uint64_t counts = count_ + (count_ << 8 | n_before_) + (count_ >> 8 | n_after_ << 56);
    const Lanes lower = __builtin_shufflevector(sum_, Lanes{} + before_, 8, 0, 1, 2, 3, 4, 5, 6);
    const Lanes upper = __builtin_shufflevector(sum_, Lanes{} + after_, 1, 2, 3, 4, 5, 6, 7, 8);
    Integers n = ((Integers{} + static_cast<std::int64_t>(counts)) >> Integers{0, 8, 16, 24, 32, 40, 48, 56}) & 0xff;
    n = n > 1 ? n : Integers{} + 1;
    const Lanes result = (lower + sum_ + upper) / __builtin_convertvector(n, Lanes);
    std::memcpy(mean, &result, sizeof result);
  }

 private:
  static std::uint64_t row_bits(const std::uint64_t* known, LocalIndex block, int row) {
    return known[Shape::nz * block + row / Shape::ny] >> Shape::nx * (row % Shape::ny) & 0xff;
  }
  void add_row(const double* values, std::uint64_t bits) {
    Lanes row;
    std::memcpy(&row, values, sizeof row);
    const Integers selected = (Integers{} + static_cast<std::int64_t>(bits)) & Integers{1, 2, 4, 8, 16, 32, 64, 128};
    sum_ += selected != 0 ? row : Lanes{};
    count_ += bytes_of_bits[bits];
  }
  static void add_end(const CellField<double>& u, const std::uint64_t* known, LocalIndex block, int row, int i,
                      double& sum, std::uint64_t& count) {
    if ((row_bits(known, block, row) >> i & 1U) == 0) return;
    sum += u.block(block)[Shape::nx * row + i];
    ++count;
  }

  Lanes sum_{};              ///< of the rows around, by x
  std::uint64_t count_ = 0;  ///< of known faces likewise, a byte each
  double before_ = 0.0, after_ = 0.0;
  std::uint64_t n_before_ = 0, n_after_ = 0;
};

}  // namespace

/// Find the blocks around each ghost block, and on which sides of it owned ones lie.
void Extrapolation::link_ghosts(const BlockLayout& layout) {
  layout_ = &layout;
  if (layout_id_ == layout.id()) return;
  layout_id_ = layout.id();
  const auto n_ghost = static_cast<std::size_t>(layout.n_ghost());
  ghost_neighbours_.assign(n_directions * n_ghost, layout.background());
  ghost_sides_.assign(n_ghost, 0);
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < n_ghost; ++g) {
    const Vec3i coords = layout.block_coords(layout.n_owned() + static_cast<LocalIndex>(g));
    for (int direction = 0; direction < n_directions; ++direction) {
      Vec3i block = coords + direction_offset(direction);
      if (!layout.domain().wrap_block(block)) continue;
      const LocalIndex found = layout.find(morton_key(block));
      ghost_neighbours_[n_directions * g + static_cast<std::size_t>(direction)] = found;
      if (found < layout.n_owned()) ghost_sides_[g] |= 1U << direction;
    }
  }
}

/// The 27 blocks around an owned or a ghost block.
const LocalIndex* Extrapolation::neighbours(LocalIndex block) const {
  if (block < layout_->n_owned()) return layout_->neighbours(block);
  return &ghost_neighbours_[n_directions * static_cast<std::size_t>(block - layout_->n_owned())];
}

/// The cells of a plane within `width` cells of an owned block.
template <class Shape>
std::uint64_t Extrapolation::reachable(LocalIndex block, int width, int k) const {
  if (block < layout_->n_owned()) return ~0ULL;
  std::uint64_t plane = 0;
  for (std::uint32_t sides = width > 0 ? ghost_sides_[static_cast<std::size_t>(block - layout_->n_owned())] : 0;
       sides != 0; sides &= sides - 1)
    plane |= rim_plane<Shape>(direction_offset(std::countr_zero(sides)), width, k);
  return plane;
}

/// Faces of liquid cells are known, unless a body covers them; on ghosts as far as the layers read.
template <class Shape>
void Extrapolation::find_known(const LabelField& labels, const SolidFields& solids, int layers) {
  static_assert(static_cast<int>(Label::liquid) == 1 && static_cast<int>(Label::solid) == 2);  // bit 0 says liquid
  const LocalIndex n_blocks = layout_->n_blocks();
  const std::size_t n_planes = static_cast<std::size_t>(layout_->n_slots()) * Shape::nz;
  liquid_.assign(n_planes, 0);
  for (auto& planes : known_) planes.assign(n_planes, 0);
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_blocks; ++b)
    for (int k = 0; k < Shape::nz; ++k)
      liquid_[static_cast<std::size_t>(Shape::nz * b + k)] =
          plane_of(reinterpret_cast<const std::uint8_t*>(labels.block(b)) + 64 * k, 0) &
          reachable<Shape>(b, layers + 1, k);
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_blocks; ++b) {
    const LocalIndex* around = neighbours(b);
    const bool any_covered = solids.any_fractions() && solids.has_closed_face(b);
    const auto plane = [&](int direction, int k) {
      return liquid_[static_cast<std::size_t>(Shape::nz * around[direction] + k)];
    };
    for (int k = 0; k < Shape::nz; ++k) {
      const std::uint64_t here = plane(self_direction, k);
      const std::uint64_t lower[3] = {
          (here & ~high_column) << 1 | (plane(direction_index(-1, 0, 0), k) & high_column) >> 7,
          here << 8 | plane(direction_index(0, -1, 0), k) >> 56,
          k > 0 ? plane(self_direction, k - 1) : plane(direction_index(0, 0, -1), Shape::nz - 1)};
      for (int d = 0; d < Shape::dim; ++d) {
        std::uint64_t known = (here | lower[d]) & reachable<Shape>(b, layers, k);
        if (any_covered) known &= ~plane_of(solids.wall()[d].block(b) + 64 * k, std::countr_zero(unsigned{covered}));
        known_[static_cast<std::size_t>(d)][static_cast<std::size_t>(Shape::nz * b + k)] = known;
      }
    }
  }
  incomplete_.clear();
  for (LocalIndex b = 0; b < n_blocks; ++b) {
    if (b == layout_->n_owned()) n_incomplete_owned_ = incomplete_.size();
    std::uint64_t all = ~0ULL;
    for (int d = 0; d < Shape::dim; ++d)
      for (int k = 0; k < Shape::nz; ++k)
        all &= known_[static_cast<std::size_t>(d)][static_cast<std::size_t>(Shape::nz * b + k)];
    if (all != ~0ULL) incomplete_.push_back(b);
  }
  if (n_blocks == layout_->n_owned()) n_incomplete_owned_ = incomplete_.size();
}

/// Find the values of the block's unknown faces next to known ones. On a ghost only faces within `width` cells of owned
/// blocks count: no later layer reads the others.
template <class Shape>
void Extrapolation::find_rows(FaceField<double>& velocity, LocalIndex block, int width,
                              std::vector<RowUpdate>& updates) {
  const LocalIndex* around = neighbours(block);
  for (int d = 0; d < Shape::dim; ++d) {
    std::uint64_t* known = known_[static_cast<std::size_t>(d)].data();
    std::uint64_t grown[Shape::nz + 2] = {};
    for (int k = Shape::dim == 3 ? -1 : 0; k < Shape::nz + (Shape::dim == 3 ? 1 : 0); ++k) {
      const int side = k < 0 ? -1 : k >= Shape::nz ? 1 : 0;
      std::uint64_t planes[9];
      for (int n = 0; n < 9; ++n) planes[n] = known[Shape::nz * around[n + 9 * (side + 1)] + k - Shape::nz * side];
      grown[k + 1] = grow(planes);
    }
    for (int k = 0; k < Shape::nz; ++k) {
      std::uint64_t* own = known + Shape::nz * block + k;
      std::uint64_t found = (grown[k] | grown[k + 1] | grown[k + 2]) & ~*own;
      if (found != 0) found &= reachable<Shape>(block, width, k);
      for (int j = 0; j < Shape::ny && found >> 8 * j != 0; ++j) {
        const std::uint64_t faces = found & 0xffULL << 8 * j;
        if (faces == 0) continue;
        RowUpdate& update = updates.emplace_back();
        update.row = velocity[d].block(block) + Shape::cell(0, j, k);
        update.plane = own;
        update.faces = faces;
        RowSums<Shape>(velocity[d], known, around, j, k, faces >> 8 * j).means(update.mean);
      }
    }
  }
}

template <class Shape>
void Extrapolation::extrapolate_layers(int layers, FaceField<double>& velocity) {
  row_updates_.resize(static_cast<std::size_t>(omp_get_max_threads()));
  const auto n = static_cast<std::int64_t>(incomplete_.size());
#pragma omp parallel
  {
    std::vector<RowUpdate>& updates = row_updates_[static_cast<std::size_t>(omp_get_thread_num())];
    for (int layer = 0; layer < layers; ++layer) {
      updates.clear();
#pragma omp for schedule(static)
      for (std::int64_t m = 0; m < n; ++m)
        find_rows<Shape>(velocity, incomplete_[static_cast<std::size_t>(m)], layers - 1 - layer, updates);
      for (const RowUpdate& update : updates) {
        *update.plane |= update.faces;
        const std::uint64_t bits = update.faces >> (std::countr_zero(update.faces) & ~7);
        for (int i = 0; i < Shape::nx; ++i) update.row[i] = (bits >> i & 1U) != 0 ? update.mean[i] : update.row[i];
      }
#pragma omp barrier
    }
  }
}

/// Owned faces that no layer has reached become 0.
template <class Shape>
void Extrapolation::clear_unknown(FaceField<double>& velocity) const {
#pragma omp parallel for schedule(static)
  for (std::size_t m = 0; m < n_incomplete_owned_; ++m)
    for (int d = 0; d < Shape::dim; ++d)
      for (int r = 0; r < Shape::rows; ++r) {
        const LocalIndex b = incomplete_[m];
        const std::uint64_t bits =
            known_[static_cast<std::size_t>(d)][static_cast<std::size_t>(Shape::nz * b + r / Shape::ny)] >>
            Shape::nx * (r % Shape::ny);
        double* row = velocity[d].block(b) + Shape::nx * r;
        for (int i = 0; i < Shape::nx; ++i) row[i] = (bits >> i & 1U) != 0 ? row[i] : 0.0;
      }
}

template <class Shape>
void Extrapolation::extrapolate_by_distance(const LabelField& labels, const SolidFields& solids, int layers,
                                            FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  distance_.reset(layout, unknown_distance);
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b) {
    for (int d = 0; d < Shape::dim; ++d)
      start_distance<Shape>(labels, d, b, unknown_distance, distance_[d].block(b), velocity[d].block(b));
    for (const CoveredFace& face : solids.covered_faces(b)) {
      distance_[face.axis].block(b)[face.face] = unknown_distance;
      velocity[face.axis].block(b)[face.face] = 0.0;
    }
  }
  const double farthest = static_cast<double>(Shape::dim) *
                          layers;  // [cells] an upwind distance is at most the sum of those along the axes
  const int most_rounds =
      4 * Shape::dim * (layers + 1);  // four times what convergence needs; with a NaN it never converges
  updates_.resize(static_cast<std::size_t>(omp_get_max_threads()));
  bool changes = layers > 0;
  for (int round = 0; changes && round < most_rounds; ++round) {
    layout.halo().gather(distance_, 1);
    layout.halo().gather(velocity, 1);
    bool any = false;
#pragma omp parallel reduction(|| : any)
    {
      std::vector<Update>& updates = updates_[static_cast<std::size_t>(omp_get_thread_num())];
      updates.clear();
#pragma omp for schedule(static)
      for (std::size_t m = 0; m < n_incomplete_owned_; ++m)
        for (int d = 0; d < Shape::dim; ++d) {
          const LocalIndex b = incomplete_[m];
          follow_distance<Shape>(distance_[d], velocity[d],
                                 &known_[static_cast<std::size_t>(d)][static_cast<std::size_t>(Shape::nz * b)], b,
                                 farthest, [&](double* face, double value) {
                                   updates.push_back({face, value});
                                 });
        }
      for (const Update& update : updates) *update.face = update.value;
      any = !updates.empty();
    }
    changes = layout.comm().any(any);
  }
}

void Extrapolation::operator()(LabelField& labels, const SolidFields& solids, int layers, FaceField<double>& velocity) {
  FRESHET_EXPECT(layers >= 0 && layers < block_width);
  link_ghosts(velocity.layout());
  layout_->halo().gather(labels, layers + 1);
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_known<Shape>(labels, solids, layers);
    if (method_ == ExtrapolationMethod::distance)
      return extrapolate_by_distance<Shape>(labels, solids, layers, velocity);  // clears what it starts from
    if (layers > 0) layout_->halo().gather(velocity, layers);
    extrapolate_layers<Shape>(layers, velocity);
    clear_unknown<Shape>(velocity);
  });
}

}  // namespace freshet
