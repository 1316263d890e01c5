// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/parallel/communicator.hpp"

namespace freshet::test {

/// Every rank of the test program; lives from the first test to the last.
const Communicator& world();

}  // namespace freshet::test
