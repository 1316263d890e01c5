// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace freshet {

/// Memory that the processes of this machine may still take: what the system calls available, or less if a control
/// group (version 1 or 2) bounds it, at any of its levels. Infinite where the system tells neither. [bytes]
/// \param[in] root  directory that stands for /, for tests
double free_memory_of_machine(const std::string& root = "");

/// Memory that this process may still take under its own limits (ulimit -v, ulimit -d); infinite without any. [bytes]
double free_memory_of_process();

}  // namespace freshet
