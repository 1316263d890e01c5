// SPDX-License-Identifier: Apache-2.0
#include "freshet/config/read.hpp"
#include "freshet/core/standard_output.hpp"
#include "freshet/core/version.hpp"
#include "freshet/driver/commands.hpp"
#include "freshet/formats/vdb_file.hpp"
#include "freshet/geometry/shape_maker.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/parallel/environment.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

namespace freshet {

int schema_command(const SchemaOptions& options) {
  const std::string text =
      options.format == SchemaOptions::Format::json ? schema_json(options.section) : schema_text(options.section);
  std::fputs(text.c_str(), stdout);
  need_standard_output();
  return static_cast<int>(ExitCode::done);
}

std::string version_text() {
  const BuildInfo& build = build_info();
  std::string text = fmt::format("freshet {} (commit {})\n", build.version, build.commit);
  const auto line = [&text](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<15} {}\n", name, value);
  };
  line("build", build.build_type + (build.contracts ? ", contracts on" : ""));
  line("compiler", build.compiler + " " + build.flags);
  line("particle reals", std::to_string(build.particle_bits) + " bits");
  for (const auto& [name, version] : parallel_versions()) line(name, version);
  line("OpenVDB", openvdb_version().empty() ? "none" : openvdb_version());
  text.pop_back();
  return text;
}

std::string default_output_dir(const std::string& input) {
  return (std::filesystem::path("output") / std::filesystem::path(input).stem()).string();
}

Parameters load_parameters(const Communicator& comm, const std::string& path,
                           const std::vector<std::string>& overrides) {
  std::string text;
  agree_on_root(comm, [&] { text = read_text_file(path); });
  Parameters parameters = parse_parameters(comm.broadcast(text), path, overrides);
  identify_files(comm, parameters);
  return parameters;
}

}  // namespace freshet
