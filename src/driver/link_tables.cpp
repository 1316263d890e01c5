// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/link_tables.hpp"

#include <fmt/format.h>

#include <numbers>
#include <string>

namespace freshet {
namespace {

constexpr const char* joint_directory = "joints";      ///< folder of the joints' tables in the output directory
constexpr const char* mooring_directory = "moorings";  ///< folder of the moorings' tables in the output directory
constexpr double degrees_of_radian = 180.0 / std::numbers::pi;

void add_vector(const std::string& name, const char* unit, std::vector<CsvColumn>& columns) {
  for (const char* axis : {"x", "y", "z"}) columns.push_back({name + "_" + axis, unit});
}

std::vector<CsvColumn> joint_columns(JointKind kind) {
  std::vector<CsvColumn> columns = {{"step", ""}, {"t", "s"}};
  if (kind == JointKind::hinge)
    columns.insert(columns.end(), {{"angle", "degrees"}, {"rate", "degrees/s"}, {"moment", "N m"}, {"power", "W"}});
  if (kind == JointKind::slider)
    columns.insert(columns.end(), {{"displacement", "m"}, {"rate", "m/s"}, {"force", "N"}, {"power", "W"}});
  if (kind == JointKind::spring)
    columns.insert(columns.end(), {{"length", "m"}, {"rate", "m/s"}, {"force", "N"}, {"power", "W"}});
  if (kind == JointKind::spring) return columns;
  add_vector("force", "N", columns);
  add_vector("moment", "N m", columns);
  return columns;
}

std::vector<CsvColumn> mooring_columns() {
  std::vector<CsvColumn> columns = {
      {"step", ""}, {"t", "s"}, {"tension", "N"}, {"anchor_tension", "N"}, {"lying", "m"}};
  add_vector("force", "N", columns);
  return columns;
}

std::vector<std::string> row_of(std::int64_t step, double time, const std::vector<double>& values) {
  std::vector<std::string> row = {fmt::format("{}", step), fmt::format("{}", time)};
  for (const double value : values) row.push_back(fmt::format("{}", value));
  return row;
}

std::vector<std::string> joint_row(std::int64_t step, double time, JointKind kind, const JointReport& joint,
                                   double thickness) {
  std::vector<double> values;
  if (has_free_coordinate(kind)) {
    const double unit = kind == JointKind::hinge ? degrees_of_radian : 1.0;
    values = {unit * joint.value, unit * joint.rate, joint.effort / thickness, joint.power / thickness};
  }
  if (kind != JointKind::spring)
    for (const Vec3& vector : {joint.force, joint.moment})
      for (int d = 0; d < 3; ++d) values.push_back(vector[d] / thickness);
  return row_of(step, time, values);
}

}  // namespace

LinkTables::LinkTables(const std::filesystem::path& directory, const Parameters& parameters,
                       std::optional<std::int64_t> go_on_after, const CsvWriter::Warn& warn,
                       std::chrono::steady_clock::duration longest_wait)
    : thickness_(parameters.domain.thickness()) {
  const auto open = [&](const char* folder, const std::string& name, const std::vector<CsvColumn>& columns) {
    std::filesystem::create_directories(directory / folder);
    return std::make_unique<CsvWriter>((directory / folder / (name + ".csv")).string(), columns, go_on_after, warn,
                                       longest_wait);
  };
  for (const JointParameters& joint : parameters.joints)
    joints_.push_back(open(joint_directory, joint.name, joint_columns(joint.kind)));
  for (const MooringParameters& mooring : parameters.moorings)
    moorings_.push_back(open(mooring_directory, mooring.name, mooring_columns()));
}

void LinkTables::write(std::int64_t step, double time, const FreeBodies& bodies) {
  for (std::size_t n = 0; n < joints_.size(); ++n)
    joints_[n]->row(
        joint_row(step, time, bodies.links().joints[n].kind, bodies.joint_report(static_cast<int>(n)), thickness_));
  for (std::size_t n = 0; n < moorings_.size(); ++n) {
    const MooringForce line = bodies.mooring_report(static_cast<int>(n));
    const Vec3 force = line.force / thickness_;
    moorings_[n]->row(row_of(
        step, time,
        {line.tension / thickness_, line.anchor_tension / thickness_, line.lying, force.x(), force.y(), force.z()}));
  }
}

void LinkTables::flush() {
  for (const auto& table : joints_) table->flush();
  for (const auto& table : moorings_) table->flush();
}

void LinkTables::remove(const std::filesystem::path& directory) {
  for (const char* folder : {joint_directory, mooring_directory}) {
    if (!std::filesystem::is_directory(directory / folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(directory / folder))
      if (entry.path().extension() == ".csv") std::filesystem::remove(entry.path());
  }
}

}  // namespace freshet
