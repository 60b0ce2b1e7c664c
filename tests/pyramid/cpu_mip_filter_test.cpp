// cpu_mip_filter_test.cpp: levels by sharper filters than the box: against the oracle, the same bits everywhere, and
// the properties that the filters promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "cpu/progress_watch.hpp"
#include "onepass/fourier.hpp"
#include "onepass/pyramid_stream.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/pyramid/mip_filter_testing.hpp"

namespace onepass::testing {
namespace {

Levels build(const PyramidOptions& options, const ImageView& source, uint32_t threads = 0) {
  Levels levels(options, 3, 5);
  auto pyramid = cpu::Pyramid::create(options, {.threads = threads});
  EXPECT_TRUE(pyramid.ok()) << (pyramid.ok() ? "" : pyramid.error().text());
  if (!pyramid.ok()) return levels;
  EXPECT_TRUE(pyramid->build(source, levels.views).ok());
  EXPECT_FALSE(levels.gaps_touched()) << describe_filter(options);
  return levels;
}

/// Sums of up to 38 products each, along y and x.
Tolerance filter_tolerance(const PyramidOptions& options) {
  Tolerance tolerance;
  if (options.alpha == Alpha::kWeighted) tolerance.ulps = 8;  // two divisions
  if (options.normal_map == NormalMap::kRenormalize) tolerance.code_ulps = 8;
  return tolerance;
}

void expect_oracle(const PyramidOptions& options, const PaddedImage& source) {
  const Levels levels = build(options, source.view());
  EXPECT_TRUE(matches(oracle_filtered_pyramid(options, source.view()), levels.views, filter_tolerance(options),
                      describe_filter(options)));
}

void expect_oracle(const PyramidOptions& options) { expect_oracle(options, random_source(options)); }

float float_at(const ImageView& image, uint32_t x, uint32_t y = 0, uint32_t slice = 0) {
  return reinterpret_cast<const float*>(image.row(y, slice))[x];
}

TEST(CpuMipFilter, EveryFilterAndBoundaryMatchesTheOracle) {
  for_every_filter([](const PyramidOptions& options) { expect_oracle(options); });
}

TEST(CpuMipFilter, EveryFormatMatchesTheOracle) {
  for (const FormatInfo& info : all_formats()) {
    PyramidOptions options = options_of(info.format, {45, 38}, {.kind = MipFilter::kKaiser});
    options.slices = 2;
    if (info.depth) options.target = Format::kR32Sfloat;
    for (const MipFilterInput input : all_enumerators<MipFilterInput>()) {
      options.filter.input = input;
      expect_oracle(options);
    }
  }
}

TEST(CpuMipFilter, AwkwardSizesMatchTheOracle) {
  for (const Extent size : awkward_sizes()) {
    if (uint64_t{size.width} * size.height > 300000) continue;
    expect_oracle(options_of(Format::kRG16Sfloat, size, {.kind = MipFilter::kLanczos, .boundary = Boundary::kMirror}));
  }
}

TEST(CpuMipFilter, KaiserTakesItsWidthAndShape) {
  for_every_kaiser([](const PyramidOptions& options) { expect_oracle(options); });
}

TEST(CpuMipFilter, WeightedAlphaMatchesTheOracle) {
  for_every_weighted([](const PyramidOptions& options) { expect_oracle(options, transparent_source(options)); });
}

TEST(CpuMipFilter, NormalMapsMatchTheOracle) {
  for_every_normal_map([](const PyramidOptions& options) { expect_oracle(options, normal_source(options)); });
}

TEST(CpuMipFilter, TheSameBitsForThreadsAndSimdTargets) {
  const SevenThreads seven;
  for (const Format format : {Format::kRGBA8Srgb, Format::kRGBA32Sfloat, Format::kRG16Unorm, Format::kR8Unorm}) {
    for (const MipFilterInput input : all_enumerators<MipFilterInput>()) {
      for (const Alpha alpha : {Alpha::kIndependent, Alpha::kWeighted}) {
        if (alpha == Alpha::kWeighted && format_info(format).channels != 4) continue;
        PyramidOptions options = options_of(format, {1091, 201}, {.kind = MipFilter::kLanczos, .input = input});
        options.alpha = alpha;
        options.filter.ringing = alpha == Alpha::kWeighted ? Ringing::kLimit : Ringing::kKeep;
        const PaddedImage source = random_source(options);
        const Levels expected = build(options, source.view(), 1);
        for (const uint32_t threads : {2U, 7U}) {
          EXPECT_TRUE(build(options, source.view(), threads).same_bytes(expected)) << describe_filter(options);
        }
        on_every_simd_target([&](const char* target) {
          EXPECT_TRUE(build(options, source.view(), 1).same_bytes(expected)) << target << describe_filter(options);
        });
      }
    }
  }
}

// ---- Properties

TEST(CpuMipFilter, ConstantsStayConstant) {
  for (const MipFilter kind : kFilters) {
    for (const MipFilterInput input : all_enumerators<MipFilterInput>()) {
      const PyramidOptions options = options_of(Format::kR32Sfloat, {101, 64}, {.kind = kind, .input = input});
      const PaddedImage source = image_of(options.size, 1, [](auto...) { return 0.7F; });
      const Levels levels = build(options, source.view());
      double bound = 0;
      for (const MutableImageView& level : levels.views) {
        bound += 3 * 0x1p-24;  // 3 ULP for each level
        for (uint32_t y = 0; y < level.size.height; ++y) {
          for (uint32_t x = 0; x < level.size.width; ++x) {
            ASSERT_NEAR(float_at(level, x, y), 0.7F, bound) << describe_filter(options) << level.size.width;
          }
        }
      }
    }
    PyramidOptions bytes = options_of(Format::kRGBA8Srgb, {101, 64}, {.kind = kind});
    PaddedImage grey(bytes.source, bytes.size);
    for (uint32_t y = 0; y < 64; ++y) std::memset(grey.view().row(y), 77, size_t{4} * 101);
    const Levels levels = build(bytes, grey.view());
    for (const MutableImageView& level : levels.views) {
      for (uint32_t i = 0; i < 4 * level.size.width; ++i) {
        ASSERT_EQ(static_cast<uint32_t>(level.row(0)[i]), 77U) << describe_filter(bytes);
      }
    }
  }
}

TEST(CpuMipFilter, SymmetricImagesStaySymmetric) {
  for (const MipFilter kind : kFilters) {
    for (const Boundary boundary : kBoundaries) {
      const PyramidOptions options = options_of(Format::kR32Sfloat, {75, 46}, {.kind = kind, .boundary = boundary});
      const PaddedImage source = image_of(options.size, 1, [&](uint32_t x, uint32_t y, uint32_t) {
        return ((std::min(x, 74 - x) * 37 + std::min(y, 45 - y) * 101) % 64) / 64.0;
      });
      for (const MutableImageView& level : build(options, source.view()).views) {
        const auto [width, height] = level.size;
        for (uint32_t y = 0; y < height; ++y) {
          for (uint32_t x = 0; x < width; ++x) {
            const float value = float_at(level, x, y);
            ASSERT_NEAR(value, float_at(level, width - 1 - x, y), 1e-6) << describe_filter(options);
            ASSERT_NEAR(value, float_at(level, x, height - 1 - y), 1e-6) << describe_filter(options);
          }
        }
      }
    }
  }
}

TEST(CpuMipFilter, WrapCommutesWithShifts) {
  // A shift by 8 base texels is one by 4, 2 and 1 texels of the first levels, with the same bits.
  for (const MipFilter kind : kFilters) {
    PyramidOptions options = options_of(Format::kRGBA8Srgb, {1120, 96}, {.kind = kind, .boundary = Boundary::kWrap});
    options.levels = 4;
    const PaddedImage source = random_source(options);
    PaddedImage shifted(options.source, options.size);
    const auto [width, height] = options.size;
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x) {
        std::memcpy(shifted.view().row((y + 8) % height) + size_t{4} * ((x + 8) % width),
                    source.view().row(y) + size_t{4} * x, 4);
      }
    }
    const Levels levels = build(options, source.view());
    const Levels moved = build(options, shifted.view());
    for (uint32_t n = 1; n <= 3; ++n) {
      const MutableImageView& level = levels.views[n - 1];
      const uint32_t shift = 8U >> n;
      for (uint32_t y = 0; y < level.size.height; ++y) {
        for (uint32_t x = 0; x < level.size.width; ++x) {
          const std::byte* there =
              moved.views[n - 1].row((y + shift) % level.size.height) + size_t{4} * ((x + shift) % level.size.width);
          ASSERT_EQ(std::memcmp(level.row(y) + size_t{4} * x, there, 4), 0)
              << describe_filter(options) << " level " << n;
        }
      }
    }
  }
}

