// integration_test.cpp: the library in programs of many kinds: own loader, volk, own memory, several threads, Vulkan
// 1.3 synchronisation, compute-only queues, C. Oracles: the CPU engine, and equal bits of C and C++.
#ifdef ONEPASS_TEST_VOLK
#define VOLK_IMPLEMENTATION
#include <volk.h>  // before any header that declares prototypes
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/integration/integration_testing.hpp"

namespace onepass::testing {
namespace {

// ---- A loader that records calls

/// Device functions that the library calls while `listening`.
struct Spy {
  static inline bool listening = false;
  static inline std::multiset<std::string> calls;
  static inline std::vector<std::string> illegal;  // calls that a compute queue does not allow
};

constexpr VkPipelineStageFlags kComputeStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT |
    VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT | VK_PIPELINE_STAGE_HOST_BIT;

void inspect(const std::string& name, VkCommandBuffer, VkPipelineBindPoint point, VkPipeline) {
  if (point != VK_PIPELINE_BIND_POINT_COMPUTE) Spy::illegal.push_back(name);
}
void inspect(const std::string& name, VkCommandBuffer, VkPipelineBindPoint point, VkPipelineLayout, uint32_t, uint32_t,
             const VkDescriptorSet*, uint32_t, const uint32_t*) {
  if (point != VK_PIPELINE_BIND_POINT_COMPUTE) Spy::illegal.push_back(name);
}
void inspect(const std::string& name, VkCommandBuffer, VkPipelineStageFlags from, VkPipelineStageFlags to,
             VkDependencyFlags, uint32_t, const VkMemoryBarrier*, uint32_t, const VkBufferMemoryBarrier*, uint32_t,
             const VkImageMemoryBarrier*) {
  if (((from | to) & ~kComputeStages) != 0) Spy::illegal.push_back(name);
}
template <typename... Args>
void inspect(const std::string&, Args...) {}

/// Wraps one device function. Index: its position in the library's list.
template <int Index, typename Function>
struct Wrap;
template <int Index, typename Result, typename... Args>
struct Wrap<Index, Result(VKAPI_PTR*)(Args...)> {
  static inline Result(VKAPI_PTR* real)(Args...) = nullptr;
  static inline const char* name = nullptr;
  static VKAPI_ATTR Result VKAPI_CALL call(Args... args) {
    if (Spy::listening) {
      Spy::calls.insert(name);
      inspect(name, args...);
    }
    return real(args...);
  }
};

PFN_vkGetDeviceProcAddr real_device_proc_addr = nullptr;

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL spy_device_proc_addr(VkDevice device, const char* wanted) {
  PFN_vkVoidFunction real = real_device_proc_addr(device, wanted);
  enum { kBase = __COUNTER__ };
#define ONEPASS_SPY(function)                              \
  if (std::strcmp(wanted, #function) == 0) {               \
    using W = Wrap<__COUNTER__ - kBase, PFN_##function>;   \
    W::real = reinterpret_cast<PFN_##function>(real);      \
    W::name = #function;                                   \
    return reinterpret_cast<PFN_vkVoidFunction>(&W::call); \
  }
  ONEPASS_DEVICE_FUNCTIONS(ONEPASS_SPY)
#undef ONEPASS_SPY
  return real;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL spy_instance_proc_addr(VkInstance instance, const char* wanted) {
  PFN_vkVoidFunction real = system_loader()(instance, wanted);
  if (std::strcmp(wanted, "vkGetDeviceProcAddr") != 0) return real;
  real_device_proc_addr = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(&spy_device_proc_addr);
}

// ---- Programs

class Integration : public IntegrationFixture {
 protected:
  std::vector<std::vector<std::byte>> outputs() {
    std::vector<std::vector<std::byte>> all;
    for (uint32_t t = 0; t < kTechniques; ++t) all.push_back(rig_->download(static_cast<Technique>(t)));
    return all;
  }

  /// Checks results without a reference run: exact techniques against the CPU engine, and the transform's round trip.
  void expect_right_results() {
    const PyramidOptions options{.size = kRigSize,
                                 .source = Format::kRGBA16Sfloat,
                                 .target = Format::kRGBA16Sfloat,
                                 .reduction = Reduction::kMax};
    Levels levels(options);
    auto pyramid = cpu::Pyramid::create(options);
    ASSERT_TRUE(pyramid && pyramid->build(rig_->source_pixels.view(), levels.views));
    const auto made = rig_->download(Technique::kPyramid);
    size_t offset = 0;
    for (const PaddedImage& level : levels.images) {
      ASSERT_EQ(std::memcmp(made.data() + offset, level.bytes().data(), level.bytes().size()), 0);
      offset += (level.bytes().size() + 15) / 16 * 16;
    }
    PaddedImage coarse(Format::kRGBA16Sfloat, kRigTiles);
    auto tiles = cpu::TileReduction::create({.size = kRigSize,
                                             .source = Format::kRGBA16Sfloat,
                                             .target = Format::kRGBA16Sfloat,
                                             .reduction = Reduction::kMax,
                                             .factor = 8});
    ASSERT_TRUE(tiles && tiles->reduce(rig_->source_pixels.view(), coarse.view()));
    EXPECT_EQ(std::memcmp(rig_->download(Technique::kTiles).data(), coarse.bytes().data(), coarse.bytes().size()), 0);
    MeterResult metered;
    std::memcpy(&metered, rig_->results.mapped, sizeof metered);
    EXPECT_EQ(metered.valid, 1U);
    EXPECT_EQ(metered.finite_count, kRigSize.width * kRigSize.height);
    // Forward and inverse restore the source within the contract on transforms (5e-7 each way, of values up to 2) and
    // one rounding to half.
    const auto restored = rig_->download(Technique::kInverse);
    const uint32_t count = kRigSize.width * kRigSize.height;
    std::vector<float> values(4 * size_t{count}), wanted(4 * size_t{kRigSize.width});
    decode_row(Format::kRGBA16Sfloat, restored.data(), count, values.data());
    for (uint32_t y = 0; y < kRigSize.height; ++y) {
      decode_row(Format::kRGBA16Sfloat, std::as_const(rig_->source_pixels).view().row(y), kRigSize.width,
                 wanted.data());
      for (size_t i = 0; i < wanted.size(); ++i) {
        ASSERT_NEAR(values[y * wanted.size() + i], wanted[i], std::abs(wanted[i]) * 0x1p-10F + 4e-6F) << y << " " << i;
      }
    }
    auto blocks = BlockImage::create(BlockFormat::kBc6hSfloat, kRigSize);
    ASSERT_TRUE(blocks && cpu::compress(rig_->source_pixels.view(), blocks->view(), {.quality = BlockQuality::kFast}));
    const auto compressed = rig_->download(Technique::kBlocks);
    ASSERT_EQ(compressed.size(), blocks->size_in_bytes());
    if (device_->info().software) {  // see vulkan_block_compressor_test
      EXPECT_EQ(std::memcmp(compressed.data(), blocks->view().data, compressed.size()), 0);
    }
    const auto reflected = rig_->download(Technique::kReflection);
    rig_->hall.expect_mirror(reflected.data(), reflected.data() + rig_->hall.reflected.part_bytes(0, 1));
  }

  /// With the caller's scratch memory, bind() of every technique allocates none.
  void expect_binds_without_memory() {
    Spy::calls.clear();
    Spy::listening = true;
    driver_->bind_again();
    Spy::listening = false;
    EXPECT_EQ(Spy::calls.count("vkAllocateMemory"), 0U);
    EXPECT_EQ(Spy::calls.count("vkCreateBuffer"), 0U);
    EXPECT_EQ(Spy::calls.count("vkCreateImage"), 0U);
    EXPECT_EQ(Spy::calls.count("vkCreateComputePipelines"), 0U);
    EXPECT_GT(Spy::calls.count("vkUpdateDescriptorSets"), kTechniques) << "the spy has seen them";
  }

  /// Creates a driver; returns the number of its device allocations: tables, curves and kernels.
  size_t count_allocations(std::unique_ptr<Driver> (*make)(Rig&), std::unique_ptr<Driver>& driver) {
    Spy::calls.clear();
    Spy::listening = true;
    driver = make(*rig_);
    Spy::listening = false;
    return Spy::calls.count("vkAllocateMemory");
  }
};

TEST_F(Integration, RecordsOnlyWhatAComputeQueueTakesAndAllocatesNothing) {
  ASSERT_NO_FATAL_FAILURE(start(&spy_instance_proc_addr, true));  // a family without graphics, if the device has one
  std::printf("queue family %u, flags 0x%x%s\n", own_->family, own_->family_flags,
              (own_->family_flags & VK_QUEUE_GRAPHICS_BIT) != 0 ? " (no compute-only family here)" : "");
  const size_t allocations = count_allocations(make_cpp_driver, driver_);
  EXPECT_GT(allocations, 0U);
  // Updates too, with their pipeline created in advance. With the caller's scratch memory nothing is allocated.
  Spy::calls.clear();
  Spy::listening = true;
  auto pyramid = vulkan::Pyramid::create(*device_,
                                         {.size = kRigSize,
                                          .source = Format::kRGBA16Sfloat,
                                          .target = Format::kRGBA16Sfloat,
                                          .reduction = Reduction::kMax},
                                         {.prepare_update = true});
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  const auto scratch = rig_->take_scratch(pyramid->dispatch_plan().scratch_bytes);
  auto binding = pyramid->bind({.source = rig_->source.image,
                                .target = rig_->levels.image,
                                .target_level = 0,
                                .scratch = scratch.buffer,
                                .scratch_offset = scratch.offset});
  Spy::listening = false;
  ASSERT_TRUE(binding) << binding.error().text();
  EXPECT_EQ(Spy::calls.count("vkAllocateMemory"), 0U);
  EXPECT_EQ(Spy::calls.count("vkCreateComputePipelines"), 1U) << "the chain is the driver's; its update is not";
  expect_binds_without_memory();
  std::unique_ptr<Driver> c_driver;
  EXPECT_EQ(count_allocations(make_c_driver, c_driver), allocations) << "the C API binds memory of the caller too";
  own_->run([&](VkCommandBuffer commands) {
    Spy::calls.clear();
    Spy::illegal.clear();
    // The test's own barriers go through the same wrappers; their stages are those of a compute queue.
    const auto barrier = [&] {
      VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
      all.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
      all.dstAccessMask = all.srcAccessMask;
      constexpr VkPipelineStageFlags kStages =
          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT;
      own_->vk.vkCmdPipelineBarrier(commands, kStages, kStages, 0, 1, &all, 0, nullptr, 0, nullptr);
    };
    Spy::listening = true;
    driver_->reset(commands);
    pyramid->record_reset(commands, *binding);
    barrier();
    for (uint32_t t = 0; t < kTechniques; ++t) {
      driver_->record(static_cast<Technique>(t), commands);
      barrier();
    }
    pyramid->record_update(commands, *binding, {10, 10, 20, 20}, vulkan::Scratch::kUnknown);
    barrier();
    Spy::listening = false;
  });
  EXPECT_TRUE(Spy::illegal.empty()) << Spy::illegal.front();
  // Only commands that compute-only queues allow (transfer is implied), and no call that allocates, waits or submits.
  const std::set<std::string> legal = {"vkCmdBindPipeline",     "vkCmdBindDescriptorSets", "vkCmdPushConstants",
                                       "vkCmdDispatch",         "vkCmdPipelineBarrier",    "vkCmdFillBuffer",
                                       "vkCmdDispatchIndirect", "vkCmdUpdateBuffer",       "vkCmdCopyBuffer"};
  for (const std::string& call : Spy::calls) EXPECT_TRUE(legal.contains(call)) << call;
  EXPECT_GE(Spy::calls.count("vkCmdDispatch"), 15U) << "the spy has seen the techniques";
  expect_right_results();
}

#ifdef ONEPASS_TEST_VOLK
TEST_F(Integration, WorksInAProgramThatLoadsByVolk) {
  ASSERT_EQ(volkInitialize(), VK_SUCCESS);
  ASSERT_NO_FATAL_FAILURE(start(vkGetInstanceProcAddr));
  volkLoadInstance(own_->instance);
  volkLoadDevice(own_->device);
  driver_ = make_cpp_driver(*rig_);
  own_->run([&](VkCommandBuffer commands) { record_all(*rig_, *driver_, commands); });
  expect_right_results();
}
#endif

TEST_F(Integration, CHasTheBitsOfCppInMemoryOfTheCaller) {
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  driver_ = make_cpp_driver(*rig_);
  own_->run([&](VkCommandBuffer commands) { record_all(*rig_, *driver_, commands); });
  expect_right_results();
  const auto expected = outputs();
  const auto expected_shift = driver_->shift(expected[static_cast<size_t>(Technique::kCorrelator)]);
  rig_->clear();
  ASSERT_NE(outputs(), expected);
  driver_ = make_c_driver(*rig_);
  ASSERT_NE(driver_, nullptr);
  own_->run([&](VkCommandBuffer commands) { record_all(*rig_, *driver_, commands); });
  const auto actual = outputs();
  for (uint32_t t = 0; t < kTechniques; ++t) EXPECT_EQ(actual[t], expected[t]) << "technique " << t;
  EXPECT_EQ(driver_->shift(actual[static_cast<size_t>(Technique::kCorrelator)]), expected_shift);
  EXPECT_GT(expected_shift[2], 0.1) << "an image and its blur correlate";
}

// The same bits when every image is one level and one slice (pyramids: some levels) of a larger one, whose other texels
// keep their poison.
TEST_F(Integration, BindsLevelsAndSlicesOfLargerImages) {
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  driver_ = make_cpp_driver(*rig_);
  own_->run([&](VkCommandBuffer commands) { record_all(*rig_, *driver_, commands); });
  const auto expected = outputs();
  driver_.reset();
  rig_ = std::make_unique<Rig>(*own_, *device_, seed_, kPlacedApart);
  for (const auto make : {make_cpp_driver, make_c_driver}) {
    rig_->clear();
    driver_ = make(*rig_);
    ASSERT_NE(driver_, nullptr);
    own_->run([&](VkCommandBuffer commands) { record_all(*rig_, *driver_, commands); });
    expect_right_results();
    const auto actual = outputs();
    const char* language = make == make_cpp_driver ? "C++" : "C";
    for (uint32_t t = 0; t < kTechniques; ++t) EXPECT_EQ(actual[t], expected[t]) << language << ", technique " << t;
    EXPECT_FALSE(rig_->outside_touched()) << language;
  }
}

TEST_F(Integration, SeveralThreadsRecordTheSameAndTheirOwn) {
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  driver_ = make_cpp_driver(*rig_);
  own_->run([&](VkCommandBuffer commands) { record_all(*rig_, *driver_, commands); });
  const auto expected = outputs();
  rig_->clear();
  // Two threads record the same objects; at the same time two threads create and record their own.
  constexpr size_t kThreads = 4;
  constexpr int kTimes = 20;
  std::vector<std::unique_ptr<Rig>> rigs;
  for (size_t i = 2; i < kThreads; ++i) rigs.push_back(std::make_unique<Rig>(*own_, *device_, seed_));
  std::vector<std::unique_ptr<Driver>> drivers(kThreads);
  std::vector<std::vector<std::unique_ptr<OwnDevice::Commands>>> recorded(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Rig& rig = i < 2 ? *rig_ : *rigs[i - 2];
      if (i >= 2) drivers[i] = make_cpp_driver(rig);
      const Driver& driver = i < 2 ? *driver_ : *drivers[i];
      for (int n = 0; n < kTimes; ++n) {
        auto commands = std::make_unique<OwnDevice::Commands>(*own_);
        commands->begin();
        full_barrier(*own_, commands->buffer);
        record_all(rig, driver, commands->buffer);
        commands->end();
        recorded[i].push_back(std::move(commands));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& list : recorded) {
    for (const int n : {0, kTimes - 1}) own_->submit_and_wait(list[static_cast<size_t>(n)]->buffer);
  }
  EXPECT_EQ(outputs(), expected);
  for (auto& rig : rigs) {
    std::swap(rig_, rig);
    EXPECT_EQ(outputs(), expected);
    EXPECT_FALSE(rig_->guards_touched());
    std::swap(rig_, rig);
  }
  recorded.clear();
  drivers.clear();
}

// Depth drawn by dynamic rendering, synchronization2 barriers, and a timeline semaphore between the submissions that
// draw, reduce and read.
TEST_F(Integration, TakesTurnsByTimelineSemaphoresAndSynchronization2) {
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  constexpr Extent kSize{200, 120};
  auto depth = vulkan::DeviceImage::create(
      device_->impl(), {.format = Format::kD32Sfloat,
                        .size = kSize,
                        .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
  auto hiz = vulkan::DeviceImage::create(device_->impl(),
                                         {.format = Format::kR32Sfloat,
                                          .size = level_size(kSize, 1),
                                          .levels = 7,
                                          .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
  ASSERT_TRUE(depth && hiz);
  auto host = vulkan::Buffer::create(device_->impl(), 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  ASSERT_TRUE(host);
  VkImageViewCreateInfo view_info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view_info.image = depth->image;
  view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view_info.format = VK_FORMAT_D32_SFLOAT;
  view_info.subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  ASSERT_EQ(own_->vk.vkCreateImageView(own_->device, &view_info, nullptr, &view), VK_SUCCESS);
  auto pyramid = vulkan::Pyramid::create(
      *device_,
      {.size = kSize, .source = Format::kD32Sfloat, .target = Format::kR32Sfloat, .reduction = Reduction::kMin});
  ASSERT_TRUE(pyramid) << pyramid.error().text();
  auto binding = pyramid->bind({.source = depth->image, .target = hiz->image, .target_level = 0});
  ASSERT_TRUE(binding);

  const auto barrier = [&](VkCommandBuffer commands, const vulkan::DeviceImage& image, VkPipelineStageFlags2 from,
                           VkAccessFlags2 wrote, VkImageLayout old_layout, VkPipelineStageFlags2 to,
                           VkAccessFlags2 reads, VkImageLayout new_layout) {
    VkImageMemoryBarrier2 b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                            nullptr,
                            from,
                            wrote,
                            to,
                            reads,
                            old_layout,
                            new_layout,
                            VK_QUEUE_FAMILY_IGNORED,
                            VK_QUEUE_FAMILY_IGNORED,
                            image.image,
                            {image.aspect(), 0, VK_REMAINING_MIP_LEVELS, 0, 1}};
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &b;
    own_->vkCmdPipelineBarrier2(commands, &info);
  };
  const OwnDevice::Commands draw(*own_), reduce(*own_), read(*own_);
  draw.begin();
  barrier(draw.buffer, *depth, VK_PIPELINE_STAGE_2_NONE, 0, VK_IMAGE_LAYOUT_UNDEFINED,
          VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
          VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
          VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
  VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  attachment.imageView = view;
  attachment.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.clearValue.depthStencil = {0.75F, 0};
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.renderArea.extent = {kSize.width, kSize.height};
  rendering.layerCount = 1;
  rendering.pDepthAttachment = &attachment;
  own_->vkCmdBeginRendering(draw.buffer, &rendering);
  VkClearAttachment clear{VK_IMAGE_ASPECT_DEPTH_BIT, 0, {}};
  clear.clearValue.depthStencil = {0.375F, 0};
  const VkClearRect corner{{{199, 119}, {1, 1}}, 0, 1};
  own_->vkCmdClearAttachments(draw.buffer, 1, &clear, 1, &corner);
  own_->vkCmdEndRendering(draw.buffer);
  barrier(draw.buffer, *depth, VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
          VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
          VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
          VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  draw.end();

  reduce.begin();
  pyramid->record_reset(reduce.buffer, *binding);
  const VkMemoryBarrier2 reset{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                               nullptr,
                               VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                               VK_ACCESS_2_TRANSFER_WRITE_BIT,
                               VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                               VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
  VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &reset;
  own_->vkCmdPipelineBarrier2(reduce.buffer, &info);
  barrier(reduce.buffer, *hiz, VK_PIPELINE_STAGE_2_NONE, 0, VK_IMAGE_LAYOUT_UNDEFINED,
          VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL);
  pyramid->record(reduce.buffer, *binding);
  reduce.end();

  read.begin();
  barrier(read.buffer, *hiz, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
          VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT,
          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vulkan::copy_levels(*hiz, *host, 0, 6, 1, false, read.buffer);
  read.end();

  const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo semaphore_info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore timeline = VK_NULL_HANDLE;
  ASSERT_EQ(own_->vkCreateSemaphore(own_->device, &semaphore_info, nullptr, &timeline), VK_SUCCESS);
  uint64_t value = 0;
  for (const OwnDevice::Commands* commands : {&draw, &reduce, &read}) {
    VkSemaphoreSubmitInfo before{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, timeline, value,
                                 VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,    0};
    VkSemaphoreSubmitInfo after = before;
    after.value = ++value;
    const VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, commands->buffer, 0};
    const VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 1, &before, 1, &buffer, 1, &after};
    ASSERT_EQ(own_->vkQueueSubmit2(own_->queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  }
  const VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &timeline, &value};
  ASSERT_EQ(own_->vkWaitSemaphores(own_->device, &wait, UINT64_MAX), VK_SUCCESS);
  float nearest = 0;
  std::memcpy(&nearest, host->mapped, sizeof nearest);
  EXPECT_EQ(nearest, 0.375F);
  own_->vkDestroySemaphore(own_->device, timeline, nullptr);
  own_->vk.vkDestroyImageView(own_->device, view, nullptr);
}

}  // namespace
}  // namespace onepass::testing
