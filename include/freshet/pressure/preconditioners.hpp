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

/// How closely pressures agree between numbers of ranks, if the particles are in the same order.
enum class RankAgreement { same_bits, within_tolerance };

/// The input from which a preconditioner is built.
enum class PreconditionerNeeds { coefficients, matrix, diagonal, nothing };

/// An option of PETSc without the leading dash and the prefix.
struct PetscSetting {
  const char* key;
  const char* value;
};

/// A preconditioner that a case can choose.
struct PreconditionerRow {
  std::string_view name;  ///< name in case files and messages
  RankAgreement agreement;
  PreconditionerNeeds needs;
  const char* petsc_type;                  ///< type of PETSc's PC; "shell" for freshet's own
  std::span<const PetscSetting> settings;  ///< defaults of PETSc's options, which the user's replace
  std::unique_ptr<pressure::PreconditionerShell> (*make)(const PressureOptions& options);  ///< null: a PC of PETSc
};

/// All preconditioners. A new one is one row in src/pressure/preconditioners/preconditioners.cpp and, if it computes,
/// one file with a PreconditionerShell.
std::span<const PreconditionerRow> preconditioners();

inline const PreconditionerRow& row_of(Preconditioner preconditioner) {
  return preconditioners()[static_cast<std::size_t>(preconditioner)];
}

/// How closely pressures with these options agree between numbers of ranks. With any option of PETSc's, which may
/// choose another solver, only within the tolerance.
inline RankAgreement rank_agreement(const PressureOptions& options) {
  return options.petsc.empty() ? row_of(options.preconditioner).agreement : RankAgreement::within_tolerance;
}

/// \pre some row has this name
Preconditioner preconditioner_named(std::string_view name);

}  // namespace freshet
