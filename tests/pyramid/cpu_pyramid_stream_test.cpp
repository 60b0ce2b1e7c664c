// cpu_pyramid_stream_test.cpp: streams against cpu::Pyramid, bit by bit, and against a naive oracle of modes; RGB,
// memory, errors, progress.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/progress_watch.hpp"
#include "onepass/onepass.h"
#include "onepass/pyramid_stream.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/enumerators.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

constexpr auto kFootprints = enumerators_without<Footprint::kTight>();

/// Levels 1 and up as tightly packed bytes, in the order in which rows come.
struct Collected {
  std::vector<std::vector<std::byte>> levels;
  std::vector<uint32_t> rows;
  bool in_order = true;

  explicit Collected(uint32_t count) : levels(count), rows(count) {}

  cpu::LevelSink sink(Format format) {
    return [this, format](const cpu::LevelRows& out) -> Result<void> {
      in_order = in_order && out.level < levels.size() && out.first == rows[out.level] && out.count > 0;
      // A finer level is never behind a coarser one.
      if (in_order && out.level > 1) in_order = rows[out.level - 1] >= out.first + out.count;
      const size_t bytes = size_t{out.width} * texel_info(format).bytes_per_texel;
      for (uint32_t y = 0; y < out.count; ++y) {
        const auto* row = static_cast<const std::byte*>(out.data) + y * out.row_stride;
        levels[out.level].insert(levels[out.level].end(), row, row + bytes);
      }
      rows[out.level] += out.count;
      return {};
    };
  }
};

/// Tightly packed bytes of a view of one slice.
std::vector<std::byte> bytes_of(const ImageView& view) {
  std::vector<std::byte> bytes;
  const size_t row_bytes = size_t{view.size.width} * texel_info(view.format).bytes_per_texel;
  for (uint32_t y = 0; y < view.size.height; ++y) bytes.insert(bytes.end(), view.row(y), view.row(y) + row_bytes);
  return bytes;
}

/// Pushes `source` in pieces of up to `most` rows, each from a buffer that is overwritten after the call.
::testing::AssertionResult stream(const PyramidOptions& options, const ImageView& source, uint32_t most, Random& random,
                                  uint32_t threads, Collected& collected) {
  const SevenThreads allow;
  auto made = cpu::PyramidStream::create(options, collected.sink(options.target), {.threads = threads});
  if (!made) return ::testing::AssertionFailure() << describe(options) << ": " << made.error().text();
  for (uint32_t y = 0; y < source.size.height;) {
    const uint32_t count = std::min(source.size.height - y, 1 + random.below(most));
    const size_t row_bytes = size_t{source.size.width} * texel_info(source.format).bytes_per_texel;
    const size_t stride = row_bytes + random.below(9);
    std::vector<std::byte> rows(stride * count);
    for (uint32_t i = 0; i < count; ++i) std::memcpy(rows.data() + i * stride, source.row(y + i), row_bytes);
    if (auto pushed = made->push(rows.data(), stride, count); !pushed) {
      return ::testing::AssertionFailure() << describe(options) << ": " << pushed.error().text();
    }
    std::fill(rows.begin(), rows.end(), std::byte{0x5A});
    y += count;
  }
  if (!collected.in_order) return ::testing::AssertionFailure() << describe(options) << ": rows out of order";
  return ::testing::AssertionSuccess();
}

/// Streams random texels and compares with cpu::Pyramid.
::testing::AssertionResult matches_pyramid(const PyramidOptions& options, uint32_t most_rows, uint32_t threads,
                                           uint32_t seed) {
  Random random(seed);
  PaddedImage source(options.source, options.size, 1, 16);
  fill_random(source.view(), random);
  Levels expected(options);
  auto pyramid = cpu::Pyramid::create(options);
  if (!pyramid) return ::testing::AssertionFailure() << describe(options) << ": " << pyramid.error().text();
  if (auto built = pyramid->build(source.view(), expected.views); !built) {
    return ::testing::AssertionFailure() << describe(options) << ": " << built.error().text();
  }
  Collected collected(pyramid->plan().levels);
  if (auto done = stream(options, source.view(), most_rows, random, threads, collected); !done) return done;
  for (uint32_t n = 1; n < pyramid->plan().levels; ++n) {
    if (collected.levels[n] == bytes_of(expected.views[n - 1])) continue;
    return ::testing::AssertionFailure() << describe(options) << ": level " << n << " differs, pushes of up to "
                                         << most_rows << " rows, " << threads << " threads";
  }
  return ::testing::AssertionSuccess();
}