TEST(CpuMipFilter, LimitedResultsStayInTheLocalRange) {
  for (const MipFilter kind : kFilters) {
    for (const Ringing ringing : all_enumerators<Ringing>()) {
      const PyramidOptions options = options_of(Format::kR32Sfloat, {90, 71}, {.kind = kind, .ringing = ringing});
      const PaddedImage source = image_of(options.size, 1, [](uint32_t x, uint32_t y, uint32_t) {
        return (x / 7 * 37 + y / 5 * 101) % 64 / 64.0;  // blocks, beside whose edges filters ring
      });
      const Levels levels = build(options, source.view());
      const MutableImageView& level = levels.views[0];
      uint32_t beyond = 0;
      for (uint32_t y = 0; y < level.size.height; ++y) {
        for (uint32_t x = 0; x < level.size.width; ++x) {
          float low = HUGE_VALF;
          float high = -HUGE_VALF;
          for (const OracleTap& ty : oracle_taps(options.filter, 71, level.size.height, y)) {
            for (const OracleTap& tx : oracle_taps(options.filter, 90, level.size.width, x)) {
              if (!ty.is_near || !tx.is_near) continue;
              const float value =
                  float_at(source.view(), static_cast<uint32_t>(oracle_mapped(Boundary::kClamp, tx.texel, 90)),
                           static_cast<uint32_t>(oracle_mapped(Boundary::kClamp, ty.texel, 71)));
              low = std::min(low, value);
              high = std::max(high, value);
            }
          }
          const float value = float_at(level, x, y);
          beyond += value < low || value > high ? 1 : 0;
        }
      }
      if (ringing == Ringing::kKeep && kind == MipFilter::kTriangle) continue;  // beyond by rounding at most
      EXPECT_EQ(beyond > 0, ringing == Ringing::kKeep) << describe_filter(options) << ": " << beyond;
    }
  }
}

