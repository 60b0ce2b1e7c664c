// lab.cpp: L*a*b* by the D50 white of TIFF to XYZ, to linear BT.709, to sRGB codes, pixel by pixel.
// Sources: Adobe, "TIFF Revision 6.0", 1992, section 23; CIE 15:2004, section 8.2.1.
#include "files/lab.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "files/pixels.hpp"
#include "onepass/color.hpp"

namespace onepass::files {
namespace {

// CIE X, Y and Z relative to those of the white D50.
constexpr Chromaticities kRelativeXyz{{1, 0}, {0, 1}, {0, 0}, {0.34567, 0.35850}};

// The inverse of CIE's f(t), which is a cube root above (6/29)^3 and linear below.
double inverse_cube(double f) {
  constexpr double kLimit = 6.0 / 29;
  return f > kLimit ? f * f * f : 3 * kLimit * kLimit * (f - 4.0 / 29);
}

template <typename Code>
void convert(Image& image, const ColorMatrix& to_srgb) {
  constexpr double kMost = std::numeric_limits<Code>::max();
  constexpr double kUnit = sizeof(Code) == 1 ? 1 : 256;
  const uint32_t channels = format_info(image.format()).channels;
  auto* texel = reinterpret_cast<Code*>(image.data());
  const Code* end = texel + image.size_in_bytes() / sizeof(Code);
  for (; texel != end; texel += channels) {
    using Signed = std::make_signed_t<Code>;
    const double y = (texel[0] / kMost * 100 + 16) / 116;
    const double x = y + static_cast<Signed>(texel[1]) / kUnit / 500;
    const double z = y - static_cast<Signed>(texel[2]) / kUnit / 200;
    const std::array<double, 3> xyz = {inverse_cube(x), inverse_cube(y), inverse_cube(z)};
    for (size_t c = 0; c < 3; ++c) {
      const double light = to_srgb[c][0] * xyz[0] + to_srgb[c][1] * xyz[1] + to_srgb[c][2] * xyz[2];
      texel[c] = static_cast<Code>(std::lround(kMost * std::clamp(linear_to_srgb(light), 0.0, 1.0)));
    }
  }
}

}  // namespace

void lab_to_srgb(Image& image) {
  const auto to_srgb = conversion_matrix(kRelativeXyz, kRec709Chromaticities);
  ONEPASS_ASSERT(to_srgb.ok());
  if (format_info(image.format()).bytes_per_texel == 8) {
    convert<uint16_t>(image, *to_srgb);
  } else {
    convert<uint8_t>(image, *to_srgb);
  }
}

}  // namespace onepass::files
