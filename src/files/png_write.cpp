// png_write.cpp: writes PNG files: chunks with libpng, rows with png_rows.hpp.
//
// Each row becomes quantised values of the file's depth, either directly or through RGBA floats. Deflate level 1 with
// the Sub filter is the default: measured on photographs it is about four times as fast as level 6 with all filters
// tried, and files are of the same size to a fifth larger.
#include <png.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/parallel.hpp"
#include "files/pixels.hpp"
#include "files/png_rows.hpp"
#include "files/writers.hpp"
#include "image/div_up.hpp"
#include "image/straight_alpha.hpp"

namespace onepass::files {
namespace {

static_assert(std::endian::native == std::endian::little, "16-bit samples are swapped from little-endian on writing");

// gAMA for sRGB values in files that cannot have an sRGB chunk.
constexpr float kUsualGamma = 2.2F;

// How an image is written.
struct Plan {
  Format stored = Format::kUndefined;  // how source rows are decoded; sRGB is read as UNORM
  Format codes = Format::kUndefined;   // RGBA of the file's depth
  uint32_t bits = 8;
  uint32_t channels = 1;                 // of the file: 1, 3 or 4
  bool encode = false;                   // apply the sRGB transfer function
  bool srgb = false;                     // the file's values are sRGB
  std::array<uint8_t, 2> code_points{};  // 0: none
  float gamma = 0;                       // 0: none
  std::optional<Chromaticities> primaries;
  bool divide = false;  // by alpha
  bool direct = false;  // source rows are written unchanged
};

// The libpng objects of one file. Exceptions must not pass through libpng: errors are stored and raised by png_error.
struct Encoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  AtomicFile* file = nullptr;
  std::optional<Error> failure;  // of the file; more specific than libpng's message
  std::array<char, 256> message{};

