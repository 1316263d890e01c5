// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace freshet {

/// The bytes of all ranks, in the order of ranks, on every rank. Collective
std::vector<std::byte> gather_all_bytes(const Communicator& comm, std::span<const std::byte> mine);

/// The elements of all ranks, in the order of ranks, on every rank: for short lists only. Collective
template <class T>
std::vector<T> gather_all(const Communicator& comm, const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (comm.size() == 1) return mine;
  const std::vector<std::byte> bytes = gather_all_bytes(comm, std::as_bytes(std::span(mine)));
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
  return all;
}

}  // namespace freshet
