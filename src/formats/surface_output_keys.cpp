// SPDX-License-Identifier: Apache-2.0
#include "freshet/formats/mesh_file.hpp"
#include "freshet/formats/surface_output_options.hpp"
#include "freshet/keys/slots.hpp"
#include "freshet/particles/particle_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace freshet {

keys::Keys keys_of(SurfaceOutputOptions& output) {
  using namespace keys;
  std::vector<std::string> endings;
  std::string format_text = "Format of the files.";
  for (const MeshFormat& format : mesh_formats()) {
    endings.emplace_back(format.ending);
    format_text += fmt::format(" {}: {}.", format.ending, format.text);
  }
  const auto format = choice(
      endings,
      [&output, endings] {
        return static_cast<std::size_t>(std::ranges::find(endings, output.format) - endings.begin());
      },
      [&output, endings](std::size_t m) { output.format = endings[m]; });
  Keys rows = changeable({
      {"interval", number(output.interval, at_least(0.0)), "s",
       "Simulated time between surfaces that the run writes; 0: none."},
      {"format", format, "", format_text},
      {"attributes", names(output.attributes, array_names(), "a name of [[attribute]]"), "",
       "Particle data that the vertices of surfaces take over from the particles around them."},
  });
  append(rows, keys_of(output.surface));
  return rows;
}

void check_format(const SurfaceOutputOptions& output, const keys::Table& table) {
  const SurfaceOptions& surface = output.surface;
  table.require(
      output.format != "vdb" || (surface.smoothing == 0 && surface.decimate == 1.0 && surface.min_particles == 0.0),
      "output.surface.format", "= \"vdb\" is given together with smoothing, decimate or min_particles",
      "these change triangles, and a .vdb file holds a level set", "Leave them out, or choose another format");
}

}  // namespace freshet
