// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

namespace freshet {

/// What the user asked for by signal since the last look.
enum class Wish : int { none = 0, output = 1, stop = 2 };

/// Catches SIGUSR1 (output now and go on) and SIGUSR2, SIGTERM, SIGINT (stop in good order) while it lives;
/// SIGXFSZ is ignored, so that a file over its limit is a failed write.
///
/// The handler sets a flag; agreed() makes it known on all ranks and clears it.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  /// The strongest wish of any rank. Collective.
  Wish agreed(const Communicator& comm) const;
};

}  // namespace freshet