TEST(CpuMipFilter, LimitedEdgesDoNotRing) {
  // A step: without a limit, values beyond 1 and below 0; with it none, and no ripples beside the edge.
  const PaddedImage source = image_of({64, 1}, 1, [](uint32_t x, auto...) { return x < 32 ? 0.0 : 1.0; });
  for (const MipFilter kind : {MipFilter::kLanczos, MipFilter::kKaiser, MipFilter::kCatmullRom, MipFilter::kMitchell}) {
    PyramidOptions options = options_of(Format::kR32Sfloat, {64, 1}, {.kind = kind});
    const Levels rings = build(options, source.view());
    const auto* row = reinterpret_cast<const float*>(rings.views[0].row(0));
    EXPECT_GT(*std::max_element(row, row + 32), 1.005F) << describe_filter(options);
    EXPECT_LT(*std::min_element(row, row + 32), -0.005F) << describe_filter(options);
    options.filter.ringing = Ringing::kLimit;
    const Levels limited = build(options, source.view());
    for (uint32_t x = 0; x < 32; ++x) {
      const bool is_at_edge = x == 15 || x == 16;
      EXPECT_EQ(float_at(limited.views[0], x), is_at_edge ? row[x] : x < 16 ? 0.0F : 1.0F) << describe_filter(options);
    }
  }
}

