// cuda_pyramid_test.cpp: the CUDA engine against the oracle: footprints, reductions, formats, orders of channels,
// sizes; its errors; and what it calls of the driver. Without ONEPASS_TEST_CUDA kernels run on the host.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <regex>
#include <sstream>

#include "tests/cuda/cuda_pyramid_testing.hpp"
#include "tests/cuda/fake_driver.hpp"

namespace onepass::testing {
namespace {

constexpr Footprint kFootprints[] = {Footprint::kAligned, Footprint::kCovering, Footprint::kEdge};
constexpr Reduction kReductions[] = {Reduction::kMean, Reduction::kMin, Reduction::kMax, Reduction::kMinMax};
constexpr auto kPlanar = cuda::Channels::kPlanar;

PyramidOptions one_channel(Extent size, Reduction reduction, Footprint footprint) {
  return {.size = size,
          .source = Format::kR32Sfloat,
          .target = reduction == Reduction::kMinMax ? Format::kRG32Sfloat : Format::kR32Sfloat,
          .reduction = reduction,
          .footprint = footprint};
}

TEST(CudaPyramid, MatchesTheOracleAtAwkwardSizes) {
  CudaSample sample;
  for (const Extent size : awkward_sizes()) {
    const uint64_t texels = uint64_t{size.width} * size.height;
    if (texels > 150'000 && !on_cuda_device()) continue;
    for (const Footprint footprint : kFootprints) {
      for (const Reduction reduction : kReductions) {
        if (!sample.takes(texels > 20'000 ? 8 : 3, texels > 4'000'000 ? 12 : texels > 400'000 ? 4 : 1)) continue;
        EXPECT_TRUE(cuda_build_matches({.options = one_channel(size, reduction, footprint)}));
      }
    }
  }
}

TEST(CudaPyramid, MatchesTheOracleAtRandomSizes) {
  Random random(random_seed());
  for (int i = 0; i < (on_cuda_device() ? 60 : 12); ++i) {
    const auto any_length = [&] { return 1 + random.below(1U << random.below(on_cuda_device() ? 12 : 9)); };
    PyramidOptions options =
        one_channel({any_length(), any_length()}, kReductions[random.below(4)], kFootprints[random.below(3)]);
    options.levels = random.below(3) == 0 ? 1 + random.below(full_level_count(options.size)) : 0;
    options.slices = random.below(3) == 0 ? 1 + random.below(3) : 1;
    CudaSetup setup{.options = options};
    if (random.below(2) == 0) setup.tuning.launches = cuda::Launches::kOne;
    setup.test.stage_depth = random.below(3) == 0 ? 3 + random.below(4) : 0;
    setup.row_gap = 4 * random.below(3) * 2;
    setup.slice_gap = 8 * random.below(3);
    setup.own_scratch = random.below(2) == 0;
    EXPECT_TRUE(cuda_build_matches(setup, random.word(), 2))
        << "launches " << static_cast<int>(setup.tuning.launches) << " depth " << setup.test.stage_depth;
  }
}

// Stages of every kind in one launch and in two, with several slices, in chains that end in every stage. The second
// build finds the counters that the first one leaves.
TEST(CudaPyramid, StagesOfEveryKindFollowEachOther) {
  CudaSample sample;
  for (const Extent size : {Extent{640, 360}, Extent{191, 191}, Extent{256, 256}, Extent{200, 120}, Extent{3, 700}}) {
    for (const Footprint footprint : kFootprints) {
      for (const cuda::Launches launches : {cuda::Launches::kAuto, cuda::Launches::kOne}) {
        for (const uint32_t levels : {0U, 5U, 8U}) {
          if (!sample.takes(8)) continue;
          PyramidOptions options = one_channel(size, Reduction::kMean, footprint);
          options.slices = 2;
          options.levels = std::min(levels, full_level_count(size));
          EXPECT_TRUE(cuda_build_matches(
              {.options = options, .tuning = {.launches = launches}, .test = {.delay = on_cuda_device() ? 3000U : 0U}},
              1, 2));
        }
      }
    }
  }
}

// Where all levels halve exactly, texels are exchanged in each of three ways; the second and third build find the
// mailbox that the one before leaves.
TEST(CudaPyramid, EveryExchangeIsRight) {
  for (const Extent size : {Extent{256, 128}, Extent{384, 256}}) {
    for (const Format format : {Format::kR32Sfloat, Format::kRG32Sfloat, Format::kRGBA32Sfloat}) {
      for (const int exchange : {0, 1, 2}) {
        const PyramidOptions options{.size = size, .slices = 2, .source = format, .target = format};
        EXPECT_TRUE(cuda_build_matches(
            {.options = options,
             .test = {.delay = on_cuda_device() ? 3000U : 0U, .publishes = exchange > 0, .last_to_start = exchange > 1},
             .own_scratch = exchange == 1},
            1, 3))
            << exchange;
      }
    }
  }
}

TEST(CudaPyramid, MatchesTheOracleWithFourChannels) {
  CudaSample sample;
  for (const Extent size : {Extent{65, 65}, Extent{191, 100}, Extent{128, 128}, Extent{257, 130}}) {
    for (const Footprint footprint : kFootprints) {
      for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kRGBA32Sfloat}) {
        if (!sample.takes(3)) continue;
        EXPECT_TRUE(cuda_build_matches(
            {.options = {.size = size, .source = format, .target = format, .footprint = footprint}}));
      }
    }
  }
}

// Every format with a mean and with a maximum, which is exact.
TEST(CudaPyramid, EveryFormatIsRight) {
  for (const FormatInfo& info : all_formats()) {
    const Format target = info.depth ? Format::kR32Sfloat : info.format;
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      EXPECT_TRUE(cuda_build_matches(
          {.options = {
               .size = {83, 61}, .slices = 2, .source = info.format, .target = target, .reduction = reduction}}));
    }
  }
}

