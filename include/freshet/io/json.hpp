// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace freshet {

/// Builds a JSON text piece by piece, indented for people.
///
///     JsonWriter json;
///     json.begin_object().member("ranks", 4).key("phases").begin_array();
///     ...
///     json.end_array().end_object();
///     write_text_atomically(path, json.text());
///
/// \pre calls nest properly; every value inside an object follows a key
class JsonWriter {
 public:
  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag);
  JsonWriter& value(double number);  ///< null if it is not finite: JSON has no such numbers
  template <std::integral T>
  JsonWriter& value(T number) {
    return literal(std::to_string(number));
  }
  template <class T>
  JsonWriter& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }

  /// The whole text, with a newline at its end. \pre every object and array has ended
  std::string text() const;

 private:
  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  JsonWriter& literal(std::string_view text);
  void separate();

  std::string text_;
  std::vector<bool> has_items_;  ///< whether each open object or array has an item yet
  bool after_key_ = false;
};

}  // namespace freshet
