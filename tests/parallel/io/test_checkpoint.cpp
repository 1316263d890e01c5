// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/io/checkpoint.hpp"
#include "freshet/io/checkpoint_directory.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace freshet::test {
namespace {

const auto accept_any = [](const std::string&) {};

CheckpointState state_of(const Scene& scene) {
  CheckpointState state;
  state.step = 12;
  state.numbers = {{"step", std::int64_t{12}}, {"time", 0.1 + 0.2}, {"boost", -1.0 / 3.0}, {"left", std::int64_t{-5}}};
  state.layout = scene.layout.get();
  state.particles = &scene.particles;
  state.pressure = &scene.pressure;
  state.bodies = {{"solid", {0.0, 3.0}}, {"center", {0.1, 0.2, 0.3, -0.4, 1.0 / 3.0, 0.6}}};
  return state;
}

const Attribute& attribute_named(const ParticleStore& particles, const std::string& name) {
  return *std::find_if(particles.attributes().begin(), particles.attributes().end(),
                       [&](const Attribute& attribute) { return attribute.name == name; });
}

/// Particles of a rank, and its pressures, by what does not depend on ranks.
using Particles = std::map<ParticleId, std::tuple<BlockKey, std::vector<std::byte>>>;

template <class KeyOf>
Particles by_id(const ParticleStore& particles, KeyOf&& key_of) {
  Particles result;
  for (ParticleIndex p = 0; p < particles.size(); ++p) {
    std::vector<std::byte> bytes;
    for (const Attribute& attribute : particles.attributes()) {
      const std::byte* value = attribute.values.data() + attribute.stride * static_cast<std::size_t>(p);
      bytes.insert(bytes.end(), value, value + attribute.stride);
    }
    result[particles.id()[p]] = {key_of(p), std::move(bytes)};
  }
  return result;
}

class Checkpoints : public ::testing::TestWithParam<int> {};

TEST_P(Checkpoints, give_back_on_the_same_ranks_what_each_had_in_the_same_order) {
  const SharedDirectory directory("same");
  const auto domain = domain_parameters(GetParam(), {48, 40, GetParam() == 3 ? 32 : 1});
  const Scene scene(domain, 0.6, 50);
  const CheckpointState state = state_of(scene);
  const std::string path = directory.path() + "/a.h5";
  write_checkpoint(world(), path, state, input_of_case);
  std::string input;
  const RestoredState restored =
      read_checkpoint(world(), path, Domain(domain), BalanceOptions(), [&](const std::string& t) { input = t; });
  EXPECT_EQ(input, input_of_case.text);
  EXPECT_EQ(restored.numbers, state.numbers);
  EXPECT_EQ(restored.bodies, state.bodies);
  EXPECT_EQ(restored.splitters, scene.layout->splitters());
  EXPECT_TRUE(std::ranges::equal(restored.keys, scene.layout->owned_keys()));
  ASSERT_EQ(restored.particles.size(), scene.particles.size());
  for (const Attribute& attribute : scene.particles.attributes()) {
    const Attribute& again = attribute_named(restored.particles, attribute.name);
    EXPECT_EQ(again.type, attribute.type);
    EXPECT_EQ(again.width, attribute.width);
    EXPECT_EQ(again.initial, attribute.initial);
    EXPECT_TRUE(std::ranges::equal(again.values, attribute.values)) << attribute.name;
  }
  const auto cells = static_cast<std::size_t>(scene.layout->cells_per_block());
  ASSERT_EQ(restored.pressure.size(), cells * static_cast<std::size_t>(scene.layout->n_owned()));
  EXPECT_TRUE(std::equal(restored.pressure.begin(), restored.pressure.end(), scene.pressure.data()));
  for (LocalIndex b = 0; b < scene.layout->n_owned(); ++b)
    for (ParticleIndex p = scene.particles.block_begin()[b]; p < scene.particles.block_begin()[b + 1]; ++p)
      ASSERT_EQ(restored.particles.home_keys()[restored.particles.home()[p]], scene.layout->key(b));
}

TEST_P(Checkpoints, give_back_on_fewer_ranks_the_same_particles_in_the_same_blocks) {
  const SharedDirectory directory("fewer");
  const auto domain = domain_parameters(GetParam(), {48, 40, GetParam() == 3 ? 32 : 1});
  const Scene scene(domain, 0.6, 50);
  const std::string path = directory.path() + "/a.h5";
  write_checkpoint(world(), path, state_of(scene), input_of_case);
  const GlobalIndex n_particles = world().sum(GlobalIndex{scene.particles.size()});
  const Particles own = by_id(scene.particles, [&](ParticleIndex p) {
    const auto& begin = scene.particles.block_begin();
    return scene.layout->key(static_cast<LocalIndex>(std::upper_bound(begin.begin(), begin.end(), p) - begin.begin()) -
                             1);
  });
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(world().raw(), 2 * world().rank() < world().size() ? 0 : 1, world().rank(), &half);
  {
    const Communicator comm(half);  // both halves read all of it
    const RestoredState restored = read_checkpoint(comm, path, Domain(domain), BalanceOptions(), accept_any);
    const Particles here = by_id(restored.particles, [&](ParticleIndex p) {
      return restored.particles.home_keys()[restored.particles.home()[p]];
    });
    EXPECT_EQ(comm.sum(GlobalIndex{restored.particles.size()}), restored.n_particles);
    EXPECT_EQ(restored.n_particles, n_particles);
    EXPECT_EQ(comm.sum(static_cast<GlobalIndex>(restored.keys.size())), scene.layout->n_global());
    GlobalIndex n_same = 0;
    for (const auto& [id, particle] : here) {
      EXPECT_EQ(comm.rank(), restored.splitters.owner(std::get<0>(particle)));
      const auto found = own.find(id);
      if (found == own.end()) continue;
      ++n_same;
      EXPECT_EQ(found->second, particle);
    }
    if (comm.size() == 1) {
      EXPECT_EQ(n_same, scene.particles.size());
    }
    for (std::size_t b = 0; b < restored.keys.size(); ++b) {
      const Vec3i cell = morton_block(restored.keys[b]).cwiseProduct(scene.domain.block_cells());
      EXPECT_EQ(restored.pressure[b * static_cast<std::size_t>(scene.layout->cells_per_block())], pressure_at(cell));
    }
  }
  MPI_Comm_free(&half);
}

INSTANTIATE_TEST_SUITE_P(Dimension, Checkpoints, ::testing::Values(2, 3));

TEST(Checkpoint, of_a_domain_without_any_block_is_written_and_read) {
  const SharedDirectory directory("empty");
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 0.0, 0);
  write_checkpoint(world(), directory.path() + "/a.h5", state_of(scene), input_of_case);
  const RestoredState restored =
      read_checkpoint(world(), directory.path() + "/a.h5", Domain(domain), BalanceOptions(), accept_any);
  EXPECT_EQ(restored.numbers, state_of(scene).numbers);
  EXPECT_EQ(restored.n_particles, 0);
  EXPECT_TRUE(restored.keys.empty());
  EXPECT_EQ(restored.particles.size(), 0);
}

