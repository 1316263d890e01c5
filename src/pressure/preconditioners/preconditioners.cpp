// SPDX-License-Identifier: Apache-2.0
#include "freshet/pressure/preconditioners.hpp"

#include "pressure/multigrid/multigrid.hpp"
#include "pressure/preconditioners/mic0.hpp"

#include <petscpc.h>

#include <algorithm>

namespace freshet {

using namespace pressure;

namespace {

constexpr PetscSetting icc_settings[] = {{"sub_pc_type", PCICC}};
/// Settings for BoomerAMG with few coarse levels that are cheap to build.
constexpr PetscSetting hypre_settings[] = {{"pc_hypre_type", "boomeramg"},
                                           {"pc_hypre_boomeramg_coarsen_type", "HMIS"},
                                           {"pc_hypre_boomeramg_interp_type", "ext+i"},
                                           {"pc_hypre_boomeramg_P_max", "4"},
                                           {"pc_hypre_boomeramg_agg_nl", "1"},
                                           {"pc_hypre_boomeramg_strong_threshold", "0.5"}};

std::unique_ptr<PreconditionerShell> make_multigrid(const PressureOptions& options) {
  return std::make_unique<Multigrid>(options.w_cycle_levels);
}
template <Mic0::Reach reach>
std::unique_ptr<PreconditionerShell> make_mic0(const PressureOptions& options) {
  return std::make_unique<Mic0>(options.mic0_tau, options.mic0_sigma, reach);
}

}  // namespace

std::span<const PreconditionerRow> preconditioners() {
  using enum RankAgreement;
  using enum PreconditionerNeeds;
  static constexpr PreconditionerRow rows[] = {
      {"multigrid", same_bits, coefficients, PCSHELL, {}, make_multigrid},
      {"mic0", within_tolerance, coefficients, PCSHELL, {}, make_mic0<Mic0::Reach::rank>},
      {"block_mic0", same_bits, coefficients, PCSHELL, {}, make_mic0<Mic0::Reach::block>},
      {"icc", within_tolerance, matrix, PCBJACOBI, icc_settings, nullptr},
      {"hypre", within_tolerance, matrix, PCHYPRE, hypre_settings, nullptr},
      {"gamg", within_tolerance, matrix, PCGAMG, {}, nullptr},
      {"jacobi", same_bits, diagonal, PCJACOBI, {}, nullptr},
      {"none", same_bits, nothing, PCNONE, {}, nullptr},
  };
  return rows;
}

Preconditioner preconditioner_named(std::string_view name) {
  const std::span<const PreconditionerRow> rows = preconditioners();
  const auto found = std::find_if(rows.begin(), rows.end(), [name](const auto& row) { return row.name == name; });
  FRESHET_EXPECT(found != rows.end());
  return static_cast<Preconditioner>(found - rows.begin());
}

}  // namespace freshet
