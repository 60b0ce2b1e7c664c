// views.hpp: checks the views that a caller passes against the options.
#pragma once

#include <string>

#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass::cpu {

/// Checks format, size, slices and strides of a view. `what` names it in the message. Errors: kInvalidArgument.
Result<void> check_view(const std::string& what, const ImageView& view, Format format, Extent size, uint32_t slices);

/// The same for a view whose format may also be RGB, where `format` is that with alpha (is_row_format()).
Result<void> check_color_view(const std::string& what, const ImageView& view, Format format, Extent size,
                              uint32_t slices);

}  // namespace onepass::cpu
