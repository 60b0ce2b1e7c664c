// option_group.hpp: options of a subcommand under one heading of its help, and validators for them.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>

#include "names.hpp"
#include "nearest.hpp"

namespace onepass::cli {

/// A validator without a description of its own in the help.
inline CLI::Validator silent(CLI::Validator validator) { return validator.description(""); }

/// Validates that all of `text` is a decimal number without spaces. Removes a leading '+' and, from whole numbers,
/// leading zeros, which the parser would take for octal.
template <typename T>
std::string check_number(std::string& text) {
  std::string error = text + " is not a " + (std::is_integral_v<T> ? "whole number" : "number");
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.erase(0, 1);
  while (std::is_integral_v<T> && text.size() > 1 && text[0] == '0') text.erase(0, 1);
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? std::string() : error;
}

/// A validator of words; its message names the nearest one. As a transformation it replaces an alias by its word.
inline CLI::Validator one_of(std::vector<std::string> known) {
  return CLI::Validator(
      [known = std::move(known)](std::string& text) {
        for (const std::string_view word : {std::string_view(text), unaliased(text)}) {
          if (std::find(known.begin(), known.end(), word) == known.end()) continue;
          text = std::string(word);
          return std::string();
        }
        std::string all;
        for (const std::string& word : known) all += (all.empty() ? "" : ", ") + word;
        return "'" + text + "' is not one of " + all + did_you_mean(text, known);
      },
      "");
}

/// Adds options that help lists under one heading.
class Group {
 public:
  Group(CLI::App& command, std::string heading) : command_(command), heading_(std::move(heading)) {}

  template <typename T>
  CLI::Option* add(const std::string& name, T& value, const std::string& type, const std::string& help) {
    CLI::Option* option = command_.add_option(name, value, help)->type_name(type)->group(heading_);
    if constexpr (std::is_same_v<T, std::string>) {
      // An empty value is refused: in scripts it is usually an unset variable.
      option->check(CLI::Validator([](std::string& text) { return text.empty() ? "'' is empty" : std::string(); }, ""));
    }
    if constexpr (std::is_arithmetic_v<T>) option->transform(CLI::Validator(check_number<T>, ""));
    return option;
  }
  void flag(const std::string& name, bool& value, const std::string& help) {
    command_.add_flag(name, value, help)->group(heading_);
  }
  /// A word of an enumeration of the library, without some.
  template <typename T>
  void choice(const std::string& name, std::string& value, const std::string& help,
              std::initializer_list<T> left_out = {}) {
    choice(name, value, words_without<T>(left_out), help);
  }
  /// A word of the program's own.
  template <typename T, size_t N>
  void choice(const std::string& name, std::string& value, const Name<T> (&names)[N], const std::string& help) {
    choice(name, value, words_of(names), help);
  }

 private:
  void choice(const std::string& name, std::string& value, const std::vector<std::string>& known,
              const std::string& help) {
    std::string type;
    for (const std::string& word : known) type += (type.empty() ? "" : "|") + word;
    add(name, value, type, help)->transform(one_of(known));
  }

  CLI::App& command_;
  std::string heading_;
};

}  // namespace onepass::cli
