// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/geometry/shape.hpp"

#include <cstdint>
#include <memory>

namespace freshet {

/// The lattice of a sampled shape's nodes.
struct SampleLattice {
  Vec3 origin = Vec3::Zero();  ///< place of one node [m]
  double spacing = 1.0;        ///< distance between nodes along an axis [m]
  int dimension = 3;           ///< 2: all nodes lie in the plane z = origin.z(), and the z of a query is ignored
};

/// A shape whose distance is slow to compute, replaced by values at the nodes of a lattice and trilinear interpolation.
///
/// Values are stored in blocks of 8^3 cells (8^2 in 2-D): at every node if the surface is within a cell of the block,
/// at every fourth node otherwise. The thread that first asks for a block samples it. Some cells hide their surface
/// from the samples: parts thinner than a cell, narrow gaps, sharp edges and curvatures above 1/8 of a cell. The mean
/// gradient over such a cell is shorter than 0.998; a lattice four times finer is asked there, and if need be one
/// sixteen times finer. The result depends on shape and lattice alone. It is exact at the samples (to the 24 bits of a
/// float), and off by at most 0.04 spacings where the samples show the surface. In blocks without surface the sign is
/// right, and outside the shape the value is a lower bound and at least one spacing. Very far away the shape itself is
/// asked. Thread-safe; a query in a block that has been sampled allocates and locks nothing.
/// answers. Thread-safe; a query in a block that has been sampled allocates and locks nothing.
class SampledShape final : public Shape {
 public:
  SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice);
  ~SampledShape() override;

  double signed_distance(const Vec3& x) const override;
  /// The signed distance, which within half a spacing of the surface is that of the shape itself.
  double exact_distance(const Vec3& x) const override;
  /// A lower bound is too small by up to twice half the diagonal of a cell of the coarse samples, 7 spacings, and an
  /// interpolated value too large by half the diagonal of a fine one.
  double slack() const override { return exact_->slack() + 8.0 * lattice_.spacing; }
  Box bounds() const override { return exact_->bounds(); }

  std::int64_t n_blocks() const;      ///< number of blocks that are sampled at every node so far
  std::int64_t n_unresolved() const;  ///< number of their cells in which finer lattices are used

 private:
  class Blocks;

  Vec3 in_plane(const Vec3& x) const { return {x.x(), x.y(), lattice_.dimension == 2 ? lattice_.origin.z() : x.z()}; }

  SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice, int n_finer);

  std::shared_ptr<const Shape> exact_;
  std::unique_ptr<SampledShape> finer_;  ///< used in cells whose samples hide their surface; null for the finest
  SampleLattice lattice_;
  double margin_;  ///< blocks nearer to the surface are sampled at every node [spacings]
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace freshet
