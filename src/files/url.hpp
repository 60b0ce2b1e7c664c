// url.hpp: recognises addresses of the web among names of files.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "onepass/result.hpp"

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

/// A URL without user, password and query, which may be a signature.
inline std::string shown_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const size_t host = std::min(url.find("://") + 3, url.size());
  const std::string_view authority = url.substr(host, url.find('/', host) - host);
  const size_t at = authority.rfind('@');
  const size_t skipped = at == std::string_view::npos ? 0 : at + 1;
  return std::string(url.substr(0, host)) + std::string(url.substr(host + skipped));
}

/// The error about an input of such a name that is not read.
inline Error url_error(std::string_view url) {
  const std::string shown = shown_url(url);
  if (shown.starts_with("s3://")) {
    const std::string_view rest = std::string_view(shown).substr(5);
    const size_t slash = std::min(rest.find('/'), rest.size());
    return {ErrorCode::kUnsupported,
            "s3:// is not read; public buckets are reached as https://" + std::string(rest.substr(0, slash)) +
                ".s3.amazonaws.com" + std::string(rest.substr(slash)),
            shown};
  }
  return {ErrorCode::kUnsupported,
          "of the web onepass reads TIFF and OME-Zarr (http, https) in tiles and volume: download other files first",
          shown};
}

}  // namespace onepass::files
