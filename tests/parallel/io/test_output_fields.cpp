// SPDX-License-Identifier: Apache-2.0
// ranks: 1 3
#include "freshet/io/output_fields.hpp"
#include "support/h5_reader.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

namespace freshet::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const FieldRecord& field : output_fields()) names.emplace_back(field.name);
  return names;
}

/// Values of a component in block b of this rank. \param[in] component  from FieldRecord::get(), which is collective
std::vector<double> values_of(const BlockFunction& component, const Scene& scene, LocalIndex b) {
  std::vector<double> values(static_cast<std::size_t>(scene.layout->cells_per_block()) + 1, nan);
  component(b, values.data());
  return values;
}
BlockFunction component_of(const char* name, const SnapshotState& state, int d) {
  return find_output_field(name)->get(state, d);
}

TEST(OutputFields, are_found_by_their_names_which_differ) {
  const std::vector<std::string> names = all_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const FieldRecord& field : output_fields()) EXPECT_EQ(find_output_field(field.name), &field);
  EXPECT_EQ(find_output_field("speed of sound"), nullptr);
}

TEST(OutputFields, say_what_they_are) {
  for (const FieldRecord& field : output_fields()) {
    EXPECT_GT(std::string(field.text).size(), 3u) << field.name;
    EXPECT_TRUE(field.n_components == 1 || field.n_components == 3) << field.name;
    EXPECT_TRUE(field.type == AttributeType::float64 || field.type == AttributeType::uint8) << field.name;
  }
}

TEST(OutputFields, fill_every_cell_of_a_block_and_nothing_beyond) {
  for (const int dimension : {2, 3}) {
    const Scene scene(domain_parameters(dimension, {37, 20, dimension == 3 ? 30 : 1}), 0.5, 5);
    const SnapshotState state = scene.state(0);
    for (const FieldRecord& field : output_fields()) {
      for (int d = 0; d < field.n_components; ++d) {
        const BlockFunction component = field.get(state, d);
        for (LocalIndex b = 0; b < scene.layout->n_owned(); ++b) {
          const std::vector<double> values = values_of(component, scene, b);
          for (std::size_t c = 0; c + 1 < values.size(); ++c) ASSERT_TRUE(std::isfinite(values[c])) << field.name;
          ASSERT_TRUE(std::isnan(values.back())) << field.name << " writes beyond its block";
        }
      }
    }
  }
}

TEST(OutputFields, centred_velocity_of_a_linear_field_is_exact) {
  const Scene scene(domain_parameters(3, {32, 32, 32}), 2.0, 0);
  const SnapshotState state = scene.state(0);
  for (int d = 0; d < 3; ++d) {
    const BlockFunction component = component_of("velocity", state, d);
    for (LocalIndex b = 0; b < scene.layout->n_owned(); ++b) {
      const std::vector<double> values = values_of(component, scene, b);
      const Vec3i cell = scene.layout->first_cell(b) + Vec3i(1, 2, 3);
      EXPECT_EQ(values[1 + 8 * (2 + 8 * 3)],
                0.5 * (face_velocity_at(d, cell) + face_velocity_at(d, cell + Vec3i::Unit(d))));
    }
  }
}

TEST(OutputFields, divergence_and_vorticity_of_a_linear_field_are_exact_in_liquid_cells) {
  const Scene scene(domain_parameters(3, {32, 32, 32}), 2.0, 0);
  const double gradient[3] = {1.0, 64.0, 4096.0};  // of the first component; the others are 2 and 3 times that
  const double per_dx = 1.0 / scene.domain.dx();
  const double curl[3] = {3.0 * gradient[1] - 2.0 * gradient[2], gradient[2] - 3.0 * gradient[0],
                          2.0 * gradient[0] - gradient[1]};
  const double divergence = gradient[0] + 2.0 * gradient[1] + 3.0 * gradient[2];
  const auto at = [](const Vec3i& cell) { return static_cast<std::size_t>(cell.x() + 8 * (cell.y() + 8 * cell.z())); };
  const SnapshotState state = scene.state(0);
  const BlockFunction components[] = {component_of("vorticity", state, 0), component_of("vorticity", state, 1),
                                      component_of("vorticity", state, 2), component_of("divergence", state, 0)};
  for (LocalIndex b = 0; b < scene.layout->n_owned(); ++b) {
    std::vector<double> values[4];
    for (std::size_t n = 0; n < 4; ++n) values[n] = values_of(components[n], scene, b);
    for (const Vec3i& cell : {Vec3i(1, 2, 3), Vec3i(2, 2, 3), Vec3i(4, 4, 4), Vec3i(5, 1, 2)}) {
      const bool is_liquid = label_at(scene.layout->first_cell(b) + cell) == Label::liquid;
      for (int d = 0; d < 3; ++d)
        EXPECT_NEAR(values[d][at(cell)], is_liquid ? curl[d] * per_dx : 0.0, 1e-6) << d << " " << cell.transpose();
      EXPECT_NEAR(values[3][at(cell)], is_liquid ? divergence * per_dx : 0.0, 1e-6) << cell.transpose();
    }
  }
}

TEST(OutputFields, stand_in_a_snapshot_and_its_side_file_as_their_rows_say) {
  const SharedDirectory directory("fields");
  const auto domain = domain_parameters(3, {20, 16, 16});
  const Scene scene(domain, 1.0, 5);
  OutputOptions options;
  options.fields = all_names();
  const std::string path = SnapshotWriter(world(), directory.path(), options, {}).write(scene.state(0));
  if (!world().is_root()) return;
  const std::string described = describe_file(path);
  std::ifstream side_file(directory.path() + "/snapshots/snapshots.xdmf");
  const std::string listed((std::istreambuf_iterator<char>(side_file)), std::istreambuf_iterator<char>());
  const H5Reader file(path);
  for (const FieldRecord& field : output_fields()) {
    const std::string record = std::string("/data/0/meshes/") + field.name;
    const std::vector<double> powers = file.numbers(record, "unitDimension");
    EXPECT_TRUE(std::ranges::equal(powers, field.unit)) << field.name;
    for (int d = 0; d < field.n_components; ++d) {
      const std::string component = record + (field.n_components == 1 ? "" : std::string("/") + "xyz"[d]);
      const std::vector<double> position = file.numbers(component, "position");  // z, y, x
      EXPECT_EQ(position.at(static_cast<std::size_t>(2 - d)), field.centring == Centring::low_face ? 0.0 : 0.5);
      EXPECT_NE(described.find(component.substr(8)), std::string::npos) << component;
    }
    const bool is_listed = listed.find(std::string("<Attribute Name=\"") + field.name + "\"") != std::string::npos;
    EXPECT_EQ(is_listed, field.centring == Centring::cell) << field.name;
  }
}

}  // namespace
}  // namespace freshet::test
