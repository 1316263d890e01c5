// SPDX-License-Identifier: Apache-2.0
// RunOutput: what a run writes into its log.
#include "freshet/core/version.hpp"
#include "freshet/driver/run_output.hpp"
#include "freshet/driver/step_numbers.hpp"
#include "freshet/parallel/agree.hpp"
#include "freshet/pressure/preconditioners.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

namespace freshet {
namespace {

constexpr int n_warnings = 5;  ///< largest number of warnings of one kind

/// Number of cores that this process is bound to.
int n_usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return static_cast<int>(std::thread::hardware_concurrency());
  return CPU_COUNT(&cores);
}

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return fmt::format("{:d}:{:02d}:{:02d}", s / 3600, s / 60 % 60, s % 60);
}

/// Share of all liquid so far that left through open sides.
double share_that_left(const RunNumbers& numbers) {
  const auto all = static_cast<double>(numbers.seeded + numbers.emitted + numbers.reseeded);
  return all > 0.0 ? static_cast<double>(numbers.left_domain) / all : 0.0;
}

/// Volume of the liquid that left through open sides. [m^3]
double volume_that_left(const Parameters& parameters, const RunNumbers& numbers) {
  const double per_cell = std::pow(parameters.particles.per_axis, parameters.domain.dimension);
  return static_cast<double>(numbers.left_domain) * std::pow(parameters.domain.cell_size, 3) / per_cell;
}

std::string open_sides(const DomainOptions& domain) {
  std::string sides;
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t side = 0; side < 2; ++side)
      if (domain.boundary[d][side] == FaceCondition::open)
        sides += fmt::format("{}{}_{}", sides.empty() ? "" : ", ", "xyz"[d], side == 0 ? "low" : "high");
  return sides;
}

}  // namespace

/// Warn of options under which bits differ between numbers of ranks, or that hold for some solves only.
void RunOutput::warn_of_options() {
  if (parameters_.run.reproducible && rank_agreement(parameters_.pressure) == RankAgreement::within_tolerance)
    log_.warn(
        "run.reproducible: with this pressure.preconditioner, or with [pressure.petsc], the pressure agrees between "
        "numbers of ranks within its tolerance only (inputs/troubleshooting.md#bits)");
  if (parameters_.run.reproducible && !parameters_.viscosity.petsc.empty())
    log_.warn(
        "run.reproducible: with [viscosity.petsc] velocities agree between numbers of ranks within the tolerance "
        "(inputs/troubleshooting.md#bits)");
  if (!parameters_.viscosity.petsc.empty() && parameters_.viscosity.coupling == ViscousCoupling::stokes)
    log_.warn(
        "[viscosity.petsc] holds for solves in which viscosity hardly acts; for all of them with viscosity.coupling = "
        "\"split\" (inputs/troubleshooting.md#viscous)");
}

/// Log the cores that ranks may use, and warn if threads share them. Collective
void RunOutput::log_cores() {
  const int threads = n_threads();
  const auto usable = static_cast<int>(comm_.min(static_cast<GlobalIndex>(n_usable_cores())));
  log_.info("binding: each rank may use {} of its machine's {} cores", usable, std::thread::hardware_concurrency());
  if (threads > usable)
    log_.warn(
        "{} threads of a rank share {} cores. Bind ranks to more cores (mpirun --bind-to none, or srun "
        "--cpus-per-task), or lower OMP_NUM_THREADS (inputs/troubleshooting.md#slow)",
        threads, usable);
  if (comm_.size() * threads <= static_cast<int>(std::thread::hardware_concurrency())) return;
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  const bool sleeps = policy != nullptr && (policy[0] == 'p' || policy[0] == 'P');
  log_.warn(
      "{} threads in all for this machine's {} cores: oversubscribed, if all of them run here.{} "
      "(inputs/troubleshooting.md#slow)",
      comm_.size() * threads, std::thread::hardware_concurrency(),
      threads == 1 || sleeps ? "" : " Set OMP_WAIT_POLICY=passive: threads that wait then leave their core");
}

