// png_read.cpp: reads PNG files of every bit depth and colour type with libpng.
//
// libpng reports errors by longjmp. Objects with destructors therefore live outside the functions that call setjmp;
// those hold plain values only, and nothing they change is read after a jump.
#include <png.h>

#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "files/encoding.hpp"
#include "files/icc.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

static_assert(std::endian::native == std::endian::little, "16-bit samples are swapped to little-endian on reading");

// Deflate compresses by a factor of at most 1032.
constexpr uint64_t kDeflateRatio = 1032;

// Name of the chunk cICP, unknown to libpng 1.6, in the form that libpng requires.
constexpr png_byte kColourCodes[5] = {'c', 'I', 'C', 'P', 0};

// Chunks that are not used. libpng would decompress texts, to up to a thousand times their size, and keep them all.
constexpr png_byte kIgnored[] = "tEXt\0zTXt\0iTXt\0sPLT\0hIST\0tIME\0pCAL\0sCAL\0oFFs\0eXIf\0bKGD\0sBIT";
constexpr int kIgnoredCount = static_cast<int>(sizeof(kIgnored) / 5);

// Limit of one chunk except IDAT, stored and inflated: the largest ICC profiles in use have 4 MiB.
constexpr png_alloc_size_t kMaxChunkBytes = png_alloc_size_t{4} << 20;

// libpng keeps two unknown chunks fewer than this; a valid file has one cICP.
constexpr png_uint_32 kChunkCache = 3;

// Memory of libpng and zlib besides the pixels: structs, the inflate window, the IDAT buffer.
constexpr uint64_t kDecoderBytes = uint64_t{192} << 10;

// Properties of the file, as read by libpng.
struct Layout {
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t stored_channels = 0;
  uint32_t stored_bits = 0;
  uint64_t stored_bytes = 0;  // of all rows before deflate
  bool srgb = false;          // there is an sRGB chunk
  double gamma = 0;           // 1 / gAMA; 0 without
  bool has_chromaticities = false;
  std::array<double, 8> chromaticities{};  // of cHRM: white, red, green, blue
  const png_byte* code_points = nullptr;   // of cICP: primaries, transfer, matrix, range
  const png_byte* icc = nullptr;           // of iCCP; libpng keeps it
  size_t icc_size = 0;
  bool gray = false;  // gray without alpha
  bool wide = false;  // 16 bits
};

// The libpng objects of one file, and the state of its callbacks.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::byte> bytes;
  size_t position = 0;
  std::array<char, 256> message{};

  explicit Decoder(std::span<const std::byte> file) : bytes(file) {
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
    if (count > self->bytes.size() - self->position) png_error(png, "truncated");
    std::memcpy(target, self->bytes.data() + self->position, count);
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
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, kColourCodes, 1);
  png_set_chunk_malloc_max(png, kMaxChunkBytes);
  png_set_chunk_cache_max(png, kChunkCache);
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
  png_unknown_chunkp chunks = nullptr;
  const int count = png_get_unknown_chunks(png, info, &chunks);
  for (int i = 0; i < count; ++i) {
    if (std::memcmp(chunks[i].name, kColourCodes, sizeof(kColourCodes)) == 0 && chunks[i].size == 4) {
      layout.code_points = chunks[i].data;
    }
  }
  return true;
}

// Requests gray or RGBA samples of 8 or 16 bits from libpng, with as many bytes per row as the target has.
bool start_pixels(Decoder& decoder, bool gray_result, bool wide, size_t row_bytes) {
  const png_structp png = decoder.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT
  png_set_expand(png);
  if (!gray_result) {
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

ColorTags tags_of(const Layout& layout) {
  ColorTags tags;
  if (layout.code_points != nullptr) tags.code_points = {layout.code_points[0], layout.code_points[1]};
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
  constexpr uint64_t kMostOfPng = 0x7fffffff;
  if (source.bytes.size() < kWidth + 8) return {};
  const auto number = [&](size_t offset) {
    uint64_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<uint64_t>(source.bytes[offset + i]);
    return value;
  };
  const uint64_t width = number(kWidth);
  const uint64_t height = number(kWidth + 4);
  if (width > kMostOfPng || height > kMostOfPng) return {};
  return check_size(source, width, height);
}

// Checks the peak of memory: the returned image, the values it is decoded from, a lookup table for those, rows of at
// most 8 bytes per pixel in libpng, pointers to rows; and the largest chunk, stored, inflated and kept.
Result<void> check_png_memory(const Source& source, const ReadOptions& options, const Layout& layout, Format stored,
                              bool decoded) {
  const uint64_t width = layout.width;
  const uint64_t height = layout.height;
  uint64_t bytes =
      image_bytes(stored, width, height) + kDecoderBytes + 3 * (8 * width + 64) + sizeof(png_bytep) * height;
  if (decoded) {  // the table has 256 or 65536 floats
    bytes += image_bytes(float_format(format_info(stored).channels), width, height) + 65536 * sizeof(float);
  }
  bytes += 2 * layout.icc_size + icc_bytes(layout.icc_size);  // libpng's, our copy, and reading it
  return check_memory(source, options, bytes, "PNG: an image of " + size_text(width, height) + " pixels");
}

Error damaged(const Source& source, const Decoder& decoder) {
  const std::string_view message = decoder.message.data();
  const bool memory = message.find("memory") != std::string_view::npos;  // "Out of memory", "insufficient memory"
  return source.error(memory ? ErrorCode::kOutOfMemory : ErrorCode::kBadData, "PNG: " + std::string(message));
}

}  // namespace

Result<ImageFile> read_png(const Source& source, const ReadOptions& options) {
  if (auto fine = check_claimed_size(source); !fine) return fine.error();
  Decoder decoder(source.bytes);
  Layout layout;
  if (!read_header(decoder, layout)) return damaged(source, decoder);
  if (auto fine = check_size(source, layout.width, layout.height); !fine) return fine.error();
  if (auto fine = check_plausible(source, layout.width, layout.height, layout.stored_bytes, kDeflateRatio); !fine) {
    return fine.error();
  }

  Encoding encoding = encoding_of(tags_of(layout), options, layout.gray);
  const bool linear = encoding.linear;
  const Format narrow = layout.gray ? Format::kR8Unorm : Format::kRGBA8Unorm;
  const bool floats = becomes_float(encoding, layout.stored_bits);
  const Format format = layout.wide        ? unorm16_format(layout.gray ? 1 : 4)
                        : linear || floats ? narrow
                                           : with_srgb(narrow);
  if (auto fine = check_png_memory(source, options, layout, format, floats); !fine) return fine.error();
  Result<Image> image = create_image(source, format, {layout.width, layout.height});
  if (!image) return image.error();
  const size_t row_bytes = image->view().row_stride;
  if (!start_pixels(decoder, layout.gray, layout.wide, row_bytes)) return damaged(source, decoder);
  std::vector<png_bytep> rows(layout.height);
  for (uint32_t y = 0; y < layout.height; ++y) rows[y] = reinterpret_cast<png_bytep>(image->view().row(y));
  if (!read_pixels(decoder, rows.data())) return damaged(source, decoder);

  if (floats) {
    image = decode_wide(source, *image, encoding);
    if (!image) return image.error();
  } else {
    recode(*image, encoding);
  }
  ImageFile file = single_level(Type::kPng, std::move(*image));
  file.stored_channels = layout.stored_channels;
  file.stored_bits = layout.stored_bits;
  if (layout.stored_channels % 2 == 0) file.alpha = AlphaAssociation::kStraight;
  describe(file, std::move(encoding));
  return file;
}

}  // namespace onepass::files
