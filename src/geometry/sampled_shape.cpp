// SPDX-License-Identifier: Apache-2.0
#include "freshet/geometry/sampled_shape.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/memory.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <new>

namespace freshet {
namespace {

constexpr int width = 8;               // cells of a block along an axis
constexpr double fine_margin = 1.0;    // blocks this near to the surface are sampled at every node [cells]
constexpr double coarse_margin = 8.0;  // those this near at every fourth: far from it the distance is smooth [cells]
constexpr int coarse = 4;              // [cells]
constexpr std::int64_t far_out = 1 << 20;  // block coordinates beyond are left to the shape itself

/// Samples of one block, at every node or at every fourth along an axis; none if it is far from the surface.
struct SampleBlock {
  std::uint64_t key = 0;
  SampleBlock* next = nullptr;  ///< of the same bucket
  int stride = 1;               ///< between samples [cells]
  TrackedVector<float, MemoryKind::scratch> nodes;
};

std::uint64_t key_of(const Vec3i& block) {
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis)
    key = key << 21 | static_cast<std::uint64_t>(static_cast<std::int64_t>(block[axis]) + far_out);
  return key;
}

/// Buckets for about so many blocks as a surface within the bounds may meet.
std::size_t buckets_for(const Box& bounds, const SampleLattice& lattice) {
  double n = 1.0;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    n *= std::clamp((bounds.upper[axis] - bounds.lower[axis]) / (width * lattice.spacing), 0.0, 1e4) + 2.0;
  return std::bit_ceil(static_cast<std::size_t>(std::clamp(n, 64.0, 262144.0)));
}

}  // namespace

/// A hash map that only grows: buckets are lists whose heads are swapped in whole.
class SampledShape::Blocks {
 public:
  Blocks(const Shape& exact, const SampleLattice& lattice)
      : exact_(exact),
        lattice_(lattice),
        n_buckets_(buckets_for(exact.bounds(), lattice)),
        buckets_(std::make_unique<std::atomic<SampleBlock*>[]>(n_buckets_)) {}

  ~Blocks() {
    for (std::size_t i = 0; i < n_buckets_; ++i)
      for (SampleBlock* block = buckets_[i].load(); block;) delete std::exchange(block, block->next);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// Samples of a block; null where the shape itself shall answer.
  const SampleBlock* at(const Vec3i& block) {
    const std::uint64_t key = key_of(block);
    std::atomic<SampleBlock*>& bucket = buckets_[key * 0x9e3779b97f4a7c15U >> 32 & (n_buckets_ - 1)];
    const SampleBlock* found = find(bucket.load(std::memory_order_acquire), key);
    if (!found) found = add(bucket, key, block);
    return found && !found->nodes.empty() ? found : nullptr;
  }

  std::int64_t n_sampled() const { return n_sampled_.load(); }

 private:
  static const SampleBlock* find(const SampleBlock* block, std::uint64_t key) {
    while (block && block->key != key) block = block->next;
    return block;
  }

  /// Another thread may do the same at once: then both find the same values, and those of the first stay.
  const SampleBlock* add(std::atomic<SampleBlock*>& bucket, std::uint64_t key, const Vec3i& block) {
    std::unique_ptr<SampleBlock> fresh;
    try {
      fresh = std::make_unique<SampleBlock>();
      sample(block, *fresh);
    } catch (const std::bad_alloc&) {
      return nullptr;  // slower without
    }
    fresh->key = key;
    SampleBlock* head = bucket.load(std::memory_order_acquire);
    do {
      if (const SampleBlock* other = find(head, key)) return other;
      fresh->next = head;
    } while (!bucket.compare_exchange_weak(head, fresh.get(), std::memory_order_acq_rel));
    if (!fresh->nodes.empty()) n_sampled_.fetch_add(1, std::memory_order_relaxed);
    return fresh.release();
  }

  void sample(const Vec3i& block, SampleBlock& samples) const {
    const double h = lattice_.spacing;
    const Vec3 extent = lattice_.dimension == 3 ? Vec3(width, width, width) : Vec3(width, width, 0.0);
    LatticeNodes lattice;
    lattice.origin = lattice_.origin + h * width * block.cast<double>();
    const double distance =
        std::abs(exact_.signed_distance(lattice.origin + 0.5 * h * extent)) / h - 0.5 * extent.norm();
    if (distance > coarse_margin) return;
    samples.stride = distance > fine_margin ? coarse : 1;
    lattice.spacing = h * samples.stride;
    lattice.count = extent.cast<int>() / samples.stride + Vec3i::Ones();
    std::vector<double> distances(lattice.size());
    exact_.sample(lattice, distances);
    samples.nodes.assign(distances.begin(), distances.end());
  }

  const Shape& exact_;
  const SampleLattice& lattice_;
  std::size_t n_buckets_;
  std::unique_ptr<std::atomic<SampleBlock*>[]> buckets_;
  std::atomic<std::int64_t> n_sampled_{0};
};

SampledShape::SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice)
    : exact_(std::move(exact)), lattice_(lattice), blocks_(std::make_unique<Blocks>(*exact_, lattice_)) {
  FRESHET_EXPECT(lattice.spacing > 0.0 && (lattice.dimension == 2 || lattice.dimension == 3));
}

SampledShape::~SampledShape() = default;

std::int64_t SampledShape::n_blocks() const {
  return blocks_->n_sampled();
}

double SampledShape::signed_distance(const Vec3& x) const {
  const bool flat = lattice_.dimension == 2;
  const Vec3 in_plane(x.x(), x.y(), flat ? lattice_.origin.z() : x.z());
  const Vec3 at = (in_plane - lattice_.origin) / lattice_.spacing;  // [cells]
  if (!(at.cwiseAbs().maxCoeff() < static_cast<double>(width * (far_out - 1))))
    return exact_->signed_distance(in_plane);
  const Vec3 low = at.array().floor();
  const Vec3i node = low.cast<int>();
  const Vec3i block(node.x() >> 3, node.y() >> 3, node.z() >> 3);
  const SampleBlock* const samples = blocks_->at(block);
  if (!samples) return exact_->signed_distance(in_plane);
  const int stride = samples->stride;
  const int row = width / stride + 1;
  const Vec3i in_block = (node - width * block) / stride;
  const Vec3 f = (at - (width * block + stride * in_block).cast<double>()) / stride;
  const float* const corner =
      samples->nodes.data() + in_block.x() + row * (in_block.y() + (flat ? 0 : row * in_block.z()));
  const auto along_x = [&](const float* p) { return p[0] + f.x() * (static_cast<double>(p[1]) - p[0]); };
  const auto in_layer = [&](const float* p) {
    const double below = along_x(p);
    return below + f.y() * (along_x(p + row) - below);
  };
  const double below = in_layer(corner);
  if (flat) return below;
  return below + f.z() * (in_layer(corner + row * row) - below);
}

}  // namespace freshet
