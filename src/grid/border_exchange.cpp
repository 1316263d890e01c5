// SPDX-License-Identifier: Apache-2.0
#include "freshet/grid/border_exchange.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/memory.hpp"
#include "freshet/core/work_counts.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace freshet {
namespace {

using Bytes = TrackedVector<std::byte, MemoryKind::scratch>;

void grow(Bytes& bytes, std::size_t size) {
  if (bytes.size() >= size) return;
  bytes.clear();
  bytes.resize(size + size / 16);
}

/// Size of an element of all arrays together. [B]
std::size_t size_of(std::span<const BorderExchange::Array> arrays) {
  std::size_t size = 0;
  for (const BorderExchange::Array& array : arrays) size += array.size;
  return size;
}

/// Number of bytes from which on waking the threads takes less time than copying.
constexpr std::size_t bytes_worth_threads = 65536;

}  // namespace

/// The elements of a block as runs, by directions. Few different sets of directions occur, so each list is made once.
class BorderExchange::Lists {
 public:
  Lists(LocalIndex elements_of_block, const ElementsToward& elements_toward)
      : elements_of_block_(elements_of_block), elements_toward_(elements_toward) {}

  void append(const BlockBorder& border, Message& message) {
    auto [found, is_new] = lists_.try_emplace(border.directions);
    if (is_new) found->second = runs_of(elements_toward_(border.directions));
    for (const auto& [first, n] : found->second) message.append(border.block * elements_of_block_ + first, n);
  }

 private:
  using Stretch = std::pair<LocalIndex, LocalIndex>;  ///< first element, number of elements

  static std::vector<Stretch> runs_of(std::vector<LocalIndex> elements) {
    std::sort(elements.begin(), elements.end());
    std::vector<Stretch> runs;
    for (const LocalIndex element : elements) {
      if (runs.empty() || runs.back().first + runs.back().second != element) runs.emplace_back(element, 0);
      ++runs.back().second;
    }
    return runs;
  }

  LocalIndex elements_of_block_;
  const ElementsToward& elements_toward_;
  std::map<std::uint32_t, std::vector<Stretch>> lists_;
};

void BorderExchange::Message::append(LocalIndex place, LocalIndex n_adjacent) {
  for (LocalIndex done = 0; done < n_adjacent;) {
    const LocalIndex left = n_adjacent - done;
    (left >= 8 ? eights : left >= 4 ? fours : ones).push_back({place + done, n + done});
    done += left >= 8 ? 8 : left >= 4 ? 4 : 1;
  }
  n += n_adjacent;
}

/// The message for each rank that is to get elements; borders are in order of rank.
std::vector<BorderExchange::Message> BorderExchange::messages_for(std::span<const BlockBorder> borders, Lists& lists) {
  std::vector<Message> messages;
  for (const BlockBorder& border : borders) {
    if (messages.empty() || messages.back().rank != border.rank) messages.emplace_back().rank = border.rank;
    lists.append(border, messages.back());
  }
  std::erase_if(messages, [](const Message& message) { return message.n == 0; });
  return messages;
}

/// Call f(rank, messages, bytes) for each rank that messages go to or come from, in order of rank. `messages` has one
/// pointer for each part, null where the part has nothing for the rank. \return the number of bytes in all
template <class Function>
std::size_t BorderExchange::for_each_rank(std::span<const Part> parts, Way way, Function&& f) {
  FRESHET_EXPECT(parts.size() <= most_parts);
  std::array<std::size_t, most_parts> next{};
  std::size_t all_bytes = 0;
  for (;;) {
    int rank = std::numeric_limits<int>::max();
    for (std::size_t n = 0; n < parts.size(); ++n) {
      const std::vector<Message>& messages = parts[n].exchange->*way;
      if (next[n] < messages.size()) rank = std::min(rank, messages[next[n]].rank);
    }
    if (rank == std::numeric_limits<int>::max()) return all_bytes;
    std::array<const Message*, most_parts> of_rank{};
    std::size_t bytes = 0;
    for (std::size_t n = 0; n < parts.size(); ++n) {
      const std::vector<Message>& messages = parts[n].exchange->*way;
      if (next[n] == messages.size() || messages[next[n]].rank != rank) continue;
      of_rank[n] = &messages[next[n]++];
      bytes += size_of(parts[n].arrays) * static_cast<std::size_t>(of_rank[n]->n);
    }
    f(rank, of_rank, bytes);
    all_bytes += bytes;
  }
}

/// Call copy(bytes of the message, elements of the array, size) for this thread's share of the runs. A size that is a
/// constant of the compiler is much faster.
template <class Size, class Copy>
void BorderExchange::copy_array(const Message& message, std::byte* elements, Size size, std::byte* bytes, Copy copy) {
  const auto n_threads = static_cast<std::size_t>(omp_get_num_threads());
  const auto thread = static_cast<std::size_t>(omp_get_thread_num());
  const auto copy_runs = [=](const std::vector<Run>& runs, auto n) {
    const std::size_t end = runs.size() * (thread + 1) / n_threads;
    for (std::size_t r = runs.size() * thread / n_threads; r < end; ++r)
      copy(bytes + size * static_cast<std::size_t>(runs[r].element),
           elements + size * static_cast<std::size_t>(runs[r].place), size * n);
  };
  copy_runs(message.eights, std::integral_constant<std::size_t, 8>{});
  copy_runs(message.fours, std::integral_constant<std::size_t, 4>{});
  copy_runs(message.ones, std::integral_constant<std::size_t, 1>{});
}

