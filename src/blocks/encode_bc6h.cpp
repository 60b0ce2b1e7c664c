// encode_bc6h.cpp: encode_bc6h: endpoints and indices of one block after the other.
//
// Values are codes: the bits of a half float as an integer, negative for negative halves. They grow with the logarithm
// of light, and a block interpolates them. The error is the sum of their squared differences, so that equal ratios of
// light count the same in dark and in bright texels.
//
// A fit of one or two subsets: the principal axis of the codes; endpoints in the finest mode whose differences can
// hold them; for each texel the index of the nearest colour; least squares for these indices; the same again.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "blocks/bc6h.hpp"
#include "blocks/bits.hpp"
#include "blocks/encode.hpp"

namespace onepass::blocks {
namespace {

using Color = std::array<float, 3>;
using Codes = std::array<int32_t, 3>;
using Ends = std::array<Color, 4>;  // Two per subset.

// Indices in kBc6hModes, those with the finest endpoints first. Every pair of endpoints fits into the last one.
constexpr std::array<uint8_t, 4> kOneSubsetModes = {13, 12, 11, 10};
constexpr std::array<uint8_t, 10> kTwoSubsetModes = {2, 3, 4, 0, 5, 6, 7, 8, 1, 9};
constexpr uint32_t kPartitions = 32;

struct Block {
  std::array<Codes, 16> codes;
  std::array<Color, 16> points;  ///< The integers of endpoints that mean these codes.
  Color weights;
  uint32_t inside = 0;
  bool has_sign = false;
};

struct Fit {
  float error = std::numeric_limits<float>::max();
  uint32_t mode = 0;
  uint32_t partition = 0;
  Bc6hEndpoints ends{};  ///< As the mode stores them, before differences are taken.
  std::array<uint8_t, 16> index{};
};

/// The texels of a subset that are in the image.
uint32_t texels_of(const Block& block, uint32_t subsets, uint32_t partition, uint32_t subset) {
  if (subsets == 1) return block.inside;
  return block.inside & (subset == 1 ? kTwoSubsets[partition] : ~uint32_t{kTwoSubsets[partition]});
}

template <typename Use>
void for_each_texel(uint32_t texels, const Use& use) {
  for (; texels != 0; texels &= texels - 1) use(static_cast<uint32_t>(std::countr_zero(texels)));
}

float dot(const Color& a, const Color& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Color difference(const Color& a, const Color& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// The line through the points of some texels with the least squared distances.
struct Line {
  Color mean{};
  Color axis{};
  float residual = 0;  ///< The sum of squared distances from the line.
};

Line line_through(const Block& block, uint32_t texels) {
  Line line;
  if (texels == 0) return line;
  for_each_texel(texels, [&](uint32_t i) {
    for (size_t c = 0; c < 3; ++c) line.mean[c] += block.points[i][c];
  });
  for (float& mean : line.mean) mean /= static_cast<float>(std::popcount(texels));
  std::array<Color, 3> covariance{};
  for_each_texel(texels, [&](uint32_t i) {
    const Color d = difference(block.points[i], line.mean);
    for (size_t a = 0; a < 3; ++a) {
      for (size_t b = 0; b < 3; ++b) covariance[a][b] += d[a] * d[b];
    }
  });
  const float trace = covariance[0][0] + covariance[1][1] + covariance[2][2];
  size_t most = 0;
  for (size_t c = 1; c < 3; ++c) most = covariance[c][c] > covariance[most][most] ? c : most;
  if (!(covariance[most][most] > 0)) return line;
  line.axis = covariance[most];
  float largest = 0;
  for (int round = 0; round < 4; ++round) {  // power iteration
    const float scale = std::max({std::abs(line.axis[0]), std::abs(line.axis[1]), std::abs(line.axis[2])});
    for (float& axis : line.axis) axis /= scale;
    const Color next = {dot(covariance[0], line.axis), dot(covariance[1], line.axis), dot(covariance[2], line.axis)};
    largest = dot(next, line.axis) / dot(line.axis, line.axis);
    line.axis = next;
  }
  line.residual = std::max(0.0F, trace - largest);
  return line;
}

/// The ends of the projections of texels on their line.
std::array<Color, 2> ends_on_line(const Block& block, uint32_t texels) {
  const Line line = line_through(block, texels);
  const float length = dot(line.axis, line.axis);
  float least = 0;
  float most = 0;
  if (length > 0) {
    for_each_texel(texels, [&](uint32_t i) {
      const float at = dot(difference(block.points[i], line.mean), line.axis) / length;
      least = std::min(least, at);
      most = std::max(most, at);
    });
  }
  std::array<Color, 2> ends;
  for (size_t c = 0; c < 3; ++c) {
    ends[0][c] = line.mean[c] + least * line.axis[c];
    ends[1][c] = line.mean[c] + most * line.axis[c];
  }
  return ends;
}

/// The stored value of `bits` bits that means the integer nearest to `value`.
int32_t quantize(float value, uint32_t bits, bool has_sign) {
  const int32_t most = has_sign ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  const int32_t least = has_sign ? -most : 0;
  const auto whole =
      static_cast<int32_t>(std::clamp(value, has_sign ? -32767.0F : 0.0F, has_sign ? 32767.0F : 65535.0F));
  const int32_t first = whole >> (16 - bits);
  int32_t best = 0;
  float nearest = std::numeric_limits<float>::max();
  for (int32_t stored = std::max(least, first - 1); stored <= std::min(most, first + 1); ++stored) {
    const float distance = std::abs(static_cast<float>(expand_endpoint(stored, bits, has_sign)) - value);
    if (distance < nearest) {
      nearest = distance;
      best = stored;
    }
  }
  return best;
}

/// Stores endpoints in a mode. Returns whether its differences can hold them.
bool store_ends(const Block& block, const Ends& ends, const Bc6hMode& mode, Bc6hEndpoints& stored) {
  for (uint32_t e = 0; e < 2U * mode.subsets; ++e) {
    for (uint32_t c = 0; c < 3; ++c) {
      stored[e][c] = quantize(ends[e][c], mode.endpoint_bits, block.has_sign);
      const int32_t limit = 1 << (mode.delta_bits[c] - 1);
      const int32_t delta = stored[e][c] - stored[0][c];
      if (mode.transformed && (delta < -limit || delta >= limit)) return false;
    }
  }
  return true;
}

/// The code of an interpolated integer.
int32_t code_of(int32_t value, bool has_sign) {
  const int32_t half = finish_bc6h(value, has_sign);
  return (half & 0x8000) != 0 ? -(half & 0x7FFF) : half;
}

/// An integer of endpoints that means a code; the middle if several do.
float point_of(int32_t code, bool has_sign) {
  const int32_t size = code < 0 ? -code : code;
  if (!has_sign) return static_cast<float>((64 * size + 30) / 31) + 0.5F;
  const auto point = static_cast<float>((32 * size + 30) / 31);
  return code < 0 ? -point : point;
}

/// Chooses the index of each texel of a subset; returns their error. The anchor takes an index of the lower half.
float choose_indices(const Block& block, uint32_t texels, uint32_t anchor, uint32_t subset, Fit& fit) {
  const Bc6hMode& mode = kBc6hModes[fit.mode];
  const uint32_t bits = mode.subsets == 2 ? 3 : 4;
  std::array<Codes, 16> palette;
  for (uint32_t c = 0; c < 3; ++c) {
    const int32_t e0 = expand_endpoint(fit.ends[2 * subset][c], mode.endpoint_bits, block.has_sign);
    const int32_t e1 = expand_endpoint(fit.ends[2 * subset + 1][c], mode.endpoint_bits, block.has_sign);
    for (uint32_t k = 0; k < 1U << bits; ++k) {
      const auto weight = static_cast<int32_t>(index_weight(bits, k));
      palette[k][c] = code_of(((64 - weight) * e0 + weight * e1 + 32) >> 6, block.has_sign);
    }
  }
  float sum = 0;
  for_each_texel(texels, [&](uint32_t i) {
    float least = std::numeric_limits<float>::max();
    for (uint32_t k = 0; k < 1U << (i == anchor ? bits - 1 : bits); ++k) {
      float error = 0;
      for (size_t c = 0; c < 3; ++c) {
        const auto d = static_cast<float>(palette[k][c] - block.codes[i][c]);
        error += block.weights[c] * (d * d);
      }
      if (error < least) {
        least = error;
        fit.index[i] = static_cast<uint8_t>(k);
      }
    }
    sum += least;
  });
  return sum;
}

/// The endpoints with the least squared distances from the points of texels that have these indices.
void refine(const Block& block, uint32_t texels, uint32_t bits, const std::array<uint8_t, 16>& index, Color& e0,
            Color& e1) {
  float aa = 0;
  float ab = 0;
  float bb = 0;
  Color a{};
  Color b{};
  for_each_texel(texels, [&](uint32_t i) {
    const float t = static_cast<float>(index_weight(bits, index[i])) / 64;
    aa += (1 - t) * (1 - t);
    ab += (1 - t) * t;
    bb += t * t;
    for (size_t c = 0; c < 3; ++c) {
      a[c] += (1 - t) * block.points[i][c];
      b[c] += t * block.points[i][c];
    }
  });
  const float determinant = aa * bb - ab * ab;
  if (!(determinant > 1e-3F)) return;  // all indices are the same
  for (size_t c = 0; c < 3; ++c) {
    e0[c] = (bb * a[c] - ab * b[c]) / determinant;
    e1[c] = (aa * b[c] - ab * a[c]) / determinant;
  }
}

/// Keeps the best of some rounds in `best`.
void fit_subsets(const Block& block, uint32_t subsets, uint32_t partition, uint32_t rounds, Fit& best) {
  const uint32_t bits = subsets == 2 ? 3 : 4;
  std::array<uint32_t, 2> texels{};
  std::array<uint32_t, 2> anchors{0, subsets == 2 ? kAnchorOfTwo[partition] : 0U};
  Ends ends{};
  for (uint32_t s = 0; s < subsets; ++s) {
    texels[s] = texels_of(block, subsets, partition, s);
    auto [low, high] = ends_on_line(block, texels[s]);
    const Color& anchor = block.points[anchors[s]];
    const Color from_low = difference(anchor, low);
    const Color from_high = difference(anchor, high);
    if (dot(from_low, from_low) > dot(from_high, from_high)) std::swap(low, high);
    ends[2 * s] = low;
    ends[2 * s + 1] = high;
  }
  for (uint32_t round = 0; round <= rounds; ++round) {
    Fit fit;
    fit.partition = partition;
    const std::span<const uint8_t> modes = subsets == 2 ? std::span<const uint8_t>(kTwoSubsetModes) : kOneSubsetModes;
    for (const uint8_t mode : modes) {
      fit.mode = mode;
      if (store_ends(block, ends, kBc6hModes[mode], fit.ends)) break;
    }
    fit.error = 0;
    for (uint32_t s = 0; s < subsets; ++s) fit.error += choose_indices(block, texels[s], anchors[s], s, fit);
    if (fit.error < best.error) best = fit;
    if (fit.error == 0 || round == rounds) return;
    for (uint32_t s = 0; s < subsets; ++s) refine(block, texels[s], bits, fit.index, ends[2 * s], ends[2 * s + 1]);
  }
}

struct Partition {
  uint32_t number = 0;
  float residual = 0;  ///< Squared distances of the points from the lines of their subsets.
};

/// Fits the `most` partitions with the smallest residuals, until these alone are more than the error of `best`.
void fit_partitions(const Block& block, uint32_t most, uint32_t rounds, Fit& best) {
  std::array<Partition, kPartitions> partitions;
  for (uint32_t p = 0; p < kPartitions; ++p) {
    partitions[p] = {p, 0};
    for (uint32_t s = 0; s < 2; ++s) partitions[p].residual += line_through(block, texels_of(block, 2, p, s)).residual;
  }
  std::stable_sort(partitions.begin(), partitions.end(),
                   [](const Partition& a, const Partition& b) { return a.residual < b.residual; });
  const float points_per_code = (block.has_sign ? 32.0F : 64.0F) / 31.0F;
  const float least_weight = std::min({block.weights[0], block.weights[1], block.weights[2]});
  const float scale = least_weight / (points_per_code * points_per_code);
  for (uint32_t n = 0; n < most; ++n) {
    if (partitions[n].residual * scale >= best.error) return;
    fit_subsets(block, 2, partitions[n].number, rounds, best);
  }
}

void pack(const Fit& fit, std::byte* out) {
  const Bc6hMode& mode = kBc6hModes[fit.mode];
  const bool two = mode.subsets == 2;
  BitWriter bits;
  bits.write(mode.number, mode.number < 2 ? 2 : 5);
  const Bc6hLayout& layout = kBc6hLayouts[fit.mode];
  for (uint32_t i = 0; i < layout.count; ++i) {
    const uint32_t endpoint = layout.bits[i] / 48;
    const uint32_t channel = layout.bits[i] / 16 % 3;
    const int32_t base = mode.transformed && endpoint > 0 ? fit.ends[0][channel] : 0;
    const auto stored = static_cast<uint32_t>(fit.ends[endpoint][channel] - base);
    bits.write(stored >> layout.bits[i] % 16 & 1U, 1);
  }
  bits.write(fit.partition, two ? 5 : 0);
  for (uint32_t i = 0; i < 16; ++i) {
    const bool anchor = i == 0 || (two && i == kAnchorOfTwo[fit.partition]);
    bits.write(fit.index[i], (two ? 3 : 4) - (anchor ? 1 : 0));
  }
  bits.store(out);
}

}  // namespace

void encode_bc6h(const std::array<const float*, 3>& codes, const uint16_t* inside, size_t count,
                 const EncodeSettings& settings, bool has_sign, std::byte* out) {
  struct Effort {
    uint32_t partitions;
    uint32_t rounds;
  };
  constexpr std::array<Effort, 3> kEfforts = {{{0, 1}, {4, 2}, {kPartitions, 3}}};
  const Effort effort = kEfforts[static_cast<size_t>(settings.quality)];
  for (size_t n = 0; n < count; ++n) {
    Block block;
    block.weights = {settings.weights[0], settings.weights[1], settings.weights[2]};
    block.inside = inside[n];
    block.has_sign = has_sign;
    for (uint32_t i = 0; i < 16; ++i) {
      for (uint32_t c = 0; c < 3; ++c) {
        block.codes[i][c] = static_cast<int32_t>(codes[c][16 * n + i]);
        block.points[i][c] = point_of(block.codes[i][c], has_sign);
      }
    }
    Fit best;
    fit_subsets(block, 1, 0, effort.rounds, best);
    if (effort.partitions > 0 && best.error > 0) fit_partitions(block, effort.partitions, effort.rounds, best);
    pack(best, out + 16 * n);
  }
}

}  // namespace onepass::blocks