TEST(CudaPyramid, ConvertsBetweenFormats) {
  for (const auto& [source, target] : {std::pair{Format::kRGBA8Srgb, Format::kRGBA16Sfloat},
                                       {Format::kRGBA32Sfloat, Format::kRGBA8Srgb},
                                       {Format::kRGBA8Unorm, Format::kRGBA8Srgb},
                                       {Format::kRGBA8Srgb, Format::kBGRA8Unorm},
                                       {Format::kR32Sfloat, Format::kR8Srgb},
                                       {Format::kD16Unorm, Format::kR16Unorm},
                                       {Format::kD24UnormS8, Format::kR32Sfloat},
                                       {Format::kR16Unorm, Format::kR8Unorm},
                                       {Format::kR8Unorm, Format::kR16Unorm},
                                       {Format::kRGBA16Unorm, Format::kA2B10G10R10Unorm},
                                       {Format::kRGBA16Sfloat, Format::kB10G11R11Ufloat},
                                       {Format::kB10G11R11Ufloat, Format::kRGBA8Unorm},
                                       {Format::kR8Unorm, Format::kR32Sfloat}}) {
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMin}) {
      EXPECT_TRUE(cuda_build_matches(
          {.options = {.size = {100, 75}, .source = source, .target = target, .reduction = reduction}}));
    }
  }
}

