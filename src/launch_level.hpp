// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace freshet {

/// Go on as the program that is compiled for the best level of x86-64 that this processor has.
///
/// A package has three programs: freshet for any x86-64, freshet-x86-64-v3 (AVX2, FMA) and freshet-x86-64-v4 (AVX-512).
/// They stand in one directory, or the last two in libexec/freshet. The process stays the same one, so that launchers
/// of MPI do not notice; what a node lacks, another node may have. The environment variable FRESHET_LEVEL takes a level
/// instead of the best one: x86-64, x86-64-v3 or x86-64-v4. Results of the levels differ in last digits: from v3 on a
/// product and a sum are rounded together, and sums over lanes follow the width of the registers. Where the same bits
/// are wanted on nodes of different levels, set FRESHET_LEVEL to one that all of them have.
///
/// Call it first in main(). It returns if this program is the right one.
/// Errors: ends the process with code 2 and a message if FRESHET_LEVEL names no level, one that the processor lacks, or
/// one whose program is not there
void launch_best_level(char** argv);

}  // namespace freshet
