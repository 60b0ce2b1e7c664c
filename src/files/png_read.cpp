// png_read.cpp: reads PNG files of every bit depth and colour type with libpng, by rows or as a whole.
//
// libpng sees neither texts nor chunks that it does not know: their headers are scanned before it runs. Sizes are
// compared with the length of the file and the limit of memory before libpng allocates rows.
//
// libpng reports errors by longjmp. Objects with destructors therefore live outside the functions that call setjmp;
// those hold plain values only, and nothing they change is read after a jump.
#include <png.h>

#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "files/encoding.hpp"
#include "files/exif.hpp"
#include "files/icc.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "files/row_reader.hpp"

namespace onepass::files {
namespace {

static_assert(std::endian::native == std::endian::little, "16-bit samples are swapped to little-endian on reading");

// Deflate compresses by a factor of at most 1032.
constexpr uint64_t kDeflateRatio = 1032;

// Chunks that are not used. libpng would decompress texts, to up to a thousand times their size, and keep them all.
constexpr png_byte kIgnored[] = "tEXt\0zTXt\0iTXt\0sPLT\0hIST\0tIME\0pCAL\0sCAL\0oFFs\0eXIf\0bKGD\0sBIT";
constexpr int kIgnoredCount = static_cast<int>(sizeof(kIgnored) / 5);

// Limit of one chunk except IDAT, stored and inflated: the largest ICC profiles in use have 4 MiB.
constexpr png_alloc_size_t kMaxChunkBytes = png_alloc_size_t{4} << 20;

// Memory of libpng and zlib besides the pixels: structs, the inflate window, the IDAT buffer.
constexpr uint64_t kDecoderBytes = uint64_t{192} << 10;

// Properties of the file, as read by libpng.
struct Layout {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t stored_channels = 0;
  uint32_t stored_bits = 0;
  uint64_t stored_bytes = 0;  // of all rows before deflate
  bool interlaced = false;
  bool srgb = false;  // there is an sRGB chunk
  double gamma = 0;   // 1 / gAMA; 0 without
  bool has_chromaticities = false;
  std::array<double, 8> chromaticities{};  // of cHRM: white, red, green, blue
  const png_byte* icc = nullptr;           // of iCCP; libpng keeps it
  size_t icc_size = 0;
  std::array<uint32_t, 2> pixels_per_metre{};  // of pHYs; 0 without
  bool gray = false;                           // gray without alpha
  bool wide = false;                           // 16 bits
};

// Chunks that libpng does not know, or would miss when they follow the pixels.
struct Chunks {
  std::optional<std::array<uint8_t, 2>> code_points;  // of cICP: primaries, transfer
  uint32_t orientation = 1;                           // of eXIf
  uint32_t frames = 0;                                // of acTL: an animation
};

uint32_t big_endian(std::span<const std::byte> bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<uint32_t>(bytes[at + i]);
  return value;
}

// Walks over the headers of all chunks. Damage is left to libpng.
Chunks scan_chunks(const Source& source) {
  constexpr uint64_t kMostExif = 65536;
  Chunks found;
  bool pixels = false;
  for (uint64_t at = 8;;) {
    std::array<std::byte, 8> header{};
    if (source.read_at(at, header) != 0) return found;
    const uint64_t length = big_endian(header, 0);
    const std::string_view name(reinterpret_cast<const char*>(&header[4]), 4);
    std::vector<std::byte> data;
    const bool wanted = (name == "cICP" && length == 4 && !pixels) || (name == "acTL" && length == 8 && !pixels) ||
                        (name == "eXIf" && length <= kMostExif);
    if (wanted) {
      data.resize(length);
      if (source.read_at(at + 8, data) != 0) return found;
    }
    if (name == "IDAT") pixels = true;
    if (wanted && name == "cICP") {
      found.code_points = {std::to_integer<uint8_t>(data[0]), std::to_integer<uint8_t>(data[1])};
    }
    if (wanted && name == "acTL") found.frames = big_endian(data, 0);
    if (wanted && name == "eXIf") found.orientation = orientation_in(data);
    if (name == "IEND") return found;
    at += 12 + length;
  }
}

// The libpng objects of one file, and the state of its callbacks.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const Source& source;
  uint64_t position = 0;
  int read_error = 0;  // errno
  std::array<char, 256> message{};

  explicit Decoder(const Source& file) : source(file) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &on_error, &on_warning);
    if (png != nullptr) info = png_create_info_struct(png);
    if (info != nullptr) return;
    png_destroy_read_struct(&png, nullptr, nullptr);  // a constructor that throws has no destructor to do it
    throw std::bad_alloc();
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }

  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto* self = static_cast<Decoder*>(png_get_error_ptr(png));
    std::snprintf(self->message.data(), self->message.size(), "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp /*png*/, png_const_charp /*text*/) {}

  static void on_read(png_structp png, png_bytep target, size_t count) {
    auto* self = static_cast<Decoder*>(png_get_io_ptr(png));
    const int number = self->source.read_at(self->position, {reinterpret_cast<std::byte*>(target), count});
    self->read_error = number > 0 ? number : 0;
    if (number != 0) png_error(png, "truncated");
    self->position += count;
  }
};

