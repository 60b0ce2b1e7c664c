// creation_bench.cpp: times create() in three states of the driver's caches: nothing compiled, kernels in a
// VkPipelineCache, and the same object created on the device before. Each state gets its device by adopting the
// runner's handles.
#include "creation_bench.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "light_cases.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "reflection_vulkan.hpp"

namespace onepass::bench {
namespace {

constexpr Format kR32 = Format::kR32Sfloat;
constexpr Format kRGBA16 = Format::kRGBA16Sfloat;
constexpr Format kRGBA32 = Format::kRGBA32Sfloat;
constexpr Extent kTiny = {64, 64};
constexpr Extent kHD = {1920, 1080};
constexpr Extent k4K = {3840, 2160};
constexpr LightCase kFrame = {.work = LightWork::kFrame, .source = kRGBA16, .size = k4K};

/// Kernels that are compiled already when an object is created.
enum class State {
  kCold,       ///< None. Measured once.
  kWarmCache,  ///< All of its kernels are in the VkPipelineCache, on a device without other objects.
  kAgain,      ///< The device has created the same object before and still has its pipelines.
};

std::string_view state_word(State state) {
  static constexpr std::array<std::string_view, 3> kWords = {"cold", "warm_cache", "again"};
  return kWords[static_cast<size_t>(state)];
}

/// Creates and destroys an object. Errors: those of its create().
using Create = Result<void> (*)(const vulkan::Device& device);

template <typename Object>
Result<void> drop(const Result<Object>& object) {
  return object ? Result<void>() : object.error();
}

template <Format format, uint32_t width, uint32_t height, Reduction reduction, Footprint footprint,
          PyramidPath path = PyramidPath::kAuto>
Result<void> create_pyramid(const vulkan::Device& device) {
  return drop(vulkan::Pyramid::create(
      device,
      {.size = {width, height}, .source = format, .target = format, .reduction = reduction, .footprint = footprint},
      {.path = path}));
}

template <uint32_t width, uint32_t height, FourierTechnique technique = FourierTechnique::kAuto>
Result<void> create_transform(const vulkan::Device& device) {
  const TransformOptions options = {.size = {width, height}, .source = kRGBA32, .order = SpectrumOrder::kColumns};
  return drop(vulkan::Transform::create(device, options,
                                        {.source = vulkan::SideKind::kBuffer, .target = vulkan::SideKind::kBuffer},
                                        {.technique = technique}));
}

struct CreationCase {
  std::string_view name;
  Create create;
};

constexpr CreationCase kCases[] = {
    {"pyramid/r32f/64x64/mean/aligned", create_pyramid<kR32, 64, 64, Reduction::kMean, Footprint::kAligned>},
    {"pyramid/r32f/1920x1080/mean/aligned", create_pyramid<kR32, 1920, 1080, Reduction::kMean, Footprint::kAligned>},
    {"pyramid/r32f/1920x1080/min/covering", create_pyramid<kR32, 1920, 1080, Reduction::kMin, Footprint::kCovering>},
    {"pyramid/r32f/4095x4095/min/covering", create_pyramid<kR32, 4095, 4095, Reduction::kMin, Footprint::kCovering>},
    {"pyramid/r32f/1920x1080/min/tight", create_pyramid<kR32, 1920, 1080, Reduction::kMin, Footprint::kTight>},
    {"pyramid/rgba8_srgb/1920x1080/mean/covering",
     create_pyramid<Format::kRGBA8Srgb, 1920, 1080, Reduction::kMean, Footprint::kCovering>},
    {"pyramid/rgba8_srgb/1920x1080/mean/covering/per_level",
     create_pyramid<Format::kRGBA8Srgb, 1920, 1080, Reduction::kMean, Footprint::kCovering, PyramidPath::kPerLevel>},
    {"pyramid/rgba8_srgb/4095x4095/mean/covering",
     create_pyramid<Format::kRGBA8Srgb, 4095, 4095, Reduction::kMean, Footprint::kCovering>},
    {"pyramid/rgba16f/4096x4096/mean/aligned",
     create_pyramid<kRGBA16, 4096, 4096, Reduction::kMean, Footprint::kAligned>},
    {"tile_reduction/r32f/1920x1080/min/factor16",
     [](const vulkan::Device& device) {
       return drop(vulkan::TileReduction::create(
           device, {.size = kHD, .source = kR32, .target = kR32, .reduction = Reduction::kMin, .factor = kTileFactor}));
     }},
    {"fourier/rgba32f/64x64", create_transform<kTiny.width, kTiny.height>},
    {"fourier/rgba32f/1920x1080", create_transform<kHD.width, kHD.height>},
    {"fourier/rgba32f/1920x1080/ping_pong", create_transform<kHD.width, kHD.height, FourierTechnique::kPingPong>},
    {"fourier/rgba32f/4096x4096", create_transform<4096, 4096>},
    {"convolution/rgba32f/1920x1080/kernel255x255",
     [](const vulkan::Device& device) {
       return drop(vulkan::Convolver::create(
           device, {.size = kHD, .source = kRGBA32, .target = kRGBA32, .kernel_size = {255, 255}, .kernel = kR32}));
     }},
    {"bloom/rgba16f/1920x1080/convolution",
     [](const vulkan::Device& device) {
       return drop(vulkan::Bloom::create(device, {.size = kHD, .source = kRGBA16, .target = kRGBA16}));
     }},
    {"meter/rgba16f/3840x2160",
     [](const vulkan::Device& device) { return drop(vulkan::Meter::create(device, kFrame.meter())); }},
    {"meter/rgba16f/3840x2160/two_dispatches",
     [](const vulkan::Device& device) {
       return drop(vulkan::Meter::create(device, kFrame.meter(), {.divergent_barriers = vulkan::Switch::kOff}));
     }},
    {"tone_map/rgba16f_rgba8_srgb/3840x2160/agx",
     [](const vulkan::Device& device) { return drop(vulkan::ToneMap::create(device, kFrame.tone())); }},
    {"frame_tone_map/rgba16f_rgba8_srgb/3840x2160/agx",
     [](const vulkan::Device& device) {
       return drop(vulkan::FrameToneMap::create(device, {kFrame.meter(), kFrame.tone()}));
     }},
    {"reflection/rgba16f/1920x1080/one",
     [](const vulkan::Device& device) { return drop(vulkan::Reflection::create(device, reflection_options(kHD))); }},
};

/// A pipeline cache, empty at first. Devices with it must not outlive this object.
class PipelineCache {
 public:
  explicit PipelineCache(const Gpu& gpu) : gpu_(gpu) {
    VkPipelineCacheCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
    if (gpu.vkCreatePipelineCache(gpu.handle(), &info, nullptr, &cache_) != VK_SUCCESS) cache_ = VK_NULL_HANDLE;
  }
  PipelineCache(const PipelineCache&) = delete;
  PipelineCache& operator=(const PipelineCache&) = delete;
  ~PipelineCache() { gpu_.vkDestroyPipelineCache(gpu_.handle(), cache_, nullptr); }