TEST(CpuPyramidStream, MatchesThePyramidWithEveryFormatAndReduction) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const FormatInfo& source : all_formats()) {
    for (const Footprint footprint : kFootprints) {
      for (const Reduction reduction : {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMinMax}) {
        PyramidOptions options = {.size = {1 + random.below(300), 1 + random.below(300)}, .source = source.format};
        options.target = source.depth ? Format::kR32Sfloat : source.format;
        options.reduction = reduction;
        options.footprint = footprint;
        if (reduction == Reduction::kMinMax) {
          if (source.channels > 2) continue;
          options.target = Format::kRG32Sfloat;
        }
        EXPECT_TRUE(matches_pyramid(options, 1 + random.below(150), 1 + random.below(7), seed)) << "seed " << seed;
      }
    }
  }
}

TEST(CpuPyramidStream, MatchesThePyramidAtAwkwardSizes) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (const Extent size :
       {Extent{1, 1}, Extent{1, 1000}, Extent{1000, 1}, Extent{2, 3}, Extent{3, 2}, Extent{65535, 3}, Extent{3, 65535},
        Extent{4096, 256}, Extent{4095, 255}, Extent{9001, 130}, Extent{8192, 65}, Extent{513, 64}, Extent{1025, 129},
        Extent{64, 1023}, Extent{7, 8}, Extent{15, 16}}) {
    for (const Footprint footprint : kFootprints) {
      for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kR32Sfloat, Format::kR16Unorm}) {
        PyramidOptions options = {.size = size, .source = format, .target = format, .footprint = footprint};
        for (const uint32_t rows : {1U, 7U, 64U, 1000U}) {
          if (rows < 7 && size.height > 2000) continue;
          EXPECT_TRUE(matches_pyramid(options, rows, 1 + random.below(7), seed)) << "seed " << seed;
        }
        options.levels = std::min(3U, full_level_count(footprint, size));
        EXPECT_TRUE(matches_pyramid(options, 100, 2, seed)) << "seed " << seed;
      }
    }
  }
}

/// Streams `source` in parts: bands of rows up to level `last`, each by a stream of its own, then the levels above.
::testing::AssertionResult stream_parts(const PyramidOptions& options, const ImageView& source, uint32_t last,
                                        Random& random, Collected& collected) {
  const auto push = [&](const cpu::StreamPart& part, const std::byte* rows, size_t stride, uint32_t count) {
    auto made =
        cpu::PyramidStream::create(options, collected.sink(options.target), part, {.threads = 1 + random.below(3)});
    if (!made) return ::testing::AssertionFailure() << made.error().text();
    while (count > 0) {
      const uint32_t some = std::min(count, 1 + random.below(100));
      if (auto pushed = made->push(rows, stride, some); !pushed) {
        return ::testing::AssertionFailure() << pushed.error().text();
      }
      rows += some * stride;
      count -= some;
    }
    return ::testing::AssertionSuccess();
  };
  std::vector<std::byte> unrounded;
  size_t row_bytes = 0;
  const auto keep = [&](const cpu::LevelRows& rows) -> Result<void> {
    const auto* data = static_cast<const std::byte*>(rows.data);
    row_bytes = rows.row_stride;
    if (rows.first * row_bytes != unrounded.size()) return Error{ErrorCode::kBadData, "kept rows out of order", ""};
    unrounded.insert(unrounded.end(), data, data + row_bytes * rows.count);
    return {};
  };
  const uint32_t height = source.size.height;
  for (uint32_t y = 0; y < height;) {
    const auto rows = std::min<uint32_t>(height - y, (1 + random.below(4)) << last);
    const cpu::StreamPart part = {.last_level = last, .first_row = y, .rows = rows, .kept = keep};
    if (auto done = push(part, source.row(y), source.row_stride, rows); !done) return done;
    y += rows;
  }
  if (last + 1 == static_cast<uint32_t>(collected.levels.size())) return ::testing::AssertionSuccess();
  const auto rows = static_cast<uint32_t>(unrounded.size() / row_bytes);
  if (auto done = push({.first_level = last}, unrounded.data(), row_bytes, rows); !done) return done;
  return ::testing::AssertionResult(collected.in_order) << "rows out of order";
}

