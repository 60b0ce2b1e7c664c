// jpeg_read.cpp: reads JPEG files with libjpeg-turbo, by rows or as a whole.
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
#include <memory>

#include "files/cmyk.hpp"
#include "files/encoding.hpp"
#include "files/exif.hpp"
#include "files/icc.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "files/row_reader.hpp"
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

// libjpeg's objects of one file, and the bytes that it reads: the whole file in memory, or a buffer of an open one.
struct Decoder {
  jpeg_decompress_struct state{};
  ErrorManager errors;
  jpeg_progress_mgr progress{};
  jpeg_source_mgr input{};
  const Source& source;
  uint64_t position = 0;  // behind `buffer`
  std::vector<std::byte> buffer;
  int read_error = 0;  // errno

  explicit Decoder(const Source& file) : source(file) {
    state.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = &on_error;
    errors.base.emit_message = &on_message;
    progress.progress_monitor = &on_progress;
    state.client_data = this;
    input.init_source = &on_start;
    input.fill_input_buffer = &on_fill;
    input.skip_input_data = &on_skip;
    input.resync_to_restart = &jpeg_resync_to_restart;
    input.term_source = &on_start;
    if (source.in_memory()) {
      input.next_input_byte = reinterpret_cast<const JOCTET*>(source.bytes.data());
      input.bytes_in_buffer = source.bytes.size();
      position = source.bytes.size();
    } else {
      buffer.resize(65536);
    }
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&state); }

  static void on_start(j_decompress_ptr /*info*/) {}
  static boolean on_fill(j_decompress_ptr info) {
    Decoder& self = *static_cast<Decoder*>(info->client_data);
    const uint64_t left = self.source.size() - std::min(self.position, self.source.size());
    const size_t count = static_cast<size_t>(std::min<uint64_t>(left, self.buffer.size()));
    if (count == 0) ERREXIT(info, JWRN_JPEG_EOF);
    self.read_error = self.source.read_at(self.position, {self.buffer.data(), count});
    if (self.read_error != 0) ERREXIT(info, JWRN_JPEG_EOF);
    self.position += count;
    self.input.next_input_byte = reinterpret_cast<const JOCTET*>(self.buffer.data());
    self.input.bytes_in_buffer = count;
    return TRUE;
  }
  static void on_skip(j_decompress_ptr info, long count) {  // NOLINT: libjpeg's type
    Decoder& self = *static_cast<Decoder*>(info->client_data);
    auto skip = static_cast<size_t>(std::max(count, 0L));
    if (skip <= self.input.bytes_in_buffer) {
      self.input.next_input_byte += skip;
      self.input.bytes_in_buffer -= skip;
      return;
    }
    self.position += skip - self.input.bytes_in_buffer;
    self.input.bytes_in_buffer = 0;
  }
};

