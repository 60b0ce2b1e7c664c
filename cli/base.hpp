// base.hpp: an image that was read, what its numbers mean, and the changes a command asks for before it works on it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onepass/color.hpp"
#include "onepass/files.hpp"
#include "onepass/image.hpp"
#include "pyramid_options.hpp"

namespace onepass::cli {

/// What the numbers of an image mean, and what its file says besides: all that a writer wants to know.
struct PictureInfo {
  AlphaAssociation alpha = AlphaAssociation::kNone;
  Chromaticities primaries = kRec709Chromaticities;
  bool says_primaries = false;  ///< Else BT.709 is taken for granted.
  bool cube = false;
  bool array = false;
  std::optional<files::Box> data_window;  ///< EXR; none: at the origin.
  std::optional<files::Box> display_window;
  float pixel_aspect_ratio = 1;
  std::shared_ptr<const files::ExrAttributes> exr_attributes;
};

/// The image that becomes level 0, all slices of it.
struct Base {
  Image image;
  PictureInfo info;
  files::Type type = files::Type::kUnknown;                 ///< Of the first file.
  Format format = Format::kUndefined;                       ///< As read; `image` may have become floats since.
  AlphaAssociation stored_alpha = AlphaAssociation::kNone;  ///< As read.
  uint64_t emissive_texels = 0;                             ///< With alpha 0 and a colour, which became straight.
  std::vector<std::string> warnings;                        ///< What could not be honoured, or was replaced.
  std::vector<std::string> hints;                           ///< What could be done better by another option.
};

/// Whether any alpha of a four-channel image is not 1.
[[nodiscard]] bool has_transparency(const ImageView& image);

/// Makes the colours straight or premultiplied. Codes become floats for it, so that nothing is rounded in between;
/// opaque images are left as they are. Errors: kOutOfMemory.
[[nodiscard]] Result<void> associate(Base& base, AlphaAssociation to, uint32_t threads);

/// Converts colours of three and four channels to other primaries, in the image's format. Errors: kOutOfMemory,
/// kInvalidArgument.
[[nodiscard]] Result<void> convert_primaries(Base& base, const Chromaticities& to, uint32_t threads);

/// Puts the image on a background of linear BT.709 light: alpha becomes 1 and means nothing any more.
[[nodiscard]] Result<void> put_on(Base& base, const std::array<float, 3>& background, uint32_t threads);

/// How a file of type `output` is to hold the colours of `base`. Types without alpha: kPremultiplied, the picture on
/// black.
[[nodiscard]] AlphaAssociation output_alpha_for(const PictureOptions& options, const Base& base, files::Type output);

/// The primaries a file of type `output` is to have: what --output-primaries says; else those of the input in EXR, TIFF
/// and files of the input's own type that can name them; else BT.709.
[[nodiscard]] Chromaticities output_primaries_for(const PictureOptions& options, const Base& base, files::Type output);

/// The code point of ITU-T H.273; 0 if there is none.
[[nodiscard]] uint8_t code_point_of(const Chromaticities& primaries);

/// Refuses --output-alpha and --output-primaries that the type of `output` cannot hold. Errors: kInvalidArgument.
[[nodiscard]] Result<void> check_output_meaning(const PictureOptions& options, const std::filesystem::path& output);

/// What to say where straight colours hide light; empty if there is none.
[[nodiscard]] std::string emission_warning(uint64_t texels);

/// Options that write an image that `info` describes into a file of any type.
[[nodiscard]] files::WriteOptions write_options(const Request& request, const PictureInfo& info, const ImageView& image,
                                                AlphaAssociation stored_alpha);

}  // namespace onepass::cli
