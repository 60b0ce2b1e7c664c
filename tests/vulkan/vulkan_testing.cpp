// vulkan_testing.cpp: opens the device once per program, and derives the tolerance of a pyramid from the precision of
// each step that its tuning takes: decoding, filters, sums, divisions, encoding.
#include "tests/vulkan/vulkan_testing.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

using vulkan::DeviceImage;

std::atomic<int> message_count{0};
bool memory_model = false;     // of test_device()
bool half_arithmetic = false;  // of test_device()

void run(const std::function<void(VkCommandBuffer)>& record) {
  auto ran = test_device().run(record);
  if (!ran) ADD_FAILURE() << ran.error().text();
}

void barrier(VkCommandBuffer commands) { vulkan::record_barrier(test_device().impl(), commands, vulkan::kFullBarrier); }

}  // namespace

const vulkan::Device& test_device() {
  static const vulkan::Device device = [] {
    const char* selector = std::getenv("ONEPASS_TEST_DEVICE");
    const char* validation = std::getenv("ONEPASS_TEST_VALIDATION");
    const vulkan::DeviceRequest request{
        .selector = selector != nullptr ? selector : "llvmpipe",
        .allow_software = true,
        .validation = validation == nullptr || std::string(validation) != "0",
        .gpu_validation = validation != nullptr && std::string(validation) == "gpu",
        .on_validation_message =
            [](std::string_view message) {
              ++message_count;
              std::printf("validation: %.*s\n", static_cast<int>(message.size()), message.data());
            },
    };
    auto opened = vulkan::Device::Impl::open(request, [](const vulkan::SupportedFeatures& has,
                                                         VkPhysicalDeviceFeatures&,
                                                         VkPhysicalDeviceVulkan12Features& vulkan12) {
      memory_model = has.vulkan12.vulkanMemoryModel == VK_TRUE && has.vulkan12.vulkanMemoryModelDeviceScope == VK_TRUE;
      vulkan12.vulkanMemoryModel = vulkan12.vulkanMemoryModelDeviceScope = memory_model ? VK_TRUE : VK_FALSE;
      half_arithmetic = has.vulkan12.shaderFloat16 == VK_TRUE && has.vulkan12.shaderSubgroupExtendedTypes == VK_TRUE;
      vulkan12.shaderFloat16 = vulkan12.shaderSubgroupExtendedTypes = half_arithmetic ? VK_TRUE : VK_FALSE;
    });
    if (!opened) {
      std::printf("no device to test on: %s\n", opened.error().text().c_str());
      std::exit(1);
    }
    std::printf("device: %s, %s\n", opened->info().name.c_str(), opened->info().driver.c_str());
    return *opened;
  }();
  return device;
}

bool has_memory_model() {
  test_device();
  return memory_model;
}

bool has_half_arithmetic() {
  test_device();
  return half_arithmetic;
}

int validation_messages() { return message_count; }

Sample::Sample() : seed_(random_seed()), random_(seed_) { std::printf("seed %u\n", seed_); }

bool Sample::takes(uint32_t odds) {
  const bool drawn = random_.below(odds) == 0;  // drawn on every device, so that a seed gives the same cases
  return drawn || full_run() || !test_device().info().software;
}

Tolerance gpu_tolerance(const PyramidOptions& options, const vulkan::PyramidTuning& tuning) {
  const bool mean = options.reduction == Reduction::kMean;
  Tolerance tolerance = mean ? Tolerance{.codes = 1.0, .ulps = 4, .code_ulps = 0} : Tolerance::exact();
  // The division by the alpha sum or by a vector's length adds a few roundings.
  if (options.alpha != Alpha::kIndependent || options.normal_map != NormalMap::kOff) tolerance.ulps = 12;
  // A hardware filter has the precision of the texels that it reads: one ULP of a half is 2^13 ULP of a float.
  const FormatInfo& target = format_info(options.target);
  const bool half = target.type == ChannelType::kFloat && target.bytes_per_texel == 2 * target.channels;
  if (mean && half && tuning.sampling != vulkan::Sampling::kFetch) tolerance.ulps = 8192;
  // The device decodes the source: UNORM may be off by the last bit of the float; sRGB by half a step of 8 bits, which
  // is 2^-6 of the values used here.
  const ChannelType source = format_info(options.source).type;
  if (source == ChannelType::kUnorm && target.type == ChannelType::kFloat)
    tolerance.ulps = std::max(tolerance.ulps, 1.5);
  if (source == ChannelType::kSrgb) tolerance.ulps = 262144;
  // Software Vulkan filters with float weights as exact as their coordinate: 2^-23 of the image's side, times texel
  // values of up to three times the mean.
  if (tuning.sampling == vulkan::Sampling::kLinear && test_device().info().software) {
    tolerance.ulps = std::max(tolerance.ulps, 8.0 * std::max(options.size.width, options.size.height));
  }
  return tolerance;
}

