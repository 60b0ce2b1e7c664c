// hdr_rows.cpp: reads Radiance .hdr files: three 8-bit mantissas with a shared exponent, run-length coded by scanline.
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

#include "files/hdr_header.hpp"
#include "files/row_reader.hpp"

namespace onepass::files {
namespace {

// Value of one mantissa step, 2^(exponent - 136): exponents have a bias of 128, mantissas 8 bits.
std::array<float, 256> exponent_table() {
  std::array<float, 256> table{};
  for (int exponent = 1; exponent < 256; ++exponent)
    table[static_cast<size_t>(exponent)] = std::ldexp(1.0F, exponent - 136);
  return table;  // exponent 0 is black
}

class HdrReader final : public RowReader {
 public:
  explicit HdrReader(const Source& source) : source_(source), bytes_(source_) {}

  Result<void> open(Color color) {
    Result<HdrHeader> header = read_hdr_header(source_, bytes_);
    if (!header) return header.error();
    const auto [width, height] = Extent{header->width, header->height};
    if (auto fine = check_size(source_, width, height); !fine) return fine;
    order_ = header->order;
    scanlines_ = header->scanlines();
    scanline_pixels_ = header->scanline_pixels();
    // A scanline needs at least one pixel and a repeat mark (8 bytes), or its only pixel (4 bytes).
    const uint64_t least = scanline_pixels_ == 1 ? 4 : 8;
    if (auto fine = check_plausible(source_, width, height, least * scanlines_, 1); !fine) return fine;
    header_.size = {width, height};
    header_.layout = {.sample = Sample::kF32, .channels = 3, .colour = true};
    header_.linear = true;
    header_.colors.primaries = header->xyz ? std::optional(kXyzChromaticities) : header->primaries;
    header_.stored_channels = 3;
    header_.stored_bits = 32;
    header_.pixel_aspect_ratio = static_cast<float>(header->pixel_aspect_ratio);
    if (color != Color::kAuto) return {};
    header_.warnings = std::move(header->warnings);  // they concern statements that only kAuto uses
    divides_ = header->factors != std::array<double, 3>{1, 1, 1};
    factors_ = header->factors;
    return {};
  }

  [[nodiscard]] uint64_t memory_bytes() const override {
    const uint64_t pixels = order_.columns ? uint64_t{scanlines_} * scanline_pixels_ : header_.size.width;
    const uint64_t starts = order_.from_bottom && !order_.columns ? sizeof(uint64_t) * scanlines_ : 0;
    return (pixels + scanline_pixels_) * sizeof(Rgbe) + starts + bytes_.memory_bytes();
  }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    if (y_ == 0) {
      if (auto done = prepare(); !done) return done;
    }
    const auto [width, height] = header_.size;
    for (; rows > 0; --rows, ++y_, out += stride) {
      const uint32_t row = order_.from_bottom ? height - 1 - y_ : y_;
      if (order_.columns) {
        for (uint32_t x = 0; x < width; ++x) row_[x] = columns_[size_t{x} * height + row];
      } else {
        if (order_.from_bottom) bytes_.seek(starts_[row]);
        if (auto done = read_scanline(row); !done) return done;
      }
      place(order_.columns ? row_ : scanline_, reinterpret_cast<float*>(out));
    }
    return {};
  }

 private:
  using Rgbe = std::array<uint8_t, 4>;

  // Rows from the bottom are found by a first pass over the file; columns are held in memory.
  Result<void> prepare() {
    scanline_.resize(scanline_pixels_);
    if (order_.columns) {
      row_.resize(scanlines_);
      columns_.reserve(size_t{scanlines_} * scanline_pixels_);
    } else if (!order_.from_bottom) {
      return {};
    }
    for (uint32_t line = 0; line < scanlines_; ++line) {
      if (!order_.columns) starts_.push_back(bytes_.position());
      if (auto done = read_scanline(line); !done) return done;
      if (order_.columns) columns_.insert(columns_.end(), scanline_.begin(), scanline_.end());
    }
    return {};
  }