TEST(CpuMipFilter, ImpulseResponseIsTheFilter) {
  for (const MipFilter kind : kFilters) {
    for (const uint32_t at : {100U, 101U}) {
      const PyramidOptions options = options_of(Format::kR32Sfloat, {256, 1}, {.kind = kind});
      const PaddedImage source = image_of(options.size, 1, [&](uint32_t x, auto...) { return x == at ? 1.0 : 0.0; });
      const Levels levels = build(options, source.view());
      double sum = 0;
      for (int k = -20; k <= 20; ++k) sum += oracle_filter_height(options.filter, (k + 0.5) / 2);
      for (uint32_t i = 0; i < 128; ++i) {
        const double distance = (at + 0.5) / 2 - (i + 0.5);  // in texels of level 1
        EXPECT_NEAR(float_at(levels.views[0], i), oracle_filter_height(options.filter, distance) / sum, 1e-7)
            << describe_filter(options) << " texel " << i;
      }
    }
  }
}

// ---- Spectra

constexpr uint32_t kWave = 256;

/// The amplitude of level 1 for cosines of k periods in kWave texels, k = 0 to 128: by the library's own transform.
/// Frequencies above a quarter of the texels' appear as aliases.
std::vector<double> amplitudes(const PyramidOptions& options, const ImageView& waves) {
  const Levels levels = build(options, waves);
  const uint32_t width = kWave / 2;
  auto transform = cpu::Transform::create(
      {.size = {width, 1}, .slices = waves.slices, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat});
  EXPECT_TRUE(transform.ok());
  std::vector<float> spectrum(transform->plan().spectrum_bytes / sizeof(float));
  EXPECT_TRUE(transform->forward(levels.views[0], std::as_writable_bytes(std::span(spectrum))).ok());
  std::vector<double> out;
  for (uint32_t k = 0; k < waves.slices; ++k) {
    const uint32_t seen = k <= width / 2 ? k : width - k;
    const uint64_t index = 2 * transform->plan().index(seen, 0, 0, k);
    const double amplitude = std::hypot(spectrum[index], spectrum[index + 1]);
    out.push_back(amplitude / (seen == 0 || seen == width / 2 ? width : width / 2));
  }
  return out;
}

TEST(CpuMipFilter, SpectraArePassAndStopBands) {
  const PaddedImage waves = image_of({kWave, 1}, kWave / 2 + 1, [](uint32_t x, uint32_t, uint32_t k) {
    return std::cos(2 * std::numbers::pi * k * (x + 0.5) / kWave);
  });
  struct Bounds {
    MipFilter kind;
    double least_pass;  ///< Up to half of what level 1 can show.
    double most_stop;   ///< From 1 1/2 times what it can show.
  };
  for (const Bounds& bounds : {Bounds{MipFilter::kBox, 0.92, 0.39}, Bounds{MipFilter::kTriangle, 0.78, 0.16},
                               Bounds{MipFilter::kCatmullRom, 0.93, 0.08}, Bounds{MipFilter::kMitchell, 0.84, 0.05},
                               Bounds{MipFilter::kLanczos, 0.98, 0.03}, Bounds{MipFilter::kKaiser, 0.98, 0.03}}) {
    PyramidOptions options = options_of(Format::kR32Sfloat, {kWave, 1}, {.kind = bounds.kind});
    options.slices = waves.view().slices;
    options.filter.boundary = Boundary::kWrap;
    const std::vector<double> measured = amplitudes(options, waves.view());
    for (uint32_t k = 0; k <= kWave / 2; ++k) {
      if (k == kWave / 4) continue;  // level 1 shows this wave at its zeros
      EXPECT_GE(measured[k], k <= kWave / 8 ? bounds.least_pass : 0) << word_of(bounds.kind) << " " << k;
      EXPECT_LE(measured[k], k >= 3 * kWave / 8 ? bounds.most_stop : 1.1) << word_of(bounds.kind) << " " << k;
      if (bounds.kind == MipFilter::kBox) continue;
      double expected = 0;
      for (const OracleTap& tap : oracle_taps(options.filter, kWave, kWave / 2, 0)) {
        expected += tap.weight * std::cos(2 * std::numbers::pi * k * (static_cast<double>(tap.texel) - 0.5) / kWave);
      }
      EXPECT_NEAR(measured[k], std::fabs(expected), 2e-6) << word_of(bounds.kind) << " " << k;
    }
  }
}

