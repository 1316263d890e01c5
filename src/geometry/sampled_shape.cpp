// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/sampled_shape.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/memory.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <bitset>
#include <cmath>
#include <limits>
#include <new>

namespace freshet {
namespace {

constexpr int width = 8;                   // cells of a block along an axis
constexpr double fine_margin = 1.0;        // blocks nearer to the surface are sampled at every node [cells of the grid]
constexpr int coarse = 4;                  // other blocks are sampled at every fourth node [cells]
constexpr int finer = 4;                   // ratio of two lattices' spacings
constexpr int most_finer = 2;              // largest number of finer lattices
constexpr std::int64_t far_out = 1 << 20;  // block coordinate beyond which the shape itself is asked
constexpr double least_slope = 0.998;  // mean gradient in a cell; a distance has slope 1 except at edges and thin parts

/// Samples of one block, at every node or at every fourth node along an axis.
struct SampleBlock {
  std::uint64_t key = 0;
  SampleBlock* next = nullptr;  ///< the next block of the same bucket
  int stride = 1;               ///< distance between samples [cells]
  TrackedVector<float, MemoryKind::scratch> nodes;
  std::bitset<width * width * width> unresolved;  ///< cells whose surface the samples do not show; used for stride 1
};

/// Node values of the cell whose lowest node is p, trilinear at f in [0, 1]^d.
/// \param[in] layer  values between two layers of nodes; 0 in 2-D
double interpolate(const float* p, int row, int layer, const Vec3& f) {
  const auto along_x = [&](const float* q) { return q[0] + f.x() * (static_cast<double>(q[1]) - q[0]); };
  const auto in_layer = [&](const float* q) {
    const double below = along_x(q);
    return below + f.y() * (along_x(q + row) - below);
  };
  const double below = in_layer(p);
  if (layer == 0) return below;
  return below + f.z() * (in_layer(p + layer) - below);
}

/// A lower bound of the distance at f, from the distances at the nodes of a cell of edge h outside the shape. It is no
/// interpolation: near edges an interpolated value exceeds the distance, and a search that trusts it may pass through
/// thin parts.
double least_distance(const float* p, int row, int layer, const Vec3& f, double h) {
  double least = 0.0;
  for (int k = 0; k < (layer == 0 ? 1 : 2); ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) {
        const Vec3 way = f - Vec3(i, j, layer == 0 ? f.z() : k);
        least = std::max(least, p[i + row * j + layer * k] - h * way.norm());
      }
  return least;
}

/// Whether a surface that the nodes do not show may run through a cell. Where a surface is smooth, the mean gradient
/// over the cell has length 1 (the eikonal equation); a sheet between nodes, an edge or a narrow gap makes it shorter.
bool hides_surface(const float* p, int row, int layer, double h) {
  const int n_layers = layer == 0 ? 1 : 2;
  double nearest = std::numeric_limits<double>::infinity();
  Vec3 slope = Vec3::Zero();
  for (int k = 0; k < n_layers; ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) {
        const double distance = p[i + row * j + layer * k];
        nearest = std::min(nearest, std::abs(distance));
        slope += distance * Vec3(2 * i - 1, 2 * j - 1, n_layers == 1 ? 0 : 2 * k - 1);
      }
  const double half_diagonal = 0.5 * std::sqrt(n_layers + 1.0) * h;
  return nearest <= half_diagonal && slope.norm() < least_slope * 2.0 * n_layers * h;
}

std::uint64_t key_of(const Vec3i& block) {
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis)
    key = key << 21 | static_cast<std::uint64_t>(static_cast<std::int64_t>(block[axis]) + far_out);
  return key;
}

/// Number of buckets: about the number of blocks that a surface within the bounds may meet.
std::size_t buckets_for(const Box& bounds, const SampleLattice& lattice) {
  double n = 1.0;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    n *= std::clamp((bounds.upper[axis] - bounds.lower[axis]) / (width * lattice.spacing), 0.0, 1e4) + 2.0;
  return std::bit_ceil(static_cast<std::size_t>(std::clamp(n, 64.0, 262144.0)));
}

}  // namespace

/// A hash map that only grows. Buckets are lists; one atomic operation puts a new head in place.
class SampledShape::Blocks {
 public:
  Blocks(const Shape& exact, const SampleLattice& lattice, double margin)
      : exact_(exact),
        lattice_(lattice),
        margin_(margin),
        n_buckets_(buckets_for(exact.bounds(), lattice)),
        buckets_(std::make_unique<std::atomic<SampleBlock*>[]>(n_buckets_)) {}

