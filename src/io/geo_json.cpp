// SPDX-License-Identifier: Apache-2.0
#include "geo_json.hpp"

#include "freshet/core/floating_point.hpp"
#include "geo_values.hpp"
#include "particle_flaws.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <istream>
#include <iterator>
#include <optional>

namespace freshet {
namespace {

using Json = nlohmann::json;

constexpr std::size_t deepest = 256;  ///< Houdini nests about ten lists
constexpr std::size_t most_geo_points = std::size_t{1} << 48;
constexpr std::size_t most_components = 64;  ///< of an attribute

/// Bytes of a stream for the parser, counted in lines. A line ends when a byte after its end is taken: the parser takes
/// one byte more than a number has, and the number still counts for its own line.
class Source {
 public:
  explicit Source(std::istream& text) : bytes_(text.rdbuf()) {}
  bool at_end() const { return bytes_->sgetc() == std::char_traits<char>::eof(); }
  char get() const { return std::char_traits<char>::to_char_type(bytes_->sgetc()); }
  void next() {
    if (after_line_) ++line_;
    after_line_ = bytes_->sbumpc() == '\n';
  }
  std::size_t line() const { return line_; }

 private:
  std::streambuf* bytes_;
  std::size_t line_ = 1;
  bool after_line_ = false;
};

/// The same as an iterator; without a source it is the end.
struct SourceIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Source* source = nullptr;
  char operator*() const { return source->get(); }
  SourceIterator& operator++() {
    source->next();
    return *this;
  }
  bool operator==(const SourceIterator& other) const {
    return (!source || source->at_end()) == (!other.source || other.source->at_end());
  }
  bool operator!=(const SourceIterator& other) const { return !(*this == other); }
};

/// What a list or an object of the file is.
enum class Role {
  skipped,
  file,
  attributes,
  point_attributes,
  attribute,
  definition,
  data,
  values,
  tuples,
  tuple,
  arrays,
  array,
  packing,
  flags,
  flags_of_pack,
  pages
};

/// Keys and values by turns, if it is a list.
bool has_keys(Role role) {
  return role == Role::file || role == Role::attributes || role == Role::definition || role == Role::data ||
         role == Role::values;
}

/// Takes what the parser finds, piece by piece; keeps numbers of P and v alone.
class GeoHandler : public nlohmann::json_sax<Json> {
 public:
  GeoHandler(const Source& source, const std::string& file_name) : source_(source), file_name_(file_name) {}

  bool null() override { return other("null"); }
  bool boolean(bool flag) override;
  bool number_integer(Json::number_integer_t n) override { return number(static_cast<double>(n)); }
  bool number_unsigned(Json::number_unsigned_t n) override { return number(static_cast<double>(n)); }
  bool number_float(Json::number_float_t x, const Json::string_t&) override { return number(x); }
  bool string(Json::string_t& text) override;
  bool binary(Json::binary_t&) override { return other("binary data"); }
  bool start_object(std::size_t) override { return begin(true); }
  bool start_array(std::size_t) override { return begin(false); }
  bool key(Json::string_t& name) override;
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override;

  /// \pre  the whole file has been parsed
  GeoPoints points() const;

 private:
  struct Level {
    Role role;
    bool is_object;
    std::size_t n_items = 0;
    std::string key;  ///< of the next value
  };

  bool begin(bool is_object);
  bool end();
  bool number(double x);
  bool other(const char* what);
  Role role_of_next() const;
  void finish_attribute();
  /// The level that a value belongs to; no key is in its place.
  Level& level_of_value(const char* what);
  std::size_t count(double x, std::size_t most) const;
  [[noreturn]] void refuse(const std::string& problem, const std::string& why) const {
    refuse_particles(file_name_, source_.line(), problem, why);
  }

