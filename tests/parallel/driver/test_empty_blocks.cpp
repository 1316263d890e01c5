// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
// nightly: 3
#include "freshet/driver/run.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/folder.hpp"
#include "support/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

/// With run.reproducible no bit depends on which blocks without liquid exist. A case runs as it is, with more blocks
/// than it needs, and with blocks that are made anew in each step, where they also change their ranks.
namespace freshet::test {
namespace {

Parameters with_spare_blocks(Parameters parameters) {
  parameters.balance.spare_rings = 2;
  return parameters;
}

Parameters with_new_blocks(Parameters parameters) {
  parameters.balance.moves_often = true;
  return parameters;
}

const std::string tank = case_text({44, 92}, 0.02, reproducible);

/// A dam breaks below a ball that falls; most of the tank is empty.
const std::string flat = tank + R"(
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [0.3, 0.25]
velocity = [1.5, 0]
[[liquid]]
shape = "sphere"
center = [0.6, 0.6]
radius = 0.12
velocity = [-0.5, -2.5]
tag = 3
)";

const std::string deep = case_text({20, 44, 20}, 0.04, reproducible) + R"(
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.36, 0.3, 0.5]
velocity = [1.0, 0, 0.5]
[[liquid]]
shape = "sphere"
center = [0.6, 0.8, 0.4]
radius = 0.13
velocity = [-0.5, -2.5, 0]
tag = 3
)";

const std::string density = "[density]\ncorrection = \"implicit\"\n";
const std::string separating = "[pressure.walls]\ncondition = \"separating\"\n";

/// A body that cuts cells, another one of whole cells, both moving, a source in the air, and a sink on the floor.
const std::string machines = R"(
[[solid]]
shape = "box"
lower = [0.42, 0.02]
upper = [0.47, 0.3]
velocity = [-0.8, 0.1]
surface = "fractions"
slip = "no_slip"
[[solid]]
shape = "sphere"
center = [0.15, 0.8]
radius = 0.05
velocity = [0, -1.5]
surface = "voxels"
[[source]]
shape = "box"
lower = [0.7, 1.2]
upper = [0.8, 1.3]
velocity = [-1.5, 0]
tag = 3
[[sink]]
shape = "box"
lower = [0, 0]
upper = [0.1, 0.05]
)";

const std::string instruments = R"(
[[gauge]]
type = "height"
name = "height"
start = [0.2, 0, 0]
end = [0.2, 1.8, 0]
[[gauge]]
type = "pressure"
name = "pressure"
point = [0.0, 0.1]
[[gauge]]
type = "pressure"
name = "pressure_in_air"
point = [0.4, 1.5]
[[gauge]]
type = "velocity"
name = "velocity"
point = [0.45, 0.5]
[[gauge]]
type = "force"
name = "force"
side = "y_low"
[[gauge]]
type = "flow_rate"
name = "flow_rate"
lower = [0.32, 0]
upper = [0.32, 1.5]
[[gauge]]
type = "region"
name = "region"
lower = [0.3, 0]
upper = [0.8, 1.8]
)";

/// Two balls that pass by an open side; it cuts blocks.
const std::string beside_an_open_side = case_text({20, 64}, 0.05, reproducible) + R"(
[domain.boundary]
x_high = "open"
[[liquid]]
shape = "sphere"
center = [0.7, 0.5]
radius = 0.22
velocity = [0, 2]
[[liquid]]
shape = "sphere"
center = [0.3, 2.7]
radius = 0.25
velocity = [0.3, -1]
)";

/// The dam holds a bubble; a chamber full of air stands on the floor beside it. The text goes on with the table `air`.
const std::string air = R"(
least_cells = 2
[[liquid]]
shape = "difference"
velocity = [1.0, 0]
parts = [{shape = "box", lower = [0, 0], upper = [0.4, 0.4]}, {shape = "sphere", center = [0.2, 0.2], radius = 0.07}]
[[liquid]]
shape = "sphere"
center = [0.6, 0.7]
radius = 0.1
velocity = [0, -2.5]
tag = 3
[[solid]]
shape = "box"
lower = [0.5, 0.3]
upper = [0.8, 0.34]
[[solid]]
shape = "box"
lower = [0.5, 0]
upper = [0.54, 0.34]
[[solid]]
shape = "box"
lower = [0.76, 0]
upper = [0.8, 0.34]
)";

/// A cup whose roof is far from the pool below sinks; another one, of a body, moves aside. The text goes on with the
/// table `air`.
const std::string tall_cups = R"(
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [0.88, 0.1]
[[solid]]
shape = "difference"
parts = [{shape = "box", lower = [0.1, 0.06], upper = [0.4, 1.4]}, {shape = "box", lower = [0.14, 0], upper = [0.36, 1.35]}]
velocity = [0, -0.5]
surface = "fractions"
[[solid]]
shape = "difference"
parts = [{shape = "box", lower = [0.5, 0.06], upper = [0.7, 1.2]}, {shape = "box", lower = [0.54, 0], upper = [0.66, 1.16]}]
body.mass = 20.0
body.center = [0.6, 0.6]
body.inertia = 5.0
body.velocity = [0.4, 0.0]
)";

