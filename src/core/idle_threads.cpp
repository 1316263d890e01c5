// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/idle_threads.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <initializer_list>

namespace freshet {
namespace {

bool user_has_chosen() {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

}  // namespace

int ranks_on_this_machine() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"})
    if (const char* text = std::getenv(name)) return static_cast<int>(std::strtol(text, nullptr, 10));
  return 1;
}

ThreadPlaces places_of(int threads) {
  cpu_set_t own, of_launcher;
  if (sched_getaffinity(0, sizeof own, &own) != 0) return {ranks_on_this_machine(), threads, INT_MAX};
  const bool known = sched_getaffinity(getppid(), sizeof of_launcher, &of_launcher) == 0;
  const bool own_cores = known && CPU_EQUAL(&own, &of_launcher) == 0;
  return {ranks_on_this_machine(), threads, CPU_COUNT(&own), own_cores};
}

void let_idle_threads_sleep(char** argv) {
  const ThreadPlaces places = places_of(omp_get_max_threads());
  if (user_has_chosen() || places.ranks < 2 || !is_oversubscribed(places)) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0) execv("/proc/self/exe", argv);
}

}  // namespace freshet
