// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/io/run_frames.hpp"
#include "support/h5_reader.hpp"
#include "support/snapshot_scene.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

namespace freshet::test {
namespace {

OutputOptions all_output() {
  OutputOptions options;
  options.fields = {"pressure", "velocity", "label", "face_velocity"};
  options.particles = {"velocity", "id", "tag", "stress"};
  return options;
}

/// How many particles all ranks hold, by the store.
GlobalIndex total(const Scene& scene) {
  return world().sum(GlobalIndex{scene.particles.size()});
}

void expect_particles(const H5Reader& file, const Scene& scene, const std::string& base, GlobalIndex n) {
  const std::vector<std::uint64_t> id = file.read<std::uint64_t>(base + "/id");
  ASSERT_EQ(static_cast<GlobalIndex>(id.size()), n);
  EXPECT_EQ(std::set<std::uint64_t>(id.begin(), id.end()).size(), id.size()) << "an id comes twice";
  const std::vector<std::uint8_t> tag = file.read<std::uint8_t>(base + "/tag");
  for (std::size_t p = 0; p < id.size(); ++p) ASSERT_EQ(tag[p], id[p] % 251);
  for (int d = 0; d < 3; ++d) {
    const std::string axis(1, "xyz"[d]);
    const auto x = file.read<ParticleReal>(base + "/position/" + axis);
    const auto v = file.read<ParticleReal>(base + "/velocity/" + axis);
    ASSERT_EQ(x.size(), id.size());
    for (std::size_t p = 0; p < id.size(); ++p) {
      ASSERT_EQ(x[p], scene.world_position(id[p], d)) << axis << " of particle " << id[p];
      ASSERT_EQ(v[p], velocity_of(id[p], d)) << axis << " of particle " << id[p];
    }
  }
  for (int c = 0; c < 2; ++c) {
    const auto stress = file.read<double>(base + "/stress/" + std::to_string(c));
    for (std::size_t p = 0; p < id.size(); ++p) ASSERT_EQ(stress[p], hashed(id[p], 30 + c));
  }
}

void expect_patches(const H5Reader& file, const std::string& base, GlobalIndex n) {
  const std::string patches = base + "/particlePatches/";
  const auto count = file.read<std::uint64_t>(patches + "numParticles");
  const auto first = file.read<std::uint64_t>(patches + "numParticlesOffset");
  ASSERT_EQ(static_cast<int>(count.size()), world().size());
  std::uint64_t sum = 0;
  for (std::size_t r = 0; r < count.size(); ++r) {
    EXPECT_EQ(first[r], sum);
    sum += count[r];
  }
  EXPECT_EQ(static_cast<GlobalIndex>(sum), n);
  for (const std::string axis : {"x", "y", "z"}) {
    const auto x = file.read<ParticleReal>(base + "/position/" + axis);
    const auto offset = file.read<double>(patches + "offset/" + axis);
    const auto extent = file.read<double>(patches + "extent/" + axis);
    for (std::size_t r = 0; r < count.size(); ++r) {
      double lowest = 1e30;
      for (std::uint64_t p = first[r]; p < first[r] + count[r]; ++p) {
        ASSERT_GE(x[p], offset[r]);
        ASSERT_LT(x[p], offset[r] + extent[r]);
        lowest = std::min(lowest, static_cast<double>(x[p]));
      }
      if (count[r] > 0) {
        ASSERT_EQ(lowest, offset[r]) << "the box is not tight";
      }
    }
  }
}

void expect_fields(const H5Reader& file, const Domain& domain, const std::set<BlockKey>& blocks,
                   const std::string& base, const Vec3i& lower, const Vec3i& upper);

/// The fields in the box around all blocks.
void expect_fields(const H5Reader& file, const Domain& domain, const std::set<BlockKey>& blocks,
                   const std::string& base) {
  Vec3i lower = Vec3i::Constant(1 << 20);
  Vec3i upper = Vec3i::Zero();
  for (const BlockKey key : blocks) {
    const Vec3i first = morton_block(key).cwiseProduct(domain.block_cells());
    lower = lower.cwiseMin(first);
    upper = upper.cwiseMax((first + domain.block_cells()).cwiseMin(domain.cells()));
  }
  expect_fields(file, domain, blocks, base, lower, upper);
}

/// Every number of every field in a box of cells against its function of the cell; `exists` says which cells have a
/// block.
void expect_fields(const H5Reader& file, const Domain& domain, const std::set<BlockKey>& blocks,
                   const std::string& base, const Vec3i& lower, const Vec3i& upper) {
  const auto exists = [&](const Vec3i& cell) {
    return blocks.count(morton_key(cell.cwiseQuotient(domain.block_cells()))) > 0;
  };
  const std::vector<double> corner = file.numbers(base + "/pressure", "gridGlobalOffset");
  for (int d = 0; d < 3; ++d) {
    EXPECT_DOUBLE_EQ(corner[static_cast<std::size_t>(2 - d)], domain.origin()[d] + domain.dx() * lower[d]);
  }
  const auto pressure = file.read<double>(base + "/pressure");
  const auto label = file.read<std::uint8_t>(base + "/label");
  std::vector<std::vector<double>> face;
  std::vector<std::vector<double>> centre;
  for (const std::string axis : {"x", "y", "z"}) {
    face.push_back(file.read<double>(base + "/face_velocity/" + axis));
    centre.push_back(file.read<double>(base + "/velocity/" + axis));
  }
  const Vec3i n = upper - lower;
  ASSERT_EQ(pressure.size(), static_cast<std::size_t>(n.prod()));
  for (int z = 0; z < n.z(); ++z) {
    for (int y = 0; y < n.y(); ++y) {
      for (int x = 0; x < n.x(); ++x) {
        const auto i = static_cast<std::size_t>(x + n.x() * (y + n.y() * z));
        const Vec3i cell = lower + Vec3i{x, y, z};
        const bool here = exists(cell);
        ASSERT_EQ(pressure[i], here ? pressure_at(cell) : 0.0) << cell.transpose();
        ASSERT_EQ(label[i], here ? static_cast<int>(label_at(cell)) : 0) << cell.transpose();
        for (int d = 0; d < 3; ++d) {
          const bool has_faces = here && d < domain.dimension();
          const double low = has_faces ? face_velocity_at(d, cell) : 0.0;
          const Vec3i next = cell + Vec3i::Unit(d);
          const double high = has_faces && exists(next) ? face_velocity_at(d, next) : 0.0;
          ASSERT_EQ(face[static_cast<std::size_t>(d)][i], low) << cell.transpose();
          ASSERT_EQ(centre[static_cast<std::size_t>(d)][i], 0.5 * (low + high)) << cell.transpose();
        }
      }
    }
  }
}

void expect_round_trip(const DomainOptions& domain, double fraction, ParticleIndex most_particles) {
  const SharedDirectory directory("round_trip");
  const Scene scene(domain, fraction, most_particles);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  const std::string path = writer.write(scene.state(3));
  const GlobalIndex n = total(scene);
  if (!world().is_root()) return;
  EXPECT_EQ(path, directory.path() + "/snapshots/snap_000003.h5");
  const H5Reader file(path);
  expect_particles(file, scene, "/data/3/particles/liquid", n);
  expect_patches(file, "/data/3/particles/liquid", n);
  const std::vector<BlockKey> keys = random_blocks(scene.domain, fraction, 5);
  expect_fields(file, scene.domain, {keys.begin(), keys.end()}, "/data/3/meshes");
  const std::set<BlockKey> ordered(keys.begin(), keys.end());
  const auto stored = file.read<std::uint64_t>("/freshetBlocks");
  EXPECT_EQ(stored, (std::vector<std::uint64_t>{ordered.begin(), ordered.end()})) << "all blocks, ascending";
  const auto first = file.read<std::uint64_t>("/freshetFirstBlock");
  ASSERT_EQ(first.size(), static_cast<std::size_t>(world().size()));
  for (std::size_t b = 0; b < stored.size(); ++b) {
    const auto next = std::upper_bound(first.begin(), first.end(), b);
    EXPECT_EQ(next - first.begin() - 1, scene.layout->splitters().owner(stored[b])) << "rank of block " << b;
  }
}

TEST(Snapshot, three_dimensional_state_comes_back_whole) {
  expect_round_trip(domain_parameters(3, {37, 20, 30}), 0.5, 200);
}

TEST(Snapshot, two_dimensional_state_comes_back_whole) {
  expect_round_trip(domain_parameters(2, {61, 44, 1}), 0.5, 100);
}

TEST(Snapshot, fields_of_a_box_and_of_a_slice_come_back_and_keep_their_size) {
  for (const int dimension : {2, 3}) {
    const auto options = domain_parameters(dimension, {40, 24, dimension == 3 ? 24 : 1});
    const Scene scene(options, 0.6, 10);
    const Domain& domain = scene.domain;
    const int n_z = dimension == 3 ? 1 : 0;
    // inside of blocks, across several, one cell thick, reaching beyond the domain, and of
    // no thickness: on a face, so that the cells above it are the slice, and within cells
    const std::vector<std::pair<Vec3i, Vec3i>> boxes = {{{3, 2, 4 * n_z}, {29, 22, 1 + 20 * n_z}},
                                                        {{13, 0, 0}, {14, 24, 1 + 23 * n_z}},
                                                        {{0, 17, 9 * n_z}, {40, 24, 1 + 9 * n_z}},
                                                        {{21, 0, 0}, {22, 24, 1 + 23 * n_z}},
                                                        {{0, 8, 0}, {40, 9, 1 + 23 * n_z}}};
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const SharedDirectory directory("box");
      OutputOptions output = all_output();
      const auto corner = [&](const Vec3i& cell) -> Vec3 {
        return domain.origin() + domain.dx() * cell.cast<double>();
      };
      output.lower = corner(boxes[b].first);
      output.upper = corner(boxes[b].second);
      if (b == 2) output.upper.x() += 3.0 * domain.dx();
      if (b == 3) output.upper.x() = output.lower.x();
      if (b == 4) output.lower.y() = output.upper.y() = output.lower.y() + 0.6 * domain.dx();
      SnapshotWriter writer(world(), directory.path(), output, input_of_case);
      const std::string path = writer.write(scene.state(0));
      if (!world().is_root()) continue;
      const std::vector<BlockKey> keys = random_blocks(domain, 0.6, 5);
      expect_fields(H5Reader(path), domain, {keys.begin(), keys.end()}, "/data/0/meshes", boxes[b].first,
                    boxes[b].second);
    }
  }
}

TEST(Snapshot, ranks_without_blocks_take_part) {
  expect_round_trip(domain_parameters(3, {24, 16, 16}), 0.2, 300);  // 2 blocks
}

TEST(Snapshot, more_than_one_transfer_a_dataset_comes_back_whole) {
  const SharedDirectory directory("transfers");
  const auto domain = domain_parameters(2, {2040, 560, 1});  // 1.14 M cells; a transfer has 2^20 values
  const Scene scene(domain, 2.0, 170);
  OutputOptions options = all_output();
  options.fields = {"pressure"};
  options.particles = {"id"};
  SnapshotWriter writer(world(), directory.path(), options, input_of_case);
  const std::string path = writer.write(scene.state(0));
  const GlobalIndex n = total(scene);
  ASSERT_GT(n, 1 << 20);
  if (!world().is_root()) return;
  const H5Reader file(path);
  const auto id = file.read<std::uint64_t>("/data/0/particles/liquid/id");
  const auto y = file.read<ParticleReal>("/data/0/particles/liquid/position/y");
  ASSERT_EQ(static_cast<GlobalIndex>(y.size()), n);
  for (std::size_t p = 0; p < id.size(); ++p) ASSERT_EQ(y[p], scene.world_position(id[p], 1));
  const auto pressure = file.read<double>("/data/0/meshes/pressure");
  for (int j = 0; j < 560; ++j) {
    for (int i = 0; i < 2040; ++i) ASSERT_EQ(pressure[static_cast<std::size_t>(i + 2040 * j)], pressure_at({i, j, 0}));
  }
}

TEST(Snapshot, position_alone_takes_three_reals_a_particle) {
  const SharedDirectory directory("position");
  const auto domain = domain_parameters(3, {32, 32, 32});
  const Scene scene(domain, 1.0, 2000);
  OutputOptions options = all_output();
  options.fields = {};
  options.particles = {};
  SnapshotWriter writer(world(), directory.path(), options, input_of_case);
  const std::string path = writer.write(scene.state(0));
  const GlobalIndex n = total(scene);
  if (!world().is_root()) return;
  // Metadata of about 20 objects: groups of 1 to 2 KiB each in this format of HDF5.
  EXPECT_LT(static_cast<double>(std::filesystem::file_size(path)),
            3.0 * sizeof(ParticleReal) * static_cast<double>(n) + 50e3);
  const H5Reader file(path);
  EXPECT_FALSE(file.has("/data/0/particles/liquid/velocity"));
  EXPECT_FALSE(file.has("/data/0/particles/liquid/id"));
}

TEST(Snapshot, state_without_any_block_or_particle_is_a_valid_file) {
  const SharedDirectory directory("empty");
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 0.0, 0);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  const std::string path = writer.write(scene.state(0));
  if (!world().is_root()) return;
  EXPECT_TRUE(H5Reader(path).read<ParticleReal>("/data/0/particles/liquid/position/x").empty());
  EXPECT_NE(describe_file(path).find("particles: 0"), std::string::npos);
}