// RGB without alpha, and planes, of every size of a channel, with gaps between rows.
TEST(CudaPyramid, EveryOrderOfChannelsIsRight) {
  for (const Format format : {Format::kRGB8Unorm, Format::kRGB8Srgb, Format::kRGB16Unorm, Format::kRGB16Sfloat,
                              Format::kRGB32Sfloat, Format::kRGBA8Unorm, Format::kRG16Sfloat, Format::kRGBA32Sfloat}) {
    for (const cuda::ImageMemory& memory :
         {cuda::ImageMemory{}, cuda::ImageMemory{.source = kPlanar}, cuda::ImageMemory{.target = kPlanar},
          cuda::ImageMemory{.source = kPlanar, .target = kPlanar}}) {
      for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
        CudaSetup setup{
            .options = {.size = {70, 41}, .slices = 2, .source = format, .target = format, .reduction = reduction},
            .memory = memory};
        setup.row_gap = 16;
        setup.slice_gap = 32;
        EXPECT_TRUE(cuda_build_matches(setup)) << static_cast<int>(memory.source) << static_cast<int>(memory.target);
      }
    }
  }
  // One image channel by channel, the other of any format.
  for (const auto& [source, target] : {std::pair{Format::kBGRA8Unorm, Format::kRGB8Unorm},
                                       {Format::kRGB8Srgb, Format::kBGRA8Srgb},
                                       {Format::kB10G11R11Ufloat, Format::kRGB32Sfloat},
                                       {Format::kA2B10G10R10Unorm, Format::kRGB16Unorm},
                                       {Format::kRGB16Sfloat, Format::kB10G11R11Ufloat},
                                       {Format::kRGB8Unorm, Format::kRGBA32Sfloat}}) {
    for (const Extent size : {Extent{64, 64}, Extent{45, 38}}) {
      EXPECT_TRUE(cuda_build_matches({.options = {.size = size, .source = source, .target = target}}));
    }
  }
  EXPECT_TRUE(cuda_build_matches({.options = {.size = {64, 64},
                                              .source = Format::kR8Unorm,
                                              .target = Format::kRG8Unorm,
                                              .reduction = Reduction::kMinMax},
                                  .memory = {.target = kPlanar}}));
}

// Values around all rounding decisions of small floats: denormals, ties, overflow, infinities.
TEST(CudaPyramid, SmallFloatsAreRoundedToNearest) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Random random(29);
  for (const auto& [source_format, target_format] : {std::pair{Format::kR32Sfloat, Format::kR16Sfloat},
                                                     {Format::kRG32Sfloat, Format::kRG16Sfloat},
                                                     {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat},
                                                     {Format::kRGBA32Sfloat, Format::kB10G11R11Ufloat}}) {
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      const PyramidOptions options{
          .size = {130, 67}, .source = source_format, .target = target_format, .reduction = reduction};
      PaddedImage source(options.source, options.size);
      for (uint32_t y = 0; y < options.size.height; ++y) {
        auto* row = reinterpret_cast<float*>(source.view().row(y));
        for (uint32_t i = 0; i < options.size.width * format_info(options.source).channels; ++i) {
          const int exponent = static_cast<int>(random.below(46)) - 28;
          const float sign = random.below(2) == 0 ? 1.0F : -1.0F;
          row[i] = sign * std::ldexp(static_cast<float>(random.below(8192)), exponent - 12);
          if (reduction == Reduction::kMax && random.below(64) == 0) row[i] = sign * kInfinity;
        }
      }
      EXPECT_TRUE(cuda_build_matches({.options = options}, source.view()));
    }
  }
}

TEST(CudaPyramid, AlphaAndNormalModesMatch) {
  for (const Extent size : {Extent{64, 64}, Extent{77, 50}}) {
    for (const Format format : {Format::kRGBA8Unorm, Format::kRGBA8Srgb, Format::kRGBA32Sfloat}) {
      EXPECT_TRUE(cuda_build_matches(
          {.options = {.size = size, .source = format, .target = format, .alpha = Alpha::kWeighted}}));
    }
    for (const Format format : {Format::kRGBA8Unorm, Format::kRG8Unorm, Format::kRGBA16Sfloat, Format::kRGB8Unorm}) {
      EXPECT_TRUE(cuda_build_matches(
          {.options = {.size = size, .source = format, .target = format, .normal_map = NormalMap::kRenormalize}}));
    }
  }
}

