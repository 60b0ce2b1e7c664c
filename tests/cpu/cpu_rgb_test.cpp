// cpu_rgb_test.cpp: views without alpha (RGB) where the options of the CPU engine say a format with alpha. Oracle: the
// same call with an image of four channels whose alpha is 1.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "onepass/bloom.hpp"
#include "onepass/fourier.hpp"
#include "onepass/fourier_convolution.hpp"
#include "onepass/fourier_correlation.hpp"
#include "onepass/fourier_deconvolution.hpp"
#include "onepass/fourier_filter.hpp"
#include "onepass/frame_tone_map.hpp"
#include "onepass/onepass.h"
#include "tests/pyramid/pyramid_testing.hpp"

namespace onepass::testing {
namespace {

constexpr Extent kSize{203, 37};  // rows of several parts, and a rest
constexpr uint32_t kSlices = 2;

struct Pair {
  Format rgb;
  Format rgba;
};
constexpr std::array<Pair, 5> kPairs = {{{Format::kRGB8Unorm, Format::kRGBA8Unorm},
                                         {Format::kRGB8Srgb, Format::kRGBA8Srgb},
                                         {Format::kRGB16Unorm, Format::kRGBA16Unorm},
                                         {Format::kRGB16Sfloat, Format::kRGBA16Sfloat},
                                         {Format::kRGB32Sfloat, Format::kRGBA32Sfloat}}};

/// The bytes of a channel that is 1.
std::array<std::byte, 4> one_of(Format format) {
  std::array<float, 4> ones = {1, 1, 1, 1};
  std::array<std::byte, 16> texel{};
  std::array<std::byte, 4> bytes{};
  encode_row(format, ones.data(), 1, texel.data());
  std::copy_n(texel.begin(), texel_info(format).bytes_per_texel / texel_info(format).channels, bytes.begin());
  return bytes;
}

/// The same image with and without alpha, with gaps between rows.
struct Twins {
  PaddedImage rgb;
  PaddedImage rgba;
};

Twins make_twins(const Pair& pair, uint32_t seed, Extent size = kSize, uint32_t slices = kSlices) {
  Twins twins{PaddedImage(pair.rgb, size, slices, 24, 48), PaddedImage(pair.rgba, size, slices, 32, 16)};
  Random random(seed);
  fill_random(twins.rgb.view(), random);
  const size_t channel = texel_info(pair.rgb).bytes_per_texel / 3;
  const auto one = one_of(pair.rgba);
  for (uint32_t slice = 0; slice < slices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      const std::byte* from = twins.rgb.view().row(y, slice);
      std::byte* to = twins.rgba.view().row(y, slice);
      for (uint32_t x = 0; x < size.width; ++x, from += 3 * channel, to += 4 * channel) {
        std::memcpy(to, from, 3 * channel);
        std::memcpy(to + 3 * channel, one.data(), channel);
      }
    }
  }
  return twins;
}

std::vector<std::byte> colours_of(const PaddedImage& image) {
  const FormatInfo& info = texel_info(image.view().format);
  const size_t channel = info.bytes_per_texel / info.channels;
  std::vector<std::byte> colours;
  for (uint32_t slice = 0; slice < image.view().slices; ++slice) {
    for (uint32_t y = 0; y < image.view().size.height; ++y) {
      const std::byte* texel = image.view().row(y, slice);
      for (uint32_t x = 0; x < image.view().size.width; ++x, texel += info.bytes_per_texel) {
        colours.insert(colours.end(), texel, texel + 3 * channel);
      }
    }
  }
  return colours;
}

using Operation = std::function<Result<void>(const ImageView& source, const MutableImageView& target)>;

/// Source and target with and without alpha: the same colours.
void expect_same(const Twins& source, const Pair& target, const Operation& run, Extent size = kSize,
                 uint32_t slices = kSlices) {
  SCOPED_TRACE(std::string(texel_info(target.rgb).name) + " from " +
               std::string(texel_info(source.rgb.view().format).name));
  PaddedImage expected(target.rgba, size, slices);
  const Result<void> reference = run(source.rgba.view(), expected.view());
  ASSERT_TRUE(reference) << reference.error().text();
  PaddedImage with_alpha(target.rgba, size, slices);
  const Result<void> read = run(source.rgb.view(), with_alpha.view());
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(with_alpha.bytes() == expected.bytes()) << "source without alpha";
  for (const ImageView& from : {source.rgba.view(), source.rgb.view()}) {
    PaddedImage without(target.rgb, size, slices, 9 * 4, 5 * 4);
    const Result<void> done = run(from, without.view());
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_TRUE(colours_of(without) == colours_of(expected)) << "target without alpha";
    EXPECT_FALSE(without.gaps_touched());
  }
}

void expect_equal(const MeterResult& a, const MeterResult& b) {
  EXPECT_EQ(a.valid, 1U);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof(a)), 0) << a.exposure << " " << b.exposure;
}