TEST(CpuPyramidStream, PartsHaveTheTexelsOfTheWhole) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  struct Pair {
    Format format;
    Format channel;  // of RGB, else the format itself
  };
  std::vector<Pair> formats = {{Format::kRGB8Unorm, Format::kR8Unorm},
                               {Format::kRGB8Srgb, Format::kR8Unorm},
                               {Format::kRGB16Unorm, Format::kR16Unorm},
                               {Format::kRGB16Sfloat, Format::kR16Sfloat},
                               {Format::kRGB32Sfloat, Format::kR32Sfloat}};
  for (const FormatInfo& info : all_formats()) {
    if (!info.depth) formats.push_back({info.format, info.format});
  }
  for (const Format label : {Format::kR8Uint, Format::kR16Uint, Format::kR32Uint}) formats.push_back({label, label});
  for (const auto& [format, channel] : formats) {
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMode}) {
      for (const uint32_t last : {3U, 6U, 9U}) {
        PyramidOptions options = {.size = {1 + random.below(400), 513 + random.below(700)},
                                  .source = format,
                                  .target = format,
                                  .reduction = reduction,
                                  .footprint = Footprint::kCeil};
        if (reduction == Reduction::kMean && texel_info(format).channels == 4) options.alpha = Alpha::kWeighted;
        if (!cpu::PyramidStream::create(options, [](const auto&) { return Result<void>(); })) continue;
        if (last == 9) options.levels = 10;  // the parts make all levels
        const uint32_t width = options.size.width * (channel == format ? 1 : 3);
        PaddedImage image(channel, {width, options.size.height});
        fill_random(image.view(), random);
        const ImageView source = {image.view().data, format, options.size, 1, image.view().row_stride, 0};
        Collected whole(plan_pyramid_stream(options)->levels);
        ASSERT_TRUE(stream(options, source, 100, random, 2, whole));
        Collected parts(static_cast<uint32_t>(whole.levels.size()));
        ASSERT_TRUE(stream_parts(options, source, last, random, parts)) << describe(options) << " seed " << seed;
        EXPECT_TRUE(parts.levels == whole.levels)
            << describe(options) << " parts to level " << last << " seed " << seed;
      }
    }
  }
}

TEST(CpuPyramidStream, NamesBadParts) {
  PyramidOptions options = {
      .size = {100, 1000}, .source = Format::kR8Unorm, .target = Format::kR8Unorm, .footprint = Footprint::kCeil};
  const auto refuse = [&](const cpu::StreamPart& part, const std::string& words) {
    const auto made = cpu::PyramidStream::create(
        options, [](const auto&) { return Result<void>(); }, part);
    ASSERT_FALSE(made.ok()) << words;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(made.error().text().find(words), std::string::npos) << made.error().text();
  };
  refuse({.last_level = 4}, "last_level: 4");
  refuse({.last_level = 12}, "last_level: 12");
  refuse({.first_level = 2}, "first_level: 2");
  refuse({.first_level = 6, .last_level = 3}, "first_level: 6");
  refuse({.last_level = 3, .first_row = 4}, "first_row: 4");
  refuse({.last_level = 3, .first_row = 1000}, "first_row: 1000");
  refuse({.last_level = 3, .first_row = 8, .rows = 12}, "rows: 12");
  refuse({.last_level = 3, .first_row = 8, .rows = 1000}, "rows: 1000");
  options.footprint = Footprint::kCovering;
  refuse({.last_level = 3}, "part:");
}

