// cpu_volume_test.cpp: volume pyramids against the definitions: every type, reduction and step, awkward sizes, SIMD
// targets and threads; memory, errors, progress.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onepass/volume_stream.hpp"
#include "tests/cpu/simd_targets.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/volume/volume_oracle.hpp"
#include "tests/volume/volume_testing.hpp"

namespace onepass::testing {
namespace {

/// Levels 1 and up in the order in which planes come.
template <typename T>
struct Collected {
  std::vector<std::vector<T>> levels;
  std::vector<uint32_t> planes;
  bool in_order = true;

  explicit Collected(size_t steps) : levels(steps + 1), planes(steps + 1) {}

  cpu::VolumeSink sink(uint32_t channels) {
    return [this, channels](const cpu::VolumePlane& plane) -> Result<void> {
      in_order = in_order && plane.level > 0 && plane.level < levels.size() && plane.z == planes[plane.level];
      if (!in_order) return {};
      if (plane.level > 1) in_order = planes[plane.level - 1] > plane.z;
      ++planes[plane.level];
      std::vector<T>& level = levels[plane.level];
      for (uint32_t y = 0; y < plane.height; ++y) {
        const auto* row = static_cast<const std::byte*>(plane.data) + y * plane.row_stride;
        const size_t count = size_t{plane.width} * channels;
        level.resize(level.size() + count);
        std::memcpy(level.data() + level.size() - count, row, count * sizeof(T));
      }
      return {};
    };
  }
};

/// Pushes planes in pieces of up to `most`, not aligned, with gaps, from a buffer that is overwritten after the call.
template <typename T>
::testing::AssertionResult stream(const VolumeOptions& options, const Volume<T>& base, uint32_t most, uint32_t threads,
                                  Generator& random, Collected<T>& collected) {
  auto made = cpu::VolumeStream::create(options, collected.sink(options.channels), {.threads = threads});
  if (!made) return ::testing::AssertionFailure() << describe(options) << ": " << made.error().text();
  const size_t row = size_t{base.size.width} * base.channels * sizeof(T);
  for (uint32_t z = 0; z < base.size.planes;) {
    const uint32_t count = std::min(base.size.planes - z, 1 + below(random, most));
    const size_t row_stride = row + below(random, 9);
    const size_t plane_stride = row_stride * base.size.height + below(random, 9);
    const size_t offset = below(random, 9);
    std::vector<std::byte> planes(offset + plane_stride * count, std::byte{0xA5});
    for (uint32_t k = 0; k < count; ++k) {
      for (uint32_t y = 0; y < base.size.height; ++y) {
        std::memcpy(planes.data() + offset + k * plane_stride + y * row_stride, &base.at(0, y, z + k, 0), row);
      }
    }
    if (auto pushed = made->push(planes.data() + offset, row_stride, plane_stride, count); !pushed) {
      return ::testing::AssertionFailure() << describe(options) << ": " << pushed.error().text();
    }
    std::fill(planes.begin(), planes.end(), std::byte{0x5A});
    z += count;
  }
  if (!collected.in_order) return ::testing::AssertionFailure() << describe(options) << ": planes out of order";
  return ::testing::AssertionSuccess();
}

template <typename T>
::testing::AssertionResult same_level(const VolumeOptions& options, size_t n, const std::vector<T>& actual,
                                      const Volume<T>& expected) {
  if (actual.size() != expected.voxels.size()) {
    return ::testing::AssertionFailure() << describe(options) << " level " << n << ": " << actual.size()
                                         << " numbers, expected " << expected.voxels.size();
  }
  for (size_t i = 0; i < actual.size(); ++i) {
    if (value_of(actual[i]) == value_of(expected.voxels[i])) continue;
    return ::testing::AssertionFailure() << describe(options) << " level " << n << ", number " << i << ": "
                                         << value_of(actual[i]) << ", expected " << value_of(expected.voxels[i]);
  }
  return ::testing::AssertionSuccess();
}

/// Streams random voxels and compares all levels with the oracle.
template <typename T>
::testing::AssertionResult matches(VolumeOptions options, Generator& random, uint32_t threads, uint32_t labels = 0) {
  options.type = type_of<T>();
  const Volume<T> base = random_volume<T>(options.size, options.channels, random, labels);
  Collected<T> collected(options.steps.size());
  if (auto done = stream(options, base, 1 + below(random, 5), threads, random, collected); !done) return done;
  Volume<T> finer = base;
  for (size_t n = 1; n <= options.steps.size(); ++n) {
    finer = oracle_level(options, base, finer, n);
    if (auto same = same_level(options, n, collected.levels[n], finer); !same) return same;
  }
  return ::testing::AssertionSuccess();
}

TEST(CpuVolume, SmallSizesMatchTheDefinition) {
  Generator random(random_seed());
  for (uint32_t i = 0; i < 9 * 9 * 9; ++i) {
    VolumeOptions options = {.size = {1 + i % 9, 1 + i / 9 % 9, 1 + i / 81}};
    with_every_type([&]<typename T>() {
      for (const Reduction reduction : kReductions) {
        if (!has<T>(reduction)) continue;
        options.reduction = reduction;
        options.channels = reduction == Reduction::kMode ? 1 : 1 + below(random, 4);
        options.steps = random_steps(random, 1 + below(random, 4));
        ASSERT_TRUE(matches<T>(options, random, 1, below(random, 4)));
      }
    });
  }
}

TEST(CpuVolume, EverySimdTargetAndThreadCountMatchesTheDefinition) {
  const SevenThreads allow;
  const uint32_t seed = random_seed();
  on_every_simd_target([&](const char* target) {
    const bool is_best = target == name_of_target(machine_targets()[0]);
    for (const uint32_t threads : is_best ? std::vector<uint32_t>{1, 2, 5} : std::vector<uint32_t>{2}) {
      Generator random(seed);  // the same volumes
      for (const VolumeSize size : {VolumeSize{301, 37, 3}, VolumeSize{64, 70, 5}, VolumeSize{1, 1, 40},
                                    VolumeSize{1000, 1, 3}, VolumeSize{3, 200, 2}, VolumeSize{129, 9, 7}}) {
        with_every_type([&]<typename T>() {
          for (const Reduction reduction : kReductions) {
            if (!has<T>(reduction)) continue;
            VolumeOptions options = {.size = size, .reduction = reduction};
            options.steps.assign(3, {2, 2, 2});
            EXPECT_TRUE(matches<T>(options, random, threads, below(random, 5))) << target << ", " << threads;
            options.steps = random_steps(random, 3);
            if (reduction != Reduction::kMode) options.channels = 1 + below(random, 4);
            EXPECT_TRUE(matches<T>(options, random, threads, below(random, 5))) << target << ", " << threads;
          }
        });
      }
    }
  });
}

TEST(CpuVolume, MeansAreRoundedToNearestEvenFromTheBase) {
  // Level 1 alone would give 1, 0, ... and a mean of means 0.5 -> 0; the base says 3/8, 5/8.
  VolumeOptions options = {.size = {8, 1, 1}, .steps = {{2, 1, 1}, {2, 1, 1}, {2, 1, 1}}};
  const std::vector<uint8_t> base = {0, 1, 1, 1, 0, 1, 1, 0};
  Collected<uint8_t> collected(3);
  auto stream = cpu::VolumeStream::create(options, collected.sink(1));
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(stream->push(base.data(), 8, 0, 1).ok());
  EXPECT_EQ(collected.levels[1], (std::vector<uint8_t>{0, 1, 0, 0}));  // 0.5, 1, 0.5, 0.5
  EXPECT_EQ(collected.levels[2], (std::vector<uint8_t>{1, 0}));        // 0.75, 0.5
  EXPECT_EQ(collected.levels[3], (std::vector<uint8_t>{1}));           // 0.625
}

TEST(CpuVolume, DeepLevelsHaveExactSums) {
  // 2^24 voxels of 255 and more do not fit 32 bits; one voxel less than the largest moves the mean of 32-bit voxels.
  const std::vector<VolumeStep> steps(24, {2, 1, 1});
  VolumeOptions options = {.size = {1U << 24, 1, 1}, .steps = steps};
  const std::vector<uint8_t> bytes(1U << 24, 255);
  Collected<uint8_t> small(24);
  auto stream = cpu::VolumeStream::create(options, small.sink(1));
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(stream->push(bytes.data(), bytes.size(), 0, 1).ok());
  for (size_t n = 1; n <= 24; ++n) {
    EXPECT_TRUE(std::all_of(small.levels[n].begin(), small.levels[n].end(), [](uint8_t v) { return v == 255; })) << n;
  }
  options.type = VoxelType::kInt32;
  std::vector<int32_t> words(1U << 24, INT32_MIN);
  std::fill(words.begin(), words.begin() + (1 << 23) + 1, INT32_MIN + 1);
  Collected<int32_t> large(24);
  auto second = cpu::VolumeStream::create(options, large.sink(1));
  ASSERT_TRUE(second.ok());
  ASSERT_TRUE(second->push(words.data(), words.size() * 4, 0, 1).ok());
  EXPECT_EQ(large.levels[24][0], INT32_MIN + 1);  // just above one half
}

TEST(CpuVolume, FloatsHaveTheNearestValue) {
  Generator random(random_seed());
  Volume<float> base({37, 21, 11}, 1);
  std::uniform_real_distribution<float> exponent(-60, 60);
  for (float& voxel : base.voxels) voxel = std::exp2(exponent(random)) * (random() % 2 == 0 ? 1.0F : -1.0F);
  VolumeOptions options = {.size = base.size, .type = VoxelType::kFloat32, .steps = {{2, 2, 2}, {2, 2, 2}, {2, 2, 1}}};
  Collected<float> collected(3);
  ASSERT_TRUE(stream(options, base, 3, 1, random, collected));
  VolumeStep cell = {1, 1, 1};
  for (size_t n = 1; n <= 3; ++n) {
    cell = {cell.x * options.steps[n - 1].x, cell.y * options.steps[n - 1].y, cell.z * options.steps[n - 1].z};
    const VolumeSize size = plan_volume(options)->sizes[n];
    for (size_t i = 0; i < collected.levels[n].size(); ++i) {
      const auto at = static_cast<uint32_t>(i);
      const std::vector<float> values =
          cell_values(base, cell, at % size.width, at / size.width % size.height, at / size.width / size.height, 0);
      long double sum = 0;
      long double magnitudes = 0;
      for (const float value : values) {
        sum += value;
        magnitudes += std::abs(value);
      }
      const auto count = static_cast<long double>(values.size());
      const long double error = std::abs(collected.levels[n][i] - sum / count);
      // Half a unit of the float, and the rounding of double sums.
      EXPECT_LE(error, std::abs(sum / count) * 0x1p-24L + magnitudes / count * 0x1p-48L) << n << " " << i;
    }
  }
}

TEST(CpuVolume, SpecialFloats) {
  const float inf = HUGE_VALF;
  const float base[2][8] = {{1, NAN, inf, 1, inf, -inf, 1, 1}, {3.0e38F, 3.0e38F, 0.0F, -0.0F, 5, 5, 5, 6}};
  VolumeOptions options = {.size = {8, 2, 1}, .type = VoxelType::kFloat32, .steps = {{2, 1, 1}}};
  const auto level = [&] {
    Collected<float> collected(1);
    auto stream = cpu::VolumeStream::create(options, collected.sink(1));
    EXPECT_TRUE(stream.ok() && stream->push(base, sizeof base[0], 0, 1).ok());
    return collected.levels[1];
  };
  const std::vector<float> mean = level();
  EXPECT_TRUE(std::isnan(mean[0]));
  EXPECT_EQ(mean[1], inf);
  EXPECT_TRUE(std::isnan(mean[2]));
  EXPECT_EQ(mean[3], 1);
  EXPECT_EQ(mean[4], 3.0e38F) << "no overflow";
  EXPECT_EQ(mean[7], 5.5F);
  options.reduction = Reduction::kMin;
  const std::vector<float> least = level();
  EXPECT_EQ(least[2], -inf);
  EXPECT_TRUE(least[5] == 0 && std::signbit(least[5])) << "-0 is less than +0";
  options.reduction = Reduction::kMax;
  EXPECT_EQ(level()[1], inf);
  EXPECT_FALSE(std::signbit(level()[5]));
}

TEST(CpuVolume, ViewsWithStridesHaveTheVoxelsOfStreams) {
  Generator random(random_seed());
  Volume<uint16_t> base({45, 33, 13}, 2);
  for (uint16_t& voxel : base.voxels) voxel = random_voxel<uint16_t>(random);
  const VolumeOptions options = {
      .size = base.size, .type = VoxelType::kUint16, .channels = 2, .steps = {{2, 2, 1}, {2, 2, 2}}};
  const auto plan = plan_volume(options);
  ASSERT_TRUE(plan.ok());
  std::vector<std::vector<std::byte>> memory;
  std::vector<cpu::MutableVolumeView> views;
  for (size_t n = 1; n <= 2; ++n) {
    const VolumeSize size = plan->sizes[n];
    const size_t row = size_t{size.width} * 4 + 6;
    const size_t plane = row * size.height + 10;
    memory.emplace_back(plane * size.planes, std::byte{0xEE});
    views.push_back({memory.back().data(), row, plane});
  }
  const cpu::VolumeView source = {base.voxels.data(), size_t{45} * 4, size_t{45} * 4 * 33};
  ASSERT_TRUE(cpu::build_volume(options, source, views, {.threads = 2}).ok());
  for (size_t n = 1; n <= 2; ++n) {
    const Volume<uint16_t> expected = oracle_level(options, base, base, n);
    const VolumeSize size = expected.size;
    for (uint32_t z = 0; z < size.planes; ++z) {
      for (uint32_t y = 0; y < size.height; ++y) {
        const std::byte* row = memory[n - 1].data() + z * views[n - 1].plane_stride + y * views[n - 1].row_stride;
        EXPECT_EQ(std::memcmp(row, &expected.at(0, y, z, 0), size_t{size.width} * 4), 0) << n << " " << z << " " << y;
        EXPECT_EQ(row[size_t{size.width} * 4], std::byte{0xEE}) << "a gap was written";
      }
    }
  }
  const auto error = [&](const cpu::VolumeView& from, std::span<const cpu::MutableVolumeView> to) {
    return cpu::build_volume(options, from, to).error().text();
  };
  EXPECT_EQ(error(source, std::span(views).first(1)), "levels: 1 instead of 2");
  EXPECT_EQ(error({}, views), "source: data is null");
  EXPECT_EQ(error({source.data, 179, source.plane_stride}, views), "source: row_stride: 179, a row has 180 bytes");
  views[1].plane_stride = 1;
  EXPECT_EQ(error(source, views), "level 2: plane_stride: 1, a plane has 480 bytes");
}

TEST(CpuVolume, TheMemoryIsThatOfThePlan) {
  struct Case {
    VoxelType type;
    Reduction reduction;
    double planes;  ///< Planes of the base, as docs/volumes.md has it.
  };
  for (const Case& c :
       {Case{VoxelType::kUint8, Reduction::kMean, 4}, Case{VoxelType::kUint16, Reduction::kMean, 16.0 / 6},
        Case{VoxelType::kFloat32, Reduction::kMean, 8.0 / 3}, Case{VoxelType::kUint8, Reduction::kMax, 5.0 / 3},
        Case{VoxelType::kUint64, Reduction::kMode, 5.0 / 3}}) {
    VolumeOptions options = {.size = {1024, 1024, 0x80000000U}, .type = c.type, .reduction = c.reduction};
    options.steps.assign(8, {2, 2, 2});
    const auto plan = plan_volume(options);
    ASSERT_TRUE(plan.ok());
    const size_t row = size_t{1024} * voxel_info(c.type).bytes;
    EXPECT_NEAR(static_cast<double>(plan->stream_bytes) / static_cast<double>(row * 1024), c.planes, 0.02);
    const std::vector<std::byte> planes(row * 1024 * 5);
    const auto ignore = [](const cpu::VolumePlane&) -> Result<void> { return {}; };
    const int64_t before = allocation_counter::live();
    allocation_counter::reset_peak();
    auto made = cpu::VolumeStream::create(options, ignore, {.threads = 1});
    ASSERT_TRUE(made.ok()) << made.error().text();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(made->push(planes.data(), row, row * 1024, 5).ok());
    const int64_t used = allocation_counter::peak() - before;
    EXPECT_GE(used, static_cast<int64_t>(plan->stream_bytes)) << describe(options);
    EXPECT_LE(used, static_cast<int64_t>(plan->stream_bytes) + 64 * 1024) << describe(options);
  }
}

TEST(CpuVolume, StepsMakeVoxelsIsotropic) {
  using Steps = std::vector<VolumeStep>;
  EXPECT_EQ(isotropic_steps({512, 512, 512}), Steps(3, {2, 2, 2}));
  EXPECT_EQ(isotropic_steps({65, 1, 1}), (Steps{{2, 1, 1}}));
  EXPECT_EQ(isotropic_steps({64, 64, 64}), Steps{});
  EXPECT_EQ(isotropic_steps({4000, 4000, 100}, {4, 4, 40}),
            (Steps{{2, 2, 1}, {2, 2, 1}, {2, 2, 1}, {2, 2, 2}, {2, 2, 2}, {2, 2, 2}}));
  EXPECT_EQ(isotropic_steps({400, 400, 100}, {1, 1, 2}), (Steps{{2, 2, 1}, {2, 2, 2}, {2, 2, 2}}));
  EXPECT_EQ(isotropic_steps({400, 400, 100}, {1, 1, 1.41}, 200), (Steps{{2, 2, 2}}));
  EXPECT_EQ(isotropic_steps({400, 400, 100}, {1, 1, 1.42}, 200), (Steps{{2, 2, 1}}));
  EXPECT_EQ(isotropic_steps({1, 200, 100}, {0.001, 3, 1}, 100), (Steps{{1, 1, 2}, {1, 1, 2}, {1, 2, 2}}))
      << "an axis of one voxel does not count";
  EXPECT_EQ(isotropic_steps({5, 3, 2}, {}, 0), (Steps{{2, 2, 2}, {2, 2, 1}, {2, 1, 1}}));
  EXPECT_EQ(isotropic_steps({0x80000000U, 1, 1}, {}, 1), Steps(31, {2, 1, 1}));
  EXPECT_EQ(isotropic_steps({512, 512, 512}, {1, 0, 1}), Steps{});
  EXPECT_EQ(isotropic_steps({512, 512, 512}, {1, NAN, 1}), Steps{});
  Generator random(random_seed());
  std::uniform_real_distribution<double> length(1, 300);
  for (int i = 0; i < 200; ++i) {
    VoxelSize voxel = {length(random), length(random), length(random)};
    const bool is_square = i % 2 == 0;  // of two lengths: as near to a cube as factors of two allow
    if (is_square) voxel.y = voxel.x;
    for (const VolumeStep& step : isotropic_steps({1U << 30, 1U << 30, 1U << 30}, voxel, 1U << 15)) {
      voxel = {voxel.x * step.x, voxel.y * step.y, voxel.z * step.z};
    }
    const double ratio = std::max({voxel.x, voxel.y, voxel.z}) / std::min({voxel.x, voxel.y, voxel.z});
    EXPECT_LT(ratio, is_square ? std::sqrt(2.0) * 1.000001 : 2.0) << voxel.x << " " << voxel.y << " " << voxel.z;
  }
}

TEST(CpuVolume, PlansHaveSizesAndBytes) {
  const VolumeOptions options = {
      .size = {9, 5, 3}, .type = VoxelType::kUint16, .channels = 3, .steps = {{2, 2, 1}, {2, 1, 2}}};
  const auto plan = plan_volume(options);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->sizes, (std::vector<VolumeSize>{{9, 5, 3}, {5, 3, 3}, {3, 3, 2}}));
  EXPECT_EQ(plan->bytes_read, 9U * 5 * 3 * 3 * 2);
  EXPECT_EQ(plan->bytes_written, (5U * 3 * 3 + 3 * 3 * 2) * 3 * 2);
}

TEST(CpuVolume, NamesBadOptions) {
  VolumeOptions good = {.size = {64, 64, 64}, .steps = {{2, 2, 2}}};
  const auto error = [](const VolumeOptions& options) { return plan_volume(options).error().text(); };
  VolumeOptions bad = good;
  bad.size.planes = 0;
  EXPECT_EQ(error(bad), "size: 64x64x0 is not within 1x1x1 and 2147483648x2147483648x2147483648");
  bad.size = {0x80000000U, 0x80000000U, 1};
  EXPECT_EQ(error(bad), "size: 2147483648x2147483648x1 with 1 channels: a plane of more than 2^40 numbers");
  bad.size = {1U << 20, 1U << 20, 0x80000000U};
  EXPECT_EQ(error(bad), "size: 1048576x1048576x2147483648 with 1 channels: more than 2^56 numbers");
  bad = good;
  bad.channels = 5;
  EXPECT_EQ(error(bad), "channels: 5 is not within 1 and 4");
  bad = good;
  bad.type = static_cast<VoxelType>(9);
  EXPECT_EQ(error(bad), "type: 9 is not an enumerator");
  bad = good;
  bad.reduction = static_cast<Reduction>(77);
  EXPECT_EQ(error(bad), "reduction: 77 is not an enumerator");
  bad.reduction = Reduction::kMinMax;
  EXPECT_EQ(error(bad), "reduction: min_max, but a volume has mean, min, max, mode");
  bad.reduction = Reduction::kMode;
  bad.channels = 2;
  EXPECT_EQ(error(bad), "channels: 2, but the reduction mode needs 1");
  bad.type = VoxelType::kFloat16;
  EXPECT_EQ(error(bad), "type: float16, but the reduction mode needs integers");
  bad = good;
  bad.type = VoxelType::kUint64;
  EXPECT_EQ(error(bad), "type: uint64 has labels, of which there is no mean");
  EXPECT_EQ(plan_volume(bad).error().code, ErrorCode::kUnsupported);
  bad = good;
  bad.steps.clear();
  EXPECT_EQ(error(bad), "steps: none");
  bad.steps.assign(32, {2, 2, 2});
  EXPECT_EQ(error(bad), "steps: 32, at most 31 are possible");
  bad.steps = {{2, 2, 2}, {2, 3, 2}};
  EXPECT_EQ(error(bad), "steps[1].y: 3 is neither 1 nor 2");
  bad = {.size = {1U << 16, 1U << 16, 2}, .type = VoxelType::kUint32};
  bad.steps.assign(15, {2, 2, 2});
  EXPECT_TRUE(plan_volume(bad).ok()) << "2^31 voxels of 32 bits fit";
  bad.steps.assign(16, {2, 2, 2});
  EXPECT_EQ(
      error(bad),
      "steps: a voxel of level 16 is the mean of up to 8.589935e+09 voxels of uint32, whose sum 64 bits do not hold");
  EXPECT_EQ(plan_volume(bad).error().code, ErrorCode::kUnsupported);
}

TEST(CpuVolume, NamesBadPlanesAndGoesOn) {
  const VolumeOptions options = {.size = {10, 3, 3}, .steps = {{2, 2, 2}}};
  Collected<uint8_t> collected(1);
  EXPECT_EQ(cpu::VolumeStream::create(options, {}).error().text(), "sink: empty");
  auto made = cpu::VolumeStream::create(options, collected.sink(1));
  ASSERT_TRUE(made.ok());
  const std::vector<std::byte> planes(90);
  EXPECT_EQ(made->push(nullptr, 10, 30, 1).error().text(), "planes: null");
  EXPECT_EQ(made->push(planes.data(), 9, 30, 1).error().text(), "row_stride: 9, a row has 10 bytes");
  EXPECT_EQ(made->push(planes.data(), 10, 29, 2).error().text(), "plane_stride: 29, a plane has 30 bytes");
  EXPECT_EQ(made->push(planes.data(), SIZE_MAX / 2, 0, 1).error().text(),
            "row_stride: " + std::to_string(SIZE_MAX / 2) + ", more than memory has for 3 rows");
  EXPECT_EQ(made->push(planes.data(), 10, SIZE_MAX / 2, 2).error().text(),
            "plane_stride: " + std::to_string(SIZE_MAX / 2) + ", more than memory has for 2 planes");
  EXPECT_EQ(made->push(planes.data(), 10, 30, 4).error().text(), "count: 4 planes after 0 of 3");
  EXPECT_TRUE(made->push(planes.data(), 10, 30, 0).ok());
  EXPECT_EQ(made->planes_pushed(), 0U);
  EXPECT_TRUE(made->push(planes.data(), 10, 0, 1).ok()) << "a single plane needs no stride";
  EXPECT_TRUE(made->push(planes.data(), 10, 30, 2).ok());
  EXPECT_EQ(made->push(planes.data(), 10, 30, 1).error().text(), "count: 1 planes after 3 of 3");
  EXPECT_EQ(made->planes_pushed(), 3U);
  EXPECT_EQ(made->row_bytes(), 10U);
  EXPECT_EQ(collected.planes[1], 2U);
}

TEST(CpuVolume, TheSinkAndProgressEndAStream) {
  const VolumeOptions options = {.size = {64, 64, 0x80000000U}, .steps = {{2, 2, 2}}};
  const std::vector<std::byte> planes(size_t{64} * 64 * 100);
  const auto push = [&](cpu::VolumeStream& stream) { return stream.push(planes.data(), 64, size_t{64} * 64, 100); };
  const auto full_disk = [](const cpu::VolumePlane&) -> Result<void> {
    return Error{ErrorCode::kIo, "disk full", "a"};
  };
  auto failing = cpu::VolumeStream::create(options, full_disk);
  ASSERT_TRUE(failing.ok());
  EXPECT_EQ(push(*failing).error().text(), "a: disk full");
  EXPECT_EQ(push(*failing).error().text(), "a: disk full");
  uint32_t reports = 0;
  const auto cancel = [&](double fraction) {
    EXPECT_TRUE(fraction >= 0 && fraction <= 1);
    return ++reports < 2;
  };
  const auto ignore = [](const cpu::VolumePlane&) -> Result<void> { return {}; };
  auto cancelled = cpu::VolumeStream::create(options, ignore, {.threads = 1, .progress = cancel});
  ASSERT_TRUE(cancelled.ok());
  Result<void> pushed;
  while (pushed.ok()) pushed = push(*cancelled);
  EXPECT_EQ(pushed.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(push(*cancelled).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(reports, 2U);
}

TEST(CpuVolume, ACompleteStreamIsNotCancelled) {
  const VolumeOptions options = {.size = {8, 8, 5}, .steps = {{2, 2, 2}}};
  const std::vector<std::byte> planes(8 * 8 * 5);
  std::vector<double> fractions;
  const auto report = [&](double fraction) {
    fractions.push_back(fraction);
    return fraction < 1;
  };
  const auto ignore = [](const cpu::VolumePlane&) -> Result<void> { return {}; };
  auto stream = cpu::VolumeStream::create(options, ignore, {.threads = 1, .progress = report});
  ASSERT_TRUE(stream.ok());
  EXPECT_TRUE(stream->push(planes.data(), 8, 64, 5).ok());
  ASSERT_FALSE(fractions.empty());
  EXPECT_EQ(fractions.back(), 1);
}

}  // namespace
}  // namespace onepass::testing