void RunOutput::start(const Simulation& simulation, const Start& start) {
  if (comm_.is_root()) {
    write_gauges(simulation.report(), simulation.gauges());
    if (start.existing != Existing::go_on) write_bodies(simulation.report(), simulation.free_bodies());
  }
  const BuildInfo& build = build_info();
  const Domain& domain = simulation.domain();
  log_.info("freshet {} (commit {}, {})", build.version, build.commit, build.build_type);
  log_.info("case: {} {}", parameters_.source_file, parameters_.title);
  if (!parameters_.reference.empty()) log_.info("reference: {}", parameters_.reference);
  log_.info("{} ranks x {} threads", comm_.size(), n_threads());
  if (!start.checkpoint.empty())
    log_.info("restart {} from {}: step {}, t = {:g} s", begin_.restarts, start.checkpoint, begin_.step, begin_.time);
  warn_of_options();
  if (lock_ && !lock_->holds())
    log_.warn("the file system of {} has no locks: nothing keeps a second run out (inputs/troubleshooting.md#restart)",
              directory_);
  for (const std::string& change : start.changes) log_.info("changed since the checkpoint: {}", change);
  for (const std::string& remark : start.remarks) log_.warn("{} (inputs/troubleshooting.md#restart)", remark);
  log_cores();
  log_.info("domain: {} x {} x {} cells of {:g} m; {} blocks exist of {}", domain.cells()[0], domain.cells()[1],
            domain.cells()[2], domain.dx(), simulation.layout().n_global(), domain.n_lattice_blocks());
  for (const std::string& remark : simulation.scene().remarks()) log_.info("{}", remark);
  for (const std::string& warning : simulation.scene().warnings()) log_.warn("{}", warning);
  const double rounded = domain.origin().cwiseAbs().maxCoeff() * 0x1p-24 / domain.dx();
  if (sizeof(ParticleReal) == 4 && rounded > 1e-2)
    log_.warn(
        "so far from the origin the 32-bit positions in snapshots are rounded to {:.2g} cells (the run's own are not). "
        "Move domain.origin, or build with FRESHET_PARTICLE_DOUBLE (inputs/troubleshooting.md#place)",
        rounded);
  log_.info("particles: {} ({} sample points dropped inside solids); liquid cells: {}", simulation.seeding().seeded,
            simulation.seeding().dropped_in_solid, simulation.initial_liquid_cells());
  if (simulation.seeding().dropped_outside > 0)
    log_.warn("particles: {} (inputs/troubleshooting.md#place)", simulation.seeding().outside_text());
  const MemoryReport memory = measure_memory(simulation.layout(), simulation.particles().size());
  log_.info("memory: {}", memory.text());
  log_.info("{} {:>9}", log_heading(), "eta");
}

double RunOutput::seconds_left(const StepReport& report) {
  const double now = report.seconds / report.dt;
  double& smoothed = seconds_per_simulated_second_;
  smoothed = n_steps_ == 0 ? now : 0.95 * smoothed + 0.05 * now;
  return smoothed * std::max(0.0, parameters_.run.end_time - report.time);
}

void RunOutput::step(StepReport report, const Simulation& simulation, double seconds) {
  report.seconds = seconds;
  const double left = seconds_left(report);
  ++n_steps_;
  particle_steps_ += report.particles;
  cell_steps_ += report.liquid_cells;
  if (report.density.is_new) {
    ++n_density_;
    density_iterations_ += report.density.iterations;
  }
  if (comm_.is_root()) {
    write_step(report);
    write_gauges(report, simulation.gauges());
    write_bodies(report, simulation.free_bodies());
  }
  if (report.dt >= (1.0 - 1e-9) * simulation.step_length().capillary_limit() && ++n_capillary_ == 1)
    log_.info("step {}: surface tension bounds the time step, at {:.3e} s (time.capillary = {:g})", report.step,
              report.dt, parameters_.time.capillary);
  if (report.projection.solve.incompatibility > 1e-6 * simulation.domain().dx() / report.dt)
    warn_of_incompatibility(report);
  log_leaving(report, simulation.numbers());
  warn_of_leaving_bodies(report, simulation);
  warn_of_step(report, simulation.numbers());
  if (report.step % parameters_.output.log_every == 0) log_.info("{} {:>9}", log_line(report), clock_text(left));
}

