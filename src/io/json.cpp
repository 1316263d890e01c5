// SPDX-License-Identifier: Apache-2.0
#include "freshet/io/json.hpp"

#include "freshet/core/contracts.hpp"
#include "freshet/core/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace freshet {
JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += quote(name) + ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  return literal(quote(text));
}
JsonWriter& JsonWriter::value(bool flag) {
  return literal(flag ? "true" : "false");
}
JsonWriter& JsonWriter::value(double number) {
  return literal(std::isfinite(number) ? fmt::format("{}", number) : "null");
}

std::string JsonWriter::text() const {
  FRESHET_EXPECT(has_items_.empty());
  return text_ + "\n";
}

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  text_ += bracket;
  has_items_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  FRESHET_EXPECT(!has_items_.empty() && !after_key_);
  const bool has_items = has_items_.back();
  has_items_.pop_back();
  if (has_items) text_ += "\n" + std::string(2 * has_items_.size(), ' ');
  text_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::literal(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

/// Comma, line and indentation before an item; nothing between a key and its value.
void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) text_ += ',';
  has_items_.back() = true;
  text_ += "\n" + std::string(2 * has_items_.size(), ' ');
}

}  // namespace freshet
