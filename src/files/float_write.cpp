// float_write.cpp: writes PFM files (raw floats) and Radiance HDR files (mantissas with a shared exponent).
//
// Sources: P. Debevec, "PFM Portable FloatMap Image Format"; G. Ward, "Real Pixels", Graphics Gems II, 1991.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "files/hdr_header.hpp"
#include "files/writers.hpp"

namespace onepass::files {
namespace {

using Rgbe = std::array<uint8_t, 4>;

constexpr size_t kLongestRun = 127;
constexpr size_t kLongestLiteral = 128;

Result<void> check_image(const std::filesystem::path& path, const ImageView& image, const char* type) {
  if (auto fine = check_levels(path, std::span(&image, 1)); !fine) return fine;
  if (image.slices == 1) return {};
  return file_error(path, ErrorCode::kUnsupported,
                    std::string("a ") + type + " file holds one slice, not " + std::to_string(image.slices));
}

/// Row `y` as RGBA floats: grey copied to three channels, straight colours composited over black.
void decode(const ImageView& image, uint32_t y, AlphaAssociation alpha, std::vector<float>& rgba) {
  decode_row(image.format, image.row(y), image.size.width, rgba.data());
  const uint32_t channels = format_info(image.format).channels;
  for (size_t i = 0; channels == 1 && i < rgba.size(); i += 4) rgba[i + 1] = rgba[i + 2] = rgba[i];
  if (channels != 4 || alpha != AlphaAssociation::kStraight) return;
  for (size_t i = 0; i < rgba.size(); i += 4) {
    for (size_t c = 0; c < 3; ++c) rgba[i + c] *= rgba[i + 3];
  }
}

/// Rounds to nearest. Negative values and NaN become 0, values above the range the largest.
Rgbe rgbe_of(const float* rgb) {
  constexpr float kMost = 0x1.FEp+126F;  // mantissa 255, exponent 255
  std::array<float, 3> light{};
  for (size_t c = 0; c < 3; ++c) light[c] = rgb[c] > 0 ? std::min(rgb[c], kMost) : 0.0F;
  const float largest = std::max({light[0], light[1], light[2]});
  if (largest < 0x1p-128F) return {};  // exponent 0 is black
  int exponent = 0;
  std::frexp(largest, &exponent);
  if (std::lround(std::ldexp(largest, 8 - exponent)) > 255) ++exponent;  // the mantissa would round to 256
  Rgbe pixel{};
  for (size_t c = 0; c < 3; ++c) pixel[c] = static_cast<uint8_t>(std::lround(std::ldexp(light[c], 8 - exponent)));
  pixel[3] = static_cast<uint8_t>(exponent + 128);
  return pixel;
}

/// Codes one plane of a scanline as runs of 4 or more and literals.
void pack_plane(const std::vector<Rgbe>& line, size_t plane, std::vector<std::byte>& out) {
  const auto run_at = [&](size_t x) {
    size_t end = x + 1;
    while (end < line.size() && end - x < kLongestRun && line[end][plane] == line[x][plane]) ++end;
    return end - x;
  };
  for (size_t x = 0; x < line.size();) {
    if (const size_t run = run_at(x); run >= 4) {
      out.push_back(static_cast<std::byte>(128 + run));
      out.push_back(static_cast<std::byte>(line[x][plane]));
      x += run;
      continue;
    }
    size_t end = x + 1;
    while (end < line.size() && end - x < kLongestLiteral && run_at(end) < 4) ++end;
    out.push_back(static_cast<std::byte>(end - x));
    for (; x < end; ++x) out.push_back(static_cast<std::byte>(line[x][plane]));
  }
}

void pack_scanline(const std::vector<Rgbe>& line, std::vector<std::byte>& out) {
  const auto width = static_cast<uint32_t>(line.size());
  if (width < kMinRunWidth || width > kMaxRunWidth) {
    for (const Rgbe& pixel : line) {
      for (const uint8_t byte : pixel) out.push_back(static_cast<std::byte>(byte));
    }
    return;
  }
  for (const uint32_t byte : {2U, 2U, width >> 8, width & 255}) out.push_back(static_cast<std::byte>(byte));
  for (size_t plane = 0; plane < 4; ++plane) pack_plane(line, plane, out);
}

}  // namespace

Result<void> write_pfm(const std::filesystem::path& path, const ImageView& image, AlphaAssociation alpha) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_image(path, image, "PFM"); !fine) return fine;
    auto file = AtomicFile::create(path);
    if (!file) return file.error();
    const bool grey = format_info(image.format).channels == 1;
    // Rows are stored from the bottom up; the negative scale states little-endian floats.
    const std::string header = std::string(grey ? "Pf\n" : "PF\n") + std::to_string(image.size.width) + " " +
                               std::to_string(image.size.height) + "\n-1.0\n";
    if (auto done = file->write(header); !done) return done;
    std::vector<float> rgba(size_t{4} * image.size.width);
    std::vector<float> packed;
    const size_t channels = grey ? 1 : 3;
    for (uint32_t y = image.size.height; y-- > 0;) {
      decode(image, y, alpha, rgba);
      packed.clear();
      for (size_t i = 0; i < rgba.size(); i += 4) packed.insert(packed.end(), &rgba[i], &rgba[i] + channels);
      if (auto done = file->write(std::as_bytes(std::span(packed))); !done) return done;
    }
    return file->commit();
  });
}

Result<void> write_hdr(const std::filesystem::path& path, const ImageView& image, AlphaAssociation alpha) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_image(path, image, "Radiance HDR"); !fine) return fine;
    auto file = AtomicFile::create(path);
    if (!file) return file.error();
    const std::string header = "#?RADIANCE\nSOFTWARE=onepass " ONEPASS_VERSION "\nFORMAT=32-bit_rle_rgbe\n\n-Y " +
                               std::to_string(image.size.height) + " +X " + std::to_string(image.size.width) + "\n";
    if (auto done = file->write(header); !done) return done;
    std::vector<float> rgba(size_t{4} * image.size.width);
    std::vector<Rgbe> line(image.size.width);
    std::vector<std::byte> packed;
    for (uint32_t y = 0; y < image.size.height; ++y) {
      decode(image, y, alpha, rgba);
      for (size_t x = 0; x < line.size(); ++x) line[x] = rgbe_of(&rgba[4 * x]);
      packed.clear();
      pack_scanline(line, packed);
      if (auto done = file->write(packed); !done) return done;
    }
    return file->commit();
  });
}

}  // namespace onepass::files
