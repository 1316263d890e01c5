// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// Processes and threads of one machine, before MPI starts.
struct ThreadPlaces {
  int ranks = 1;           ///< ranks of the job on this machine
  int threads = 1;         ///< OpenMP threads of a rank
  int cores = 1;           ///< cores that this rank may use
  bool own_cores = false;  ///< whether the launcher has bound this rank to some of the job's cores
};

/// The places of this job's ranks, from the launcher's environment and the system, if each has so many threads.
ThreadPlaces places_of(int threads);

/// Whether threads outnumber the cores that they may use. Ranks that are not bound share their cores.
constexpr bool is_oversubscribed(const ThreadPlaces& places) {
  return places.threads * (places.own_cores ? 1 : places.ranks) > places.cores;
}

/// The number of the job's ranks on this machine, from the launcher's environment; 1 if there is no launcher.
int ranks_on_this_machine();

/// Start the program again with OMP_WAIT_POLICY=passive if a launcher has started more threads than there are cores.
///
/// Idle threads of OpenMP spin by default, and take the cores from threads that work: a step then takes many times as
/// long. OpenMP reads its settings when the program is loaded, so a running program cannot change them. Settings of
/// idle threads that the user has made remain. Call it first in main(), before MPI starts; it returns if it fails.
void let_idle_threads_sleep(char** argv);

}  // namespace freshet