  explicit Encoder(AtomicFile& output) : file(&output) {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, &on_error, &on_warning);
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) {
      png_destroy_write_struct(&png, &info);
      throw std::bad_alloc();
    }
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { png_destroy_write_struct(&png, &info); }

  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto* self = static_cast<Encoder*>(png_get_error_ptr(png));
    std::snprintf(self->message.data(), self->message.size(), "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp /*png*/, png_const_charp /*text*/) {}
  static void on_flush(png_structp /*png*/) {}

  // Not part of on_write, because objects with destructors must be destroyed before libpng calls longjmp.
  bool store(const std::byte* bytes, size_t count) {
    Result<void> done = file->write(std::span(bytes, count));
    if (!done) failure = done.error();
    return done.ok();
  }
  static void on_write(png_structp png, png_bytep bytes, size_t count) {
    auto* self = static_cast<Encoder*>(png_get_io_ptr(png));
    if (!self->store(reinterpret_cast<const std::byte*>(bytes), count)) png_error(png, "write failed");
  }
};

bool write_header(Encoder& encoder, const Plan& plan, Extent size) {
  const png_structp png = encoder.png;
  if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT: libpng's way of returning errors
  png_set_write_fn(png, &encoder, &Encoder::on_write, &Encoder::on_flush);
  const int colour = plan.channels == 1   ? PNG_COLOR_TYPE_GRAY
                     : plan.channels == 3 ? PNG_COLOR_TYPE_RGB
                                          : PNG_COLOR_TYPE_RGB_ALPHA;
  png_set_IHDR(png, encoder.info, size.width, size.height, static_cast<int>(plan.bits), colour, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (plan.srgb) png_set_sRGB(png, encoder.info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (!plan.srgb && plan.gamma > 0) png_set_gAMA(png, encoder.info, 1 / double{plan.gamma});
  if (!plan.srgb && plan.primaries) {
    const Chromaticities& c = *plan.primaries;
    png_set_cHRM(png, encoder.info, c.white[0], c.white[1], c.red[0], c.red[1], c.green[0], c.green[1], c.blue[0],
                 c.blue[1]);
  }
  png_write_info(png, encoder.info);
  if (plan.code_points[1] != 0) {
    // Matrix 0: RGB. 1: full range.
    const std::array<png_byte, 4> chunk{plan.code_points[0], plan.code_points[1], 0, 1};
    png_write_chunk(png, reinterpret_cast<png_const_bytep>("cICP"), chunk.data(), chunk.size());
  }
  return true;
}

bool write_chunk(Encoder& encoder, const char* name, std::span<const std::byte> bytes) {
  if (setjmp(png_jmpbuf(encoder.png)) != 0) return false;  // NOLINT
  png_write_chunk(encoder.png, reinterpret_cast<png_const_bytep>(name), reinterpret_cast<png_const_bytep>(bytes.data()),
                  bytes.size());
  return true;
}

// Converts rows of an image to rows of the file.
class RowConverter {
 public:
  RowConverter(const ImageView& image, const Plan& plan)
      : image_(image), plan_(plan), texels_(size_t{4} * image.size.width) {
    const size_t width = image.size.width;
    codes_.resize(width * format_info(plan.codes).bytes_per_texel);
    packed_.resize(width * plan.channels * (plan.bits / 8));
  }

  const std::byte* convert(uint32_t y) {
    const uint32_t width = image_.size.width;
    if (plan_.direct && plan_.bits == 8) return image_.row(y);
    if (plan_.direct) {
      std::memcpy(packed_.data(), image_.row(y), packed_.size());
      return swapped();
    }
    decode_row(plan_.stored, image_.row(y), width, texels_.data());
    if (plan_.divide) divide();
    if (plan_.encode) encode_srgb();
    encode_row(plan_.codes, texels_.data(), width, codes_.data());
    const size_t texel = format_info(plan_.codes).bytes_per_texel;
    const size_t kept = plan_.channels * (plan_.bits / 8);
    for (uint32_t x = 0; x < width; ++x) std::memcpy(&packed_[x * kept], &codes_[x * texel], kept);
    return plan_.bits == 8 ? packed_.data() : swapped();
  }

  bool opaque(uint32_t y) {
    decode_row(plan_.stored, image_.row(y), image_.size.width, texels_.data());
    for (size_t i = 3; i < texels_.size(); i += 4) {
      if (!(texels_[i] >= 1.0F)) return false;
    }
    return true;
  }

 private:
  // Files store the upper byte of 16 bits first.
  const std::byte* swapped() {
    for (size_t i = 0; i < packed_.size(); i += 2) std::swap(packed_[i], packed_[i + 1]);
    return packed_.data();
  }

  void divide() {
    for (size_t i = 0; i < texels_.size(); i += 4) make_straight(&texels_[i]);
  }

  // 8 bits are encoded by the core's sRGB format, which is exact; it has none for 16 bits.
  void encode_srgb() {
    if (plan_.bits == 8) return;
    for (size_t i = 0; i < texels_.size(); ++i) {
      if (i % 4 != 3) texels_[i] = static_cast<float>(linear_to_srgb(texels_[i]));
    }
  }

  ImageView image_;
  Plan plan_;
  std::vector<float> texels_;
  std::vector<std::byte> codes_;
  std::vector<std::byte> packed_;
};

// Whether all alpha is 1; blocks of rows are tested in parallel.
bool is_opaque(const ImageView& image, const Plan& plan, uint32_t threads) {
  constexpr uint32_t kRows = 16;
  std::atomic<bool> opaque = true;
  run_tasks(threads, div_up(size_t{image.size.height}, kRows), [&](size_t block) {
    RowConverter probe(image, plan);
    const auto first = static_cast<uint32_t>(block * kRows);
    const uint32_t end = std::min(first + kRows, image.size.height);
    for (uint32_t y = first; y < end && opaque; ++y) {
      if (!probe.opaque(y)) opaque = false;
    }
  });
  return opaque;
}

// The plan, except for leaving out opaque alpha.
Plan plan_for(const ImageView& image, const PngOptions& options) {
  const FormatInfo& info = format_info(image.format);
  const bool verbatim = info.type != ChannelType::kFloat && !info.packed && !info.depth;
  const uint32_t bytes_per_channel = info.bytes_per_texel / info.channels;
  Plan plan;
  plan.bits =
      options.bits != 0
          ? options.bits
          : (info.type == ChannelType::kUnorm && (info.depth || !info.packed) && bytes_per_channel > 1 ? 16 : 8);
  // Division by alpha needs linear light: sRGB values are decoded for it and encoded again.
  plan.divide = options.alpha == AlphaAssociation::kPremultiplied && info.channels == 4;
  const bool decoded = plan.divide && info.type == ChannelType::kSrgb;
  plan.stored = decoded ? image.format : without_srgb(image.format);
  const bool keeps_linear = options.color == Color::kLinear || (info.depth && options.color == Color::kAuto);
  plan.encode = decoded || (!verbatim && !keeps_linear);
  plan.code_points = options.code_points;
  plan.gamma = options.gamma;
  plan.primaries = options.primaries;
  plan.srgb = (plan.encode || info.type == ChannelType::kSrgb) && plan.code_points[1] == 0;
  if (plan.srgb && options.primaries) {  // the sRGB chunk would state BT.709
    plan.srgb = false;
    plan.gamma = kUsualGamma;
  }
  plan.codes = plan.bits == 16 ? Format::kRGBA16Unorm : (plan.encode ? Format::kRGBA8Srgb : Format::kRGBA8Unorm);
  plan.channels = info.channels == 1 ? 1 : (info.channels == 4 ? 4 : 3);
  plan.direct =
      verbatim && !info.blue_first && bytes_per_channel * 8 == plan.bits && info.channels != 2 && !plan.divide;
  return plan;
}

// Readers of PNG refuse imaginary primaries, such as those of ACES.
bool fits_chrm(const Chromaticities& primaries) {
  for (const auto& [x, y] : {primaries.red, primaries.green, primaries.blue, primaries.white}) {
    if (!(x >= 0 && y >= 0 && x + y <= 1)) return false;
  }
  return true;
}

Result<void> check_options(const std::filesystem::path& path, const PngOptions& options) {
  if (options.bits != 0 && options.bits != 8 && options.bits != 16) {
    return file_error(path, ErrorCode::kInvalidArgument,
                      "bits is " + std::to_string(options.bits) + ", not 0, 8 or 16");
  }
  if (options.effort < 0 || options.effort > 9) {
    return file_error(path, ErrorCode::kInvalidArgument,
                      "effort is " + std::to_string(options.effort) + ", not 0 to 9");
  }
  if (!(options.gamma == 0 || (options.gamma >= 0.01F && options.gamma <= 100))) {
    return file_error(path, ErrorCode::kInvalidArgument,
                      "gamma is " + std::to_string(options.gamma) + ", not 0 or 0.01 to 100");
  }
  if (options.primaries && !fits_chrm(*options.primaries)) {
    return file_error(
        path, ErrorCode::kInvalidArgument,
        "primaries: a colour that is none of light (x or y below 0, or x + y above 1) has no place in cHRM");
  }
  return {};
}

Error failed(const std::filesystem::path& path, const Encoder& encoder) {
  if (encoder.failure) return *encoder.failure;
  const std::string_view message = encoder.message.data();
  // libpng has limits of its own on primaries: points nearly on a line, for example.
  if (message.find("chromaticities") != std::string_view::npos) {
    return file_error(path, ErrorCode::kInvalidArgument, "primaries: not a set of primaries that cHRM can hold");
  }
  return file_error(path, ErrorCode::kIo, "PNG: " + std::string(message));
}

Result<void> write_checked(const std::filesystem::path& path, const ImageView& image, const PngOptions& options) {
  Plan plan = plan_for(image, options);
  if (plan.channels == 4 && !options.keep_opaque_alpha && is_opaque(image, plan, options.threads)) {
    plan.channels = 3;
    plan.direct = false;
  }
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  Encoder encoder(*file);
  if (!write_header(encoder, plan, image.size)) return failed(path, encoder);
  const size_t texel = size_t{plan.channels} * (plan.bits / 8);
  const bool written = deflate_png_rows(
      {.rows = image.size.height, .row_bytes = texel * image.size.width, .texel_bytes = texel}, options.effort,
      options.threads,
      [&]() -> PngRowReader {
        return [converter = std::make_shared<RowConverter>(image, plan)](uint32_t y) { return converter->convert(y); };
      },
      [&](std::span<const std::byte> bytes) { return write_chunk(encoder, "IDAT", bytes); });
  if (!written || !write_chunk(encoder, "IEND", {})) return failed(path, encoder);
  return file->commit();
}

}  // namespace

Result<void> write_png(const std::filesystem::path& path, const ImageView& image, const PngOptions& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, std::span(&image, 1)); !fine) return fine;
    if (auto fine = check_options(path, options); !fine) return fine;
    if (image.slices != 1) {
      return file_error(path, ErrorCode::kUnsupported,
                        "a PNG file holds one slice, not " + std::to_string(image.slices));
    }
    return write_checked(path, image, options);
  });
}

}  // namespace onepass::files
