// SPDX-License-Identifier: Apache-2.0
#include "freshet/driver/step_numbers.hpp"

#include <fmt/format.h>

namespace freshet {
namespace {

using Report = const StepReport&;

/// A function that returns a member of the report: integers as 64-bit numbers, flags as 0 and 1.
#define FRESHET_INTEGER(member) +[](Report r) { return static_cast<std::int64_t>(r.member); }
#define FRESHET_REAL(member) +[](Report r) { return static_cast<double>(r.member); }

// clang-format off
const StepNumber table[] = {
    {"step", "", FRESHET_INTEGER(step), {"step", 6, "d"}},
    {"t", "s", FRESHET_REAL(time), {"t[s]", 10, ".5f"}},
    {"dt", "s", FRESHET_REAL(dt), {"dt[s]", 10, ".3e"}},
    {"cfl", "", FRESHET_REAL(cfl), {"cfl", 5, ".2f"}},
    {"particles", "", FRESHET_INTEGER(particles), {"particles", 10, "d"}},
    {"liquid_cells", "", FRESHET_INTEGER(liquid_cells), {"liquid", 10, "d"}},
    {"iterations", "", FRESHET_INTEGER(projection.solve.iterations), {"iter", 5, "d"}},
    {"residual", "", FRESHET_REAL(projection.solve.relative_residual), {"residual", 9, ".2e"}},
    {"max_div", "1/s", FRESHET_REAL(projection.enforced_divergence), {"max|div|", 9, ".2e"}},
    {"volume_drift", "", FRESHET_REAL(volume_drift), {"drift%", 8, ".3f", 100.0}},
    {"kinetic_energy", "J", FRESHET_REAL(sums.kinetic_energy)},
    {"potential_energy", "J", FRESHET_REAL(sums.potential_energy)},
    {"center_x", "m", FRESHET_REAL(sums.center_of_mass[0])},
    {"center_y", "m", FRESHET_REAL(sums.center_of_mass[1])},
    {"center_z", "m", FRESHET_REAL(sums.center_of_mass[2])},
    {"left_domain", "", FRESHET_INTEGER(left_domain), {}, &RunNumbers::left_domain},
    {"pushed_out", "", FRESHET_INTEGER(pushed_out), {}, &RunNumbers::pushed_out},
    {"repositioned", "", FRESHET_INTEGER(repositioned), {}, &RunNumbers::repositioned},
    {"stuck", "", FRESHET_INTEGER(stuck)},
    {"emitted", "", FRESHET_INTEGER(emitted), {}, &RunNumbers::emitted},
    {"held_back", "", FRESHET_INTEGER(held_back), {}, &RunNumbers::held_back},
    {"absorbed", "", FRESHET_INTEGER(absorbed), {}, &RunNumbers::absorbed},
    {"reseeded", "", FRESHET_INTEGER(reseeded), {}, &RunNumbers::reseeded},
    {"removed", "", FRESHET_INTEGER(removed), {}, &RunNumbers::removed},
    {"band_seeded", "", FRESHET_INTEGER(band_seeded), {}, &RunNumbers::band_seeded},
    {"band_removed", "", FRESHET_INTEGER(band_removed), {}, &RunNumbers::band_removed},
    {"moved_rank", "", FRESHET_INTEGER(moved_rank)},
    {"blocks", "", FRESHET_INTEGER(blocks)},
    {"allocated_blocks", "", FRESHET_INTEGER(allocated_blocks)},
    {"sealed_bodies", "", FRESHET_INTEGER(projection.solve.sealed_bodies)},
    {"incompatibility", "m/s", FRESHET_REAL(projection.solve.incompatibility)},
    {"outer_iterations", "", FRESHET_INTEGER(projection.outer_iterations)},
    {"wall_faces", "", FRESHET_INTEGER(projection.wall_faces)},
    {"separated_faces", "", FRESHET_INTEGER(projection.separated_faces)},
    {"set_changes", "", FRESHET_INTEGER(projection.set_changes)},
    {"complementarity", "m/s", FRESHET_REAL(projection.complementarity)},
    {"projected_div", "1/s", FRESHET_REAL(projection.max_divergence)},
    {"outer_converged", "", FRESHET_INTEGER(projection.outer_converged)},
    {"retries", "", FRESHET_INTEGER(retries)},
    {"boost_energy", "J", FRESHET_REAL(boost_energy), {}, &RunNumbers::boost_energy},
    {"spread", "", FRESHET_INTEGER(spread), {}, &RunNumbers::spread},
    {"volume", "m^3", FRESHET_REAL(volume)},
    {"density_error", "", FRESHET_REAL(density.mean_error)},
    {"largest_density_error", "", FRESHET_REAL(density.largest_error)},
    {"overfull_cells", "", FRESHET_INTEGER(density.overfull_cells)},
    {"density_iterations", "", FRESHET_INTEGER(density.iterations)},
    {"viscous_iterations", "", FRESHET_INTEGER(viscosity.iterations)},
    {"viscous_residual", "", FRESHET_REAL(viscosity.relative_residual)},
    {"uncoupled", "", FRESHET_INTEGER(viscosity.was_coupled_in_vain)},
    {"turbulent_loss", "J", FRESHET_REAL(turbulent_loss), {}, &RunNumbers::turbulent_loss},
    {"velocity_time", "s", FRESHET_REAL(velocity_time)},
    {"contacts", "", FRESHET_INTEGER(contacts)},
    {"bubbles", "", FRESHET_INTEGER(bubbles)},
    {"bubble_volume", "m^3", FRESHET_REAL(bubble_volume)},
    {"bubble_pressure", "Pa", FRESHET_REAL(bubble_pressure)},
    {"imbalance", "", FRESHET_REAL(imbalance), {"imbal", 6, ".3f"}},
    {"memory", "B", FRESHET_INTEGER(memory), {"mem[MB]", 8, ".1f", 1e-6}},
    {"seconds", "s", FRESHET_REAL(seconds), {"s/step", 8, ".4f"}},
};
// clang-format on

const StepEvent events[] = {
    {"retried_steps", [](Report r) { return r.retries > 0; }, &RunNumbers::retried_steps},
    {"overlong_steps", [](Report r) { return r.overlong; }, &RunNumbers::overlong_steps},
    {"pressure_retries", [](Report r) { return !r.projection.retried.empty(); }, &RunNumbers::pressure_retries},
    {"uncoupled_steps", [](Report r) { return r.viscosity.was_coupled_in_vain; }, &RunNumbers::uncoupled_steps},
    {"outer_loops_cut", [](Report r) { return !r.projection.outer_converged; }, &RunNumbers::outer_loops_cut},
};

#undef FRESHET_INTEGER
#undef FRESHET_REAL

std::string log_cell(const StepNumber& number, const StepReport& report) {
  const std::string form = fmt::format("{{:{}{}}}", number.log.width, number.log.format);
  return std::visit(
      [&](auto get) {
        const auto value = get(report);
        if (number.log.factor == 1.0) return fmt::format(fmt::runtime(form), value);
        return fmt::format(fmt::runtime(form), static_cast<double>(value) * number.log.factor);
      },
      number.value);
}

}  // namespace

std::span<const StepNumber> step_numbers() {
  return table;
}

std::span<const StepEvent> step_events() {
  return events;
}

std::string text_of(const StepNumber& number, const StepReport& report) {
  return std::visit([&](auto get) { return fmt::format("{}", get(report)); }, number.value);
}

std::string log_heading() {
  std::string line;
  for (const StepNumber& number : table)
    if (number.log.width > 0)
      line += fmt::format("{}{:>{}}", line.empty() ? "" : " ", number.log.heading, number.log.width);
  return line;
}

std::string log_line(const StepReport& report) {
  std::string line;
  for (const StepNumber& number : table)
    if (number.log.width > 0) line += (line.empty() ? "" : " ") + log_cell(number, report);
  return line;
}

void add_to_totals(const StepReport& report, RunNumbers& numbers) {
  for (const StepNumber& number : table) {
    if (!number.total) continue;
    std::visit([&](auto get) { visit_number(numbers, *number.total, [&](auto& sum) { sum += get(report); }); },
               number.value);
  }
  for (const StepEvent& event : events)
    if (event.happened(report)) ++(numbers.*event.count);
}

}  // namespace freshet
