// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

// The parser is compiled here and not taken from a library, so that its behaviour on bad input does not vary, and so
// that sanitizers and fuzzers see it.
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
// The assertions of toml++ abort on malformed keys, which its parser reports as errors a few lines later.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

/// This is the only file that includes toml++, which is slow to compile.
namespace freshet::config {
namespace {

using keys::fail;
using keys::shortened;
using keys::split_key;
using keys::type_name;

constexpr int most_dots = 256;  // largest number in one key

bool is_beyond_ascii(const std::string& text, std::size_t i) {
  return i < text.size() && static_cast<unsigned char>(text[i]) >= 0x80;
}

/// A place where toml++ would crash; such a text is refused before it is parsed:
/// - a key of so many parts that toml++, which walks them by recursion, runs out of stack;
/// - a character beyond ASCII outside of strings and comments, or at the start of a line that a backslash joins to the
///   line before. toml++ 3.3 does not expect one there (issue 190 of marzer/tomlplusplus).
struct TextFlaw {
  std::size_t position;  ///< index in the text of a byte on the faulty line
  std::string problem;
  std::string why;
};

/// Scans strings and comments as TOML's lexer does; both agree up to the first error.
class Walk {
 public:
  explicit Walk(const std::string& text) : text_(text), i_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  void run() {
    while (i_ < text_.size() && !flaw_) step();
  }

  const std::optional<TextFlaw>& flaw() const { return flaw_; }
  std::size_t comment_bytes() const { return comment_bytes_; }

 private:
  void step() {
    const char c = text_[i_];
    if (c == '"' || c == '\'') return skip_string();
    if (c == '#') return skip_comment();
    refuse_beyond_ascii();
    if (c == ',' || c == '=' || c == '\n') dots_ = 0;
    if (c == '=') return skip_bare_value();
    if (c == '.' && ++dots_ > most_dots)
      note("a key has too many parts", "it has more than " + std::to_string(most_dots) + " dots");
    ++i_;
  }

  /// Skip the '=' and a value without quotes; quotes inside it begin no string. Other values are left to step().
  void skip_bare_value() {
    i_ = std::min(text_.find_first_not_of(" \t", i_ + 1), text_.size());
    if (i_ == text_.size() || std::string_view("\"'[{").find(text_[i_]) != std::string_view::npos) return;
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}#", i_), text_.size());
    for (; i_ < end && !flaw_; ++i_) refuse_beyond_ascii();
  }

  void refuse_beyond_ascii() {
    if (is_beyond_ascii(text_, i_))
      note("not valid TOML", "a character beyond ASCII stands outside of strings and comments");
  }

  void skip_comment() {
    const std::size_t end = std::min(text_.find('\n', i_), text_.size());
    comment_bytes_ += end - i_;
    i_ = end;
  }

  /// Skip a string and its closing quotes. A string of one line without closing quotes ends with the line.
  void skip_string() {
    const char quote = text_[i_];
    const std::string three(3, quote);
    const bool many_lines = text_.compare(i_, 3, three) == 0;
    for (i_ += many_lines ? 3 : 1; i_ < text_.size() && !flaw_; ++i_) {
      if (quote == '"' && text_[i_] == '\\') {
        skip_escape();
      } else if (!many_lines && (text_[i_] == quote || text_[i_] == '\n')) {
        ++i_;
        return;
      } else if (many_lines && text_.compare(i_, 3, three) == 0) {
        i_ += 3;
        for (int more = 0; more < 2 && i_ < text_.size() && text_[i_] == quote; ++more)
          ++i_;  // these quotes belong to the text
        return;
      }
    }
  }

  /// Skip to the last character of an escape. White space after a backslash joins two lines.
  void skip_escape() {
    const std::size_t next = std::min(text_.find_first_not_of(" \t\r\n\v\f", i_ + 1), text_.size());
    if (is_beyond_ascii(text_, next))
      note("a character beyond ASCII after a backslash", "the parser of TOML cannot join lines there");
    ++i_;
  }

  void note(const char* problem, const std::string& why) {
    if (!flaw_) flaw_ = TextFlaw{i_, problem, why};
  }

  const std::string& text_;
  std::size_t i_;
  int dots_ = 0;
  std::size_t comment_bytes_ = 0;
  std::optional<TextFlaw> flaw_;
};

/// The place of a value: its line in a file, or a fixed text for all of an override.
struct Origin {
  std::string file_name;
  std::string fixed;

  std::string operator()(const toml::source_region& region) const {
    return fixed.empty() ? file_name + ":" + std::to_string(region.begin.line) : fixed;
  }
};

Value convert(const toml::node& node, const Origin& origin);

void convert_table(const toml::table& table, const Origin& origin, Value& value) {
  value.type = Value::Type::table;
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
  // toml++ sorts by name; messages about the first of several mistakes should follow the file.
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    const auto& p = a.first->source().begin;
    const auto& q = b.first->source().begin;
    return std::pair(p.line, p.column) < std::pair(q.line, q.column);
  });
  for (const auto& [key, node] : entries) {
    value.keys.emplace_back(key->str());
    value.items.push_back(convert(*node, origin));
    value.items.back().where = origin(key->source());
  }
}

