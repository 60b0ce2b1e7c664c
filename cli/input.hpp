// input.hpp: from input files to the base of a pyramid.
#pragma once

#include <span>
#include <string>

#include "base.hpp"
#include "input_file.hpp"

namespace onepass::cli {

/// Reads one file, or several as the slices of one image. A grey sRGB picture stays one channel unless another slice,
/// the format or the alpha mode asked for needs four.
/// Colours keep the alpha and the primaries of the file (as --input-alpha and --input-primaries correct it); --window,
/// --background and --nonfinite are done.
/// Errors: those of files::read; kBadData for texels that --nonfinite refuses, naming the first; kInvalidArgument for
/// slices that do not match or channels that do not fit.
[[nodiscard]] Result<Base> load_base(const Request& request, std::span<const std::string> inputs);

/// Makes an r8_srgb image an r8g8b8a8_srgb one: the same code in R, G and B, alpha 1.
[[nodiscard]] Result<void> grey_to_rgba(Image& image);

/// Copies an image into another format; missing channels become 0, missing alpha 1. `spread`: the first channel of the
/// source feeds both channels of a two-channel target.
[[nodiscard]] Result<Image> convert(const ImageView& source, Format target, bool spread);

}  // namespace onepass::cli
