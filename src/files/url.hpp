// url.hpp: recognises addresses of the web among names of files.
#pragma once

#include <cctype>
#include <string_view>

namespace onepass::files {

/// Whether `name` is a URL, "https://...", as far as it matters for the error about a file of this name that does not
/// exist.
inline bool is_url(std::string_view name) {
  const size_t end = name.find("://");
  if (end == std::string_view::npos || end < 2) return false;
  for (const char c : name.substr(0, end)) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '+' && c != '-' && c != '.') return false;
  }
  return true;
}

/// The message about an input of such a name.
inline constexpr const char* kNotUrls = "onepass reads files, not URLs: download it first";

}  // namespace onepass::files