Value convert(const toml::node& node, const Origin& origin) {
  Value value;
  value.where = origin(node.source());
  if (const auto* table = node.as_table()) {
    convert_table(*table, origin, value);
  } else if (const auto* array = node.as_array()) {
    value.type = Value::Type::array;
    for (const toml::node& item : *array) value.items.push_back(convert(item, origin));
  } else if (const auto* text = node.as_string()) {
    value.type = Value::Type::string;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.type = Value::Type::integer;
    value.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.type = Value::Type::real;
    value.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.type = Value::Type::boolean;
    value.boolean = boolean->get();
  } else {
    value.type = Value::Type::date;
  }
  return value;
}

/// Refuse a text that would crash the parser or is too long. Comments do not count towards the length.
void refuse_flaws(const std::string& text, const std::string& file_name) {
  const auto refuse = [&](std::size_t position, const std::string& problem, const std::string& why,
                          const char* remedy) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n');
    fail(file_name + ":" + std::to_string(line), problem, why, remedy);
  };
  Walk walk(text);
  walk.run();
  const std::size_t length = text.size() - walk.comment_bytes();
  if (length > longest_text)
    refuse(0, "a text of " + std::to_string(length) + " bytes besides its comments",
           "a case has at most " + std::to_string(longest_text), "Give a shorter case");
  const std::size_t zero = text.find('\0');
  if (zero != std::string::npos)
    refuse(zero, "not a text file", "it holds a NUL byte", "Give a case file in TOML, UTF-8 encoded");
  if (walk.flaw()) refuse(walk.flaw()->position, walk.flaw()->problem, walk.flaw()->why, "Correct this line");
}

/// Parse a TOML value, or else take bare words as a string.
Value value_of(const std::string& text, const std::string& where) {
  if (const auto value = parse_value(text, where)) return *value;
  const bool is_word = !text.empty() && std::string("[{\"'").find(text.front()) == std::string::npos;
  if (is_word) {
    // Through TOML once more: it refuses bytes that are not UTF-8.
    if (const auto value = parse_value(quote(text), where)) return *value;
  }
  fail(where, text.empty() ? "no value after the '='" : "the value is not TOML",
       "numbers, true, [1, 2], \"text\" or a bare word", "Quote it for the shell if it has spaces or brackets");
}

Value& member_of(Value& parent, const std::string& name, const std::string& where) {
  if (const Value* found = parent.find(name)) return const_cast<Value&>(*found);
  if (parent.type == Value::Type::array)
    fail(where, "no entry '" + name + "'",
         "number of entries: " + std::to_string(parent.items.size()) + ", counted from 0",
         "Name one of them, or add one in the file");
  if (parent.type != Value::Type::table)
    fail(where, "there is no key '" + name + "' inside " + type_name(parent.type),
         "the key before it has a plain value", "Shorten the key");
  parent.keys.push_back(name);
  parent.items.push_back({});
  parent.items.back().where = where;
  return parent.items.back();
}

}  // namespace

Value parse_document(const std::string& text, const std::string& file_name) {
  refuse_flaws(text, file_name);
  try {
    Value root = convert(toml::parse(text), Origin{file_name, {}});
    root.where = file_name + ":1";
    return root;
  } catch (const toml::parse_error& error) {
    fail(Origin{file_name, {}}(error.source()), "not valid TOML", std::string(error.description()),
         "Correct this line");
  }
}

std::optional<Value> parse_value(const std::string& text, const std::string& where) {
  const std::string assignment = "value = " + text;
  Walk walk(assignment);
  walk.run();
  if (text.size() > longest_text || walk.flaw()) return std::nullopt;
  try {
    const toml::table table = toml::parse(assignment);
    if (table.size() != 1 || !table.contains("value")) return std::nullopt;
    return convert(*table.get("value"), Origin{{}, where});
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

void apply_override(Value& root, const std::string& assignment) {
  const std::string where = "override '" + shortened(assignment) + "'";
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail(where, "not an assignment", "an override is key=value", "Write for example time.cfl=0.5");
  }
  const std::string key = assignment.substr(0, equals);
  const std::vector<std::string> parts = split_key(key);
  constexpr std::size_t deepest = 64;
  if (parts.size() > deepest)
    fail(where, "a key has too many parts", "at most " + std::to_string(deepest), "Shorten the key");
  Value* target = &root;
  for (const std::string& part : parts) target = &member_of(*target, part, where);
  *target = value_of(assignment.substr(equals + 1), where);
}

}  // namespace freshet::config
