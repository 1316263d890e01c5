// SPDX-License-Identifier: Apache-2.0
#include "freshet/fluid/extrapolate.hpp"

#include "distance.hpp"
#include "freshet/core/contracts.hpp"
#include "freshet/grid/halo.hpp"
#include "freshet/grid/kernels/face_bits.hpp"
#include "freshet/grid/kernels/row.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace freshet {
namespace {

/// Sums over known faces, for a row of eight faces.
struct RowSum {
  RealRow sum;          ///< [m/s]
  std::uint64_t count;  ///< known faces, a byte for each face of the row

  RowSum operator+(const RowSum& other) const { return {sum + other.sum, count + other.count}; }

  RealRow mean() const {
    constexpr RealMask places = RealMask::of({0, 8, 16, 24, 32, 40, 48, 56});
    const RealMask n = (RealMask::all(static_cast<std::int64_t>(count)) >> places) & 0xff;
    return sum / to_reals(select(n > 1, n, RealMask::all(1)));
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
/// In blocks with few unknown faces instructions bound the speed; in spray the wait for rows that no cache holds does,
/// so rows are prefetched one block ahead.
template <class Shape>
class RowSums {
 public:
  /// \param[in] known  known faces of the component. \param[in] around  the 27 blocks around
  RowSums(const CellField<double>& u, const PlaneTile<Shape>& known, const LocalIndex* around)
      : u_(u), known_(known), around_(around) {}

  /// Prefetch the memory that sum_plane() will read, and that of rows which will be written.
  void prefetch(int k, unsigned rows, unsigned written) const {
    for (unsigned left = (around_rows(rows) & known_rows(k)) | written << 1; left != 0; left &= left - 1) {
      const Row row(*this, std::countr_zero(left) - 1, k);
      __builtin_prefetch(u_.block(row.middle[0]) + row.first);
      if (row.before != 0) __builtin_prefetch(u_.block(row.middle[-1]) + row.first);
      if (row.after != 0) __builtin_prefetch(u_.block(row.middle[1]) + row.first);
    }
  }

  /// Sum 3x3 faces in plane k, -1 .. 8, around those of some rows. \param[in] rows  bit j: row j is wanted
  void sum_plane(int k, unsigned rows, RowSum* of_rows) const {
    const unsigned reached = around_rows(rows);
    const unsigned known = known_rows(k);
    RowSum row[Shape::ny + 2];
    for (unsigned left = reached & ~known; left != 0; left &= left - 1) row[std::countr_zero(left)] = {RealRow{}, 0};
    for (unsigned left = reached & known; left != 0; left &= left - 1) {
      const int n = std::countr_zero(left);
      row[n] = along_x(Row(*this, n - 1, k));
    }
    for (unsigned left = rows; left != 0; left &= left - 1) {
      const int j = std::countr_zero(left);
      of_rows[j] = row[j] + row[j + 1] + row[j + 2];
    }
  }

 private:
  /// Row j, -1 .. 8, of plane k: its place, and the known ones of its faces and of those at its ends.
  struct Row {
    const LocalIndex* middle;  ///< the row's block, between those before and after it
    int first;                 ///< index of the row's first face in the block
    std::uint64_t before, here, after;

    Row(const RowSums& sums, int j, int k) {
      const int y = j < 0 ? -1 : j >= Shape::ny ? 1 : 0;
      const int z = k < 0 ? -1 : k >= Shape::nz ? 1 : 0;
      const int j_block = j - Shape::ny * y;
      const std::uint64_t* plane = sums.known_.nine(k) + 3 * (y + 1);
      before = plane[0] >> (Shape::nx * j_block + Shape::nx - 1) & 1U;
      here = plane[1] >> Shape::nx * j_block & 0xff;
      after = plane[2] >> Shape::nx * j_block & 1U;
      middle = sums.around_ + direction_index(0, y, z);
      first = Shape::nx * (j_block + Shape::ny * (k - Shape::nz * z));
    }
  };

  /// The given rows and those next to them; bit j + 1 stands for row j.
  static unsigned around_rows(unsigned rows) { return rows | rows << 1 | rows << 2; }
  /// The rows with a known face; bit j + 1 stands for row j.
  unsigned known_rows(int k) const {
    const std::uint64_t* plane = known_.nine(k);
    return rows_of(plane[4] | (plane[3] & high_column) | (plane[5] & low_column)) << 1 |
           static_cast<unsigned>((plane[0] >> 63 | plane[1] >> 56 | (plane[2] >> 56 & 1U)) != 0) |
           static_cast<unsigned>(((plane[6] >> 7 & 1U) | (plane[7] & 0xff) | (plane[8] & 1U)) != 0) << (Shape::ny + 1);
  }
  /// The value if the bit is 1, else 0, without an unpredictable branch.
  static double value_if(std::uint64_t bit, const double* value) {
    static constexpr double zero = 0.0;
    const auto nowhere = reinterpret_cast<std::uintptr_t>(&zero);
    const auto place = nowhere ^ ((nowhere ^ reinterpret_cast<std::uintptr_t>(value)) & (std::uintptr_t{0} - bit));
    return *reinterpret_cast<const double*>(place);
  }
  RowSum along_x(const Row& row) const {
    const RealRow values =
        select(real_mask(static_cast<unsigned>(row.here)), load_row(u_.block(row.middle[0]) + row.first), RealRow{});
    const double low = value_if(row.before, u_.block(row.middle[-1]) + row.first + Shape::nx - 1);
    const double high = value_if(row.after, u_.block(row.middle[1]) + row.first);
    const RealRow lower = lanes_from<Shape::nx - 1>(RealRow::all(low), values);
    const RealRow upper = lanes_from<1>(values, RealRow::all(high));
    // a byte counts up to 27, so that sums of bytes do not reach the next one
    const std::uint64_t count = bytes_of_bits[row.here];
    return {lower + values + upper, count + (count << 8 | row.before) + (count >> 8 | row.after << 56)};
  }

  const CellField<double>& u_;
  const PlaneTile<Shape>& known_;
  const LocalIndex* around_;
};

/// The faces of one component in one block that one layer reaches.
template <class Shape>
class LayerOfBlock {
 public:
  LayerOfBlock(const CellField<double>& u, const std::uint64_t* known, const LocalIndex* around)
      : known_(known, around), sums_(u, known_, around) {}
  LayerOfBlock(const LayerOfBlock&) = delete;  // sums_ refers to known_
  LayerOfBlock& operator=(const LayerOfBlock&) = delete;

  /// Find the unknown faces next to known ones. \return whether there are any
  bool find(const InnerFaces& wanted) {
    const auto grown = known_.grown();
    std::uint64_t any = 0;
    for (int k = 0; k < Shape::nz; ++k) {
      next_[k] = grown[static_cast<std::size_t>(k)] & wanted.plane(k) & ~known_.own(k);
      any |= next_[k];
    }
    has_faces_ = any != 0;
    return has_faces_;
  }
  bool has_faces() const { return has_faces_; }
  /// Keep only the given ones of the faces found in plane k. \return the remaining faces
  std::uint64_t keep(int k, std::uint64_t faces) {
    next_[k] &= faces;
    rows_[k + 2] = rows_of(next_[k]);
    return next_[k];
  }
  void prefetch() const {
    for (int k = -z; k < Shape::nz + z; ++k) sums_.prefetch(k, wanted(k), rows_[k + 2]);
  }
  /// Call f(j, k, bits, means) for each row with faces that were kept.
  template <class Function>
  void for_each_row(Function&& f) const {
    RowSum plane[4][Shape::ny];  // index k & 3 holds plane k
    for (int k = -z; k < Shape::nz + z; ++k) {
      sums_.sum_plane(k, wanted(k), plane[k & 3]);
      const int at = k - z;  // the plane whose neighbours have been summed
      for (unsigned left = at >= 0 ? rows_[at + 2] : 0U; left != 0; left &= left - 1) {
        const int j = std::countr_zero(left);
        const RowSum sum = z == 0 ? plane[k & 3][j] : plane[(at - 1) & 3][j] + plane[at & 3][j] + plane[k & 3][j];
        f(j, at, next_[at] >> 8 * j & 0xff, sum.mean());
      }
    }
  }

 private:
  static constexpr int z = PlaneTile<Shape>::z;

  /// The rows of plane k whose sums are needed.
  unsigned wanted(int k) const { return z == 0 ? rows_[k + 2] : rows_[k + 1] | rows_[k + 2] | rows_[k + 3]; }

  PlaneTile<Shape> known_;
  RowSums<Shape> sums_;
  std::uint64_t next_[Shape::nz] = {};  ///< by plane
  unsigned rows_[Shape::nz + 4] = {};   ///< rows with bits in next_; index k + 2 holds plane k
  bool has_faces_ = false;
};

/// Set the faces of a row whose bits are set.
void write_faces(const RealRow& mean, std::uint64_t bits, double* row) {
  store_row(row, select(real_mask(static_cast<unsigned>(bits)), mean, load_row(row)));
}

}  // namespace

/// Find the blocks around each ghost block.
void Extrapolation::link_ghosts(const BlockLayout& layout) {
  layout_ = &layout;
  if (layout_id_ == layout.id()) return;
  layout_id_ = layout.id();
  const auto n_ghost = static_cast<std::size_t>(layout.n_ghost());
  ghost_neighbours_.assign(n_directions * n_ghost, layout.background());
#pragma omp parallel for schedule(static)
  for (std::size_t g = 0; g < n_ghost; ++g) {
    const Vec3i coords = layout.block_coords(layout.n_owned() + static_cast<LocalIndex>(g));
    for (int direction = 0; direction < n_directions; ++direction) {
      Vec3i block = coords + direction_offset(direction);
      if (!layout.domain().wrap_block(block)) continue;
      ghost_neighbours_[n_directions * g + static_cast<std::size_t>(direction)] = layout.find(morton_key(block));
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
  if (width == 0) return 0;
  std::uint64_t plane = 0;
  for (std::uint32_t sides = layout_->ghost_borders()[static_cast<std::size_t>(block - layout_->n_owned())].directions;
       sides != 0; sides &= sides - 1)
    plane |= rim_plane<Shape>(direction_offset(std::countr_zero(sides)), width, k);
  return plane;
}

/// Whether a block has no unknown faces but those on sides at rest or beyond the domain.
template <class Shape>
bool Extrapolation::is_complete(LocalIndex block) const {
  for (int d = 0; d < Shape::dim; ++d)
    for (int k = 0; k < Shape::nz; ++k) {
      const std::uint64_t unknown =
          ~known_[static_cast<std::size_t>(d)][static_cast<std::size_t>(Shape::nz * block + k)];
      if (unknown == 0) continue;
      if ((unknown & InnerFaces(Shape{}, layout_->domain(), layout_->first_cell(block), d).plane(k)) != 0) return false;
    }
  return true;
}

/// Faces of liquid cells are known, unless a body covers them or they lie on a side at rest, where 0 is not the
/// velocity of the liquid. \param[in] width  distance from owned blocks up to which ghosts are read [cells]
template <class Shape>
void Extrapolation::find_known(const LabelField& labels, const SolidFields& solids, int width) {
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
          reachable<Shape>(b, width + 1, k);
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_blocks; ++b) {
    const LocalIndex* around = neighbours(b);
    const bool any_covered = solids.any_fractions() && solids.has_closed_face(b);
    const auto plane = [&](int direction, int k) {
      return liquid_[static_cast<std::size_t>(Shape::nz * around[direction] + k)];
    };
    const auto inner_along = [&](int d) { return InnerFaces(Shape{}, layout_->domain(), layout_->first_cell(b), d); };
    const InnerFaces inner[3] = {inner_along(0), inner_along(1), inner_along(Shape::dim - 1)};
    for (int k = 0; k < Shape::nz; ++k) {
      const std::uint64_t here = plane(self_direction, k);
      const std::uint64_t lower[3] = {
          (here & ~high_column) << 1 | (plane(direction_index(-1, 0, 0), k) & high_column) >> 7,
          here << 8 | plane(direction_index(0, -1, 0), k) >> 56,
          k > 0 ? plane(self_direction, k - 1) : plane(direction_index(0, 0, -1), Shape::nz - 1)};
      const std::uint64_t reached = reachable<Shape>(b, width, k);
      for (int d = 0; d < Shape::dim; ++d) {
        std::uint64_t known = (here | lower[d]) & reached & inner[d].plane(k);
        if (any_covered) known &= ~plane_of(solids.wall()[d].block(b) + 64 * k, std::countr_zero(unsigned{covered}));
        known_[static_cast<std::size_t>(d)][static_cast<std::size_t>(Shape::nz * b + k)] = known;
      }
    }
  }
  incomplete_.clear();
  for (LocalIndex b = 0; b < n_blocks; ++b) {
    if (b == layout_->n_owned()) n_incomplete_owned_ = incomplete_.size();
    if (!is_complete<Shape>(b)) incomplete_.push_back(b);
  }
  if (n_blocks == layout_->n_owned()) n_incomplete_owned_ = incomplete_.size();
}

/// The unknown faces next to known ones that one layer finds in a block.
template <class Shape>
struct Extrapolation::FacesOfBlock {
  LocalIndex block = 0;
  std::optional<LayerOfBlock<Shape>> layer[Shape::dim];  ///< by component

  /// Find the faces' values. Threads read known faces only, so values are written at once, unless another thread may
  /// read their row. \param[in] is_alone  no other thread reads this block
  void find_values(FaceField<double>& velocity, bool is_alone, Updates& updates) const {
    for (int d = 0; d < Shape::dim; ++d) {
      if (!layer[d]->has_faces()) continue;
      layer[d]->for_each_row([&](int j, int k, std::uint64_t bits, const RealRow& mean) {
        double* row = velocity[d].block(block) + Shape::cell(0, j, k);
        if (is_alone) return write_faces(mean, bits, row);
        RowUpdate& update = updates.rows.emplace_back();
        update.row = row;
        update.faces = bits;
        store_row(update.mean, mean);
      });
    }
  }
};

/// Find a block's unknown faces next to known ones, and prefetch the values around them. They are marked as known
/// later. On a ghost block only faces within `width` cells of owned blocks count; no later layer reads the others.
template <class Shape>
void Extrapolation::find_faces(const FaceField<double>& velocity, LocalIndex block, int width, Updates& updates,
                               FacesOfBlock<Shape>& found) {
  found.block = block;
  for (int d = 0; d < Shape::dim; ++d) {
    std::uint64_t* known = known_[static_cast<std::size_t>(d)].data();
    LayerOfBlock<Shape>& layer = found.layer[d].emplace(velocity[d], known, neighbours(block));
    if (!layer.find(InnerFaces(Shape{}, layout_->domain(), layout_->first_cell(block), d))) continue;
    for (int k = 0; k < Shape::nz; ++k) {
      const std::uint64_t faces = layer.keep(k, reachable<Shape>(block, width, k));
      if (faces != 0) updates.planes.push_back({known + Shape::nz * block + k, faces});
    }
    layer.prefetch();
  }
}

/// \param[in] rim  width of the ghosts that get their layers, too [cells]
template <class Shape>
void Extrapolation::extrapolate_layers(int layers, int rim, FaceField<double>& velocity) {
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
      // The faces of a block are found before the previous block's values are summed: then prefetched memory has come.
      FacesOfBlock<Shape> found[2];
      for (std::size_t m = begin; m <= end; ++m) {
        if (m < end) find_faces<Shape>(velocity, incomplete_[m], rim + layers - 1 - layer, updates, found[m % 2]);
        if (m == begin) continue;
        const LocalIndex* around = neighbours(incomplete_[m - 1]);
        const bool is_alone =
            n_threads == 1 || std::all_of(around, around + n_directions, [&](LocalIndex b) {
              return b == layout_->background() || (b >= incomplete_[begin] && b <= incomplete_[end - 1]);
            });
        found[(m - 1) % 2].find_values(velocity, is_alone, updates);
      }
#pragma omp barrier
      for (const PlaneUpdate& update : updates.planes) *update.plane |= update.faces;
      for (const RowUpdate& update : updates.rows) write_faces(load_row(update.mean), update.faces, update.row);
#pragma omp barrier
    }
  }
}

/// Set faces that no layer has reached to 0, those of ghosts as far as the rim.
template <class Shape>
void Extrapolation::clear_unknown(int rim, FaceField<double>& velocity) const {
  const std::size_t n = rim == 0 ? n_incomplete_owned_ : incomplete_.size();
#pragma omp parallel for schedule(static)
  for (std::size_t m = 0; m < n; ++m)
    for (int d = 0; d < Shape::dim; ++d)
      for (int k = 0; k < Shape::nz; ++k) {
        const LocalIndex b = incomplete_[m];
        const std::uint64_t unknown =
            ~known_[static_cast<std::size_t>(d)][static_cast<std::size_t>(Shape::nz * b + k)] &
            reachable<Shape>(b, rim, k);
        for (unsigned left = rows_of(unknown); left != 0; left &= left - 1) {
          const int j = std::countr_zero(left);
          write_faces(RealRow{}, unknown >> Shape::nx * j & 0xff, velocity[d].block(b) + Shape::cell(0, j, k));
        }
      }
}

/// Count the faces as known that the layers reach, without their values.
template <class Shape>
void Extrapolation::grow_known(int layers, const FaceField<double>& velocity) {
  updates_of_layer_.resize(static_cast<std::size_t>(omp_get_max_threads()));
  for (int layer = 0; layer < layers; ++layer) {
#pragma omp parallel
    {
      Updates& updates = updates_of_layer_[static_cast<std::size_t>(omp_get_thread_num())];
      updates.planes.clear();
      FacesOfBlock<Shape> found;
#pragma omp for schedule(static)
      for (std::size_t m = 0; m < incomplete_.size(); ++m)
        find_faces<Shape>(velocity, incomplete_[m], layers - 1 - layer, updates, found);
      for (const PlaneUpdate& update : updates.planes) *update.plane |= update.faces;
    }
  }
}

/// Mark the cells within `layers` of liquid as liquid; right in owned blocks and one layer around them.
template <class Shape>
void Extrapolation::grow_liquid(int layers) {
  grown_.assign(liquid_.begin(), liquid_.end());
  for (int layer = 0; layer < layers; ++layer) {
#pragma omp parallel for schedule(static)
    for (LocalIndex b = 0; b < layout_->n_blocks(); ++b) {
      const auto grown = PlaneTile<Shape>(liquid_.data(), neighbours(b)).grown();
      std::copy(grown.begin(), grown.end(), grown_.begin() + Shape::nz * static_cast<std::ptrdiff_t>(b));
    }
    liquid_.swap(grown_);
  }
}

/// The faces of plane k of an owned block between two cells of the domain that are both marked as liquid.
template <class Shape>
std::uint64_t Extrapolation::between_liquid(LocalIndex b, int d, int k) const {
  const LocalIndex* around = neighbours(b);
  const auto plane = [&](int direction, int at) {
    return liquid_[static_cast<std::size_t>(Shape::nz * around[direction] + at)];
  };
  std::uint64_t here = plane(self_direction, k);
  const int beyond = layout_->domain().cells()[d] - layout_->first_cell(b)[d];  // the first cell beyond the domain
  if (beyond < Shape::n(d) && !layout_->domain().periodic(d))
    here &= d == 0 ? ~(low_column << beyond) : d == 1 ? ~(0xffULL << Shape::nx * beyond) : k == beyond ? 0 : ~0ULL;
  if (d == 0) return here & ((here & ~high_column) << 1 | (plane(direction_index(-1, 0, 0), k) & high_column) >> 7);
  if (d == 1) return here & (here << 8 | plane(direction_index(0, -1, 0), k) >> 56);
  return here & (k > 0 ? plane(self_direction, k - 1) : plane(direction_index(0, 0, -1), Shape::nz - 1));
}

/// One iteration on all owned faces that are not in `kept`. \return whether a value has changed. Collective
template <class Shape>
bool Extrapolation::follow_distances(const FacePlanes& kept, double farthest, FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  layout.halo().gather_together(1, distance_, velocity);
  updates_.resize(static_cast<std::size_t>(omp_get_max_threads()));
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
                               &kept[static_cast<std::size_t>(d)][static_cast<std::size_t>(Shape::nz * b)], b, farthest,
                               [&](double* face, double value) {
                                 updates.push_back({face, value});
                               });
      }
    for (const Update& update : updates) *update.face = update.value;
    any = !updates.empty();
  }
  return layout.comm().any(any);
}

