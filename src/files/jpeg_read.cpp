// jpeg_read.cpp: reads JPEG files with libjpeg-turbo.
//
// As with libpng, errors are reported by longjmp: functions that call setjmp hold plain values only. libjpeg only warns
// about truncated and damaged data and invents pixels; these warnings are errors here.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs FILE and size_t declared before it.
#include <jpeglib.h>
// jerror.h numbers its codes by macros of jpeglib.h.
#include <jerror.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csetjmp>
#include <cstdlib>

#include "files/cmyk.hpp"
#include "files/encoding.hpp"
#include "files/exif.hpp"
#include "files/icc.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "image/div_up.hpp"

namespace onepass::files {
namespace {

// A block of 8x8 samples takes at least one bit in Huffman-coded files. Arithmetic coding can be that much better only
// for artificial images.
constexpr uint64_t kJpegRatio = 2048;

// Memory of libjpeg for any image size: pools, tables, states of the entropy decoder.
constexpr uint64_t kDecoderBytes = uint64_t{256} << 10;

// A progressive file can hold any number of scans, each of which costs a pass over the image. Encoders use about ten.
constexpr int kMaxScans = 200;

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr int kIccMarker = JPEG_APP0 + 2;

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
    case JWRN_BOGUS_ICC:  // reported by icc_profile()
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
  // A second limit behind check_memory(): libjpeg-turbo has no backing store and refuses larger arrays.
  decoder.state.mem->max_memory_to_use = static_cast<long>(std::min<uint64_t>(max_bytes, LONG_MAX));  // NOLINT
  decoder.state.progress = &decoder.progress;
  jpeg_mem_src(&decoder.state, reinterpret_cast<const unsigned char*>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_save_markers(&decoder.state, kExifMarker, 0xffff);
  jpeg_save_markers(&decoder.state, kIccMarker, 0xffff);
  jpeg_read_header(&decoder.state, TRUE);
  return true;
}

// The profile in the APP2 segments, freed by the caller; null and size 0 if there is none or segments are missing.
bool read_profile(Decoder& decoder, JOCTET** profile, unsigned* size) {
  if (setjmp(decoder.errors.target) != 0) return false;  // NOLINT
  jpeg_read_icc_profile(&decoder.state, profile, size);
  return true;
}

bool read_pixels(Decoder& decoder, J_COLOR_SPACE space, std::byte* pixels, size_t row_stride) {
  if (setjmp(decoder.errors.target) != 0) return false;  // NOLINT
  // Segments between scans are not kept.
  for (const int marker : {kExifMarker, kIccMarker}) jpeg_save_markers(&decoder.state, marker, 0);
  decoder.state.out_color_space = space;
  jpeg_start_decompress(&decoder.state);
  while (decoder.state.output_scanline < decoder.state.output_height) {
    auto* row = reinterpret_cast<JSAMPROW>(pixels + decoder.state.output_scanline * row_stride);
    jpeg_read_scanlines(&decoder.state, &row, 1);
  }
  jpeg_finish_decompress(&decoder.state);
  return true;
}

uint32_t orientation(const Decoder& decoder) {
  for (const jpeg_marker_struct* marker = decoder.state.marker_list; marker != nullptr; marker = marker->next) {
    if (marker->marker != kExifMarker) continue;
    const std::span segment(reinterpret_cast<const std::byte*>(marker->data), marker->data_length);
    if (const uint32_t value = orientation_in(segment); value != 1) return value;
  }
  return 1;
}

// Kind of the pixels that libjpeg returns.
struct Layout {
  bool gray = false;
  bool inks = false;  // CMYK
};

Result<Layout> layout_of(const Source& source, const jpeg_decompress_struct& state) {
  switch (state.jpeg_color_space) {
    case JCS_GRAYSCALE:
      return Layout{.gray = true};
    case JCS_RGB:
    case JCS_YCbCr:
      return Layout{};
    case JCS_CMYK:
    case JCS_YCCK:
      return Layout{.inks = true};
    default:
      return source.unsupported("JPEG: the pixels are in an unknown colour space, " +
                                std::to_string(state.num_components) +
                                " components; gray, YCbCr, RGB, CMYK and YCCK are possible");
  }
}

// Bytes of the segments that libjpeg may keep in memory.
struct Segments {
  uint64_t exif = 0;     // APP1
  uint64_t profile = 0;  // APP2
};

// Counts the segments before the first scan, by the same rule as libjpeg.
Segments intermediate_segments(std::span<const std::byte> bytes) {
  constexpr uint8_t kApp1 = 0xe1;
  constexpr uint8_t kApp2 = 0xe2;
  constexpr uint8_t kStartOfScan = 0xda;
  Segments kept;
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
    if (code == kApp1) kept.exif += length;
    if (code == kApp2) kept.profile += length;
    at += std::max<size_t>(length, 2);
  }
  return kept;
}

// Memory of libjpeg: about four rows of blocks per component and the rows in which colours are converted; for several
// scans also the coefficients of the whole image.
uint64_t decoder_bytes(jpeg_decompress_struct& state) {
  const bool whole = jpeg_has_multiple_scans(&state) != 0;
  const auto up = [](uint64_t value, int factor) { return round_up(value, static_cast<uint64_t>(factor)); };
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

// Memory for the profile: its segments, libjpeg's and our copy of it, and the memory for reading it.
uint64_t profile_bytes(const Segments& kept, const Layout& layout) {
  return 4 * kept.profile + (layout.inks ? inks_bytes(kept.profile) : icc_bytes(kept.profile));
}

Error damaged(const Source& source, const Decoder& decoder) {
  const int number = decoder.errors.base.msg_code;
  const bool memory = number == JERR_OUT_OF_MEMORY || number == JERR_NO_BACKING_STORE;
  return source.error(memory ? ErrorCode::kOutOfMemory : ErrorCode::kBadData,
                      "JPEG: " + std::string(decoder.errors.message.data()));
}

Result<std::vector<std::byte>> icc_profile(const Source& source, Decoder& decoder, std::vector<std::string>& warnings) {
  constexpr std::string_view kMark("ICC_PROFILE", 12);
  JOCTET* profile = nullptr;
  unsigned size = 0;
  if (!read_profile(decoder, &profile, &size)) return damaged(source, decoder);
  const std::unique_ptr<JOCTET, decltype(&std::free)> owner(profile, &std::free);
  if (profile != nullptr) {
    const auto* first = reinterpret_cast<const std::byte*>(profile);
    return std::vector<std::byte>(first, first + size);
  }
  for (const jpeg_marker_struct* marker = decoder.state.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker == kIccMarker && data.starts_with(kMark)) {
      warnings.emplace_back("the ICC profile is not whole and was not used");
      break;
    }
  }
  return std::vector<std::byte>();
}

}  // namespace

