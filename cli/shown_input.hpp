// shown_input.hpp: names of inputs as reports and warnings show them.
#pragma once

#include <algorithm>
#include <string>

namespace onepass::cli {

/// The name of a file; an address of the web without user, password and query, which may be a signature.
inline std::string shown_input(const std::string& name) {
  const size_t colon = name.find("://");
  if (colon == std::string::npos || name.find('/') < colon) return name;
  const size_t host = colon + 3;
  const std::string rest = name.substr(host, name.find_first_of("?#") - std::min(host, name.find_first_of("?#")));
  const size_t at = rest.substr(0, rest.find('/')).rfind('@');
  return name.substr(0, host) + rest.substr(at == std::string::npos ? 0 : at + 1);
}

}  // namespace onepass::cli
