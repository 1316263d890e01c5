// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/halo.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

namespace freshet {
namespace {

using test::make_case;
using test::world;

/// Gauges read the pressure across the borders of ranks.
TEST(ViscousPressure, ghosts_hold_what_their_owners_hold) {
  Simulation simulation(world(), make_case(test::case_text({48, 48}, 0.02) +
                                           "[fluid]\nviscosity = 1e3\n[[liquid]]\nshape = \"box\"\n"
                                           "lower = [0.1, 0]\nupper = [0.7, 0.8]\n[time]\nmax_dt = 0.01\n"));
  for (int step = 0; step < 2; ++step) simulation.advance(simulation.largest_dt());
  const CellField<double>& pressure = simulation.pressure();
  const BlockLayout& layout = pressure.layout();
  CellField<double> gathered = pressure;
  layout.halo().gather(gathered, 1);
  int n_different = 0;
  for (LocalIndex b = layout.n_owned(); b < layout.n_blocks(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c)
      n_different += gathered.block(b)[c] != pressure.block(b)[c] ? 1 : 0;
  EXPECT_EQ(n_different, 0);
}

}  // namespace
}  // namespace freshet
