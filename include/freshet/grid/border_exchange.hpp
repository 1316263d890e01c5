// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/grid/layout.hpp"
#include "freshet/parallel/communicator.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

namespace freshet {

/// Sends elements of blocks - cells, nodes, rows of sums - to the ranks that have these blocks as ghosts.
///
/// The elements of a block that a rank needs follow from the directions in which it has blocks beside that block.
/// Sender and receiver both know these directions and list the elements in the same order, so that to make an exchange
/// takes no communication. PETSc's star forests would ask for them, with reductions and other collectives for each new
/// set of blocks.
///
/// Parallel: begin() and end() are collective over the layout's ranks; OpenMP.
class BorderExchange {
 public:
  /// A function that lists, in any order, the elements of a block that a rank needs. It depends on the directions alone
  /// in which the rank has blocks beside this one: bit direction_index() is set for each.
  using ElementsToward = std::function<std::vector<LocalIndex>(std::uint32_t directions)>;

  /// Parallel: local
  BorderExchange(const BlockLayout& layout, LocalIndex elements_of_block, const ElementsToward& elements_toward);
  ~BorderExchange();
  BorderExchange(const BorderExchange&) = delete;
  BorderExchange& operator=(const BorderExchange&) = delete;

  /// An array with elements_of_block elements for each owned and each ghost block.
  struct Array {
    std::byte* data = nullptr;
    std::size_t size = 0;  ///< size of an element [B]

    Array() = default;
    template <class T>
    explicit Array(T* elements) : data(reinterpret_cast<std::byte*>(elements)), size(sizeof(T)) {
      static_assert(std::is_trivially_copyable_v<T>);
    }
  };
  /// Overwrite the elements of ghosts by those of their owners, in all arrays together: one message to each rank. end()
  /// takes the same arrays as begin(); between the calls owned blocks may be read and written, ghosts neither.
  void begin(std::span<const Array> arrays) {
    const Part part{this, arrays};
    begin_together({&part, 1});
  }
  void end(std::span<const Array> arrays) {
    const Part part{this, arrays};
    end_together({&part, 1});
  }

  /// An exchange and its arrays.
  struct Part {
    BorderExchange* exchange;
    std::span<const Array> arrays;
  };
  /// begin() and end() of several exchanges of one layout with one message to each rank: one exchange, or two
  /// different ones.
  static void begin_together(std::span<const Part> parts);
  static void end_together(std::span<const Part> parts);

 private:
  /// Elements that are adjacent in the arrays and in the message.
  struct Run {
    LocalIndex place;    ///< index of the run's first element in the arrays
    LocalIndex element;  ///< index of the run's first element in the message
  };
  /// The elements that one rank is sent, or sends. In a message the elements of each array are adjacent.
  struct Message {
    int rank = 0;
    LocalIndex n = 0;                      ///< number of elements
    std::vector<Run> eights, fours, ones;  ///< runs of 8, of 4 and of 1 element

    void append(LocalIndex place, LocalIndex n_adjacent);
  };
  class Lists;
  static constexpr std::size_t most_parts = 2;
  static std::vector<Message> messages_for(std::span<const BlockBorder> borders, Lists& lists);
  /// The messages that an exchange sends, or those that it receives.
  using Way = std::vector<Message> BorderExchange::*;
  template <class Function>
  static std::size_t for_each_rank(std::span<const Part> parts, Way way, Function&& f);
  template <class Copy>
  static void copy_all(std::span<const Part> parts, Way way, std::byte* bytes, Copy copy);
  template <class Copy>
  static void copy_message(const Message& message, std::span<const Array> arrays, std::byte* bytes, Copy copy);
  template <class Size, class Copy>
  static void copy_array(const Message& message, std::byte* elements, Size size, std::byte* bytes, Copy copy);

  const Communicator& comm_;
  std::vector<Message> sent_, received_;
  std::vector<MPI_Request> requests_;  ///< those of the messages under way, in the first of several exchanges
  struct Memory;
  Memory* memory_ = nullptr;  ///< memory of the messages under way, in the first of several exchanges; null if none are
};

}  // namespace freshet
