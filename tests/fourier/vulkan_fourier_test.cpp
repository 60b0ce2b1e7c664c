// vulkan_fourier_test.cpp: transforms on the device under test, against the same oracle as the CPU engine.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "fourier/dispatch_plan.hpp"
#include "image/small_float.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "tests/fourier/fourier_testing.hpp"
#include "tests/support/test_seed.hpp"
#include "tests/vulkan/vulkan_testing.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::testing {
namespace {

using vulkan::TransformTuning;

FourierEngine engine_with(const TransformTuning& tuning) {
  FourierEngine engine;
  engine.forward = [tuning](const TransformOptions& options, const ImageView& source) {
    const auto plan = plan_transform(options);
    std::vector<std::byte> spectrum(plan ? plan->spectrum_bytes : 0);
    auto done = vulkan::transform_forward(test_device(), options, tuning, source, spectrum);
    EXPECT_TRUE(done.ok()) << describe(options) << (done ? "" : done.error().text());
    return spectrum;
  };
  engine.inverse = [tuning](const TransformOptions& options, std::span<const std::byte> spectrum) {
    const auto plan = plan_transform(options);
    const TransformOptions& o = plan->options;
    PaddedImage target(o.target, {o.result.width, o.result.height}, o.slices, 16, 32);
    auto done = vulkan::transform_inverse(test_device(), options, tuning, spectrum, target.view());
    EXPECT_TRUE(done.ok()) << describe(options) << (done ? "" : done.error().text());
    EXPECT_FALSE(target.gaps_touched()) << describe(options);
    return target;
  };
  return engine;
}

vulkan::Buffer host_buffer(uint64_t bytes) {
  auto buffer = vulkan::Buffer::create(test_device().impl(), bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);
  EXPECT_TRUE(buffer.ok());
  std::memset(buffer->mapped, 0xFF, bytes);  // NaN
  return std::move(*buffer);
}

// Positions of texels in a buffer: with odd widths there are gaps between rows and slices.
struct Strides {
  uint32_t gap, row, slice;
  explicit Strides(Extent size) : gap(size.width % 2 * 3), row(size.width + gap), slice(row * size.height + 2 * gap) {}
  [[nodiscard]] uint64_t at(uint32_t y, uint32_t s) const { return uint64_t{s} * slice + uint64_t{y} * row; }
};

// An engine from buffer to buffer, for lines longer than images can be.
FourierEngine buffers_with(const TransformTuning& tuning) {
  using vulkan::SideKind;
  const auto run = [](const vulkan::Transform& transform, const vulkan::TransformResources& resources, bool forward) {
    const auto binding = transform.bind(resources);
    ASSERT_TRUE(binding) << binding.error().text();
    auto done = test_device().run([&](VkCommandBuffer commands) {
      forward ? transform.record_forward(commands, *binding) : transform.record_inverse(commands, *binding);
    });
    ASSERT_TRUE(done.ok()) << done.error().text();
  };
  FourierEngine engine;
  engine.forward = [tuning, run](const TransformOptions& options, const ImageView& source) {
    const auto transform =
        vulkan::Transform::create(test_device(), options, {.source = SideKind::kBuffer, .inverse = false}, tuning);
    EXPECT_TRUE(transform) << transform.error().text();
    const uint32_t texel = format_info(options.source).bytes_per_texel;
    const Strides strides(source.size);
    const vulkan::Buffer texels = host_buffer(texel * strides.at(0, source.slices));
    for (uint32_t s = 0; s < source.slices; ++s) {
      for (uint32_t y = 0; y < source.size.height; ++y) {
        std::memcpy(static_cast<std::byte*>(texels.mapped) + texel * strides.at(y, s), source.row(y, s),
                    size_t{texel} * source.size.width);
      }
    }
    std::vector<std::byte> spectrum(transform->plan().spectrum_bytes);
    const vulkan::Buffer out = host_buffer(spectrum.size());
    run(*transform,
        {.source = {.buffer = texels.buffer, .row_stride = strides.row, .slice_stride = strides.slice},
         .spectrum = {.buffer = out.buffer}},
        true);
    std::memcpy(spectrum.data(), out.mapped, spectrum.size());
    return spectrum;
  };
  engine.inverse = [tuning, run](const TransformOptions& options, std::span<const std::byte> spectrum) {
    const auto transform =
        vulkan::Transform::create(test_device(), options, {.target = SideKind::kBuffer, .forward = false}, tuning);
    EXPECT_TRUE(transform) << transform.error().text();
    const TransformOptions& o = transform->plan().options;
    PaddedImage target(o.target, {o.result.width, o.result.height}, o.slices, 16, 32);
    const uint32_t texel = format_info(o.target).bytes_per_texel;
    const Strides strides({o.result.width, o.result.height});
    const vulkan::Buffer in = host_buffer(spectrum.size());
    std::memcpy(in.mapped, spectrum.data(), spectrum.size());
    const vulkan::Buffer texels = host_buffer(texel * strides.at(0, o.slices));
    run(*transform,
        {.spectrum = {.buffer = in.buffer},
         .target = {.buffer = texels.buffer, .row_stride = strides.row, .slice_stride = strides.slice}},
        false);
    for (uint32_t s = 0; s < o.slices; ++s) {
      for (uint32_t y = 0; y < o.result.height; ++y) {
        const std::byte* row = static_cast<const std::byte*>(texels.mapped) + texel * strides.at(y, s);
        std::memcpy(target.view().row(y, s), row, size_t{texel} * o.result.width);
        const std::byte* gap = row + size_t{texel} * o.result.width;
        EXPECT_TRUE(
            std::all_of(gap, gap + size_t{strides.gap} * texel, [](std::byte b) { return b == std::byte{0xFF}; }))
            << describe(o) << " row " << y;
      }
    }
    return target;
  };
  return engine;
}

const FourierEngine kShared = engine_with({});
const FourierEngine kSixteenValues =
    engine_with({.values_per_invocation = 16});  // radices up to 16, as large images have
const FourierEngine kPingPong = engine_with({.technique = FourierTechnique::kPingPong});
const FourierEngine kFourStep = engine_with({.technique = FourierTechnique::kFourStep});

class VulkanFourier : public VulkanTest {};

/// The padded offset of an index, and of a distance between indices; see shaders/onepass/fourier.glsl.
uint32_t padded(uint32_t index) { return index + index / 16; }

/// Are padded offsets computed as base + constant right, with the radices in order or in reverse?
::testing::AssertionResult slots_are_right(const fourier::LineLayout& line, bool reversed) {
  const auto radix = [&](uint32_t i) { return line.radices[reversed ? line.passes - 1 - i : i]; };
  uint32_t before = 1;
  for (uint32_t i = 0; i + 1 < line.passes; ++i) {
    const uint32_t from = radix(i);
    const uint32_t to = radix(i + 1);
    for (uint32_t b = 0; b < line.length / from; ++b) {
      const uint32_t first = b / before * before * from + b % before;
      for (uint32_t j = 0; j < from; ++j) {
        if (padded(first) + padded(j * before) != padded(first + j * before)) {
          return ::testing::AssertionFailure()
                 << "length " << line.length << " pass " << i << " radix " << from << (reversed ? " reversed" : "");
        }
      }
    }
    for (uint32_t b = 0; b < line.length / to; ++b) {
      for (uint32_t j = 0; j < to; ++j) {
        if (padded(b) + padded(j * (line.length / to)) != padded(b + j * (line.length / to))) {
          return ::testing::AssertionFailure() << "length " << line.length << " reading pass " << i + 1;
        }
      }
    }
    before *= from;
  }
  return ::testing::AssertionSuccess();
}

// All lengths, several sizes of shared memory, forward only and forward with inverse in the same dispatch.
TEST(FourierDispatchPlan, PaddingCarriesNothing) {
  uint32_t pads = 0;
  for (const auto& [most_radix, values] : {std::pair{7U, 16U}, {12U, 16U}, {16U, 16U}, {16U, 8U}, {16U, 4U}}) {
    for (const uint32_t bytes : {16384U, 32768U, 49152U}) {
      std::set<std::pair<uint32_t, bool>> seen;
      for (uint32_t length = 1; length <= 8192; ++length) {
        const auto plan = plan_transform(fourier_kind(3, {2, length}));
        ASSERT_TRUE(plan);
        for (const auto stage : {fourier::Stage::kColumnsForward, fourier::Stage::kColumnsBoth}) {
          const auto layout =
              fourier::plan_stage(*plan, {.stage = stage}, {.most_radix = most_radix, .values_per_invocation = values},
                                  {.invocations = 1024, .shared_bytes = bytes});
          const bool comes_back =
              stage == fourier::Stage::kColumnsBoth || layout.plan.transform_length != layout.plan.length;
          const bool shared = layout.plan.technique == FourierTechnique::kSharedMemory;
          for (const fourier::LineLayout& line : layout.lines) {
            if (!line.pad || !seen.insert({line.length, comes_back && shared}).second) continue;
            ++pads;
            ASSERT_TRUE(slots_are_right(line, false));
            if (comes_back && shared) {
              ASSERT_TRUE(slots_are_right(line, true));
            }
          }
        }
      }
    }
  }
  EXPECT_GT(pads, 100U);
}

// Lengths with large prime factors, and columns transformed both ways in one dispatch, also use reversed radices.
TEST_F(VulkanFourier, RadicesInReverse) {
  Random random(12);
  ASSERT_TRUE(both_match(kSixteenValues, fourier_kind(3, {1366, 2}), random));
  if (!full_run()) return;
  ASSERT_TRUE(both_match(kShared, fourier_kind(3, {3, 1031}), random));
  ASSERT_TRUE(both_match(kShared, fourier_kind(0, {1100, 2}), random));
}

// Lengths up to 130 on either axis with random kinds: a selection, in a full run all lengths.
TEST_F(VulkanFourier, EveryLength) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (uint32_t length = 1; length <= 130; length += full_run() ? 1 : 1 + random.below(48)) {
    const uint32_t kind = random.below(kFourierKinds);
    const FourierEngine& engine = random.below(2) == 0 ? kShared : kSixteenValues;
    ASSERT_TRUE(both_match(engine, fourier_kind(kind, {length, 1 + random.below(40)}), random)) << "seed " << seed;
    ASSERT_TRUE(both_match(engine, fourier_kind((kind + 3) % kFourierKinds, {1 + random.below(40), length}), random))
        << "seed " << seed;
  }
}

