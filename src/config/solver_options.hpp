// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "value.hpp"

#include <map>
#include <string>

namespace freshet::config {

/// Options for PETSc from a table of a case file: name to value, where "" makes a switch.
///
/// Some of PETSc's options name files, or modules of code, in any directory; a case file must not reach there. So it
/// may only give options of the solver (ksp_) and of its preconditioner (pc_), none that writes, loads or talks to
/// another package, and only values that are numbers, booleans or, where the name says that it takes a type, a plain
/// word. Monitors that write to the standard output are legal as switches. \param[in] name  dotted name of the table,
/// for messages Errors: InputError for names and values that are no option's, and for those that belong on the command
/// line
std::map<std::string, std::string> read_solver_options(const Value& table, const std::string& name);

}  // namespace freshet::config
