// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/signals.hpp"

#include <csignal>

namespace freshet {
namespace {

volatile std::sig_atomic_t pending = 0;

extern "C" void note_signal(int signal) {
  const int wish = static_cast<int>(signal == SIGUSR1 ? Wish::checkpoint : Wish::stop);
  if (wish > pending) pending = wish;
}

constexpr int caught[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT};

}  // namespace

Signals::Signals() {
  pending = 0;
  for (const int signal : caught) std::signal(signal, note_signal);
  std::signal(SIGXFSZ, SIG_IGN);  // a file over its limit is then a failed write, which is told and ends in good order
}

Signals::~Signals() {
  for (const int signal : caught) std::signal(signal, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
}

Wish Signals::take() const {
  const std::sig_atomic_t wish = pending;
  if (wish != 0) pending = 0;
  return static_cast<Wish>(wish);
}

}  // namespace freshet