TEST_F(VulkanFourier, EveryRadix) {
  Random random(2);
  uint32_t kind = 0;
  for (const Extent size :
       {Extent{2, 3}, Extent{4, 5}, Extent{6, 7}, Extent{8, 9}, Extent{10, 12}, Extent{14, 15}, Extent{16, 1}}) {
    ASSERT_TRUE(both_match(kSixteenValues, fourier_kind(kind++ % kFourierKinds, size), random));
    ASSERT_TRUE(both_match(kShared, fourier_kind(kind % kFourierKinds, size), random));
  }
}

TEST_F(VulkanFourier, EveryCombinationOfOptions) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < (full_run() ? 1000 : 8); ++i) {
    const FourierEngine* const engines[] = {&kShared, &kFourStep, &kPingPong, &kSixteenValues};
    const FourierEngine& engine = *engines[i % 4];
    ASSERT_TRUE(both_match(engine, random_transform(random), random)) << "round " << i << " seed " << seed;
  }
}

TEST_F(VulkanFourier, LongLengths) {
  Random random(4);
  const std::vector<uint32_t> all = {449, 1021, 1080, 1920, 2048, 2187, 3125, 4093, 4096, 4802, 6250, 7203, 8192};
  for (size_t i = 0; i < all.size(); i += full_run() ? 1 : 5) {
    ASSERT_TRUE(
        both_match(kSixteenValues, fourier_kind(static_cast<uint32_t>(i) % kFourierKinds, {all[i], 2}), random));
    const uint32_t length = all[(i + 1) % all.size()];
    ASSERT_TRUE(both_match(kShared, fourier_kind(static_cast<uint32_t>(i + 2) % kFourierKinds, {3, length}), random));
  }
}