  const Source& source_;
  const std::string& file_name_;
  std::vector<Level> levels_;
  std::optional<std::size_t> n_points_;
  std::string name_;  ///< of the attribute that is being read
  std::string type_;
  GeoValues values_;
  std::optional<GeoValues> position_;
  std::optional<GeoValues> velocity_;
};

Role GeoHandler::role_of_next() const {
  if (levels_.empty()) return Role::file;
  const Level& level = levels_.back();
  const bool is_wanted = (name_ == "P" || name_ == "v") && (type_.empty() || type_ == "numeric");
  switch (level.role) {
    case Role::file:
      return level.key == "attributes" ? Role::attributes : Role::skipped;
    case Role::attributes:
      return level.key == "pointattributes" ? Role::point_attributes : Role::skipped;
    case Role::point_attributes:
      return Role::attribute;
    case Role::attribute:
      if (level.n_items == 0) return Role::definition;
      return level.n_items == 1 && is_wanted ? Role::data : Role::skipped;
    case Role::data:
      return level.key == "values" ? Role::values : Role::skipped;
    case Role::values:
      if (level.key == "tuples") return Role::tuples;
      if (level.key == "arrays") return Role::arrays;
      if (level.key == "packing") return Role::packing;
      if (level.key == "constantpageflags") return Role::flags;
      return level.key == "rawpagedata" ? Role::pages : Role::skipped;
    case Role::tuples:
      return Role::tuple;
    case Role::arrays:
      return Role::array;
    case Role::flags:
      return Role::flags_of_pack;
    case Role::tuple:
    case Role::array:
    case Role::packing:
    case Role::flags_of_pack:
    case Role::pages:
      refuse("a list among numbers", "the values of " + name_ + " are not nested so deeply");
    case Role::definition:
    case Role::skipped:
      break;
  }
  return Role::skipped;
}

GeoHandler::Level& GeoHandler::level_of_value(const char* what) {
  if (levels_.empty()) refuse(fmt::format("{} alone", what), "a .geo file is a list");
  Level& level = levels_.back();
  if (!level.is_object && has_keys(level.role) && level.n_items % 2 == 0)
    refuse(fmt::format("{} for a key", what), "the list holds keys and values by turns");
  return level;
}

bool GeoHandler::begin(bool is_object) {
  if (levels_.size() >= deepest) refuse("lists more than 256 deep", "Houdini nests about ten");
  const Role role = role_of_next();
  if (!levels_.empty()) ++level_of_value(is_object ? "an object" : "a list").n_items;
  const bool is_layout = role == Role::tuples || role == Role::arrays || role == Role::pages;
  if (is_layout) {
    if (values_.layout != GeoValues::Layout::none) refuse("values of " + name_ + " twice", "one layout is enough");
    values_.layout = role == Role::tuples   ? GeoValues::Layout::tuples
                     : role == Role::arrays ? GeoValues::Layout::arrays
                                            : GeoValues::Layout::pages;
  }
  if (role == Role::attribute) name_ = type_ = "";
  if (role == Role::data) values_ = GeoValues();
  if (role == Role::array) values_.lists.push_back(0);
  if (role == Role::flags_of_pack) values_.constant.emplace_back();
  levels_.push_back({role, is_object, 0, ""});
  return true;
}

bool GeoHandler::end() {
  const Level level = std::move(levels_.back());
  levels_.pop_back();
  if (level.role == Role::tuple && level.n_items != values_.size)
    refuse(fmt::format("a tuple of {} numbers", level.n_items), fmt::format("{} has {}", name_, values_.size));
  if (level.role == Role::data) finish_attribute();
  return true;
}

void GeoHandler::finish_attribute() {
  std::optional<GeoValues>& target = name_ == "P" ? position_ : velocity_;
  if (name_ == "v" && values_.size != 3) return;
  if (values_.size < 3) refuse(fmt::format("P of {} numbers", values_.size), "a place takes three");
  if (target) refuse("an attribute " + name_ + " twice", "a point has one");
  target = std::move(values_);
}

bool GeoHandler::key(Json::string_t& name) {
  levels_.back().key = name;
  return true;
}

bool GeoHandler::string(Json::string_t& text) {
  if (levels_.empty()) return other("a text");
  Level& level = levels_.back();
  const bool is_key = !level.is_object && has_keys(level.role) && level.n_items % 2 == 0;
  if (!is_key && level.role != Role::definition) return other("a text");
  ++level.n_items;
  if (is_key) {
    level.key = text;
  } else if (level.key == "name") {
    name_ = text;
  } else if (level.key == "type") {
    type_ = text;
  }
  return true;
}

bool GeoHandler::boolean(bool flag) {
  if (levels_.empty() || levels_.back().role != Role::flags_of_pack) return other(flag ? "true" : "false");
  values_.constant.back().push_back(flag);
  return true;
}

/// What is neither number nor flag, or not in its place.
bool GeoHandler::other(const char* what) {
  Level& level = level_of_value(what);
  if (!has_keys(level.role) && level.role != Role::skipped)
    refuse(fmt::format("{} out of place", what), "numbers or lists of them are wanted");
  ++level.n_items;
  return true;
}

std::size_t GeoHandler::count(double x, std::size_t most) const {
  if (!(x >= 0.0 && x <= static_cast<double>(most)) || x != std::floor(x))
    refuse(fmt::format("{} is no count", x), fmt::format("a whole number up to {} is wanted", most));
  return static_cast<std::size_t>(x);
}

bool GeoHandler::number(double x) {
  Level& level = level_of_value("a number");
  switch (level.role) {
    case Role::file:
      if (level.key == "pointcount") n_points_ = count(x, most_geo_points);
      break;
    case Role::values:
      if (level.key == "size") values_.size = count(x, most_components);
      if (level.key == "pagesize") values_.page_size = count(x, most_geo_points);
      break;
    case Role::packing:
      values_.packs.push_back(count(x, most_components));
      break;
    case Role::tuple:
    case Role::array:
    case Role::pages:
      if (!(std::abs(x) <= (name_ == "v" ? fastest_particle : farthest_particle)))
        refuse(fmt::format("{} in {}", x, name_), "it is beyond what particles hold");
      values_.numbers.push_back(x);
      if (level.role == Role::array) ++values_.lists.back();
      break;
    case Role::attributes:
    case Role::definition:
    case Role::data:
    case Role::skipped:
      break;
    default:
      return other("a number");
  }
  ++level.n_items;
  return true;
}

bool GeoHandler::parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
  std::string what = error.what();  // "[json.exception. ...] parse error at line 1, column 2: syntax error ..."
  for (const char* before : {"] ", "column ", ": ", " - "}) {
    const std::size_t at = what.find(before);
    if (at != std::string::npos) what = what.substr(at + std::string_view(before).size());
  }
  refuse("no JSON: " + plain_word(what), "it is cut off, or was changed by hand");
}

GeoPoints GeoHandler::points() const {
  if (!n_points_) refuse("no pointcount", "it says how many points there are");
  if (!position_) refuse("no attribute P among pointattributes", "it says where the points are");
  GeoPoints points;
  const auto unpack = [&](const GeoValues& values, const char* name, std::vector<Vec3>& target) {
    if (const auto flaw = values.unpack(*n_points_, target))
      refuse(fmt::format("{}: {}", name, *flaw), "they must fit");
  };
  if (position_->has_points_at_one_place(*n_points_))
    refuse("P: a constant page of several points", "particles of a liquid do not lie at one place");
  unpack(*position_, "P", points.position);
  if (velocity_) unpack(*velocity_, "v", points.velocity);
  return points;
}

}  // namespace

GeoPoints read_geo_json(std::istream& text, const std::string& file_name) {
  Source source(text);
  GeoHandler handler(source, file_name);
  const WithoutTraps numbers_may_overflow;
  Json::sax_parse(SourceIterator{&source}, SourceIterator{}, &handler);
  return handler.points();
}

}  // namespace freshet
