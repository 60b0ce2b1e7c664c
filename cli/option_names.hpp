// option_names.hpp: replaces names of the library's option fields in error messages by the program's options.
#pragma once

#include "onepass/result.hpp"

namespace onepass::cli {

/// The error with the program's option in place of the field that begins its message. A channel mismatch also gets the
/// advice to use --channel. Other errors are unchanged.
[[nodiscard]] Error in_option_names(const Error& error);

}  // namespace onepass::cli