TEST(CpuRgb, RowsAreDecodedAndEncoded) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(texel_info(pair.rgb).name);
    const Twins twins = make_twins(pair, 1, {67, 1}, 1);
    std::vector<float> decoded(4 * 67), expected(4 * 67);
    decode_row(pair.rgb, twins.rgb.view().row(0), 67, decoded.data());
    decode_row(pair.rgba, twins.rgba.view().row(0), 67, expected.data());
    EXPECT_EQ(decoded, expected);
    PaddedImage encoded(pair.rgb, {67, 1}, 1, 12);
    encode_row(pair.rgb, decoded.data(), 67, encoded.view().row(0));
    EXPECT_EQ(colours_of(encoded), colours_of(twins.rgb));
    EXPECT_FALSE(encoded.gaps_touched());
  }
}

TEST(CpuRgb, Meter) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(texel_info(pair.rgb).name);
    const Twins twins = make_twins(pair, 2);
    for (const Metering metering : {Metering::kAverage, Metering::kCentreWeighted, Metering::kMask}) {
      MeterOptions options{.size = kSize, .slices = kSlices, .source = pair.rgba, .metering = metering};
      options.rect = {3, 5, 190, 30};
      PaddedImage mask(Format::kR8Unorm, kSize);
      Random random(3);
      fill_random(mask.view(), random);
      const bool masked = metering == Metering::kMask;
      if (masked) options.mask = Format::kR8Unorm;
      auto meter = cpu::Meter::create(options);
      ASSERT_TRUE(meter) << meter.error().text();
      std::array<MeterResult, kSlices> expected, results;
      ASSERT_TRUE(meter->measure(twins.rgba.view(), expected, {}, masked ? mask.view() : ImageView{}));
      ASSERT_TRUE(meter->measure(twins.rgb.view(), results, {}, masked ? mask.view() : ImageView{}));
      for (uint32_t slice = 0; slice < kSlices; ++slice) expect_equal(results[slice], expected[slice]);
    }
  }
}

TEST(CpuRgb, ToneMap) {
  for (const Pair& source : kPairs) {
    for (const Pair& target : kPairs) {
      const Twins twins = make_twins(source, 4);
      for (const bool local : {false, true}) {
        ToneMapOptions options{.size = kSize, .slices = kSlices, .source = source.rgba, .target = target.rgba};
        if (format_info(target.rgba).type != ChannelType::kFloat) options.dither = Dither::kOn;
        if (local) options.local.highlights = 0.6F;
        auto map = cpu::ToneMap::create(options, {.threads = 2});
        ASSERT_TRUE(map) << map.error().text();
        expect_same(twins, target,
                    [&](const ImageView& from, const MutableImageView& to) { return map->apply(from, to, 1.5F); });
      }
    }
  }
}

// Large enough for non-temporal stores of the format with alpha, and for tables of quantised values.
TEST(CpuRgb, ToneMapOfALargeImage) {
  constexpr Extent kLarge{2049, 1025};
  const Pair halves{Format::kRGB16Sfloat, Format::kRGBA16Sfloat}, bytes{Format::kRGB8Srgb, Format::kRGBA8Srgb};
  const Twins twins = make_twins(halves, 5, kLarge, 1);
  auto map = cpu::ToneMap::create({.size = kLarge, .source = halves.rgba, .target = bytes.rgba});
  ASSERT_TRUE(map) << map.error().text();
  expect_same(
      twins, bytes, [&](const ImageView& from, const MutableImageView& to) { return map->apply(from, to, 1.0F); },
      kLarge, 1);
}

