// tile_png.cpp: PNG tiles, assembled here: small pictures gain nothing from libpng's rows, and the stream can be
// compressed by libdeflate as a whole. Each row gets the filter with the least sum of absolute differences.
// Source: W3C, "Portable Network Graphics (PNG) Specification (Second Edition)", 2003, section 12.8.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "tiles/tile_image.hpp"

#ifdef ONEPASS_HAS_WEBP
#include <webp/encode.h>

#include <new>
#include <stdexcept>
#endif

namespace onepass::tiles {
namespace {

constexpr int kLevel = 6;  // of deflate

void put32(Bytes& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(value >> shift));
}

void put_chunk(Bytes& out, const char* type, std::span<const std::byte> data) {
  put32(out, static_cast<uint32_t>(data.size()));
  const size_t start = out.size();
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(type[i]));
  out.insert(out.end(), data.begin(), data.end());
  put32(out, crc32_of(0, std::span(out).subspan(start)));
}

uint8_t paeth(int left, int up, int corner) {
  const int estimate = left + up - corner;
  const int to_left = std::abs(estimate - left);
  const int to_up = std::abs(estimate - up);
  const int to_corner = std::abs(estimate - corner);
  if (to_left <= to_up && to_left <= to_corner) return static_cast<uint8_t>(left);
  return static_cast<uint8_t>(to_up <= to_corner ? up : corner);
}

// Filters rows; keeps the last raw row.
class RowFilter {
 public:
  RowFilter(size_t row_bytes, size_t pixel_bytes) : bytes_(row_bytes), pixel_(pixel_bytes) {
    // A pixel of zeros stands to the left of each row.
    raw_.resize(pixel_ + bytes_);
    above_.resize(pixel_ + bytes_);
    for (auto& row : filtered_) row.resize(bytes_);
  }

  [[nodiscard]] uint8_t* raw() { return raw_.data() + pixel_; }

  void append_to(Bytes& out) {
    const uint8_t* const x = raw();
    const uint8_t* const left = raw_.data();
    const uint8_t* const up = above_.data() + pixel_;
    const uint8_t* const corner = above_.data();
    for (size_t i = 0; i < bytes_; ++i) filtered_[0][i] = x[i];
    for (size_t i = 0; i < bytes_; ++i) filtered_[1][i] = static_cast<uint8_t>(x[i] - left[i]);
    for (size_t i = 0; i < bytes_; ++i) filtered_[2][i] = static_cast<uint8_t>(x[i] - up[i]);
    for (size_t i = 0; i < bytes_; ++i) filtered_[3][i] = static_cast<uint8_t>(x[i] - (left[i] + up[i]) / 2);
    for (size_t i = 0; i < bytes_; ++i) filtered_[4][i] = static_cast<uint8_t>(x[i] - paeth(left[i], up[i], corner[i]));
    size_t best = 0;
    uint64_t least = UINT64_MAX;
    for (size_t f = 0; f < filtered_.size(); ++f) {
      uint64_t sum = 0;
      for (const uint8_t b : filtered_[f]) sum += b < 128 ? b : 256U - b;
      if (sum >= least) continue;
      least = sum;
      best = f;
    }
    out.push_back(static_cast<std::byte>(best));
    const auto row = std::as_bytes(std::span(filtered_[best]));
    out.insert(out.end(), row.begin(), row.end());
    raw_.swap(above_);
  }

 private:
  size_t bytes_;
  size_t pixel_;
  std::vector<uint8_t> raw_, above_;
  std::array<std::vector<uint8_t>, 5> filtered_;
};

}  // namespace

Bytes encode_png(const TilePixels& tile, bool srgb, std::span<const std::byte> icc) {
  const size_t pixel = tile.layout.pixel_bytes();
  const size_t row_bytes = pixel * tile.size.width;
  const bool wide = tile.layout.sample == Sample::kU16;
  RowFilter filter(row_bytes, pixel);
  Bytes rows;
  rows.reserve((row_bytes + 1) * tile.size.height);
  for (uint32_t y = 0; y < tile.size.height; ++y) {
    uint8_t* raw = filter.raw();
    std::memcpy(raw, tile.row(y), row_bytes);
    if (wide) {  // the upper byte first
      for (size_t i = 0; i < row_bytes; i += 2) {
        uint16_t value = 0;
        std::memcpy(&value, raw + i, 2);
        raw[i] = static_cast<uint8_t>(value >> 8);
        raw[i + 1] = static_cast<uint8_t>(value);
      }
    }
    filter.append_to(rows);
  }
  Bytes out;
  constexpr std::array<uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  for (const uint8_t b : kSignature) out.push_back(static_cast<std::byte>(b));
  Bytes header;
  put32(header, tile.size.width);
  put32(header, tile.size.height);
  constexpr std::array<uint8_t, 5> kColourType = {0, 0, 4, 2, 6};
  for (const int b : {wide ? 16 : 8, int{kColourType[tile.layout.channels]}, 0, 0, 0}) {
    header.push_back(static_cast<std::byte>(b));
  }
  put_chunk(out, "IHDR", header);
  if (!icc.empty()) {
    Bytes profile;
    for (const char c : {'i', 'c', 'c', '\0', '\0'}) profile.push_back(static_cast<std::byte>(c));
    const Bytes packed = compress_zlib(icc, kLevel);
    profile.insert(profile.end(), packed.begin(), packed.end());
    put_chunk(out, "iCCP", profile);
  } else if (srgb) {
    put_chunk(out, "sRGB", std::array<std::byte, 1>{});
  }
  put_chunk(out, "IDAT", compress_zlib(rows, kLevel));
  put_chunk(out, "IEND", {});
  return out;
}

#ifdef ONEPASS_HAS_WEBP
Bytes encode_webp(const TilePixels& tile, int quality) {
  const uint32_t channels = tile.layout.channels;
  const auto width = static_cast<int>(tile.size.width);
  const auto height = static_cast<int>(tile.size.height);
  const auto* data = reinterpret_cast<const uint8_t*>(tile.data);
  auto stride = static_cast<int>(tile.stride);
  std::vector<uint8_t> spread;
  if (channels < 3) {  // grey becomes RGB, with its alpha
    const uint32_t wanted = channels + 2;
    spread.resize(size_t{wanted} * tile.size.width * tile.size.height);
    uint8_t* to = spread.data();
    for (uint32_t y = 0; y < tile.size.height; ++y) {
      const auto* from = reinterpret_cast<const uint8_t*>(tile.row(y));
      for (uint32_t x = 0; x < tile.size.width; ++x, from += channels) {
        for (int c = 0; c < 3; ++c) *to++ = from[0];
        if (channels == 2) *to++ = from[1];
      }
    }
    data = spread.data();
    stride = width * static_cast<int>(wanted);
  }
  uint8_t* made = nullptr;
  const bool alpha = channels == 2 || channels == 4;
  const size_t size = alpha ? WebPEncodeRGBA(data, width, height, stride, static_cast<float>(quality), &made)
                            : WebPEncodeRGB(data, width, height, stride, static_cast<float>(quality), &made);
  if (size == 0) throw std::runtime_error("WebP: the tile cannot be encoded");
  Bytes out(size);
  std::memcpy(out.data(), made, size);
  WebPFree(made);
  return out;
}
#endif

}  // namespace onepass::tiles
