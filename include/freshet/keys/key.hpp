// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/declare.hpp"
#include "freshet/keys/value.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Keys of a case file. Each key is declared once, beside the options that it sets; reading, checking, writing,
/// comparing and documenting are loops over lists of keys.
namespace freshet::keys {

enum class Presence { optional, required };

/// Whether a key's value may differ between a run and its restart. Keys of what is simulated may not.
enum class Change { never, at_restart };

constexpr auto required = Presence::required;
constexpr auto at_restart = Change::at_restart;

struct Given;

/// The variable that a key sets, as functions that hide its type. Functions in slots.hpp make slots.
struct Slot {
  std::string type;   ///< "a float", "3 floats", ...
  std::string range;  ///< legal values: "> 0", "1 .. 8", "a | b"; empty: any
  /// Sets the variable from a case file. Errors: InputError for a wrong type or an illegal value
  std::function<void(const Given&)> read;
  std::function<std::string()> text;  ///< value of the variable as in a case file; "none" if it has none
  // The next three are set for arrays of tables only.
  std::function<std::size_t()> size = {};
  std::function<Entry(std::size_t)> entry = {};
  std::function<Keys()> keys_of_entry = {};                            ///< keys of a blank entry, for the schema
  const std::map<std::string, std::string>* solver_options = nullptr;  ///< options of a table with free keys
};

/// The kinds of an entry that have a key.
struct Kinds {
  std::string key;                 ///< key that chooses the kind, such as "shape"
  std::vector<std::string> names;  ///< names of kinds; empty: all kinds
};

struct Key {
  std::string name;  ///< dotted name below the table of the list
  Slot slot;
  std::string unit;  ///< unit; empty for a pure number and for values other than numbers
  std::string text;  ///< description in complete sentences
  Presence presence = Presence::optional;
  Kinds kinds = {};
  Change change = Change::never;

  std::string expected() const { return slot.type + (slot.range.empty() ? "" : ", " + slot.range); }
};

/// An entry of an array of tables.
struct Entry {
  Keys keys;  ///< the first one sets the kind, if entries have kinds
  /// Name of the present kind, without which other kinds' keys are unknown; null: every key is known.
  std::function<std::string()> kind = {};
  /// Checks of the entry after it has been read, in this order; they get the entry's table and the number of
  /// dimensions. Errors: InputError
  std::vector<std::function<void(const Table&, int)>> checks = {};

  /// Whether an entry of the present kind has the key.
  bool has(const Key& key) const;
};

/// The numbers of the domain by which vectors are read in 2-D. They may be set by the table that is read: a key is read
/// after those before it.
struct Layer {
  const int& dimension;
  const Vec3& origin;       ///< low corner of the single layer of cells [m]
  const double& cell_size;  ///< [m]
};

/// A key with its value in the case file.
struct Given {
  const Value& value;
  std::string name;  ///< full dotted name of the key
  const Key& key;
  const Layer& layer;
};

/// A table of a case file, for checks and messages about its keys.
struct Table {
  const Value& value;
  std::string name;  ///< dotted name in messages, with a dot at its end; empty for the whole file

  /// Whether the case file has a key of this table, which may be dotted.
  bool gives(const std::string& key) const;
  /// Check a key. Errors: InputError "<place of the key>: '<name><key>' <problem> (<why>). <remedy>" unless `holds`
  void require(bool holds, const std::string& key, const std::string& problem, const std::string& why,
               const std::string& remedy) const {
    if (!holds) refuse(key, "'" + name + key + "' " + problem, why, remedy);
  }
  /// Refuse a key. Errors: InputError "<place of the key>: <problem> (<why>). <remedy>"
  [[noreturn]] void refuse(const std::string& key, const std::string& problem, const std::string& why,
                           const std::string& remedy) const {
    fail(location(value, key), problem, why, remedy);
  }
  /// Entry i of an array of tables. \pre the entry exists
  Table entry(const std::string& array, std::size_t i) const {
    return {value.find(array)->items[i], name + array + "." + std::to_string(i) + "."};
  }
};

/// Append keys to a list.
inline void append(Keys& keys, Keys more) {
  for (Key& key : more) keys.push_back(std::move(key));
}
/// Keys of a table, as keys of the table around it: "cfl" of "time" becomes "time.cfl". An empty name changes nothing.
Keys in_table(const std::string& table, Keys keys);
/// Keys whose values may differ between a run and its restart.
Keys changeable(Keys keys);

/// Set the variables of `keys` from a table of the file.
///
/// \param[in] base   dotted name of the table in messages, with a dot at its end; "" for the whole file
/// \param[in] layer  the same call may fill its numbers
/// Errors: InputError for unknown keys (the first in the file), missing keys, wrong types and values out of range
void read_table(const Value& table, const std::string& base, const Keys& keys, const Layer& layer);
/// Read an entry of an array of tables as by read_table(), and check it.
void read_entry(const Value& table, const std::string& base, Entry entry, const Layer& layer);

/// Write "name = value" for the keys that the entry has and that have a value.
std::vector<std::string> assignments(const Entry& entry);

}  // namespace freshet::keys
