// fourier_cases.cpp: the tables of cases.
#include "fourier_cases.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace onepass::bench {
namespace {

constexpr Format kR32 = Format::kR32Sfloat;
constexpr Format kRG32 = Format::kRG32Sfloat;
constexpr Format kRGBA8 = Format::kRGBA8Unorm;
constexpr Format kRGBA16 = Format::kRGBA16Sfloat;
constexpr Format kRGBA32 = Format::kRGBA32Sfloat;
constexpr Extent kTiny = {64, 64};  // for the smoke test
constexpr Extent kHD = {1920, 1080};
constexpr Extent kUHD = {3840, 2160};
constexpr Extent square(uint32_t side) { return {side, side}; }

// The measurements of a transform between images or between buffers.
struct VulkanCase {
  FourierCase transform;
  bool images = false;
  bool techniques = false;  // also four-step, ping-pong and computed twiddle factors
  bool inverse = false;     // only the inverse, as a whole
};

constexpr VulkanCase kVulkanCases[] = {
    {.transform = {kRGBA32, kTiny}, .techniques = true},
    {.transform = {kRGBA32, square(128)}},
    {.transform = {kRGBA32, {512, 256}}},
    {.transform = {kRGBA32, square(256)}},
    {.transform = {kRGBA32, square(512)}, .techniques = true},
    {.transform = {kRGBA32, square(1024)}, .techniques = true},
    {.transform = {kRGBA32, kHD}},
    {.transform = {kRGBA32, square(2048)}},
    {.transform = {kRGBA32, kUHD}},
    {.transform = {kRGBA32, square(4096)}},
    {.transform = {kRGBA32, {16384, 1024}}, .techniques = true},
    {.transform = {kRGBA16, kTiny}},
    {.transform = {kRGBA16, square(2048)}},
    {.transform = {kRGBA16, kUHD}},
    {.transform = {kRGBA16, square(4096)}},
    {.transform = {kR32, square(1024)}},
    {.transform = {kR32, kHD}},
    {.transform = {kRGBA8, kTiny}, .images = true},
    {.transform = {kRGBA8, kHD}, .images = true},
    {.transform = {kRGBA32, kHD}, .images = true},
    {.transform = {kRGBA32, kTiny, Signal::kComplex, 6}, .inverse = true},
    {.transform = {kRGBA32, square(256), Signal::kComplex, 6}, .inverse = true},  // those of samples/ocean
    {.transform = {kRGBA32, square(512), Signal::kComplex, 6}, .inverse = true},
};

constexpr FourierCase complex(Extent size) { return {kRG32, size, Signal::kComplex}; }
constexpr FourierCase kCpuCases[] = {
    complex(kTiny), {kR32, kTiny},           complex(square(512)), complex(square(1024)),
    complex(kHD),   complex(square(4096)),   {kR32, square(512)},  {kR32, square(1024)},
    {kR32, kHD},    {kRGBA32, square(1024)}, {kRGBA32, kHD},
};

constexpr ConvolutionCase kConvolutions[] = {
    {.format = kRGBA32, .size = kTiny, .kernel = square(15), .boundary = Boundary::kMirror},
    {.format = kRGBA32, .size = kHD, .kernel = square(255), .boundary = Boundary::kZero},
    {.format = kRGBA32, .size = kHD, .kernel = square(255), .boundary = Boundary::kMirror},
};

constexpr ConvolutionCase kVulkanConvolutions[] = {
    {.format = kRGBA32, .channels = 4, .size = kTiny, .kernel = square(15), .boundary = Boundary::kZero},
    {.format = kRGBA32, .channels = 4, .size = kHD, .kernel = square(255), .boundary = Boundary::kZero},
    {.format = kRGBA32, .channels = 4, .size = kHD, .kernel = square(255), .boundary = Boundary::kMirror},
    {.format = kRGBA32, .channels = 3, .size = kHD, .kernel = square(255), .boundary = Boundary::kZero},
    {.format = kRGBA32, .channels = 3, .size = square(2048), .kernel = square(255), .boundary = Boundary::kZero},
};

constexpr std::initializer_list<Mode> kModes = {Mode::kThroughput, Mode::kIsolated, Mode::kWarm};

void add_vulkan_case(const VulkanCase& one, bool all, std::vector<FourierVulkanBenchmark>& out) {
  FourierVulkanBenchmark benchmark = {.transform = one.transform, .images = one.images};
  if (one.inverse) {
    benchmark.work = FourierWork::kInverse;
    for (const Mode mode : kModes) {
      benchmark.mode = mode;
      out.push_back(benchmark);
    }
    return;
  }
  for (const FourierPath path : {FourierPath::kSharedMemory, FourierPath::kDeviceCopy}) {
    benchmark.path = path;
    for (const Mode mode : kModes) {
      benchmark.mode = mode;
      if (mode == Mode::kThroughput || path == FourierPath::kSharedMemory || all) out.push_back(benchmark);
    }
  }
  benchmark.path = FourierPath::kSharedMemory;
  for (const FourierWork work : {FourierWork::kRowsForward, FourierWork::kColumnsForward, FourierWork::kColumnsInverse,
                                 FourierWork::kRowsInverse}) {
    benchmark.work = work;
    for (const Mode mode : kModes) {
      benchmark.mode = mode;
      if (mode == Mode::kThroughput || all) out.push_back(benchmark);
    }
  }
  benchmark.work = FourierWork::kForwardInverse;
  if (one.techniques) {
    for (const FourierPath path :
         {FourierPath::kSharedMemoryComputed, FourierPath::kFourStep, FourierPath::kPingPong16,
          FourierPath::kPingPong16Computed, FourierPath::kPingPong2, FourierPath::kPingPong2Computed}) {
      benchmark.path = path;
      for (const Mode mode : kModes) {
        benchmark.mode = mode;
        if (mode != Mode::kWarm || all) out.push_back(benchmark);
      }
    }
  }
}

}  // namespace

