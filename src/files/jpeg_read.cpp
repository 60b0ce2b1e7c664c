// jpeg_read.cpp: JPEG files through libjpeg-turbo.
//
// As with libpng, errors arrive by longjmp: functions that call setjmp hold plain values only. libjpeg only warns about
// truncated and damaged data and makes pixels up; those warnings are errors here.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs FILE and size_t declared before it.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csetjmp>

#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

// A block of 8x8 samples takes at least one bit in Huffman-coded files; arithmetic coding can do better, but by this
// much only for artificial images.
constexpr uint64_t kJpegRatio = 2048;

// What libjpeg takes whatever the size: pools, tables, states of the entropy decoder.
constexpr uint64_t kDecoderBytes = uint64_t{256} << 10;

// A progressive file can hold any number of scans, each of which costs a pass over the image. Encoders use about ten.
constexpr int kMaxScans = 200;

struct ErrorManager {
  jpeg_error_mgr base{};  // first: libjpeg knows only this part
  std::jmp_buf target{};
  std::array<char, JMSG_LENGTH_MAX> message{};
};

[[noreturn]] void on_error(j_common_ptr common) {
  auto* manager = reinterpret_cast<ErrorManager*>(common->err);
  common->err->format_message(common, manager->message.data());
  std::longjmp(manager->target, 1);  // NOLINT: libjpeg's way of returning errors
}

void on_message(j_common_ptr common, int level) {
  if (level >= 0) return;  // a trace message
  switch (common->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:  // bytes between segments, left by many editors
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
      return;
    default:
      on_error(common);
  }
}

void on_progress(j_common_ptr common) {
  if (common->is_decompressor == 0) return;
  if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMaxScans) {
    auto* manager = reinterpret_cast<ErrorManager*>(common->err);
    std::snprintf(manager->message.data(), manager->message.size(), "more than %d scans", kMaxScans);
    std::longjmp(manager->target, 1);  // NOLINT
  }
}

struct Decoder {
  jpeg_decompress_struct state{};
  ErrorManager errors;
  jpeg_progress_mgr progress{};

  Decoder() {
    state.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = &on_error;
    errors.base.emit_message = &on_message;
    progress.progress_monitor = &on_progress;
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&state); }
};

