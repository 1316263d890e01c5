// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// Replace this program by the one that is compiled for the best level of x86-64 that this processor has.
///
/// A package has three programs: freshet for any x86-64, freshet-x86-64-v3 (AVX2, FMA) and freshet-x86-64-v4 (AVX-512),
/// all in one directory or the last two in libexec/freshet. The process keeps its number, so that launchers of MPI do
/// not notice; each node chooses its own level. The environment variable FRESHET_LEVEL sets another level than the
/// best: x86-64, x86-64-v3 or x86-64-v4. Results of the levels differ in last digits: from v3 on a product and a sum
/// are rounded together, and sums over lanes follow the width of registers. To get the same bits on unlike nodes, set
/// FRESHET_LEVEL to a level that all of them have.
///
/// Call it first in main(). It returns if this program is the right one already.
/// Errors: ends the process with code 2 and a message if FRESHET_LEVEL is no level, is one that the processor lacks, or
/// is one whose program is not installed
void launch_best_level(char** argv);

}  // namespace freshet
