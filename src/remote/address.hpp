// address.hpp: addresses of the web, taken apart, so that messages show neither passwords nor signatures.
//
//     https://user:password@host:8080/folder/my scan.zarr?signature=...
//     scheme  credentials   place, percent-encoded        query
#pragma once

#include <string>
#include <string_view>

#include "onepass/result.hpp"

namespace onepass::remote {

struct Address {
  std::string scheme;       ///< "http" or "https".
  std::string credentials;  ///< With the "@" behind them; may be empty.
  std::string place;        ///< Host, port and path, without "/" at its end.
  std::string query;        ///< With its "?"; may be empty.

  /// Scheme and place: what messages, journals and outputs show. Files below it are NAME/PATH.
  [[nodiscard]] std::string name() const { return scheme + "://" + place; }

  /// The address of `name`, name() itself or a file below it, with credentials and query: for requests.
  [[nodiscard]] std::string url_of(std::string_view name) const;
};

/// Takes an http or https address apart. A "%" with two digits behind it is part of the encoding; a fragment is
/// dropped. Errors: kInvalidArgument.
Result<Address> parse_address(std::string_view text);

/// Percent-encodes the name of a file below an address, all but "/".
std::string encode_name(std::string_view name);

/// The name that an address ends with, without percent-encoding.
std::string decoded_name(std::string_view name);

}  // namespace onepass::remote