TEST(Snapshot, share_and_box_choose_particles_by_id_and_place) {
  const SharedDirectory directory("chosen");
  const auto domain = domain_parameters(3, {40, 24, 24});
  const Scene scene(domain, 1.0, 300);
  const GlobalIndex n = total(scene);
  const auto ids_with = [&](std::int64_t number, double share, const Vec3& lower, const Vec3& upper) {
    OutputOptions options = all_output();
    options.particle_share = share;
    options.particle_lower = lower;
    options.particle_upper = upper;
    SnapshotWriter writer(world(), directory.path(), options, input_of_case);
    const std::string path = writer.write(scene.state(number));
    world().barrier();
    const H5Reader file(path);
    const std::string base = fmt::format("/data/{}/particles/liquid", number);
    const auto ids = file.read<std::uint64_t>(base + "/id");
    expect_particles(file, scene, base, static_cast<GlobalIndex>(ids.size()));
    expect_patches(file, base, static_cast<GlobalIndex>(ids.size()));
    world().barrier();
    return std::set<std::uint64_t>(ids.begin(), ids.end());
  };
  const Vec3 zero = Vec3::Zero();
  const auto all = ids_with(0, 1.0, zero, zero), half = ids_with(1, 0.5, zero, zero),
             none = ids_with(2, 0.0, zero, zero);
  EXPECT_EQ(static_cast<GlobalIndex>(all.size()), n);
  EXPECT_NEAR(static_cast<double>(half.size()), 0.5 * static_cast<double>(n), 3.0 * std::sqrt(static_cast<double>(n)));
  EXPECT_TRUE(none.empty());
  const Vec3 lower = domain.origin, upper = lower + 0.5 * domain.cell_size * domain.cells.cast<double>();
  const auto box = ids_with(3, 1.0, lower, upper), both = ids_with(4, 0.5, lower, upper);
  std::set<std::uint64_t> inside, inside_half;
  for (const std::uint64_t id : all) {
    bool is_inside = true;
    for (int d = 0; d < 3; ++d) is_inside = is_inside && static_cast<double>(scene.world_position(id, d)) <= upper[d];
    if (is_inside) inside.insert(id);
    if (is_inside && half.contains(id)) inside_half.insert(id);
  }
  EXPECT_GT(inside.size(), 0U);
  EXPECT_EQ(box, inside);
  EXPECT_EQ(both, inside_half);
  const double plane = lower.y() + 12.3 * domain.cell_size;
  const auto slice = ids_with(5, 1.0, {lower.x(), plane, lower.z()}, {upper.x(), plane, upper.z()});
  std::set<std::uint64_t> in_slice;
  for (const std::uint64_t id : all) {
    const double cell = (static_cast<double>(scene.world_position(id, 1)) - lower.y()) / domain.cell_size;
    if (cell >= 12.0 && cell <= 13.0 && static_cast<double>(scene.world_position(id, 0)) <= upper.x() &&
        static_cast<double>(scene.world_position(id, 2)) <= upper.z())
      in_slice.insert(id);
  }
  EXPECT_GT(slice.size(), 0U);
  EXPECT_EQ(slice, in_slice);
}

