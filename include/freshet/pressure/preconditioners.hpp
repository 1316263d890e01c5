// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/pressure/pressure_options.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace freshet {

namespace pressure {
class PreconditionerShell;
}

/// How well pressures from different numbers of ranks agree, if the particles are in the same order.
enum class RankAgreement { same_bits, within_tolerance };

/// What a preconditioner is made from.
enum class PreconditionerNeeds { coefficients, matrix, diagonal, nothing };

/// An option of PETSc without the leading dash and the prefix.
struct PetscSetting {
  const char* key;
  const char* value;
};

/// A preconditioner that a case can choose.
struct PreconditionerRow {
  std::string_view name;  ///< in case files and messages
  RankAgreement agreement;
  PreconditionerNeeds needs;
  const char* petsc_type;                  ///< of PETSc's PC; "shell" for those of freshet
  std::span<const PetscSetting> settings;  ///< defaults of PETSc's options; those of the user win
  std::unique_ptr<pressure::PreconditionerShell> (*make)(const PressureOptions& options);  ///< null: PETSc has it
};

/// All preconditioners. A new one is one row in src/pressure/preconditioners/preconditioners.cpp and, if it computes,
/// one file with a PreconditionerShell.
std::span<const PreconditionerRow> preconditioners();

inline const PreconditionerRow& row_of(Preconditioner preconditioner) {
  return preconditioners()[static_cast<std::size_t>(preconditioner)];
}

/// How well the pressures of these options agree between numbers of ranks. PETSc's options may choose anything, so that
/// with any of them nothing better than the tolerance is promised.
inline RankAgreement rank_agreement(const PressureOptions& options) {
  return options.petsc.empty() ? row_of(options.preconditioner).agreement : RankAgreement::within_tolerance;
}

/// \pre some row has this name
Preconditioner preconditioner_named(std::string_view name);

}  // namespace freshet
