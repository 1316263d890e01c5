// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"

#include <cstdint>
#include <memory>

namespace freshet {

/// Where the nodes of a sampled shape lie.
struct SampleLattice {
  Vec3 origin = Vec3::Zero();  ///< of one node [m]
  double spacing = 1.0;        ///< [m]
  int dimension = 3;           ///< 2: nodes lie in the plane z = origin.z(), and z does not count
};

/// A shape whose distance takes long, by its values at the nodes of a lattice, trilinear in between.
///
/// Values are kept for blocks of 8^3 cells (8^2 in 2-D) near the surface: of every node where it is within a cell of
/// the block, of every fourth where it is within 8. A block is sampled when it is first asked for, by the thread that
/// asks; farther away the shape itself answers, and in cells whose samples do not show their surface: parts thinner
/// than a cell, narrow gaps and sharp edges, told by the mean gradient over the cell being shorter than 0.9. What is
/// returned is a function of shape and lattice alone: exact at the samples (to the 24 bits of a float), with the right
/// sign in blocks without surface; off by O(spacing^2) where the surface is smooth, and by less than a spacing in any
/// block with surface. Thread-safe; a query of a block that is there allocates and locks nothing.
class SampledShape final : public Shape {
 public:
  SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice);
  ~SampledShape() override;

  double signed_distance(const Vec3& x) const override;
  /// As signed_distance(), but the shape itself answers within half a spacing of the surface.
  double exact_distance(const Vec3& x) const override;
  Box bounds() const override { return exact_->bounds(); }

  std::int64_t n_blocks() const;      ///< sampled so far
  std::int64_t n_unresolved() const;  ///< their cells where the shape itself answers

 private:
  class Blocks;

  Vec3 in_plane(const Vec3& x) const { return {x.x(), x.y(), lattice_.dimension == 2 ? lattice_.origin.z() : x.z()}; }

  SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice, int n_finer);

  std::shared_ptr<const Shape> exact_;
  std::unique_ptr<SampledShape> finer_;  ///< answers in cells whose samples hide their surface; null for the finest
  SampleLattice lattice_;
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace freshet
