// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace freshet {
namespace {

void (*handler_of(int signal))(int) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

TEST(Signals, ask_for_a_checkpoint_or_for_the_end) {
  const Signals signals;
  EXPECT_EQ(signals.take(), SignalRequest::none);
  std::raise(SIGUSR1);
  EXPECT_EQ(signals.take(), SignalRequest::checkpoint);
  EXPECT_EQ(signals.take(), SignalRequest::none) << "a request is taken once";
  for (const int signal : {SIGUSR2, SIGTERM, SIGINT}) {
    std::raise(signal);
    EXPECT_EQ(signals.take(), SignalRequest::stop) << signal;
  }
}

TEST(Signals, the_strongest_request_stays_whatever_comes_after_it) {
  const Signals signals;
  std::raise(SIGTERM);
  std::raise(SIGUSR1);
  EXPECT_EQ(signals.take(), SignalRequest::stop);
}

TEST(Signals, that_came_before_a_later_object_are_not_forgotten) {
  const Signals early;
  std::raise(SIGUSR2);
  const Signals late;
  EXPECT_EQ(late.take(), SignalRequest::stop);
}

TEST(Signals, leave_the_handlers_that_they_found) {
  const auto before = handler_of(SIGUSR1);
  const auto limit_before = handler_of(SIGXFSZ);
  {
    const Signals outer;
    const auto caught = handler_of(SIGUSR1);
    EXPECT_NE(caught, before);
    EXPECT_EQ(handler_of(SIGXFSZ), SIG_IGN) << "a file beyond its limit is a failed write, not the end";
    { const Signals inner; }
    EXPECT_EQ(handler_of(SIGUSR1), caught);
  }
  EXPECT_EQ(handler_of(SIGUSR1), before);
  EXPECT_EQ(handler_of(SIGXFSZ), limit_before);
}

}  // namespace
}  // namespace freshet