void RunOutput::warn_of_incompatibility(const StepReport& report) {
  if (++n_incompatible_ > 1) return;
  log_.warn(
      "step {}: {} sealed liquid bodies take in or give out {:.2e} m/s in all, which no pressure can mend; the column "
      "incompatibility of steps.csv goes on (inputs/troubleshooting.md#residual)",
      report.step, report.projection.solve.sealed_bodies, report.projection.solve.incompatibility);
}

/// Report liquid that leaves through open sides: the first of it, then given shares. It is lost without sources.
void RunOutput::log_leaving(const StepReport& report, const RunNumbers& numbers) {
  constexpr double shares[] = {0.0, 0.01, 0.1, 0.5};  // each is reported once
  const auto level_of = [&](const RunNumbers& at) {
    return std::ranges::count_if(shares, [share = share_that_left(at)](double least) { return share > least; });
  };
  leaving_level_ = std::max(leaving_level_, level_of(begin_));
  if (level_of(numbers) <= leaving_level_) return;
  leaving_level_ = level_of(numbers);
  const std::string text = fmt::format(
      "step {}: {:.3g} m^3, {:.2g} % of the liquid, have left through open sides ({}); column left_domain "
      "of steps.csv goes on",
      report.step, volume_that_left(parameters_, numbers), 100.0 * share_that_left(numbers),
      open_sides(parameters_.domain));
  if (parameters_.sources.empty())
    log_.warn("{} (inputs/troubleshooting.md#leaks)", text);
  else
    log_.info("{}", text);
}

/// Warn once of each body that the liquid moves and that reaches through an open side, beyond which no water carries
/// it. Above an open side on top there is air.
void RunOutput::warn_of_leaving_bodies(const StepReport& report, const Simulation& simulation) {
  const Domain& domain = simulation.domain();
  const Box tank = domain.box();
  const FreeBodies& bodies = simulation.free_bodies();
  has_left_.resize(static_cast<std::size_t>(bodies.count()), false);
  for (int axis = 0; axis < domain.dimension(); ++axis)
    for (const int side : {0, 1}) {
      const double upwards = -parameters_.fluid.gravity[axis] * (side == 0 ? -1.0 : 1.0);
      if (parameters_.domain.boundary[static_cast<std::size_t>(axis)][static_cast<std::size_t>(side)] !=
              FaceCondition::open ||
          upwards > 0.0)
        continue;
      for (int n = 0; n < bodies.count(); ++n) {
        if (has_left_[static_cast<std::size_t>(n)]) continue;
        const auto solid = static_cast<std::size_t>(bodies.body(n).solid);
        const Box bounds = simulation.scene().bodies()[solid].shape_at(report.time)->bounds();
        const double beyond = side == 0 ? tank.lower[axis] - bounds.lower[axis] : bounds.upper[axis] - tank.upper[axis];
        if (beyond <= 0.5 * domain.dx()) continue;
        has_left_[static_cast<std::size_t>(n)] = true;
        log_.warn(
            "step {}: solid.{} reaches through the open side {}_{}, beyond which no liquid carries it "
            "(inputs/troubleshooting.md#bodies)",
            report.step, solid, "xyz"[axis], side == 0 ? "low" : "high");
      }
    }
}