// Reads everything before the pixels.
bool read_header(Decoder& decoder, Layout& layout) {
  const png_structp png = decoder.png;
  const png_infop info = decoder.info;
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT: libpng's way of returning errors
  png_set_read_fn(png, &decoder, &Decoder::on_read);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kIgnored, kIgnoredCount);
  png_set_chunk_malloc_max(png, kMaxChunkBytes);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);  // the size is checked by the caller, with a better message
  png_read_info(png, info);

  const int colour = png_get_color_type(png, info);
  const bool transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  layout.width = png_get_image_width(png, info);
  layout.height = png_get_image_height(png, info);
  layout.stored_bits = png_get_bit_depth(png, info);
  layout.stored_bytes = uint64_t{png_get_rowbytes(png, info)} * layout.height;
  layout.stored_channels = (colour == PNG_COLOR_TYPE_PALETTE) ? 3 : png_get_channels(png, info);
  if (transparent) ++layout.stored_channels;
  layout.interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
  layout.gray = layout.stored_channels == 1;
  layout.wide = layout.stored_bits == 16;

  layout.srgb = png_get_valid(png, info, PNG_INFO_sRGB) != 0;
  png_fixed_point gamma = 0;
  if (png_get_gAMA_fixed(png, info, &gamma) != 0 && gamma > 0) layout.gamma = double{PNG_FP_1} / gamma;
  auto& c = layout.chromaticities;
  layout.has_chromaticities = png_get_cHRM(png, info, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7]) != 0;
  png_charp name = nullptr;
  int method = 0;
  png_bytep profile = nullptr;
  png_uint_32 size = 0;
  if (png_get_iCCP(png, info, &name, &method, &profile, &size) != 0) {
    layout.icc = profile;
    layout.icc_size = size;
  }
  png_uint_32 x = 0;
  png_uint_32 y = 0;
  int unit = 0;
  if (png_get_pHYs(png, info, &x, &y, &unit) != 0 && unit == PNG_RESOLUTION_METER) layout.pixels_per_metre = {x, y};
  return true;
}

// Expands palettes, small samples and tRNS, and puts the lower byte of 16 bits first. `texels`: gray or RGBA, for
// images; else the channels of the file. `row_bytes`: as the caller expects.
bool start_pixels(Decoder& decoder, bool texels, bool gray, bool wide, size_t row_bytes) {
  const png_structp png = decoder.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT
  png_set_expand(png);
  if (texels && !gray) {
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
  }
  if (wide) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, decoder.info);
  if (png_get_rowbytes(png, decoder.info) != row_bytes) png_error(png, "unexpected row size");
  return true;
}

// Reads all rows and the chunks after them.
bool read_pixels(Decoder& decoder, png_bytepp rows) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;  // NOLINT
  png_read_image(decoder.png, rows);
  png_read_end(decoder.png, nullptr);
  return true;
}

// Reads some rows; `last`: also the chunks after them, so that a truncated file is noticed.
bool read_rows(Decoder& decoder, uint32_t rows, std::byte* out, size_t stride, bool last) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;  // NOLINT
  for (uint32_t y = 0; y < rows; ++y) png_read_row(decoder.png, reinterpret_cast<png_bytep>(out + y * stride), nullptr);
  if (last) png_read_end(decoder.png, nullptr);
  return true;
}

ColorTags tags_of(const Layout& layout, const Chunks& chunks) {
  ColorTags tags;
  tags.code_points = chunks.code_points;
  const auto* icc = reinterpret_cast<const std::byte*>(layout.icc);
  if (icc != nullptr) tags.icc.assign(icc, icc + layout.icc_size);
  tags.srgb = layout.srgb;
  const auto& c = layout.chromaticities;
  if (layout.has_chromaticities)
    tags.primaries = Chromaticities{{c[2], c[3]}, {c[4], c[5]}, {c[6], c[7]}, {c[0], c[1]}};
  if (layout.gamma > 0) tags.gamma = layout.gamma;
  tags.numbers = layout.wide && layout.stored_channels <= 2;  // colours of PNG are sRGB at any depth
  return tags;
}

// Checks the size in the header before libpng does. Sizes that libpng refuses are left to it.
Result<void> check_claimed_size(const Source& source) {
  constexpr size_t kWidth = 16;  // after the signature and the length and the name of IHDR
  constexpr uint32_t kMostOfPng = 0x7fffffff;
  std::array<std::byte, 8> bytes{};
  if (source.read_at(kWidth, bytes) != 0) return {};
  const uint32_t width = big_endian(bytes, 0);
  const uint32_t height = big_endian(bytes, 4);
  if (width > kMostOfPng || height > kMostOfPng) return {};
  return check_size(source, width, height);
}

