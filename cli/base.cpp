// base.cpp: converts alpha and primaries in float formats, which neither round nor clip, and decides which of both an
// output gets: the option's, else the input's where the file type can state it, else a default of the type.
#include "base.hpp"
#include "usage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace onepass::cli {
namespace {

// Whether any texel of four channels of type `Channel` has a last channel other than `one`.
template <typename Channel>
bool any_other(const ImageView& image, Channel one) {
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    for (uint32_t y = 0; y < image.size.height; ++y) {
      const std::byte* at = image.row(y, slice) + 3 * sizeof(Channel);
      for (uint32_t x = 0; x < image.size.width; ++x, at += 4 * sizeof(Channel)) {
        Channel alpha;
        std::memcpy(&alpha, at, sizeof alpha);
        if (alpha != one) return true;
      }
    }
  }
  return false;
}

// The float format that holds every quantised value of a four-channel format exactly; float formats stay.
Format float_format_of(Format format) {
  const FormatInfo& info = format_info(format);
  if (info.channels != 4 || info.type == ChannelType::kFloat) return format;
  return info.bits[0] <= 11 ? Format::kRGBA16Sfloat : Format::kRGBA32Sfloat;  // a half has 11 significant bits
}

// Converts colours; quantised values become floats, which are neither rounded nor limited to 0 to 1.
Result<ColorReport> convert_to_floats(Base& base, const ColorConversion& conversion, uint32_t threads) {
  const Format format = float_format_of(base.image.format());
  if (format == base.image.format()) {
    return convert_colors(base.image.view(), base.image.view(), conversion, threads);
  }
  auto wide = Image::create(format, base.image.size(), base.image.slices());
  if (!wide) return wide.error();
  auto report = convert_colors(base.image.view(), wide->view(), conversion, threads);
  base.image = std::move(*wide);
  return report;
}

bool holds_no_alpha(files::Type type) {
  return type == files::Type::kHdr || type == files::Type::kPfm || type == files::Type::kJpeg ||
         type == files::Type::kPnm;
}

// Transfer characteristics of ITU-T H.273.
constexpr uint8_t kLinearCode = 8;
constexpr uint8_t kSrgbCode = 13;

std::array<float, 8> numbers_of(const Chromaticities& primaries) {
  std::array<float, 8> numbers{};
  size_t i = 0;
  for (const auto& point : {primaries.red, primaries.green, primaries.blue, primaries.white}) {
    for (const double value : point) numbers[i++] = static_cast<float>(value);
  }
  return numbers;
}

}  // namespace

bool has_transparency(const ImageView& image) {
  switch (image.format) {
    case Format::kRGBA8Unorm:
    case Format::kRGBA8Srgb:
      return any_other<uint8_t>(image, 0xFF);
    case Format::kRGBA16Unorm:
      return any_other<uint16_t>(image, 0xFFFF);
    case Format::kRGBA16Sfloat:
      return any_other<uint16_t>(image, 0x3C00);
    case Format::kRGBA32Sfloat:
      return any_other<float>(image, 1.0F);
    default:
      return format_info(image.format).channels == 4;
  }
}

Result<void> associate(Base& base, AlphaAssociation to, uint32_t threads) {
  PictureInfo& info = base.info;
  if (info.alpha == AlphaAssociation::kNone || info.alpha == to || to == AlphaAssociation::kNone) return {};
  if (!has_transparency(base.image.view())) {
    info.alpha = to;
    return {};
  }
  const auto report = convert_to_floats(base, {.from = info.alpha, .to = to}, threads);
  if (!report) return report.error();
  base.emissive_texels += report->emissive_texels;
  info.alpha = to;
  return {};
}

Result<void> convert_primaries(Base& base, const Chromaticities& to, uint32_t threads) {
  PictureInfo& info = base.info;
  const bool colours = format_info(base.image.format()).channels >= 3;
  if (colours && !same_chromaticities(info.primaries, to)) {
    const auto matrix = conversion_matrix(info.primaries, to);
    if (!matrix) return matrix.error();
    const auto done = convert_to_floats(base, {.matrix = *matrix}, threads);  // colours may leave the gamut
    if (!done) return done.error();
  }
  info.primaries = to;
  return {};
}

Result<void> put_on(Base& base, const std::array<float, 3>& background, uint32_t threads) {
  PictureInfo& info = base.info;
  if (info.alpha != AlphaAssociation::kNone && has_transparency(base.image.view())) {
    const auto matrix = conversion_matrix(kRec709Chromaticities, info.primaries);
    if (!matrix) return matrix.error();
    std::array<float, 3> light{};
    for (size_t i = 0; i < 3; ++i) {
      double sum = 0;
      for (size_t j = 0; j < 3; ++j) sum += (*matrix)[i][j] * background[j];
      light[i] = static_cast<float>(sum);
    }
    const auto done =
        convert_colors(base.image.view(), base.image.view(), {.from = info.alpha, .background = light}, threads);
    if (!done) return done.error();
  }
  info.alpha = AlphaAssociation::kNone;
  base.stored_alpha = AlphaAssociation::kNone;
  return {};
}

