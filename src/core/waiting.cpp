// SPDX-License-Identifier: Apache-2.0
#include "freshet/core/waiting.hpp"

#include <dirent.h>
#include <omp.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

/// A function of LLVM's OpenMP; null in other libraries.
extern "C" void kmp_set_blocktime(int milliseconds) __attribute__((weak));

namespace freshet {
namespace {

/// OpenMP threads without work, one more of them than this process may use cores.
///
/// GCC's library lets threads spin as long as OMP_WAIT_POLICY says, but only for some microseconds while a process has
/// more threads than cores (its manual, GOMP_SPINCOUNT). The variable is read when the program is loaded; later, only
/// the number of threads changes how long they spin. The threads sleep as long as this object lives.
class SpareThreads {
 public:
  SpareThreads() : holder_([this] { hold(); }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_ready_; });
  }
  ~SpareThreads() {
    say(is_over_);
    holder_.join();
  }
  SpareThreads(const SpareThreads&) = delete;
  SpareThreads& operator=(const SpareThreads&) = delete;

 private:
  void hold() {
    std::atomic<int> n_threads = 0;
#pragma omp parallel num_threads(omp_get_num_procs() + 1)
    ++n_threads;
    say(is_ready_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_over_; });
  }
  void say(bool& flag) {
    {
      const std::lock_guard lock(mutex_);
      flag = true;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ready_ = false;
  bool is_over_ = false;
  std::thread holder_;  // the last member, because its thread uses the others
};

std::atomic<bool> ranks_meet_first = false;
std::atomic<Waiting> how = Waiting::spinning;

/// Time for which a thread of this process has waited for a core since the thread began; 0 if Linux does not say. [ns]
long long waited_for_core(const char* thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", thread);
  long long ran = 0, waited = 0;
  if (std::FILE* const file = std::fopen(path, "r")) {
    if (std::fscanf(file, "%lld %lld", &ran, &waited) != 2) waited = 0;
    std::fclose(file);
  }
  return waited;
}

}  // namespace

Waiting waiting() noexcept {
  return how.load(std::memory_order_relaxed);
}

bool ranks_meet() noexcept {
  return ranks_meet_first.load(std::memory_order_relaxed);
}

void let_ranks_meet(bool meet) {
  ranks_meet_first = meet;
}

void set_waiting(Waiting waiting) {
  static std::unique_ptr<SpareThreads> spare;
  if (how.exchange(waiting) == waiting) return;
  const bool sleeps = waiting == Waiting::sleeping;
#if defined(PR_SET_TIMERSLACK)
  constexpr unsigned long shortest_sleep = 1000;  // shortest sleep [ns]; 0 restores Linux's default of 50000
  prctl(PR_SET_TIMERSLACK, sleeps ? shortest_sleep : 0UL, 0UL, 0UL, 0UL);
#endif
  if (kmp_set_blocktime != nullptr) {
    constexpr int default_blocktime = 200;  // [ms]
    kmp_set_blocktime(sleeps ? 0 : default_blocktime);
  } else if (omp_get_max_threads() > 1) {
    spare = sleeps ? std::make_unique<SpareThreads>() : nullptr;
  }
}

CoreShortage::CoreShortage() {
  (void)share();
}

double CoreShortage::share() {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double, std::nano> elapsed = now - last_look_;
  if (!waited_.empty() && elapsed < std::chrono::milliseconds(500)) return share_;
  before_.swap(waited_);
  waited_.clear();
  long long most = 0;
  if (DIR* const threads = opendir("/proc/self/task")) {
    while (const dirent* const thread = readdir(threads)) {
      if (thread->d_name[0] == '.') continue;
      const Waited here{std::atoi(thread->d_name), waited_for_core(thread->d_name)};
      const auto before = std::ranges::find(before_, here.thread, &Waited::thread);
      if (before != before_.end()) most = std::max(most, here.nanoseconds - before->nanoseconds);
      waited_.push_back(here);
    }
    closedir(threads);
  }
  last_look_ = now;
  share_ = std::clamp(static_cast<double>(most) / elapsed.count(), 0.0, 1.0);
  return share_;
}

}  // namespace freshet
