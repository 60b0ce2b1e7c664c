// error.hpp: makers of the two errors that checks of arguments return (ErrorCode says which of them is meant for what),
// and a check that several techniques share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "onepass/result.hpp"

namespace onepass {

inline Error invalid(std::string message, std::string context = {}) {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(context)};
}

inline Error unsupported(std::string message, std::string context = {}) {
  return {ErrorCode::kUnsupported, std::move(message), std::move(context)};
}

/// Images in host memory have one sample per texel.
inline Result<void> require_one_sample(uint32_t samples) {
  if (samples == 1) return {};
  return invalid("samples: " + std::to_string(samples) + ", but images in host memory have one");
}

}  // namespace onepass
