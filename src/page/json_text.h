#pragma once

// JSON as short as it gets, for a <script> element: written once, from the front to the end.
//
//   JsonText json;
//   json.begin('{').key("names").begin('[');
//   for (const auto& name : names) json.value(name);
//   json.end(']').end('}');
//   use(json.text());
//
// Nothing in a string can end the element: '<' is written as an escape.

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "report/json.h"

namespace pgokit::page {

class JsonText {
 public:
  JsonText& begin(char bracket) {
    separate();
    text_ += bracket;
    return *this;
  }
  JsonText& end(char bracket) {
    text_ += bracket;
    return *this;
  }
  // The program's own words.
  JsonText& key(std::string_view name) {
    separate();
    text_.append("\"").append(name).append("\":");
    return *this;
  }
  JsonText& value(std::integral auto number) {
    separate();
    char digits[24];
    auto end = std::to_chars(digits, std::end(digits), number).ptr;
    text_.append(digits, static_cast<size_t>(end - digits));
    return *this;
  }
  JsonText& value(bool yes) {
    separate();
    text_ += yes ? "true" : "false";
    return *this;
  }
  JsonText& value(std::string_view text) {
    separate();
    for (char c : report::json_quoted(text))
      c == '<' ? text_.append("\\u003c") : text_.append(1, c);
    return *this;
  }
  JsonText& value(const char* text) { return value(std::string_view(text)); }

  // A list of `value(one)` of each.
  template <class List, class Value>
  JsonText& column(std::string_view name, const List& list, Value of) {
    key(name).begin('[');
    for (const auto& one : list) value(of(one));
    return end(']');
  }
  // What was written by another.
  JsonText& json(std::string_view text) {
    separate();
    text_ += text;
    return *this;
  }

  const std::string& text() const { return text_; }

 private:
  // Strings end in quotes, so that what they hold does not matter.
  void separate() {
    if (!text_.empty() && std::string_view("[{:").find(text_.back()) == std::string_view::npos)
      text_ += ',';
  }

  std::string text_;
};

}  // namespace pgokit::page