/// A crate that floats, a ball that sinks, and a log in the air, each of another density.
const std::string bodies = R"(
[[solid]]
shape = "box"
lower = [0.1, 0.16]
upper = [0.22, 0.28]
body.density = 400.0
[[solid]]
shape = "sphere"
center = [0.2, 0.08]
radius = 0.05
body.density = 3000.0
[[solid]]
shape = "sphere"
center = [0.75, 0.9]
radius = 0.06
body.density = 100.0
body.velocity = [-0.5, -2.0]
surface = "voxels"
)";

/// Joints of those bodies, and a line to the floor.
const std::string links = R"(
[[joint]]
name = "hinge"
kind = "hinge"
solids = [0, 1]
anchor = [0.16, 0.15]
[[joint]]
name = "spring"
kind = "spring"
solids = [2]
anchor = [0.75, 0.9]
end = [0.8, 1.4]
stiffness = 20.0
[[mooring]]
name = "line"
kind = "tether"
solid = 0
fairlead = [0.1, 0.16]
anchor = [0.05, 0.0]
stiffness = 1e3
)";

const std::string bubbles_gauge = R"(
[[gauge]]
type = "bubbles"
name = "bubbles"
)";

const std::string paddle = R"(
[time]
splitting = "strang"
[[solid]]
shape = "box"
lower = [-0.3, -1]
upper = [0.02, 3]
wave = { type = "linear", height = 0.05, period = 0.5, depth = 0.3 }
[[gauge]]
type = "profile"
name = "profile"
start = [0.1, 0, 0]
end = [0.5, 0, 0]
line = [0, 1.8, 0]
count = 4
)";

/// A shelf and a gate thinner than a cell.
const std::string thin_walls = R"(
[[solid]]
shape = "box"
lower = [0.45, -1]
upper = [0.457, 0.35]
[[solid]]
shape = "box"
lower = [0.5, 0.403]
upper = [0.8, 0.41]
velocity = [0, 0.3]
)";

/// Two pools of thin liquid, whose blocks end below those with walls thinner than a cell and a ball that cuts cells.
const std::string below_thin_walls = tank + R"(
[fluid]
viscosity = 0.001
[vortex]
boost = 2.0
[[liquid]]
shape = "box"
lower = [0, 0]
upper = [0.4, 0.19]
velocity = [0.5, 0]
[[liquid]]
shape = "box"
lower = [0.4, 0]
upper = [0.88, 0.18]
velocity = [-0.3, 0.1]
tag = 3
[[solid]]
shape = "box"
lower = [0.1, 0.423]
upper = [0.25, 0.43]
[[solid]]
shape = "sphere"
center = [0.7, 0.5]
radius = 0.05
surface = "fractions"
body.density = 300.0
)";

struct Feature {
  const char* name;
  std::string text;
};

