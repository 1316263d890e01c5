// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "freshet/keys/key.hpp"

namespace freshet::config {

/// All keys of a case file, from the lists that stand beside the options of each module.
///
/// The order matters: a key is read after those before it, and domain.dimension decides how vectors are read.
keys::Keys keys_of(Parameters& parameters);

}  // namespace freshet::config