TEST(CudaPyramid, PacksLevelsInOneAllocation) {
  const PyramidOptions options{
      .size = {101, 50}, .slices = 3, .source = Format::kRGB8Unorm, .target = Format::kRGB8Unorm};
  auto interleaved = cuda::pack_levels(options);
  auto planar = cuda::pack_levels(options, {.target = kPlanar});
  ASSERT_TRUE(interleaved && planar);
  ASSERT_EQ(interleaved->at_zero.size(), 6U);  // 50x25 to 1x1
  EXPECT_EQ(interleaved->at_zero[0].row_stride, 150U);
  EXPECT_EQ(interleaved->at_zero[0].slice_stride, 3750U);
  EXPECT_EQ(interleaved->at_zero[1].data, reinterpret_cast<void*>(size_t{44} * 256));  // 3 * 3750 = 11250 bytes
  EXPECT_EQ(planar->at_zero[0].row_stride, 50U);
  EXPECT_EQ(planar->at_zero[0].channel_stride, 1250U);
  EXPECT_EQ(planar->at_zero[0].slice_stride, 3750U);
  EXPECT_EQ(planar->bytes, interleaved->bytes);
  auto* base = reinterpret_cast<void*>(uintptr_t{1} << 20);
  EXPECT_EQ(interleaved->images(base)[1].data, reinterpret_cast<void*>((uintptr_t{1} << 20) + 44 * 256));
}

TEST(CudaPyramid, PlansCountTheBytesOfTheFormats) {
  auto pyramid = cuda::Pyramid::create(
      test_cuda_device(),
      {.size = {64, 64}, .slices = 2, .levels = 2, .source = Format::kRGB8Unorm, .target = Format::kRGB32Sfloat});
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  EXPECT_EQ(pyramid->plan().bytes_read, 2U * 64 * 64 * 3);
  EXPECT_EQ(pyramid->plan().bytes_written, 2U * 32 * 32 * 12);
  EXPECT_EQ(pyramid->options().source, Format::kRGB8Unorm);
  EXPECT_EQ(pyramid->dispatch_plan().dispatches.size(), 1U);
}

// ---- Errors

std::string error_of(const PyramidOptions& options, const cuda::ImageMemory& memory = {}) {
  auto pyramid = cuda::Pyramid::create(test_cuda_device(), options, memory);
  return pyramid ? "none" : pyramid.error().message;
}

TEST(CudaPyramid, SaysWhatOptionsAreWrong) {
  PyramidOptions options = one_channel({64, 64}, Reduction::kMax, Footprint::kTight);
  EXPECT_EQ(error_of(options), "footprint: tight: the CUDA engine has none");
  options.footprint = Footprint::kCeil;
  EXPECT_NE(error_of(options).find("footprint ceil"), std::string::npos);
  options = {.size = {64, 64}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm, .alpha = Alpha::kCoverage};
  EXPECT_EQ(error_of(options), "alpha: coverage: the CUDA engine has none");
  options.alpha = Alpha::kIndependent;
  options.target = Format::kR8Unorm;
  EXPECT_NE(error_of(options).find("target: r8_unorm has 1 channel"), std::string::npos);
  options.source = options.target = Format::kBGRA8Unorm;
  EXPECT_EQ(error_of(options, {.source = kPlanar}), "source: b8g8r8a8_unorm cannot be planar");
  options.source = options.target = Format::kB10G11R11Ufloat;
  EXPECT_EQ(error_of(options, {.target = kPlanar}), "target: b10g11r11_ufloat_pack32 cannot be planar");
  EXPECT_EQ(error_of({.size = {8, 8}, .slices = 65536, .source = Format::kR8Unorm, .target = Format::kR8Unorm}),
            "slices: 65536 exceed 65535, the most blocks of a launch");
  options.samples = 2;
  EXPECT_EQ(error_of(options), "samples: 2, but images in linear memory have one");
  EXPECT_EQ(error_of({.size = {0, 1}}).substr(0, 4), plan_pyramid({.size = {0, 1}}).error().message.substr(0, 4));
}

