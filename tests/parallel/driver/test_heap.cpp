// SPDX-License-Identifier: Apache-2.0
// Twenty bodies of all kinds in a heap: in contact, moored and hinged.
// timeout: 900
// nightly: 2 4
#include "support/floating.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <string>
#include <vector>

namespace freshet {
namespace {

using test::case_text;
using test::make_case;
using test::world;

/// The middle of a body at the start. [m]
Vec3 middle_of(int n) {
  return {0.25 + 0.3 * (n % 3), 0.15 + 0.25 * (n / 9) + 0.01 * (n % 4), 0.25 + 0.3 * (n / 3 % 3)};
}

std::string text_of(const Vec3& x) {
  return fmt::format("[{}, {}, {}]\n", x[0], x[1], x[2]);
}

/// A joint of two bodies, half way between them.
std::string joint(const std::string& kind, int n, int m, const std::string& more = "") {
  return fmt::format("[[joint]]\nname = \"{}_{}\"\nkind = \"{}\"\nsolids = [{}, {}]\nanchor = ", kind, n, kind, n, m) +
         text_of(0.5 * (middle_of(n) + middle_of(m))) + more;
}

/// A mooring of a body to the floor's corner.
std::string mooring(const std::string& kind, int n, const std::string& more) {
  return fmt::format("[[mooring]]\nname = \"{}\"\nkind = \"{}\"\nsolid = {}\nanchor = [0.05, 0.0, 0.05]\nfairlead = ",
                     kind, kind, n) +
         text_of(middle_of(n)) + more;
}

/// Twenty bodies of all kinds that fall onto each other in a shallow pool. Hinges and a ball join some, and two are
/// moored.
std::string heap() {
  std::string text = case_text({24, 24, 24}, 0.05, test::reproducible) + R"([[liquid]]
shape = "box"
lower = [-1, -1, -1]
upper = [2, 0.25, 2]
)";
  for (int n = 0; n < 20; ++n) {
    const Vec3 at = middle_of(n);
    const double x = at.x(), y = at.y(), z = at.z();
    text += "[[solid]]\n";
    if (n % 4 == 0)
      text += fmt::format("shape = \"sphere\"\ncenter = [{}, {}, {}]\nradius = 0.09\n", x, y, z);
    else if (n % 4 == 1)
      text += fmt::format("shape = \"cylinder\"\nstart = [{}, {}, {}]\nend = [{}, {}, {}]\nradius = 0.08\n", x - 0.1, y,
                          z, x + 0.08, y + 0.02, z);
    else if (n % 4 == 2)
      text += fmt::format("shape = \"capsule\"\nstart = [{}, {}, {}]\nend = [{}, {}, {}]\nradius = 0.07\n", x, y,
                          z - 0.08, x, y, z + 0.07);
    else
      text += fmt::format(
          "shape = \"box\"\nlower = [{}, {}, {}]\nupper = [{}, {}, {}]\nrotate.axis = [1, 2, 3]\nrotate.angle = {}\n"
          "rotate.center = [{}, {}, {}]\n",
          x - 0.1, y - 0.07, z - 0.08, x + 0.1, y + 0.07, z + 0.08, 5 * n, x, y, z);
    text += fmt::format("body.density = {}\nbody.restitution = {}\nbody.velocity = [{}, -2.5, {}]\n", 400 + 60 * n,
                        n % 2 == 0 ? 0.3 : 0.0, 0.4 * (n % 3 - 1), 0.3 * (n % 2));
  }
  return text + joint("hinge", 0, 3, "axis = [1, 0, 0.2]\nstiffness = 3\ndamping = 0.5\n") +
         joint("hinge", 9, 10, "axis = [0, 0, 1]\n") + joint("ball", 10, 13) +
         mooring("tether", 8, "length = 0.3\nstiffness = 500\ndamping = 2\n") +
         mooring("catenary", 13, "length = 1.2\nweight = 5\naxial_stiffness = 1e4\nbed = 0.0\n");
}

std::vector<double> numbers_of(const FreeBodies& bodies) {
  std::vector<double> numbers;
  for (const auto& [name, values] : bodies.kept()) numbers.insert(numbers.end(), values.begin(), values.end());
  for (int n = 0; n < 2; ++n) {
    numbers.push_back(bodies.mooring_report(n).tension);
    EXPECT_GT(numbers.back(), 1.0) << n;
  }
  return numbers;
}

std::vector<double> heap_after(const Communicator& comm, int n_steps) {
  Simulation simulation(comm, make_case(heap()));
  GlobalIndex contacts = 0;
  for (int step = 0; step < n_steps; ++step)
    contacts += simulation.advance(std::min(0.008, simulation.largest_dt())).contacts;
  EXPECT_GT(contacts, 10);
  return numbers_of(simulation.free_bodies());
}

TEST(Heap, twenty_bodies_in_contact_moored_and_hinged_have_the_same_bits_on_any_number_of_ranks_and_threads) {
  const std::vector<double> here = heap_after(world(), 11);
  EXPECT_EQ(here, test::computed_alone([](const Communicator& comm) {
              const int threads = omp_get_max_threads();
              omp_set_num_threads(2);
              const std::vector<double> numbers = heap_after(comm, 11);
              omp_set_num_threads(threads);
              return numbers;
            }));
}

TEST(Heap, twenty_bodies_in_contact_moored_and_hinged_go_on_from_a_restart_with_the_same_bits) {
  Simulation whole(world(), make_case(heap()));
  for (int step = 0; step < 6; ++step) whole.advance(0.008);
  Simulation restarted(world(), make_case(heap()), whole.restart_state());
  for (int step = 0; step < 3; ++step) {
    whole.advance(0.008);
    restarted.advance(0.008);
  }
  EXPECT_EQ(numbers_of(whole.free_bodies()), numbers_of(restarted.free_bodies()));
}

}  // namespace
}  // namespace freshet