// Widths that cpu::Pyramid refuses. A coarser texel of an odd size 2 n + 1 has the weights n - i, n and i + 1.
// The pyramid is built once, with the best target. Formats take footprints and reductions in turn.
TEST(CpuPyramidStream, SevenThreadsOnEverySimdTargetMatchThePyramid) {
  uint32_t number = 0;
  for (const FormatInfo& format : all_formats()) {
    for (const Extent size : {Extent{2048, 70}, Extent{1777, 61}}) {
      PyramidOptions options = {.size = size, .source = format.format};
      options.target = format.depth ? Format::kR32Sfloat : format.format;
      options.reduction = std::array{Reduction::kMean, Reduction::kMin, Reduction::kMean, Reduction::kMax}[number % 4];
      options.footprint = kFootprints[number / 3 % kFootprints.size()];
      ++number;
      Random random(number);
      PaddedImage source(options.source, size, 1, 16);
      fill_random(source.view(), random);
      Levels expected(options);
      auto pyramid = cpu::Pyramid::create(options);
      ASSERT_TRUE(pyramid.ok()) << describe(options);
      ASSERT_TRUE(pyramid->build(source.view(), expected.views).ok());
      on_every_simd_target([&](const char* target) {
        Collected collected(pyramid->plan().levels);
        ASSERT_TRUE(stream(options, source.view(), 40, random, 7, collected)) << target;
        for (uint32_t n = 1; n < pyramid->plan().levels; ++n) {
          EXPECT_TRUE(collected.levels[n] == bytes_of(expected.views[n - 1]))
              << describe(options) << ", level " << n << ", " << target;
        }
      });
    }
  }
}

TEST(CpuPyramidStream, WiderThanPyramidsMatchesTheDefinition) {
  Random random(random_seed());
  for (const Extent size : {Extent{65537, 5}, Extent{131071, 3}, Extent{65536, 2}}) {
    for (const Format format : {Format::kR8Unorm, Format::kRGB8Unorm}) {
      const uint32_t channels = texel_info(format).channels;
      PaddedImage source(format, size, 1, 16);
      fill_random(source.view(), random);
      PyramidOptions options = {.size = size, .source = format, .target = format};
      options.levels = 2;
      Collected collected(2);
      ASSERT_TRUE(stream(options, source.view(), 3, random, 2, collected));
      const auto weights = [](uint32_t length, uint32_t i) {
        const double n = length / 2;
        return length % 2 == 0 ? std::array{0.5, 0.5, 0.0}
                               : std::array{(n - i) / length, n / length, (i + 1.0) / length};
      };
      uint32_t wrong = 0;
      for (uint32_t y = 0; y < size.height / 2; ++y) {
        for (uint32_t x = 0; x < size.width / 2; ++x) {
          for (uint32_t c = 0; c < channels; ++c) {
            double sum = 0;
            for (uint32_t j = 0; j < 3; ++j) {
              for (uint32_t i = 0; i < 3; ++i) {
                const double weight = weights(size.height, y)[j] * weights(size.width, x)[i];
                if (weight == 0) continue;
                sum += weight * std::to_integer<int>(source.view().row(2 * y + j)[(2 * x + i) * channels + c]);
              }
            }
            const size_t at = (size_t{y} * (size.width / 2) + x) * channels + c;
            wrong += std::abs(std::to_integer<int>(collected.levels[1][at]) - sum) > 0.501;
          }
        }
      }
      EXPECT_EQ(wrong, 0U) << size.width << "x" << size.height << ", " << channels << " channels";
    }
  }
}

TEST(CpuPyramidStream, MatchesThePyramidWithAlphaAndNormals) {
  for (const Footprint footprint : kFootprints) {
    PyramidOptions options = {.size = {333, 257}, .footprint = footprint};
    options.source = options.target = Format::kRGBA8Srgb;
    options.alpha = Alpha::kWeighted;
    EXPECT_TRUE(matches_pyramid(options, 50, 2, 1));
    options.source = options.target = Format::kRGBA8Unorm;
    options.alpha = Alpha::kIndependent;
    options.normal_map = NormalMap::kRenormalize;
    EXPECT_TRUE(matches_pyramid(options, 50, 2, 1));
  }
}

/// Copies the first three of four channels.
std::vector<std::byte> without_alpha(const std::vector<std::byte>& rgba, size_t channel_bytes) {
  std::vector<std::byte> rgb;
  for (size_t i = 0; i < rgba.size(); ++i) {
    if (i / channel_bytes % 4 != 3) rgb.push_back(rgba[i]);
  }
  return rgb;
}

