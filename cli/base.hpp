// base.hpp: an image as read from a file, with its colour and alpha metadata, and the conversions of alpha, primaries
// and background that commands apply before and after their work.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onepass/color.hpp"
#include "onepass/files.hpp"
#include "onepass/image.hpp"
#include "request.hpp"

namespace onepass::cli {

/// Metadata of an image: all that a file writer needs besides the texels.
struct PictureInfo {
  AlphaAssociation alpha = AlphaAssociation::kNone;
  Chromaticities primaries = kRec709Chromaticities;
  bool says_primaries = false;  ///< The file names its primaries; false: BT.709 is assumed.
  bool cube = false;
  bool array = false;
  bool zstd = false;                      ///< Levels come from a compressed file, and stay compressed.
  std::optional<files::Box> data_window;  ///< EXR; empty: it begins at the origin.
  std::optional<files::Box> display_window;
  float pixel_aspect_ratio = 1;
  std::shared_ptr<const files::ExrAttributes> exr_attributes;
};

/// The image that becomes level 0, with all its slices.
struct Base {
  Image image;
  PictureInfo info;
  files::Type type = files::Type::kUnknown;  ///< Of the first file.
  Format format = Format::kUndefined;        ///< As read; `image` may have been converted to floats since.
  AlphaAssociation stored_alpha = AlphaAssociation::kNone;  ///< As read.
  uint64_t emissive_texels = 0;                             ///< Texels with alpha 0 and a colour, made straight.
  std::vector<std::string> warnings;                        ///< Unmet requests, replaced values.
  std::vector<std::string> hints;                           ///< Options that would give a better result.
};

/// Whether any alpha of a four-channel image is not 1.
[[nodiscard]] bool has_transparency(const ImageView& image);

/// Makes the colours straight or premultiplied. Quantised values become floats, to avoid rounding in between; opaque
/// images are unchanged. Errors: kOutOfMemory.
[[nodiscard]] Result<void> associate(Base& base, AlphaAssociation to, uint32_t threads);

/// Converts colours of three and four channels to other primaries. Quantised values become floats, because colours may
/// leave the gamut. Errors: kOutOfMemory, kInvalidArgument.
[[nodiscard]] Result<void> convert_primaries(Base& base, const Chromaticities& to, uint32_t threads);

/// Composites the image over a background in linear BT.709; it has no alpha afterwards.
[[nodiscard]] Result<void> put_on(Base& base, const std::array<float, 3>& background, uint32_t threads);

/// How a file of type `output` stores the colours of `base`. Types without alpha get kPremultiplied, which equals the
/// image over black.
[[nodiscard]] AlphaAssociation output_alpha_for(const PictureOptions& options, const Base& base, files::Type output);

/// The primaries of a file of type `output`: --output-primaries if given; else those of the input, if `output` is EXR
/// or TIFF, or is PNG or KTX2, can name them, and has the input's type or `keep_primaries` is set; else BT.709.
[[nodiscard]] Chromaticities output_primaries_for(const PictureOptions& options, const Base& base, files::Type output);

/// The code point of `primaries` in ITU-T H.273 (1, 9 or 12); 0 if there is none.
[[nodiscard]] uint8_t code_point_of(const Chromaticities& primaries);

/// Refuses values of --output-alpha and --output-primaries that the type of `output` cannot hold. Errors:
/// kInvalidArgument.
[[nodiscard]] Result<void> check_output_meaning(const PictureOptions& options, const std::filesystem::path& output);

/// Warns of `texels` texels whose light straight colours cannot hold; empty for 0.
[[nodiscard]] std::string emission_warning(uint64_t texels);

/// Options of files::write, valid for every file type, for an image with the metadata `info`.
[[nodiscard]] files::WriteOptions write_options(const Request& request, const PictureInfo& info, const ImageView& image,
                                                AlphaAssociation stored_alpha);

}  // namespace onepass::cli