/// Warn of what went wrong in a step. \param[in] numbers  this step's events included
void RunOutput::warn_of_step(const StepReport& report, const RunNumbers& numbers) {
  const ProjectionReport& projection = report.projection;
  if (report.overlong && numbers.overlong_steps - begin_.overlong_steps <= n_warnings)
    log_.warn(
        "step {}: too long for the velocity that it found, which moves particles by {:.3g} cells (time.cfl is {:g}) "
        "(inputs/troubleshooting.md#overlong)",
        report.step, report.cfl, parameters_.time.cfl);
  if (report.stuck > 0 && ++n_stuck_ <= n_warnings)
    log_.warn(
        "step {}: {} particles stay in solids, as there is no liquid outside to put them into "
        "(inputs/troubleshooting.md#solids)",
        report.step, report.stuck);
  if (report.held_back > 0 && ++n_covered_ <= n_warnings)
    log_.warn(
        "step {}: {} particles of sources are held back by solids that cover their inlets "
        "(inputs/troubleshooting.md#sources)",
        report.step, report.held_back);
  if (!projection.retried.empty() && numbers.pressure_retries - begin_.pressure_retries <= n_warnings)
    log_.warn("step {}: the pressure solve was done again by {} (inputs/troubleshooting.md#residual)", report.step,
              projection.retried);
  if (report.viscosity.was_coupled_in_vain && numbers.uncoupled_steps - begin_.uncoupled_steps <= n_warnings)
    log_.warn(
        "step {}: viscosity and its pressure were not found together; the step was taken as with "
        "viscosity.coupling = \"split\" (inputs/troubleshooting.md#viscous)",
        report.step);
  if (!report.density.converged && ++n_density_left_out_ <= n_warnings)
    log_.warn(
        "step {}: the density correction was left out, as its solve did not converge to density.tolerance "
        "(inputs/troubleshooting.md#volume)",
        report.step);
  constexpr double much_drift = 0.05;  // no case that keeps its volume comes near
  if (std::abs(report.volume_drift) > much_drift && ++n_drifted_ == 1)
    log_.warn(
        "step {}: the volume of the liquid is {:.2g} % off; the column volume_drift of steps.csv goes on{} "
        "(inputs/troubleshooting.md#volume)",
        report.step, 100.0 * report.volume_drift,
        parameters_.density.correction == DensityMethod::off ? ". density.correction is off" : "");
  if (!projection.outer_converged && numbers.outer_loops_cut - begin_.outer_loops_cut <= n_warnings)
    log_.warn(
        "step {}: pressure.walls.max_outer = {} solves did not reach the method's threshold; max |div u| {:.2e} 1/s is "
        "left (inputs/troubleshooting.md#hanging)",
        report.step, projection.outer_iterations, projection.max_divergence);
}

/// Warn if more particles ended in solids than is usual where velocities between faces are interpolated.
void RunOutput::warn_of_pushed_out(const RunNumbers& numbers) {
  constexpr double usual = 0.05;  // share that turning vessels and paddles on coarse grids stay below
  const GlobalIndex pushed = numbers.pushed_out - begin_.pushed_out;
  if (pushed == 0 || particle_steps_ == 0) return;
  const double share = static_cast<double>(pushed) / static_cast<double>(particle_steps_);
  if (share <= usual) return;
  log_.warn(
      "particles: {:.2g} % of all moves ended in a solid or beyond a wall and were set back to its surface, more than "
      "the usual {:g} %: refine the grid at solids, or lower time.cfl (inputs/troubleshooting.md#solids)",
      100.0 * share, 100.0 * usual);
}

/// Log what became of the particles.
void RunOutput::log_particles(const RunNumbers& numbers) {
  log_.info("particles: {} seeded, {} left through open sides ({:.3g} m^3), {} pushed out of solids and walls",
            numbers.seeded, numbers.left_domain, volume_that_left(parameters_, numbers), numbers.pushed_out);
  warn_of_pushed_out(numbers);
  if (numbers.repositioned > 0)
    log_.info("particles: {} put into the liquid where solids had closed in on them", numbers.repositioned);
  if (n_stuck_ > 0)
    log_.warn("{} steps left particles in solids (column stuck of steps.csv; inputs/troubleshooting.md#solids)",
              n_stuck_);
  if (numbers.emitted + numbers.absorbed > 0)
    log_.info("particles: {} emitted by sources, {} absorbed by sinks", numbers.emitted, numbers.absorbed);
  if (numbers.held_back > 0)
    log_.warn(
        "particles: {} of sources held back by solids that covered their inlets (column held_back of steps.csv; "
        "inputs/troubleshooting.md#sources)",
        numbers.held_back);
  if (numbers.spread > 0) log_.info("particles: {} moves by the distribution correction", numbers.spread);
  if (numbers.reseeded + numbers.removed > 0)
    log_.info("particles: {} reseeded where too few were, {} removed where too many were", numbers.reseeded,
              numbers.removed);
}

