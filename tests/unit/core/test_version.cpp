// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/types.hpp"
#include "freshet/core/version.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

TEST(Version, build_info_is_complete) {
  const BuildInfo& info = build_info();
  EXPECT_EQ(info.version, "0.2.0");
  EXPECT_GE(info.commit.size(), 7U);
  EXPECT_FALSE(info.build_type.empty());
  EXPECT_FALSE(info.compiler.empty());
  EXPECT_NE(info.flags.find("-O"), std::string::npos);
  EXPECT_EQ(info.particle_bits, static_cast<int>(8 * sizeof(ParticleReal)));
}

}  // namespace
}  // namespace freshet
