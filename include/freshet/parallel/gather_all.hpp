// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
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

/// gather_all_bytes() again and again, with memory that stays.
class RepeatedGather {
 public:
  /// The bytes of all ranks, in the order of ranks; valid until the next call.
  /// Parallel: collective, one call of MPI if no rank has more than `slot` bytes, else two
  std::span<const std::byte> operator()(const Communicator& comm, std::span<const std::byte> mine);
  /// The bytes of one rank in the last result.
  std::span<const std::byte> of_rank(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return std::span(all_).subspan(static_cast<std::size_t>(begins_[r]), static_cast<std::size_t>(counts_[r]));
  }

  static constexpr std::size_t slot = 248;

 private:
  /// What each rank tells first: its number of bytes, and the bytes themselves if they have room.
  struct First {
    std::int64_t count = 0;
    std::array<std::byte, slot> bytes{};
  };
  std::vector<First> first_;
  std::vector<int> counts_, begins_;
  std::vector<std::byte> all_;
};

}  // namespace freshet
