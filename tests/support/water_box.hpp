// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/forces/forces.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

namespace freshet::test {

/// One block of 8^3 cells of 0.5 m, with a velocity and its labels.
struct WaterBox {
  Domain domain = make_domain(3, {8, 8, 8}, FaceCondition::periodic, 0.5);
  BlockLayout layout{world(), domain, uniform_splitters(domain, world().size()), test::all_blocks(domain)};
  FaceField<double> before{layout, 0.0};
  FaceField<double> after{layout, 0.0};
  LabelField labels{layout, Label::liquid};
  FaceField<double> weight{layout, 0.0};  ///< of 8 particles a cell

  explicit WaterBox(const Vec3& u) {
    for (int d = 0; d < 3; ++d) {
      before[d].fill(u[d]);
      after[d].fill(u[d]);
      weight[d].fill(8.0);
    }
    labels.fill(Label::liquid);
  }
  void apply(const ForceTerm& force, double dt) {
    force.apply({.velocity = before, .labels = labels, .time = 0.0, .weight = &weight, .particles_per_cell = 8.0}, dt,
                after);
  }
  /// Air above y = 2.5 m + 0.5 m part, and the weights of faces along x and z as the deposit spreads the particles
  /// below.
  void fill(double part) {
    const double above = 0.5 + part;  // the middle of the uppermost cells of liquid, to the surface
    const double filled[8] = {1.0, 1.0, 1.0, 1.0, 0.5 + above - 0.5 * above * above, 0.5 * above * above};
    for (int c = 0; c < 512; ++c) {
      const int j = c / 8 % 8;
      if (j >= 5) labels.block(0)[c] = Label::air;
      for (const int d : {0, 2}) weight[d].block(0)[c] = 8.0 * filled[j];
    }
  }
  double at(int d, int i, int j, int k) const { return after[d].block(0)[i + 8 * (j + 8 * k)]; }
};

}  // namespace freshet::test