// ---- Limits and errors

TEST(CpuMipFilter, NanAndInfStayWithinTheirTaps) {
  for (const Ringing ringing : all_enumerators<Ringing>()) {
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      PyramidOptions options =
          options_of(Format::kR32Sfloat, {64, 64}, {.kind = MipFilter::kLanczos, .ringing = ringing});
      options.levels = 2;
      const PaddedImage source = image_of(
          options.size, 1, [&](uint32_t x, uint32_t y, uint32_t) { return x == 30 && y == 21 ? value : 0.5F; });
      const Levels levels = build(options, source.view());
      for (uint32_t y = 0; y < 32; ++y) {
        for (uint32_t x = 0; x < 32; ++x) {
          const bool is_taken = std::fabs(30.5 / 2 - (x + 0.5)) < 3 && std::fabs(21.5 / 2 - (y + 0.5)) < 3;
          const float made = float_at(levels.views[0], x, y);
          if (is_taken) {  // a limit makes Inf finite where its texel is not near
            EXPECT_TRUE(std::isnan(made) || (std::isinf(value) && (std::isinf(made) || made == 0.5F))) << x << " " << y;
          } else {
            EXPECT_NEAR(made, 0.5F, 1e-6) << x << " " << y;
          }
        }
      }
    }
  }
}

TEST(CpuMipFilter, OpaqueTexelsAreFilteredAsWithoutAlpha) {
  PyramidOptions options =
      options_of(Format::kRGBA32Sfloat, {61, 40}, {.kind = MipFilter::kKaiser, .ringing = Ringing::kLimit});
  PaddedImage source = random_source(options);
  for (uint32_t y = 0; y < 40; ++y) {
    auto* row = reinterpret_cast<float*>(source.view().row(y));
    for (uint32_t x = 0; x < 61; ++x) row[4 * x + 3] = 1;
  }
  const Levels independent = build(options, source.view());
  options.alpha = Alpha::kWeighted;
  const Levels weighted = build(options, source.view());
  for (size_t n = 0; n < weighted.views.size(); ++n) {
    const MutableImageView& level = weighted.views[n];
    for (uint32_t y = 0; y < level.size.height; ++y) {
      for (uint32_t i = 0; i < 4 * level.size.width; ++i) {
        EXPECT_NEAR(float_at(level, i, y), float_at(independent.views[n], i, y), 2e-6);
      }
    }
  }
}

TEST(CpuMipFilter, ColoursOfTransparentTexelsStayFinite) {
  // Opaque green beside transparent texels: negative weights cancel the alpha of texels between them.
  PyramidOptions options =
      options_of(Format::kRGBA32Sfloat, {64, 1}, {.kind = MipFilter::kLanczos, .ringing = Ringing::kLimit});
  options.alpha = Alpha::kWeighted;
  PaddedImage source(options.source, options.size);
  auto* row = reinterpret_cast<float*>(source.view().row(0));
  for (uint32_t x = 0; x < 64; ++x) {
    const bool is_leaf = x % 16 < 5;
    const float texel[4] = {is_leaf ? 0.0F : 0.25F, is_leaf ? 0.5F : 0.25F, 0.25F, is_leaf ? 1.0F : 0.0F};
    std::memcpy(row + 4 * x, texel, sizeof texel);
  }
  for (const MutableImageView& level : build(options, source.view()).views) {
    for (uint32_t x = 0; x < level.size.width; ++x) {
      EXPECT_GE(float_at(level, 4 * x + 1), 0.25F) << x;
      EXPECT_LE(float_at(level, 4 * x + 1), 0.5F) << x;
      EXPECT_GE(float_at(level, 4 * x + 3), 0.0F) << x;
      EXPECT_LE(float_at(level, 4 * x + 3), 1.0F) << x;
    }
  }
}

