// row_srgb.cpp: builds the tables of row_srgb.hpp.
#include "image/row_srgb.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "image/srgb.hpp"

namespace onepass::image {
namespace {

using Polynomial = std::array<double, SrgbQuartics::kDegree + 1>;

constexpr double kLinearEnd = 0.0031308;

SrgbFixed make_fixed() {
  SrgbFixed tables{};
  constexpr uint32_t kOne = 1U << SrgbFixed::kBits;
  for (uint32_t code = 0; code < 256; ++code) {
    const auto fixed = static_cast<uint32_t>(std::lround(srgb_tables().decode_double[code] * kOne));
    tables.decode[code] = static_cast<float>(fixed) / static_cast<float>(kOne);
    tables.decode[code + 256] = static_cast<float>(code);
    for (size_t byte = 0; byte < SrgbFixed::kPlanes; ++byte) {
      tables.planes[byte][code] = static_cast<uint8_t>(fixed >> 8 * byte);
    }
  }
  for (uint32_t i = 0; i < 1024; ++i) {
    tables.decode_bytes[i] = static_cast<uint8_t>(std::bit_cast<uint32_t>(tables.decode[i % 256]) >> 8 * (i / 256));
  }
  return tables;
}

/// 255 times the sRGB encoding of `linear`, in an interval that ends at `end`. The two parts of the curve meet between
/// 10 and 10.5: in the interval that contains this point the power function alone rounds to the same quantised values.
double code_of(double linear, double end) {
  return end <= kLinearEnd ? 255 * 12.92 * linear : 255 * (1.055 * std::pow(linear, 1 / 2.4) - 0.055);
}

/// The quartic through the curve at the five Chebyshev nodes of [begin, end]: close to the minimax polynomial.
Polynomial fit(double begin, double end) {
  constexpr size_t kDegree = SrgbQuartics::kDegree;
  Polynomial x{};
  Polynomial slopes{};  // divided differences, in place
  for (size_t i = 0; i <= kDegree; ++i) {
    const double node = std::cos((2.0 * static_cast<double>(i) + 1.0) * std::numbers::pi / (2.0 * kDegree + 2.0));
    x[i] = (begin + end) / 2 + (end - begin) / 2 * node;
    slopes[i] = code_of(x[i], end);
  }
  for (size_t order = 1; order <= kDegree; ++order) {
    for (size_t i = kDegree; i >= order; --i) slopes[i] = (slopes[i] - slopes[i - 1]) / (x[i] - x[i - order]);
  }
  Polynomial quartic = {slopes[kDegree]};
  for (size_t i = kDegree; i-- > 0;) {  // quartic = quartic * (v - x[i]) + slopes[i]
    for (size_t power = kDegree; power > 0; --power) quartic[power] = quartic[power - 1] - x[i] * quartic[power];
    quartic[0] = slopes[i] - x[i] * quartic[0];
  }
  return quartic;
}

SrgbQuartics make_quartics() {
  SrgbQuartics quartics{};
  const uint32_t first = std::bit_cast<uint32_t>(SrgbQuartics::kLeast) >> 22;
  const uint32_t last = std::bit_cast<uint32_t>(1.0F) >> 22;
  for (uint32_t i = first; i <= last; ++i) {  // 32 half octaves
    Polynomial quartic = fit(std::bit_cast<float>(i << 22), std::bit_cast<float>((i + 1) << 22));
    quartic[0] += 256 + 0.5 + 0x1p-12;  // truncation rounds; kSureBits are 0 near a boundary
    for (size_t power = 0; power <= SrgbQuartics::kDegree; ++power) {
      quartics.coefficients[power][i % 32] = static_cast<float>(quartic[power]);
    }
  }
  return quartics;
}

}  // namespace

const SrgbFixed& srgb_fixed() {
  static const SrgbFixed tables = make_fixed();
  return tables;
}

const SrgbQuartics& srgb_quartics() {
  static const SrgbQuartics quartics = make_quartics();
  return quartics;
}

}  // namespace onepass::image
