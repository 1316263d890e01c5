// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "format.hpp"
#include "keyed_value.hpp"
#include "read_table.hpp"
#include "solver_options.hpp"

#include <algorithm>
#include <utility>

namespace freshet::config {
namespace {

using Type = Value::Type;

template <class T>
bool holds(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Reads one value into whichever target its key has.
struct ValueReader : KeyedValue {
  void operator()(const RealTarget& t) const { *t.value = real(value, quoted_name(), t.range); }

  void operator()(const OptionalRealTarget& t) const { *t.value = real(value, quoted_name(), t.range); }

  void operator()(const IntegerTarget& t) const {
    const std::int64_t x = integer(value, quoted_name(), t.range);
    std::visit([x](auto* target) { *target = static_cast<std::remove_pointer_t<decltype(target)>>(x); }, t.value);
  }

  void operator()(const FlagTarget& t) const {
    expect(Type::boolean);
    *t.value = value.boolean;
  }

  void operator()(const TextTarget& t) const {
    expect(Type::string);
    if (has_control_character(value.text)) {
      fail(value.where, quoted_name() + " = " + written(value) + " is not a line of plain text",
           "it stands in logs and files that line ends and other control characters would break",
           "Leave out control characters");
    }
    *t.value = value.text;
  }

  void operator()(const ChoiceTarget& t) const { t.set(chosen(value, t.names)); }

  double left_out(ThirdEntry third) const {
    const double layer = domain.origin.z();
    switch (third) {
      case ThirdEntry::must_vanish:
      case ThirdEntry::zero:
        return 0.0;
      case ThirdEntry::middle:
        return layer + 0.5 * domain.cell_size;
      case ThirdEntry::below:
        return layer - domain.cell_size;
      case ThirdEntry::above:
        return layer + 2.0 * domain.cell_size;
    }
    return 0.0;
  }

  void operator()(const VectorTarget& t) const {
    const std::size_t n = entries();
    Vec3 result;
    result.z() = left_out(t.third);
    for (std::size_t i = 0; i < n; ++i) result[static_cast<int>(i)] = real(value.items[i], entry(i));
    if (domain.dimension == 2 && t.third == ThirdEntry::must_vanish && result.z() != 0.0) {
      fail(value.where, quoted_name() + " has a z entry of " + number(result.z()), "domain.dimension is 2",
           "Make it 0, or leave it out");
    }
    *t.value = result;
  }

  void operator()(const CellsTarget& t) const {
    const std::size_t n = entries();
    Vec3i result = Vec3i::Ones();
    for (std::size_t i = 0; i < n; ++i) {
      result[static_cast<int>(i)] = static_cast<int>(integer(value.items[i], entry(i), t.range));
    }
    if (domain.dimension == 2 && result.z() != 1) {
      fail(value.where, quoted_name() + " has " + std::to_string(result.z()) + " cells along z",
           "domain.dimension is 2", "Make it 1, or leave it out");
    }
    *t.value = result;
  }

  void operator()(const RowsTarget& t) const {
    expect(Type::array);
    t.value->clear();
    for (const Value& row : value.items) {
      if (row.type != Type::array) refuse_type(row, quoted_name());
      if (!holds(t.widths, row.items.size()))
        fail(row.where, "a row of '" + name + "' has " + std::to_string(row.items.size()) + " entries",
             "it takes " + choice_text(t.widths), "Give them all");
      t.value->push_back(numbers(row, "an entry of '" + name + "'", {}));
    }
  }

  void operator()(const NamesTarget& t) const {
    expect(Type::array);
    t.value->clear();
    for (const Value& item : value.items) {
      const bool other = !t.others.empty() && item.type == Type::string && !has_control_character(item.text);
      const std::string& chosen_name = other ? item.text : t.names[chosen(item, t.names)];
      if (holds(*t.value, chosen_name)) {
        fail(item.where, quoted_name() + " names \"" + chosen_name + "\" twice", "each counts once",
             "Remove one of them");
      }
      t.value->push_back(chosen_name);
    }
  }

  void operator()(const NumbersTarget& t) const {
    if (value.type == Type::table) refuse_type(value, quoted_name());
    std::vector<double> result = numbers(value, quoted_name(), t.range);
    const bool is_left_out = result.empty() && key.presence == Presence::optional;
    if (!is_left_out && !holds(t.sizes, result.size())) {
      fail(value.where, quoted_name() + " has " + std::to_string(result.size()) + " numbers",
           "it takes " + expected_text(key.target), advice());
    }
    *t.value = std::move(result);
  }

  void operator()(const IntervalsTarget& t) const {
    expect(Type::array);
    t.value->clear();
    for (const Value& item : value.items) {
      const std::vector<double> ends =
          item.type == Type::array ? numbers(item, quoted_name(), {0.0}) : std::vector<double>{};
      const bool follows = t.value->empty() || (ends.size() == 2 && ends[0] >= t.value->back()[1]);
      if (ends.size() != 2 || ends[0] >= ends[1] || !follows) {
        fail(item.where, quoted_name() + " is no list of intervals", "it takes " + expected_text(key.target),
             "Write [[from, to], ...] in order of time");
      }
      t.value->push_back({ends[0], ends[1]});
    }
  }

  void operator()(const OptionsTarget& t) const {
    expect(Type::table);
    *t.value = read_solver_options(value, name);
  }

  template <class Element>
  void operator()(const TablesTarget<Element>& t) const {
    const bool may_be_empty = key.presence == Presence::optional && name.find('.') != std::string::npos;
    if (value.type != Type::array || (value.items.empty() && !may_be_empty)) refuse_tables(value);
    refuse_depth();
    t.value->assign(value.items.size(), Element{});
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (value.items[i].type != Type::table) refuse_tables(value.items[i]);
      read_element(value.items[i], name + "." + std::to_string(i) + ".", (*t.value)[i]);
    }
  }

  /// Every level of parts adds two dots to the name. Whoever walks shapes does so by recursion.
  void refuse_depth() const {
    constexpr int deepest = 16;
    if (std::count(name.begin(), name.end(), '.') <= 2 * deepest) return;
    fail(value.where, "shapes made of shapes made of shapes ...", "at most " + std::to_string(deepest) + " levels",
         "Put the parts of the inner unions into the outer ones");
  }

  [[noreturn]] void refuse_tables(const Value& at) const {
    const bool is_nested = name.find('.') != std::string::npos;
    const std::string form = is_nested ? "[{ shape = ... }, ...]" : "[[" + name + "]]";
    const std::string what = at.type == Type::array ? "has no entry" : std::string("is ") + type_name(at.type);
    fail(at.where, quoted_name() + " " + what, "it is an array of tables", "Write " + form);
  }

  /// Where a file is named, for messages about it; for those about a source, where its shape is.
  template <class Element>
  static void set_where(const Value& table, Element& element) {
    if constexpr (std::is_same_v<Element, ShapeParameters>) {
      if (!element.file.empty()) element.where = location(table, "file");
    } else if constexpr (requires { element.shape; }) {
      set_where(table, element.shape);
      if (std::is_same_v<Element, SourceParameters> && element.shape.where.empty())
        element.shape.where = location(table, "shape");
    }
    if constexpr (requires { element.motion; }) element.motion.where = location(table, "motion_file");
  }

  /// One entry of an array of tables. The kind of its shape comes first: it says which other keys there are.
  template <class Element>
  void read_element(const Value& table, const std::string& base, Element& element) const {
    std::vector<Key> keys = keys_of(element);
    const ShapeParameters* const its_shape = shape_of(element);
    const Value* const shape = table.find(keys.front().name);
    if (its_shape != nullptr && shape != nullptr) {
      read_value(*shape, base + keys.front().name, keys.front(), domain);
      std::erase_if(keys, [&](const Key& k) { return !applies_to(k, its_shape); });
    }
    read_table(table, base, keys, domain);
    if (its_shape != nullptr) check_shape(*its_shape, table, base, domain.dimension);
    set_where(table, element);
    if constexpr (std::is_same_v<Element, SolidParameters>) check_motion(element.motion, table, base, domain.dimension);
  }
};

}  // namespace

void read_value(const Value& value, const std::string& name, const Key& key, const DomainOptions& domain) {
  std::visit(ValueReader{{value, name, key, domain}}, key.target);
}

}  // namespace freshet::config
