// json_reader.hpp: reads JSON (RFC 8259) of a known form, value by value: the caller says what it expects next. Whole
// numbers only. Nothing is built, so that nesting needs no stack and a text no memory of its size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/result.hpp"

namespace onepass {

/// Every function returns false after the first error, which error() returns: "line 3: pyramid[0].use.path: ...".
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  /// The first character of the next value or sign; 0 at the end of the text.
  char next();

  /// Reads an object: calls member(name), which reads the member's value. Names occur once.
  template <typename Member>
  bool object(const Member& member) {
    std::vector<std::string> names;
    if (!begin('{', "an object")) return false;
    for (bool first = true; !ends('}'); first = false) {
      std::string name;
      if (!separator(first) || !string(name) || !sign(':')) return false;
      const size_t outer = enter_member(name, names);
      if (failed() || !member(std::string_view(name))) return false;
      path_.resize(outer);
    }
    return !failed();
  }

  /// Reads an array: calls element(), which reads the next element.
  template <typename Element>
  bool array(const Element& element) {
    if (!begin('[', "an array")) return false;
    size_t index = 0;
    for (bool first = true; !ends(']'); first = false) {
      if (!separator(first)) return false;
      const size_t outer = path_.size();
      path_ += "[" + std::to_string(index++) + "]";
      if (!element()) return false;
      path_.resize(outer);
    }
    return !failed();
  }

  bool string(std::string& out);
  bool number(uint64_t& out);
  bool end();  ///< Nothing but space follows.

  /// Records an error about the field that is being read. Returns false.
  bool fail(const std::string& what);
  [[nodiscard]] bool failed() const { return !message_.empty(); }
  [[nodiscard]] const std::string& error() const { return message_; }

  /// A text of the caller's as messages show it: in quotes, short, without control characters.
  static std::string shown(std::string_view text);

 private:
  bool begin(char open, const char* what);
  bool ends(char close);  // also after an error
  bool separator(bool first);
  bool sign(char wanted);
  bool escape(std::string& out);
  bool code_unit(uint32_t& out);
  std::string found();  // the next value or sign, for messages
  size_t enter_member(const std::string& name, std::vector<std::string>& names);

  std::string_view text_;
  size_t at_ = 0;
  std::string path_;
  std::string message_;
};

}  // namespace onepass