TransformOptions FourierCase::options(SpectrumOrder order) const {
  const FormatInfo& info = format_info(format);
  const bool half = info.type == ChannelType::kFloat && info.bytes_per_texel == 2 * info.channels;
  return {.size = size,
          .slices = slices,
          .signal = signal,
          .source = format,
          .order = order,
          .precision = half ? SpectrumPrecision::kHalf : SpectrumPrecision::kFloat};
}

ConvolutionOptions ConvolutionCase::options() const {
  return {.size = size,
          .channels = channels,
          .source = format,
          .kernel_size = kernel,
          .kernel = kR32,
          .boundary = boundary,
          .scale = KernelScale::kUnitSum};
}

std::string FourierVulkanBenchmark::path_word() const {
  static constexpr std::array<std::string_view, 8> kWords = {
      "shared_memory",    "shared_memory_computed",    "four_step",  "ping_pong_radix16", "ping_pong_radix16_computed",
      "ping_pong_radix2", "ping_pong_radix2_computed", "device_copy"};
  return std::string(kWords[static_cast<size_t>(path)]) + (images ? "_images" : "");
}

std::string FourierVulkanBenchmark::name() const {
  const std::string text = path == FourierPath::kDeviceCopy ? "baseline/vulkan/" : "fourier/vulkan/";
  return text + fourier_word(transform) + "/" + std::string(work_word(work)) + "/" + path_word() + "/" +
         std::string(mode_word(mode));
}

std::vector<FourierVulkanBenchmark> fourier_vulkan_benchmarks(bool all) {
  std::vector<FourierVulkanBenchmark> out;
  for (const VulkanCase& one : kVulkanCases) add_vulkan_case(one, all, out);
  return out;
}

std::span<const FourierCase> fourier_cpu_cases() { return kCpuCases; }
std::span<const ConvolutionCase> convolution_cpu_cases() { return kConvolutions; }
std::span<const ConvolutionCase> convolution_vulkan_cases() { return kVulkanConvolutions; }

std::string_view work_word(FourierWork work) {
  static constexpr std::array<std::string_view, 6> kWords = {"forward+inverse", "rows_forward", "columns_forward",
                                                             "columns_inverse", "rows_inverse", "inverse"};
  return kWords[static_cast<size_t>(work)];
}

std::string size_word(Extent size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

std::string fourier_word(const FourierCase& transform) {
  return std::string(format_word(transform.format)) + "/" + size_word(transform.size) +
         (transform.slices > 1 ? "x" + std::to_string(transform.slices) : "") +
         (transform.signal == Signal::kComplex ? "/complex" : "");
}

std::string convolution_word(const ConvolutionCase& convolution) {
  static constexpr std::array<std::string_view, 4> kBoundaries = {"zero", "wrap", "clamp", "mirror"};
  return std::string(format_word(convolution.format)) + "/" + size_word(convolution.size) + "/channels" +
         std::to_string(convolution.channels) + "/kernel" + size_word(convolution.kernel) + "/" +
         std::string(kBoundaries[static_cast<size_t>(convolution.boundary)]);
}

}  // namespace onepass::bench
