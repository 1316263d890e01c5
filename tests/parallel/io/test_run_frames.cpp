// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/io/run_frames.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace freshet {
namespace {

using test::world;

OutputOptions everything() {
  OutputOptions options;
  options.particles = {"velocity", "id", "tag", "stress"};
  options.fields = {"pressure", "velocity", "label", "face_velocity"};
  return options;
}

TEST(FrameFile, holds_what_the_snapshot_writer_was_given) {
  const test::SharedDirectory directory("run_frames");
  const test::Scene scene(test::domain_parameters(3, {40, 24, 32}), 0.4, 20);
  SnapshotWriter writer(world(), directory.path(), everything(), test::input_of_case);
  writer.write(scene.state(4));
  const std::vector<RunFrame> frames = frames_of_run(directory.path());
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].number, 4);
  const FrameFile frame(world(), frames[0].path);
  EXPECT_EQ(frame.time(), 0.5);
  EXPECT_EQ(frame.n_particles(), world().sum(GlobalIndex{scene.particles.size()}));
  EXPECT_EQ(frame.resolved_input(), test::input_of_case.text);
  std::vector<std::string> names;
  for (const FrameRecord& record : frame.records()) names.push_back(record.name);
  EXPECT_EQ(names, (std::vector<std::string>{"position", "id", "stress", "tag", "velocity"}));
  EXPECT_EQ(frame.records()[2].n_components(), 2);
  EXPECT_EQ(frame.records()[1].type, AttributeType::uint64);

  const std::int64_t first = frame.n_particles() / 3, n = frame.n_particles() / 2;
  std::vector<std::uint64_t> id(static_cast<std::size_t>(n));
  std::vector<double> x(id.size()), stress(id.size());
  std::vector<float> velocity(id.size());
  frame.read<std::uint64_t>(frame.records()[1], 0, first, id);
  frame.read<double>(frame.records()[0], 2, first, x);
  frame.read<double>(frame.records()[2], 1, first, stress);
  frame.read<float>(frame.records()[4], 1, first, velocity);
  for (std::size_t p = 0; p < id.size(); ++p) {
    ASSERT_EQ(x[p], double{scene.world_position(id[p], 2)});
    ASSERT_EQ(stress[p], test::hashed(id[p], 31));
    ASSERT_EQ(velocity[p], static_cast<float>(test::velocity_of(id[p], 1)));
  }
}

TEST(FrameFile, fields_are_read_in_layers) {
  const test::SharedDirectory directory("run_fields");
  const test::Scene scene(test::domain_parameters(3, {24, 16, 32}), 1.0, 2);
  SnapshotWriter writer(world(), directory.path(), everything(), test::input_of_case);
  const FrameFile frame(world(), writer.write(scene.state(0)));
  ASSERT_EQ(frame.fields().size(), 4u);
  for (const FrameField& field : frame.fields()) {
    EXPECT_EQ(field.cells, (Vec3i{24, 16, 32})) << field.name;
    EXPECT_EQ(field.corner, scene.domain.origin()) << field.name;
    EXPECT_EQ(field.dx, scene.domain.dx());
    EXPECT_EQ(field.on_faces, field.name == "face_velocity");
    EXPECT_EQ(field.n_components(), field.name.ends_with("velocity") ? 3 : 1);
  }
  const FrameField& pressure = frame.fields()[2];
  ASSERT_EQ(pressure.name, "pressure");
  std::vector<double> layers(static_cast<std::size_t>(2 * 24 * 16));
  frame.read(pressure, 0, 5, 7, layers);
  EXPECT_EQ(layers[0], test::pressure_at({0, 0, 5}));
  EXPECT_EQ(layers[24 * 16 + 3 * 24 + 11], test::pressure_at({11, 3, 6}));
}

TEST(RunFrames, ranges_name_frames) {
  std::vector<RunFrame> frames;
  for (const int n : {0, 1, 2, 3, 5, 6, 7}) frames.push_back({n, ""});
  const auto chosen = [&](const std::string& range) {
    std::vector<std::int64_t> numbers;
    for (const RunFrame& frame : choose_frames(frames, range)) numbers.push_back(frame.number);
    return numbers;
  };
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(chosen(""), (Numbers{0, 1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(chosen("3"), (Numbers{3}));
  EXPECT_EQ(chosen("1:6:2"), (Numbers{1, 3, 5}));
  EXPECT_EQ(chosen("5:"), (Numbers{5, 6, 7}));
  EXPECT_EQ(chosen(":2"), (Numbers{0, 1, 2}));
  EXPECT_EQ(chosen("::3"), (Numbers{0, 3, 6}));
  for (const char* bad : {"4", "0:4", "0:9", "-1:3", "a", "1:2:3:4", "0:3:0", "3:1", "1.5", "99999999999999999999"})
    EXPECT_THROW(choose_frames(frames, bad), InputError) << bad;
}

TEST(RunFrames, what_is_no_run_or_no_snapshot_is_the_users_fault) {
  const test::SharedDirectory directory("run_wrong");
  EXPECT_THROW(frames_of_run(directory.path() + "/missing"), InputError);
  EXPECT_THROW(frames_of_run(directory.path()), InputError);
  EXPECT_THROW(FrameFile(world(), directory.path() + "/snap_000000.h5"), FileError);
  EXPECT_THROW(FrameFile(world(), directory.path()), FileError);
  const test::Scene scene(test::domain_parameters(3, {24, 16, 32}), 0.5, 5);
  SnapshotWriter writer(world(), directory.path(), everything(), test::input_of_case);
  const std::string path = writer.write(scene.state(0));
  if (world().is_root()) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(5000);
    file.put('!');
  }
  world().barrier();
  EXPECT_THROW(FrameFile(world(), path), FileError);
}

}  // namespace
}  // namespace freshet
