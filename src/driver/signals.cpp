// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/signals.hpp"

#include <array>

namespace freshet {
namespace {

volatile std::sig_atomic_t pending = 0;

extern "C" void note_signal(int signal) {
  const int wish = static_cast<int>(signal == SIGUSR1 ? Wish::checkpoint : Wish::stop);
  if (wish > pending) pending = wish;
}

constexpr std::array<int, Signals::n_caught> caught{SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGXFSZ};

}  // namespace

Signals::Signals() {
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t s = 0; s < n_caught; ++s) {
    // a file over its limit is then a failed write, which is told and ends in good order
    action.sa_handler = caught[s] == SIGXFSZ ? SIG_IGN : note_signal;
    sigaction(caught[s], &action, &before_[s]);
  }
}

Signals::~Signals() {
  for (std::size_t s = 0; s < n_caught; ++s) sigaction(caught[s], &before_[s], nullptr);
}

Wish Signals::take() const {
  const std::sig_atomic_t wish = pending;
  if (wish != 0) pending = 0;
  return static_cast<Wish>(wish);
}

}  // namespace freshet
