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

/// The keys of a case file. Each key is declared once, in keys.cpp or keys_scene.cpp; reading, checking, writing,
/// comparing and documenting are loops over keys_of().
namespace freshet::config {

/// Legal numbers: lower <= x <= upper, or lower < x <= upper where the lower end is left out.
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

/// The value of the third entry of a vector in 2-D, where the entry may be left out.
enum class ThirdEntry {
  must_vanish,  ///< for directions and velocities: only 0 is legal
  zero,         ///< 0 if it is left out
  middle,       ///< the middle of the single layer of cells if it is left out
  below,        ///< one cell below the layer if it is left out
  above         ///< one cell above the layer if it is left out
};

enum class Presence { optional, required };

/// May a key's value differ between a run and its restart? Keys that say what is simulated may not change.
enum class Change { never, at_restart };

constexpr auto required = Presence::required;
constexpr auto at_restart = Change::at_restart;

struct Key;
struct Given;

/// One entry of an array of tables: its keys, and what its shape and its motion are checked by.
struct Entry {
  std::vector<Key> keys;
  ShapeParameters* shape = nullptr;    ///< null if the entry has none
  MotionParameters* motion = nullptr;  ///< null if the entry has none
};

/// The variable that a key sets, by what can be done with its type.
struct Slot {
  std::string type;   ///< "a float", "3 floats", ...
  std::string range;  ///< "> 0", "1 .. 8", "a | b"; empty where anything is legal
  /// Sets the variable from a case file. Errors: InputError for a wrong type or an illegal value
  std::function<void(const Given&)> read;
  std::function<std::string()> text;  ///< the variable's value in TOML; "none" if it has none
  // The next three belong to arrays of tables and are empty for other keys.
  std::function<std::size_t()> size = {};
  std::function<Entry(std::size_t)> entry = {};
  std::function<std::vector<Key>()> keys_of_entry = {};                ///< of a blank entry, for the schema
  const std::map<std::string, std::string>* solver_options = nullptr;  ///< of a table whose keys are free
  std::vector<std::string> gauge_types = {};                           ///< that have this key; empty: all types
};

struct Key {
  std::string name;  ///< dotted, below the table that keys_of() describes
  Slot slot;
  std::string unit;  ///< empty for a pure number and for values other than numbers
  std::string text;  ///< what the key means, in full sentences
  Presence presence = Presence::optional;
  std::vector<ShapeKind> shapes = {};  ///< the kinds of shape that have this key; empty: all kinds
  Change change = Change::never;

  bool applies_to(const ShapeParameters* shape) const;
  std::string expected() const { return slot.type + (slot.range.empty() ? "" : ", " + slot.range); }
};

/// The keys of a case file, or of one entry of an array of tables; the slots point into the argument.
///
/// The order matters: a key is read after those before it, and domain.dimension says how vectors are read. `shape`
/// comes first.
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
/// \param[in] base  of the names, with a dot at its end if it is not empty
std::vector<Key> motion_keys(MotionParameters& motion, const std::string& base);

inline void append(std::vector<Key>& keys, std::vector<Key> more) {
  for (Key& key : more) keys.push_back(std::move(key));
}

std::vector<std::string> shape_names();  ///< by ShapeKind

/// A key's value as the case file gives it.
struct Given {
  const Value& value;
  std::string name;  ///< of the key, dotted in full
  const Key& key;
  const DomainOptions& domain;  ///< says how vectors are read in 2-D
};

/// Set the variables of `keys` from a table of the file.
///
/// \param[in] base    dotted name of the table with a dot at its end, "" for the whole file; for messages
/// \param[in] domain  says how vectors are read in 2-D; may be filled by the same call
/// Errors: InputError for unknown keys (the first in the file), missing keys, wrong types and values out of range
void read_table(const Value& table, const std::string& base, const std::vector<Key>& keys, const DomainOptions& domain);
/// As read_table(), for an entry of an array of tables; checks the shape and the motion of the entry.
void read_entry(const Value& table, const std::string& base, Entry entry, const DomainOptions& domain);

/// "name = value" of the keys that the entry has and that have a value.
std::vector<std::string> assignments(const Entry& entry);

// The types of slots.
Slot number(double& value, const Range<double>& range = {});
Slot number(std::optional<double>& value, const Range<double>& range);
Slot number(int& value, Range<std::int64_t> range);
Slot number(std::int64_t& value, const Range<std::int64_t>& range);
Slot flag(bool& value);
Slot line(std::string& value);  ///< text without control characters
/// \param[in] most  largest magnitude of an entry; by default the squares of entries stay finite
Slot vector(Vec3& value, ThirdEntry third, double most = 1e100);
Slot cells(Vec3i& value, const Range<std::int64_t>& range);
/// \param[in] widths  legal numbers of entries in a row; all rows have the same
Slot rows(std::vector<std::vector<double>>& value, const std::vector<std::size_t>& widths);
/// \param[in] others  what is legal besides `legal` and checked later; empty: nothing
Slot names(std::vector<std::string>& value, const std::vector<std::string>& legal, const std::string& others = "");
/// A number or an array of them. \param[in] sizes  legal numbers of entries
Slot numbers(std::vector<double>& value, const Range<double>& range, const std::vector<std::size_t>& sizes);
/// Ascending pairs that do not overlap.
Slot intervals(std::vector<std::array<double, 2>>& value);
Slot solver_options(std::map<std::string, std::string>& value);
Slot choice(const std::vector<std::string>& names, std::function<std::size_t()> get,
            std::function<void(std::size_t)> set);

/// One of the names; the enumerators stand in the same order, from 0.
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

/// An array of tables. \param[in] resize  makes so many blank entries
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
