// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
#include "freshet/config/read.hpp"
#include "freshet/core/error.hpp"
#include "freshet/io/checkpoint.hpp"
#include "freshet/io/snapshot.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <string>

namespace freshet::test {
namespace {

Parameters case_of(const std::string& file, const std::string& more = "") {
  return make_case(case_text({24, 16, 16}, 0.25, reproducible) + "[[liquid]]\nshape = \"particles\"\nfile = \"" + file +
                   "\"\ntag = 4\n" + more + "[[attribute]]\nname = \"dye\"\ntype = \"vector\"\ndefault = [1, 2, 3]\n");
}

void write(const std::string& path, const std::string& text) {
  if (world().is_root()) std::ofstream(path) << text;
  world().barrier();
}

TEST(ParticleFiles, a_table_becomes_a_liquid_with_ids_in_its_order) {
  const SharedDirectory directory("table");
  write(directory.path() + "/a.csv", "x,y,z,vx,vy,vz\n1,1,1,0,0,2\n2.5,1,1,0,0,0\n99,1,1,0,0,0\n0.1,3,3,1,0,0\n");
  const Simulation simulation(
      world(), case_of(directory.path() + "/a.csv", "scale = 2\ntranslate = [0.5, 0, 0]\nvelocity = [0, 1, 0]\n"));
  EXPECT_EQ(simulation.report().particles, 2) << "one lies outside, and one above the domain";
  EXPECT_EQ(simulation.seeding().dropped_outside, 2);
  EXPECT_EQ(simulation.numbers().dropped_outside, 2);
  EXPECT_EQ(simulation.seeding().dropped_in_solid, 0);
  EXPECT_EQ(simulation.numbers().next_id, 4) << "ids of particles outside stay unused";
  for_each_particle(simulation, [&](const Vec3& x, const Vec3& u, ParticleId id) {
    EXPECT_EQ(x, id == 0 ? Vec3(2.5, 2, 2) : Vec3(5.5, 2, 2));
    EXPECT_EQ(u, id == 0 ? Vec3(0, 1, 2) : Vec3(0, 1, 0));
  });
  for (ParticleIndex p = 0; p < simulation.particles().size(); ++p) EXPECT_EQ(simulation.particles().tag()[p], 4);
}

TEST(ParticleFiles, a_snapshot_comes_back_as_a_liquid) {
  const SharedDirectory directory("snapshot");
  Parameters parameters = make_case(case_text({24, 16, 16}, 0.25) +
                                    "[[liquid]]\nshape = \"sphere\"\ncenter = [3, 2, 2]\nradius = 1.5\nvelocity = [1, "
                                    "2, 3]\n[output]\nparticles = [\"velocity\"]\n");
  const Simulation first(world(), parameters);
  SnapshotState state;
  state.layout = &first.layout();
  state.particles = &first.particles();
  const std::string path =
      SnapshotWriter(world(), directory.path(), parameters.output, input_record(parameters)).write(state);
  Simulation again(world(), case_of(path));
  EXPECT_EQ(again.report().particles, first.report().particles);
  // Positions are rounded to floats in metres: 6 m have a spacing of 5e-7.
  EXPECT_NEAR(again.report().sums.center_of_mass[0], first.report().sums.center_of_mass[0], 1e-6);
  EXPECT_NEAR(again.report().sums.kinetic_energy, first.report().sums.kinetic_energy,
              1e-9 * first.report().sums.kinetic_energy);
  again.advance(0.01);
  EXPECT_EQ(again.particles().attribute<float>("dye").size(), 3 * static_cast<std::size_t>(again.particles().size()));
}

TEST(ParticleFiles, snapshots_without_all_particles_are_refused) {
  const SharedDirectory directory("parts");
  Parameters parameters =
      make_case(case_text({24, 16, 16}, 0.25) + "[[liquid]]\nshape = \"sphere\"\ncenter = [3, 2, 2]\nradius = 1.5\n");
  const Simulation first(world(), parameters);
  const auto problem_of = [&](int band, double share) -> std::string {
    SnapshotState state;
    state.layout = &first.layout();
    state.particles = &first.particles();
    state.band = band;
    parameters.output.particle_share = share;
    const std::string path =
        SnapshotWriter(world(), directory.path(), parameters.output, input_record(parameters)).write(state);
    try {
      const Simulation again(world(), case_of(path));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem_of(0, 1.0), "");
  EXPECT_NE(problem_of(4, 1.0).find("a narrow band only (particles.band)"), std::string::npos);
  EXPECT_NE(problem_of(0, 0.5).find("a part of its run's particles (output.particle_share)"), std::string::npos);
}

TEST(ParticleFiles, bad_ones_are_refused_on_all_ranks) {
  const SharedDirectory directory("bad");
  const auto problem_of = [&](const std::string& name) -> std::string {
    try {
      const Simulation simulation(world(), case_of(directory.path() + "/" + name));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  write(directory.path() + "/a.csv", "1,1,1\n1,1,x\n");
  write(directory.path() + "/far.csv", "1e9,1,1\n");
  write(directory.path() + "/a.h5", "no HDF5");
  write(directory.path() + "/a.geo", "[\"pointcount\",0]");
  write(directory.path() + "/cut.bgeo", "BgeoV");
  EXPECT_NE(problem_of("a.csv").find("a.csv:2: 'x' is not a number"), std::string::npos);
  EXPECT_NE(problem_of("far.csv").find("none of its particles lies in the domain"), std::string::npos);
  EXPECT_NE(problem_of("none.csv").find("none.csv' (there is no such file)"), std::string::npos);
  EXPECT_NE(problem_of("a.xyz").find("unknown kind of particle file"), std::string::npos);
  for (const char* name : {"a.geo", "a.obj", "a.txt", "a.bgeo.sc"})
    EXPECT_NE(problem_of(name).find("with analysis/convert_particles.py"), std::string::npos) << name;
  EXPECT_NE(problem_of("cut.bgeo").find("cut.bgeo: the file ends too early"), std::string::npos);
  EXPECT_NE(problem_of("none.pdb").find("there is no such file"), std::string::npos);
  EXPECT_NE(problem_of("a.h5").find("a.h5: no particles can be read"), std::string::npos);
  EXPECT_NE(problem_of("none.h5").find("there is no such file"), std::string::npos);
  if (world().is_root()) {
    EXPECT_EQ(mkfifo((directory.path() + "/pipe.csv").c_str(), 0600), 0);
    EXPECT_EQ(mkfifo((directory.path() + "/pipe.h5").c_str(), 0600), 0);
  }
  world().barrier();
  for (const char* name : {"pipe.csv", "pipe.h5"})
    EXPECT_NE(problem_of(name).find("it is a"), std::string::npos) << name;
}

TEST(ParticleFiles, a_checkpoint_in_place_of_a_snapshot_is_named) {
  const SharedDirectory directory("checkpoint");
  const Parameters parameters = make_case(
      "[run]\nend_time = 1\n[domain]\ncells = [24, 16, 16]\ncell_size = 0.25\n[[liquid]]\nshape = \"sphere\"\ncenter = "
      "[3, 2, 2]\nradius = 1\n");
  const std::string path = directory.path() + "/checkpoint.h5";
  write_checkpoint(world(), path, Simulation(world(), parameters).checkpoint_state(), input_record(parameters));
  try {
    const Simulation simulation(world(), case_of(path));
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("test case:10: " + path + ": no particles can be read from it", 0), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace freshet::test