const Feature features[] = {
    {"voxels and density", flat + at_voxels + density},
    {"level set, separating walls and density", flat + separating + density},
    {"density of particles as label", flat + "[labels]\nmethod = \"density\"\nsurface = \"voxels\"\n"},
    {"affine particles, vortices, extrapolation by distance",
     flat + "[transfer]\nmethod = \"apic\"\n[vortex]\nboost = 3.0\n[extrapolation]\nmethod = \"distance\"\n"},
    {"tension", flat + "[fluid]\nsurface_tension = 0.5\ncontact_angle = 60\n"},
    {"wind and open sides", flat + "[fluid.wind]\nvelocity = [20, 0, 0]\n[domain.boundary]\nx_high = \"open\"\n"},
    {"stiff liquid without slip",
     flat + separating + "[fluid]\nviscosity = 2e4\n[domain.boundary]\nx_low = \"no_slip\"\ny_low = \"no_slip\"\n"},
    {"stiff liquid beside an open side", beside_an_open_side + "[fluid]\nviscosity = 1e3\ngravity = [0, 0]\n"},
    {"liquids of two viscosities, split from the pressure",
     flat +
         "[fluid]\nviscosity = 5.0\n[viscosity]\ncoupling = \"split\"\n[[liquid]]\nshape = \"box\"\nlower = [0.3, 0]\n"
         "upper = [0.6, 0.2]\ntag = 4\nviscosity = 3e4\n"},
    {"machines and instruments", flat + machines + instruments},
    {"stiff liquid with machines and instruments", flat + "[fluid]\nviscosity = 1e3\n" + machines + instruments},
    {"reseeding and spreading",
     flat + "[particles.reseeding]\nenabled = true\n[particles.distribution]\nenabled = true\n"},
    {"reflection, periodic sides",
     case_text({48, 92}, 0.02, reproducible) + flat.substr(flat.find("[[liquid]]")) +
         "[time]\nsplitting = \"reflection\"\n[domain.boundary]\nx_low = \"periodic\"\nx_high = \"periodic\"\n"},
    {"local preconditioner, long steps",
     flat + "[time]\ncfl = 3\nsplitting = \"strang\"\n[pressure]\npreconditioner = \"block_mic0\"\n"},
    {"rolling tank, absorber", flat + "[frame]\nangular_velocity = [0, 0, 40]\n[[absorber]]\nlower = [0.4, 0]\nupper = "
                                      "[0.88, 1.8]\nstrength = 20\n"},
    {"trapped air", tank + "[air]\nbubbles = \"compressible\"\n" + air + density},
    {"trapped air that keeps its volume, tension",
     tank + "[fluid]\nsurface_tension = 0.5\n[air]\nbubbles = \"incompressible\"\n" + air},
    {"walls of trapped air far from the liquid",
     tank + "[air]\nbubbles = \"compressible\"\n" + tall_cups + bubbles_gauge},
    {"bodies that the liquid moves", flat + bodies + density},
    {"bodies that are joined and moored, and may be left by the liquid", flat + separating + bodies + links},
    {"bodies beside trapped air", tank + "[air]\nbubbles = \"compressible\"\n" + air + bodies + bubbles_gauge},
    {"a paddle and a profile of heights", flat + density + paddle},
    {"mixing length beside a floor without slip",
     flat + "[turbulence]\nmodel = \"mixing_length\"\n[fluid]\nviscosity = 0.001\n[domain.boundary]\n"
            "y_low = \"no_slip\"\n"},
    {"eddies and a wall law",
     flat + "[turbulence]\nmodel = \"wale\"\n[fluid]\nviscosity = 0.001\n[domain.boundary]\nx_low = \"wall_law\"\n"
            "y_low = \"wall_law\"\n[[gauge]]\ntype = \"wall_stress\"\nname = \"wall_stress\"\npoint = [0.3, 0]\n"},
    {"thin walls", flat + thin_walls},
    {"thin liquid below thin walls", below_thin_walls},
    {"walls that let go, by ADMM", flat + separating + "method = \"admm\"\n"},
    {"walls that let go, by IOP", flat + separating + "method = \"iop\"\n"},
    {"walls that let go, by conjugate gradients", flat + separating + "method = \"cg\"\n"},
    {"pressure outside", flat + "[domain.boundary]\nx_high = \"open\"\n[fluid.outside_pressure]\nx_high = 1962.0\n"},
    {"3-D", deep + separating + density},
    {"3-D with bodies and eddies",
     deep + "[turbulence]\nmodel = \"smagorinsky\"\n[[solid]]\nshape = \"sphere\"\ncenter = [0.2, 0.2, 0.3]\n"
            "radius = 0.1\nbody.density = 500.0\n"},
    {"stiff liquid in 3-D", deep + "[fluid]\nviscosity = 1e4\n[domain.boundary]\ny_low = \"no_slip\"\n"},
};

TEST(EmptyBlocks, change_no_bit_of_a_run) {
  for (const Feature& feature : features) {
    SCOPED_TRACE(feature.name);
    const Parameters parameters = make_case(feature.text);
    const int n_steps = parameters.domain.dimension == 3 ? 8 : 14;
    const Trace reference = trace_of(world(), parameters, n_steps);
    expect_same(trace_of(world(), with_spare_blocks(parameters), n_steps), reference);
    expect_same(trace_of(world(), with_new_blocks(parameters), n_steps), reference);
  }
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Surfaces and gauges of a run by their paths below its directory.
std::map<std::string, std::string> files_of(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const char* part : {"gauges", "surfaces"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory / part))
      if (entry.is_regular_file()) files[relative(entry.path(), directory).string()] = content_of(entry.path());
  return files;
}

const std::string recorded = deep + R"(
[fluid]
viscosity = 1e3
[output.surface]
interval = 0.01
[checkpoint]
steps = 5
[[gauge]]
type = "force"
name = "force"
side = "y_low"
[[gauge]]
type = "pressure"
name = "pressure"
point = [0.1, 0.1, 0.1]
)";

/// Run a case in a directory; the hash of its particles at the end. Collective
std::uint64_t run_in(const std::string& directory, Parameters parameters, int n_steps, bool goes_on) {
  parameters.run.max_steps = n_steps;
  RunOptions options;
  options.output_dir = directory;
  if (goes_on) options.restart = "auto";
  Run run(world(), parameters, options);
  run.run();
  return hash_of_particles(run.simulation());
}

TEST(EmptyBlocks, change_no_bit_of_surfaces_gauges_and_restarts) {
  const Folder folder("empty_blocks");
  const Parameters parameters = make_case(recorded);
  const std::uint64_t particles = run_in(folder.path("plain"), parameters, 10, false);
  EXPECT_EQ(run_in(folder.path("spare"), with_spare_blocks(parameters), 5, false),
            run_in(folder.path("again"), parameters, 5, false));
  EXPECT_EQ(run_in(folder.path("spare"), parameters, 10, true), particles) << "it goes on without the spare blocks";
  EXPECT_EQ(run_in(folder.path("again"), with_new_blocks(parameters), 10, true), particles);
  const auto files = files_of(folder.path("plain"));
  EXPECT_GE(files.size(), 4u);
  for (const char* other : {"spare", "again"}) EXPECT_EQ(files_of(folder.path(other)), files) << other;
}

}  // namespace
}  // namespace freshet::test
