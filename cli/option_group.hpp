// option_group.hpp: options of a subcommand that help lists under one heading.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "names.hpp"

namespace onepass::cli {

/// A validator that help does not spell out beside the option's type.
inline CLI::Validator silent(CLI::Validator validator) { return validator.description(""); }

/// Options that help lists under one heading.
class Group {
 public:
  Group(CLI::App& command, std::string heading) : command_(command), heading_(std::move(heading)) {}

  template <typename T>
  CLI::Option* add(const std::string& name, T& value, const std::string& type, const std::string& help) {
    return command_.add_option(name, value, help)->type_name(type)->group(heading_);
  }
  void flag(const std::string& name, bool& value, const std::string& help) {
    command_.add_flag(name, value, help)->group(heading_);
  }
  template <typename T, size_t N>
  void choice(const std::string& name, std::string& value, const Name<T> (&names)[N], const std::string& help) {
    std::string type;
    for (const Name<T>& word : names) type += (type.empty() ? "" : "|") + std::string(word.text);
    add(name, value, type, help)->check(silent(CLI::IsMember(words(names))));
  }

 private:
  CLI::App& command_;
  std::string heading_;
};

}  // namespace onepass::cli
