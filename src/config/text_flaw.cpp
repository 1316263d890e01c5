// SPDX-License-Identifier: Apache-2.0
#include "text_flaw.hpp"

#include <algorithm>

namespace freshet::config {
namespace {

constexpr int most_dots = 256;  // in one key

bool is_beyond_ascii(const std::string& text, std::size_t i) {
  return i < text.size() && static_cast<unsigned char>(text[i]) >= 0x80;
}

/// Walks a text as TOML's lexer does, as far as strings and comments go; in step with it up to its first error.
class Walk {
 public:
  explicit Walk(const std::string& text) : text_(text), i_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  std::optional<TextFlaw> find() {
    while (i_ < text_.size() && !flaw_) step();
    return flaw_;
  }

 private:
  void step() {
    const char c = text_[i_];
    if (c == '"' || c == '\'') return skip_string();
    if (c == '#') return skip_comment();
    if (is_beyond_ascii(text_, i_))
      note("not valid TOML", "a character beyond ASCII stands outside of strings and comments");
    if (c == ',' || c == '=' || c == '\n') dots_ = 0;
    if (c == '.' && ++dots_ > most_dots)
      note("a key of too many parts", "it has more than " + std::to_string(most_dots) + " dots");
    ++i_;
  }

  void skip_comment() { i_ = std::min(text_.find('\n', i_), text_.size()); }

  /// To behind the closing quotes. A string of one line that does not close ends where that line does.
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
          ++i_;  // they belong to the text
        return;
      }
    }
  }

  /// To the last character of an escape; white space behind the backslash joins two lines.
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
  std::optional<TextFlaw> flaw_;
};

}  // namespace

std::optional<TextFlaw> find_flaw(const std::string& text) {
  return Walk(text).find();
}

}  // namespace freshet::config