TEST(CpuMipFilter, UpdateIsABuild) {
  PyramidOptions options = options_of(Format::kRGBA8Unorm, {70, 61}, {.kind = MipFilter::kMitchell});
  PaddedImage source = random_source(options);
  auto pyramid = cpu::Pyramid::create(options);
  ASSERT_TRUE(pyramid.ok());
  Levels levels(options);
  ASSERT_TRUE(pyramid->build(source.view(), levels.views).ok());
  Random random(5);
  const Rect changed = {20, 30, 7, 5};
  fill_random(source.view(), changed, random);
  ASSERT_TRUE(pyramid->update(source.view(), levels.views, changed).ok());
  Levels expected(options);
  ASSERT_TRUE(cpu::Pyramid::create(options)->build(source.view(), expected.views).ok());
  EXPECT_TRUE(levels.same_bytes(expected));
  EXPECT_EQ(affected_rect(options, 2, changed), (Rect{0, 0, 17, 15}));
}

void expect_error(const PyramidOptions& options, ErrorCode code, const std::string& message) {
  const auto pyramid = cpu::Pyramid::create(options);
  ASSERT_FALSE(pyramid.ok()) << message;
  EXPECT_EQ(pyramid.error().code, code);
  EXPECT_EQ(pyramid.error().message, message);
}

TEST(CpuMipFilter, ErrorsNameFieldAndValue) {
  const PyramidOptions good = options_of(Format::kRGBA8Unorm, {8, 8}, {.kind = MipFilter::kKaiser});
  const auto refuse = [&](const auto& change, const std::string& message) {
    PyramidOptions options = good;
    change(options);
    expect_error(options, ErrorCode::kInvalidArgument, message);
  };
  refuse([](auto& o) { o.reduction = Reduction::kMax; }, "filter.kind: kaiser needs reduction mean, not max");
  refuse([](auto& o) { o.footprint = Footprint::kCeil; }, "filter.kind: kaiser needs footprint covering, not ceil");
  refuse([](auto& o) { o.alpha = Alpha::kCoverage; },
         "filter.kind: kaiser needs alpha independent or weighted, not coverage");
  refuse(
      [](auto& o) { o.alpha = Alpha::kWeighted; },
      "filter.ringing: keep, but alpha weighted with kaiser needs limit: sums with negative weights may have no alpha "
      "to divide by");
  refuse([](auto& o) { o.filter.boundary = Boundary::kZero; }, "filter.boundary: zero would darken the edges");
  refuse([](auto& o) { o.filter.kind = static_cast<MipFilter>(6); }, "filter.kind: 6 is not an enumerator");
  refuse([](auto& o) { o.filter.input = static_cast<MipFilterInput>(2); }, "filter.input: 2 is not an enumerator");
  refuse([](auto& o) { o.filter.ringing = static_cast<Ringing>(9); }, "filter.ringing: 9 is not an enumerator");
  refuse([](auto& o) { o.filter.kaiser_width = 0.5F; }, "filter.kaiser_width: 0.5 is not within 1 and 16");
  refuse([](auto& o) { o.filter.kaiser_alpha = 21; }, "filter.kaiser_alpha: 21 is not within 0 and 20");
  refuse([](auto& o) { o.filter.kaiser_width = std::numeric_limits<float>::quiet_NaN(); },
         "filter.kaiser_width: nan is not within 1 and 16");
  const auto stream = plan_pyramid_stream(good);
  ASSERT_FALSE(stream.ok());
  EXPECT_EQ(stream.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(stream.error().message, "filter.kind: kaiser: streams have box only");
}

TEST(CpuMipFilter, CanBeCancelled) {
  const struct ShortInterval {
    std::chrono::milliseconds before = cpu::ProgressWatch::interval.exchange(std::chrono::milliseconds(0));
    ~ShortInterval() { cpu::ProgressWatch::interval = before; }
  } short_interval;
  const PyramidOptions options = options_of(Format::kR32Sfloat, {512, 512}, {.kind = MipFilter::kKaiser});
  const PaddedImage source = random_source(options);
  Levels levels(options);
  auto pyramid = cpu::Pyramid::create(options, {.threads = 1, .progress = [](double) { return false; }});
  ASSERT_TRUE(pyramid.ok());
  const auto done = pyramid->build(source.view(), levels.views);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace onepass::testing
