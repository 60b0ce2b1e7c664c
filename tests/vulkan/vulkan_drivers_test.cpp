// vulkan_drivers_test.cpp: what the table of known drivers decides. The device under test is described as if another
// driver had created it.
#include <algorithm>

#include "onepass/vulkan/device_report.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/vulkan/vulkan_testing.hpp"
#include "vulkan/known_drivers.hpp"

namespace onepass::testing {
namespace {

using vulkan::Device;
using vulkan::PyramidTuning;
using vulkan::Switch;

using VulkanDrivers = VulkanTest;

Device device_of(VkDriverId driver) {
  auto impl = std::make_shared<Device::Impl>(test_device().impl());
  impl->driver = vulkan::known_driver(driver);
  impl->shared = std::make_shared<vulkan::SharedObjects>();  // kernels refer to the device that they are made for
  return Device(std::move(impl));
}

uint64_t scratch_bytes(const Device& device, const PyramidTuning& tuning) {
  const PyramidOptions options{.size = {512, 512}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat};
  auto pyramid = vulkan::Pyramid::create(device, options, tuning);
  EXPECT_TRUE(pyramid) << pyramid.error().text();
  return pyramid ? pyramid->dispatch_plan().scratch_bytes : 0;
}

// Scratch memory has a mailbox if stage 0 publishes.
TEST_F(VulkanDrivers, OnlyKnownDriversPublish) {
  const Device known = device_of(VK_DRIVER_ID_NVIDIA_PROPRIETARY);
  const Device other = device_of(VK_DRIVER_ID_GOOGLE_SWIFTSHADER);
  const uint64_t without = scratch_bytes(other, {});
  const uint64_t with = scratch_bytes(known, {});
  EXPECT_GT(with, without);
  EXPECT_EQ(scratch_bytes(known, {.publish = Switch::kOff}), without);
  EXPECT_EQ(scratch_bytes(known, {.last_to_start = Switch::kOn, .publish = Switch::kOff}), without);
  EXPECT_EQ(scratch_bytes(other, {.publish = Switch::kOn}), with);
  EXPECT_EQ(scratch_bytes(other, {.last_to_start = Switch::kOn}), with);
  const vulkan::DriverProperties unknown = vulkan::known_driver(VK_DRIVER_ID_MESA_RADV);
  EXPECT_FALSE(unknown.forward_progress || unknown.unfenced_stores || unknown.half_rounds_to_nearest);
  EXPECT_TRUE(unknown.divergent_barriers);
}

TEST_F(VulkanDrivers, PyramidsAndMetersChooseVariantsWithoutDivergentBarriers) {
  const Device device = device_of(VK_DRIVER_ID_MOLTENVK);
  const PyramidOptions options{.size = {300, 200}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat};
  auto pyramid = vulkan::Pyramid::create(device, options);
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  EXPECT_EQ(pyramid->dispatch_plan().path, PyramidPath::kPerLevel);
  pyramid = vulkan::Pyramid::create(device, options, {.path = PyramidPath::kSingleDispatch});
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  EXPECT_EQ(pyramid->dispatch_plan().path, PyramidPath::kSingleDispatch);
  const MeterOptions metered{.size = {64, 64}, .source = Format::kRGBA16Sfloat};
  auto meter = vulkan::Meter::create(device, metered);
  ASSERT_TRUE(meter) << meter.error().text();
  EXPECT_EQ(meter->dispatch_plan().dispatches, 2U);
  meter = vulkan::Meter::create(device, metered, {.divergent_barriers = Switch::kOn});
  ASSERT_TRUE(meter) << meter.error().text();
  EXPECT_EQ(meter->dispatch_plan().dispatches, 1U);
  meter = vulkan::Meter::create(test_device(), metered, {.divergent_barriers = Switch::kOff});
  ASSERT_TRUE(meter) << meter.error().text();
  EXPECT_EQ(meter->dispatch_plan().dispatches, 2U);
  EXPECT_NE(vulkan::Meter::create(device, metered, {.divergent_barriers = static_cast<Switch>(3)})
                .error()
                .message.find("tuning.divergent_barriers"),
            std::string::npos);
}

TEST_F(VulkanDrivers, FramesAndLocalExposureRefuseByName) {
  const Device device = device_of(VK_DRIVER_ID_MOLTENVK);
  FrameToneMapOptions options;
  options.meter = {.size = {64, 64}, .source = Format::kRGBA16Sfloat};
  options.tone = {.size = {64, 64}, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Unorm};
  auto frames = vulkan::FrameToneMap::create(device, options);
  ASSERT_FALSE(frames);
  EXPECT_EQ(frames.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(frames.error().message.find("tuning.divergent_barriers"), std::string::npos);
  frames = vulkan::FrameToneMap::create(device, options, {.divergent_barriers = Switch::kOn});
  EXPECT_TRUE(frames) << frames.error().text();
  ToneMapOptions tone = options.tone;
  EXPECT_TRUE(vulkan::ToneMap::create(device, tone));
  tone.local.highlights = 0.5F;
  auto map = vulkan::ToneMap::create(device, tone);
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(map.error().message.find("tuning.divergent_barriers"), std::string::npos);
  map = vulkan::ToneMap::create(device, tone, {.divergent_barriers = Switch::kOn});
  EXPECT_TRUE(map) << map.error().text();
}

// Whatever the caller asks for: these kernels would end the process. The reports of devices name what was taken.
TEST_F(VulkanDrivers, TransformsArePingPongWhereWholeLinesDoNotCompile) {
  const TransformOptions options{.size = {16, 12}, .source = Format::kRGBA32Sfloat};
  const auto expect = [&](const Device& device, FourierTechnique asked, FourierTechnique taken) {
    auto transform = vulkan::Transform::create(device, options, {}, {.technique = asked});
    ASSERT_TRUE(transform) << transform.error().text();
    for (const auto* stages : {&transform->dispatch_plan().forward, &transform->dispatch_plan().inverse}) {
      for (const TransformStagePlan& stage : *stages) EXPECT_EQ(stage.technique, taken);
    }
  };
  const Device swiftshader = device_of(VK_DRIVER_ID_GOOGLE_SWIFTSHADER);
  for (const auto asked : {FourierTechnique::kAuto, FourierTechnique::kSharedMemory, FourierTechnique::kFourStep}) {
    expect(swiftshader, asked, FourierTechnique::kPingPong);
  }
  auto filter = vulkan::Filter::create(swiftshader, {.size = {16, 12}, .source = Format::kR32Sfloat});
  ASSERT_TRUE(filter) << filter.error().text();
  const auto names = vulkan::kernel_names(swiftshader);
  EXPECT_GE(names.size(), 4U);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) EXPECT_TRUE(name.starts_with("fourier_ping_pong_")) << name;
  filter = Error{};
  EXPECT_GT(swiftshader.trim(), 0U);
  EXPECT_TRUE(vulkan::kernel_names(swiftshader).empty());

  const Device other = device_of(VK_DRIVER_ID_MESA_RADV);
  expect(other, FourierTechnique::kAuto, FourierTechnique::kSharedMemory);
  // Rows in each direction, and columns in both, which have one signal per value in small images.
  EXPECT_EQ(vulkan::kernel_names(other),
            (std::vector<std::string>{"fourier_columns_1", "fourier_rows_forward_2", "fourier_rows_inverse_2"}));
}

}  // namespace
}  // namespace onepass::testing