bool read_header(Decoder& decoder, uint64_t max_bytes) {
  if (setjmp(decoder.errors.target) != 0) return false;  // NOLINT
  jpeg_create_decompress(&decoder.state);
  // A second limit behind check_memory(): libjpeg-turbo has no backing store and refuses larger arrays.
  decoder.state.mem->max_memory_to_use = static_cast<long>(std::min<uint64_t>(max_bytes, LONG_MAX));  // NOLINT
  decoder.state.progress = &decoder.progress;
  decoder.state.src = &decoder.input;
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

bool start_pixels(Decoder& decoder, J_COLOR_SPACE space) {
  if (setjmp(decoder.errors.target) != 0) return false;  // NOLINT
  // Segments between scans are not kept.
  for (const int marker : {kExifMarker, kIccMarker}) jpeg_save_markers(&decoder.state, marker, 0);
  decoder.state.out_color_space = space;
  jpeg_start_decompress(&decoder.state);
  return true;
}

// Reads some rows, and what follows the last one.
bool read_rows(Decoder& decoder, uint32_t count, std::byte* out, size_t stride) {
  if (setjmp(decoder.errors.target) != 0) return false;  // NOLINT
  // libjpeg's own count of rows is used, because a jump would leave changed variables undefined.
  const JDIMENSION first = decoder.state.output_scanline;
  while (decoder.state.output_scanline - first < count) {
    auto* row = reinterpret_cast<JSAMPROW>(out + (decoder.state.output_scanline - first) * stride);
    jpeg_read_scanlines(&decoder.state, &row, 1);
  }
  if (decoder.state.output_scanline == decoder.state.output_height) jpeg_finish_decompress(&decoder.state);
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

// Further pictures in the file that change how it is meant to look: a map of gains for brighter displays, by Adobe's
// metadata (Ultra HDR), ISO 21496-1 or Apple's; other pictures of CIPA DC-007 (MPF). Empty: none.
std::string further_pictures(const Decoder& decoder) {
  bool gains = false;
  bool more = false;
  for (const jpeg_marker_struct* marker = decoder.state.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    const auto holds = [&](std::string_view text) { return data.find(text) != std::string_view::npos; };
    if (marker->marker == kExifMarker && data.starts_with("http://ns.adobe.com/xap/1.0/")) {
      gains = gains || holds("hdr-gain-map/1.0/") || holds("HDRGainMap") || holds("hdrgainmap");
    }
    if (marker->marker != kIccMarker) continue;
    gains = gains || data.starts_with("urn:iso:std:iso:ts:21496");
    more = more || data.starts_with(std::string_view("MPF\0", 4));
  }
  if (gains) return "its gain map (HDR) is not applied: the picture for standard displays is read";
  return more ? "its further pictures (MPF), such as a gain map, are not read" : "";
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

// Counts the segments before the first scan, by the same rule as libjpeg. Looks at headers only; bytes between segments
// are passed over one by one.
Segments saved_segments(const Source& source) {
  constexpr uint8_t kApp1 = 0xe1;
  constexpr uint8_t kApp2 = 0xe2;
  constexpr uint8_t kStartOfScan = 0xda;
  Segments kept;
  std::array<std::byte, 4096> window{};
  uint64_t first = 0;  // offset of window
  size_t held = 0;
  for (uint64_t at = 2;;) {
    if (at < first || at + 4 > first + held) {
      first = at;
      held = static_cast<size_t>(std::min<uint64_t>(source.size() - std::min(at, source.size()), window.size()));
      if (held < 4 || source.read_at(at, std::span(window.data(), held)) != 0) return kept;
    }
    const auto byte = [&](size_t i) { return std::to_integer<uint8_t>(window[at - first + i]); };
    if (byte(0) != 0xff || byte(1) == 0 || byte(1) == 0xff) {  // not a marker yet
      ++at;
      continue;
    }
    const uint8_t code = byte(1);
    at += 2;
    if (code == kStartOfScan) return kept;
    if (code == 1 || (code >= 0xd0 && code <= 0xd9)) continue;  // has no contents
    const uint64_t length = uint64_t{byte(2)} << 8 | byte(3);
    if (code == kApp1) kept.exif += length;
    if (code == kApp2) kept.profile += length;
    at += std::max<uint64_t>(length, 2);
  }
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
uint64_t profile_bytes(const Segments& saved, const Layout& layout) {
  return 4 * saved.profile + (layout.inks ? inks_bytes(saved.profile) : icc_bytes(saved.profile));
}

Error damaged(const Source& source, const Decoder& decoder) {
  if (decoder.read_error > 0) {
    return source.unreadable(decoder.read_error);
  }
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

// The decoder of one file and what it has found before the pixels.
class JpegReader final : public RowReader {
 public:
  // `texels`: rows are gray or RGBA, for images; else gray or RGB. CMYK is read as four inks.
  JpegReader(const Source& source, bool texels) : source_(source), texels_(texels), decoder_(source_) {}

  Result<void> open(uint64_t max_bytes) {
    const Segments saved = saved_segments(source_);
    saved_bytes_ = saved.exif;
    if (auto fine = check_memory(source_, {.max_bytes = max_bytes}, saved.exif + saved.profile + kDecoderBytes,
                                 "JPEG: reading the header");
        !fine) {
      return fine;
    }
    if (!read_header(decoder_, max_bytes)) return damaged(source_, decoder_);
    jpeg_decompress_struct& state = decoder_.state;
    header_.size = {state.image_width, state.image_height};
    const auto [width, height] = header_.size;
    if (auto fine = check_size(source_, width, height); !fine) return fine;
    const Result<Layout> layout = layout_of(source_, state);
    if (!layout) return layout.error();
    layout_ = *layout;
    if (auto fine = check_plausible(source_, width, height, uint64_t{width} * height, kJpegRatio); !fine) return fine;
    saved_bytes_ += profile_bytes(saved, layout_);
    header_.layout.channels = layout_.gray ? 1 : texels_ || layout_.inks ? 4 : 3;
    header_.layout.colour = !layout_.gray;
    header_.orientation = orientation(decoder_);
    header_.stored_channels = static_cast<uint32_t>(state.num_components);
    header_.stored_bits = 8;
    if (state.density_unit != 0 && state.X_density > 0 && state.Y_density > 0) {
      header_.resolution = Resolution{static_cast<double>(state.X_density), static_cast<double>(state.Y_density),
                                      static_cast<uint16_t>(state.density_unit == 1 ? 2 : 3)};
    }
    if (std::string text = further_pictures(decoder_); !text.empty()) header_.warnings.push_back(std::move(text));
    return {};
  }

  // Joins the segments of the profile. Memory for it must have been checked.
  Result<void> open_profile() {
    Result<std::vector<std::byte>> profile = icc_profile(source_, decoder_, header_.warnings);
    if (!profile) return profile.error();
    header_.colors.icc = std::move(*profile);
    return {};
  }

  [[nodiscard]] bool gray() const { return layout_.gray; }
  [[nodiscard]] bool inks() const { return layout_.inks; }
  [[nodiscard]] uint64_t memory_bytes() const override { return decoder_bytes_ + saved_bytes_; }
  void count_memory() { decoder_bytes_ = decoder_bytes(decoder_.state); }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    const J_COLOR_SPACE space = layout_.inks   ? JCS_CMYK
                                : layout_.gray ? JCS_GRAYSCALE
                                : texels_      ? JCS_EXT_RGBA
                                               : JCS_RGB;
    if (!started_ && !start_pixels(decoder_, space)) return damaged(source_, decoder_);
    started_ = true;
    if (read_rows(decoder_, rows, out, stride)) return {};
    return damaged(source_, decoder_);
  }

 private:
  Source source_;
  bool texels_;
  bool started_ = false;
  Decoder decoder_;  // refers to source_
  Layout layout_;
  uint64_t saved_bytes_ = 0;
  uint64_t decoder_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_jpeg_rows(const Source& source, const RowOptions& options) {
  auto reader = std::make_unique<JpegReader>(source, false);
  if (auto done = reader->open(options.max_bytes); !done) return done.error();
  if (reader->inks()) return std::unique_ptr<RowReader>();
  reader->count_memory();
  const Extent size = reader->header().size;
  if (auto fine = check_memory(source, {.max_bytes = options.max_bytes}, reader->memory_bytes() + reader->row_bytes(),
                               "JPEG: decoding " + size_text(size.width, size.height) + " pixels");
      !fine) {
    return fine.error();
  }
  if (auto done = reader->open_profile(); !done) return done.error();
  return std::unique_ptr<RowReader>(std::move(reader));
}

Result<ImageFile> read_jpeg(const Source& source, const ReadOptions& options) {
  JpegReader reader(source, true);
  if (auto done = reader.open(options.max_bytes); !done) return done.error();
  reader.count_memory();
  const Extent size = reader.header().size;
  const uint64_t bytes =
      image_bytes(unorm8_format(reader.gray(), false), size.width, size.height) + reader.memory_bytes();
  if (auto fine =
          check_memory(source, options, bytes, "JPEG: an image of " + size_text(size.width, size.height) + " pixels");
      !fine) {
    return fine.error();
  }
  if (auto done = reader.open_profile(); !done) return done.error();
  const PictureHeader& header = reader.header();
  const bool inks = reader.inks();

  // A CMYK profile is applied by inks_to_srgb() below; the result is sRGB.
  Encoding encoding = encoding_of(inks ? ColorTags{.srgb = true} : header.colors, options, reader.gray());
  Result<Image> image = create_image(source, unorm8_format(reader.gray(), encoding.linear), size);
  if (!image) return image.error();
  if (auto done = reader.read(size.height, image->data(), image->view().row_stride); !done) return done.error();
  ImageFile file;
  file.warnings = header.warnings;
  if (inks) {
    // Whether Adobe marked the file or not, as in other decoders: files of plain amounts are not known.
    inks_to_srgb(*image, header.colors.icc, InkPolarity::kInverted, file.warnings);
  }
  recode(*image, encoding);

  add_level(file, Type::kJpeg, std::move(*image));
  describe(file, header);
  describe(file, std::move(encoding));
  return file;
}

}  // namespace onepass::files
