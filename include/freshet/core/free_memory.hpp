// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace freshet {

/// Memory that the processes of this machine may still take: what the system calls available, or less if a control
/// group (version 1 or 2) at any level leaves less. It is infinite where the system tells neither. [bytes]
/// \param[in] root  directory that replaces / in tests
double free_memory_of_machine(const std::string& root = "");

/// Memory that this process may still take under its own limits (ulimit -v, ulimit -d), or infinity. [bytes]
double free_memory_of_process();

}  // namespace freshet
