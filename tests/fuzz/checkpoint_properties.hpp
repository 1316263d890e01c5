// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../src/io/seal.hpp"
#include "checkpoint_edits.hpp"
#include "config_properties.hpp"
#include "freshet/io/snapshot.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

/// What must hold for any file that is given as a checkpoint.
namespace freshet::fuzz {

/// What is done with a state that was read.
using GoOn = std::function<void(const Parameters& parameters, RestoredState state)>;

/// An error's text is for the user, and says more than that memory ran out: sizes are looked at before they are used.
inline void require_message(const std::string& text) {
  require(!text.empty(), "an error without words");
  for (const char* accident : {"bad_alloc", "vector::", "basic_string::", "std::"})
    require(text.find(accident) == std::string::npos, "an accident instead of an error: " + text);
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  require_plain(line);
}

/// HDF5's things are given back, whatever happened.
inline void require_all_closed() {
  require(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) == 0, "something of HDF5's is still open");
}

/// A state that was read is one that a run can go on from.
inline void require_state(const Communicator& comm, const RestoredState& state, const Parameters& parameters) {
  const Domain domain(parameters.domain);
  const auto n_particles = static_cast<std::size_t>(state.particles.size());
  const RunNumbers numbers = run_numbers(state.numbers, state.n_particles);
  const GlobalIndex went = numbers.left_domain + numbers.absorbed + numbers.removed;
  require(numbers.seeded + numbers.emitted + numbers.reseeded == comm.sum(GlobalIndex{state.particles.size()}) + went,
          "the ledger does not add up");
  require(state.splitters.n_ranks() == comm.size(), "not a splitter a rank");
  require(std::is_sorted(state.keys.begin(), state.keys.end()), "keys are not in order");
  for (const BlockKey key : state.keys)
    require((morton_block(key).array() < domain.lattice().array()).all(), "a block lies outside");
  require(state.pressure.size() == state.keys.size() * static_cast<std::size_t>(domain.block_cells().prod()),
          "another number of pressures");
  require(state.particles.home_keys() == state.keys && state.particles.home().size() == n_particles, "no homes");
  for (std::size_t p = 0; p < n_particles; ++p) {
    require(static_cast<std::size_t>(state.particles.home()[p]) < state.keys.size(), "a particle without a block");
    for (std::size_t d = 0; d < 3; ++d) {
      const ParticleReal x = state.particles.position()[3 * p + d];
      require(x >= 0 && x < static_cast<ParticleReal>(domain.block_cells()[static_cast<int>(d)]),
              "a particle outside its block");
      require(std::isfinite(state.particles.velocity()[3 * p + d]), "a velocity that is not finite");
    }
  }
}

/// Read it as a restart does. \return whether it was accepted. Collective
inline bool read_as_restart(const Communicator& comm, const std::string& path, const Parameters& parameters,
                            const GoOn& go_on) {
  RestoredState state;
  try {
    state = read_checkpoint(comm, path, Domain(parameters.domain), parameters.balance, [&](const std::string& earlier) {
      if (!compare_inputs(earlier, parameters).refused.empty()) throw InputError("another run");
    });
    run_numbers(state.numbers, state.n_particles);
  } catch (const FileError& error) {
    require_message(error.what());
    return false;
  } catch (const InputError& error) {
    require_message(error.what());
    return false;
  }
  require_state(comm, state, parameters);
  if (go_on) go_on(parameters, std::move(state));
  return true;
}

inline void describe(const std::string& path) {
  try {
    const std::string text = describe_file(path);
    for (const char c : text) require(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "a control character");
  } catch (const FileError& error) {
    require_message(error.what());
  }
}

/// A file of HDF5's with any contents, below a right seal. \param[in] go_on  with a state that was read
/// \return whether it was accepted. Errors: Finding; whatever else is thrown is a finding too. Collective
inline bool check_checkpoint(const Communicator& comm, std::string_view bytes, const std::string& path,
                             const GoOn& go_on = {}) {
  h5::silence_errors();
  const CheckpointContents contents(bytes);
  comm.barrier();  // nobody reads the file before any more
  if (comm.is_root()) contents.write(path);
  comm.barrier();
  seal_file(comm, path, Durability::cached);
  require(find_damage(comm, path).empty(), "a file that was just sealed is damaged");
  const bool accepted = read_as_restart(comm, path, run_of(contents.dimension()), go_on);
  if (comm.is_root()) describe(path);
  require_all_closed();
  return accepted;
}

/// Any bytes in place of a file: they are refused unless their seal is right. \return what is wrong. Collective
inline std::string check_seal(const Communicator& comm, std::string_view bytes, const std::string& path) {
  comm.barrier();  // nobody reads the file before any more
  if (comm.is_root()) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  comm.barrier();
  const std::string damage = find_damage(comm, path);
  require(damage == find_damage(path), "all ranks together find other damage than one alone");
  const std::optional<Seal> seal = read_seal(path);
  require(!damage.empty() || seal.has_value(), "whole, and without a seal");
  if (seal) require(seal->content_bytes + seal_bytes == static_cast<std::int64_t>(bytes.size()), "another length");
  if (damage.empty()) return damage;  // HDF5 would read it, and crash on some
  require_message(damage);
  require(!read_as_restart(comm, path, run_of(2), {}), "a damaged file is read");
  if (comm.is_root()) describe(path);
  return damage;
}

}  // namespace freshet::fuzz
