// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/pressure_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace freshet {

/// How far pressures agree that different numbers of ranks find, with their particles in the same order.
enum class RankAgreement { same_bits, within_tolerance };

/// A preconditioner and what else the program says of it.
struct PreconditionerEntry {
  Preconditioner kind;
  const char* name;  ///< in case files and messages
  RankAgreement agreement;
};

/// All of them, in the order of the enumerators.
inline constexpr std::array<PreconditionerEntry, 7> preconditioners = {{
    {Preconditioner::multigrid, "multigrid", RankAgreement::same_bits},
    {Preconditioner::mic0, "mic0", RankAgreement::within_tolerance},
    {Preconditioner::icc, "icc", RankAgreement::within_tolerance},
    {Preconditioner::hypre, "hypre", RankAgreement::within_tolerance},
    {Preconditioner::gamg, "gamg", RankAgreement::within_tolerance},
    {Preconditioner::jacobi, "jacobi", RankAgreement::same_bits},
    {Preconditioner::none, "none", RankAgreement::same_bits},
}};

constexpr const PreconditionerEntry& entry_of(Preconditioner preconditioner) {
  return preconditioners[static_cast<std::size_t>(preconditioner)];
}
constexpr const char* name_of(Preconditioner preconditioner) {
  return entry_of(preconditioner).name;
}

static_assert(std::all_of(preconditioners.begin(), preconditioners.end(),
                          [](const PreconditionerEntry& entry) { return entry_of(entry.kind).kind == entry.kind; }));

}  // namespace freshet
