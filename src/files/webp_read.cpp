// webp_read.cpp: reads WebP files with libwebp: lossy and lossless still pictures.
//
// Chunks other than the pixels (ICC profile, EXIF) are found here: a RIFF container is a list of name, size and bytes.
// Source: Google, "WebP Container Specification".
#include <webp/decode.h>

#include <algorithm>
#include <string>

#include "files/encoding.hpp"
#include "files/exif.hpp"
#include "files/icc.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

constexpr size_t kRiffHeader = 12;  // "RIFF", size, "WEBP"
constexpr size_t kChunkHeader = 8;  // name, size

// The first chunk of this name; empty if there is none.
std::span<const std::byte> chunk(std::span<const std::byte> file, std::string_view name) {
  size_t at = kRiffHeader;
  while (file.size() - at >= kChunkHeader) {
    const size_t size = load<uint32_t>(file, at + 4);
    const size_t left = file.size() - at - kChunkHeader;
    if (size > left) return {};
    if (std::memcmp(&file[at], name.data(), name.size()) == 0) return file.subspan(at + kChunkHeader, size);
    at += kChunkHeader + std::min(size + size % 2, left);
  }
  return {};
}

const char* status_text(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return "out of memory";
    case VP8_STATUS_BITSTREAM_ERROR:
      return "the compressed pixels are damaged";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "a feature that libwebp does not have";
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return "truncated";
    default:
      return "damaged";
  }
}

Error failed(const Source& source, VP8StatusCode status) {
  const ErrorCode code = status == VP8_STATUS_OUT_OF_MEMORY         ? ErrorCode::kOutOfMemory
                         : status == VP8_STATUS_UNSUPPORTED_FEATURE ? ErrorCode::kUnsupported
                                                                    : ErrorCode::kBadData;
  return source.error(code, std::string("WebP: ") + status_text(status));
}

Result<void> check_container(const Source& source) {
  const uint64_t size = uint64_t{load<uint32_t>(source.bytes, 4)} + 8;
  if (size <= source.bytes.size()) return {};
  return source.bad("WebP: truncated: the RIFF size says " + std::to_string(size) + " bytes, " +
                    std::to_string(source.bytes.size()) + " are there");
}

// Memory for the pixels. For lossless files libwebp needs as much again, with up to 16 rows more, and tables of prefix
// codes for areas of at least 16 pixels; for lossy ones alpha and rows. Encoders make at most some hundred such tables;
// a file could have 65536, which is not covered here. A lossless picture can be a few bytes long, so that the length of
// a file gives no bound.
uint64_t memory_of(const WebPBitstreamFeatures& features, size_t profile) {
  constexpr uint64_t kDecoderBytes = uint64_t{512} << 10;
  constexpr uint64_t kTableBytes = uint64_t{12} << 10;
  constexpr uint64_t kMostTables = 1000;
  const auto width = static_cast<uint64_t>(features.width);
  const auto height = static_cast<uint64_t>(features.height);
  return image_bytes(Format::kRGBA8Unorm, width, height) + 4 * width * (height + 64) +
         std::min(width * height / 16, kMostTables) * kTableBytes + kDecoderBytes + 2 * profile + icc_bytes(profile);
}

VP8StatusCode decode(const Source& source, const ReadOptions& options, Image& image) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) return VP8_STATUS_INVALID_PARAM;
  config.options.use_threads = options.threads == 1 ? 0 : 1;
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = reinterpret_cast<uint8_t*>(image.data());
  config.output.u.RGBA.stride = static_cast<int>(image.view().row_stride);
  config.output.u.RGBA.size = image.size_in_bytes();
  const VP8StatusCode status =
      WebPDecode(reinterpret_cast<const uint8_t*>(source.bytes.data()), source.bytes.size(), &config);
  WebPFreeDecBuffer(&config.output);
  return status;
}

}  // namespace

Result<ImageFile> read_webp(const Source& source, const ReadOptions& options) {
  WebPBitstreamFeatures features;
  const auto* bytes = reinterpret_cast<const uint8_t*>(source.bytes.data());
  if (auto fine = check_container(source); !fine) return fine.error();
  if (const VP8StatusCode status = WebPGetFeatures(bytes, source.bytes.size(), &features); status != VP8_STATUS_OK) {
    return failed(source, status);
  }
  if (features.has_animation != 0) {
    return source.unsupported("WebP: is an animation (chunk ANIM); still pictures are possible");
  }
  const Extent size{static_cast<uint32_t>(features.width), static_cast<uint32_t>(features.height)};
  if (auto fine = check_size(source, size.width, size.height); !fine) return fine.error();
  const std::span<const std::byte> profile = chunk(source.bytes, "ICCP");
  if (auto fine = check_memory(source, options, memory_of(features, profile.size()),
                               "WebP: an image of " + size_text(size.width, size.height) + " pixels");
      !fine) {
    return fine.error();
  }
  Encoding encoding = encoding_of({.icc = {profile.begin(), profile.end()}}, options, false);
  Result<Image> image = create_image(source, unorm8_format(false, encoding.linear), size);
  if (!image) return image.error();
  if (const VP8StatusCode status = decode(source, options, *image); status != VP8_STATUS_OK) {
    return failed(source, status);
  }
  recode(*image, encoding);
  ImageFile file = single_level(Type::kWebp, std::move(*image));
  file.alpha = features.has_alpha != 0 ? AlphaAssociation::kStraight : AlphaAssociation::kNone;
  file.stored_channels = features.has_alpha != 0 ? 4 : 3;
  file.stored_bits = 8;
  file.exif_orientation = orientation_in(chunk(source.bytes, "EXIF"));
  describe(file, std::move(encoding));
  return file;
}

}  // namespace onepass::files