TEST(Snapshot, particles_of_a_slice_of_no_thickness_are_those_of_the_cells_that_the_fields_show) {
  const SharedDirectory directory("slices");
  for (const int dimension : {2, 3}) {
    const auto domain = domain_parameters(dimension, {40, 24, dimension == 3 ? 24 : 1});
    const Scene scene(domain, 1.0, 300);
    const Vec3 high = domain.origin + domain.cell_size * domain.cells.cast<double>();
    for (const double cells : {0.0, 3.0, 7.25, 8.0, 24.0}) {  // at the sides, between cells and within one
      OutputOptions options = all_output();
      options.lower = options.particle_lower = domain.origin;
      options.upper = options.particle_upper = high;
      for (Vec3* corner : {&options.lower, &options.upper, &options.particle_lower, &options.particle_upper})
        corner->y() = domain.origin.y() + cells * domain.cell_size;
      SnapshotWriter writer(world(), directory.path(), options, input_of_case);
      const auto number = static_cast<std::int64_t>(4.0 * cells);
      const std::string path = writer.write(scene.state(number));
      world().barrier();
      const H5Reader file(path);
      const std::string base = fmt::format("/data/{}", number);
      const int row = std::min(23, static_cast<int>(cells));
      EXPECT_EQ(file.numbers(base + "/meshes/pressure", "gridGlobalOffset")[1],
                domain.origin.y() + row * domain.cell_size);
      std::int64_t n_wrong = 0, n = 0;
      for (const ParticleReal y : file.read<ParticleReal>(base + "/particles/liquid/position/y")) {
        const double cell = (static_cast<double>(y) - domain.origin.y()) / domain.cell_size;
        n_wrong += cell < row || cell > row + 1.0 ? 1 : 0;
        ++n;
      }
      EXPECT_EQ(n_wrong, 0) << cells;
      EXPECT_GT(n, 0) << cells;
      world().barrier();
    }
  }
}

