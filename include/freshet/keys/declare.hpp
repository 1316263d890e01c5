// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

/// The types that a header of options names when it declares the keys of its structs; they are defined in key.hpp.
///
/// Beside a struct of options stands `keys::Keys keys_of(Options&)`, beside one of which a case has a list
/// `keys::Entry entry_of(Parameters&)`. What they return points into the argument.
namespace freshet::keys {

struct Key;
struct Entry;
struct Table;
using Keys = std::vector<Key>;

}  // namespace freshet::keys
