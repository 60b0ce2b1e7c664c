// error.hpp: makers of the two errors that checks of arguments return. ErrorCode says which of them is meant for what.
#pragma once

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

}  // namespace onepass