/// The FileError of reading a file; empty if it is read. Collective.
std::string read_error(const std::string& path, const DomainOptions& domain) {
  try {
    read_checkpoint(world(), path, Domain(domain), BalanceOptions(), accept_any);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Checkpoint, with_a_number_that_cannot_be_is_refused_on_every_rank) {
  const SharedDirectory directory("wrong");
  const auto domain = domain_parameters(3, {32, 32, 32});
  const std::string path = directory.path() + "/a.h5";
  const auto refused = [&](auto&& spoil) {
    Scene scene(domain, 1.0, 30);
    CheckpointState state = state_of(scene);
    spoil(scene, state);
    write_checkpoint(world(), path, state, input_of_case);
    return read_error(path, domain);
  };
  const bool is_last = world().rank() + 1 == world().size();
  const ParticleReal nan = std::numeric_limits<ParticleReal>::quiet_NaN();
  EXPECT_EQ(refused([](Scene&, CheckpointState&) {}), "");
  EXPECT_NE(refused([&](Scene& s, CheckpointState&) {
              if (is_last) s.particles.velocity()[4] = nan;
            }).find("1 particles"),
            std::string::npos);
  EXPECT_NE(refused([&](Scene& s, CheckpointState&) {
              if (is_last) s.particles.position()[3] = ParticleReal{8};
            }).find("outside their blocks"),
            std::string::npos);
  EXPECT_NE(refused([&](Scene& s, CheckpointState&) {
              if (is_last) s.particles.position()[5] = nan;
            }).find("outside their blocks"),
            std::string::npos);
  EXPECT_NE(refused([&](Scene& s, CheckpointState&) {
              if (is_last) s.pressure.block(0)[3] = std::numeric_limits<double>::infinity();
            }).find("pressure"),
            std::string::npos);
  const double beyond = std::numeric_limits<double>::infinity();
  EXPECT_NE(refused([&](Scene&, CheckpointState& s) { s.numbers[1].value = beyond; }).find("time"), std::string::npos);
}

TEST(Checkpoint, of_a_larger_domain_or_of_another_kind_is_refused) {
  const SharedDirectory directory("other");
  const auto domain = domain_parameters(3, {32, 32, 32});
  const Scene scene(domain, 1.0, 30);
  const std::string path = directory.path() + "/a.h5";
  write_checkpoint(world(), path, state_of(scene), input_of_case);
  EXPECT_NE(read_error(path, domain_parameters(3, {32, 32, 16})).find("lies outside"), std::string::npos);
  EXPECT_NE(read_error(path, domain_parameters(2, {32, 32, 1})), "");
  SnapshotWriter writer(world(), directory.path(), OutputOptions(), input_of_case);
  EXPECT_NE(read_error(writer.write(scene.state(0)), domain).find("is not a checkpoint"), std::string::npos);
}

TEST(Checkpoint, that_is_damaged_anywhere_is_refused_on_every_rank) {
  const SharedDirectory directory("damaged");
  const auto domain = domain_parameters(3, {24, 16, 16});
  const Scene scene(domain, 1.0, 20);
  const std::string path = directory.path() + "/a.h5";
  write_checkpoint(world(), path, state_of(scene), input_of_case);
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const auto flip = [&](std::int64_t place, int bit) {
    world().barrier();
    if (world().is_root()) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(place);
      const auto old = static_cast<char>(file.get());
      file.seekp(place).put(static_cast<char>(old ^ (1 << bit)));
    }
    world().barrier();
  };
  for (int n = 0; n < 40; ++n) {
    const std::int64_t place = (n * 104729) % bytes;
    flip(place, n % 8);
    ASSERT_NE(read_error(path, domain), "") << "bit " << n % 8 << " of byte " << place;
    flip(place, n % 8);
  }
  EXPECT_EQ(read_error(path, domain), "");
  for (const std::int64_t left : {bytes - 1, bytes - 512, bytes / 2, std::int64_t{3}, std::int64_t{0}}) {
    world().barrier();
    if (world().is_root()) std::filesystem::resize_file(path, static_cast<std::uintmax_t>(left));
    world().barrier();
    EXPECT_NE(read_error(path, domain).find("cut short"), std::string::npos);
  }
}