TEST(CpuPyramidStream, RgbHasTheTexelsOfRgba) {
  struct Pair {
    Format rgb;
    Format rgba;
  };
  constexpr Pair kPairs[] = {{Format::kRGB8Unorm, Format::kRGBA8Unorm},
                             {Format::kRGB8Srgb, Format::kRGBA8Srgb},
                             {Format::kRGB16Unorm, Format::kRGBA16Unorm},
                             {Format::kRGB16Sfloat, Format::kRGBA16Sfloat},
                             {Format::kRGB32Sfloat, Format::kRGBA32Sfloat}};
  for (const Pair& pair : kPairs) {
    for (const Footprint footprint : kFootprints) {
      for (const Extent size : {Extent{1, 1}, Extent{5000, 150}, Extent{301, 277}}) {
        PyramidOptions options = {.size = size, .source = pair.rgba, .target = pair.rgba, .footprint = footprint};
        Random random(3);
        PaddedImage rgba(pair.rgba, size);
        fill_random(rgba.view(), random);
        const size_t channel = texel_info(pair.rgb).bytes_per_texel / 3;
        const std::vector<std::byte> rgb = without_alpha(bytes_of(rgba.view()), channel);
        const ImageView source = {rgb.data(), pair.rgb, size, 1, 3 * channel * size.width, 0};
        Levels expected(options);
        auto pyramid = cpu::Pyramid::create(options);
        ASSERT_TRUE(pyramid.ok());
        ASSERT_TRUE(pyramid->build(rgba.view(), expected.views).ok());
        options.source = options.target = pair.rgb;
        Collected collected(pyramid->plan().levels);
        ASSERT_TRUE(stream(options, source, 90, random, 7, collected));
        for (uint32_t n = 1; n < pyramid->plan().levels; ++n) {
          EXPECT_TRUE(collected.levels[n] == without_alpha(bytes_of(expected.views[n - 1]), channel))
              << describe(options) << " level " << n;
        }
      }
    }
  }
}

// ---- Modes