TEST(Snapshot, fields_above_the_limit_are_left_out_with_a_note) {
  const SharedDirectory directory("limit");
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 1.0, 10);
  OutputOptions options = all_output();
  options.max_field_cells = 4095;
  SnapshotWriter writer(world(), directory.path(), options, input_of_case);
  const std::string path = writer.write(scene.state(0));
  if (!world().is_root()) return;
  const H5Reader file(path);
  EXPECT_FALSE(file.has("/data/0/meshes/pressure"));
  EXPECT_NE(file.text("/data/0/meshes", "freshetLeftOut").find("4096 cells"), std::string::npos);
}

TEST(Snapshot, poses_of_moving_solids_come_back_and_only_they) {
  const SharedDirectory directory("poses");
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 1.0, 5);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  Pose quarter;  // x = Y + 2, y = -X + 3, z = Z + 5
  quarter.rotation << 0, 1, 0, -1, 0, 0, 0, 0, 1;
  quarter.translation = Vec3(2, 3, 5);
  SnapshotState state = scene.state(0);
  const std::string without = writer.write(state);
  state.iteration = 1;
  state.solids = {Pose{}, quarter};
  const std::string with = writer.write(state);
  if (!world().is_root()) return;
  EXPECT_EQ(H5Aexists_by_name(H5Reader(without).id(), "data/0", "freshetSolidPoses", H5P_DEFAULT), 0);
  const std::vector<double> poses{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 2, -1, 0, 0, 3, 0, 0, 1, 5};
  EXPECT_EQ(H5Reader(with).numbers("data/1", "freshetSolidPoses"), poses);
}