// Lines longer than shared memory holds: two dispatches per axis, three if a prime factor is above 7.
TEST_F(VulkanFourier, LongerThanSharedMemory) {
  Random random(5);
  const std::vector<uint32_t> all = {10007, 9000, 16384, 12005, 8748, 4099, 13122, 15625, 16381, 8193};
  for (size_t i = 0; i < all.size(); i += full_run() ? 1 : 5) {
    const auto kind = static_cast<uint32_t>(i) % kFourierKinds;
    for (const Extent size : {Extent{all[i], 2}, Extent{3, all[(i + 1) % all.size()]}}) {
      const TransformOptions options = fourier_kind((kind + size.height) % kFourierKinds, size);
      const auto transform = vulkan::Transform::create(test_device(), options);
      ASSERT_TRUE(transform) << transform.error().text();
      const uint32_t length = std::max(size.width, size.height);
      const auto& stage = transform->dispatch_plan().forward[size.width > size.height ? 0 : 1];
      if (test_device().impl().driver.compiles_whole_lines) {
        EXPECT_EQ(stage.technique, FourierTechnique::kFourStep);
        EXPECT_EQ(stage.dispatches, next_smooth_size(stage.length) == stage.length ? 2U : 3U);
      }
      // A source is up to two texels larger than the crop.
      const bool fits = length + 2 <= test_device().impl().limits.maxImageDimension2D;
      ASSERT_TRUE(both_match(fits ? kShared : buffers_with({}), options, random));
    }
  }
}

