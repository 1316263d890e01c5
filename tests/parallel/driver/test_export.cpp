// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/error.hpp"
#include "freshet/driver/commands.hpp"
#include "support/case.hpp"
#include "support/case_text.hpp"
#include "support/snapshot_scene.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace freshet::test {
namespace {

/// A run whose snapshots hold a share of the blocks that its grid has room for.
class Snapshots {
 public:
  Snapshots(const SharedDirectory& directory, const std::string& fields, const std::vector<double>& shares)
      : parameters_(make_case(case_text({24, 16, 32}, 0.046875) + "[[liquid]]\nshape = \"box\"\nlower = [0, 0, 0]\n" +
                              "upper = [1, 1, 1]\n[output]\nparticles = [\"id\"]\nfields = [" + fields + "]\n")) {
    InputRecord input = input_of_case;
    input.text = resolved_toml(parameters_);
    SnapshotWriter writer(world(), directory.path(), parameters_.output, input);
    for (std::size_t n = 0; n < shares.size(); ++n)
      writer.write(test::Scene(parameters_.domain, shares[n], 3).state(static_cast<std::int64_t>(n)));
  }

 private:
  Parameters parameters_;
};

ExportOptions fields_of(const SharedDirectory& directory, const std::vector<std::string>& names = {}) {
  ExportOptions options;
  options.run = directory.path();
  options.fields = "vti";
  options.attributes = names;
  return options;
}

std::string exported(const SharedDirectory& directory, int frame) {
  std::ifstream file(directory.path() + "/export/fields.00000" + std::to_string(frame) + ".vti", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool is_empty_image(const std::string& text) {
  return text.find("WholeExtent=\"0 -1 0 -1 0 -1\"") != std::string::npos;
}

TEST(Export, fields_of_a_run_that_lost_its_liquid_have_no_cells) {
  const SharedDirectory directory("export_emptied");
  const Snapshots run(directory, R"("pressure", "velocity", "label", "face_velocity")", {1.0, 0.5, 0.0});
  EXPECT_EQ(export_command(world(), fields_of(directory)), 0);
  EXPECT_FALSE(is_empty_image(exported(directory, 0)));
  EXPECT_FALSE(is_empty_image(exported(directory, 1)));
  EXPECT_TRUE(is_empty_image(exported(directory, 2))) << exported(directory, 2);
}

TEST(Export, a_run_that_begins_without_liquid_may_name_the_fields_of_its_case) {
  const SharedDirectory directory("export_late");
  const Snapshots run(directory, R"("pressure", "label")", {0.0, 1.0});
  EXPECT_EQ(export_command(world(), fields_of(directory, {"label"})), 0);
  EXPECT_TRUE(is_empty_image(exported(directory, 0)));
  EXPECT_EQ(exported(directory, 1).find("Name=\"pressure\""), std::string::npos);
  EXPECT_NE(exported(directory, 1).find("Name=\"label\""), std::string::npos);
  EXPECT_THROW(export_command(world(), fields_of(directory, {"labels"})), InputError);
}

TEST(Export, a_case_that_names_no_fields_is_refused_also_when_its_liquid_has_gone) {
  for (const double share : {0.0, 1.0}) {
    const SharedDirectory directory("export_nothing");
    const Snapshots run(directory, "", {share});
    EXPECT_THROW(export_command(world(), fields_of(directory)), InputError) << share;
  }
}

}  // namespace
}  // namespace freshet::test
