// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/memory.hpp"
#include "freshet/core/scratch_memory.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <thread>
#include <vector>

namespace freshet {
namespace {

TEST(Memory, bytes_are_counted_by_kind_and_given_back) {
  const std::int64_t fields = memory_in_use(MemoryKind::fields);
  const std::int64_t particles = memory_in_use(MemoryKind::particles);
  const std::int64_t all = memory_in_use();
  {
    const TrackedVector<double, MemoryKind::fields> values(1000, 0.0);
    EXPECT_EQ(memory_in_use(MemoryKind::fields) - fields, 8000);
    EXPECT_EQ(memory_in_use(MemoryKind::particles), particles);
    EXPECT_EQ(memory_in_use() - all, 8000);
  }
  EXPECT_EQ(memory_in_use(MemoryKind::fields), fields);
}

TEST(Memory, storage_is_aligned_to_a_cache_line) {
  for (std::size_t n = 1; n < 50; ++n) {
    const TrackedVector<float, MemoryKind::scratch> values(n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % 64, 0U);
  }
}

TEST(Memory, scratch_memory_grows_is_given_again_and_counted_once) {
  const std::int64_t before = memory_in_use(MemoryKind::scratch);
  {
    const auto memory = or_own(nullptr);
    EXPECT_EQ(or_own(memory), memory);
    double* const first = memory->take<double>(16000);
    std::fill_n(first, 16000, 1.0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
    EXPECT_EQ(static_cast<void*>(memory->take<float>(34000)),
              first);  // a sixteenth more than the 128000 bytes asked for
    EXPECT_EQ(memory_in_use(MemoryKind::scratch) - before, 136000);
    std::fill_n(memory->take<float>(100000), 100000, 2.0F);
    EXPECT_EQ(memory_in_use(MemoryKind::scratch) - before, 425000);
    memory->take<float>(0);
    EXPECT_EQ(memory_in_use(MemoryKind::scratch) - before, 425000);
  }
  EXPECT_EQ(memory_in_use(MemoryKind::scratch), before);
}

TEST(Memory, arrays_move_when_they_outgrow_their_memory_or_leave_a_sixth_of_it_idle) {
  TrackedVector<double, MemoryKind::scratch> values;
  const auto moves = [&values](std::size_t n) {
    const double* const before = values.data();
    const std::size_t capacity = values.capacity();
    make_room(values, n);
    EXPECT_GE(values.capacity(), n);
    values.resize(n);
    return values.data() != before || values.capacity() != capacity;
  };
  EXPECT_TRUE(moves(160000));
  EXPECT_EQ(values.capacity(), 170000U);
  EXPECT_FALSE(moves(170000));
  EXPECT_FALSE(moves(142000));
  EXPECT_EQ(values.size(), 142000U);
  EXPECT_TRUE(moves(141000));
  EXPECT_EQ(values.capacity(), 149812U);
  EXPECT_TRUE(moves(8));
  EXPECT_FALSE(moves(0));  // little memory stays
  EXPECT_FALSE(moves(8));
  EXPECT_TRUE(moves(9000));
  EXPECT_FALSE(moves(1400));
  EXPECT_TRUE(moves(1000));
}

TEST(Memory, arrays_of_any_size_keep_to_themselves) {
  // small ones, those that share huge pages, and those that have their own; freed and replaced in turn
  constexpr std::size_t sizes[] = {64, 16384, 16385, 70000, 300000, 1 << 20, 5 << 20, (8 << 20) - 1, 8 << 20};
  using Array = TrackedVector<std::uint8_t, MemoryKind::scratch>;
  const auto is_whole = [](const Array& array) {
    return std::all_of(array.begin(), array.end(), [&](std::uint8_t value) { return value == array.front(); });
  };
  std::vector<Array> arrays(40);
  for (std::size_t n = 0; n < 400; ++n) {
    Array& array = arrays[n * 7 % arrays.size()];
    ASSERT_TRUE(is_whole(array));
    array = {};
    array.resize(sizes[n * n % std::size(sizes)], static_cast<std::uint8_t>(n));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0U);
  }
  for (const Array& array : arrays) ASSERT_TRUE(is_whole(array));
}

TEST(Memory, resize_with_a_value_writes_it) {
  TrackedVector<int, MemoryKind::scratch> values;
  values.resize(100, 7);
  for (const int value : values) EXPECT_EQ(value, 7);
}

TEST(Memory, threads_may_allocate_at_once) {
  const std::int64_t before = memory_in_use(MemoryKind::scratch);
  int n_spoilt = 0;
#pragma omp parallel for num_threads(4) reduction(+ : n_spoilt)
  for (int i = 0; i < 1000; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    const TrackedVector<std::uint8_t, MemoryKind::scratch> values(static_cast<std::size_t>(1 + 50 * i), value);
    n_spoilt += static_cast<int>(values.size()) - static_cast<int>(std::count(values.begin(), values.end(), value));
  }
  EXPECT_EQ(n_spoilt, 0);
  EXPECT_EQ(memory_in_use(MemoryKind::scratch), before);
}

TEST(Memory, a_forked_process_may_allocate_whatever_threads_of_its_parent_did) {
  if (dlsym(RTLD_DEFAULT, "__asan_init") != nullptr)
    GTEST_SKIP() << "the heap of the address sanitizer is not for this";
  const auto allocate = [] { const TrackedVector<std::uint8_t, MemoryKind::scratch> values(50000, std::uint8_t{1}); };
  std::atomic<bool> go_on = true;
  std::thread other([&] {
    while (go_on) allocate();
  });
  for (int n = 0; n < 50; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends a child that waits for ever
      allocate();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  go_on = false;
  other.join();
}

TEST(Memory, every_kind_has_its_own_name) {
  for (int a = 0; a < n_memory_kinds; ++a) {
    for (int b = 0; b < a; ++b) {
      EXPECT_STRNE(memory_kind_name(static_cast<MemoryKind>(a)), memory_kind_name(static_cast<MemoryKind>(b)));
    }
  }
}

}  // namespace
}  // namespace freshet
