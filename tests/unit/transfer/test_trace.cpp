// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/block_shape.hpp"
#include "freshet/grid/domain_faces.hpp"
#include "freshet/transfer/trace.hpp"
#include "freshet/transfer/trilinear.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"
#include "support/scattered_particles.hpp"
#include "support/transfer_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace freshet {
namespace {

using test::hashed;
using test::make_domain;
using test::random_velocity;
using test::world;

constexpr double real_epsilon = std::numeric_limits<ParticleReal>::epsilon();

/// The velocity around block 0 of a box, as the kernel and as the plain reference read it.
template <class Shape>
struct FlowAroundBlock {
  static constexpr int dim = Shape::dim;
  Domain domain = make_domain(dim, {16, 16, dim == 3 ? 16 : 1}, FaceCondition::no_slip);
  BlockLayout layout{world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain)};
  FaceField<double> velocity{layout};
  TileExtents<Shape> extents;
  TileMemory memory;
  std::vector<double> padded;

  explicit FlowAroundBlock(int pad) : extents(pad) { test::set_faces(velocity, random_velocity); }
  VelocityTile tile() { return tile_around(velocity, 0, extents, whole_range(extents), memory); }
  PaddedVelocity<Shape> plain() {
    padded.resize(static_cast<std::size_t>(dim * extents.size()));
    for (int d = 0; d < dim; ++d) {
      double* component = padded.data() + d * extents.size();
      fill_tile(velocity[d], 0, extents, component);
      apply_domain_faces(domain, layout.first_cell(0), d, extents, component);
    }
    return {extents, padded.data()};
  }
  /// n places as far from the block as its pad allows.
  std::vector<ParticleReal> places(int n) const {
    std::vector<ParticleReal> x(static_cast<std::size_t>(3 * n));
    for (int i = 0; i < 3 * n; ++i)
      x[static_cast<std::size_t>(i)] =
          dim == 2 && i % 3 == 2
              ? ParticleReal(0.5)
              : static_cast<ParticleReal>(0.5 - extents.pad +
                                          (6.5 + 2.0 * extents.pad) * 0.9999 * hashed(static_cast<std::uint64_t>(i)));
    return x;
  }
};

template <class Function>
void for_each_shape(Function&& f) {
  f(BlockShape<2>{});
  f(BlockShape<3>{});
}

constexpr TraceStages one_stage{1, {}, {1}};

TEST(Trace, reads_the_velocity_that_plain_interpolation_in_double_reads) {
  for_each_shape([](auto shape) {
    using Shape = decltype(shape);
    for (int pad = 1; pad <= 8; ++pad) {
      FlowAroundBlock<Shape> around(pad);
      const std::vector<ParticleReal> start = around.places(500);
      std::vector<ParticleReal> end = start;
      EXPECT_EQ(trace_particles(around.tile(), Shape::dim, one_stage, {}, end.data(), 500), 0);
      const PaddedVelocity<Shape> plain = around.plain();
      for (std::size_t i = 0; i < end.size(); i += 3) {
        const Double4 x{start[i], start[i + 1], start[i + 2], 0.0};
        const Double4 expected = x + plain.at(x);
        for (std::size_t d = 0; d < 3; ++d)  // places below 32 are rounded by 8 epsilon; velocities beyond the walls
                                             // below 3, of which each of 3 differences up to 4 is rounded, by 8 more
          ASSERT_NEAR(end[i + d], expected[static_cast<int>(d)], 16.0 * real_epsilon) << "pad " << pad;
      }
    }
  });
}

