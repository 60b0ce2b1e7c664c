// input.hpp: reads input files into the base of a pyramid.
#pragma once

#include <span>
#include <string>

#include "base.hpp"
#include "input_file.hpp"

namespace onepass::cli {

/// Reads one file, or several as the slices of one image. A grey sRGB image stays one channel unless another slice, the
/// requested format or the alpha mode needs four. Colours keep the alpha and the primaries of the file (as corrected by
/// --input-alpha and --input-primaries); --window, --background and --nonfinite are applied.
/// Errors: those of files::read; kBadData for texels that --nonfinite refuses, naming the first; kInvalidArgument for
/// slices that do not match or channels that do not fit.
[[nodiscard]] Result<Base> load_base(const Request& request, std::span<const std::string> inputs);

/// The format with four channels of the same type as the one channel of `grey`; kUndefined for depth and other formats.
[[nodiscard]] Format rgba_format_of(Format grey);

/// Converts a grey image to rgba_format_of() its format: R, G and B are the stored grey value, alpha is 1.
[[nodiscard]] Result<void> grey_to_rgba(Image& image);

/// The largest finite value that a channel of a float format holds; infinity for other formats, which clamp.
[[nodiscard]] float largest_value(Format format, uint32_t channel);

/// Copies an image into another format; missing colour channels become 0, missing alpha 1. `spread`: the first channel
/// of the source is copied to both channels of a two-channel target.
[[nodiscard]] Result<Image> convert(const ImageView& source, Format target, bool spread);

}  // namespace onepass::cli
