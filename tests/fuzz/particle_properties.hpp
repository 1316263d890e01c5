// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config_properties.hpp"
#include "freshet/io/particle_file.hpp"

#include <sstream>
#include <string>

/// What must hold for any text that is given as a table of particles.
namespace freshet::fuzz {

inline void check_particles(const std::string& bytes) {
  std::istringstream text(bytes);
  ParticleChunk chunk;
  try {
    ParticleTable table(text, "file");
    while (table.read(16, chunk)) {
    }
  } catch (const InputError& error) {
    require_plain(error.what());
    require(std::string(error.what()).rfind("file:", 0) == 0, "an error without a place");
  }
  require(chunk.position.size() == chunk.velocity.size(), "not a velocity for each particle");
  require(3 * chunk.position.size() <= bytes.size(), "more particles than numbers");
  for (std::size_t m = 0; m < chunk.position.size(); ++m)
    require(chunk.position[m].allFinite() && chunk.velocity[m].allFinite(), "a number that is not finite");
}

}  // namespace freshet::fuzz