/// A body whose 15 numbers are all different.
BodyReport report_from(double first) {
  return {Vec3(first, first + 1, first + 2),       Mat3::Identity(),
          Vec3(first + 3, first + 4, first + 5),   Vec3(first + 6, first + 7, first + 8),
          Vec3(first + 9, first + 10, first + 11), Vec3(first + 12, first + 13, first + 14)};
}

TEST(Snapshot, what_bodies_do_stands_beside_the_poses_of_all_solids) {
  const SharedDirectory directory("bodies");
  const Scene scene(domain_parameters(3, {16, 16, 16}), 1.0, 5);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  SnapshotState state = scene.state(0);
  for (const std::size_t n_solids : {3U, 600U, 601U}) {
    state.iteration = static_cast<std::int64_t>(n_solids);
    state.solids.assign(n_solids, Pose{});
    state.bodies = {{1, report_from(100.0)}, {2, report_from(200.0)}};
    const std::string path = writer.write(state);
    EXPECT_EQ(FrameFile(world(), path).solid_poses().size(), 12 * n_solids);
    if (!world().is_root()) continue;
    const H5Reader file(path);
    const std::string group = fmt::format("data/{}", n_solids);
    double first = 100.0;
    for (const char* name : {"Centers", "Velocities", "AngularVelocities", "Forces", "Moments"}) {
      const std::string record = fmt::format("freshetSolid{}", name);
      const std::vector<double> found =
          n_solids > 600 ? file.read<double>(group + "/" + record) : file.numbers(group, record);
      ASSERT_EQ(found.size(), 3 * n_solids) << record;
      EXPECT_TRUE(std::isnan(found[0])) << record;
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(found[3 + d], first + static_cast<double>(d)) << record;
        EXPECT_EQ(found[6 + d], first + static_cast<double>(d) + 100.0) << record;
      }
      first += 3.0;
    }
  }
}