/// Faces that the layers do not reach stay unknown. Of those that they reach, the ones with a cell farther than
/// `layers` from liquid come last, from the others alone: that cell's block need not exist, and is on the high side.
template <class Shape>
void Extrapolation::extrapolate_by_distance(const LabelField& labels, const SolidFields& solids, int layers,
                                            FaceField<double>& velocity) {
  const BlockLayout& layout = velocity.layout();
  const LocalIndex n_owned = layout.n_owned();
  kept_ = known_;
  kept_last_ = known_;
  grow_known<Shape>(layers, velocity);
  grow_liquid<Shape>(layers);
  distance_.reset(layout, unknown_distance);
#pragma omp parallel for schedule(static)
  for (LocalIndex b = 0; b < n_owned; ++b) {
    for (int d = 0; d < Shape::dim; ++d) {
      start_distance<Shape>(labels, d, b, unknown_distance, distance_[d].block(b), velocity[d].block(b));
      const auto axis = static_cast<std::size_t>(d);
      for (int k = 0; k < Shape::nz; ++k) {
        const auto n = static_cast<std::size_t>(Shape::nz * b + k);
        const std::uint64_t between = between_liquid<Shape>(b, d, k);
        kept_[axis][n] |= ~(known_[axis][n] & between);
        kept_last_[axis][n] |= ~(known_[axis][n] & ~between);
      }
    }
    for (const CoveredFace& face : solids.covered_faces(b)) {
      distance_[face.axis].block(b)[face.face] = unknown_distance;
      velocity[face.axis].block(b)[face.face] = 0.0;
    }
  }
  fill_outer_faces(distance_, unknown_distance);
  const double farthest = static_cast<double>(Shape::dim) *
                          layers;  // [cells] an upwind distance is at most the sum of those along the axes
  const int most_rounds =
      4 * Shape::dim * (layers + 1);  // four times what convergence needs; with a NaN it never converges
  if (layers == 0) return;
  for (int round = 0; round < most_rounds; ++round)
    if (!follow_distances<Shape>(kept_, farthest, velocity)) break;
  follow_distances<Shape>(kept_last_, farthest, velocity);
}