/// Rows outside the range are not numbers: they would show in what is read.
TEST(Trace, of_particles_that_stand_close_together_reads_rows_near_them_only) {
  for_each_shape([](auto shape) {
    using Shape = decltype(shape);
    constexpr int dim = Shape::dim;
    constexpr int n = 20;
    const Vec3i cells(13, 13, dim == 3 ? 13 : 1);
    for (const FaceCondition condition : {FaceCondition::no_slip, FaceCondition::open, FaceCondition::free_slip}) {
      const Domain domain = make_domain(dim, cells, condition);
      const BlockLayout layout(world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain));
      FaceField<double> velocity(layout);
      test::set_faces(velocity, random_velocity);
      for (std::uint64_t trial = 0; trial < 400; ++trial) {
        const auto b = static_cast<LocalIndex>(trial % static_cast<std::uint64_t>(layout.n_owned()));
        const TileExtents<Shape> extents(1 + static_cast<int>(trial % 3));
        const double distance = (extents.pad - 1) * hashed(trial, 1);
        std::vector<ParticleReal> x(3 * n, ParticleReal(0.5)), start;
        for (std::uint64_t d = 0; d < dim; ++d) {
          const double end = std::min(8, 13 - layout.first_cell(b)[static_cast<int>(d)]) - 2e-3;  // inside the domain
          const double low = 1e-3 + end * hashed(trial, 2 + d), width = std::min(end - low, 2.0 * hashed(trial, 5 + d));
          for (std::size_t p = 0; p < n; ++p)
            x[3 * p + d] = static_cast<ParticleReal>(low + width * hashed(trial, 8 + 3 * p + d));
        }
        const TileRange range = range_around(x.data(), n, distance, extents);
        for (std::size_t i = 0; i < x.size(); ++i)
          if (i % 3 < dim) x[i] += static_cast<ParticleReal>(0.999 * distance * (2.0 * hashed(trial, 100 + i) - 1.0));
        TileMemory memory, near;
        near.padded.assign(static_cast<std::size_t>(dim * extents.size()),
                           std::numeric_limits<ParticleReal>::quiet_NaN());
        near.values.assign(static_cast<std::size_t>(4 * dim * extents.size()),
                           std::numeric_limits<ParticleReal>::quiet_NaN());
        std::vector<ParticleReal> expected = x, found = x;
        trace_particles(tile_around(velocity, b, extents, whole_range(extents), memory), dim, one_stage, {},
                        expected.data(), n);
        trace_particles(tile_around(velocity, b, extents, range, near), dim, one_stage, {}, found.data(), n);
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(found[i], expected[i]) << "trial " << trial;
      }
    }
  });
}

TEST(Trace, of_a_particle_does_not_depend_on_the_others) {
  constexpr TraceStages three{3, {0, 0.5F, 0.75F}, {0.25F, 0.25F, 0.5F}};
  for_each_shape([&](auto shape) {
    using Shape = decltype(shape);
    FlowAroundBlock<Shape> around(3);
    const VelocityTile tile = around.tile();
    std::vector<ParticleReal> all = around.places(300);
    for (ParticleReal& x : all) x = std::min(std::max(x, ParticleReal(0)), ParticleReal(7.75));
    const std::vector<ParticleReal> start = all;
    trace_particles(tile, Shape::dim, three, {}, all.data(), 300);
    for (int n = 1; n <= 40; ++n) {  // any number of particles in the last vector
      std::vector<ParticleReal> beyond(start.begin() + 3 * n, start.begin() + 6 * n);
      beyond.push_back(-3);
      trace_particles(tile, Shape::dim, three, {}, beyond.data(), n);
      for (int i = 0; i < 3 * n; ++i)
        ASSERT_EQ(beyond[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(3 * n + i)]) << n << " particles";
      ASSERT_EQ(beyond.back(), -3);  // and nothing is written after them
    }
  });
}

TEST(Trace, puts_particles_on_the_faces_of_the_box_and_counts_them) {
  for_each_shape([](auto shape) {
    using Shape = decltype(shape);
    FlowAroundBlock<Shape> around(2);
    around.velocity.fill(0.0);
    TraceBox box;
    box.lower[0] = 1;
    box.upper[1] = 6;
    box.rounding = ParticleReal(1e-3);
    std::vector<ParticleReal> x;
    for (const ParticleReal at : {0.5, 0.9995, 1.5})
      for (const ParticleReal y : {5.0, 6.0005, 7.0}) x.insert(x.end(), {at, y, ParticleReal(0.5)});
    EXPECT_EQ(trace_particles(around.tile(), Shape::dim, one_stage, box, x.data(), 9), 5);
    for (std::size_t p = 0; p < 9; ++p) {
      EXPECT_EQ(x[3 * p], p < 6 ? 1.0 : 1.5);
      EXPECT_EQ(x[3 * p + 1], p % 3 == 0 ? 5.0 : 6.0);
    }
  });
}

}  // namespace
}  // namespace freshet
