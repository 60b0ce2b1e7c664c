// vulkan_shared_objects_test.cpp: objects that the users of one device share, and their removal by Device::trim().
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/vulkan/replaced_vulkan.hpp"
#include "vulkan/shared_objects.hpp"

namespace onepass::testing {
namespace {

using vulkan::Switch;

using Made = Result<std::shared_ptr<int>>;

// Long enough for everything that does not wait; a test that waits for nothing fails instead of hanging.
constexpr std::chrono::seconds kPatience{60};

TEST(SharedObjects, CreationOfOneDoesNotDelayOthers) {
  vulkan::SharedObjects objects;
  ASSERT_TRUE(objects.get<int>("made", [] { return Made(std::make_shared<int>(1)); }));
  std::promise<void> begun, released;
  std::future<void> release = released.get_future();
  std::thread slow([&] {
    const auto object = objects.get<int>("slow", [&] {
      begun.set_value();
      release.wait_for(kPatience);
      return Made(std::make_shared<int>(2));
    });
    EXPECT_TRUE(object && **object == 2);
  });
  begun.get_future().wait();
  const auto start = std::chrono::steady_clock::now();
  const auto hit = objects.get<int>("made", [] { return Made(std::make_shared<int>(3)); });
  EXPECT_TRUE(hit && **hit == 1);
  const auto other = objects.get<int>("other", [] { return Made(std::make_shared<int>(4)); });
  EXPECT_TRUE(other && **other == 4);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);
  released.set_value();
  slow.join();
}

TEST(SharedObjects, ThreadsThatAskForOneShareItsCreation) {
  vulkan::SharedObjects objects;
  std::atomic<int> created{0};
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<const int>> results(4);
  for (auto& result : results) {
    threads.emplace_back([&] {
      const auto object = objects.get<int>("key", [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return Made(std::make_shared<int>(++created));
      });
      if (object) result = *object;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(created, 1);
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(SharedObjects, FailuresAreNotStored) {
  vulkan::SharedObjects objects;
  const auto failed = objects.get<int>("key", [] { return Made(Error{ErrorCode::kOutOfMemory, "none left", {}}); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "none left");
  const auto object = objects.get<int>("key", [] { return Made(std::make_shared<int>(5)); });
  ASSERT_TRUE(object);
  EXPECT_EQ(**object, 5);
}

TEST(SharedObjects, TrimDestroysWhatNobodyUses) {
  vulkan::SharedObjects objects;
  const auto make = [] { return Made(std::make_shared<int>(6)); };
  const auto used = objects.get<int>("used", make);
  ASSERT_TRUE(used && objects.get<int>("unused", make));
  EXPECT_EQ(objects.trim(), 1U);
  EXPECT_EQ(objects.trim(), 0U);
  const auto again = objects.get<int>("used", make);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *used);
}

// The first pipeline that is compiled waits for `released`.
class SlowCompiler : public ReplacedVulkan {
 protected:
  static inline std::atomic<int> compiled{0};
  static inline std::promise<void>* begun = nullptr;
  static inline std::future<void>* released = nullptr;

  static VkResult create(VkDevice device, VkPipelineCache cache, uint32_t count,
                         const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* callbacks,
                         VkPipeline* pipelines) {
    if (compiled++ == 0) {
      begun->set_value();
      released->wait_for(kPatience);
    }
    return own->vk.vkCreateComputePipelines(device, cache, count, infos, callbacks, pipelines);
  }
};

TEST_F(SlowCompiler, DelaysNoOtherKernel) {
  std::promise<void> begins, releases;
  std::future<void> release = releases.get_future();
  begun = &begins;
  released = &release;
  compiled = 0;
  replace_function("vkCreateComputePipelines", &create);
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto tiles = [&](uint32_t factor) {
    return vulkan::TileReduction::create(
        *device, {.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .factor = factor});
  };
  std::thread slow([&] { EXPECT_TRUE(tiles(4)); });
  begins.get_future().wait();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(tiles(8));
  EXPECT_TRUE(tiles(8));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);
  releases.set_value();
  slow.join();
  EXPECT_EQ(compiled, 2);
}

// Counts pipelines that are made.
class Pipelines : public ReplacedVulkan {
 protected:
  static inline int made = 0;

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(ReplacedVulkan::SetUp());
    made = 0;
    replace_function(
        "vkCreateComputePipelines",
        +[](VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo* infos,
            const VkAllocationCallbacks* callbacks, VkPipeline* out) {
          made += static_cast<int>(count);
          return own->vk.vkCreateComputePipelines(device, cache, count, infos, callbacks, out);
        });
  }
};

TEST_F(Pipelines, OfTechniquesAreSharedBySizes) {
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  const auto create = [&](Extent size) {
    constexpr Format kColours = Format::kRGBA16Sfloat;
    EXPECT_TRUE(vulkan::Meter::create(*device, {.size = size, .source = kColours}));
    EXPECT_TRUE(vulkan::ToneMap::create(*device, {.size = size, .source = kColours, .target = Format::kRGBA8Unorm}));
    EXPECT_TRUE(vulkan::Pyramid::create(
        *device,
        {.size = size, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .footprint = Footprint::kAligned}));
  };
  create({1920, 1080});
  const int first = made;
  EXPECT_GE(first, 3);
  create({1600, 900});
  create({1920, 1080});
  EXPECT_EQ(made, first);
}

// Sizes of windows, of which a third has only even levels at first, and a small one.
TEST_F(Pipelines, OfPyramidsAreThreeForAllSizes) {
  struct Case {
    Format format;
    Reduction reduction;
    Footprint footprint;
    Switch subgroup;
    int expected;
  };
  // Covering: a 2:1 stage 0, one of sliding windows, the second dispatch; with small subgroups the last of its stages
  // may be general. Aligned: one stage, two of the same kind, two of both kinds. Without subgroups all stages are
  // general, in one dispatch, or on software devices in two, unless there is one stage.
  const auto any = adopt();
  ASSERT_TRUE(any) << any.error().text();
  const vulkan::DeviceInfo& info = any->info();
  const int second = info.subgroup_size < 32 ? 2 : 1;
  for (const Case& c :
       {Case{Format::kR32Sfloat, Reduction::kMin, Footprint::kCovering, Switch::kOn, 2 + second},
        Case{Format::kRGBA8Unorm, Reduction::kMean, Footprint::kAligned, Switch::kOn, 3},
        Case{Format::kR32Sfloat, Reduction::kMax, Footprint::kEdge, Switch::kOff, info.software ? 3 : 1}}) {
    const auto device = adopt();
    ASSERT_TRUE(device) << device.error().text();
    made = 0;
    Random random(7);
    for (int i = 0; i < 200; ++i) {
      const uint32_t unit = i % 3 == 0 ? 8 : 1;
      Extent size{(320 + random.below(3777)) / unit * unit, (200 + random.below(2000)) / unit * unit};
      if (i == 1) size = {65, 65};
      const PyramidOptions options{
          .size = size, .source = c.format, .target = c.format, .reduction = c.reduction, .footprint = c.footprint};
      const auto pyramid = vulkan::Pyramid::create(*device, options, {.subgroup = c.subgroup});
      ASSERT_TRUE(pyramid) << pyramid.error().text();
    }
    EXPECT_EQ(made, c.expected) << static_cast<int>(c.footprint);
  }
}

using Trim = ReplacedVulkan;

TEST_F(Trim, DestroysPipelinesWithoutUsers) {
  static int pipelines = 0;
  pipelines = 0;
  replace_function(
      "vkCreateComputePipelines",
      +[](VkDevice device, VkPipelineCache cache, uint32_t count, const VkComputePipelineCreateInfo* infos,
          const VkAllocationCallbacks* callbacks, VkPipeline* out) {
        ++pipelines;
        return own->vk.vkCreateComputePipelines(device, cache, count, infos, callbacks, out);
      });
  replace_function(
      "vkDestroyPipeline", +[](VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* callbacks) {
        pipelines -= pipeline == VK_NULL_HANDLE ? 0 : 1;
        own->vk.vkDestroyPipeline(device, pipeline, callbacks);
      });
  const auto device = adopt();
  ASSERT_TRUE(device) << device.error().text();
  {
    const TransformOptions options{.size = {64, 64}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat};
    const auto transform = vulkan::Transform::create(*device, options, {});
    ASSERT_TRUE(transform) << transform.error().text();
    EXPECT_GT(pipelines, 0);
    EXPECT_EQ(device->trim(), 0U);
  }
  EXPECT_GT(pipelines, 0);
  EXPECT_GT(device->trim(), 1U);  // pipelines and a table
  EXPECT_EQ(pipelines, 0);
  EXPECT_EQ(device->trim(), 0U);
}

}  // namespace
}  // namespace onepass::testing
