// SPDX-License-Identifier: Apache-2.0
#include "freshet/bodies/held_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace freshet {
namespace {

/// The inverse of a body's mass matrix.
Mat6 inverse_mass(double mass, double inertia) {
  Mat6 inverse;
  for (int d = 0; d < 3; ++d) {
    inverse(d, d) = 1.0 / mass;
    inverse(3 + d, 3 + d) = 1.0 / inertia;
  }
  return inverse;
}

const std::array<double, 4> masses{2.0, 5.0, 1e-6, 3.0};

Mat6 free_response(int n, int m) {
  const double mass = masses[static_cast<std::size_t>(n)];
  return n == m ? inverse_mass(mass, 0.1 * mass) : Mat6();
}

/// The row of the velocity along a normal at which two bodies part, at their centres but for an arm of the first one.
HeldRow parting(int body, int other, const Vec3& normal, const Vec3& arm, double target) {
  HeldRow row;
  row.body = body;
  row.other = other;
  row.of_body = joined(normal, arm.cross(normal));
  if (other >= 0) row.of_other = joined(-normal, Vec3::Zero());
  row.target = target;
  row.reference = 1.0 / masses[static_cast<std::size_t>(body)];
  return row;
}

struct Held {
  HeldRows rows;
  std::vector<Vec6> velocities{4, Vec6::Zero()}, impulses{4, Vec6::Zero()};

  explicit Held(std::span<const HeldRow> held) {
    std::vector<int> alone(4);
    std::iota(alone.begin(), alone.end(), 0);
    rows.set(held, 4, alone, free_response);
  }
};

TEST(HeldRows, bodies_part_as_held_and_keep_their_momentum) {
  const std::array rows{parting(0, 1, Vec3::UnitX(), Vec3::Zero(), 0.25)};
  Held held(rows);
  held.velocities[0][0] = -3.0;
  held.velocities[1][0] = 1.0;
  held.velocities[3][0] = 7.0;
  held.rows.obey(held.velocities, held.impulses);
  EXPECT_NEAR(held.velocities[0][0] - held.velocities[1][0], 0.25, 1e-14);
  EXPECT_NEAR(2.0 * held.velocities[0][0] + 5.0 * held.velocities[1][0], -1.0, 1e-14);
  EXPECT_EQ(held.velocities[3][0], 7.0);  // nothing holds it
  EXPECT_FALSE(held.rows.holds(3));
  EXPECT_NEAR(held.rows.impulse(0), 2.0 * (held.velocities[0][0] + 3.0), 1e-14);
  EXPECT_NEAR(held.impulses[1][0], -held.rows.impulse(0), 1e-14);
}

TEST(HeldRows, what_an_impulse_does_obeys_the_rows) {
  // a row with an arm, the same row once more, and a second body of hardly any mass
  const std::array rows{parting(0, 1, Vec3(0.6, 0.8, 0.0), Vec3(0.1, 0.0, 0.2), 0.0),
                        parting(0, 1, Vec3(0.6, 0.8, 0.0), Vec3(0.1, 0.0, 0.2), 0.0),
                        parting(1, 2, Vec3::UnitY(), Vec3(0.3, 0.0, 0.0), 0.0)};
  const Held held(rows);
  ASSERT_EQ(held.rows.groups().size(), 1U);
  const HeldRows::Group& group = held.rows.groups()[0];
  EXPECT_EQ(group.bodies, (std::vector<int>{0, 1, 2}));
  const Dense& response = group.held.response();
  for (int column = 0; column < 18; ++column)
    for (int r = 0; r < 3; ++r) {
      double rate = 0.0, size = 0.0;
      for (int i = 0; i < 18; ++i) {
        rate += group.held.rows()(r, i) * response(i, column);
        size += std::abs(group.held.rows()(r, i) * response(i, column));
      }
      EXPECT_NEAR(rate, 0.0, 1e-9 * (1.0 + size));
      EXPECT_EQ(response(r, column), response(column, r));
    }
}

TEST(HeldRows, a_compliance_gives_way_as_a_drag) {
  // an impulse of -u / e along the row, at the velocity u after it: u = v / (1 + 1 / (m e))
  for (const double e : {1e-6, 0.5, 1e6}) {
    std::array rows{parting(3, -1, Vec3::UnitZ(), Vec3::Zero(), 0.0)};
    rows[0].compliance = e;
    Held held(rows);
    held.velocities[3][2] = 4.0;
    held.rows.obey(held.velocities, held.impulses);
    const double u = held.velocities[3][2];
    EXPECT_NEAR(u, 4.0 / (1.0 + 1.0 / (3.0 * e)), 1e-14) << e;
    EXPECT_NEAR(held.rows.impulse(0), -u / e, 1e-10 / e) << e;
  }
}

TEST(HeldRows, a_body_of_hardly_any_mass_between_two_others_passes_their_impulse_on) {
  const std::array rows{parting(0, 2, Vec3::UnitX(), Vec3::Zero(), 0.0),
                        parting(2, 1, Vec3::UnitX(), Vec3::Zero(), 0.0)};
  Held held(rows);
  held.velocities[0][0] = -1.0;
  held.velocities[1][0] = 1.0;
  held.velocities[2][0] = 1e5;
  held.rows.obey(held.velocities, held.impulses);
  const double together = (-2.0 + 5.0 + 0.1) / 7.000001;
  for (int n = 0; n < 3; ++n) EXPECT_NEAR(held.velocities[static_cast<std::size_t>(n)][0], together, 1e-9) << n;
}

}  // namespace
}  // namespace freshet
