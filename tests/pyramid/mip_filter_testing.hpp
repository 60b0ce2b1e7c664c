// mip_filter_testing.hpp: cases and images of the tests of mip filters, the same for both engines.
#pragma once

#include <string>

#include "onepass/words.hpp"
#include "tests/pyramid/mip_filter_oracle.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/enumerators.hpp"

namespace onepass::testing {

inline constexpr auto kFilters = enumerators_without<MipFilter::kBox>();
inline constexpr auto kBoundaries = enumerators_without<Boundary::kZero>();

/// describe() and the filter.
std::string describe_filter(const PyramidOptions& options);

PyramidOptions options_of(Format format, Extent size, const MipFilterOptions& filter);

/// Random texels, with gaps between rows.
PaddedImage random_source(const PyramidOptions& options, uint32_t seed = 1);

/// Random colours without a sign, transparent on the left and opaque on the right.
PaddedImage transparent_source(const PyramidOptions& options);

/// Unit vectors that lean by up to 0.4 on both axes; a fourth channel is 1/4.
PaddedImage normal_source(const PyramidOptions& options);

/// Floats: value(x, y, slice).
template <class Value>
PaddedImage image_of(Extent size, uint32_t slices, const Value& value) {
  PaddedImage image(Format::kR32Sfloat, size, slices);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      auto* row = reinterpret_cast<float*>(image.view().row(y, slice));
      for (uint32_t x = 0; x < size.width; ++x) row[x] = static_cast<float>(value(x, y, slice));
    }
  }
  return image;
}

/// Calls visit(options) for every boundary, limit, input and filter at even and odd sizes, of floats and of sRGB.
template <class Visit>
void for_every_filter(const Visit& visit) {
  for (const Boundary boundary : kBoundaries) {
    for (const Ringing ringing : all_enumerators<Ringing>()) {
      for (const MipFilterInput input : all_enumerators<MipFilterInput>()) {
        for (const Format format : {Format::kR32Sfloat, Format::kRGBA8Srgb}) {
          for (const MipFilter kind : kFilters) {
            for (const Extent size : {Extent{64, 32}, Extent{61, 45}, Extent{1, 9}, Extent{7, 1}, Extent{3, 2}}) {
              visit(options_of(format, size, {.kind = kind, .input = input, .boundary = boundary, .ringing = ringing}));
            }
          }
        }
      }
    }
  }
}

/// Calls visit(options) for filters by Kaiser of several widths and shapes, which reach over small images repeatedly.
template <class Visit>
void for_every_kaiser(const Visit& visit) {
  for (const float width : {1.0F, 2.5F, 8.0F, 16.0F}) {
    for (const float alpha : {0.0F, 1.5F, 20.0F}) {
      const MipFilterOptions filter = {
          .kind = MipFilter::kKaiser, .boundary = Boundary::kWrap, .kaiser_width = width, .kaiser_alpha = alpha};
      visit(options_of(Format::kRGBA32Sfloat, {50, 21}, filter));
    }
  }
}

/// Calls visit(options) for alpha as a weight, with every filter, at an odd size.
template <class Visit>
void for_every_weighted(const Visit& visit) {
  for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kBGRA8Srgb, Format::kRGBA16Sfloat,
                              Format::kRGBA32Sfloat, Format::kRGBA16Unorm}) {
    for (const MipFilter kind : kFilters) {
      PyramidOptions options = options_of(format, {37, 50}, {.kind = kind, .ringing = Ringing::kLimit});
      options.alpha = Alpha::kWeighted;
      visit(options);
    }
  }
}

/// Calls visit(options) for normal maps of every kind of format.
template <class Visit>
void for_every_normal_map(const Visit& visit) {
  for (const Format format : {Format::kRG8Unorm, Format::kRGBA8Unorm, Format::kRGBA16Sfloat, Format::kRGBA32Sfloat}) {
    PyramidOptions options = options_of(format, {40, 33}, {.kind = MipFilter::kKaiser, .boundary = Boundary::kWrap});
    options.normal_map = NormalMap::kRenormalize;
    options.levels = 3;
    visit(options);
  }
}

}  // namespace onepass::testing
