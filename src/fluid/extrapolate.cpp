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

/// Sums over known faces, for a row of eight faces.
struct RowSum {
  Lanes sum;            ///< [m/s]
  std::uint64_t count;  ///< known faces, a byte for each face of the row

  RowSum operator+(const RowSum& other) const { return {sum + other.sum, count + other.count}; }

  Lanes mean() const {
    Integers n = ((Integers{} + static_cast<std::int64_t>(count)) >> Integers{0, 8, 16, 24, 32, 40, 48, 56}) & 0xff;
    n = n > 1 ? n : Integers{} + 1;
    return sum / __builtin_convertvector(n, Lanes);
  }
};

/// Bit j is set if row j of a plane has a bit.
unsigned rows_of(std::uint64_t plane) {
  const std::uint64_t all_but_high = plane & ~high_column;
  const std::uint64_t any = (((all_but_high + ~high_column) | plane) & high_column) >> 7;
  return static_cast<unsigned>(any * 0x0102040810204080 >> 56);
}

/// Sums of one component around the rows of one block.
///
/// Each face's 27 neighbours are summed along x, then y, then z, so that rows next to each other share their sums. A
/// sum depends on the known faces around it only, not on the block or the rank that finds it.
/// What limits it: instructions, about 25 for a row's sums along x and 10 for each further axis.
template <class Shape>
class SumsAround {
 public:
  /// \param[in] known  planes of the component's known faces, all slots. \param[in] around  the 27 blocks around
  SumsAround(const CellField<double>& u, const std::uint64_t* known, const LocalIndex* around)
      : u_(u), known_(known), around_(around) {}

  /// Sum 3x3 faces in plane k, -1 .. 8, around those of some rows. \param[in] rows  bit j: row j is wanted
  void sum_plane(int k, unsigned rows, RowSum* of_rows) const {
    const unsigned reached = rows | rows << 1 | rows << 2;  // bit j + 1: row j
    RowSum row[Shape::ny + 2];
    for (unsigned left = reached; left != 0; left &= left - 1) {
      const int n = std::countr_zero(left);
      row[n] = along_x(n - 1, k);
    }
    for (unsigned left = rows; left != 0; left &= left - 1) {
      const int j = std::countr_zero(left);
      of_rows[j] = row[j] + row[j + 1] + row[j + 2];
    }
  }

 private:
  RowSum along_x(int j, int k) const {
    const int y = j < 0 ? -1 : j >= Shape::ny ? 1 : 0;
    const int z = k < 0 ? -1 : k >= Shape::nz ? 1 : 0;
    const LocalIndex* middle = around_ + direction_index(0, y, z);
    const int row = j - Shape::ny * y + Shape::ny * (k - Shape::nz * z);
    const std::uint64_t before = row_bits(middle[-1], row) >> (Shape::nx - 1);
    const std::uint64_t here = row_bits(middle[0], row);
    const std::uint64_t after = row_bits(middle[1], row) & 1U;
    if ((before | here | after) == 0) return {Lanes{}, 0};
    Lanes values;
    std::memcpy(&values, u_.block(middle[0]) + Shape::nx * row, sizeof values);
    const Integers selected = (Integers{} + static_cast<std::int64_t>(here)) & Integers{1, 2, 4, 8, 16, 32, 64, 128};
    values = selected != 0 ? values : Lanes{};
    const double low = before != 0 ? u_.block(middle[-1])[Shape::nx * row + Shape::nx - 1] : 0.0;
    const double high = after != 0 ? u_.block(middle[1])[Shape::nx * row] : 0.0;
    const Lanes lower = __builtin_shufflevector(values, Lanes{} + low, 8, 0, 1, 2, 3, 4, 5, 6);
    const Lanes upper = __builtin_shufflevector(values, Lanes{} + high, 1, 2, 3, 4, 5, 6, 7, 8);
    // a byte counts up to 27, so that sums of bytes do not reach the next one
    const std::uint64_t count = bytes_of_bits[here];
    return {lower + values + upper, count + (count << 8 | before) + (count >> 8 | after << 56)};
  }
  std::uint64_t row_bits(LocalIndex block, int row) const {
    return known_[Shape::nz * block + row / Shape::ny] >> Shape::nx * (row % Shape::ny) & 0xff;
  }

  const CellField<double>& u_;
  const std::uint64_t* known_;
  const LocalIndex* around_;
};

/// Set the faces of a row whose bits are set.
void write_faces(const Lanes& mean, std::uint64_t bits, double* row) {
  Lanes values;
  std::memcpy(&values, row, sizeof values);
  const Integers selected = (Integers{} + static_cast<std::int64_t>(bits)) & Integers{1, 2, 4, 8, 16, 32, 64, 128};
  values = selected != 0 ? mean : values;
  std::memcpy(row, &values, sizeof values);
}

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

