// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace freshet {

/// Bytes sent to or received from one rank.
struct Message {
  int rank = 0;
  std::vector<std::byte> bytes;
};

/// Elements of one type sent to or received from one rank.
template <class T>
struct Parcel {
  int rank = 0;
  std::vector<T> items;
};

/// The type of exchange(). It is an object, because argument-dependent lookup would also find std::exchange.
struct Exchange {
  std::vector<Message> operator()(const Communicator& comm, const std::vector<Message>& outgoing) const;

  /// Exchange trivially copyable elements.
  template <class T>
  std::vector<Parcel<T>> operator()(const Communicator& comm, const std::vector<Parcel<T>>& outgoing) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<Message> messages;
    for (const Parcel<T>& parcel : outgoing) {
      if (parcel.items.empty()) continue;
      Message message{parcel.rank, std::vector<std::byte>(parcel.items.size() * sizeof(T))};
      std::memcpy(message.bytes.data(), parcel.items.data(), message.bytes.size());
      messages.push_back(std::move(message));
    }
    std::vector<Parcel<T>> incoming;
    for (const Message& message : (*this)(comm, messages)) {
      Parcel<T> parcel{message.rank, std::vector<T>(message.bytes.size() / sizeof(T))};
      std::memcpy(parcel.items.data(), message.bytes.data(), message.bytes.size());
      incoming.push_back(std::move(parcel));
    }
    return incoming;
  }
};

/// Send each message to its rank. \return the messages sent to this rank, in order of rank
///
/// Ranks need not know which ranks send to them. The cost grows with the number of messages, not of ranks.
/// \pre at most one message a rank; empty messages are not sent
/// Parallel: collective.  Source: PetscCommBuildTwoSided (Hoefler, Siebert & Lumsdaine 2010)
inline constexpr Exchange exchange;

namespace detail {
/// exchange() in pieces of at most largest_chunk bytes; the limit must be the same on all ranks.
std::vector<Message> exchange_in_chunks(const Communicator& comm, const std::vector<Message>& outgoing,
                                        std::size_t largest_chunk);
}  // namespace detail

}  // namespace freshet
