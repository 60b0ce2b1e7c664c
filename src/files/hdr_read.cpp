// hdr_read.cpp: reads Radiance .hdr files: three 8-bit mantissas with a shared exponent, run-length coded by scanline.
//
// A header of text lines ends with an empty line; then follow "-Y height +X width" and the scanlines from top to
// bottom. A scanline is either flat (4 bytes per pixel; a pixel 1,1,1,n repeats the previous one n times) or, for
// widths of 8 to 32767, four planes of runs and literals after the mark 2,2,width. The project has its own decoder
// because stb_image as packaged in Debian 12 never returns from a file that ends within a run-length coded scanline.
// Source: G. Ward, "Real Pixels", Graphics Gems II, 1991; Radiance reference manual, "picture file format".
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "files/pixels.hpp"
#include "files/readers.hpp"

namespace onepass::files {
namespace {

constexpr uint32_t kMinRunWidth = 8;
constexpr uint32_t kMaxRunWidth = 32767;
constexpr size_t kMaxHeaderLine = 65536;
constexpr uint64_t kDecoderBytes = 4 * kMaxHeaderLine;  // header lines as growing strings

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
    if (auto done = read_header(); !done) return done.error();
    if (auto fine = check_size(source_, width_, height_); !fine) return fine.error();
    if (auto fine = check_length(); !fine) return fine.error();
    if (auto fine = check_needs(); !fine) return fine.error();
    Result<Image> image = create_image(source_, Format::kRGBA32Sfloat, {width_, height_});
    if (!image) return image.error();
    const std::array<float, 256> scale = exponent_table();
    std::vector<Rgbe> scanline(width_);
    for (uint32_t y = 0; y < height_; ++y) {
      if (auto done = read_scanline(scanline, y); !done) return done.error();
      auto* texel = reinterpret_cast<float*>(image->view().row(y));
      for (const Rgbe& pixel : scanline) {
        for (size_t c = 0; c < 3; ++c) *texel++ = static_cast<float>(pixel[c]) * scale[pixel[3]];
        *texel++ = 1.0F;
      }
    }
    ImageFile file = single_level(Type::kHdr, std::move(*image));
    file.stored_channels = 3;
    file.stored_bits = 32;
    return file;
  }

 private:
  using Rgbe = std::array<uint8_t, 4>;

  [[nodiscard]] size_t left() const { return bytes_.size() - position_; }
  uint8_t next() { return std::to_integer<uint8_t>(bytes_[position_++]); }

  Error truncated(uint32_t y) {
    return source_.bad("HDR: truncated in scanline " + std::to_string(y) + " of " + std::to_string(height_));
  }

  // One line without its end; false at the end of the file.
  bool read_line(std::string& line) {
    line.clear();
    while (left() > 0 && line.size() < kMaxHeaderLine) {
      const char c = static_cast<char>(next());
      if (c == '\n') return true;
      line += c;
    }
    return false;
  }

  Result<void> read_header() {
    std::string line;
    std::string format;
    do {
      if (!read_line(line)) return source_.bad("HDR: the header has no end");
      if (line.starts_with("FORMAT=")) format = line.substr(7);
    } while (!line.empty());
    if (format.starts_with("32-bit_rle_xyze")) {
      return source_.unsupported("HDR: FORMAT is 32-bit_rle_xyze; 32-bit_rle_rgbe is possible");
    }
    if (!format.empty() && !format.starts_with("32-bit_rle_rgbe"))
      return source_.bad("HDR: FORMAT is \"" + format + "\"");
    if (!read_line(line)) return source_.bad("HDR: the line with the size is missing");
    return read_size(line);
  }

  // Parses "-Y height +X width". Files that do not start at the top left do not occur in practice.
  Result<void> read_size(const std::string& line) {
    const auto number = [&](std::string_view mark, size_t from, uint32_t& value) {
      const size_t at = line.find(mark, from);
      if (at != from) return std::string::npos;
      const char* first = line.data() + at + mark.size();
      const auto [end, error] = std::from_chars(first, line.data() + line.size(), value);
      return error == std::errc() ? static_cast<size_t>(end - line.data()) : std::string::npos;
    };
    const size_t middle = number("-Y ", 0, height_);
    if (middle == std::string::npos || number(" +X ", middle, width_) == std::string::npos) {
      return source_.bad("HDR: the size is \"" + line.substr(0, 64) + "\" instead of \"-Y height +X width\"");
    }
    return {};
  }

  // A scanline needs at least one pixel and a repeat mark (8 bytes), or its only pixel (4 bytes).
  Result<void> check_length() {
    const uint64_t least = width_ == 1 ? 4 : 8;
    return check_plausible(source_, width_, height_, least * height_, 1);
  }

  // Memory of the image and one scanline; for sRGB decoding also of a second image and a row of floats.
  Result<void> check_needs() {
    const uint64_t image = image_bytes(Format::kRGBA32Sfloat, width_, height_);
    const bool decoded = options_.color == Color::kSrgb;
    const uint64_t bytes = (decoded ? 2 : 1) * image + uint64_t{width_} * (sizeof(Rgbe) + (decoded ? 16 : 0));
    return check_memory(source_, options_, bytes + kDecoderBytes,
                        "HDR: an image of " + size_text(width_, height_) + " pixels");
  }

  Result<void> read_scanline(std::vector<Rgbe>& scanline, uint32_t y) {
    if (left() < 4) return truncated(y);
    const bool mark = bytes_[position_] == std::byte{2} && bytes_[position_ + 1] == std::byte{2} &&
                      std::to_integer<uint8_t>(bytes_[position_ + 2]) < 128;
    if (width_ < kMinRunWidth || width_ > kMaxRunWidth || !mark) return read_flat(scanline, y);
    position_ += 2;
    uint32_t length = uint32_t{next()} << 8;
    length |= next();
    if (length != width_) {
      return source_.bad("HDR: scanline " + std::to_string(y) + " has " + std::to_string(length) + " pixels, not " +
                         std::to_string(width_));
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
  uint32_t width_ = 0;
  uint32_t height_ = 0;
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