Result<GpuPyramid> GpuPyramid::create(const Setup& setup) {
  const vulkan::Device& device = test_device();
  auto pyramid = vulkan::create_pyramid(device, setup.options, setup.tuning, setup.test);
  if (!pyramid) return pyramid.error();
  const PyramidOptions& options = setup.options;
  const uint32_t levels = pyramid->plan().levels;
  GpuPyramid out;
  out.first_level_ = setup.source_is_level_0 ? 1 : 0;
  const VkImageUsageFlags transfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  auto target = DeviceImage::create(device.impl(),
                                    {.format = options.target,
                                     .size = level_size(options.size, setup.source_is_level_0 ? 0 : 1),
                                     .levels = setup.source_is_level_0 ? levels : std::max(1U, levels - 1),
                                     .slices = options.slices,
                                     .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | transfers});
  if (!target) return target.error();
  out.target_ = std::make_unique<DeviceImage>(std::move(*target));
  if (!setup.source_is_level_0) {
    auto source = DeviceImage::create(device.impl(), {.format = options.source,
                                                      .size = options.size,
                                                      .levels = 1,
                                                      .slices = options.slices,
                                                      .usage = VK_IMAGE_USAGE_SAMPLED_BIT | transfers});
    if (!source) return source.error();
    out.source_ = std::make_unique<DeviceImage>(std::move(*source));
  }
  const uint64_t bytes =
      std::max(packed_bytes(*out.target_, 0, out.target_->levels), out.source_ ? packed_bytes(*out.source_, 0, 1) : 0);
  auto staging = vulkan::Buffer::create(device.impl(), bytes,
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  out.staging_ = std::make_unique<vulkan::Buffer>(std::move(*staging));
  auto binding = pyramid->bind({.source = out.source_ ? out.source_->image : out.target_->image,
                                .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                                .target = out.target_->image,
                                .target_level = out.first_level_,
                                .scratch = setup.scratch});
  if (!binding) return binding.error();
  out.binding_ = std::make_unique<vulkan::PyramidBinding>(std::move(*binding));
  out.pyramid_ = std::make_unique<vulkan::Pyramid>(std::move(*pyramid));
  run([&](VkCommandBuffer commands) { out.make_usable(commands); });
  if (setup.scratch == VK_NULL_HANDLE) out.reset();
  return out;
}

// Moves the images to the GENERAL layout, which they have between calls.
void GpuPyramid::make_usable(VkCommandBuffer commands) {
  for (const DeviceImage* image : {source_.get(), target_.get()}) {
    if (image == nullptr) continue;
    image->transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                      vulkan::kTransferWrites);
  }
}

void GpuPyramid::upload(const ImageView& source) {
  const DeviceImage& image = source_ ? *source_ : *target_;
  vulkan::pack_view(source, static_cast<std::byte*>(staging_->mapped));
  run([&](VkCommandBuffer commands) {
    image.transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                     vulkan::kTransferWrites);
    copy_levels(image, *staging_, 0, 0, 1, true, commands);
    image.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites, VK_IMAGE_LAYOUT_GENERAL,
                     vulkan::kShaderReads);
  });
}

void GpuPyramid::upload_levels(const Levels& levels) {
  uint64_t offset = 0;
  for (uint32_t n = 0; n < levels.views.size(); ++n) {
    vulkan::pack_view(levels.views[n], static_cast<std::byte*>(staging_->mapped) + offset);
    offset += packed_bytes(*target_, first_level_ + n, 1);
  }
  const auto count = static_cast<uint32_t>(levels.views.size());
  if (count == 0) return;
  run([&](VkCommandBuffer commands) {
    target_->transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        vulkan::kTransferWrites);
    copy_levels(*target_, *staging_, 0, first_level_, count, true, commands);
    target_->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites,
                        VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites);
  });
}

