// error.hpp: makers of the two errors that checks of arguments return (ErrorCode says which of them is meant for what),
// and parts of messages and checks that several techniques share.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

/// A number as messages show it: "0.02", "1e+30", "nan", with as many digits, six or more, as tell it from others.
inline std::string number_text(float value) {
  char digits[32];
  for (int precision = 6; precision <= 9; ++precision) {
    std::snprintf(digits, sizeof(digits), "%.*g", precision, double{value});
    if (std::strtof(digits, nullptr) == value) break;
  }
  return digits;
}

/// Checks that a field is within two numbers, these included; NaN is not. Errors: kInvalidArgument.
inline Result<void> check_range(std::string_view field, float value, float least, float most) {
  if (value >= least && value <= most) return {};
  return invalid(std::string(field) + ": " + number_text(value) + " is not within " + number_text(least) + " and " +
                 number_text(most));
}

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
