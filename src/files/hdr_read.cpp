// hdr_read.cpp: reads Radiance .hdr files: three 8-bit mantissas with a shared exponent, run-length coded by scanline.
//
// The text before the pixels: hdr_header.hpp. A scanline is either flat (4 bytes per pixel; a pixel 1,1,1,n repeats the
// previous one n times) or, for 8 to 32767 pixels, four planes of runs and literals after the mark 2,2,pixels. The
// project has its own decoder because stb_image as packaged in Debian 12 never returns from a file that ends within a
// run-length coded scanline.
// Source: G. Ward, "Real Pixels", Graphics Gems II, 1991; Radiance reference manual, "picture file format".
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "files/encoding.hpp"
#include "files/hdr_header.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

constexpr uint32_t kMinRunWidth = 8;
constexpr uint32_t kMaxRunWidth = 32767;

// Value of one mantissa step, 2^(exponent - 136): exponents have a bias of 128, mantissas 8 bits.
std::array<float, 256> exponent_table() {
  std::array<float, 256> table{};
  for (int exponent = 1; exponent < 256; ++exponent)
    table[static_cast<size_t>(exponent)] = std::ldexp(1.0F, exponent - 136);
  return table;  // exponent 0 is black
}

class HdrReader {
 public:
  HdrReader(const Source& source, const ReadOptions& options)
      : source_(source), options_(options), bytes_(source.bytes) {}

  Result<ImageFile> read() {
    Result<HdrHeader> header = read_hdr_header(source_);
    if (!header) return header.error();
    header_ = std::move(*header);
    position_ = header_.length;
    if (auto fine = check_size(source_, header_.width, header_.height); !fine) return fine.error();
    if (auto fine = check_length(); !fine) return fine.error();
    if (auto fine = check_needs(); !fine) return fine.error();
    Result<Image> image = create_image(source_, Format::kRGBA32Sfloat, {header_.width, header_.height});
    if (!image) return image.error();
    std::vector<Rgbe> scanline(header_.scanline_pixels());
    for (uint32_t line = 0; line < header_.scanlines(); ++line) {
      if (auto done = read_scanline(scanline, line); !done) return done.error();
      place(scanline, line, image->view());
    }
    return describe_file(std::move(*image));
  }

 private:
  using Rgbe = std::array<uint8_t, 4>;

  [[nodiscard]] size_t left() const { return bytes_.size() - position_; }
  uint8_t next() { return std::to_integer<uint8_t>(bytes_[position_++]); }

  Error truncated(uint32_t y) {
    return source_.bad("HDR: truncated in scanline " + std::to_string(y) + " of " +
                       std::to_string(header_.scanlines()));
  }

  // Stores the light of a scanline. Values are stored multiplied by the header's factors, which Color::kAuto divides
  // out.
  void place(const std::vector<Rgbe>& scanline, uint32_t line, const MutableImageView& image) const {
    const bool divide = options_.color == Color::kAuto && header_.factors != std::array<double, 3>{1, 1, 1};
    const HdrOrder& order = header_.order;
    for (uint32_t i = 0; i < scanline.size(); ++i) {
      const uint32_t column = order.columns ? line : i;
      const uint32_t row = order.columns ? i : line;
      const uint32_t x = order.from_right ? header_.width - 1 - column : column;
      const uint32_t y = order.from_bottom ? header_.height - 1 - row : row;
      auto* texel = reinterpret_cast<float*>(image.row(y)) + size_t{4} * x;
      const Rgbe& pixel = scanline[i];
      for (size_t c = 0; c < 3; ++c) {
        const float stored = static_cast<float>(pixel[c]) * scale_[pixel[3]];
        texel[c] = divide ? static_cast<float>(stored / header_.factors[c]) : stored;
      }
      texel[3] = 1.0F;
    }
  }

  ImageFile describe_file(Image image) {
    ImageFile file = single_level(Type::kHdr, std::move(image));
    file.stored_channels = 3;
    file.stored_bits = 32;
    file.pixel_aspect_ratio = static_cast<float>(header_.pixel_aspect_ratio);
    file.warnings = std::move(header_.warnings);
    if (options_.color != Color::kAuto) file.warnings.clear();  // they concern statements that are not used
    const ColorTags tags{.primaries = header_.xyz ? std::optional(kXyzChromaticities) : header_.primaries};
    describe(file, encoding_of(tags, options_, false));
    return file;
  }