/// Log steps and solves that went another way than most.
void RunOutput::log_steps_and_solves(const Simulation& simulation) {
  const RunNumbers& numbers = simulation.numbers();
  if (numbers.retried_steps > 0)
    log_.info("{} steps were begun again with a smaller dt (column retries of steps.csv)", numbers.retried_steps);
  if (numbers.overlong_steps > 0)
    log_.warn(
        "{} steps were too long for the velocity that they found (column cfl of steps.csv; "
        "inputs/troubleshooting.md#overlong)",
        numbers.overlong_steps);
  if (numbers.pressure_retries > 0)
    log_.warn("the pressure solve was done again in {} of {} steps (inputs/troubleshooting.md#residual)",
              numbers.pressure_retries, numbers.step);
  if (numbers.uncoupled_steps > 0)
    log_.warn("{} of {} steps were taken as with viscosity.coupling = \"split\" (inputs/troubleshooting.md#viscous)",
              numbers.uncoupled_steps, numbers.step);
  if (n_density_ > 0)
    log_.info(
        "density correction: {} times, {:.1f} iterations each; the last found the liquid off by {:.2g} (rms of cells)",
        n_density_ - n_density_left_out_, static_cast<double>(density_iterations_) / static_cast<double>(n_density_),
        simulation.report().density.mean_error);
  if (n_density_left_out_ > 0)
    log_.warn("the density correction was left out in {} of {} steps (inputs/troubleshooting.md#volume)",
              n_density_left_out_, n_density_);
  if (numbers.outer_loops_cut > 0)
    log_.warn(
        "pressure.walls.max_outer cut the loop of the walls in {} of {} steps (outer_converged in steps.csv; "
        "inputs/troubleshooting.md#hanging)",
        numbers.outer_loops_cut, numbers.step);
}

void RunOutput::log_end(const Simulation& simulation, const std::string& status, const PhaseTable& table,
                        const MemoryReport& memory, double total) {
  log_.info("");
  for (const std::string& line : table.text_lines()) log_.info("{}", line);
  const int cores = comm_.size() * n_threads();
  const double busy = std::max(table.of_steps(), 1e-9);
  log_.info("{} steps in {:.1f} s; {:.3g} particle-steps/s, {:.3g} cell-steps/s, {:.3g} particle-steps/s per core",
            n_steps_, total, static_cast<double>(particle_steps_) / busy, static_cast<double>(cell_steps_) / busy,
            static_cast<double>(particle_steps_) / busy / cores);
  const RunNumbers& numbers = simulation.numbers();
  log_particles(numbers);
  if (std::get<VortexOptions>(parameters_.forces).boost > 0.0)
    log_.info("vortex boost: {:.4g} J of kinetic energy given to the grid (column boost_energy of steps.csv)",
              numbers.boost_energy);
  if (parameters_.turbulence.model != TurbulenceModel::none || has_wall_law(parameters_))
    log_.info("turbulence: {:.4g} J of kinetic energy taken from the grid (column turbulent_loss of steps.csv)",
              numbers.turbulent_loss);
  log_steps_and_solves(simulation);
  log_.info("memory: {}", memory.text());
  log_.info("{}: t = {:g} s of {:g} s; output in {}", status, simulation.time(), parameters_.run.end_time, directory_);
}

}  // namespace freshet
