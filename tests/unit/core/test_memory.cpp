// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/memory.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cstdint>

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

TEST(Memory, resize_with_a_value_writes_it) {
  TrackedVector<int, MemoryKind::scratch> values;
  values.resize(100, 7);
  for (const int value : values) EXPECT_EQ(value, 7);
}

TEST(Memory, threads_may_allocate_at_once) {
  const std::int64_t before = memory_in_use(MemoryKind::scratch);
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 1000; ++i) {
    const TrackedVector<char, MemoryKind::scratch> values(static_cast<std::size_t>(i + 1));
  }
  EXPECT_EQ(memory_in_use(MemoryKind::scratch), before);
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
