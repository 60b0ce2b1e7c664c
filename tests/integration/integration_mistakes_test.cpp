// integration_mistakes_test.cpp: wrong use of the library in programs with their own device, in C++ and C: an error of
// the library or a message of the validation layer.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "onepass/vulkan/pyramid.hpp"
#include "tests/c_api/c_api_testing.hpp"
#include "tests/integration/integration_testing.hpp"
#include "tests/vulkan/replaced_vulkan.hpp"

namespace onepass::testing {
namespace {

using IntegrationMistakes = IntegrationFixture;

// As docs/integration.md lists them.
TEST_F(IntegrationMistakes, AreSaidByTheLibraryOrByValidation) {
  if (const char* off = std::getenv("ONEPASS_TEST_VALIDATION"); off != nullptr && std::string(off) == "0")
    GTEST_SKIP() << "no validation";
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  const PyramidOptions options{
      .size = kRigSize, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA16Sfloat, .reduction = Reduction::kMax};
  auto pyramid = vulkan::Pyramid::create(*device_, options);
  ASSERT_TRUE(pyramid);
  const auto scratch = rig_->take_scratch(pyramid->dispatch_plan().scratch_bytes);
  const vulkan::PyramidImages good{.source = rig_->source.image,
                                   .target = rig_->levels.image,
                                   .target_level = 0,
                                   .scratch = scratch.buffer,
                                   .scratch_offset = scratch.offset};
  auto binding = pyramid->bind(good);
  ASSERT_TRUE(binding);
  // No barrier after the reset.
  {
    const OwnDevice::Commands commands(*own_);
    commands.begin();
    pyramid->record_reset(commands.buffer, *binding);
    ASSERT_EQ(own_->validation_messages(), 0);
    pyramid->record(commands.buffer, *binding);
    EXPECT_NE(own_->take_messages().find("SYNC-HAZARD-WRITE-AFTER-WRITE"), std::string::npos);
    commands.end();
  }
  // Images without the required usage.
  vulkan::PyramidImages swapped = good;
  swapped.target_level = 1;
  auto sampled = vulkan::DeviceImage::create(
      device_->impl(),
      {.format = Format::kRGBA16Sfloat, .size = kRigSize, .levels = 8, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  ASSERT_TRUE(sampled);
  swapped.target = sampled->image;
  { auto bound = pyramid->bind(swapped); }
  const std::string usage = own_->take_messages();
  EXPECT_NE(usage.find("VUID-VkImageViewCreateInfo-pNext-02662"), std::string::npos) << usage;
  swapped = good;
  swapped.source_level = 0;
  swapped.source = rig_->levels.image;
  swapped.target = rig_->levels.image;
  auto overwriting = pyramid->bind(swapped);
  ASSERT_FALSE(overwriting);
  EXPECT_EQ(overwriting.error().message,
            "target_level: 0 and up would overwrite the source, level 0 of the same image");
  PyramidOptions depth = options;
  depth.target = Format::kD32Sfloat;
  EXPECT_EQ(vulkan::Pyramid::create(*device_, depth).error().message,
            "target: depth format d32_sfloat can only be a source");
  auto handles = own_->handles();
  handles.queue_family = 12345;
  EXPECT_NE(vulkan::Device::adopt(handles).error().message.find("queue_family: 12345 is none of"), std::string::npos);
  handles = own_->handles();
  handles.features = {};
  EXPECT_EQ(vulkan::Device::adopt(handles).error().message, "feature shaderStorageImageWriteWithoutFormat is missing");
}

using InstanceVersion = ReplacedVulkan;

TEST_F(InstanceVersion, BelowVulkan12IsRefused) {
  for (const uint32_t version : {VK_API_VERSION_1_0, VK_API_VERSION_1_1}) {
    vulkan::DeviceHandles handles = own->handles();
    handles.api_version = version;
    const auto stated = vulkan::Device::adopt(handles);
    ASSERT_FALSE(stated);
    EXPECT_EQ(stated.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(stated.error().message, "api_version: the instance is of Vulkan 1." +
                                          std::to_string(VK_API_VERSION_MINOR(version)) +
                                          ".0, 1.2 is needed (VkApplicationInfo::apiVersion)");
    onepass_vulkan_device_handles in_c = c_handles(*own);
    in_c.api_version = version;
    onepass_vulkan_device* device = nullptr;
    onepass_error error{};
    EXPECT_EQ(onepass_vulkan_device_adopt(&in_c, &device, &error), ONEPASS_UNSUPPORTED);
    EXPECT_NE(std::strstr(error.message, "api_version: the instance is of Vulkan 1."), nullptr) << error.message;
  }
  for (const uint32_t version : {0U, VK_API_VERSION_1_2, VK_API_VERSION_1_3}) {
    vulkan::DeviceHandles handles = own->handles();
    handles.api_version = version;
    EXPECT_TRUE(vulkan::Device::adopt(handles)) << version;
  }
  // A driver that leaves out the functions of 1.2, whatever is stated.
  replaced_functions()["vkResetQueryPool"] = nullptr;
  for (const uint32_t version : {0U, VK_API_VERSION_1_3}) {
    vulkan::DeviceHandles handles = replaced_handles();
    handles.api_version = version;
    const auto found = vulkan::Device::adopt(handles);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(found.error().message.find("below 1.2"), std::string::npos) << found.error().text();
  }
}

// A program that has asked for Vulkan 1.1, without layers, and does not say so.
TEST_F(InstanceVersion, IsFoundOnDriversThatObeyIt) {
  const auto get = system_loader();
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
  ASSERT_EQ(create(&info, nullptr, &instance), VK_SUCCESS);
  const auto vki = vulkan::load_instance(get, instance);
  ASSERT_TRUE(vki);
  uint32_t count = 8;
  VkPhysicalDevice physical[8] = {};
  vki->vkEnumeratePhysicalDevices(instance, &count, physical);
  ASSERT_GT(count, 0U);
  VkPhysicalDeviceFeatures features{};
  features.shaderStorageImageWriteWithoutFormat = VK_TRUE;
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
  VkDeviceCreateInfo device_info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue;
  device_info.pEnabledFeatures = &features;
  VkDevice device = VK_NULL_HANDLE;
  ASSERT_EQ(vki->vkCreateDevice(physical[0], &device_info, nullptr, &device), VK_SUCCESS);
  const bool obeys = vki->vkGetDeviceProcAddr(device, "vkResetQueryPool") == nullptr;
  {
    const auto adopted = vulkan::Device::adopt({.instance = instance,
                                                .physical_device = physical[0],
                                                .device = device,
                                                .features = {.storage_image_write_without_format = true}});
    EXPECT_NE(adopted.ok(), obeys);
    if (!adopted) {
      EXPECT_NE(adopted.error().message.find("below 1.2"), std::string::npos) << adopted.error().text();
    }
  }
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
  vki->vkGetPhysicalDeviceProperties2(physical[0], &properties);
  if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE) {
    EXPECT_TRUE(obeys);
  }
  reinterpret_cast<PFN_vkDestroyDevice>(vki->vkGetDeviceProcAddr(device, "vkDestroyDevice"))(device, nullptr);
  vki->vkDestroyInstance(instance, nullptr);
}

TEST_F(IntegrationMistakes, OfTheCApiAreErrors) {
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  onepass_error error{};
  const auto expect = [&](onepass_code code, onepass_code expected, const char* words) {
    EXPECT_EQ(code, expected) << words;
    EXPECT_NE(std::strstr(error.message, words), nullptr) << "'" << error.message << "' lacks '" << words << "'";
  };
  onepass_vulkan_device_handles handles = c_handles(*own_);
  onepass_vulkan_device* device = nullptr;
  expect(onepass_vulkan_device_adopt(nullptr, &device, &error), ONEPASS_INVALID_ARGUMENT, "handles: null");
  handles.shader_storage_image_write_without_format = VK_FALSE;
  expect(onepass_vulkan_device_adopt(&handles, &device, &error), ONEPASS_UNSUPPORTED,
         "shaderStorageImageWriteWithoutFormat");
  handles = c_handles(*own_);
  handles.device = VK_NULL_HANDLE;
  expect(onepass_vulkan_device_adopt(&handles, &device, &error), ONEPASS_INVALID_ARGUMENT, "must not be null");
  handles = c_handles(*own_);
  handles.struct_size = 12;
  expect(onepass_vulkan_device_adopt(&handles, &device, &error), ONEPASS_INVALID_ARGUMENT, "struct_size");
  handles = c_handles(*own_);
  ASSERT_EQ(onepass_vulkan_device_adopt(&handles, &device, &error), ONEPASS_OK) << error.message;
  EXPECT_EQ(onepass_vulkan_device_can_read(device, ONEPASS_FORMAT_R16G16B16A16_SFLOAT), 1);
  EXPECT_EQ(onepass_vulkan_device_can_write(device, ONEPASS_FORMAT_D32_SFLOAT), 0);
  EXPECT_EQ(onepass_vulkan_device_can_write(nullptr, ONEPASS_FORMAT_R8_UNORM), 0);

  onepass_pyramid_options options;
  onepass_pyramid_options_init(&options, sizeof options);
  options.size = {kRigSize.width, kRigSize.height};
  options.source = options.target = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
  onepass_vulkan_pyramid* pyramid = nullptr;
  expect(onepass_vulkan_pyramid_create(nullptr, &options, nullptr, &pyramid, &error), ONEPASS_INVALID_ARGUMENT,
         "device: null");
  onepass_vulkan_pyramid_tuning tuning{};
  expect(onepass_vulkan_pyramid_create(device, &options, &tuning, &pyramid, &error), ONEPASS_INVALID_ARGUMENT,
         "tuning.struct_size: 0");
  for (const size_t place :
       {offsetof(onepass_vulkan_pyramid_tuning, path), offsetof(onepass_vulkan_pyramid_tuning, subgroup),
        offsetof(onepass_vulkan_pyramid_tuning, sampling),

        offsetof(onepass_vulkan_pyramid_tuning, last_to_start), offsetof(onepass_vulkan_pyramid_tuning, publish),
        offsetof(onepass_vulkan_pyramid_tuning, source_usage),
        offsetof(onepass_vulkan_pyramid_tuning, second_dispatch)}) {
    onepass_vulkan_pyramid_tuning_init(&tuning, sizeof tuning);
    const uint32_t none = 1079;
    std::memcpy(reinterpret_cast<unsigned char*>(&tuning) + place, &none, sizeof none);
    EXPECT_EQ(onepass_vulkan_pyramid_create(device, &options, &tuning, &pyramid, &error), ONEPASS_INVALID_ARGUMENT)
        << "byte " << place << " " << error.message;
  }
  onepass_vulkan_pyramid_tuning_init(&tuning, sizeof tuning);
  tuning.second_dispatch = ONEPASS_SWITCH_OFF;
  ASSERT_EQ(onepass_vulkan_pyramid_create(device, &options, &tuning, &pyramid, &error), ONEPASS_OK) << error.message;
  tuning.second_dispatch = ONEPASS_SWITCH_ON;
  onepass_vulkan_pyramid* other = nullptr;
  ASSERT_EQ(onepass_vulkan_pyramid_create(device, &options, &tuning, &other, &error), ONEPASS_OK) << error.message;
  onepass_vulkan_pyramid_plan plan{};
  expect(onepass_vulkan_pyramid_get_plan(pyramid, &plan, &error), ONEPASS_INVALID_ARGUMENT, "plan.struct_size: 0");
  plan.struct_size = sizeof plan;
  ASSERT_EQ(onepass_vulkan_pyramid_get_plan(other, &plan, &error), ONEPASS_OK);
  EXPECT_EQ(plan.dispatches, 2U);
  ASSERT_EQ(onepass_vulkan_pyramid_get_plan(pyramid, &plan, &error), ONEPASS_OK);
  EXPECT_EQ(plan.levels, 8U);
  EXPECT_EQ(plan.dispatches, 1U);

  onepass_vulkan_pyramid_images images;
  onepass_vulkan_pyramid_images_init(&images, sizeof images);
  onepass_vulkan_pyramid_binding* binding = nullptr;
  expect(onepass_vulkan_pyramid_bind(pyramid, &images, &binding, &error), ONEPASS_INVALID_ARGUMENT,
         "source: null image");
  expect(onepass_vulkan_pyramid_bind(nullptr, &images, &binding, &error), ONEPASS_INVALID_ARGUMENT, "pyramid: null");
  images.source = rig_->source.image;
  images.target = rig_->levels.image;
  images.target_level = 0;
  images.scratch = rig_->scratch;
  images.scratch_offset = 16;
  expect(onepass_vulkan_pyramid_bind(pyramid, &images, &binding, &error), ONEPASS_INVALID_ARGUMENT,
         "scratch_offset: 16 is not a multiple of 256");
  images.scratch_offset = rig_->take_scratch(plan.scratch_bytes).offset;
  ASSERT_EQ(onepass_vulkan_pyramid_bind(pyramid, &images, &binding, &error), ONEPASS_OK) << error.message;

  const OwnDevice::Commands commands(*own_);
  commands.begin();
  EXPECT_EQ(onepass_vulkan_pyramid_record(other, commands.buffer, binding), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_pyramid_record(nullptr, commands.buffer, binding), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_pyramid_record(pyramid, VK_NULL_HANDLE, binding), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_pyramid_record(pyramid, commands.buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_pyramid_record_update(pyramid, commands.buffer, binding, {0, 0, 1, 1}, 5),
            ONEPASS_INVALID_ARGUMENT);
  EXPECT_EQ(onepass_vulkan_pyramid_record_reset(pyramid, commands.buffer, binding), ONEPASS_OK);
  full_barrier(*own_, commands.buffer);
  EXPECT_EQ(
      onepass_vulkan_pyramid_record_update(pyramid, commands.buffer, binding, {3, 3, 9, 9}, ONEPASS_SCRATCH_UNKNOWN),
      ONEPASS_OK);
  commands.end();
  own_->submit_and_wait(commands.buffer);

  // One direction only.
  onepass_transform_options t;
  onepass_transform_options_init(&t, sizeof t);
  t.size = {64, 64};
  t.source = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;
  onepass_vulkan_transform_sides sides;
  onepass_vulkan_transform_sides_init(&sides, sizeof sides);
  sides.source = 9;
  onepass_vulkan_transform* transform = nullptr;
  expect(onepass_vulkan_transform_create(device, &t, &sides, nullptr, &transform, &error), ONEPASS_INVALID_ARGUMENT,
         "sides.source");
  onepass_vulkan_transform_sides_init(&sides, sizeof sides);
  sides.inverse = 0;
  ASSERT_EQ(onepass_vulkan_transform_create(device, &t, &sides, nullptr, &transform, &error), ONEPASS_OK);
  EXPECT_EQ(onepass_vulkan_transform_record_inverse(transform, commands.buffer, nullptr), ONEPASS_INVALID_ARGUMENT);
  onepass_vulkan_transform_destroy(transform);
  onepass_vulkan_pyramid_binding_destroy(binding);
  onepass_vulkan_pyramid_destroy(other);
  onepass_vulkan_pyramid_destroy(pyramid);
  onepass_vulkan_device_destroy(device);
}

}  // namespace
}  // namespace onepass::testing