// Lines of a column that are in several workgroups, because they are long, and images so narrow that the first and the
// last workgroup have a part of their columns. The spectra are not those of real images.
TEST_F(VulkanFourier, NarrowImages) {
  Random random(17);
  for (const Extent size : {Extent{2, 4096}, Extent{3, 3072}, Extent{4, 2304}, Extent{1, 2500}}) {
    for (const uint32_t channels : {3U, 4U}) {
      ASSERT_TRUE(both_match(kShared, fourier_kind(channels - 1, size), random));
    }
  }
}

TEST_F(VulkanFourier, RowsThatAreNotSeenLeaveNothing) {
  Random random(14);
  for (const FourierEngine& engine : {kShared, kFourStep, kPingPong, buffers_with({})}) {
    EXPECT_TRUE(unseen_rows_leave_nothing(engine, random));
  }
}

// Lines longer than images may be on many devices, or on any; buffers have no such limit.
TEST_F(VulkanFourier, LongBuffers) {
  Random random(9);
  const FourierEngine engine = buffers_with({});
  const std::vector<uint32_t> all = {65535, 59049, 65521, 32768, 60025, 40320};
  for (size_t i = 0; i < all.size(); i += full_run() ? 1 : 4) {
    const auto kind = static_cast<uint32_t>(i) % kFourierKinds;
    ASSERT_TRUE(both_match(engine, fourier_kind(kind, {all[i], 2}), random));
    ASSERT_TRUE(both_match(engine, fourier_kind((kind + 1) % kFourierKinds, {2, all[(i + 1) % all.size()]}), random));
  }
}

// With radix 2, a convolution of 2^17 values would need 17 passes, one more than the limit.
TEST_F(VulkanFourier, LongestOfRadixTwo) {
  Random random(11);
  const TransformTuning tuning{.technique = FourierTechnique::kPingPong, .most_radix = 2};
  ASSERT_TRUE(both_match(buffers_with(tuning), fourier_kind(0, {65521, 1}), random));
  ASSERT_TRUE(both_match(buffers_with(tuning), fourier_kind(4, {1, 49157}), random));
}

// Images and the CPU engine saturate as well.
TEST_F(VulkanFourier, HalvesOfBuffersSaturate) {
  TransformOptions options = fourier_kind(3, {16, 6});
  options.target = Format::kRGBA16Sfloat;
  Image image = *Image::create(options.source, {16, 6});
  constexpr float kTexel[4] = {70000.0F, -1e6F, 5.0F, 65504.0F};
  for (uint32_t y = 0; y < 6; ++y) {
    for (uint32_t x = 0; x < 16; ++x) std::memcpy(image.view().row(y) + size_t{16} * x, kTexel, sizeof kTexel);
  }
  constexpr uint16_t kHalves[4] = {0x7BFF, 0xFBFF, 0x4500, 0x7BFF};
  for (const FourierEngine& engine : {kShared, buffers_with({})}) {
    const auto spectrum = engine.forward(options, image.view());
    const PaddedImage target = engine.inverse(options, spectrum);
    for (uint32_t y = 0; y < 6; ++y) {
      for (uint32_t x = 0; x < 16; ++x) {
        ASSERT_EQ(std::memcmp(target.view().row(y, 0) + size_t{8} * x, kHalves, sizeof kHalves), 0) << x << ", " << y;
      }
    }
  }
}

// Random options with gaps between the rows and slices of buffers.
TEST_F(VulkanFourier, Buffers) {
  const uint32_t seed = random_seed();
  std::printf("seed %u\n", seed);
  Random random(seed);
  for (int i = 0; i < (full_run() ? 300 : 4); ++i) {
    const FourierTechnique technique = static_cast<FourierTechnique>(i % 4);
    ASSERT_TRUE(both_match(buffers_with({.technique = technique}), random_transform(random), random))
        << "seed " << seed;
  }
}

// The four-step technique at short lengths; lengths that cannot be split use the ping-pong technique.
TEST_F(VulkanFourier, FourStepOfShortLengths) {
  Random random(8);
  uint32_t kind = 0;
  for (const Extent size :
       {Extent{1, 2}, Extent{4, 7}, Extent{6, 35}, Extent{13, 130}, Extent{243, 12}, Extent{37, 256}}) {
    ASSERT_TRUE(both_match(kFourStep, fourier_kind(kind++ % kFourierKinds, size), random));
  }
}

