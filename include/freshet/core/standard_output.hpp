// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// Write what waits in the buffer of standard output. What cannot be written is dropped, so that nobody tries again.
/// \return whether all that was printed since the last call has been written
bool flush_standard_output();

/// The same, as a command does it at its end. Errors: FileError if something could not be written
void need_standard_output();

}  // namespace freshet
