// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"
#include "value.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The keys of a case file. Each key is declared once, in keys.cpp, keys_gauges.cpp or keys_scene.cpp; reading,
/// checking, writing, comparing and documenting are loops over keys_of().
namespace freshet::config {

/// Legal numbers: lower <= x <= upper, or lower < x <= upper if the lower end is excluded.
template <class T>
struct Range {
  T lower = std::numeric_limits<T>::lowest();
  T upper = std::numeric_limits<T>::max();
  bool lower_is_legal = true;

  bool contains(T x) const { return (lower_is_legal ? x >= lower : x > lower) && x <= upper; }
};
template <class T>
Range<T> at_least(T lower) {
  return {lower};
}
inline Range<double> above(double lower, double upper = Range<double>{}.upper) {
  return {lower, upper, false};
}

/// The third entry of a vector in 2-D, where it may be left out.
enum class ThirdEntry {
  must_vanish,  ///< for directions and velocities: 0 is the only legal value
  zero,         ///< 0 if the entry is left out
  middle,       ///< middle of the single layer of cells if the entry is left out
  below,        ///< one cell below the layer if the entry is left out
  above         ///< one cell above the layer if the entry is left out
};

enum class Presence { optional, required };

/// Whether a key's value may differ between a run and its restart. Keys of what is simulated may not.
enum class Change { never, at_restart };

constexpr auto required = Presence::required;
constexpr auto at_restart = Change::at_restart;

struct Key;
struct Given;

/// An entry of an array of tables: its keys, and its shape and motion for checks.
struct Entry {
  std::vector<Key> keys;
  ShapeParameters* shape = nullptr;    ///< null if the entry has none
  MotionParameters* motion = nullptr;  ///< null if the entry has none
};

/// The variable that a key sets, as functions that hide its type.
struct Slot {
  std::string type;   ///< "a float", "3 floats", ...
  std::string range;  ///< legal values: "> 0", "1 .. 8", "a | b"; empty: any
  /// Sets the variable from a case file. Errors: InputError for a wrong type or an illegal value
  std::function<void(const Given&)> read;
  std::function<std::string()> text;  ///< value of the variable in TOML; "none" if it has none
  // The next three are set for arrays of tables only.
  std::function<std::size_t()> size = {};
  std::function<Entry(std::size_t)> entry = {};
  std::function<std::vector<Key>()> keys_of_entry = {};                ///< keys of a blank entry, for the schema
  const std::map<std::string, std::string>* solver_options = nullptr;  ///< options of a table with free keys
  std::vector<std::string> gauge_types = {};                           ///< types with this key; empty: all
};

struct Key {
  std::string name;  ///< dotted name below the table of keys_of()
  Slot slot;
  std::string unit;  ///< unit; empty for a pure number and for values other than numbers
  std::string text;  ///< description in complete sentences
  Presence presence = Presence::optional;
  std::vector<ShapeKind> shapes = {};  ///< kinds of shape with this key; empty: all kinds
  Change change = Change::never;

