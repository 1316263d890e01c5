// SPDX-License-Identifier: Apache-2.0
#include "freshet/formats/vdb_file.hpp"

#include "formats/vdb.hpp"
#include "freshet/core/error.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/parallel/sparse_exchange.hpp"

#include <algorithm>
#include <cmath>

namespace freshet {

#if FRESHET_OPENVDB

namespace {

/// Gather on rank 0 the blocks with a point in the band. Collective
std::vector<formats::ReceivedBlock> gather(std::span<const LevelSetBlock> blocks, const LevelSetLattice& lattice,
                                           const Communicator& comm) {
  const std::size_t n = static_cast<std::size_t>(lattice.width) * static_cast<std::size_t>(lattice.width) *
                        static_cast<std::size_t>(lattice.width);
  Parcel<float> phi{0, {}};
  Parcel<std::int32_t> first{0, {}};
  for (const LevelSetBlock& block : blocks) {
    if (std::none_of(block.phi, block.phi + n, [&](float x) { return std::abs(x) < lattice.band; })) continue;
    phi.items.insert(phi.items.end(), block.phi, block.phi + n);
    for (int d = 0; d < 3; ++d) first.items.push_back(block.first[d]);
  }
  const auto places = exchange(comm, std::vector<Parcel<std::int32_t>>{std::move(first)});
  const auto values = exchange(comm, std::vector<Parcel<float>>{std::move(phi)});
  std::vector<formats::ReceivedBlock> received;
  for (std::size_t r = 0; r < values.size(); ++r)
    for (std::size_t b = 0; b < values[r].items.size() / n; ++b) {
      const auto& at = places[r].items;
      const auto* begin = values[r].items.data() + b * n;
      received.push_back({{at[3 * b], at[3 * b + 1], at[3 * b + 2]}, std::vector<float>(begin, begin + n)});
    }
  return received;
}

}  // namespace

std::string openvdb_version() {
  return formats::version_of_openvdb();
}

void write_level_set_vdb(std::span<const LevelSetBlock> blocks, const LevelSetLattice& lattice, const std::string& path,
                         const Communicator& comm) {
  const std::vector<formats::ReceivedBlock> received = gather(blocks, lattice, comm);
  agree_on_root(comm, [&] {
    AtomicFile file(path);
    formats::write_level_set(received, lattice, file);
    file.commit();
  });
}

#else

std::string openvdb_version() {
  return "";
}

void write_level_set_vdb(std::span<const LevelSetBlock>, const LevelSetLattice&, const std::string& path,
                         const Communicator&) {
  throw InputError(path +
                   ": this freshet cannot write .vdb (it was built without OpenVDB). Install libopenvdb-dev and "
                   "libboost-dev, and build again");
}

#endif

}  // namespace freshet
