// blocks_oracle.cpp: the definitions of BC1 to BC7. A block is a string of bits; every field is a number made of them.
//
// Source: Khronos Data Format Specification 1.3, sections "S3TC", "RGTC" and "BPTC".
#include "tests/blocks/blocks_oracle.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/blocks/bptc_tables.hpp"

namespace onepass::blocks_oracle {
namespace {

/// Bit n of the block is bit n % 8 of byte n / 8.
class Block {
 public:
  Block(const std::byte* bytes, size_t count) {
    for (size_t n = 0; n < 8 * count; ++n) bits_.push_back((static_cast<unsigned>(bytes[n / 8]) >> (n % 8) & 1) != 0);
  }
  /// The number in bits first..first + count - 1, the lowest first.
  [[nodiscard]] int at(int first, int count) const {
    int value = 0;
    for (int i = 0; i < count; ++i) value += bits_[static_cast<size_t>(first + i)] ? 1 << i : 0;
    return value;
  }
  /// The same at a position that moves on.
  int take(int& position, int count) const {
    position += count;
    return at(position - count, count);
  }

 private:
  std::vector<bool> bits_;
};

/// Colours of BC1, BC2 and BC3 whose 64 bits begin at `first`.
Texels s3tc_colors(const Block& block, int first, bool always_four, bool transparent) {
  int rgb[2][3];
  for (int e = 0; e < 2; ++e) {
    const int at = first + 16 * e;
    rgb[e][0] = block.at(at + 11, 5);
    rgb[e][1] = block.at(at + 5, 6);
    rgb[e][2] = block.at(at, 5);
  }
  const bool four = always_four || block.at(first, 16) > block.at(first + 16, 16);
  Texels out{};
  for (int i = 0; i < 16; ++i) {
    const int code = block.at(first + 32 + 2 * i, 2);
    auto& texel = out[static_cast<size_t>(i)];
    texel[3] = 1;
    for (size_t c = 0; c < 3; ++c) {
      const double one = c == 1 ? 63 : 31;
      if (code < 2) texel[c] = rgb[code][c] / one;
      if (code == 2) texel[c] = four ? (2 * rgb[0][c] + rgb[1][c]) / (3 * one) : (rgb[0][c] + rgb[1][c]) / (2 * one);
      if (code == 3) texel[c] = four ? (rgb[0][c] + 2 * rgb[1][c]) / (3 * one) : 0;
    }
    if (code == 3 && !four && transparent) texel[3] = 0;
  }
  return out;
}

/// The channel of BC3's alpha, BC4 and BC5 whose 64 bits begin at `first`. Sums are whole numbers, so that each value
/// is rounded once.
std::array<double, 16> rgtc_channel(const Block& block, int first, bool is_signed) {
  int stored[2] = {block.at(first, 8), block.at(first + 8, 8)};
  int red[2];
  for (int e = 0; e < 2; ++e) {
    if (is_signed && stored[e] > 127) stored[e] -= 256;
    red[e] = stored[e] == -128 ? -127 : stored[e];
  }
  const int one = is_signed ? 127 : 255;
  std::array<double, 16> out{};
  for (int i = 0; i < 16; ++i) {
    const int code = block.at(first + 16 + 3 * i, 3);
    double& value = out[static_cast<size_t>(i)];
    if (code < 2) {
      value = 1.0 * red[code] / one;
    } else if (stored[0] > stored[1]) {
      value = 1.0 * ((8 - code) * red[0] + (code - 1) * red[1]) / (7 * one);
    } else if (code < 6) {
      value = 1.0 * ((6 - code) * red[0] + (code - 1) * red[1]) / (5 * one);
    } else {
      value = code == 7 ? 1 : is_signed ? -1 : 0;
    }
  }
  return out;
}

int weight(int bits, int index) {
  static const int k2[] = {0, 21, 43, 64};
  static const int k3[] = {0, 9, 18, 27, 37, 46, 55, 64};
  static const int k4[] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
  return bits == 2 ? k2[index] : bits == 3 ? k3[index] : k4[index];
}

int subset(int subsets, int partition, int texel) {
  if (subsets == 1) return 0;
  return (subsets == 2 ? kPartitions2 : kPartitions3)[partition][texel] - '0';
}

/// The formula of the specification for the place of an index in the index bits, and its size.
int index_of(const Block& block, int first, int bits, int subsets, int partition, int texel) {
  std::vector<int> anchors = {0};
  if (subsets == 2) anchors.push_back(kAnchor2[partition]);
  if (subsets == 3) anchors.insert(anchors.end(), {kAnchor32[partition], kAnchor33[partition]});
  int offset = bits * texel;
  int size = bits;
  for (const int anchor : anchors) {
    if (texel > anchor) --offset;
    if (texel == anchor) --size;
  }
  return block.at(first + offset, size);
}

// NS, PB, RB, ISB, CB, AB, EPB, SPB, IB, IB2 of modes 0 to 7.
constexpr int kModes[8][10] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
                               {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
                               {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
                               {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

int replicate(int value, int bits) {
  int out = 0;
  for (int i = 0; i < 8; ++i) {  // bit 7 - i of the byte is bit `bits` - 1 - i of the value, which repeats
    out |= (value >> (bits - 1 - i % bits) & 1) << (7 - i);
  }
  return out;
}

Texels decode_bc7(const Block& block) {
  Texels out{};
  int mode = 0;
  while (mode < 8 && block.at(mode, 1) == 0) ++mode;
  if (mode == 8) return out;
  const auto& [ns, pb, rb, isb, cb, ab, epb, spb, ib, ib2] = kModes[mode];
  int at = mode + 1;
  const int partition = block.take(at, pb);
  const int rotation = block.take(at, rb);
  const int selection = block.take(at, isb);
  int endpoints[6][4];
  for (int c = 0; c < 4; ++c) {
    for (int e = 0; e < 2 * ns; ++e) endpoints[e][c] = block.take(at, c < 3 ? cb : ab);
  }
  int p[6];
  for (int e = 0; e < 2 * ns; ++e) {
    if (epb == 1) p[e] = block.take(at, 1);
    if (spb == 1) p[e] = e % 2 == 0 ? block.take(at, 1) : p[e - 1];
  }
  for (int e = 0; e < 2 * ns; ++e) {
    for (int c = 0; c < 4; ++c) {
      int bits = c < 3 ? cb : ab;
      if (bits == 0) {
        endpoints[e][c] = 255;
        continue;
      }
      if (epb + spb == 1) {
        endpoints[e][c] = 2 * endpoints[e][c] + p[e];
        ++bits;
      }
      endpoints[e][c] = replicate(endpoints[e][c], bits);
    }
  }
  const int first_index = at;
  const int second_index = at + 16 * ib - ns;
  for (int i = 0; i < 16; ++i) {
    const int primary = weight(ib, index_of(block, first_index, ib, ns, partition, i));
    const int secondary = ib2 == 0 ? primary : weight(ib2, index_of(block, second_index, ib2, ns, partition, i));
    const int color = selection == 1 ? secondary : primary;
    const int alpha = selection == 1 ? primary : secondary;
    const int s = subset(ns, partition, i);
    auto& texel = out[static_cast<size_t>(i)];
    for (int c = 0; c < 4; ++c) {
      const int w = c < 3 ? color : alpha;
      texel[static_cast<size_t>(c)] = ((64 - w) * endpoints[2 * s][c] + w * endpoints[2 * s + 1][c] + 32) / 64 / 255.0;
    }
    if (rotation > 0) std::swap(texel[3], texel[static_cast<size_t>(rotation - 1)]);
  }
  return out;
}

struct HalfMode {
  int number;
  bool transformed;
  int endpoint_bits;
  int delta_bits[3];
};
constexpr HalfMode kHalfModes[14] = {{0, true, 10, {5, 5, 5}},  {1, true, 7, {6, 6, 6}},      {2, true, 11, {5, 4, 4}},
                                     {6, true, 11, {4, 5, 4}},  {10, true, 11, {4, 4, 5}},    {14, true, 9, {5, 5, 5}},
                                     {18, true, 8, {6, 5, 5}},  {22, true, 8, {5, 6, 5}},     {26, true, 8, {5, 5, 6}},
                                     {30, false, 6, {6, 6, 6}}, {3, false, 10, {10, 10, 10}}, {7, true, 11, {9, 9, 9}},
                                     {11, true, 12, {8, 8, 8}}, {15, true, 16, {4, 4, 4}}};

int sign_extend(int value, int bits) { return value >= 1 << (bits - 1) ? value - (1 << bits) : value; }

/// "Unquantization" of the specification.
int expand(int x, int bits, bool is_signed) {
  if (!is_signed) {
    if (bits >= 15) return x;
    return x == 0 ? 0 : x == (1 << bits) - 1 ? 0xFFFF : ((x << 15) + 0x4000) >> (bits - 1);
  }
  if (bits >= 16) return x;
  const int size = std::abs(x);
  const int expanded = size == 0 ? 0 : size >= (1 << (bits - 1)) - 1 ? 0x7FFF : ((size << 15) + 0x4000) >> (bits - 1);
  return x < 0 ? -expanded : expanded;
}

double half(int bits) {
  const int exponent = bits >> 10 & 31;
  const double mantissa = bits & 1023;
  double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  if (exponent == 31) value = INFINITY;  // only 0xFC00 is possible
  return (bits & 0x8000) != 0 ? -value : value;
}

int floor_div64(int value) { return static_cast<int>(std::floor(value / 64.0)); }

Texels decode_bc6h(const Block& block, bool is_signed) {
  Texels out{};
  for (auto& texel : out) texel[3] = 1;
  const int low = block.at(0, 2);
  const int number = low < 2 ? low : block.at(0, 5);
  const HalfMode* mode = nullptr;
  for (const HalfMode& m : kHalfModes) {
    if (m.number == number) mode = &m;
  }
  if (mode == nullptr) return out;
  std::string_view bits;
  for (const Bc6hBits& b : kBc6hBits) {
    if (b.mode == number) bits = b.bits;
  }
  int e[4][3] = {};
  int position = 0;
  for (size_t at = 0; at < bits.size(); ++position) {
    const size_t end = std::min(bits.find(' ', at), bits.size());
    const std::string_view token = bits.substr(at, end - at);
    at = end + 1;
    if (token == ".") continue;
    const size_t channel = std::string_view("rgb").find(token[0]);
    const int bit = std::stoi(std::string(token.substr(2)), nullptr, 16);
    e[token[1] - '0'][channel] |= block.at(position, 1) << bit;
  }
  const bool two = mode->number != 3 && mode->number != 7 && mode->number != 11 && mode->number != 15;
  for (int c = 0; c < 3; ++c) {
    const int eb = mode->endpoint_bits;
    if (is_signed) e[0][c] = sign_extend(e[0][c], eb);
    for (int k = 1; k < (two ? 4 : 2); ++k) {
      if (is_signed || mode->transformed) e[k][c] = sign_extend(e[k][c], mode->delta_bits[c]);
      if (!mode->transformed) continue;
      e[k][c] = (e[0][c] + e[k][c]) & ((1 << eb) - 1);
      if (is_signed) e[k][c] = sign_extend(e[k][c], eb);
    }
    for (int k = 0; k < 4; ++k) e[k][c] = expand(e[k][c], eb, is_signed);
  }
  const int partition = two ? block.at(77, 5) : 0;
  for (int i = 0; i < 16; ++i) {
    const int index = index_of(block, two ? 82 : 65, two ? 3 : 4, two ? 2 : 1, partition, i);
    const int w = weight(two ? 3 : 4, index);
    const int s = two ? subset(2, partition, i) : 0;
    for (int c = 0; c < 3; ++c) {
      const int value = floor_div64((64 - w) * e[2 * s][c] + w * e[2 * s + 1][c] + 32);
      const int stored = !is_signed ? value * 31 / 64 : value < 0 ? (-value * 31 / 32) | 0x8000 : value * 31 / 32;
      out[static_cast<size_t>(i)][static_cast<size_t>(c)] = half(stored);
    }
  }
  return out;
}

}  // namespace

Texels decode(BlockFormat format, const std::byte* bytes) {
  const BlockFormatInfo& info = block_format_info(format);
  const Block block(bytes, info.bytes_per_block);
  switch (format) {
    case BlockFormat::kBc1RgbUnorm:
    case BlockFormat::kBc1RgbSrgb:
      return s3tc_colors(block, 0, false, false);
    case BlockFormat::kBc1RgbaUnorm:
    case BlockFormat::kBc1RgbaSrgb:
      return s3tc_colors(block, 0, false, true);
    case BlockFormat::kBc2Unorm:
    case BlockFormat::kBc2Srgb: {
      Texels out = s3tc_colors(block, 64, true, false);
      for (int i = 0; i < 16; ++i) out[static_cast<size_t>(i)][3] = block.at(4 * i, 4) / 15.0;
      return out;
    }
    case BlockFormat::kBc3Unorm:
    case BlockFormat::kBc3Srgb: {
      Texels out = s3tc_colors(block, 64, true, false);
      const auto alpha = rgtc_channel(block, 0, false);
      for (size_t i = 0; i < 16; ++i) out[i][3] = alpha[i];
      return out;
    }
    case BlockFormat::kBc4Unorm:
    case BlockFormat::kBc4Snorm:
    case BlockFormat::kBc5Unorm:
    case BlockFormat::kBc5Snorm: {
      Texels out{};
      for (size_t c = 0; c < info.channels; ++c) {
        const auto channel = rgtc_channel(block, static_cast<int>(64 * c), info.has_sign);
        for (size_t i = 0; i < 16; ++i) out[i][c] = channel[i];
      }
      for (auto& texel : out) texel[3] = 1;
      return out;
    }
    case BlockFormat::kBc6hUfloat:
    case BlockFormat::kBc6hSfloat:
      return decode_bc6h(block, info.has_sign);
    default:
      return decode_bc7(block);
  }
}

}  // namespace onepass::blocks_oracle