// Memory of libpng and zlib: rows of at most 8 bytes per pixel, the profile, and our copy of it.
uint64_t decoder_bytes(const Layout& layout) {
  return kDecoderBytes + 3 * (8 * uint64_t{layout.width} + 64) + 2 * layout.icc_size;
}

// The decoder of one file and what it has found before the pixels.
class PngReader final : public RowReader {
 public:
  // `texels`: see start_pixels().
  PngReader(const Source& source, bool texels) : source_(source), texels_(texels), decoder_(source_) {}

  Result<void> open() {
    if (auto fine = check_claimed_size(source_); !fine) return fine;
    if (!read_header(decoder_, layout_)) return damaged();
    if (auto fine = check_size(source_, layout_.width, layout_.height); !fine) return fine;
    if (auto fine = check_plausible(source_, layout_.width, layout_.height, layout_.stored_bytes, kDeflateRatio);
        !fine) {
      return fine;
    }
    const Chunks chunks = scan_chunks(source_);
    const uint32_t stored = layout_.stored_channels;
    header_.size = {layout_.width, layout_.height};
    header_.layout.sample = layout_.wide ? Sample::kU16 : Sample::kU8;
    header_.layout.channels = texels_ && !layout_.gray ? 4 : stored;
    header_.layout.colour = stored >= 3;
    header_.layout.alpha = stored % 2 == 0 ? AlphaAssociation::kStraight : AlphaAssociation::kNone;
    header_.colors = tags_of(layout_, chunks);
    header_.orientation = chunks.orientation;
    header_.stored_channels = stored;
    header_.stored_bits = layout_.stored_bits;
    if (const auto [x, y] = layout_.pixels_per_metre; x > 0 && y > 0) {
      constexpr double kCentimetres = 100;
      header_.resolution = Resolution{x / kCentimetres, y / kCentimetres, 3};
    }
    if (chunks.frames > 1) {
      header_.warnings.push_back("is an animation of " + std::to_string(chunks.frames) +
                                 " frames (acTL), of which the still picture is read");
    }
    return {};
  }

  [[nodiscard]] uint64_t memory_bytes() const override {
    const uint64_t height = header_.size.height;
    if (texels_) return decoder_bytes(layout_) + icc_bytes(layout_.icc_size) + sizeof(png_bytep) * height;
    return decoder_bytes(layout_) + (layout_.interlaced ? row_bytes() * height : 0);
  }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    if (y_ == 0) {
      if (auto done = start(); !done) return done;
    }
    if (layout_.interlaced) return read_interlaced(rows, out, stride);
    y_ += rows;
    if (!read_rows(decoder_, rows, out, stride, y_ == header_.size.height)) return damaged();
    return {};
  }

 private:
  Result<void> start() {
    if (start_pixels(decoder_, texels_, layout_.gray, layout_.wide, row_bytes())) return {};
    return damaged();
  }

  // The last pass of an interlaced file touches every row: all are decoded at once, to the caller's memory if it takes
  // all of them.
  Result<void> read_interlaced(uint32_t rows, std::byte* out, size_t stride) {
    if (y_ == 0) {
      const bool all = rows == header_.size.height;
      if (!all) whole_.resize(row_bytes() * header_.size.height);
      std::byte* first = all ? out : whole_.data();
      std::vector<png_bytep> pointers(header_.size.height);
      for (size_t y = 0; y < pointers.size(); ++y) {
        pointers[y] = reinterpret_cast<png_bytep>(first + y * (all ? stride : row_bytes()));
      }
      if (!read_pixels(decoder_, pointers.data())) return damaged();
      if (all) return {};
    }
    for (; rows > 0; --rows, ++y_, out += stride) std::memcpy(out, whole_.data() + y_ * row_bytes(), row_bytes());
    return {};
  }

  [[nodiscard]] Error damaged() const {
    if (decoder_.read_error != 0) {
      return source_.unreadable(decoder_.read_error);
    }
    const std::string_view message = decoder_.message.data();
    const bool memory = message.find("memory") != std::string_view::npos;  // "Out of memory", "insufficient memory"
    return source_.error(memory ? ErrorCode::kOutOfMemory : ErrorCode::kBadData, "PNG: " + std::string(message));
  }

  Source source_;
  bool texels_;
  Decoder decoder_;  // refers to source_
  Layout layout_;
  uint32_t y_ = 0;
  std::vector<std::byte> whole_;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_png_rows(const Source& source, const RowOptions& /*options*/) {
  auto reader = std::make_unique<PngReader>(source, false);
  if (auto done = reader->open(); !done) return done.error();
  return std::unique_ptr<RowReader>(std::move(reader));
}

Result<ImageFile> read_png(const Source& source, const ReadOptions& options) {
  PngReader reader(source, true);
  if (auto done = reader.open(); !done) return done.error();
  return image_of_rows(reader, source, options, Type::kPng, "PNG");
}

}  // namespace onepass::files
