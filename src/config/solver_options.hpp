// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value.hpp"

#include <map>
#include <string>

namespace freshet::config {

/// Read options for PETSc from a table of a case file: name to value, where "" makes a switch.
///
/// Some options of PETSc name files or modules of code in any directory, which a case file must not reach. A case file
/// may therefore only give options of the solver (ksp_) and of its preconditioner (pc_), and none that writes files,
/// loads code or belongs to another package. Legal values are numbers, booleans and, where the name says that the
/// option takes a type, plain words. Monitors that write to the standard output are legal as switches.
///
/// \param[in] name  dotted name of the table, for messages
/// Errors: InputError for a name or value that no option has, and for an option that belongs on the command line
std::map<std::string, std::string> read_solver_options(const Value& table, const std::string& name);

}  // namespace freshet::config
