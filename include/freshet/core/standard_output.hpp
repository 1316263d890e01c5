// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// Write what the buffer of standard output holds, and drop what cannot be written, so that no later call tries again.
/// \return whether all that was printed since the last call has been written
bool flush_standard_output();

/// Write the buffer at the end of a command. Errors: FileError if something printed could not be written
void need_standard_output();

}  // namespace freshet
