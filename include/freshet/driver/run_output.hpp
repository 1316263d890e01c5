// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/log.hpp"
#include "freshet/diagnostics/memory_report.hpp"
#include "freshet/driver/body_tables.hpp"
#include "freshet/driver/directory_lock.hpp"
#include "freshet/driver/link_tables.hpp"
#include "freshet/driver/output_count.hpp"
#include "freshet/driver/phase_table.hpp"
#include "freshet/driver/simulation.hpp"
#include "freshet/driver/start.hpp"
#include "freshet/io/checkpoint_directory.hpp"
#include "freshet/io/snapshot.hpp"
#include "freshet/io/text_files.hpp"

#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace freshet {

/// Writes the files of a run: log.txt, steps.csv, gauges, tables of bodies, snapshots, surfaces, checkpoints, run.json,
/// timers.json and input.resolved.toml.
class RunOutput {
 public:
  /// Make and lock the directory and make its first files. A run that goes on keeps what was written up to its
  /// checkpoint: rows of steps.csv, snapshots and surfaces after it are removed, and the log is appended to.
  /// \param[in] start    what happens to an earlier run, and which gauges it did not have
  /// \param[in] numbers  the run's numbers at its start
  /// \param[in] lock     on the root rank the lock of lock_earlier_run(), else null
  /// Errors: InputError if a run is there that may not be replaced, or is under way; FileError if the directory cannot
  /// be written. Parallel: collective
  RunOutput(const Communicator& comm, const std::string& directory, const Parameters& parameters, const Start& start,
            const RunNumbers& numbers, std::unique_ptr<DirectoryLock> lock = nullptr);
  ~RunOutput();

  void start(const Simulation& simulation, const Start& start);  ///< write the header of the log
  /// Write the log line and the row of steps.csv of a step that took `seconds`. The row may wait in memory for a
  /// second. If it cannot be written, has_failed() is true from then on. Local
  void step(StepReport report, const Simulation& simulation, double seconds);
  bool has_failed() const { return failure_ != nullptr; }  ///< on the root rank: a row could not be written
  /// Write the rows that wait in memory; throw the root rank's failure on all ranks. Collective, FileError
  void report_failure();
  void snapshot(Simulation& simulation, OutputOccasion occasion = OutputOccasion::output_time);  ///< Collective
  /// Write the liquid's surface into surfaces/ below the directory, and a row of surfaces.csv. Collective, FileError
  void surface(Simulation& simulation, OutputOccasion occasion = OutputOccasion::output_time);
  void change(const Parameters& parameters) { parameters_ = parameters; }  ///< parameters of the steps to come
  /// Write a checkpoint unless this step has one. \param[in] output_until  as in RunNumbers. Collective, FileError
  void checkpoint(Simulation& simulation, double output_until);
  /// Write all fields and particles of a failed step into failure/snapshots below the directory. Collective
  void failure_snapshot(Simulation& simulation);
  /// Log the phases; write timers.json and run.json. \param[in] status "done", "stopped early" or "failed". Collective
  void finish(Simulation& simulation, const std::string& status);
  /// Write run.json. Collective, FileError
  void set_status(const std::string& status, const Simulation& simulation);
  /// Write run.json from this rank alone. Local
  void set_status_here(const std::string& status, const Simulation& simulation);
  Log& log() { return log_; }
  /// Whether the directory holds a file STOP; looks again after 0.2 s at the earliest. For the root rank
  bool stop_file_exists();

 private:
  void open(const Start& start);
  bool holds_run() const;
  void remove_earlier_run() const;
  double seconds_so_far() const;  ///< wall-clock time since the object was made [s]
  void open_gauges(const Start& start);
  void open_bodies(const Start& start);
  std::unique_ptr<CsvWriter> surface_table(std::int64_t n_kept);
  void write_step(const StepReport& report);
  void write_gauges(const StepReport& report, const Gauges& gauges);
  void write_bodies(const StepReport& report, const FreeBodies& bodies);
  void flush_tables();
  void warn_of_incompatibility(const StepReport& report);
  void log_leaving(const StepReport& report, const RunNumbers& numbers);
  void warn_of_leaving_bodies(const StepReport& report, const Simulation& simulation);
  void warn_of_step(const StepReport& report, const RunNumbers& numbers);
  static SnapshotState state_of(Simulation& simulation, std::int64_t number);
  void warn_of_options();
  void log_cores();
  void warn_of_pushed_out(const RunNumbers& numbers);
  void log_particles(const RunNumbers& numbers);
  void log_steps_and_solves(const Simulation& simulation);
  void log_end(const Simulation& simulation, const std::string& status, const PhaseTable& table,
               const MemoryReport& memory, double total);
  void write_timers_json(const PhaseTable& table, const MemoryReport& memory, double total) const;
  void write_run_json(const std::string& status, const Simulation* simulation) const;
  double seconds_left(const StepReport& report);

  const Communicator& comm_;
  std::string directory_;
  std::filesystem::path stop_file_;
  Parameters parameters_;
  Log log_;
  std::unique_ptr<CsvWriter> steps_;
  std::vector<std::unique_ptr<CsvWriter>> gauges_;  ///< on the root rank
  BodyTables bodies_;                               ///< on the root rank
  LinkTables links_;                                ///< on the root rank
  std::unique_ptr<CsvWriter> surface_table_;        ///< on the root rank, from the first surface on
  std::unique_ptr<SnapshotWriter> snapshots_;
  CheckpointDirectory checkpoints_;
  std::unique_ptr<DirectoryLock> lock_;  ///< on the root rank
  RunNumbers begin_;                     ///< numbers at the start of this process
  OutputCount snapshot_count_;           ///< snapshots of the whole run
  OutputCount surface_count_;            ///< surfaces of the whole run
  std::int64_t n_steps_ = 0;
  std::int64_t n_incompatible_ = 0;
  std::int64_t n_stuck_ = 0;             ///< steps that left particles in solids
  std::int64_t n_density_ = 0;           ///< steps in which a density correction was due
  std::int64_t n_density_left_out_ = 0;  ///< due corrections whose solve did not converge
  std::int64_t n_drifted_ = 0;           ///< steps whose volume was much off
  std::int64_t n_covered_ = 0;           ///< steps in which a solid covered an inlet
  std::int64_t n_capillary_ = 0;         ///< steps whose dt surface tension bounds
  std::vector<bool> has_left_;           ///< bodies that have reached through an open side
  std::ptrdiff_t leaving_level_ = 0;     ///< number of shares that log_leaving() has reported
  std::int64_t density_iterations_ = 0;
  GlobalIndex particle_steps_ = 0;
  GlobalIndex cell_steps_ = 0;
  double seconds_per_simulated_second_ = 0.0;
  std::exception_ptr failure_;                         ///< first failure to write rows, on the root rank
  std::chrono::steady_clock::time_point last_look_{};  ///< last time that a file STOP was looked for
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Number of threads of this rank's OpenMP regions.
int n_threads();

}  // namespace freshet
