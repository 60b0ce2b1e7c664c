// source_png.cpp: PNG by rows. Interlaced files are read as a whole, because their last pass touches every row.
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tiles/file_io.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {
namespace {

// libpng's state. Functions that call libpng set a jump target and own no objects with destructors.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  InputHandle file;
  uint64_t position = 0;
  int read_error = 0;  // errno
  std::array<char, 128> message{};

  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }

  static void on_read(png_structp png, png_bytep out, size_t count) {
    auto* self = static_cast<Decoder*>(png_get_io_ptr(png));
    const int number = read_fully(self->file.handle.number(), out, count, self->position);
    self->read_error = std::max(number, 0);
    if (number != 0) png_error(png, "truncated");
    self->position += count;
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto* self = static_cast<Decoder*>(png_get_error_ptr(png));
    std::snprintf(self->message.data(), self->message.size(), "%s", text);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp /*png*/, png_const_charp /*text*/) {}

  bool open() {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &on_error, &on_warning);
    if (png == nullptr) return false;
    info = png_create_info_struct(png);
    if (info == nullptr) return false;
    if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT: libpng's way of returning errors
    png_set_read_fn(png, this, &on_read);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, info);
    return true;
  }

  // Expands palettes, small samples and tRNS, and puts the lower byte of 16 bits first.
  bool start() {
    if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT
    png_set_expand(png);
    if (png_get_bit_depth(png, info) == 16) png_set_swap(png);
    png_read_update_info(png, info);
    return true;
  }

  bool rows(uint32_t count, std::byte* out, size_t stride) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT
    for (uint32_t y = 0; y < count; ++y) png_read_row(png, reinterpret_cast<png_bytep>(out + y * stride), nullptr);
    return true;
  }

  // Reads what follows the last row, so that a truncated file is noticed.
  bool end() {
    if (setjmp(png_jmpbuf(png)) != 0) return false;  // NOLINT
    png_read_end(png, nullptr);
    return true;
  }
};

class PngRows final : public RowSource {
 public:
  explicit PngRows(const std::filesystem::path& path) { name_ = path.string(); }

  // False: interlaced.
  Result<bool> open() {
    auto file = open_input(name_);
    if (!file) return file.error();
    decoder_.file = std::move(*file);
    if (!decoder_.open()) return failed();
    if (png_get_interlace_type(decoder_.png, decoder_.info) != PNG_INTERLACE_NONE) return false;
    read_tags();
    if (!decoder_.start()) return failed();
    size_ = {png_get_image_width(decoder_.png, decoder_.info), png_get_image_height(decoder_.png, decoder_.info)};
    layout_.channels = png_get_channels(decoder_.png, decoder_.info);
    layout_.sample = png_get_bit_depth(decoder_.png, decoder_.info) == 16 ? Sample::kU16 : Sample::kU8;
    layout_.colour = layout_.channels >= 3;
    layout_.alpha = layout_.channels % 2 == 0 ? AlphaAssociation::kStraight : AlphaAssociation::kNone;
    return true;
  }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    if (!decoder_.rows(rows, out, stride)) return failed();
    y_ += rows;
    if (y_ == size_.height && !decoder_.end()) return failed();
    return {};
  }

 private:
  Error failed() const {
    if (decoder_.read_error != 0) {
      return error(ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(decoder_.read_error));
    }
    return error(ErrorCode::kBadData,
                 "PNG: " + std::string(decoder_.message.data()) + ", at row " + std::to_string(y_));
  }

  void read_tags() {
    png_charp name = nullptr;
    int kind = 0;
    png_bytep profile = nullptr;
    png_uint_32 size = 0;
    if (png_get_iCCP(decoder_.png, decoder_.info, &name, &kind, &profile, &size) != 0) {
      const auto* bytes = reinterpret_cast<const std::byte*>(profile);
      tags_.icc.assign(bytes, bytes + size);
    }
    double gamma = 0;
    const bool colour = (png_get_color_type(decoder_.png, decoder_.info) & PNG_COLOR_MASK_COLOR) != 0;
    if (png_get_valid(decoder_.png, decoder_.info, PNG_INFO_sRGB) != 0) {
      encoding_ = Encoding::kSrgb;
    } else if (tags_.icc.empty() && png_get_gAMA(decoder_.png, decoder_.info, &gamma) != 0) {
      encoding_ = gamma > 0.95 && gamma < 1.05 ? Encoding::kLinear : Encoding::kSrgb;
    } else if (tags_.icc.empty() && colour) {
      encoding_ = Encoding::kSrgb;  // at any depth
    }
    png_uint_32 x = 0;
    png_uint_32 y = 0;
    if (png_get_pHYs(decoder_.png, decoder_.info, &x, &y, &kind) != 0 && kind == PNG_RESOLUTION_METER && x > 0 &&
        y > 0) {
      constexpr double kCentimetres = 100;
      tags_.resolution = Resolution{x / kCentimetres, y / kCentimetres, 3};
    }
  }

  Decoder decoder_;
  uint32_t y_ = 0;
};

}  // namespace

Result<SourcePtr> open_png_rows(const std::filesystem::path& path, uint64_t max_bytes) {
  auto source = std::make_unique<PngRows>(path);
  const auto opened = source->open();
  if (!opened) return opened.error();
  if (!*opened) return open_memory_rows(path, max_bytes, 0);
  return SourcePtr(std::move(source));
}

}  // namespace onepass::tiles
