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

/// How many values in ghosts differ from those of their owners. Collective
int n_stale(const CellField<double>& field) {
  const BlockLayout& layout = field.layout();
  CellField<double> gathered = field;
  layout.halo().gather(gathered, 1);
  int n = 0;
  for (LocalIndex b = layout.n_owned(); b < layout.n_blocks(); ++b)
    for (int c = 0; c < layout.cells_per_block(); ++c) n += gathered.block(b)[c] != field.block(b)[c] ? 1 : 0;
  return n;
}

/// Gauges of the start read it across the borders of ranks. A body changes faces after the liquid's velocity has been
/// continued into the air.
TEST(VelocityAtTheStart, ghosts_hold_what_their_owners_hold) {
  const Simulation simulation(
      world(), make_case(test::case_text({48, 48}, 0.02) +
                         "[fluid]\nviscosity = 1e3\n[[liquid]]\nshape = \"box\"\nvelocity = [0.3, 0.2]\n"
                         "lower = [0.1, 0]\nupper = [0.7, 0.8]\n[[solid]]\nshape = \"sphere\"\ncenter = [0.4, 0.6]\n"
                         "radius = 0.25\nslip = \"no_slip\"\nsurface = \"fractions\"\n"));
  for (int d = 0; d < 2; ++d) EXPECT_EQ(n_stale(simulation.velocity()[d]), 0);
}

/// Gauges read the pressure across the borders of ranks.
TEST(ViscousPressure, ghosts_hold_what_their_owners_hold) {
  Simulation simulation(world(), make_case(test::case_text({48, 48}, 0.02) +
                                           "[fluid]\nviscosity = 1e3\n[[liquid]]\nshape = \"box\"\n"
                                           "lower = [0.1, 0]\nupper = [0.7, 0.8]\n[time]\nmax_dt = 0.01\n"));
  for (int step = 0; step < 2; ++step) simulation.advance(simulation.largest_dt());
  EXPECT_EQ(n_stale(simulation.pressure()), 0);
}

}  // namespace
}  // namespace freshet
