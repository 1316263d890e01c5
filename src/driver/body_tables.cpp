// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/body_tables.hpp"

#include <fmt/format.h>

#include <numbers>
#include <string>

namespace freshet {
namespace {

constexpr const char* body_directory = "bodies";  ///< tables of bodies, below the output directory
constexpr double degrees_in_radian = 180.0 / std::numbers::pi;

std::vector<CsvColumn> body_columns() {
  std::vector<CsvColumn> columns = {{"step", ""}, {"t", "s"}};
  const auto add = [&](std::initializer_list<const char*> names, const char* unit) {
    for (const char* name : names) columns.push_back({name, unit});
  };
  add({"x", "y", "z"}, "m");
  add({"rx", "ry", "rz"}, "degrees");
  add({"u", "v", "w"}, "m/s");
  add({"omega_x", "omega_y", "omega_z"}, "degrees/s");
  add({"force_x", "force_y", "force_z"}, "N");
  add({"moment_x", "moment_y", "moment_z"}, "N m");
  return columns;
}

}  // namespace

BodyTables::BodyTables(const std::filesystem::path& directory, const std::vector<int>& solids, double thickness,
                       std::optional<std::int64_t> go_on_after, const CsvWriter::Warn& warn,
                       std::chrono::steady_clock::duration longest_wait)
    : thickness_(thickness) {
  if (solids.empty()) return;
  std::filesystem::create_directories(directory / body_directory);
  for (const int solid : solids)
    tables_.push_back(
        std::make_unique<CsvWriter>((directory / body_directory / fmt::format("solid_{}.csv", solid)).string(),
                                    body_columns(), go_on_after, warn, longest_wait));
}

void BodyTables::write(std::int64_t step, double time, const FreeBodies& bodies) {
  for (std::size_t n = 0; n < tables_.size(); ++n) {
    const BodyReport body = bodies.report(static_cast<int>(n));
    const Eigen::AngleAxisd turned(body.rotation);
    std::vector<std::string> row = {fmt::format("{}", step), fmt::format("{}", time)};
    for (const Vec3& vector :
         {body.center, Vec3(degrees_in_radian * turned.angle() * turned.axis()), body.velocity,
          Vec3(degrees_in_radian * body.angular), Vec3(body.force / thickness_), Vec3(body.moment / thickness_)})
      for (int d = 0; d < 3; ++d) row.push_back(fmt::format("{}", vector[d]));
    tables_[n]->row(row);
  }
}

void BodyTables::flush() {
  for (const auto& table : tables_) table->flush();
}

void BodyTables::remove(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory / body_directory)) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory / body_directory))
    if (entry.path().extension() == ".csv") std::filesystem::remove(entry.path());
}

}  // namespace freshet
