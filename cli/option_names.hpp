// option_names.hpp: the library's messages name fields of its options; people know them by the names of the program's.
#pragma once

#include "onepass/result.hpp"

namespace onepass::cli {

/// The error with the field that its message begins with exchanged for the option that fills it, and with what to do
/// about it where that is plain.
[[nodiscard]] Error in_option_names(const Error& error);

}  // namespace onepass::cli
