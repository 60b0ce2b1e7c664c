// errors.hpp: errors of the library as Python exceptions.
#pragma once

#include <string>

#include "onepass/result.hpp"

namespace onepass::python {

/// Ends a call with the subclass of onepass.Error that belongs to `error.code`. `argument` is the name of the Python
/// argument concerned; empty: the name at the start of the message, if there is one.
struct Failure {
  Error error;
  std::string argument;
};

[[noreturn]] void fail(ErrorCode code, std::string message, std::string argument = {});

inline void check(const Result<void>& result) {
  if (!result) throw Failure{result.error(), {}};
}

template <typename T>
T take(Result<T> result) {
  if (!result) throw Failure{result.error(), {}};
  return std::move(*result);
}

/// Makes pybind11 raise the Python exception of a Failure.
void register_errors();

}  // namespace onepass::python
