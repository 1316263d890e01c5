// SPDX-License-Identifier: Apache-2.0
// Angular momentum of drops and of bodies in them, free in space.
// ranks: 1
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::report;
using test::world;

/// A drop of water around a box that spins and, beside it, a ball that moves, far from all sides of the domain.
/// \param[in] n  cells along each axis
std::string drop(int dimension, const std::string& surface, int n = 32) {
  const auto point = [dimension](const std::string& xy, const std::string& z) {
    return "[" + xy + (dimension == 2 ? "" : ", " + z) + "]\n";
  };
  const std::string of_body = "surface = \"" + surface + "\"\n" + "slip = \"free_slip\"\nwall = \"sticky\"\n";
  return (dimension == 2 ? case_text({n, n}, 1.0 / n) : case_text({n, n, n}, 1.0 / n)) + test::at_voxels +
         "[fluid]\ngravity = " + point("0, 0", "0") +
         "[[liquid]]\nshape = \"sphere\"\ncenter = " + point("0.5, 0.5", "0.5") +
         "radius = 0.4\n[[solid]]\nshape = \"box\"\nlower = " + point("0.3, 0.4", "0.35") +
         "upper = " + point("0.5, 0.7", "0.6") + "body.density = 3000\nbody.angular_velocity = [0, 0, 90]\n" + of_body +
         "[[solid]]\nshape = \"sphere\"\ncenter = " + point("0.67, 0.48", "0.53") +
         "radius = 0.11\nbody.density = 500\nbody.velocity = " + point("0.1, -0.8", "0.3") + of_body;
}

/// The liquid's angular momentum about the origin by the open parts of faces, each at its own middle. [kg m^2/s]
///
/// Bodies cover the rest of such a face, about the middle of that rest: together they are the whole face, whose middle
/// is that of the grid's.
Vec3 of_liquid(const Simulation& simulation, const FaceField<double>& velocity) {
  const BlockLayout& layout = simulation.layout();
  const Domain& domain = simulation.domain();
  const auto face_of = [&](LocalIndex b, int c, int axis) -> std::array<int, 4> {
    const Vec3i n = domain.block_cells();
    const Vec3i at = layout.first_cell(b) + Vec3i(c % n.x(), c / n.x() % n.y(), c / (n.x() * n.y()));
    return {at.x(), at.y(), at.z(), axis};
  };
  const auto of_face = [&](const std::array<int, 4>& face) -> Vec3 {
    Vec3 x = domain.origin() + domain.dx() * Vec3(face[0] + 0.5, face[1] + 0.5, face[2] + 0.5);
    x[face[3]] -= 0.5 * domain.dx();
    return x;
  };
  Vec3 sum = Vec3::Zero();
  std::set<std::array<int, 4>> counted;  // both cells of a face list what covers it
  for (LocalIndex b = 0; b < layout.n_owned(); ++b) {
    for (int d = 0; d < domain.dimension(); ++d)
      for (int c = 0; c < layout.cells_per_block(); ++c) {
        const double open = simulation.solids().open_fraction()[d].block(b)[c];
        sum += open * velocity[d].block(b)[c] * of_face(face_of(b, c, d)).cross(Vec3::Unit(d));
      }
    for (const BodyFlow& flow : simulation.solids().body_flows(b)) {
      std::array<int, 4> face = face_of(b, flow.cell, flow.axis);
      if (flow.outward > 0) ++face[static_cast<std::size_t>(flow.axis)];
      if (!counted.insert(face).second) continue;
      const Vec3i at(face[0], face[1], face[2]), n = domain.block_cells();
      const Vec3i in_block(at.x() % n.x(), at.y() % n.y(), at.z() % n.z());
      const LocalIndex owner = layout.find(morton_key(Vec3i(at.cwiseQuotient(n))));
      const double u = velocity[flow.axis].block(owner)[in_block.x() + n.x() * (in_block.y() + n.y() * in_block.z())];
      const Vec3 offset = domain.dx() * Vec3(flow.middle[0], flow.middle[1], flow.middle[2]);
      sum -= static_cast<double>(flow.covered) * u * offset.cross(Vec3::Unit(flow.axis));
    }
  }
  if (domain.dimension() == 2) sum.head<2>().setZero();
  return 1000.0 * domain.cell_volume() * sum;
}