/// A level of labels from the finer one, by counting.
std::vector<uint32_t> naive_mode(const std::vector<uint32_t>& fine, Extent size, Extent coarse) {
  std::vector<uint32_t> labels;
  for (uint32_t y = 0; y < coarse.height; ++y) {
    for (uint32_t x = 0; x < coarse.width; ++x) {
      std::map<uint32_t, uint32_t> counts;
      for (uint32_t j = 2 * y; j < std::min(size.height, 2 * y + 2); ++j) {
        for (uint32_t i = 2 * x; i < std::min(size.width, 2 * x + 2); ++i) ++counts[fine[size_t{j} * size.width + i]];
      }
      const auto most = std::max_element(counts.begin(), counts.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      labels.push_back(most->first);  // the first of equal counts: the map is sorted
    }
  }
  return labels;
}

std::vector<uint32_t> labels_of(const std::vector<std::byte>& bytes, size_t size) {
  std::vector<uint32_t> labels(bytes.size() / size);
  for (size_t i = 0; i < labels.size(); ++i) std::memcpy(&labels[i], &bytes[i * size], size);
  return labels;
}

TEST(CpuPyramidStream, ModeIsTheMostFrequentLabel) {
  for (const Format format : {Format::kR8Uint, Format::kR16Uint, Format::kR32Uint}) {
    for (const Footprint footprint : {Footprint::kCeil, Footprint::kAligned}) {
      for (const Extent size : {Extent{1, 1}, Extent{1, 77}, Extent{77, 1}, Extent{101, 203}, Extent{40001, 5}}) {
        Random random(5);
        const size_t bytes = texel_info(format).bytes_per_texel;
        PaddedImage source(format, size, 1, bytes);
        for (uint32_t y = 0; y < size.height; ++y) {
          for (uint32_t x = 0; x < size.width; ++x) {
            const uint32_t label = random.below(4) * 0x3F3F3F3FU;
            std::memcpy(source.view().row(y) + x * bytes, &label, bytes);
          }
        }
        const PyramidOptions options = {
            .size = size, .source = format, .target = format, .reduction = Reduction::kMode, .footprint = footprint};
        EXPECT_TRUE(matches_pyramid(options, 1 + random.below(70), 7, 7));
        Levels levels(options);
        auto pyramid = cpu::Pyramid::create(options);
        ASSERT_TRUE(pyramid.ok()) << pyramid.error().text();
        ASSERT_TRUE(pyramid->build(source.view(), levels.views).ok());
        std::vector<uint32_t> fine = labels_of(bytes_of(source.view()), bytes);
        for (uint32_t n = 1; n < pyramid->plan().levels; ++n) {
          fine = naive_mode(fine, pyramid->plan().sizes[n - 1], pyramid->plan().sizes[n]);
          EXPECT_TRUE(labels_of(bytes_of(levels.views[n - 1]), bytes) == fine) << describe(options) << " level " << n;
        }
      }
    }
  }
}

// ---- Limits, errors, progress

TEST(CpuPyramidStream, CeilSizesRoundUp) {
  EXPECT_EQ(level_size(Footprint::kCeil, {5, 1}, 1), (Extent{3, 1}));
  EXPECT_EQ(level_size(Footprint::kCeil, {65535, 4}, 3), (Extent{8192, 1}));
  EXPECT_EQ(full_level_count(Footprint::kCeil, {5, 1}), 4U);
  EXPECT_EQ(full_level_count(Footprint::kCeil, {4, 4}), 3U);
  EXPECT_EQ(full_level_count(Footprint::kCeil, {1, 1}), 1U);
  EXPECT_EQ(full_level_count(Footprint::kCeil, {0x80000000U, 1}), 32U);
  EXPECT_EQ(footprint_range(Footprint::kCeil, 5, 1, 2), (TexelRange{4, 5}));
  EXPECT_EQ(affected_range(Footprint::kCeil, 5, 1, {4, 5}), (TexelRange{2, 3}));
}

TEST(CpuPyramidStream, TallImagesTakeTheMemoryOfTheirWidth) {
  // 2^31 rows: anything that grows with the height would not be allocated.
  for (const Footprint footprint : kFootprints) {
    PyramidOptions options = {.size = {100, 0x80000000U}, .source = Format::kRGB8Srgb, .footprint = footprint};
    options.target = options.source;
    Collected collected(32);
    auto made = cpu::PyramidStream::create(options, collected.sink(options.target), {.threads = 2});
    ASSERT_TRUE(made.ok()) << made.error().text();
    const std::vector<std::byte> rows(size_t{300} * 1000, std::byte{77});
    ASSERT_TRUE(made->push(rows.data(), 300, 1000).ok());
    EXPECT_GE(collected.rows[1], 480U);
    EXPECT_TRUE(std::all_of(collected.levels[3].begin(), collected.levels[3].end(),
                            [](std::byte b) { return b == std::byte{77}; }));
  }
}

TEST(CpuPyramidStream, TheMemoryIsThatOfAFewRows) {
  constexpr uint32_t kWidth = 20000;
  constexpr uint32_t kRows = 128;
  const std::vector<std::byte> rows(size_t{3} * kWidth * kRows, std::byte{9});
  const auto ignore = [](const cpu::LevelRows&) -> Result<void> { return {}; };
  for (const Footprint footprint : kFootprints) {
    PyramidOptions options = {.size = {kWidth, 40 * kRows}, .source = Format::kRGB8Srgb, .footprint = footprint};
    options.target = options.source;
    const int64_t before = allocation_counter::live();
    allocation_counter::reset_peak();
    auto made = cpu::PyramidStream::create(options, ignore, {.threads = 2});
    ASSERT_TRUE(made.ok()) << made.error().text();
    for (uint32_t i = 0; i < 40; ++i) ASSERT_TRUE(made->push(rows.data(), size_t{3} * kWidth, kRows).ok());
    // 600 bytes a column, 3 MB a thread; the image has 307 MB.
    EXPECT_LE(allocation_counter::peak() - before, 600 * int64_t{kWidth} + 6'000'000) << describe(options);
  }
}

TEST(CpuPyramidStream, NamesBadOptions) {
  const PyramidOptions good = {.size = {64, 64}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm};
  const auto error = [](PyramidOptions options) { return plan_pyramid_stream(options).error().text(); };
  PyramidOptions bad = good;
  bad.slices = 2;
  EXPECT_EQ(error(bad), "slices: 2, a stream has one");
  bad = good;
  bad.footprint = Footprint::kTight;
  bad.reduction = Reduction::kMax;
  EXPECT_EQ(plan_pyramid_stream(bad).error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(error(bad).starts_with("footprint tight")) << error(bad);
  bad = good;
  bad.alpha = Alpha::kCoverage;
  EXPECT_TRUE(error(bad).starts_with("alpha coverage")) << error(bad);
  bad = good;
  bad.reduction = Reduction::kMode;
  EXPECT_TRUE(error(bad).starts_with("source: the reduction mode needs labels")) << error(bad);
  bad.source = bad.target = Format::kR8Uint;
  EXPECT_TRUE(error(bad).starts_with("footprint: the reduction mode")) << error(bad);
  bad = good;
  bad.source = bad.target = Format::kRGB8Unorm;
  EXPECT_TRUE(plan_pyramid_stream(bad).ok());
  EXPECT_TRUE(plan_pyramid(bad).error().text().starts_with("source: only streams have r8g8b8_unorm"));
  bad.source = Format::kR16Uint;
  EXPECT_TRUE(plan_pyramid(bad).error().text().starts_with("source: r16_uint has labels"));
}

TEST(CpuPyramidStream, NamesBadRowsAndGoesOn) {
  const PyramidOptions options = {.size = {10, 3}, .source = Format::kR8Unorm, .target = Format::kR8Unorm};
  Collected collected(4);
  EXPECT_EQ(cpu::PyramidStream::create(options, {}).error().text(), "sink: empty");
  auto made = cpu::PyramidStream::create(options, collected.sink(options.target));
  ASSERT_TRUE(made.ok());
  const std::vector<std::byte> rows(100);
  EXPECT_EQ(made->push(nullptr, 10, 1).error().text(), "rows: null");
  EXPECT_EQ(made->push(rows.data(), 9, 1).error().text(), "row_stride: 9, a row has 10 bytes");
  EXPECT_EQ(made->push(rows.data(), 10, 4).error().text(), "count: 4 rows after 0 of 3");
  EXPECT_TRUE(made->push(rows.data(), 10, 3).ok());
  EXPECT_EQ(made->rows_pushed(), 3U);
  EXPECT_EQ(collected.rows[3], 1U);
}

TEST(CpuPyramidStream, TheSinkAndProgressEndAStream) {
  PyramidOptions options = {.size = {64, 6400}, .source = Format::kR8Unorm, .target = Format::kR8Unorm};
  const std::vector<std::byte> rows(size_t{64} * 6400);
  const auto full_disk = [](const cpu::LevelRows&) -> Result<void> { return Error{ErrorCode::kIo, "disk full", "a"}; };
  auto failing = cpu::PyramidStream::create(options, full_disk);
  ASSERT_TRUE(failing.ok());
  EXPECT_EQ(failing->push(rows.data(), 64, 640).error().text(), "a: disk full");
  EXPECT_EQ(failing->push(rows.data(), 64, 1).error().text(), "a: disk full");

  options.size.height = 0x80000000U;  // does not end before the first report
  uint32_t reports = 0;
  const auto cancel = [&](double fraction) {
    EXPECT_TRUE(fraction >= 0 && fraction <= 1);
    return ++reports < 2;
  };
  const auto ignore = [](const cpu::LevelRows&) -> Result<void> { return {}; };
  auto cancelled = cpu::PyramidStream::create(options, ignore, {.threads = 1, .progress = cancel});
  ASSERT_TRUE(cancelled.ok());
  Result<void> pushed;
  while (pushed.ok()) pushed = cancelled->push(rows.data(), 64, 6400);
  EXPECT_EQ(pushed.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(cancelled->push(rows.data(), 64, 1).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(reports, 2U);
}

TEST(CpuPyramidStream, ACompleteStreamIsNotCancelled) {
  const PyramidOptions options = {.size = {8, 40}, .source = Format::kR8Unorm, .target = Format::kR8Unorm};
  const std::vector<std::byte> rows(8 * 40);
  std::vector<double> fractions;
  const auto report = [&](double fraction) {
    fractions.push_back(fraction);
    return fraction < 1;
  };
  const auto ignore = [](const cpu::LevelRows&) -> Result<void> { return {}; };
  auto stream = cpu::PyramidStream::create(options, ignore, {.threads = 1, .progress = report});
  ASSERT_TRUE(stream.ok());
  EXPECT_TRUE(stream->push(rows.data(), 8, 40).ok());
  ASSERT_FALSE(fractions.empty());
  EXPECT_EQ(fractions.back(), 1);
}

TEST(CpuPyramidStream, ACancelledPyramidFailsAndCanBeBuiltAgain) {
  const PyramidOptions options = {.size = {300, 400}, .source = Format::kRGBA8Srgb, .target = Format::kRGBA8Srgb};
  PaddedImage source(options.source, options.size);
  Levels levels(options);
  struct ShortInterval {
    std::chrono::milliseconds before = cpu::ProgressWatch::interval.exchange(std::chrono::milliseconds(0));
    ~ShortInterval() { cpu::ProgressWatch::interval = before; }
  } const short_interval;
  bool goes_on = false;
  double last = 0;
  const auto report = [&](double fraction) {
    EXPECT_TRUE(fraction >= last && fraction <= 1) << fraction;
    last = fraction;
    return goes_on;
  };
  auto pyramid = cpu::Pyramid::create(options, {.threads = 1, .progress = report});
  ASSERT_TRUE(pyramid.ok());
  const auto built = pyramid->build(source.view(), levels.views);
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().code, ErrorCode::kCancelled);
  goes_on = true;
  last = 0;
  EXPECT_TRUE(pyramid->build(source.view(), levels.views).ok());
  EXPECT_EQ(last, 1);
  Levels expected(options);
  auto plain = cpu::Pyramid::create(options);
  ASSERT_TRUE(plain.ok() && plain->build(source.view(), expected.views).ok());
  EXPECT_TRUE(levels.same_bytes(expected));
}

TEST(CpuPyramidStream, CHasTheRowsOfCpp) {
  const PyramidOptions options = {.size = {301, 90}, .source = Format::kRGB8Srgb, .target = Format::kRGB8Srgb};
  std::vector<std::byte> rows(size_t{3} * 301 * 90);
  Random random(11);
  for (std::byte& byte : rows) byte = static_cast<std::byte>(random.below(256));
  const ImageView source = {rows.data(), options.source, options.size, 1, size_t{3} * 301, 0};
  Collected expected(9);
  ASSERT_TRUE(stream(options, source, 20, random, 2, expected));

  onepass_pyramid_options c_options;
  onepass_pyramid_options_init(&c_options, sizeof c_options);
  c_options.size = {301, 90};
  c_options.source = c_options.target = ONEPASS_FORMAT_R8G8B8_SRGB;
  onepass_error error;
  onepass_cpu_pyramid_stream* made = nullptr;
  EXPECT_EQ(onepass_cpu_pyramid_stream_create(&c_options, nullptr, nullptr, nullptr, &made, &error),
            ONEPASS_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "sink: null");
  Collected actual(9);
  cpu::LevelSink sink = actual.sink(options.target);
  const auto call = [](void* user, const onepass_level_rows* out) -> onepass_code {
    const cpu::LevelRows part = {out->level, out->first, out->count, out->width, out->data, out->row_stride};
    return (*static_cast<cpu::LevelSink*>(user))(part).ok() ? ONEPASS_OK : ONEPASS_IO;
  };
  ASSERT_EQ(onepass_cpu_pyramid_stream_create(&c_options, nullptr, call, &sink, &made, &error), ONEPASS_OK)
      << error.message;
  EXPECT_EQ(onepass_cpu_pyramid_stream_push(made, rows.data(), size_t{3} * 301, 90, &error), ONEPASS_OK);
  EXPECT_EQ(onepass_cpu_pyramid_stream_push(made, rows.data(), size_t{3} * 301, 1, &error), ONEPASS_INVALID_ARGUMENT);
  onepass_cpu_pyramid_stream_destroy(made);
  EXPECT_TRUE(actual.levels == expected.levels);

  const auto full_disk = [](void* /*user*/, const onepass_level_rows* /*rows*/) -> onepass_code { return ONEPASS_IO; };
  ASSERT_EQ(onepass_cpu_pyramid_stream_create(&c_options, nullptr, full_disk, nullptr, &made, &error), ONEPASS_OK);
  EXPECT_EQ(onepass_cpu_pyramid_stream_push(made, rows.data(), size_t{3} * 301, 90, &error), ONEPASS_IO);
  onepass_cpu_pyramid_stream_destroy(made);
}

}  // namespace
}  // namespace onepass::testing