  ~Blocks() {
    for (std::size_t i = 0; i < n_buckets_; ++i)
      for (SampleBlock* block = buckets_[i].load(); block;) delete std::exchange(block, block->next);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// Samples of a block; null if there is no memory for them.
  const SampleBlock* at(const Vec3i& block) {
    const std::uint64_t key = key_of(block);
    std::atomic<SampleBlock*>& bucket = buckets_[key * 0x9e3779b97f4a7c15U >> 32 & (n_buckets_ - 1)];
    const SampleBlock* found = find(bucket.load(std::memory_order_acquire), key);
    if (!found) found = add(bucket, key, block);
    return found;
  }

  std::int64_t n_fine() const { return n_fine_.load(); }
  std::int64_t n_unresolved() const { return n_unresolved_.load(); }

 private:
  static const SampleBlock* find(const SampleBlock* block, std::uint64_t key) {
    while (block && block->key != key) block = block->next;
    return block;
  }

  /// Add a block. If another thread adds it too, both have sampled the same values, and the first block stays.
  const SampleBlock* add(std::atomic<SampleBlock*>& bucket, std::uint64_t key, const Vec3i& block) {
    std::unique_ptr<SampleBlock> fresh;
    try {
      fresh = std::make_unique<SampleBlock>();
      sample(block, *fresh);
    } catch (const std::bad_alloc&) {
      return nullptr;  // queries are slower without the block
    }
    fresh->key = key;
    SampleBlock* head = bucket.load(std::memory_order_acquire);
    do {
      if (const SampleBlock* other = find(head, key)) return other;
      fresh->next = head;
    } while (!bucket.compare_exchange_weak(head, fresh.get(), std::memory_order_acq_rel));
    if (fresh->stride == 1) n_fine_.fetch_add(1, std::memory_order_relaxed);
    n_unresolved_.fetch_add(static_cast<std::int64_t>(fresh->unresolved.count()), std::memory_order_relaxed);
    return fresh.release();
  }

  void sample(const Vec3i& block, SampleBlock& samples) const {
    const double h = lattice_.spacing;
    const Vec3 extent = lattice_.dimension == 3 ? Vec3(width, width, width) : Vec3(width, width, 0.0);
    LatticeNodes lattice;
    lattice.origin = lattice_.origin + h * width * block.cast<double>();
    const double distance =
        std::abs(exact_.signed_distance(lattice.origin + 0.5 * h * extent)) / h - 0.5 * extent.norm();
    samples.stride = distance > margin_ ? coarse : 1;
    lattice.spacing = h * samples.stride;
    lattice.count = extent.cast<int>() / samples.stride + Vec3i::Ones();
    std::vector<double> distances(lattice.size());
    exact_.sample(lattice, distances);
    samples.nodes.assign(distances.begin(), distances.end());
    if (samples.stride == 1) find_hidden(samples);
  }

  void find_hidden(SampleBlock& samples) const {
    const bool flat = lattice_.dimension == 2;
    const int row = width + 1;
    const int layer = flat ? 0 : row * row;
    for (int k = 0; k < (flat ? 1 : width); ++k)
      for (int j = 0; j < width; ++j)
        for (int i = 0; i < width; ++i)
          samples.unresolved[static_cast<std::size_t>(i + width * (j + width * k))] =
              hides_surface(samples.nodes.data() + i + row * j + layer * k, row, layer, lattice_.spacing);
  }

  const Shape& exact_;
  const SampleLattice& lattice_;
  double margin_;  ///< blocks nearer to the surface are sampled at every node [spacings]
  std::size_t n_buckets_;
  std::unique_ptr<std::atomic<SampleBlock*>[]> buckets_;
  std::atomic<std::int64_t> n_fine_{0};
  std::atomic<std::int64_t> n_unresolved_{0};
};

SampledShape::SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice)
    : SampledShape(std::move(exact), lattice, most_finer) {}

SampledShape::SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice, int n_finer)
    : exact_(std::move(exact)),
      lattice_(lattice),
      margin_(n_finer == most_finer ? fine_margin : fine_margin * finer),
      blocks_(std::make_unique<Blocks>(*exact_, lattice_, margin_)) {
  FRESHET_EXPECT(lattice.spacing > 0.0 && (lattice.dimension == 2 || lattice.dimension == 3));
  if (n_finer == 0) return;
  finer_.reset(new SampledShape(exact_, {lattice.origin, lattice.spacing / finer, lattice.dimension}, n_finer - 1));
}

SampledShape::~SampledShape() = default;

std::int64_t SampledShape::n_blocks() const {
  return blocks_->n_fine();
}

double SampledShape::exact_distance(const Vec3& x) const {
  constexpr double most_error = 0.5;  // bound of the error where the samples show the surface, with a margin [cells]
  const double distance = signed_distance(x);
  if (std::abs(distance) > most_error * lattice_.spacing) return distance;
  return exact_->signed_distance(in_plane(x));
}

std::int64_t SampledShape::n_unresolved() const {
  return blocks_->n_unresolved();
}

double SampledShape::signed_distance(const Vec3& x) const {
  const bool flat = lattice_.dimension == 2;
  const Vec3 asked = in_plane(x);
  const Vec3 at = (asked - lattice_.origin) / lattice_.spacing;  // place relative to the origin [cells]
  if (!(at.cwiseAbs().maxCoeff() < static_cast<double>(width * (far_out - 1)))) return exact_->signed_distance(asked);
  const Vec3 low = at.array().floor();
  const Vec3i node = low.cast<int>();
  const Vec3i block(node.x() >> 3, node.y() >> 3, node.z() >> 3);
  const SampleBlock* const samples = blocks_->at(block);
  if (!samples) return exact_->signed_distance(asked);
  const int stride = samples->stride;
  const int row = width / stride + 1;
  const Vec3i in_block = (node - width * block) / stride;
  const int layer = flat ? 0 : row * row;
  if (finer_ && stride == 1 &&
      samples->unresolved[static_cast<std::size_t>(in_block.x() +
                                                   width * (in_block.y() + (flat ? 0 : width * in_block.z())))])
    return finer_->signed_distance(asked);
  const Vec3 f = (at - (width * block + stride * in_block).cast<double>()) / stride;
  const float* const corner = samples->nodes.data() + in_block.x() + row * in_block.y() + layer * in_block.z();
  if (stride == 1 || *corner < 0.0F) return interpolate(corner, row, layer, f);
  return std::max(least_distance(corner, row, layer, f, stride * lattice_.spacing), margin_ * lattice_.spacing);
}

}  // namespace freshet