/// The bodies' angular momentum about the origin. [kg m^2/s]
Vec3 of_bodies(const FreeBodies& bodies, int dimension) {
  Vec3 sum = Vec3::Zero();
  for (int n = 0; n < bodies.count(); ++n) {
    const BodyMass& mass = bodies.body(n).mass;
    const Mat3 rotation = bodies.pose(n).rotation;
    const Vec6& velocity = bodies.velocity(n);
    sum += mass.mass * bodies.center(n).cross(Vec3(velocity.head<3>())) +
           rotation * mass.inertia * rotation.transpose() * Vec3(velocity.tail<3>());
  }
  if (dimension == 2) sum.head<2>().setZero();
  return sum;
}

/// The pressure of a cell pushes its open and its covered faces, and the torque of all six about any point is 0.
TEST(BodiesInADrop, the_angular_momentum_that_the_liquid_loses_the_bodies_gain) {
  for (const int dimension : {2, 3})
    for (const char* const surface : {"voxels", "fractions"}) {
      Simulation simulation(world(), make_case(drop(dimension, surface)));
      const double dt = 0.5 * simulation.largest_dt();
      simulation.begin_step();
      simulation.deposit_velocity();
      simulation.label();
      simulation.apply_forces(dt);
      // neither body has a gyroscopic moment yet: the box spins about an axis of inertia
      const Vec3 before = of_bodies(simulation.free_bodies(), dimension);
      const Vec3 still = of_liquid(simulation, simulation.velocity());
      EXPECT_EQ(simulation.project(dt), "");
      const Vec3 gained = of_bodies(simulation.free_bodies(), dimension) - before;
      const Vec3 lost = still - of_liquid(simulation, simulation.velocity());
      EXPECT_TRUE(simulation.cancel_step());
      report("angular momentum: what bodies gain over theirs, error of a step over that",
             {gained.norm() / before.norm(), (gained - lost).norm() / gained.norm()});
      EXPECT_GT(gained.norm(), 1e-2 * before.norm());
      // covered parts of faces and their middles are floats
      EXPECT_LT((gained - lost).norm(), (surface == std::string("voxels") ? 1e-9 : 1e-6) * gained.norm());
    }
}

/// Over whole steps particles carry the liquid's angular momentum, and where they take their velocities beside bodies
/// some of it is lost, most in the first steps, in which the bodies set the drop moving. \return the largest part of it
/// that is lost or gained within 0.4 s
double lost_in_steps(int n, double longest) {
  Simulation simulation(world(), make_case(drop(2, "fractions", n)));
  const auto of_both = [&] {
    const double mass = 1000.0 * simulation.domain().cell_volume() / simulation.particles_per_cell();
    double sum = of_bodies(simulation.free_bodies(), 2).z();
    test::for_each_particle(simulation,
                            [&](const Vec3& x, const Vec3& u, ParticleId) { sum += mass * x.cross(u).z(); });
    return sum;
  };
  const double start = of_both();
  double worst = 0.0;
  while (simulation.time() < 0.4) {
    simulation.advance(std::min(longest, simulation.largest_dt()));
    worst = std::max(worst, std::abs(of_both() / start - 1.0));
  }
  return worst;
}

TEST(BodiesInADrop, whole_steps_lose_less_of_the_angular_momentum_on_a_finer_grid) {
  const double coarse = lost_in_steps(32, 0.01), fine = lost_in_steps(64, 0.005);
  report("angular momentum of drop and bodies: largest error in 0.4 s, coarse and fine", {coarse, fine});
  EXPECT_LT(coarse, 0.12);
  EXPECT_LT(fine, 0.7 * coarse);
}

}  // namespace
}  // namespace freshet
