// pnm_write.cpp: writes the binary files of Netpbm: PGM, PPM and PAM, which pnm_rows.cpp describes. A Plan, made from
// extension, format and options, decides the conversions; then each row is decoded to floats, converted and packed.
#include <cmath>
#include <cstring>
#include <vector>

#include "files/pixels.hpp"
#include "files/writers.hpp"
#include "image/straight_alpha.hpp"

namespace onepass::files {
namespace {

/// How an image becomes a file.
struct Plan {
  char kind = '6';        // the digit after "P"
  uint32_t channels = 3;  // of the file: 1, 3 or 4
  uint32_t bits = 8;
  Format stored = Format::kUndefined;  // how rows are decoded; sRGB is read as UNORM
  bool encode = false;                 // apply the sRGB transfer function
  bool divide = false;                 // by alpha
  bool multiply = false;               // by alpha, for files without alpha
};

Result<Plan> plan_for(const std::filesystem::path& path, const ImageView& image, const PnmOptions& options) {
  const FormatInfo& info = format_info(image.format);
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  const bool grey = info.channels == 1;
  Plan plan;
  if (extension == ".pgm" && !grey) {
    return file_error(
        path, ErrorCode::kUnsupported,
        "a PGM file is grey, the image has " + std::to_string(info.channels) + " channels: write .ppm or .pam");
  }
  if (extension == ".pbm") {
    return file_error(path, ErrorCode::kUnsupported, "PBM, black and white, is not written: write .pgm");
  }
  plan.kind = extension == ".pam" ? '7' : grey && extension != ".ppm" ? '5' : '6';
  plan.channels = plan.kind == '5' ? 1 : plan.kind == '6' ? 3 : grey ? 1 : info.channels == 4 ? 4 : 3;
  const bool verbatim = info.type != ChannelType::kFloat && !info.packed && !info.depth;
  const bool sixteen =
      info.type == ChannelType::kUnorm && (info.depth || !info.packed) && info.bytes_per_texel > info.channels;
  plan.bits = options.bits != 0 ? options.bits : sixteen ? 16 : 8;
  plan.divide = plan.channels == 4 && options.alpha == AlphaAssociation::kPremultiplied;
  plan.multiply = plan.channels < 4 && info.channels == 4 && options.alpha == AlphaAssociation::kStraight;
  // Arithmetic with alpha needs linear light: sRGB values are decoded for it and encoded again.
  const bool decoded = (plan.divide || plan.multiply) && info.type == ChannelType::kSrgb;
  plan.stored = decoded ? image.format : without_srgb(image.format);
  const bool numbers = info.depth || (plan.channels == 1 && plan.bits == 16);  // readers take these as linear
  const bool keeps_linear = options.color == Color::kLinear || (numbers && options.color == Color::kAuto);
  plan.encode = decoded || (!verbatim && !keeps_linear);
  return plan;
}

std::string header_of(const Plan& plan, Extent size) {
  const std::string width = std::to_string(size.width);
  const std::string height = std::to_string(size.height);
  const std::string largest = plan.bits == 16 ? "65535" : "255";
  if (plan.kind != '7') {
    return std::string("P") + plan.kind + "\n" + width + " " + height + "\n" + largest + "\n";
  }
  const char* type = plan.channels == 1 ? "GRAYSCALE" : plan.channels == 3 ? "RGB" : "RGB_ALPHA";
  return "P7\nWIDTH " + width + "\nHEIGHT " + height + "\nDEPTH " + std::to_string(plan.channels) + "\nMAXVAL " +
         largest + "\nTUPLTYPE " + type + "\nENDHDR\n";
}

/// Applies alpha and the transfer function to a row of RGBA floats.
void convert(const Plan& plan, bool grey, std::vector<float>& rgba) {
  for (size_t i = 0; i < rgba.size(); i += 4) {
    if (grey) rgba[i + 1] = rgba[i + 2] = rgba[i];
    if (plan.divide) make_straight(&rgba[i]);
    const float alpha = rgba[i + 3];
    for (size_t c = 0; c < 3; ++c) {
      float& value = rgba[i + c];
      if (plan.multiply) value *= alpha;
      if (plan.encode && plan.bits == 16) value = static_cast<float>(linear_to_srgb(value));
    }
  }
}

/// The bytes of a row: the channels of the file, high byte first.
void pack(const Plan& plan, const std::vector<std::byte>& codes, std::vector<std::byte>& packed) {
  packed.clear();
  const size_t bytes = plan.bits / 8;
  for (size_t texel = 0; texel < codes.size(); texel += 4 * bytes) {
    for (size_t c = 0; c < plan.channels; ++c) {
      for (size_t b = bytes; b-- > 0;) packed.push_back(codes[texel + c * bytes + b]);
    }
  }
}

}  // namespace

Result<void> write_pnm(const std::filesystem::path& path, const ImageView& image, const PnmOptions& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, std::span(&image, 1)); !fine) return fine;
    if (image.slices != 1) {
      return file_error(path, ErrorCode::kUnsupported,
                        "a PNM file holds one slice, not " + std::to_string(image.slices));
    }
    if (options.bits != 0 && options.bits != 8 && options.bits != 16) {
      return file_error(path, ErrorCode::kInvalidArgument,
                        "bits is " + std::to_string(options.bits) + ", not 0, 8 or 16");
    }
    const Result<Plan> plan = plan_for(path, image, options);
    if (!plan) return plan.error();
    auto file = AtomicFile::create(path);
    if (!file) return file.error();
    if (auto done = file->write(header_of(*plan, image.size)); !done) return done;
    // 8 bits are encoded by the core's sRGB format, which is exact; it has none for 16 bits.
    const Format codes = plan->bits == 16 ? Format::kRGBA16Unorm
                         : plan->encode   ? Format::kRGBA8Srgb
                                          : Format::kRGBA8Unorm;
    std::vector<float> rgba(size_t{4} * image.size.width);
    std::vector<std::byte> row(size_t{image.size.width} * format_info(codes).bytes_per_texel);
    std::vector<std::byte> packed;
    const bool grey = format_info(image.format).channels == 1;
    for (uint32_t y = 0; y < image.size.height; ++y) {
      decode_row(plan->stored, image.row(y), image.size.width, rgba.data());
      convert(*plan, grey, rgba);
      encode_row(codes, rgba.data(), image.size.width, row.data());
      pack(*plan, row, packed);
      if (auto done = file->write(packed); !done) return done;
    }
    return file->commit();
  });
}

}  // namespace onepass::files