  // A scanline needs at least one pixel and a repeat mark (8 bytes), or its only pixel (4 bytes).
  Result<void> check_length() {
    const uint64_t least = header_.scanline_pixels() == 1 ? 4 : 8;
    return check_plausible(source_, header_.width, header_.height, least * header_.scanlines(), 1);
  }

  // Memory of the image and one scanline; for sRGB decoding also of a second image and a row of floats.
  Result<void> check_needs() {
    const uint64_t image = image_bytes(Format::kRGBA32Sfloat, header_.width, header_.height);
    const bool decoded = options_.color == Color::kSrgb;
    const uint64_t bytes = (decoded ? 2 : 1) * image + uint64_t{header_.scanline_pixels()} * sizeof(Rgbe) +
                           (decoded ? uint64_t{16} * header_.width : 0);
    return check_memory(source_, options_, bytes + kHdrHeaderBytes,
                        "HDR: an image of " + size_text(header_.width, header_.height) + " pixels");
  }

  Result<void> read_scanline(std::vector<Rgbe>& scanline, uint32_t y) {
    if (left() < 4) return truncated(y);
    const bool mark = bytes_[position_] == std::byte{2} && bytes_[position_ + 1] == std::byte{2} &&
                      std::to_integer<uint8_t>(bytes_[position_ + 2]) < 128;
    const auto pixels = static_cast<uint32_t>(scanline.size());
    if (pixels < kMinRunWidth || pixels > kMaxRunWidth || !mark) return read_flat(scanline, y);
    position_ += 2;
    uint32_t length = uint32_t{next()} << 8;
    length |= next();
    if (length != pixels) {
      return source_.bad("HDR: scanline " + std::to_string(y) + " has " + std::to_string(length) + " pixels, not " +
                         std::to_string(pixels));
    }
    for (size_t plane = 0; plane < 4; ++plane) {
      if (auto done = read_plane(scanline, plane, y); !done) return done;
    }
    return {};
  }

  Result<void> read_plane(std::vector<Rgbe>& scanline, size_t plane, uint32_t y) {
    for (size_t x = 0; x < scanline.size();) {
      if (left() < 2) return truncated(y);
      const uint8_t code = next();
      const size_t count = code > 128 ? code - 128U : code;
      if (count == 0 || count > scanline.size() - x) {
        return source_.bad("HDR: a run of " + std::to_string(count) + " pixels in scanline " + std::to_string(y));
      }
      if (code > 128) {
        const uint8_t value = next();
        for (size_t i = 0; i < count; ++i) scanline[x++][plane] = value;
      } else {
        if (left() < count) return truncated(y);
        for (size_t i = 0; i < count; ++i) scanline[x++][plane] = next();
      }
    }
    return {};
  }

  Result<void> read_flat(std::vector<Rgbe>& scanline, uint32_t y) {
    uint32_t shift = 0;
    for (size_t x = 0; x < scanline.size();) {
      if (left() < 4) return truncated(y);
      Rgbe pixel{};
      for (uint8_t& value : pixel) value = next();
      if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
        scanline[x++] = pixel;
        shift = 0;
        continue;
      }
      // Consecutive repeat marks are the base-256 digits of one number, lowest first.
      const uint64_t count = shift > 16 ? scanline.size() : uint64_t{pixel[3]} << shift;
      if (x == 0 || count > scanline.size() - x) {
        return source_.bad("HDR: a repeated pixel in scanline " + std::to_string(y) + " has no room");
      }
      std::fill_n(scanline.begin() + static_cast<std::ptrdiff_t>(x), count, scanline[x - 1]);
      x += count;
      shift += 8;
    }
    return {};
  }

  const Source& source_;
  const ReadOptions& options_;
  std::span<const std::byte> bytes_;
  size_t position_ = 0;
  HdrHeader header_;
  const std::array<float, 256> scale_ = exponent_table();
};

}  // namespace

Result<ImageFile> read_hdr(const Source& source, const ReadOptions& options) {
  Result<ImageFile> file = HdrReader(source, options).read();
  if (!file || options.color != Color::kSrgb) return file;
  Result<Image> decoded = decoded_from_srgb(file->base());
  if (!decoded) return source.error(decoded.error().code, decoded.error().message);
  file->levels.front() = std::move(*decoded);
  return file;
}

}  // namespace onepass::files
