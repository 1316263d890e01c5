// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

#include <string>

namespace freshet {

/// Check that all ranks were given the same text. \param[in] what  name of the text, for the message
/// Errors: InputError that shows the first line that differs, on all ranks. Parallel: collective
void need_same(const Communicator& comm, const std::string& what, const std::string& text);

}  // namespace freshet
