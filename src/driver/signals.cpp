// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/signals.hpp"

#include <array>
#include <atomic>

namespace freshet {
namespace {

std::atomic<int> pending{0};
static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler may write it

extern "C" void note_signal(int signal) {
  const int request = static_cast<int>(signal == SIGUSR1 ? SignalRequest::checkpoint : SignalRequest::stop);
  int before = pending.load();
  while (request > before && !pending.compare_exchange_weak(before, request)) {
  }
}

constexpr std::array<int, Signals::n_caught> caught{SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGXFSZ};

}  // namespace

Signals::Signals() {
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t s = 0; s < n_caught; ++s) {
    // SIGXFSZ is ignored: a write beyond the file size limit then fails with an error that the run reports
    action.sa_handler = caught[s] == SIGXFSZ ? SIG_IGN : note_signal;
    sigaction(caught[s], &action, &before_[s]);
  }
}

Signals::~Signals() {
  for (std::size_t s = 0; s < n_caught; ++s) sigaction(caught[s], &before_[s], nullptr);
}

void Signals::note(int signal) {
  note_signal(signal);
}

SignalRequest Signals::take() {
  return static_cast<SignalRequest>(pending.exchange(0));
}

}  // namespace freshet