// As many lines per workgroup as make it 128 invocations.
TransformTuning groups_of_128(const TransformOptions& options) {
  const auto transform = vulkan::Transform::create(test_device(), options, {}, {.values_per_invocation = 4});
  EXPECT_TRUE(transform) << transform.error().text();
  if (!transform) return {};
  const TransformStagePlan& rows = transform->dispatch_plan().forward[0];
  const TransformStagePlan& columns = transform->dispatch_plan().forward[1];
  // A column of real channels is two lines: itself and its mirror.
  const bool paired = options.signal == Signal::kReal && options.channels > 1;
  return {.values_per_invocation = 4,
          .lines_of_rows = 128 / rows.lanes,
          .lines_of_columns = 128 / columns.lanes / (paired ? 2 : 1)};
}

// Workgroups of 128 invocations, the size that the kernels in HLSL have; every kind of signal.
TEST_F(VulkanFourier, GroupsOf128) {
  Random random(15);
  constexpr Extent kSizes[] = {{256, 64}, {127, 64}, {64, 127}};
  for (uint32_t kind = 0; kind < kFourierKinds; ++kind) {
    const Extent size = kSizes[kind % 3];
    TransformOptions options = fourier_kind(kind, size);
    options.boundary = Boundary::kMirror;
    options.crop = {1, 2, size.width - 5, size.height - 2};
    options.placement = {3, 1};
    const TransformTuning tuning = groups_of_128(options);
    const auto transform = vulkan::Transform::create(test_device(), options, {}, tuning);
    ASSERT_TRUE(transform) << transform.error().text();
    for (const auto* stages : {&transform->dispatch_plan().forward, &transform->dispatch_plan().inverse}) {
      for (const TransformStagePlan& stage : *stages) {
        if (stage.technique != FourierTechnique::kSharedMemory) continue;
        EXPECT_EQ(stage.lanes * stage.lines, 128U);
      }
    }
    ASSERT_TRUE(both_match(engine_with(tuning), options, random));
    if (kind % 2 == 0) {
      ASSERT_TRUE(both_match(kFourStep, fourier_kind(kind, size), random));
    } else {
      options.precision = SpectrumPrecision::kHalf;
      ASSERT_TRUE(both_match(buffers_with(tuning), options, random));
    }
  }
}

TEST_F(VulkanFourier, PingPongOfEveryKind) {
  Random random(16);
  for (uint32_t kind = 0; kind < kFourierKinds; ++kind) {
    ASSERT_TRUE(both_match(kPingPong, fourier_kind(kind, {12, 10}), random));
  }
}

TEST_F(VulkanFourier, TuningDoesNotChangeResults) {
  Random random(6);
  const TransformTuning tunings[] = {
      {.twiddles = vulkan::Twiddles::kComputed},
      {.most_radix = 8},
      {.values_per_invocation = 4},
      {.values_per_invocation = 8},
      {.values_per_invocation = 16},
      {.lines_of_rows = 1, .lines_of_columns = 1},
      {.lines_of_rows = 8, .lines_of_columns = 16},
      {.technique = FourierTechnique::kPingPong, .most_radix = 2},
      {.technique = FourierTechnique::kPingPong, .twiddles = vulkan::Twiddles::kComputed},
      {.technique = FourierTechnique::kFourStep, .most_radix = 7},
      {.technique = FourierTechnique::kFourStep, .twiddles = vulkan::Twiddles::kComputed}};
  for (const TransformTuning& tuning : tunings) {
    SCOPED_TRACE("tuning " + std::to_string(&tuning - tunings));
    EXPECT_TRUE(both_match(engine_with(tuning), fourier_kind(3, {240, 64}), random));
  }
}

