// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace freshet {

/// What the user has asked for by signal.
enum class SignalRequest : int { none = 0, checkpoint = 1, stop = 2 };

/// Catches SIGUSR1 (checkpoint now and go on) and SIGUSR2, SIGTERM, SIGINT (checkpoint and stop) while it lives;
/// SIGXFSZ is ignored, so that a file over its limit is a failed write.
///
/// The handler sets a flag; take() clears it. Signals reach ranks at different times, or one rank only: what take()
/// returns must be made known on all of them.
///
/// Objects nest: each one restores the handlers that it found. An object made before MPI and PETSc start keeps signals
/// from ending the program while they start; a signal that came before a later object was made is not forgotten.
class Signals {
 public:
  static constexpr std::size_t n_caught = 5;
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  /// The strongest request since the last call, on this rank.
  static SignalRequest take();
  static void note(int signal);  ///< as if this signal had come while an object lived

 private:
  std::array<struct sigaction, n_caught> before_;
};

}  // namespace freshet