  // Stores the light of a row. Values are stored multiplied by the header's factors.
  void place(const std::vector<Rgbe>& pixels, float* out) const {
    const size_t last = pixels.size() - 1;
    for (size_t x = 0; x <= last; ++x) {
      const Rgbe& pixel = pixels[order_.from_right ? last - x : x];
      for (size_t c = 0; c < 3; ++c) {
        const float stored = static_cast<float>(pixel[c]) * scale_[pixel[3]];
        *out++ = divides_ ? static_cast<float>(stored / factors_[c]) : stored;
      }
    }
  }

  [[nodiscard]] Error truncated(uint32_t y) const {
    return bytes_.ended("HDR: truncated in scanline " + std::to_string(y) + " of " + std::to_string(scanlines_));
  }

  Result<void> read_scanline(uint32_t y) {
    if (!bytes_.has(4)) return truncated(y);
    const std::byte* start = bytes_.data();
    const bool mark = start[0] == std::byte{2} && start[1] == std::byte{2} && std::to_integer<uint8_t>(start[2]) < 128;
    const auto pixels = static_cast<uint32_t>(scanline_.size());
    if (pixels < kMinRunWidth || pixels > kMaxRunWidth || !mark) return read_flat(y);
    bytes_.skip(2);
    uint32_t length = uint32_t{bytes_.take()} << 8;
    length |= bytes_.take();
    if (length != pixels) {
      return source_.bad("HDR: scanline " + std::to_string(y) + " has " + std::to_string(length) + " pixels, not " +
                         std::to_string(pixels));
    }
    for (size_t plane = 0; plane < 4; ++plane) {
      if (auto done = read_plane(plane, y); !done) return done;
    }
    return {};
  }

  Result<void> read_plane(size_t plane, uint32_t y) {
    for (size_t x = 0; x < scanline_.size();) {
      if (!bytes_.has(2)) return truncated(y);
      const uint8_t code = bytes_.take();
      const size_t count = code > 128 ? code - 128U : code;
      if (count == 0 || count > scanline_.size() - x) {
        return source_.bad("HDR: a run of " + std::to_string(count) + " pixels in scanline " + std::to_string(y));
      }
      if (code > 128) {
        const uint8_t value = bytes_.take();
        for (size_t i = 0; i < count; ++i) scanline_[x++][plane] = value;
      } else {
        if (!bytes_.has(count)) return truncated(y);
        for (size_t i = 0; i < count; ++i) scanline_[x++][plane] = bytes_.take();
      }
    }
    return {};
  }

  Result<void> read_flat(uint32_t y) {
    uint32_t shift = 0;
    for (size_t x = 0; x < scanline_.size();) {
      if (!bytes_.has(4)) return truncated(y);
      Rgbe pixel{};
      for (uint8_t& value : pixel) value = bytes_.take();
      if (pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
        scanline_[x++] = pixel;
        shift = 0;
        continue;
      }
      // Consecutive repeat marks are the base-256 digits of one number, lowest first.
      const uint64_t count = shift > 16 ? scanline_.size() : uint64_t{pixel[3]} << shift;
      if (x == 0 || count > scanline_.size() - x) {
        return source_.bad("HDR: a repeated pixel in scanline " + std::to_string(y) + " has no room");
      }
      std::fill_n(scanline_.begin() + static_cast<std::ptrdiff_t>(x), count, scanline_[x - 1]);
      x += count;
      shift += 8;
    }
    return {};
  }

  Source source_;
  ByteStream bytes_;  // refers to source_
  HdrOrder order_;
  uint32_t scanlines_ = 0;
  uint32_t scanline_pixels_ = 0;
  bool divides_ = false;
  std::array<double, 3> factors_{};
  const std::array<float, 256> scale_ = exponent_table();
  std::vector<Rgbe> scanline_;
  std::vector<uint64_t> starts_;  // of scanlines from the bottom
  std::vector<Rgbe> columns_;     // all pixels, column by column
  std::vector<Rgbe> row_;         // of columns_
  uint32_t y_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_hdr_rows(const Source& source, const RowOptions& options) {
  auto reader = std::make_unique<HdrReader>(source);
  if (auto done = reader->open(options.color); !done) return done.error();
  return std::unique_ptr<RowReader>(std::move(reader));
}

}  // namespace onepass::files
