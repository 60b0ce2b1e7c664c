// error.hpp: makers of the two errors that checks of arguments return (ErrorCode says which of them is meant for what),
// and parts of messages and checks that several techniques share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "onepass/image.hpp"
#include "onepass/result.hpp"
#include "onepass/words.hpp"

namespace onepass {

inline Error invalid(std::string message, std::string context = {}) {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(context)};
}

inline Error unsupported(std::string message, std::string context = {}) {
  return {ErrorCode::kUnsupported, std::move(message), std::move(context)};
}

/// A size as messages show it: "640x480".
inline std::string size_text(Extent size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

/// Checks that fields hold enumerators, since callers in C may set any number: pairs of the field's name and its value.
/// Errors: kInvalidArgument for the first that does not.
template <typename Enum, typename... Others>
Result<void> check_enumerators(std::string_view field, Enum value, const Others&... others) {
  if (!is_enumerator(value)) {
    return invalid(std::string(field) + ": " + std::to_string(static_cast<uint32_t>(value)) + " is not an enumerator");
  }
  if constexpr (sizeof...(others) == 0) {
    return {};
  } else {
    return check_enumerators(others...);
  }
}

/// Images in host memory have one sample per texel.
inline Result<void> require_one_sample(uint32_t samples) {
  if (samples == 1) return {};
  return invalid("samples: " + std::to_string(samples) + ", but images in host memory have one");
}

}  // namespace onepass