TEST(Snapshot, poses_of_more_solids_than_an_attribute_holds_come_back) {
  const SharedDirectory directory("many_poses");
  const Scene scene(domain_parameters(3, {16, 16, 16}), 1.0, 5);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  SnapshotState state = scene.state(0);
  std::vector<double> rows;
  for (int n = 0; n < 1000; ++n) {
    Pose pose;
    pose.translation = Vec3(n, 2.0 * n, -n);
    rows.insert(rows.end(), {1, 0, 0, 1.0 * n, 0, 1, 0, 2.0 * n, 0, 0, 1, -1.0 * n});
    state.solids.push_back(pose);
  }
  EXPECT_EQ(FrameFile(world(), writer.write(state)).solid_poses(), rows);
}

TEST(Snapshot, records_say_how_much_later_than_the_snapshot_they_are) {
  const SharedDirectory directory("leads");
  const Scene scene(domain_parameters(3, {16, 16, 16}), 1.0, 10);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  SnapshotState state = scene.state(0);
  state.particle_velocity_lead = 0.25;
  state.velocity_lead = -0.25;
  state.pressure_lead = -0.5;
  const std::string path = writer.write(state);
  if (!world().is_root()) return;
  const H5Reader file(path);
  const auto offset = [&](const char* record) { return file.numbers(std::string("/data/0/") + record, "timeOffset"); };
  EXPECT_EQ(offset("particles/liquid/velocity"), std::vector<double>{0.25});
  EXPECT_EQ(offset("particles/liquid/position"), std::vector<double>{0.0});
  EXPECT_EQ(offset("meshes/velocity"), std::vector<double>{-0.25});
  EXPECT_EQ(offset("meshes/face_velocity"), std::vector<double>{-0.25});
  EXPECT_EQ(offset("meshes/pressure"), std::vector<double>{-0.5});
  EXPECT_EQ(offset("meshes/label"), std::vector<double>{0.0});
}