bool read_header(Decoder& decoder, std::span<const std::byte> bytes, uint64_t max_bytes) {
  if (setjmp(decoder.errors.target) != 0) return false;  // NOLINT
  jpeg_create_decompress(&decoder.state);
  // A second fence behind check_memory(): libjpeg-turbo has no backing store and refuses larger arrays.
  decoder.state.mem->max_memory_to_use = static_cast<long>(std::min<uint64_t>(max_bytes, LONG_MAX));  // NOLINT
  decoder.state.progress = &decoder.progress;
  jpeg_mem_src(&decoder.state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_save_markers(&decoder.state, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(&decoder.state, TRUE);
  return true;
}

bool read_pixels(Decoder& decoder, bool gray_result, std::byte* pixels, size_t row_stride) {
  if (setjmp(decoder.errors.target) != 0) return false;  // NOLINT
  jpeg_save_markers(&decoder.state, JPEG_APP0 + 1, 0);   // those between scans serve nothing
  decoder.state.out_color_space = gray_result ? JCS_GRAYSCALE : JCS_EXT_RGBA;
  jpeg_start_decompress(&decoder.state);
  while (decoder.state.output_scanline < decoder.state.output_height) {
    auto* row = reinterpret_cast<JSAMPROW>(pixels + decoder.state.output_scanline * row_stride);
    jpeg_read_scanlines(&decoder.state, &row, 1);
  }
  jpeg_finish_decompress(&decoder.state);
  return true;
}

// The orientation in an APP1 segment: "Exif\0\0", a TIFF header, one directory of 12-byte entries; tag 0x0112, a
// 16-bit number. Anything odd counts as upright.
// Source: CIPA DC-008, "Exchangeable image file format for digital still cameras: Exif Version 2.32", section 4.5-4.6.
uint32_t orientation_in(std::span<const std::byte> segment) {
  constexpr size_t kTiff = 6;
  constexpr uint32_t kTag = 0x0112;
  if (segment.size() < kTiff + 8 || std::memcmp(segment.data(), "Exif\0\0", kTiff) != 0) return 1;
  const std::span<const std::byte> tiff = segment.subspan(kTiff);
  const bool little = std::memcmp(tiff.data(), "II*\0", 4) == 0;
  if (!little && std::memcmp(tiff.data(), "MM\0*", 4) != 0) return 1;
  const auto number = [&](size_t offset, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value = value << 8 | std::to_integer<uint32_t>(tiff[offset + (little ? size - 1 - i : i)]);
    }
    return value;
  };
  const size_t directory = number(4, 4);
  if (directory > tiff.size() || tiff.size() - directory < 2) return 1;
  const size_t entries = number(directory, 2);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (tiff.size() < entry + 12) return 1;
    if (number(entry, 2) != kTag) continue;
    const uint32_t value = number(entry + 8, 2);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

uint32_t orientation(const Decoder& decoder) {
  for (const jpeg_marker_struct* marker = decoder.state.marker_list; marker != nullptr; marker = marker->next) {
    const std::span segment(reinterpret_cast<const std::byte*>(marker->data), marker->data_length);
    if (const uint32_t value = orientation_in(segment); value != 1) return value;
  }
  return 1;
}

const char* space_name(J_COLOR_SPACE space) {
  switch (space) {
    case JCS_CMYK:
      return "CMYK";
    case JCS_YCCK:
      return "YCCK";
    default:
      return "an unknown colour space";
  }
}

// Bytes of the segments that libjpeg may keep: all APP1 (EXIF) and APP2 (ICC) before the first scan. It finds them by
// the same rule.
uint64_t kept_segments(std::span<const std::byte> bytes) {
  constexpr uint8_t kApp1 = 0xe1;
  constexpr uint8_t kApp2 = 0xe2;
  constexpr uint8_t kStartOfScan = 0xda;
  uint64_t kept = 0;
  const auto byte = [&](size_t at) { return std::to_integer<uint8_t>(bytes[at]); };
  for (size_t at = 2; at + 4 <= bytes.size();) {
    if (byte(at) != 0xff || byte(at + 1) == 0 || byte(at + 1) == 0xff) {  // not a marker yet
      ++at;
      continue;
    }
    const uint8_t code = byte(at + 1);
    at += 2;
    if (code == kStartOfScan) break;
    if (code == 1 || (code >= 0xd0 && code <= 0xd9)) continue;  // has no contents
    const size_t length = size_t{byte(at)} << 8 | byte(at + 1);
    if (code == kApp1 || code == kApp2) kept += length;
    at += std::max<size_t>(length, 2);
  }
  return kept;
}

// What libjpeg takes: coefficients of the whole image if it has several scans; else rows of blocks, about four for
// each component, and the row that colours are converted in.
uint64_t decoder_bytes(jpeg_decompress_struct& state) {
  const bool whole = jpeg_has_multiple_scans(&state) != 0;
  const auto up = [](uint64_t value, int factor) {
    const auto step = static_cast<uint64_t>(factor);
    return (value + step - 1) / step * step;
  };
  uint64_t bytes = kDecoderBytes;
  for (int c = 0; c < state.num_components; ++c) {
    const jpeg_component_info& component = state.comp_info[c];
    const uint64_t columns = up(component.width_in_blocks, component.h_samp_factor);
    const uint64_t rows = up(component.height_in_blocks, component.v_samp_factor);
    if (whole) bytes += columns * rows * sizeof(JBLOCK) + rows * sizeof(void*);
    bytes += 4 * columns * DCTSIZE2 * static_cast<uint64_t>(component.v_samp_factor);
    bytes += uint64_t{up(state.image_width, state.max_h_samp_factor)} * static_cast<uint64_t>(state.max_v_samp_factor);
  }
  return bytes;
}

Error damaged(const Source& source, const Decoder& decoder) {
  const int number = decoder.errors.base.msg_code;
  const bool memory = number == JERR_OUT_OF_MEMORY || number == JERR_NO_BACKING_STORE;
  return source.error(memory ? ErrorCode::kOutOfMemory : ErrorCode::kBadData,
                      "JPEG: " + std::string(decoder.errors.message.data()));
}

}  // namespace

Result<ImageFile> read_jpeg(const Source& source, const ReadOptions& options) {
  const uint64_t kept = kept_segments(source.bytes);
  if (auto fine = check_memory(source, options, kept + kDecoderBytes, "JPEG: reading the header"); !fine) {
    return fine.error();
  }
  Decoder decoder;
  if (!read_header(decoder, source.bytes, options.max_bytes)) return damaged(source, decoder);
  jpeg_decompress_struct& state = decoder.state;
  const uint32_t width = state.image_width;
  const uint32_t height = state.image_height;
  if (auto fine = check_size(source, width, height); !fine) return fine.error();
  const bool gray = state.jpeg_color_space == JCS_GRAYSCALE;
  if (!gray && state.jpeg_color_space != JCS_YCbCr && state.jpeg_color_space != JCS_RGB) {
    return source.unsupported(std::string("JPEG: the pixels are in ") + space_name(state.jpeg_color_space) + ", " +
                              std::to_string(state.num_components) + " components; gray, YCbCr and RGB are possible");
  }
  const uint64_t samples = uint64_t{width} * height;
  if (auto fine = check_plausible(source, width, height, samples, kJpegRatio); !fine) return fine.error();

  const bool linear = options.color == Color::kLinear;
  const Format codes = gray ? Format::kR8Unorm : Format::kRGBA8Unorm;
  const Format format = linear ? codes : with_srgb(codes);
  const uint64_t bytes = image_bytes(format, width, height) + decoder_bytes(state) + kept;
  if (auto fine = check_memory(source, options, bytes, "JPEG: an image of " + size_text(width, height) + " pixels");
      !fine) {
    return fine.error();
  }
  Result<Image> image = create_image(source, format, {width, height});
  if (!image) return image.error();
  const uint32_t exif = orientation(decoder);
  if (!read_pixels(decoder, gray, image->data(), image->view().row_stride)) return damaged(source, decoder);

  ImageFile file = single_level(Type::kJpeg, std::move(*image));
  file.stored_channels = gray ? 1 : 3;
  file.stored_bits = 8;
  file.exif_orientation = exif;
  return file;
}

}  // namespace onepass::files