  bool applies_to(const ShapeParameters* shape) const;
  std::string expected() const { return slot.type + (slot.range.empty() ? "" : ", " + slot.range); }
};

/// The keys of a case file or of an entry of an array of tables; the slots point into the argument.
///
/// The order matters: a key is read after those before it, and domain.dimension decides how vectors are read.
/// `shape` comes first.
std::vector<Key> keys_of(Parameters& parameters);
std::vector<Key> keys_of(LiquidParameters& liquid);
std::vector<Key> keys_of(SolidParameters& solid);
std::vector<Key> keys_of(SourceParameters& source);
std::vector<Key> keys_of(SinkParameters& sink);
std::vector<Key> keys_of(AbsorberParameters& zone);
std::vector<Key> keys_of(AttributeParameters& attribute);
std::vector<Key> keys_of(AttributeRegionParameters& region);
std::vector<Key> keys_of(GaugeParameters& gauge);
std::vector<Key> keys_of(ShapeParameters& shape);
/// \param[in] base  prefix of the names, empty or with a dot at its end
std::vector<Key> motion_keys(MotionParameters& motion, const std::string& base);

inline void append(std::vector<Key>& keys, std::vector<Key> more) {
  for (Key& key : more) keys.push_back(std::move(key));
}

std::vector<std::string> shape_names();  ///< names in the order of ShapeKind

/// A key with its value in the case file.
struct Given {
  const Value& value;
  std::string name;  ///< full dotted name of the key
  const Key& key;
  const DomainOptions& domain;  ///< decides how vectors are read in 2-D
};

/// Set the variables of `keys` from a table of the file.
///
/// \param[in] base    dotted name of the table in messages, with a dot at its end; "" for the whole file
/// \param[in] domain  decides how vectors are read in 2-D; the same call may fill it
/// Errors: InputError for unknown keys (the first in the file), missing keys, wrong types and values out of range
void read_table(const Value& table, const std::string& base, const std::vector<Key>& keys, const DomainOptions& domain);
/// Read an entry of an array of tables as by read_table(), and check its shape and motion.
void read_entry(const Value& table, const std::string& base, Entry entry, const DomainOptions& domain);

/// Write "name = value" for the keys that the entry has and that have a value.
std::vector<std::string> assignments(const Entry& entry);

// Types of slots.
Slot number(double& value, const Range<double>& range = {});
Slot number(std::optional<double>& value, const Range<double>& range);
Slot number(int& value, Range<std::int64_t> range);
Slot number(std::int64_t& value, const Range<std::int64_t>& range);
Slot flag(bool& value);
Slot line(std::string& value);  ///< text without control characters
/// \param[in] most  largest magnitude of an entry; by default the squares of entries stay finite
Slot vector(Vec3& value, ThirdEntry third, double most = 1e100);
Slot cells(Vec3i& value, const Range<std::int64_t>& range);
/// \param[in] widths  legal numbers of entries in a row; all rows have the same number
Slot rows(std::vector<std::vector<double>>& value, const std::vector<std::size_t>& widths);
/// \param[in] others  description of names that are legal besides `legal` and checked later; empty: none
Slot names(std::vector<std::string>& value, const std::vector<std::string>& legal, const std::string& others = "");
/// A number or an array of numbers. \param[in] sizes  legal numbers of entries
Slot numbers(std::vector<double>& value, const Range<double>& range, const std::vector<std::size_t>& sizes);
/// Ascending pairs that do not overlap.
Slot intervals(std::vector<std::array<double, 2>>& value);
Slot solver_options(std::map<std::string, std::string>& value);
Slot choice(const std::vector<std::string>& names, std::function<std::size_t()> get,
            std::function<void(std::size_t)> set);

/// One of several names, in the order of the enumerators from 0.
template <class Enum>
Slot choice(Enum& value, const std::vector<std::string>& names) {
  return choice(
      names, [&value] { return static_cast<std::size_t>(value); },
      [&value](std::size_t i) { value = static_cast<Enum>(i); });
}

template <class Element>
Entry entry_of(Element& element) {
  Entry entry{keys_of(element)};
  if constexpr (requires { element.shape; }) entry.shape = &element.shape;
  if constexpr (std::is_same_v<Element, ShapeParameters>) entry.shape = &element;
  if constexpr (requires { element.motion; }) entry.motion = &element.motion;
  return entry;
}

/// An array of tables. \param[in] resize  makes a number of blank entries
Slot tables(std::function<void(std::size_t)> resize, std::function<std::size_t()> size,
            std::function<Entry(std::size_t)> entry);

template <class Element>
Slot tables(std::vector<Element>& elements) {
  Slot slot =
      tables([&elements](std::size_t n) { elements.assign(n, Element{}); }, [&elements] { return elements.size(); },
             [&elements](std::size_t i) { return entry_of(elements[i]); });
  slot.keys_of_entry = [] {
    static Element blank;
    return keys_of(blank);
  };
  return slot;
}

}  // namespace freshet::config