  /// The device with this cache and without the objects that techniques share.
  [[nodiscard]] Result<vulkan::Device> fresh_device() const {
    vulkan::DeviceHandles handles = gpu_.device().handles();
    handles.pipeline_cache = cache_;
    return vulkan::Device::adopt(handles);
  }

 private:
  const Gpu& gpu_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
};

Result<Times> time_creation(const Gpu& gpu, Create create, State state) {
  const PipelineCache cache(gpu);
  auto device = cache.fresh_device();
  if (!device) return device.error();
  if (state != State::kCold) {
    if (auto first = create(*device); !first) return first.error();
  }
  const uint32_t rounds = state == State::kCold || gpu.software() ? 1 : 9;
  std::vector<double> times;
  for (uint32_t i = 0; i < rounds; ++i) {
    if (state == State::kWarmCache) device = cache.fresh_device();
    if (!device) return device.error();
    const auto begin = std::chrono::steady_clock::now();
    auto created = create(*device);
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
    if (!created) return created.error();
    times.push_back(elapsed.count());
  }
  return times_of(std::move(times));
}

void run_benchmark(benchmark::State& state, const CreationCase& one, State compiled, const std::string& name,
                   const VulkanRunner& runner, Report& report) {
  auto times = time_creation(runner.gpu(), one.create, compiled);
  if (!times) {
    // A case that the device does not support is not a failure.
    if (times.error().code != ErrorCode::kUnsupported) report.fail();
    state.SkipWithError(times.error().text().c_str());
    return;
  }
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(times->median * 1e-6);
  state.counters["min_us"] = times->least;
  state.counters["max_us"] = times->most;
  report.add({.name = name,
              .engine = "vulkan",
              .format = {},
              .reduction = {},
              .footprint = {},
              .path = "create",
              .mode = "host",
              .times = *times});
}

}  // namespace

void disable_driver_caches() {
#ifndef _WIN32
  setenv("__GL_SHADER_DISK_CACHE", "0", 0);  // NVIDIA
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
#endif
}

void register_creation_vulkan(VulkanRunner* runner, Report& report) {
  for (const State compiled : {State::kCold, State::kWarmCache, State::kAgain}) {
    for (const CreationCase& one : kCases) {
      const std::string name = "creation/vulkan/" + std::string(one.name) + "/" + std::string(state_word(compiled));
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&one, compiled, name, runner, &report](benchmark::State& state) {
                                     run_benchmark(state, one, compiled, name, *runner, report);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace onepass::bench
