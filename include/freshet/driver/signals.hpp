// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace freshet {

/// What the user has asked for by signal.
enum class SignalRequest : int { none = 0, checkpoint = 1, stop = 2 };

/// Catches SIGUSR1 (checkpoint now and go on) and SIGUSR2, SIGTERM, SIGINT (checkpoint and stop) while it lives. It
/// ignores SIGXFSZ, so that a write beyond the file size limit fails with an error.
///
/// The handler sets a flag; take() clears it. Signals reach ranks at different times, or one rank only: the ranks must
/// agree on what take() returned.
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
  static void note(int signal);  ///< set the flag as the handler does on this signal

 private:
  std::array<struct sigaction, n_caught> before_;
};

}  // namespace freshet