TEST(CpuRgb, Frame) {
  const Twins twins = make_twins(kPairs[3], 6);
  FrameToneMapOptions options;
  options.meter = {.size = kSize, .slices = kSlices, .source = kPairs[3].rgba, .rect = {0, 4, 203, 20}};
  options.tone = {.size = kSize, .slices = kSlices, .source = kPairs[3].rgba, .target = kPairs[1].rgba};
  auto frame = cpu::FrameToneMap::create(options, {});
  ASSERT_TRUE(frame) << frame.error().text();
  std::vector<MeterResult> all;
  expect_same(twins, kPairs[1], [&](const ImageView& from, const MutableImageView& to) {
    std::array<MeterResult, kSlices> results{};
    for (MeterResult& result : results) result.exposure = 0.75F;
    auto done = frame->apply(from, to, results);
    all.insert(all.end(), results.begin(), results.end());
    return done;
  });
  ASSERT_EQ(all.size(), 4U * kSlices);
  for (size_t i = kSlices; i < all.size(); ++i) expect_equal(all[i], all[i % kSlices]);
}

TEST(CpuRgb, Transform) {
  for (const Pair& source : kPairs) {
    for (const Pair& target : kPairs) {
      for (const uint32_t channels : {2U, 3U, 4U}) {
        SCOPED_TRACE(channels);
        const TransformOptions options{.size = {256, 64},
                                       .slices = kSlices,
                                       .channels = channels,
                                       .source = source.rgba,
                                       .target = target.rgba,
                                       .crop = {2, 1, 190, 30},
                                       .placement = {5, 7},
                                       .result = {1, 3, kSize.width, kSize.height}};
        auto transform = cpu::Transform::create(options, {.threads = 2});
        ASSERT_TRUE(transform) << transform.error().text();
        expect_same(make_twins(source, 7), target, [&](const ImageView& from, const MutableImageView& to) {
          std::vector<std::byte> spectrum(transform->plan().spectrum_bytes);
          auto done = transform->forward(from, spectrum);
          return done ? transform->inverse(spectrum, to) : done;
        });
      }
    }
  }
}

TEST(CpuRgb, Convolver) {
  const Twins kernel = make_twins(kPairs[4], 8, {9, 7}, 1);
  for (const Pair& pair : kPairs) {
    for (const uint32_t channels : {3U, 4U}) {
      SCOPED_TRACE(channels);
      auto convolver = cpu::Convolver::create({.size = kSize,
                                               .slices = kSlices,
                                               .channels = channels,
                                               .source = pair.rgba,
                                               .kernel_size = {9, 7},
                                               .kernel = kPairs[4].rgba,
                                               .kernel_channels = KernelChannels::kPerChannel});
      ASSERT_TRUE(convolver) << convolver.error().text();
      for (const ImageView& weights : {kernel.rgb.view(), kernel.rgba.view()}) {
        ASSERT_TRUE(convolver->set_kernel(weights));
        expect_same(make_twins(pair, 9), pair,
                    [&](const ImageView& from, const MutableImageView& to) { return convolver->convolve(from, to); });
      }
    }
  }
}

TEST(CpuRgb, Filter) {
  for (const Pair& pair : kPairs) {
    for (const FilterDomain domain : {FilterDomain::kLinear, FilterDomain::kLogarithm}) {
      for (const uint32_t channels : {3U, 4U}) {
        SCOPED_TRACE(channels);
        auto filter = cpu::Filter::create(
            {.size = kSize, .slices = kSlices, .channels = channels, .source = pair.rgba, .domain = domain});
        ASSERT_TRUE(filter) << filter.error().text();
        expect_same(make_twins(pair, 10), pair,
                    [&](const ImageView& from, const MutableImageView& to) { return filter->apply(from, to); });
      }
    }
  }
}

TEST(CpuRgb, Correlator) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(texel_info(pair.rgb).name);
    const Twins first = make_twins(pair, 11, kSize, 1), second = make_twins(pair, 12, kSize, 1);
    auto correlator = cpu::Correlator::create({.size = kSize, .first = pair.rgba, .second = pair.rgba});
    ASSERT_TRUE(correlator) << correlator.error().text();
    PaddedImage expected(Format::kR32Sfloat, kSize), surface(Format::kR32Sfloat, kSize);
    ASSERT_TRUE(correlator->correlate(first.rgba.view(), second.rgba.view(), expected.view()));
    ASSERT_TRUE(correlator->correlate(first.rgb.view(), second.rgb.view(), surface.view()));
    EXPECT_TRUE(surface.bytes() == expected.bytes());
  }
}

