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
/// Values are kept for blocks of 8^3 cells (8^2 in 2-D): of every node where the surface is within a cell of the block,
/// of every fourth elsewhere. A block is sampled when it is first asked for, by the thread that asks. In cells whose
/// samples do not show their surface (parts thinner than a cell, narrow gaps, sharp edges and curvatures above 1/8 of a
/// cell, told by a mean gradient over the cell that is shorter than 0.998) a lattice four times finer answers, and in
/// its turn one that is sixteen times finer. What is returned is a function of shape and lattice alone: exact at the
/// samples (to the 24 bits of a float), off by 0.04 spacings at most where the samples show a surface. In blocks
/// without surface the sign is right, and outside the shape the value is a bound from below, at least a spacing. Very
/// far away the shape itself answers. Thread-safe; a query of a block that is there allocates and locks nothing.
class SampledShape final : public Shape {
 public:
  SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice);
  ~SampledShape() override;

  double signed_distance(const Vec3& x) const override;
  /// As signed_distance(), but the shape itself answers within half a spacing of the surface.
  double exact_distance(const Vec3& x) const override;
  Box bounds() const override { return exact_->bounds(); }

  std::int64_t n_blocks() const;      ///< sampled at every node so far
  std::int64_t n_unresolved() const;  ///< their cells where finer lattices answer

 private:
  class Blocks;

  Vec3 in_plane(const Vec3& x) const { return {x.x(), x.y(), lattice_.dimension == 2 ? lattice_.origin.z() : x.z()}; }

  SampledShape(std::shared_ptr<const Shape> exact, const SampleLattice& lattice, int n_finer);

  std::shared_ptr<const Shape> exact_;
  std::unique_ptr<SampledShape> finer_;  ///< answers in cells whose samples hide their surface; null for the finest
  SampleLattice lattice_;
  double margin_;  ///< blocks this near to the surface are sampled at every node [spacings]
  std::unique_ptr<Blocks> blocks_;
};

}  // namespace freshet