Result<ImageFile> read_jpeg(const Source& source, const ReadOptions& options) {
  const Segments kept = intermediate_segments(source.bytes);
  if (auto fine = check_memory(source, options, kept.exif + kept.profile + kDecoderBytes, "JPEG: reading the header");
      !fine) {
    return fine.error();
  }
  Decoder decoder;
  if (!read_header(decoder, source.bytes, options.max_bytes)) return damaged(source, decoder);
  jpeg_decompress_struct& state = decoder.state;
  const Extent size{state.image_width, state.image_height};
  if (auto fine = check_size(source, size.width, size.height); !fine) return fine.error();
  const Result<Layout> layout = layout_of(source, state);
  if (!layout) return layout.error();
  const uint64_t samples = uint64_t{size.width} * size.height;
  if (auto fine = check_plausible(source, size.width, size.height, samples, kJpegRatio); !fine) return fine.error();
  const uint64_t bytes = image_bytes(unorm8_format(layout->gray, false), size.width, size.height) +
                         decoder_bytes(state) + kept.exif + profile_bytes(kept, *layout);
  if (auto fine =
          check_memory(source, options, bytes, "JPEG: an image of " + size_text(size.width, size.height) + " pixels");
      !fine) {
    return fine.error();
  }

  ImageFile file;
  Result<std::vector<std::byte>> profile = icc_profile(source, decoder, file.warnings);
  if (!profile) return profile.error();
  // A CMYK profile is applied by inks_to_srgb() below; the result is sRGB.
  const ColorTags tags{.icc = layout->inks ? std::vector<std::byte>() : *profile, .srgb = layout->inks};
  Encoding encoding = encoding_of(tags, options, layout->gray);
  const Format format = unorm8_format(layout->gray, encoding.linear);
  Result<Image> image = create_image(source, format, size);
  if (!image) return image.error();
  const uint32_t exif = orientation(decoder);
  const J_COLOR_SPACE space = layout->inks                        ? JCS_CMYK
                              : format_info(format).channels == 1 ? JCS_GRAYSCALE
                                                                  : JCS_EXT_RGBA;
  if (!read_pixels(decoder, space, image->data(), image->view().row_stride)) return damaged(source, decoder);
  if (layout->inks) {
    // Adobe's programs began to store inks inverted; other writers do the same without Adobe's marker, and browsers,
    // ImageMagick and Pillow read every CMYK JPEG so.
    inks_to_srgb(*image, *profile, InkPolarity::kInverted, file.warnings);
  }
  recode(*image, encoding);

  add_level(file, Type::kJpeg, std::move(*image));
  file.stored_channels = static_cast<uint32_t>(state.num_components);
  file.stored_bits = 8;
  file.exif_orientation = exif;
  describe(file, std::move(encoding));
  return file;
}

}  // namespace onepass::files
