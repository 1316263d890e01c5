// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace freshet {

/// Whether a path leads to a pipe or a socket. Opening one waits until another program opens the other end.
bool is_pipe(const std::string& path);

}  // namespace freshet