TEST(CudaPyramid, SaysWhatImagesAreWrong) {
  const PyramidOptions options{
      .size = {20, 10}, .slices = 2, .levels = 2, .source = Format::kRGBA8Unorm, .target = Format::kRGB8Unorm};
  auto pyramid = cuda::Pyramid::create(test_cuda_device(), options, {.target = kPlanar});
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  const auto address = [](uintptr_t at) { return reinterpret_cast<void*>(at); };
  const cuda::PyramidImages good{
      .source = {.data = address(4096), .row_stride = 80, .slice_stride = 800},
      .levels = {{.data = address(8193), .row_stride = 11, .slice_stride = 165, .channel_stride = 55}},
      .scratch = address(65536)};
  const auto error = [&](const auto& spoil) {
    cuda::PyramidImages images = good;
    spoil(images);
    auto bound = pyramid->bind(images);
    return bound ? "none" : bound.error().message;
  };
  EXPECT_EQ(error([](auto&) {}), "none");
  EXPECT_EQ(error([](auto& i) { i.source.data = nullptr; }), "source.data: null");
  EXPECT_EQ(error([&](auto& i) { i.source.data = address(4098); }), "source.data: 4098 is not a multiple of 4");
  EXPECT_EQ(error([](auto& i) { i.source.row_stride = 76; }), "source.row_stride: 76 is below 80");
  EXPECT_EQ(error([](auto& i) { i.source.row_stride = 82; }), "source.row_stride: 82 is not a multiple of 4");
  EXPECT_EQ(error([](auto& i) { i.source.row_stride = uint64_t{1} << 32; }),
            "source.row_stride: 4294967296 is not below 2^32");
  EXPECT_EQ(error([](auto& i) { i.source.slice_stride = 796; }), "source.slice_stride: 796 is below 800");
  EXPECT_EQ(error([](auto& i) { i.levels[0].channel_stride = 53; }), "levels[0].channel_stride: 53 is below 54");
  EXPECT_EQ(error([](auto& i) { i.levels.clear(); }), "levels: 0 images, but the pyramid makes 1 levels");
  EXPECT_EQ(error([&](auto& i) { i.scratch = address(65536 + 128); }),
            "scratch: the address 65664 is not a multiple of 256");
}

// ---- PTX

/// PTX without comments and indentation, registers and labels numbered in the order in which they first appear.
std::string renumbered(const std::string& ptx) {
  std::istringstream lines(ptx);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    line = std::regex_replace(line.substr(0, line.find("//")), std::regex("[ \t]+"), " ");
    line = std::regex_replace(line, std::regex("^ | $"), "");
    if (!line.empty()) text += std::regex_replace(line, std::regex(", "), ",") + "\n";
  }
  const std::regex name("(%[a-z]+|BB0_)([0-9]+)");
  std::map<std::string, std::map<std::string, size_t>> numbers;
  std::string out;
  auto at = text.cbegin();
  for (std::sregex_iterator found(text.cbegin(), text.cend(), name), end; found != end; ++found) {
    auto& known = numbers[(*found)[1]];
    const size_t number = known.try_emplace((*found)[2], known.size()).first->second;
    out.append(at, (*found)[0].first);
    out += (*found)[1].str() + std::to_string(number);
    at = (*found)[0].second;
  }
  return out.append(at, text.cend());
}

// The smallest and the largest kernel of each group: clang's PTX, packed by Perl and unpacked by the library.
TEST(CudaKernels, UnpackedPtxIsTheCompiledOne) {
  if (on_cuda_device()) return;  // the files are beside the build
  using cuda::kCudaPyramidKernels;
  for (const auto& [set, name] :
       {std::pair<const vulkan::KernelSet&, std::string>{kCudaPyramidKernels, "cuda_pyramid_1"},
        {kCudaPyramidKernels, "cuda_pyramid_1_window_later"},
        {kCudaPyramidKernels, "cuda_pyramid_2_channels_window_base"},
        {kCudaPyramidKernels, "cuda_pyramid_4_two_to_one"},
        {kCudaPyramidKernels, "cuda_pyramid_4_channels_window_later"},
        {cuda::kCudaLuminanceKernels, "cuda_luminance"},
        {cuda::kCudaTileReductionKernels, "cuda_tile_reduction_4"},
        {cuda::kCudaToneMapKernels, "cuda_tone_map"}}) {
    std::ifstream file(std::string(ONEPASS_PTX_FOLDER) + "/" + name + ".ptx");
    std::stringstream compiled;
    compiled << file.rdbuf();
    ASSERT_GT(compiled.str().size(), 100'000U) << name;
    const auto unpacked = cuda::unpack_ptx(set, name);
    ASSERT_TRUE(unpacked) << name;
    const std::string expected = renumbered(compiled.str());
    // Not EXPECT_EQ, which would print a megabyte.
    const auto [a, b] = std::mismatch(expected.begin(), expected.end(), unpacked->begin(), unpacked->end());
    ASSERT_TRUE(a == expected.end() && b == unpacked->end() && expected.size() == unpacked->size())
        << name << ": " << std::string(a, std::min(a + 80, expected.end())) << "\n"
        << std::string(b, std::min(b + 80, unpacked->end()));
  }
}

TEST(CudaKernels, ConstantsReplaceTheirNames) {
  const std::array<uint32_t, 3> constants{7, 80, 4294967295U};
  EXPECT_EQ(cuda::specialize("mov ONEPASS_CONSTANT_2_;x ONEPASS_CONSTANT_0_;", "name", constants),
            "// name 7 80 4294967295\nmov 4294967295;x 7;");
  EXPECT_EQ(cuda::specialize("none", "name", {}), "// name\nnone");
  EXPECT_FALSE(cuda::unpack_ptx(cuda::kCudaPyramidKernels, "cuda_pyramid"));
}

// ---- Calls of the driver, on the host

class CudaDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    fake_.calls.clear();
    fake_.loaded.clear();
    fake_.streams.clear();
  }
  FakeDriver& fake_ = FakeDriver::get();
};

