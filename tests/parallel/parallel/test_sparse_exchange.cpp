// SPDX-License-Identifier: Apache-2.0
#include "freshet/parallel/sparse_exchange.hpp"
#include "support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace freshet {
namespace {

using test::world;

/// Every rank can tell what any rank sends to any other in a round: the generator's seed says it all.
std::vector<std::uint32_t> items_sent(int from, int to, int round) {
  std::mt19937 generator(static_cast<unsigned>(1'000'000 * round + 1000 * from + to));
  const bool sends = generator() % 3 != 0;
  std::vector<std::uint32_t> items(sends ? generator() % 500 : 0);
  for (std::uint32_t& item : items) item = static_cast<std::uint32_t>(generator());
  return items;
}

std::vector<Parcel<std::uint32_t>> parcels_of(int round) {
  std::vector<Parcel<std::uint32_t>> outgoing;
  for (int to = world().size() - 1; to >= 0; --to) outgoing.push_back({to, items_sent(world().rank(), to, round)});
  return outgoing;
}

void expect_round(const std::vector<Parcel<std::uint32_t>>& incoming, int round) {
  std::size_t next = 0;
  for (int from = 0; from < world().size(); ++from) {
    const auto expected = items_sent(from, world().rank(), round);
    if (expected.empty()) continue;
    ASSERT_LT(next, incoming.size());
    EXPECT_EQ(incoming[next].rank, from);
    EXPECT_EQ(incoming[next].items, expected);
    ++next;
  }
  EXPECT_EQ(next, incoming.size());
}

TEST(SparseExchange, random_patterns_arrive_in_order_of_rank) {
  for (int round = 0; round < 20; ++round) expect_round(exchange(world(), parcels_of(round)), round);
}

TEST(SparseExchange, successive_exchanges_do_not_mix) {
  for (int round = 0; round < 200; ++round) {
    // A rank that hurries ahead must not have its next message taken for this one: a ring, then the ring reversed.
    const int n = world().size();
    const int step = round % 2 == 0 ? 1 : n - 1;
    const std::vector<Parcel<int>> outgoing{{(world().rank() + step) % n, {round, world().rank()}}};
    const auto incoming = exchange(world(), outgoing);
    ASSERT_EQ(incoming.size(), 1U);
    EXPECT_EQ(incoming[0].rank, (world().rank() + n - step) % n);
    EXPECT_EQ(incoming[0].items, (std::vector<int>{round, incoming[0].rank}));
  }
}

TEST(SparseExchange, nobody_sends_and_nobody_receives) {
  EXPECT_TRUE(exchange(world(), std::vector<Message>{}).empty());
  EXPECT_TRUE(exchange(world(), std::vector<Parcel<int>>{{world().rank(), {}}, {0, {}}}).empty());
}

TEST(SparseExchange, message_to_oneself_comes_back) {
  const std::vector<Parcel<double>> outgoing{{world().rank(), {1.5, world().rank() + 0.5}}};
  const auto incoming = exchange(world(), outgoing);
  ASSERT_EQ(incoming.size(), 1U);
  EXPECT_EQ(incoming[0].rank, world().rank());
  EXPECT_EQ(incoming[0].items, outgoing[0].items);
}

TEST(SparseExchange, all_send_to_the_last_rank) {
  const int last = world().size() - 1;
  const auto incoming = exchange(world(), std::vector<Parcel<int>>{{last, {world().rank()}}});
  ASSERT_EQ(incoming.size(), world().rank() == last ? static_cast<std::size_t>(world().size()) : 0U);
  for (std::size_t i = 0; i < incoming.size(); ++i) {
    EXPECT_EQ(incoming[i].rank, static_cast<int>(i));
    EXPECT_EQ(incoming[i].items, std::vector<int>{static_cast<int>(i)});
  }
}

TEST(SparseExchange, message_longer_than_a_chunk_arrives_whole) {
  // What happens above 1 GiB, shown with chunks of 7 bytes that cut through the elements.
  std::vector<Message> outgoing;
  for (int to = 0; to < world().size(); ++to) {
    Message message{to, std::vector<std::byte>(static_cast<std::size_t>(100 + 13 * to + world().rank()))};
    for (std::size_t i = 0; i < message.bytes.size(); ++i) message.bytes[i] = static_cast<std::byte>(i * 31 + 7);
    outgoing.push_back(std::move(message));
  }
  const auto incoming = detail::exchange_in_chunks(world(), outgoing, 7);
  ASSERT_EQ(incoming.size(), static_cast<std::size_t>(world().size()));
  for (const Message& message : incoming) {
    ASSERT_EQ(message.bytes.size(), static_cast<std::size_t>(100 + 13 * world().rank() + message.rank));
    for (std::size_t i = 0; i < message.bytes.size(); ++i) {
      ASSERT_EQ(message.bytes[i], static_cast<std::byte>(i * 31 + 7));
    }
  }
}

}  // namespace
}  // namespace freshet