TEST(CpuRgb, Deconvolver) {
  for (const Pair& pair : kPairs) {
    for (const auto& [method, edges] :
         {std::pair{DeconvolutionMethod::kWiener, DeconvolutionEdges::kWrap},
          std::pair{DeconvolutionMethod::kWiener, DeconvolutionEdges::kTaper},
          std::pair{DeconvolutionMethod::kRichardsonLucy, DeconvolutionEdges::kUnknown}}) {
      SCOPED_TRACE(static_cast<int>(edges));
      auto deconvolver = cpu::Deconvolver::create({.size = kSize,
                                                   .slices = kSlices,
                                                   .source = pair.rgba,
                                                   .kernel_size = {5, 5},
                                                   .kernel = Format::kR32Sfloat,
                                                   .method = method,
                                                   .edges = edges,
                                                   .iterations = 3});
      ASSERT_TRUE(deconvolver) << deconvolver.error().text();
      const std::vector<float> box(25, 0.04F);
      ASSERT_TRUE(deconvolver->set_kernel({box.data(), Format::kR32Sfloat, {5, 5}, 1, 20, 100}));
      expect_same(make_twins(pair, 13), pair,
                  [&](const ImageView& from, const MutableImageView& to) { return deconvolver->deconvolve(from, to); });
    }
  }
}

TEST(CpuRgb, Bloom) {
  for (const Pair& pair : kPairs) {
    for (const BloomMethod method : {BloomMethod::kConvolution, BloomMethod::kMipChain}) {
      for (const BloomResolution resolution : {BloomResolution::kFull, BloomResolution::kHalf}) {
        SCOPED_TRACE(static_cast<int>(method) * 10 + static_cast<int>(resolution));
        auto bloom = cpu::Bloom::create({.size = kSize,
                                         .slices = kSlices,
                                         .source = pair.rgba,
                                         .method = method,
                                         .resolution = resolution,
                                         .threshold = 0.5F});
        ASSERT_TRUE(bloom) << bloom.error().text();
        expect_same(make_twins(pair, 14), pair,
                    [&](const ImageView& from, const MutableImageView& to) { return bloom->apply(from, to); });
      }
    }
  }
}

TEST(CpuRgb, CApi) {
  const Twins twins = make_twins(kPairs[0], 15, kSize, 1);
  onepass_meter_options options;
  onepass_meter_options_init(&options, sizeof(options));
  options.size = {kSize.width, kSize.height};
  options.source = ONEPASS_FORMAT_R8G8B8A8_UNORM;
  onepass_cpu_meter* meter = nullptr;
  ASSERT_EQ(onepass_cpu_meter_create(&options, nullptr, &meter, nullptr), ONEPASS_OK);
  std::array<onepass_meter_result, 2> results{};
  for (size_t i = 0; i < 2; ++i) {
    const ImageView view = i == 0 ? twins.rgba.view() : twins.rgb.view();
    const onepass_image_view image{.data = view.data,
                                   .format = static_cast<onepass_format>(view.format),
                                   .size = {kSize.width, kSize.height},
                                   .slices = 1,
                                   .row_stride = view.row_stride,
                                   .slice_stride = view.slice_stride};
    ASSERT_EQ(onepass_cpu_meter_measure(meter, &image, &results[i], 1, nullptr, nullptr, nullptr), ONEPASS_OK);
  }
  EXPECT_EQ(std::memcmp(&results[0], &results[1], sizeof(results[0])), 0);
  onepass_cpu_meter_destroy(meter);
}

// Only the same format without alpha, and only where colours are read or written.
TEST(CpuRgb, OtherFormatsAreRefused) {
  const Twins twins = make_twins(kPairs[0], 16, kSize, 1);
  MeterResult result;
  auto meter = cpu::Meter::create({.size = kSize, .source = Format::kRGBA16Unorm});
  ASSERT_TRUE(meter);
  const auto measured = meter->measure(twins.rgb.view(), {&result, 1});
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().text(), "source: format r8g8b8_unorm, expected r16g16b16a16_unorm");
  const auto bgra = cpu::Meter::create({.size = kSize, .source = Format::kBGRA8Unorm});
  ASSERT_TRUE(bgra);
  EXPECT_FALSE(bgra->measure(twins.rgb.view(), {&result, 1}));
  const auto options = cpu::Meter::create({.size = kSize, .source = Format::kRGB8Unorm});
  ASSERT_FALSE(options);
  EXPECT_NE(options.error().text().find("source"), std::string::npos) << options.error().text();
  auto pyramid = cpu::Pyramid::create({.size = kSize, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm});
  ASSERT_TRUE(pyramid);
  Levels levels({.size = kSize, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm});
  EXPECT_FALSE(pyramid->build(twins.rgb.view(), levels.views));
}

}  // namespace
}  // namespace onepass::testing