/// Faces of a block that become known in this layer, by plane. On a ghost only faces within `width` cells of owned
/// blocks count: no later layer reads the others. \return whether there are any
template <class Shape>
bool Extrapolation::find_next(const std::uint64_t* known, LocalIndex block, int width, std::uint64_t* next) const {
  const LocalIndex* around = neighbours(block);
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  std::uint64_t grown[Shape::nz + 2] = {};
  for (int k = -z; k < Shape::nz + z; ++k) {
    const int side = k < 0 ? -1 : k >= Shape::nz ? 1 : 0;
    std::uint64_t planes[9];
    for (int n = 0; n < 9; ++n) planes[n] = known[Shape::nz * around[n + 9 * (side + 1)] + k - Shape::nz * side];
    grown[k + 1] = grow(planes);
  }
  std::uint64_t any = 0;
  for (int k = 0; k < Shape::nz; ++k) {
    next[k] = (grown[k] | grown[k + 1] | grown[k + 2]) & ~known[Shape::nz * block + k];
    if (next[k] != 0) next[k] &= reachable<Shape>(block, width, k);
    any |= next[k];
  }
  return any != 0;
}

/// Find the values of a block's unknown faces next to known ones. Threads read known faces only, so values are written
/// at once, unless another thread may read their row; that they are known is written later.
/// \param[in] is_alone  no other thread reads this block
template <class Shape>
void Extrapolation::find_block(FaceField<double>& velocity, LocalIndex block, int width, bool is_alone,
                               Updates& updates) {
  constexpr int z = Shape::dim == 3 ? 1 : 0;
  for (int d = 0; d < Shape::dim; ++d) {
    std::uint64_t* known = known_[static_cast<std::size_t>(d)].data();
    std::uint64_t next[Shape::nz];
    if (!find_next<Shape>(known, block, width, next)) continue;
    unsigned rows[Shape::nz + 4] = {};  // of plane k, number k + 2
    for (int k = 0; k < Shape::nz; ++k) {
      rows[k + 2] = rows_of(next[k]);
      if (next[k] != 0) updates.planes.push_back({known + Shape::nz * block + k, next[k]});
    }
    const SumsAround<Shape> around(velocity[d], known, neighbours(block));
    RowSum plane[4][Shape::ny];  // of plane k, number k & 3
    for (int k = -z; k < Shape::nz + z; ++k) {
      const unsigned wanted = z == 0 ? rows[k + 2] : rows[k + 1] | rows[k + 2] | rows[k + 3];
      around.sum_plane(k, wanted, plane[k & 3]);
      const int at = k - z;  // the plane whose neighbours have been summed
      for (unsigned left = at >= 0 ? rows[at + 2] : 0U; left != 0; left &= left - 1) {
        const int j = std::countr_zero(left);
        const RowSum sum = z == 0 ? plane[k & 3][j] : plane[(at - 1) & 3][j] + plane[at & 3][j] + plane[k & 3][j];
        const std::uint64_t bits = next[at] >> 8 * j & 0xff;
        double* row = velocity[d].block(block) + Shape::cell(0, j, at);
        if (is_alone) {
          write_faces(sum.mean(), bits, row);
        } else {
          RowUpdate& update = updates.rows.emplace_back();
          update.row = row;
          update.faces = bits;
          const Lanes mean = sum.mean();
          std::memcpy(update.mean, &mean, sizeof mean);
        }
      }
    }
  }
}

template <class Shape>
void Extrapolation::extrapolate_layers(int layers, FaceField<double>& velocity) {
  updates_of_layer_.resize(static_cast<std::size_t>(omp_get_max_threads()));
  const auto n = static_cast<std::int64_t>(incomplete_.size());
#pragma omp parallel
  {
    const auto thread = static_cast<std::int64_t>(omp_get_thread_num());
    const auto n_threads = static_cast<std::int64_t>(omp_get_num_threads());
    Updates& updates = updates_of_layer_[static_cast<std::size_t>(thread)];
    const auto begin = static_cast<std::size_t>(n * thread / n_threads);
    const auto end = static_cast<std::size_t>(n * (thread + 1) / n_threads);
    for (int layer = 0; layer < layers; ++layer) {
      updates.planes.clear();
      updates.rows.clear();
      for (std::size_t m = begin; m < end; ++m) {
        const LocalIndex block = incomplete_[m];
        const LocalIndex* around = neighbours(block);
        const bool is_alone =
            n_threads == 1 || std::all_of(around, around + n_directions, [&](LocalIndex b) {
              return b == layout_->background() || (b >= incomplete_[begin] && b <= incomplete_[end - 1]);
            });
        find_block<Shape>(velocity, block, layers - 1 - layer, is_alone, updates);
      }
#pragma omp barrier
      for (const PlaneUpdate& update : updates.planes) *update.plane |= update.faces;
      for (const RowUpdate& update : updates.rows) {
        Lanes mean;
        std::memcpy(&mean, update.mean, sizeof mean);
        write_faces(mean, update.faces, update.row);
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