TEST_F(CudaDriver, RecordOnlyLaunches) {
  auto device = cuda::Device::Impl::create(FakeDriver::table(), 0);
  ASSERT_TRUE(device);
  const PyramidOptions options = one_channel({96, 40}, Reduction::kMean, Footprint::kCovering);
  auto pyramid = cuda::Pyramid::create(*device, options);
  auto packed = cuda::pack_levels(options);
  ASSERT_TRUE(pyramid && packed);
  std::vector<float> base(96 * 40);
  std::vector<std::byte> memory(packed->bytes + 256);
  auto binding =
      pyramid->bind({.source = {.data = base.data(), .row_stride = 96 * 4},
                     .levels = packed->images(memory.data() + 256 - reinterpret_cast<uintptr_t>(memory.data()) % 256)});
  ASSERT_TRUE(binding) << binding.error().text();
  const auto allocated = fake_.memory;
  fake_.calls.clear();
  auto* const stream = reinterpret_cast<cuda::Stream>(uintptr_t{0x77});
  ASSERT_TRUE(pyramid->record(stream, *binding));
  const auto launches = static_cast<int>(pyramid->dispatch_plan().dispatches.size());
  EXPECT_EQ(fake_.calls, (std::map<std::string, int>{
                             {"cuCtxPushCurrent", 1}, {"cuCtxPopCurrent", 1}, {"cuLaunchKernel", launches}}));
  EXPECT_EQ(fake_.streams, std::vector<cuda::Stream>(static_cast<size_t>(launches), stream));
  EXPECT_EQ(fake_.memory, allocated);
  EXPECT_TRUE(fake_.contexts.empty());
}

TEST_F(CudaDriver, PyramidsShareKernelsAndReleaseThem) {
  const int modules = fake_.modules;
  const int retained = fake_.retained;
  const size_t allocations = fake_.memory.size();
  {
    auto device = cuda::Device::Impl::create(FakeDriver::table(), 0);
    ASSERT_TRUE(device);
    const auto create = [&](Extent size) {
      return cuda::Pyramid::create(*device, one_channel(size, Reduction::kMean, Footprint::kCovering));
    };
    {
      auto one = create({1919, 1079});
      auto other = create({1279, 719});  // another size of the same stages
      ASSERT_TRUE(one && other);
      EXPECT_EQ(fake_.loaded.size(), one->dispatch_plan().dispatches.size());
      EXPECT_EQ(device->trim(), 0U);
    }
    EXPECT_EQ(device->trim(), fake_.loaded.size());
    EXPECT_EQ(fake_.modules, modules);
    ASSERT_TRUE(create({64, 64}));
    EXPECT_EQ(fake_.modules, modules + 1);
  }
  EXPECT_EQ(fake_.modules, modules);
  EXPECT_EQ(fake_.retained, retained);
  EXPECT_EQ(fake_.memory.size(), allocations);
}