// Half spectra store the nearest halves. Each transform here has one value and leaves it unchanged.
TEST_F(VulkanFourier, HalvesAreTheNearest) {
  Random random(10);
  const TransformOptions options{.size = {1, 1},
                                 .slices = 200,
                                 .channels = 2,
                                 .signal = Signal::kComplex,
                                 .source = Format::kRG32Sfloat,
                                 .precision = SpectrumPrecision::kHalf};
  ASSERT_EQ(plan_transform(options)->half_scale, 1);
  PaddedImage source(options.source, options.size, options.slices, 16, 32);
  fill_random(source.view(), random);
  const std::vector<std::byte> spectrum = kShared.forward(options, source.view());
  for (uint32_t slice = 0; slice < options.slices; ++slice) {
    float values[2];
    uint16_t halves[2];
    std::memcpy(values, source.view().row(0, slice), sizeof(values));
    std::memcpy(halves, spectrum.data() + slice * sizeof(halves), sizeof(halves));
    for (int i = 0; i < 2; ++i) {
      const double spacing = std::ldexp(1.0, std::max(std::ilogb(values[i]), -14) - 10);
      EXPECT_LE(std::abs(decode_half(halves[i]) - double{values[i]}), 0.5001 * spacing) << values[i];
    }
  }
}

TEST_F(VulkanFourier, SaysWhatBuffersLack) {
  const uint64_t limit = test_device().impl().limits.maxStorageBufferRange;
  const std::string has = ", but buffers of the device have " + std::to_string(limit);
  // Three channels: 12 bytes per texel in the spectrum, 16 between stages.
  const auto side = static_cast<uint32_t>(std::sqrt(static_cast<double>(limit) / 14));
  const auto large =
      vulkan::Transform::create(test_device(), {.size = {side, side}, .channels = 3, .source = Format::kRGBA8Unorm});
  ASSERT_FALSE(large);
  EXPECT_NE(large.error().message.find(" bytes between two stages" + has), std::string::npos) << large.error().text();

  const auto bytes = vulkan::Transform::create(test_device(), {.size = {8, 8}, .source = Format::kRGBA8Unorm},
                                               {.source = vulkan::SideKind::kBuffer});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::kInvalidArgument) << bytes.error().text();

  const TransformOptions options{.size = {64, 32}, .slices = 2, .source = Format::kRGBA32Sfloat};
  const auto transform = vulkan::Transform::create(
      test_device(), options, {.source = vulkan::SideKind::kBuffer, .target = vulkan::SideKind::kBuffer});
  ASSERT_TRUE(transform) << transform.error().text();
  const vulkan::Buffer memory = host_buffer(2 * 64 * 32 * 16);
  const vulkan::Buffer spectrum = host_buffer(transform->plan().spectrum_bytes);
  const auto message = [&](auto change) {
    vulkan::TransformResources resources{.source = {.buffer = memory.buffer},
                                         .spectrum = {.buffer = spectrum.buffer},
                                         .target = {.buffer = memory.buffer}};
    change(resources);
    const auto binding = transform->bind(resources);
    return binding ? std::string("fine") : binding.error().message;
  };
  using R = vulkan::TransformResources;
  EXPECT_EQ(message([](R&) {}), "fine");
  EXPECT_EQ(message([](R& r) { r.source.row_stride = 63; }), "source.row_stride: 63 texels, but rows have 64");
  EXPECT_EQ(message([](R& r) { r.target.row_stride = 1; }), "target.row_stride: 1 texels, but rows have 64");
  EXPECT_EQ(message([](R& r) { r.target.offset = 128; }), "target.offset: 128 is not a multiple of 256");
  EXPECT_EQ(message([](R& r) { r.source.slice_stride = 4000000000U; }),
            "source: 4000002048 texels of r32g32b32a32_sfloat" + has + " bytes");
  EXPECT_EQ(
      message([](R& r) { r.target.row_stride = UINT32_MAX; }),
      "target: " + std::to_string(uint64_t{63} * UINT32_MAX + 64) + " texels of r32g32b32a32_sfloat" + has + " bytes");
}

// 8-bit images are unchanged after forward and inverse.
TEST_F(VulkanFourier, EightBitsComeBack) {
  Random random(7);
  for (const Format format :
       {Format::kRGBA8Unorm, Format::kR8Unorm, Format::kRG8Unorm, Format::kRGBA8Srgb, Format::kR8Srgb}) {
    const TransformOptions options{.size = {320, 135}, .source = format};
    PaddedImage source(format, options.size, 1, 16, 32);
    fill_random(source.view(), random);
    const auto spectrum = kShared.forward(options, source.view());
    const PaddedImage target = kShared.inverse(options, spectrum);
    for (uint32_t y = 0; y < options.size.height; ++y) {
      ASSERT_EQ(std::memcmp(source.view().row(y), target.view().row(y),
                            options.size.width * format_info(format).bytes_per_texel),
                0)
          << format_info(format).name << " row " << y;
    }
  }
}

}  // namespace
}  // namespace onepass::testing
