// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config_properties.hpp"
#include "freshet/io/particle_file.hpp"

#include <sstream>
#include <string>

/// What must hold for any text that is given as a file of particles.
namespace freshet::fuzz {

/// The first byte chooses the format, the others are the file.
inline void check_particles(const std::string& bytes) {
  if (bytes.empty()) return;
  std::istringstream text(bytes.substr(1));
  const auto format = static_cast<ParticleFormat>(static_cast<unsigned char>(bytes[0]) % 3);
  ParticleChunk chunk;
  try {
    ParticleText file(text, format, "file");
    while (file.read(16, chunk)) {
    }
  } catch (const InputError& error) {
    require_plain(error.what());
    require(std::string(error.what()).rfind("file:", 0) == 0, "an error without a place");
  }
  require(chunk.position.size() == chunk.velocity.size(), "not a velocity a particle");
  // JSON may say once what points of a page have in common, but not all of it
  const std::size_t least = format == ParticleFormat::geo ? 1 : 3;
  require(least * chunk.position.size() <= bytes.size(), "more particles than numbers");
  for (std::size_t m = 0; m < chunk.position.size(); ++m)
    require(chunk.position[m].allFinite() && chunk.velocity[m].allFinite(), "a number that is not finite");
}

}  // namespace freshet::fuzz