TEST(CheckpointDirectory, keeps_the_newest_and_writes_no_step_twice) {
  const SharedDirectory output("directory");
  const auto domain = domain_parameters(3, {16, 16, 16});
  const Scene scene(domain, 1.0, 10);
  constexpr int keep = 2;
  CheckpointDirectory directory(world(), output.path());
  EXPECT_TRUE(directory.steps().empty());
  CheckpointState state = state_of(scene);
  for (const int step : {1, 3, 1000000}) {
    state.step = step;
    EXPECT_GT(directory.write(state, input_of_case, keep), 0);
    EXPECT_EQ(directory.write(state, input_of_case, keep), 0);
  }
  EXPECT_EQ(directory.steps(), (std::vector<std::int64_t>{1000000, 3}));
  std::string latest;
  std::ifstream(output.path() + "/checkpoints/latest") >> latest;
  EXPECT_EQ(latest, "chk_1000000.h5");
  world().barrier();
  directory.go_on_from(3);
  EXPECT_EQ(directory.steps(), std::vector<std::int64_t>{3});
  EXPECT_TRUE(std::filesystem::exists(output.path() + "/checkpoints/chk_1000000.h5.superseded"));
  world().barrier();
  if (world().is_root()) directory.clear();
  EXPECT_TRUE(directory.steps().empty());
}

}  // namespace
}  // namespace freshet::test
