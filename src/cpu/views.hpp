// views.hpp: are the views that a caller hands over what the options say?
#pragma once

#include <string>

#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cpu {

/// Checks a view against what the options say it is. `what` names it in the message. Errors: kInvalidArgument.
Result<void> check_view(const std::string& what, const ImageView& view, Format format, Extent size, uint32_t slices);

}  // namespace onepass::cpu
