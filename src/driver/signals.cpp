// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/signals.hpp"

#include <csignal>

namespace freshet {
namespace {

volatile std::sig_atomic_t pending = 0;

extern "C" void note_signal(int signal) {
  const int wish = static_cast<int>(signal == SIGUSR1 ? Wish::output : Wish::stop);
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

Wish Signals::agreed(const Communicator& comm) const {
  const auto wish = static_cast<GlobalIndex>(pending);
  pending = 0;  // before the reduction: a signal that comes during it is for the next look
  return static_cast<Wish>(comm.max(wish));
}

}  // namespace freshet