void Extrapolation::operator()(LabelField& labels, const SolidFields& solids, int layers, FaceField<double>& velocity,
                               int rim) {
  FRESHET_EXPECT(layers >= 0 && layers < block_width && (rim == 0 || rim == 1));
  link_ghosts(velocity.layout());
  const Halo& halo = layout_->halo();
  const bool by_layers = method_ != ExtrapolationMethod::distance;
  const int found_rim = by_layers && layers + rim < block_width ? rim : 0;  // ghosts whose layers are found here
  const int width = layers + found_rim;
  fill_outer_faces(velocity, 0.0);
  const GhostRequest cells = halo.request(width + 1, labels);
  if (by_layers && width > 0) {
    Halo::gather(cells, halo.request(width, velocity));
  } else {
    Halo::gather(cells);
  }
  with_shape(layout_->domain().dimension(), [&](auto shape) {
    using Shape = decltype(shape);
    find_known<Shape>(labels, solids, width);
    if (!by_layers)
      return extrapolate_by_distance<Shape>(labels, solids, layers, velocity);  // clears the faces that it starts from
    extrapolate_layers<Shape>(layers, found_rim, velocity);
    clear_unknown<Shape>(found_rim, velocity);
  });
  if (rim > found_rim) halo.gather(velocity, rim);
}

}  // namespace freshet
