// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/core/types.hpp"
#include "freshet/keys/key.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The types of keys: functions that make the slot of a variable.
namespace freshet::keys {

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
/// Options of PETSc; see read_solver_options().
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

/// A slot that counts while `applies` is true. Otherwise it has no value, and its key is refused.
/// \param[in] refuse  throws the InputError of a key that does not count
Slot only_if(std::function<bool()> applies, std::function<void(const Given&)> refuse, Slot slot);
/// Restrict a key to some kinds of entries: in one of another kind it has no value, and it is refused.
/// \param[in] kinds  their names in any order; messages call a kind as the key is called that chooses it
/// \param[in] kind   name of the entry's present kind
void restrict_to(Kinds kinds, std::function<std::string()> kind, Key& key);

/// Name a side of the domain: "x_low", "x_high", ... \param[in] side  0: low, 1: high
std::string side_name(std::size_t axis, std::size_t side);
/// One key for each side of the domain: x_low, x_high, ... \param[in] slot_of  gets axis and side
Keys side_keys(const std::string& text, const std::function<Slot(std::size_t, std::size_t)>& slot_of,
               const std::string& unit = "");

/// An array of tables. \param[in] resize  makes a number of blank entries
Slot tables(std::function<void(std::size_t)> resize, std::function<std::size_t()> size,
            std::function<Entry(std::size_t)> entry);

/// An array of tables, whose entries are those of entry_of(Element&).
template <class Element>
Slot tables(std::vector<Element>& elements) {
  Slot slot =
      tables([&elements](std::size_t n) { elements.assign(n, Element{}); }, [&elements] { return elements.size(); },
             [&elements](std::size_t i) { return entry_of(elements[i]); });
  slot.keys_of_entry = [] {
    static Element blank;
    return entry_of(blank).keys;
  };
  return slot;
}

/// Read options for PETSc from a table of a case file: name to value; "" for a switch.
///
/// Some options of PETSc name files or modules of code in any directory, which a case file must not access. So a case
/// file may give only options of the solver (ksp_) and its preconditioner (pc_), and none that writes files, loads code
/// or belongs to another package. Legal values are numbers, booleans and, for options whose name says that they take a
/// type, plain words. Monitors that write to the standard output are legal as switches.
///
/// \param[in] name  dotted name of the table in messages
/// Errors: InputError for an illegal name or value, and for an option that belongs on the command line
std::map<std::string, std::string> read_solver_options(const Value& table, const std::string& name);

}  // namespace freshet::keys
