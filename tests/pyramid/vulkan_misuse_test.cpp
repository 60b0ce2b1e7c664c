// vulkan_misuse_test.cpp: mistakes of the caller of a pyramid: scratch memory that was not reset, that two bindings
// share, or that overlapping recordings use. Dispatches must end, and write nothing outside of the scratch memory;
// after record_reset() a build must be right. Validation is off: it reports the missing barriers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "tests/vulkan/vulkan_testing.hpp"
#include "vulkan/barrier.hpp"

namespace onepass::testing {
namespace {

using vulkan::PyramidTuning;
using vulkan::Scratch;
using vulkan::Switch;

constexpr uint64_t kScratchBytes = 4 << 20;     // more than any of these pyramids needs
constexpr uint64_t kWatchdog = 60'000'000'000;  // ns

GpuPyramid::Setup setup_of(Extent size, Format format, Reduction reduction, Footprint footprint,
                           PyramidTuning tuning = {}) {
  tuning.path = PyramidPath::kSingleDispatch;
  tuning.second_dispatch = Switch::kOff;  // all stages exchange texels
  return {.options = {.size = size, .source = format, .target = format, .reduction = reduction, .footprint = footprint},
          .tuning = tuning,
          .test = {.delay = 3000, .max_polls = 1000}};
}

// All protocols of the exchange: self-validating words with two and three stages, fenced counters, atomic accumulators.
std::vector<GpuPyramid::Setup> setups() {
  const Format r32f = Format::kR32Sfloat;
  return {setup_of({512, 512}, r32f, Reduction::kMax, Footprint::kCovering, {.last_to_start = Switch::kOn}),
          setup_of({512, 512}, r32f, Reduction::kMax, Footprint::kCovering, {.last_to_start = Switch::kOff}),
          setup_of({8256, 256}, r32f, Reduction::kMin, Footprint::kAligned),
          setup_of({330, 300}, Format::kRGBA8Unorm, Reduction::kMean, Footprint::kAligned),
          setup_of({512, 512}, r32f, Reduction::kMax, Footprint::kCovering, {.subgroup = Switch::kOff}),
          setup_of({299, 201}, r32f, Reduction::kMax, Footprint::kCovering),
          setup_of({299, 201}, r32f, Reduction::kMax, Footprint::kTight)};
}

// Records, submits and waits. A device that hangs ends the process: every later call would wait for it, too.
void finish_in_time(const std::function<void(VkCommandBuffer)>& record) {
  const vulkan::Device::Impl& device = test_device().impl();
  const vulkan::DeviceFunctions& vk = device.functions;
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = device.owned->pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  ASSERT_EQ(vk.vkAllocateCommandBuffers(device.owned->device, &allocate, &commands), VK_SUCCESS);
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  ASSERT_EQ(vk.vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);
  record(commands);
  vulkan::record_barrier(device, commands, vulkan::kFullBarrier);
  ASSERT_EQ(vk.vkEndCommandBuffer(commands), VK_SUCCESS);
  const VkFenceCreateInfo fence_info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vk.vkCreateFence(device.owned->device, &fence_info, nullptr, &fence), VK_SUCCESS);
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  ASSERT_EQ(vk.vkQueueSubmit(device.owned->queue, 1, &submit, fence), VK_SUCCESS);
  const VkResult waited = vk.vkWaitForFences(device.owned->device, 1, &fence, VK_TRUE, kWatchdog);
  if (waited == VK_TIMEOUT) {
    std::printf("the dispatch does not end\n");
    std::fflush(stdout);
    std::_Exit(1);
  }
  EXPECT_EQ(waited, VK_SUCCESS);
  vk.vkDestroyFence(device.owned->device, fence, nullptr);
  vk.vkFreeCommandBuffers(device.owned->device, device.owned->pool, 1, &commands);
}

// Scratch memory that the test can write.
vulkan::Buffer host_scratch() {
  auto buffer = vulkan::Buffer::create(test_device().impl(), kScratchBytes,
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  EXPECT_TRUE(buffer) << buffer.error().text();
  return buffer ? std::move(*buffer) : vulkan::Buffer{};
}

// Fills the words that the pyramid owns with values below `end` (0: any), and the bytes behind them with poison.
void fill_scratch(const vulkan::Buffer& scratch, uint64_t owned, uint32_t end, Random& random) {
  std::memset(scratch.mapped, static_cast<int>(PaddedImage::kPoison), kScratchBytes);
  auto* words = static_cast<uint32_t*>(scratch.mapped);
  std::generate_n(words, owned / 4, [&] { return end == 0 ? random.word() : random.below(end); });
}

bool poison_is_there(const vulkan::Buffer& scratch, uint64_t owned) {
  const auto* bytes = static_cast<const std::byte*>(scratch.mapped);
  return std::all_of(bytes + owned, bytes + kScratchBytes, [](std::byte b) { return b == PaddedImage::kPoison; });
}

// With few polls a correct build might reach the limit, too: it gets a pyramid of its own on the same memory.
void expect_right_after_reset(GpuPyramid::Setup setup, VkBuffer scratch, const ImageView& source) {
  setup.test = {};
  setup.scratch = scratch;
  auto gpu = GpuPyramid::create(setup);
  ASSERT_TRUE(gpu) << gpu.error().text();
  gpu->upload(source);
  gpu->reset();
  gpu->build();
  Levels levels(setup.options);
  gpu->download(levels);
  EXPECT_TRUE(matches(oracle_pyramid(setup.options, source), levels.views, gpu_tolerance(setup.options, setup.tuning)))
      << describe(setup);
}

TEST(VulkanMisuse, ScratchMemoryWithoutReset) {
  Random random(41);
  const vulkan::Buffer scratch = host_scratch();
  for (GpuPyramid::Setup setup : setups()) {
    setup.scratch = scratch.buffer;
    auto gpu = GpuPyramid::create(setup);
    ASSERT_TRUE(gpu) << gpu.error().text();
    const uint64_t owned = gpu->dispatch_plan().scratch_bytes;
    ASSERT_LE(owned, kScratchBytes);
    PaddedImage source(setup.options.source, setup.options.size);
    fill_random(source.view(), random);
    gpu->upload(source.view());
    // Small words complete counters before the texels are published.
    for (const uint32_t end : {0U, 0U, 2U, 16U, 16U, 64U, 64U, 64U}) {
      fill_scratch(scratch, owned, end, random);
      finish_in_time([&](VkCommandBuffer commands) { gpu->record(commands); });
      finish_in_time([&](VkCommandBuffer commands) {
        gpu->record_update(commands, {100, 100, 50, 20}, Scratch::kFromLastBuild);
      });
      ASSERT_TRUE(poison_is_there(scratch, owned)) << describe(setup) << " words below " << end;
    }
    expect_right_after_reset(setup, scratch.buffer, source.view());
  }
}

TEST(VulkanMisuse, TwoBindingsOnTheSameScratchMemory) {
  Random random(42);
  const vulkan::Buffer scratch = host_scratch();
  const std::vector<GpuPyramid::Setup> all = setups();
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    std::memset(scratch.mapped, 0, kScratchBytes);
    GpuPyramid::Setup setups[] = {all[i], all[i + 1]};
    std::vector<GpuPyramid> gpus;
    std::vector<PaddedImage> sources;
    for (GpuPyramid::Setup& setup : setups) {
      setup.scratch = scratch.buffer;
      auto gpu = GpuPyramid::create(setup);
      ASSERT_TRUE(gpu) << gpu.error().text();
      sources.emplace_back(setup.options.source, setup.options.size);
      fill_random(sources.back().view(), random);
      gpu->upload(sources.back().view());
      gpus.push_back(std::move(*gpu));
    }
    finish_in_time([&](VkCommandBuffer commands) {
      for (int times = 0; times < 4; ++times) {
        for (GpuPyramid& gpu : gpus) gpu.record(commands);
      }
    });
    for (size_t k = 0; k < 2; ++k)
      expect_right_after_reset(setups[k], scratch.buffer, std::as_const(sources[k]).view());
  }
}

TEST(VulkanMisuse, OverlappingRecordingsOfOneBinding) {
  Random random(43);
  const vulkan::Buffer scratch = host_scratch();
  for (GpuPyramid::Setup setup : setups()) {
    std::memset(scratch.mapped, 0, kScratchBytes);
    setup.scratch = scratch.buffer;
    auto gpu = GpuPyramid::create(setup);
    ASSERT_TRUE(gpu) << gpu.error().text();
    PaddedImage source(setup.options.source, setup.options.size);
    fill_random(source.view(), random);
    gpu->upload(source.view());
    finish_in_time([&](VkCommandBuffer commands) {
      for (int times = 0; times < 8; ++times) gpu->record(commands);
    });
    expect_right_after_reset(setup, scratch.buffer, source.view());
  }
}

// A limit that correct waits reach: levels may be wrong, but scratch memory is as after a correct dispatch.
TEST(VulkanMisuse, LimitOfPolls) {
  Random random(44);
  const vulkan::Buffer scratch = host_scratch();
  std::memset(scratch.mapped, 0, kScratchBytes);
  GpuPyramid::Setup setup = setups().front();
  setup.scratch = scratch.buffer;
  setup.test = {.delay = 10000, .max_polls = 1};
  auto gpu = GpuPyramid::create(setup);
  ASSERT_TRUE(gpu) << gpu.error().text();
  PaddedImage source(setup.options.source, setup.options.size);
  fill_random(source.view(), random);
  gpu->upload(source.view());
  for (int times = 0; times < 3; ++times) {
    finish_in_time([&](VkCommandBuffer commands) { gpu->record(commands); });
  }
  setup.test = {};
  auto right = GpuPyramid::create(setup);
  ASSERT_TRUE(right) << right.error().text();
  right->upload(source.view());
  right->build();
  Levels levels(setup.options);
  right->download(levels);
  EXPECT_TRUE(matches(oracle_pyramid(setup.options, source.view()), levels.views, Tolerance::exact()));
}

}  // namespace
}  // namespace onepass::testing
