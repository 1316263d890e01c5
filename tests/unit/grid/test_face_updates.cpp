// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/kernels/face_updates.hpp"
#include "freshet/grid/layout.hpp"
#include "support/mpi_test.hpp"
#include "support/random_blocks.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

/// All faces of a field that are not 0.
int count_set(const FaceField<double>& field) {
  int n = 0;
  for (int d = 0; d < field.dimension(); ++d)
    for (LocalIndex b = 0; b < field.layout().n_owned(); ++b)
      for (int c = 0; c < field.layout().cells_per_block(); ++c) n += field[d].block(b)[c] != 0.0 ? 1 : 0;
  return n;
}

TEST(FaceUpdates, only_the_faces_in_the_lists_change) {
  const Domain domain = test::make_domain(2, {16, 8, 1});
  const BlockLayout layout(test::world(), domain, uniform_splitters(domain, 1), test::all_blocks(domain));
  FaceField<double> velocity(layout);
  velocity.fill(0.0);
  FaceUpdates updates;
  updates.reset(2);
  updates.begin(0).push_back({0, 3, 1.5});
  std::vector<FaceUpdates::Update>& second = updates.begin(1);
  second.push_back({1, 63, 2.5});
  second.push_back({0, 0, 3.5});
  updates.write(velocity);
  EXPECT_EQ(velocity[0].block(0)[3], 1.5);
  EXPECT_EQ(velocity[1].block(1)[63], 2.5);
  EXPECT_EQ(velocity[0].block(1)[0], 3.5);
  EXPECT_EQ(count_set(velocity), 3);
}

TEST(FaceUpdates, lists_of_an_earlier_use_are_not_written) {
  const Domain domain = test::make_domain(2, {16, 8, 1});
  const BlockLayout layout(test::world(), domain, uniform_splitters(domain, 1), test::all_blocks(domain));
  FaceField<double> velocity(layout);
  velocity.fill(0.0);
  FaceUpdates updates;
  updates.reset(2);
  updates.begin(0).push_back({0, 3, 1.5});
  updates.begin(1).push_back({0, 5, 2.5});
  updates.reset(1);  // the second block is gone
  updates.begin(0).push_back({1, 7, 4.5});
  updates.write(velocity);
  EXPECT_EQ(velocity[1].block(0)[7], 4.5);
  EXPECT_EQ(count_set(velocity), 1);
}

}  // namespace
}  // namespace freshet