template <class Copy>
void BorderExchange::copy_message(const Message& message, std::span<const Array> arrays, std::byte* bytes, Copy copy) {
  for (const Array& array : arrays) {
    switch (array.size) {
      case 1:
        copy_array(message, array.data, std::integral_constant<std::size_t, 1>{}, bytes, copy);
        break;
      case 4:
        copy_array(message, array.data, std::integral_constant<std::size_t, 4>{}, bytes, copy);
        break;
      case 8:
        copy_array(message, array.data, std::integral_constant<std::size_t, 8>{}, bytes, copy);
        break;
      default:
        copy_array(message, array.data, array.size, bytes, copy);
    }
    bytes += array.size * static_cast<std::size_t>(message.n);
  }
}

template <class Copy>
void BorderExchange::copy_all(std::span<const Part> parts, Way way, std::byte* bytes, Copy copy) {
  for_each_rank(parts, way, [&](int, const std::array<const Message*, most_parts>& of_rank, std::size_t) {
    for (std::size_t n = 0; n < parts.size(); ++n) {
      if (of_rank[n] == nullptr) continue;
      copy_message(*of_rank[n], parts[n].arrays, bytes, copy);
      bytes += size_of(parts[n].arrays) * static_cast<std::size_t>(of_rank[n]->n);
    }
  });
}

/// Memory of messages, which all exchanges of the process share. One or two exchanges are under way at a time.
struct BorderExchange::Memory {
  Bytes outgoing, incoming;
  std::size_t n_incoming = 0;  ///< number of bytes under way to this rank
  bool is_in_use = false;

  static Memory& take() {
    static std::vector<std::unique_ptr<Memory>> all;
    const auto free = std::find_if(all.begin(), all.end(), [](const auto& memory) { return !memory->is_in_use; });
    Memory& memory = free != all.end() ? **free : *all.emplace_back(std::make_unique<Memory>());
    memory.is_in_use = true;
    return memory;
  }
};

BorderExchange::BorderExchange(const BlockLayout& layout, LocalIndex elements_of_block,
                               const ElementsToward& elements_toward)
    : comm_(layout.comm()) {
  Lists lists(elements_of_block, elements_toward);
  sent_ = messages_for(layout.seen_blocks(), lists);
  received_ = messages_for(layout.ghost_borders(), lists);
  requests_.reserve(sent_.size() + received_.size());
}

BorderExchange::~BorderExchange() {
  if (memory_ == nullptr) return;  // requests are left if an exception came between begin() and end()
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

void BorderExchange::begin_together(std::span<const Part> parts) {
  FRESHET_EXPECT(!parts.empty() && parts.size() <= most_parts);
  BorderExchange& first = *parts[0].exchange;
  if (first.comm_.size() == 1) return;
  count_work(Work::exchanges);
  for ([[maybe_unused]] const Part& part : parts)
    FRESHET_EXPECT(part.exchange->memory_ == nullptr && !part.arrays.empty());
  const auto nothing = [](auto&&...) {};
  Memory& memory = *(first.memory_ = &Memory::take());
  const std::size_t n_outgoing = for_each_rank(parts, &BorderExchange::sent_, nothing);
  memory.n_incoming = for_each_rank(parts, &BorderExchange::received_, nothing);
  grow(memory.outgoing, n_outgoing);
  grow(memory.incoming, memory.n_incoming);
  first.requests_.clear();
  // Messages between two ranks arrive in the order of sending, which is the same for all exchanges: one tag is enough.
  constexpr int tag = 1;
  const auto start_all = [&](Way way, std::byte* bytes, auto&& start, const char* what) {
    for_each_rank(parts, way, [&](int rank, const auto&, std::size_t n) {
      FRESHET_EXPECT(n <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
      check_mpi(
          start(bytes, static_cast<int>(n), MPI_BYTE, rank, tag, first.comm_.raw(), &first.requests_.emplace_back()),
          what);
      bytes += n;
    });
  };
  start_all(&BorderExchange::received_, memory.incoming.data(), MPI_Irecv, "MPI_Irecv");
  const auto pack = [](std::byte* in_message, const std::byte* elements, auto n) {
    std::memcpy(in_message, elements, n);
  };
  if (n_outgoing < bytes_worth_threads) {
    copy_all(parts, &BorderExchange::sent_, memory.outgoing.data(), pack);
  } else {
#pragma omp parallel
    copy_all(parts, &BorderExchange::sent_, memory.outgoing.data(), pack);
  }
  start_all(&BorderExchange::sent_, memory.outgoing.data(), MPI_Isend, "MPI_Isend");
}

void BorderExchange::end_together(std::span<const Part> parts) {
  BorderExchange& first = *parts[0].exchange;
  if (first.comm_.size() == 1) return;
  FRESHET_EXPECT(first.memory_ != nullptr);
  check_mpi(MPI_Waitall(static_cast<int>(first.requests_.size()), first.requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  Memory& memory = *std::exchange(first.memory_, nullptr);
  const auto unpack = [](const std::byte* in_message, std::byte* elements, auto n) {
    std::memcpy(elements, in_message, n);
  };
  if (memory.n_incoming < bytes_worth_threads) {
    copy_all(parts, &BorderExchange::received_, memory.incoming.data(), unpack);
  } else {
#pragma omp parallel
    copy_all(parts, &BorderExchange::received_, memory.incoming.data(), unpack);
  }
  memory.is_in_use = false;
}

}  // namespace freshet