TEST(Snapshot, attributes_have_the_types_of_the_standard) {
  const SharedDirectory directory("attributes");
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 1.0, 10);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  const std::string path = writer.write(scene.state(2));
  if (!world().is_root()) return;
  const H5Reader file(path);
  EXPECT_EQ(file.text("/", "openPMD"), "1.1.0");
  EXPECT_EQ(file.text("/", "basePath"), "/data/%T/");
  EXPECT_EQ(file.text("/", "iterationEncoding"), "fileBased");
  EXPECT_EQ(file.text("/", "iterationFormat"), "snap_%06T.h5");
  EXPECT_EQ(file.text("/", "meshesPath"), "meshes/");
  EXPECT_EQ(file.text("/", "particlesPath"), "particles/");
  EXPECT_EQ(file.text("/", "software"), "freshet");
  EXPECT_TRUE(file.attribute_is("/", "openPMDextension", H5T_NATIVE_UINT32, {}));
  EXPECT_EQ(file.numbers("/", "freshetRanks"), std::vector<double>{static_cast<double>(world().size())});
  EXPECT_EQ(file.numbers("/data/2", "time"), std::vector<double>{0.25});
  EXPECT_TRUE(file.attribute_is("/data/2", "timeUnitSI", H5T_NATIVE_DOUBLE, {}));
  const std::string liquid = "/data/2/particles/liquid/";
  EXPECT_TRUE(file.attribute_is(liquid + "velocity", "unitDimension", H5T_NATIVE_DOUBLE, {7}));
  EXPECT_EQ(file.numbers(liquid + "velocity", "unitDimension"), (std::vector<double>{1, 0, -1, 0, 0, 0, 0}));
  EXPECT_TRUE(file.attribute_is(liquid + "positionOffset/z", "shape", H5T_NATIVE_UINT64, {1}));
  EXPECT_TRUE(file.attribute_is(liquid + "id", "unitSI", H5T_NATIVE_DOUBLE, {}));
  const std::string meshes = "/data/2/meshes/";
  EXPECT_EQ(file.numbers(meshes + "pressure", "unitDimension"), (std::vector<double>{-1, 1, -2, 0, 0, 0, 0}));
  EXPECT_EQ(file.numbers(meshes + "pressure", "position"), (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(file.numbers(meshes + "face_velocity/x", "position"), (std::vector<double>{0.5, 0.5, 0.0}));
  EXPECT_EQ(file.numbers(meshes + "face_velocity/y", "position"), (std::vector<double>{0.5, 0.0, 0.5}));
  EXPECT_EQ(file.numbers(meshes + "face_velocity/z", "position"), (std::vector<double>{0.0, 0.5, 0.5}));
  EXPECT_TRUE(file.attribute_is(meshes + "velocity", "gridSpacing", H5T_NATIVE_DOUBLE, {3}));
  const auto input = file.read<std::uint8_t>("/freshetInput");
  EXPECT_NE(std::string(input.begin(), input.end()).find("made-up state"), std::string::npos);
}

TEST(Snapshot, series_passes_the_check_of_the_standard) {
  const SharedDirectory directory("check");
  const auto domain = domain_parameters(3, {20, 16, 16});
  const Scene scene(domain, 0.7, 50);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  for (int i = 0; i < 2; ++i) writer.write(scene.state(i));
  if (!world().is_root()) return;
  const std::string python = "/usr/bin/python3 ";
  const std::string check = FRESHET_SOURCE_DIR "/tests/regression/openpmd_check.py ";
  EXPECT_EQ(std::system((python + check + directory.path()).c_str()), 0);
}

TEST(Snapshot, side_file_lists_the_snapshots_of_the_run) {
  const SharedDirectory directory("xdmf");
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 1.0, 10);
  SnapshotWriter writer(world(), directory.path(), all_output(), input_of_case);
  for (int i = 0; i < 2; ++i) writer.write(scene.state(i));
  if (!world().is_root()) return;
  std::ifstream file(directory.path() + "/snapshots/snapshots.xdmf");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const char* part :
       {"snap_000000.h5:/data/0/particles/liquid/position/x", "<Time Value=\"0.125\"/>",
        "snap_000001.h5:/data/1/meshes/pressure", "TopologyType=\"3DCoRectMesh\" Dimensions=\"17 17 17\""}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find("face_velocity"), std::string::npos);
}

TEST(Snapshot, attribute_that_no_particle_has_is_an_input_error) {
  const SharedDirectory directory("unknown");
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 1.0, 10);
  OutputOptions options = all_output();
  options.particles = {"vorticity"};
  SnapshotWriter writer(world(), directory.path(), options, input_of_case);
  EXPECT_THROW(writer.write(scene.state(0)), InputError);
  if (world().is_root()) {
    EXPECT_TRUE(std::filesystem::is_empty(directory.path() + "/snapshots"));
  }
}

}  // namespace
}  // namespace freshet::test
