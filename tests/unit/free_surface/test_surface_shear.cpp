// SPDX-License-Identifier: Apache-2.0
#include "freshet/free_surface/surface_shear.hpp"
#include "support/water_box.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

TEST(SurfaceShear, faces_in_the_air_keep_what_the_deposit_has_beyond_the_liquid) {
  for (const double part : {0.0, 0.4}) {  // the face in the air has the particles of 1/8 and of 0.4 cells
    test::WaterBox box({2.5, 0.0, 0.0});  // u^{n+1}
    box.fill(part);
    FaceField<double> continued(box.layout, 0.0);
    continued.fill(2.0);
    FaceField<double> velocity(box.layout, 0.0);
    velocity.fill(3.0);  // the deposit's
    keep_surface_shear({box.labels, box.weight, 8.0, continued, box.before}, velocity);
    const auto at = [&](int j) { return velocity[0].block(0)[4 + 8 * (j + 8 * 4)]; };
    EXPECT_EQ(at(4), 2.5) << "liquid";
    EXPECT_EQ(at(5), part > 0.0 ? 3.5 : 2.5) << "air next to it";
    EXPECT_EQ(at(6), 2.5) << "no particles";
  }
}

}  // namespace
}  // namespace freshet
