// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "freshet/config/parameters.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The keys of a case file, each declared once: reading, checking, writing and documenting are loops over keys_of().
namespace freshet::config {

/// Legal numbers: lower <= x <= upper, or lower < x <= upper where lower itself is left out.
template <class T>
struct Range {
  enum class Lower { included, left_out };

  T lower = std::numeric_limits<T>::lowest();
  T upper = std::numeric_limits<T>::max();
  Lower end = Lower::included;

  bool contains(T x) const { return (end == Lower::included ? x >= lower : x > lower) && x <= upper; }
};

/// What the third entry of a vector means in 2-D, where it may be left out.
enum class ThirdEntry {
  must_vanish,  ///< directions and velocities: 0
  zero,         ///< any; 0 if left out
  middle,       ///< any; the middle of the single layer of cells if left out
  below,        ///< any; one cell below the layer if left out
  above         ///< any; one cell above the layer if left out
};

// What a key sets, by type.
struct RealTarget {
  double* value;
  Range<double> range;
};
/// A number that may be left out, and then is nowhere.
struct OptionalRealTarget {
  std::optional<double>* value;
  Range<double> range;
};
struct IntegerTarget {
  std::variant<int*, std::int64_t*> value;
  Range<std::int64_t> range;
};
struct FlagTarget {
  bool* value;
};
struct TextTarget {
  std::string* value;
};
struct ChoiceTarget {
  std::vector<std::string> names;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
};
struct VectorTarget {
  Vec3* value;
  ThirdEntry third;
};
struct CellsTarget {
  Vec3i* value;
  Range<std::int64_t> range;
};
struct RowsTarget {
  std::vector<std::vector<double>>* value;
  std::vector<std::size_t> widths;  ///< legal numbers of entries in a row
};
struct NamesTarget {
  std::vector<std::string>* value;
  std::vector<std::string> names;  ///< the legal ones
  std::string others = {};         ///< what else is legal, checked later; empty: nothing
};
struct NumbersTarget {  ///< a number, or an array of them
  std::vector<double>* value;
  Range<double> range;
  std::vector<std::size_t> sizes;  ///< legal ones
};
struct IntervalsTarget {  ///< ascending pairs that do not overlap
  std::vector<std::array<double, 2>>* value;
};
struct OptionsTarget {
  std::map<std::string, std::string>* value;
};
template <class Element>
struct TablesTarget {
  std::vector<Element>* value;
};

using Target =
    std::variant<RealTarget, OptionalRealTarget, IntegerTarget, FlagTarget, TextTarget, ChoiceTarget, VectorTarget,
                 CellsTarget, RowsTarget, NamesTarget, NumbersTarget, IntervalsTarget, OptionsTarget,
                 TablesTarget<LiquidParameters>, TablesTarget<SolidParameters>, TablesTarget<SourceParameters>,
                 TablesTarget<SinkParameters>, TablesTarget<AttributeParameters>,
                 TablesTarget<AttributeRegionParameters>, TablesTarget<ShapeParameters>>;

enum class Presence { optional, required };

/// May a key's value differ between a run and its restart from a checkpoint? Those that say what is simulated may not.
enum class Change { never, at_restart };

struct Key {
  std::string name;  ///< dotted, below the table that keys_of() describes
  Target target;
  std::string unit;  ///< "" for a pure number or no number
  std::string text;  ///< one sentence
  Change change = Change::never;
  Presence presence = Presence::optional;
  std::vector<ShapeKind> shapes = {};  ///< the kinds of shape that have this key; empty: no matter
};

/// The keys of a case file, or of one entry of [[liquid]], [[solid]] or `parts`; targets point into the argument.
///
/// Order matters: a key is read after those before it, and the domain says how vectors are read. `shape` stands first.
std::vector<Key> keys_of(Parameters& parameters);
std::vector<Key> keys_of(LiquidParameters& liquid);
std::vector<Key> keys_of(SolidParameters& solid);
std::vector<Key> keys_of(SourceParameters& source);
std::vector<Key> keys_of(SinkParameters& sink);
std::vector<Key> keys_of(AttributeParameters& attribute);
std::vector<Key> keys_of(AttributeRegionParameters& region);
std::vector<Key> keys_of(ShapeParameters& shape);

/// The shape of an entry of an array of tables; null if it has none.
template <class Element>
const ShapeParameters* shape_of(const Element& element) {
  if constexpr (requires { element.shape; }) {
    return &element.shape;
  } else {
    return nullptr;
  }
}
inline const ShapeParameters* shape_of(const ShapeParameters& shape) {
  return &shape;
}

/// Whether a shape of this kind has the key.
bool applies_to(const Key& key, ShapeKind kind);
/// Whether an entry with this shape has the key.
inline bool applies_to(const Key& key, const ShapeParameters* shape) {
  return shape == nullptr || applies_to(key, shape->kind);
}

const std::vector<std::string>& shape_names();  ///< by ShapeKind

}  // namespace freshet::config