TEST_F(CudaDriver, FailuresAreErrors) {
  auto device = cuda::Device::Impl::create(FakeDriver::table(), 0);
  ASSERT_TRUE(device);
  const PyramidOptions options = one_channel({96, 40}, Reduction::kMax, Footprint::kAligned);
  const int modules = fake_.modules;
  for (const char* call : {"cuCtxPushCurrent", "cuModuleLoadData", "cuModuleGetFunction"}) {
    fake_.failures[call] = cuda::kOutOfDeviceMemory;
    auto failed = cuda::Pyramid::create(*device, options);
    ASSERT_FALSE(failed) << call;
    EXPECT_EQ(failed.error().code, ErrorCode::kOutOfMemory);
    EXPECT_EQ(failed.error().text(), "host: " + std::string(call) + ": CUDA_ERROR_OUT_OF_MEMORY (2)");
    EXPECT_EQ(fake_.modules, modules);
    EXPECT_TRUE(fake_.contexts.empty());
  }
  auto pyramid = cuda::Pyramid::create(*device, options);
  ASSERT_TRUE(pyramid);
  auto packed = cuda::pack_levels(options);
  const cuda::PyramidImages images{.source = {.data = reinterpret_cast<void*>(uintptr_t{4096}), .row_stride = 96 * 4},
                                   .levels = packed->images(reinterpret_cast<void*>(uintptr_t{1} << 20))};
  const size_t allocations = fake_.memory.size();
  for (const char* call : {"cuMemAlloc", "cuMemsetD8", "cuCtxSynchronize"}) {
    fake_.failures[call] = 700;
    auto failed = pyramid->bind(images);
    ASSERT_FALSE(failed) << call;
    EXPECT_EQ(failed.error().code, ErrorCode::kDevice);
    EXPECT_EQ(fake_.memory.size(), allocations);
  }
  auto binding = pyramid->bind(images);
  ASSERT_TRUE(binding);
  fake_.failures["cuLaunchKernel"] = 719;
  auto failed = pyramid->record(nullptr, *binding);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().text(), "host: cuLaunchKernel: CUDA_ERROR_OF_A_TEST (719)");
}

TEST_F(CudaDriver, DevicesAreChecked) {
  const cuda::Driver& driver = FakeDriver::table();
  EXPECT_EQ(cuda::Device::Impl::create(driver, 1).error().message, "ordinal: 1, but there are 1 CUDA devices");
  EXPECT_EQ(cuda::Device::Impl::create(driver, 1).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cuda::Device::Impl::adopt(driver).error().message, "the calling thread has no current CUDA context");
  fake_.compute_major = 6;
  auto old = cuda::Device::Impl::create(driver, 0);
  fake_.compute_major = 9;
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, ErrorCode::kUnsupported);
  auto list = cuda::Device::Impl::list(driver);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 1U);
  EXPECT_EQ((*list)[0].name, "host");
  EXPECT_EQ((*list)[0].compute_major, 9U);

  // The caller's context, which is not retained.
  auto* const context = reinterpret_cast<cuda::Context>(uintptr_t{0x5000});
  const int retained = fake_.retained;
  fake_.contexts.push_back(context);
  auto adopted = cuda::Device::Impl::adopt(driver);
  fake_.contexts.pop_back();
  ASSERT_TRUE(adopted) << adopted.error().text();
  EXPECT_EQ(adopted->context(), context);
  EXPECT_EQ(fake_.retained, retained);
}

// Without a driver everything else works; the error names the library.
TEST(CudaDevice, CreateExplainsWhatIsMissing) {
  auto device = cuda::Device::create();
  if (device) return;  // this machine has one
  EXPECT_TRUE(device.error().code == ErrorCode::kNotFound || device.error().code == ErrorCode::kDevice);
  EXPECT_NE(device.error().text().find("CUDA"), std::string::npos) << device.error().text();
}

}  // namespace
}  // namespace onepass::testing