AlphaAssociation output_alpha_for(const PictureOptions& options, const Base& base, files::Type output) {
  if (base.info.alpha == AlphaAssociation::kNone) return AlphaAssociation::kNone;
  switch (output) {
    case files::Type::kTiff:
      return options.output_alpha.value_or(base.stored_alpha);
    case files::Type::kKtx2:
    case files::Type::kDds: {
      const bool kept = base.type == files::Type::kKtx2 || base.type == files::Type::kDds;
      return options.output_alpha.value_or(kept ? base.stored_alpha : AlphaAssociation::kStraight);
    }
    case files::Type::kPng:
    case files::Type::kPnm:
      return AlphaAssociation::kStraight;
    default:
      return AlphaAssociation::kPremultiplied;
  }
}

uint8_t code_point_of(const Chromaticities& primaries) {
  if (same_chromaticities(primaries, kRec709Chromaticities)) return 1;
  if (same_chromaticities(primaries, kRec2020Chromaticities)) return 9;
  if (same_chromaticities(primaries, kDisplayP3Chromaticities)) return 12;
  return 0;
}

Chromaticities output_primaries_for(const PictureOptions& options, const Base& base, files::Type output) {
  if (options.output_primaries) return *options.output_primaries;
  const Chromaticities& input = base.info.primaries;
  switch (output) {
    case files::Type::kExr:
    case files::Type::kTiff:
      return input;
    case files::Type::kPng:
      return base.type == output || (options.keep_primaries && code_point_of(input) != 0) ? input
                                                                                          : kRec709Chromaticities;
    case files::Type::kKtx2: {
      const bool named = code_point_of(input) != 0;
      return named && (options.keep_primaries || base.type == output) ? input : kRec709Chromaticities;
    }
    default:
      return kRec709Chromaticities;
  }
}

Result<void> check_output_meaning(const PictureOptions& options, const std::filesystem::path& output) {
  const files::Type type = files::type_of_extension(output);
  const std::string name = output.string();
  if (options.output_alpha) {
    const bool straight = *options.output_alpha == AlphaAssociation::kStraight;
    if (holds_no_alpha(type)) return usage(fmt::format("--output-alpha: {} cannot store alpha", name));
    if (type == files::Type::kExr && straight) {
      return usage(fmt::format("--output-alpha straight: {}: colours in EXR files are premultiplied", name));
    }
    if (type == files::Type::kPng && !straight) {
      return usage(fmt::format("--output-alpha premultiplied: {}: colours in PNG files are straight", name));
    }
  }
  if (options.output_primaries && !same_chromaticities(*options.output_primaries, kRec709Chromaticities)) {
    const std::string text = primaries_text(*options.output_primaries);
    if (holds_no_alpha(type)) {
      return usage(
          fmt::format("--output-primaries {}: {} cannot store primaries; write .exr, .tif, .png or .ktx2", text, name));
    }
    if ((type == files::Type::kKtx2 || type == files::Type::kPng) && code_point_of(*options.output_primaries) == 0) {
      return usage(fmt::format("--output-primaries {}: {} can store rec709, rec2020 and display_p3 only", text, name));
    }
  }
  return {};
}

std::string emission_warning(uint64_t texels) {
  if (texels == 0) return {};
  return fmt::format(
      "{} texel{} with alpha 0 and a colour (emission), which straight colours cannot represent; --background COLOR "
      "composites the picture over a background, --channel R,G,B drops alpha",
      texels, texels == 1 ? "" : "s");
}

files::WriteOptions write_options(const Request& request, const PictureInfo& info, const ImageView& image,
                                  AlphaAssociation stored_alpha) {
  files::WriteOptions options;
  options.alpha = info.alpha;
  options.ktx2.cube = info.cube;
  options.ktx2.array = info.array;
  options.ktx2.zstd_level = request.zstd == 0 && info.zstd ? kUsualZstd : request.zstd;
  options.ktx2.stored_alpha = stored_alpha;
  options.dds.cube = info.cube;
  options.dds.stored_alpha = stored_alpha;
  options.dds.header = request.dds_header;
  options.png.threads = options.exr.threads = request.threads;
  options.png.effort = request.picture.png_level;
  options.jpeg.quality = request.picture.quality;
  options.tiff.stored_alpha = stored_alpha;
  options.tiff.threads = request.threads;
  options.exr.data_window = info.data_window;
  options.exr.display_window = info.display_window;
  options.exr.pixel_aspect_ratio = info.pixel_aspect_ratio;
  options.exr.attributes = info.exr_attributes;
  const bool rec709 = same_chromaticities(info.primaries, kRec709Chromaticities);
  if (!rec709 || info.says_primaries) options.exr.chromaticities = numbers_of(info.primaries);
  // Readers take colours of 16 bits as linear in TIFF, but as sRGB in PNG.
  const bool wide = image.format == Format::kRGBA16Unorm && request.color == files::Color::kAuto;
  if (wide) options.png.code_points = {1, kLinearCode};
  if (rec709) return options;
  options.png.primaries = info.primaries;
  options.tiff.primaries = info.primaries;
  const uint8_t code = code_point_of(info.primaries);
  if (code == 0) return options;
  const bool srgb = format_info(image.format).type == ChannelType::kSrgb;
  options.png.code_points = {code, wide ? kLinearCode : kSrgbCode};
  options.ktx2.code_points = {code, srgb ? kSrgbCode : kLinearCode};
  return options;
}

}  // namespace onepass::cli