void GpuPyramid::reset() {
  run([&](VkCommandBuffer commands) {
    pyramid_->record_reset(commands, *binding_);
    barrier(commands);
  });
}

void GpuPyramid::build(int times) {
  run([&](VkCommandBuffer commands) {
    for (int i = 0; i < times; ++i) {
      barrier(commands);
      pyramid_->record(commands, *binding_);
    }
    barrier(commands);
  });
}

void GpuPyramid::update(Rect changed, vulkan::Scratch scratch) {
  run([&](VkCommandBuffer commands) {
    barrier(commands);
    pyramid_->record_update(commands, *binding_, changed, scratch);
    barrier(commands);
  });
}

void GpuPyramid::download(Levels& levels) {
  const auto count = static_cast<uint32_t>(levels.views.size());
  if (count == 0) return;
  run([&](VkCommandBuffer commands) {
    target_->transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        vulkan::kTransferReads);
    copy_levels(*target_, *staging_, 0, first_level_, count, false, commands);
    target_->transition(commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vulkan::kTransferReads, VK_IMAGE_LAYOUT_GENERAL,
                        vulkan::kShaderWrites);
    barrier(commands);
  });
  uint64_t offset = 0;
  for (uint32_t n = 0; n < count; ++n) {
    vulkan::unpack_view(static_cast<const std::byte*>(staging_->mapped) + offset, levels.views[n]);
    offset += packed_bytes(*target_, first_level_ + n, 1);
  }
}

std::string describe(const vulkan::PyramidTuning& tuning) {
  constexpr const char* kPaths[] = {"auto", "single_dispatch", "per_level"};
  constexpr const char* kSwitches[] = {"auto", "off", "on"};
  constexpr const char* kSamplings[] = {"auto", "fetch", "linear"};
  return std::string(kPaths[static_cast<int>(tuning.path)]) + " subgroup " +
         kSwitches[static_cast<int>(tuning.subgroup)] + " sampling " + kSamplings[static_cast<int>(tuning.sampling)] +
         " last_to_start " + kSwitches[static_cast<int>(tuning.last_to_start)] + " publish " +
         kSwitches[static_cast<int>(tuning.publish)] + " second_dispatch " +
         kSwitches[static_cast<int>(tuning.second_dispatch)] +
         (tuning.pipelines == vulkan::Pipelines::kOwn ? " own pipelines" : "");
}

std::string describe(const GpuPyramid::Setup& setup) {
  return describe(setup.options) + " levels " + std::to_string(setup.options.levels) + " " + describe(setup.tuning) +
         " depth " + std::to_string(setup.test.stage_depth) + " tiles per workgroup " +
         std::to_string(setup.test.tiles_per_workgroup) + (setup.test.delay > 0 ? " delayed" : "");
}

namespace {

::testing::AssertionResult build_matches(const GpuPyramid::Setup& setup, const ImageView& source, int builds) {
  const std::string name = describe(setup);
  Levels levels(setup.options);
  auto gpu = GpuPyramid::create(setup);
  if (!gpu) return ::testing::AssertionFailure() << name << ": " << gpu.error().text();
  gpu->upload(source);
  if (builds > 1) gpu->build(builds - 1);
  gpu->upload_levels(levels);  // poison, which the last build must overwrite
  gpu->build();
  gpu->download(levels);
  return matches(oracle_pyramid(setup.options, source), levels.views, gpu_tolerance(setup.options, setup.tuning), name);
}

::testing::AssertionResult build_matches(const GpuPyramid::Setup& setup, uint32_t seed, int builds) {
  Random random(seed);
  PaddedImage source(setup.options.source, setup.options.size, setup.options.slices);
  fill_random(source.view(), random);
  return build_matches(setup, source.view(), builds);
}

}  // namespace

::testing::AssertionResult gpu_build_matches(const PyramidOptions& options, const vulkan::PyramidTuning& tuning,
                                             const ImageView& source, int builds) {
  return build_matches({.options = options, .tuning = tuning}, source, builds);
}

::testing::AssertionResult gpu_build_matches(const PyramidOptions& options, const vulkan::PyramidTuning& tuning,
                                             uint32_t seed, int builds) {
  return build_matches({.options = options, .tuning = tuning}, seed, builds);
}

::testing::AssertionResult gpu_build_matches(const GpuPyramid::Setup& setup, int builds) {
  return build_matches(setup, 1, builds);
}

}  // namespace onepass::testing
