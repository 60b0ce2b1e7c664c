// caller_memory_test.cpp: device memory from the caller's callbacks: every technique in ranges of one block, in C++ and
// C; nothing calls vkAllocateMemory, everything is released, failures leave nothing allocated.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "onepass/vulkan/blocks.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/reflection.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "tests/integration/technique_rig.hpp"
#include "tests/vulkan/replaced_vulkan.hpp"

namespace onepass::testing {
namespace {

constexpr Format kHalf = Format::kRGBA16Sfloat;

/// Allocates ranges of one block of device memory. Bytes that are not allocated, and those of new ranges, are 0xFF:
/// NaN as floats. Threads: any.
class Block {
 public:
  static constexpr VkDeviceSize kBytes = VkDeviceSize{64} << 20U;
  static constexpr VkDeviceSize kGuard = 256;

  explicit Block(OwnDevice& own) : own_(own) {
    VkPhysicalDeviceMemoryProperties properties{};
    own.vki.vkGetPhysicalDeviceMemoryProperties(own.physical, &properties);
    // A buffer may be bound to any type that is host-visible and coherent; an image, on these devices, too.
    constexpr VkMemoryPropertyFlags kMapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    while (type_ + 1 < properties.memoryTypeCount && (properties.memoryTypes[type_].propertyFlags & kMapped) != kMapped)
      ++type_;
    VkPhysicalDeviceProperties2 limits{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    own.vki.vkGetPhysicalDeviceProperties2(own.physical, &limits);
    granularity_ = limits.properties.limits.bufferImageGranularity;
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, kBytes, type_};
    EXPECT_EQ(own.vk.vkAllocateMemory(own.device, &info, nullptr, &memory_), VK_SUCCESS);
    void* mapped = nullptr;
    EXPECT_EQ(own.vk.vkMapMemory(own.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
    bytes_ = static_cast<std::byte*>(mapped);
    std::memset(bytes_, 0xFF, kBytes);
  }
  Block(const Block&) = delete;
  ~Block() {
    EXPECT_TRUE(ranges_.empty()) << ranges_.size() << " ranges were not released";
    own_.vk.vkFreeMemory(own_.device, memory_, nullptr);
  }

  [[nodiscard]] vulkan::MemoryCallbacks callbacks() {
    return {.user = this, .allocate = &Block::allocate, .release = &Block::release};
  }
  [[nodiscard]] size_t live() const { return ranges_.size(); }
  /// Whether bytes outside of the ranges have changed.
  [[nodiscard]] bool guards_touched() const {
    VkDeviceSize from = 0;
    for (const auto& [begin, end] : ranges_) {
      if (!is_poison(from, begin)) return true;
      from = end;
    }
    return !is_poison(from, kBytes);
  }

  int images = 0, buffers = 0;  // requests so far
  int until_failure = -1;       // successful calls before one fails with `failure`; negative: none fails
  VkResult failure = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  std::function<void(const vulkan::MemoryCallbackRequest&, vulkan::MemoryRange&)> change;  // of what is returned

 private:
  static VkResult allocate(void* user, const vulkan::MemoryCallbackRequest* request, vulkan::MemoryRange* range) {
    auto& self = *static_cast<Block*>(user);
    const std::lock_guard lock(self.mutex_);
    EXPECT_EQ(request->struct_size, sizeof *request);
    EXPECT_NE(request->buffer != VK_NULL_HANDLE, request->image != VK_NULL_HANDLE) << "one of them";
    EXPECT_EQ(range->memory, VkDeviceMemory{VK_NULL_HANDLE});
    EXPECT_EQ(range->allocation, nullptr);
    ++(request->image != VK_NULL_HANDLE ? self.images : self.buffers);
    if (self.until_failure >= 0 && self.until_failure-- == 0) return self.failure;
    if ((request->requirements.memoryTypeBits >> self.type_ & 1U) == 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    // The first gap that is large enough, after a guard.
    const VkDeviceSize align = std::max(request->requirements.alignment, self.granularity_);
    const auto aligned = [&](VkDeviceSize at) { return (at + kGuard + align - 1) / align * align; };
    VkDeviceSize at = aligned(0);
    for (const auto& [begin, end] : self.ranges_) {
      if (at + request->requirements.size + kGuard <= begin) break;
      at = aligned(end);
    }
    if (at + request->requirements.size + kGuard > kBytes) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    self.ranges_[at] = at + request->requirements.size;
    range->memory = self.memory_;
    range->offset = at;
    range->mapped = (request->required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 ? self.bytes_ + at : nullptr;
    range->allocation = &self.ranges_[at];
    if (self.change) self.change(*request, *range);
    return VK_SUCCESS;
  }
  static void release(void* user, const vulkan::MemoryRange* range) {
    auto& self = *static_cast<Block*>(user);
    const std::lock_guard lock(self.mutex_);
    const auto found = std::find_if(self.ranges_.begin(), self.ranges_.end(),
                                    [&](const auto& entry) { return &entry.second == range->allocation; });
    ASSERT_NE(found, self.ranges_.end()) << "released twice, or never allocated";
    std::memset(self.bytes_ + found->first, 0xFF, found->second - found->first);
    self.ranges_.erase(found);
  }
  [[nodiscard]] bool is_poison(VkDeviceSize begin, VkDeviceSize end) const {
    return std::all_of(bytes_ + begin, bytes_ + end, [](std::byte b) { return b == std::byte{0xFF}; });
  }

  OwnDevice& own_;
  uint32_t type_ = 0;
  VkDeviceSize granularity_ = 1;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* bytes_ = nullptr;
  std::map<VkDeviceSize, VkDeviceSize> ranges_;  // begin, end
  std::mutex mutex_;
};

class CallerMemory : public ReplacedVulkan {
 protected:
  static inline std::atomic<int> driver_calls = 0;  // of the library to vkAllocateMemory, vkFreeMemory, vkMapMemory

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(ReplacedVulkan::SetUp());
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    own->vki.vkGetPhysicalDeviceProperties2(own->physical, &properties);
    if (properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU) {
      GTEST_SKIP() << "images do not lie in host-visible memory, which the block is";
    }
    block = std::make_unique<Block>(*own);
    driver_calls = 0;
    replace_function(
        "vkAllocateMemory", +[](VkDevice device, const VkMemoryAllocateInfo* info,
                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
          ++driver_calls;
          return own->vk.vkAllocateMemory(device, info, callbacks, memory);
        });
    replace_function(
        "vkFreeMemory", +[](VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
          ++driver_calls;
          own->vk.vkFreeMemory(device, memory, callbacks);
        });
    replace_function(
        "vkMapMemory", +[](VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                           VkMemoryMapFlags flags, void** mapped) {
          ++driver_calls;
          return own->vk.vkMapMemory(device, memory, offset, size, flags, mapped);
        });
  }
  void TearDown() override {
    if (block != nullptr) {
      EXPECT_FALSE(block->guards_touched());
    }
    block.reset();
    ReplacedVulkan::TearDown();
  }

  Result<vulkan::Device> adopt_with_block() {
    vulkan::DeviceHandles handles = replaced_handles();
    handles.memory = block->callbacks();
    return vulkan::Device::adopt(handles);
  }

  std::unique_ptr<Block> block;
};

std::vector<std::vector<std::byte>> run_all(Rig& rig, const Driver& driver) {
  rig.own.run([&](VkCommandBuffer commands) { record_all(rig, driver, commands); });
  std::vector<std::vector<std::byte>> all;
  for (uint32_t t = 0; t < kTechniques; ++t) all.push_back(rig.download(static_cast<Technique>(t)));
  return all;
}

// The outputs in memory that the library allocates.
std::vector<std::vector<std::byte>> run_in_own_memory(OwnDevice& own, uint32_t seed) {
  auto device = vulkan::Device::adopt(own.handles());
  if (!device) throw std::runtime_error(device.error().text());
  Rig rig(own, *device, seed);
  return run_all(rig, *make_cpp_driver(rig));
}

TEST_F(CallerMemory, EveryTechniqueWorksInRangesOfOneBlock) {
  constexpr uint32_t kSeed = 7;
  const auto expected = run_in_own_memory(*own, kSeed);
  for (const auto make : {make_cpp_driver, make_c_driver}) {
    const char* language = make == make_cpp_driver ? "C++" : "C";
    {
      auto device = adopt_with_block();
      ASSERT_TRUE(device) << device.error().text();
      Rig rig(*own, *device, kSeed);
      rig.gives_scratch = false;  // the bindings allocate too
      const int of_rig = block->buffers;
      block->images = 0;
      const auto driver = make(rig);
      EXPECT_GT(block->buffers, of_rig + 20) << language;
      EXPECT_EQ(block->images, 1) << language << ": the mip chain of bloom";
      const auto actual = run_all(rig, *driver);
      for (uint32_t t = 0; t < kTechniques; ++t) EXPECT_EQ(actual[t], expected[t]) << language << ", technique " << t;
      EXPECT_FALSE(block->guards_touched()) << language;
    }
    EXPECT_EQ(block->live(), 0U) << language;
  }
  EXPECT_EQ(driver_calls, 0);
}

// Counters, mailboxes and results of new ranges, which the callback returns full of 0xFF, are zero after bind(): the
// first recording needs no reset.
TEST_F(CallerMemory, MemoryOfBindingsIsClearAfterBind) {
  constexpr uint32_t kSeed = 8;
  const auto expected = run_in_own_memory(*own, kSeed);
  for (const auto make : {make_cpp_driver, make_c_driver}) {
    auto device = adopt_with_block();
    ASSERT_TRUE(device) << device.error().text();
    Rig rig(*own, *device, kSeed);
    rig.gives_scratch = false;
    const auto driver = make(rig);
    for (const vulkan::Buffer* results : {&rig.results, &rig.frame_results}) {  // those of the test
      std::memset(results->mapped, 0, results->size);
    }
    rig.own.run([&](VkCommandBuffer commands) { record_all(rig, *driver, commands, First::kKernelsOnly); });
    for (uint32_t t = 0; t < kTechniques; ++t) {
      EXPECT_EQ(rig.download(static_cast<Technique>(t)), expected[t]) << "technique " << t;
    }
  }
}

// The levels of a pyramid of random texels with scratch memory of its binding. The images are on another device object.
std::vector<std::byte> make_levels(OwnDevice& own, const vulkan::Device& images, const vulkan::Pyramid& pyramid,
                                   bool reset) {
  const PyramidOptions& o = pyramid.options();
  const uint32_t levels = pyramid.plan().levels - 1;
  const auto take = [](auto made) {
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
  };
  const auto source = take(vulkan::DeviceImage::create(
      images.impl(),
      {.format = o.source, .size = o.size, .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT}));
  const auto target = take(vulkan::DeviceImage::create(
      images.impl(), {.format = o.target,
                      .size = level_size(o.size, 1),
                      .levels = levels,
                      .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT}));
  constexpr VkBufferUsageFlags kCopies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const auto staging = take(vulkan::Buffer::create(images.impl(), vulkan::packed_bytes(source, 0, 1), kCopies, true));
  const auto fetched =
      take(vulkan::Buffer::create(images.impl(), vulkan::packed_bytes(target, 0, levels), kCopies, true));
  std::memset(fetched.mapped, 0, fetched.size);  // bytes between levels stay as they are
  uint32_t state = 1;
  for (VkDeviceSize i = 0; i < staging.size; ++i) {
    state = state * 1664525 + 1013904223;
    static_cast<unsigned char*>(staging.mapped)[i] = static_cast<unsigned char>(state >> 24U);
  }
  const auto binding = take(pyramid.bind({.source = source.image, .target = target.image, .target_level = 0}));
  own.run([&](VkCommandBuffer commands) {
    source.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      vulkan::kTransferWrites);
    copy_levels(source, staging, 0, 0, 1, true, commands);
    source.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, vulkan::kShaderReads);
    target.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                      vulkan::kShaderWrites);
    if (reset) {
      pyramid.record_reset(commands, binding);
      full_barrier(own, commands);
    }
    pyramid.record(commands, binding);
    target.transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                      vulkan::kTransferReads);
    copy_levels(target, fetched, 0, 0, levels, false, commands);
    full_barrier(own, commands);
  });
  const auto* bytes = static_cast<const std::byte*>(fetched.mapped);
  return {bytes, bytes + fetched.size};
}

// Protocols of pyramids that the rig does not have: a mailbox, and the histogram of coverage.
TEST_F(CallerMemory, PyramidsOfEveryProtocolNeedNoReset) {
  auto plain = vulkan::Device::adopt(own->handles());
  auto device = adopt_with_block();
  ASSERT_TRUE(plain && device);
  const PyramidOptions options{.size = {256, 256}, .source = Format::kRGBA8Unorm, .target = Format::kRGBA8Unorm};
  PyramidOptions coverage = options;
  coverage.alpha = Alpha::kCoverage;
  for (const PyramidOptions& o : {options, coverage}) {
    const vulkan::PyramidTuning tuning{
        .subgroup = o.alpha == Alpha::kCoverage ? vulkan::Switch::kAuto : vulkan::Switch::kOn,
        .publish = vulkan::Switch::kAuto};
    auto cleared = vulkan::Pyramid::create(*plain, o, tuning);
    auto poisoned = vulkan::Pyramid::create(*device, o, tuning);
    ASSERT_TRUE(cleared && poisoned) << cleared.error().text();
    EXPECT_EQ(make_levels(*own, *plain, *poisoned, false), make_levels(*own, *plain, *cleared, true));
  }
}

TEST_F(CallerMemory, ResultsOfMetersAreZeroAfterBind) {
  auto device = adopt_with_block();
  auto plain = vulkan::Device::adopt(own->handles());
  ASSERT_TRUE(device && plain);
  const MeterOptions options{.size = {32, 24}, .slices = 1, .source = kHalf};
  auto source = vulkan::DeviceImage::create(
      plain->impl(), {.format = kHalf, .size = options.size, .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
  auto target = vulkan::DeviceImage::create(
      plain->impl(), {.format = kHalf, .size = options.size, .usage = VK_IMAGE_USAGE_STORAGE_BIT});
  auto fetched = vulkan::Buffer::create(plain->impl(), sizeof(MeterResult), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  ASSERT_TRUE(source && target && fetched);
  const auto expect_zero = [&](VkBuffer results, VkDeviceSize offset) {
    std::memset(fetched->mapped, 0x55, sizeof(MeterResult));
    own->run([&](VkCommandBuffer commands) {
      const VkBufferCopy copy{offset, 0, sizeof(MeterResult)};
      own->vk.vkCmdCopyBuffer(commands, results, fetched->buffer, 1, &copy);
      full_barrier(*own, commands);
    });
    const auto* bytes = static_cast<const std::byte*>(fetched->mapped);
    EXPECT_TRUE(std::all_of(bytes, bytes + sizeof(MeterResult), [](std::byte b) { return b == std::byte{0}; }));
  };
  auto meter = vulkan::Meter::create(*device, options);
  ASSERT_TRUE(meter) << meter.error().text();
  auto metered = meter->bind({.source = source->image});
  ASSERT_TRUE(metered) << metered.error().text();
  expect_zero(metered->results(), metered->results_offset());
  FrameToneMapOptions both{.meter = options};
  both.tone = {.size = options.size, .source = kHalf, .target = kHalf, .transfer = Transfer::kLinear};
  auto frames = vulkan::FrameToneMap::create(*device, both);
  ASSERT_TRUE(frames) << frames.error().text();
  auto framed = frames->bind({.source = source->image, .target = target->image});
  ASSERT_TRUE(framed) << framed.error().text();
  expect_zero(framed->results(), framed->results_offset());
}

TEST_F(CallerMemory, SeveralThreadsAllocateAtOnce) {
  auto device = adopt_with_block();
  ASSERT_TRUE(device) << device.error().text();
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (uint32_t n = 0; n < 8; ++n) {
        // Curves of their own: another white point.
        auto map = vulkan::ToneMap::create(*device, {.size = {64, 64},
                                                     .source = kHalf,
                                                     .target = kHalf,
                                                     .tone_operator = ToneOperator::kReinhardExtended,
                                                     .white = 2.0F + static_cast<float>(8 * i + n)});
        EXPECT_TRUE(map) << map.error().text();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(block->buffers, 32);
  EXPECT_EQ(block->live(), 32U) << "they stay with the device";
  device->trim();
  EXPECT_EQ(block->live(), 0U);
}

// Fits of curves and images of glare are kept by the device, for objects of any size: a second object allocates none.
TEST_F(CallerMemory, ToneMapsShareCurvesAndBloomsShareGlare) {
  auto device = adopt_with_block();
  ASSERT_TRUE(device) << device.error().text();
  const auto buffers_of = [&](const auto& create) {
    const int before = block->buffers;
    const auto made = create();
    EXPECT_TRUE(made) << made.error().text();
    return block->buffers - before;
  };
  const auto map = [&](ToneMapOptions options) {
    options.source = options.target = kHalf;
    return buffers_of([&] { return vulkan::ToneMap::create(*device, options); });
  };
  EXPECT_EQ(map({.size = {64, 64}}), 1);
  EXPECT_EQ(map({.size = {64, 64}}), 0);
  EXPECT_EQ(map({.size = {32, 99}, .slices = 2, .exposure = 3}), 0);
  EXPECT_EQ(map({.size = {64, 64}, .transfer = Transfer::kLinear}), 1);
  EXPECT_EQ(map({.size = {64, 64}, .tone_operator = ToneOperator::kReinhardExtended, .white = 5}), 1);
  EXPECT_EQ(map({.size = {64, 64}, .tone_operator = ToneOperator::kReinhardExtended, .white = 6}), 1);
  const auto bloom = [&](const GlareOptions& glare) {
    return buffers_of([&] {
      return vulkan::Bloom::create(*device, {.size = {32, 24}, .source = kHalf, .kernel_width = 0.2F, .glare = glare});
    });
  };
  const int first = bloom({});
  const int same = bloom({});
  EXPECT_LT(same, first);
  EXPECT_EQ(bloom({.rays = 6}), same + 1) << "its own weights";
  EXPECT_EQ(bloom({.rays = 6}), same);
}

// Tables stay with the device until trim().
TEST_F(CallerMemory, TrimReleasesTables) {
  auto device = adopt_with_block();
  ASSERT_TRUE(device) << device.error().text();
  { ASSERT_TRUE(vulkan::Transform::create(*device, {.size = {64, 64}, .source = kHalf})); }
  EXPECT_GT(block->live(), 0U);
  EXPECT_GT(device->trim(), 0U);
  EXPECT_EQ(block->live(), 0U);
}

// ---- Failures

/// Creates and binds techniques that allocate, one by one; the first failure ends it.
class Attempts {
 public:
  explicit Attempts(const vulkan::Device& images) {
    const auto make = [&](Format format, VkImageUsageFlags usage) {
      return std::move(*vulkan::DeviceImage::create(images.impl(), {.format = format, .size = kSize, .usage = usage}));
    };
    source_ = make(kHalf, VK_IMAGE_USAGE_SAMPLED_BIT);
    target_ = make(kHalf, VK_IMAGE_USAGE_STORAGE_BIT);
    levels_ = std::move(*vulkan::DeviceImage::create(
        images.impl(),
        {.format = kHalf, .size = level_size(kSize, 1), .levels = 5, .usage = VK_IMAGE_USAGE_STORAGE_BIT}));
    depth_ = make(kDepth, VK_IMAGE_USAGE_SAMPLED_BIT);
    nearest_ = std::move(*vulkan::DeviceImage::create(
        images.impl(),
        {.format = kDepth, .size = level_size(kSize, 1), .levels = 5, .usage = VK_IMAGE_USAGE_SAMPLED_BIT}));
  }

  Result<void> run(const vulkan::Device& device) const {
    auto done = pyramid(device);
    if (done) done = meter(device);
    if (done) done = tone_map(device, {});
    if (done) done = tone_map(device, {.highlights = 0.5F, .shadows = 0.5F});
    if (done)
      done = operation(vulkan::Deconvolver::create(device, {.size = kSize,
                                                            .source = kHalf,
                                                            .kernel_size = {3, 3},
                                                            .kernel = Format::kR8Unorm,
                                                            .edges = DeconvolutionEdges::kTaper}));
    if (done) done = operation(vulkan::Bloom::create(device, {.size = kSize, .source = kHalf}));
    if (done) {
      done = operation(vulkan::Bloom::create(
          device, {.size = kSize, .source = kHalf, .method = BloomMethod::kMipChain, .kernel_width = 2}));
    }
    if (done) done = reflection(device);
    if (done) done = blocks(device);
    return done;
  }

 private:
  static constexpr Extent kSize{32, 24};
  static constexpr Format kDepth = Format::kR32Sfloat;

  Result<void> pyramid(const vulkan::Device& device) const {
    auto made = vulkan::Pyramid::create(device, {.size = kSize, .source = kHalf, .target = kHalf});
    if (!made) return made.error();
    auto bound = made->bind({.source = source_.image, .target = levels_.image, .target_level = 0});
    if (!bound) return bound.error();
    return {};
  }
  Result<void> meter(const vulkan::Device& device) const {
    auto made = vulkan::Meter::create(device, {.size = kSize, .source = kHalf});
    if (!made) return made.error();
    auto bound = made->bind({.source = source_.image});
    if (!bound) return bound.error();
    return {};
  }
  Result<void> tone_map(const vulkan::Device& device, const LocalExposure& local) const {
    ToneMapOptions options{.size = kSize, .source = kHalf, .target = kHalf};
    options.local = local;
    auto made = vulkan::ToneMap::create(device, options);
    if (!made) return made.error();
    auto bound = made->bind({.source = source_.image, .target = target_.image});
    if (!bound) return bound.error();
    return {};
  }
  template <typename Operation>
  Result<void> operation(const Result<Operation>& made) const {
    if (!made) return made.error();
    auto bound = made->bind({.source = {.image = source_.image}, .target = {.image = target_.image}});
    if (!bound) return bound.error();
    return {};
  }

  Result<void> reflection(const vulkan::Device& device) const {
    auto made = vulkan::Reflection::create(
        device,
        {.size = kSize, .color = kHalf, .depth = kDepth, .pyramid = kDepth, .normals = kHalf, .roughness = kHalf});
    if (!made) return made.error();
    auto bound = made->bind({.color = {.image = source_.image},
                             .depth = {.image = depth_.image},
                             .pyramid = {.image = nearest_.image},
                             .normals = {.image = source_.image},
                             .roughness = {.image = source_.image},
                             .target = {.image = target_.image}});
    if (!bound) return bound.error();
    return {};
  }

  Result<void> blocks(const vulkan::Device& device) const {
    auto made = vulkan::BlockCompressor::create(device, {.size = kSize, .source = kHalf});
    if (!made) return made.error();
    // Only the handle of the target counts: no copy is recorded.
    auto bound = made->bind({.source = source_.image, .target = target_.image});
    if (!bound) return bound.error();
    return {};
  }

  vulkan::DeviceImage source_, target_, levels_, depth_, nearest_;
};

void expect_exhausted(const Error& error) {
  EXPECT_EQ(error.code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(error.message, "memory.allocate ran out of the device's memory (VK_ERROR_OUT_OF_DEVICE_MEMORY)");
  EXPECT_NE(error.text().find(" bytes for a"), std::string::npos) << error.text();
}

TEST_F(CallerMemory, AFailureAnywhereLeavesNothingAllocated) {
  auto plain = vulkan::Device::adopt(own->handles());
  auto device = adopt_with_block();
  ASSERT_TRUE(plain && device);
  const Attempts attempts(*plain);
  const auto first = attempts.run(*device);
  ASSERT_TRUE(first) << first.error().text();
  const size_t tables = block->live();  // they stay with the device, as pipelines do
  int failures = 0;
  for (;; ++failures) {
    block->until_failure = failures;
    const auto done = attempts.run(*device);
    if (done) break;
    expect_exhausted(done.error());
    ASSERT_EQ(block->live(), tables) << "after failure " << failures;
  }
  EXPECT_GT(failures, 15) << "techniques allocate more than that";
  device->trim();
  EXPECT_EQ(block->live(), 0U);
  EXPECT_EQ(driver_calls, 0);
}

TEST_F(CallerMemory, AFailureOfTablesLeavesNothingAllocated) {
  int failures = 0;
  for (;; ++failures) {
    auto device = adopt_with_block();  // without the tables of the last one
    ASSERT_TRUE(device) << device.error().text();
    block->until_failure = failures;
    const auto made = vulkan::Transform::create(*device, {.size = {64, 16}, .source = kHalf});
    if (made) break;
    expect_exhausted(made.error());
    device->trim();
    ASSERT_EQ(block->live(), 0U) << "after failure " << failures;
  }
  EXPECT_EQ(failures, 2) << "a table for each axis";
}

TEST_F(CallerMemory, ErrorsNameWhoseMemoryIsExhausted) {
  auto device = adopt_with_block();
  ASSERT_TRUE(device) << device.error().text();
  const auto error_of = [&](VkResult result) {
    block->until_failure = 0;
    block->failure = result;
    const auto buffer = vulkan::Buffer::create(device->impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
    EXPECT_FALSE(buffer);
    return buffer ? Error{} : buffer.error();
  };
  EXPECT_EQ(error_of(VK_ERROR_OUT_OF_HOST_MEMORY).message,
            "memory.allocate ran out of the host's memory (VK_ERROR_OUT_OF_HOST_MEMORY)");
  EXPECT_EQ(error_of(VK_ERROR_OUT_OF_HOST_MEMORY).code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(error_of(VK_ERROR_UNKNOWN).message, "memory.allocate returned no memory (VkResult -13)");
  EXPECT_EQ(error_of(VK_ERROR_UNKNOWN).code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(error_of(VK_INCOMPLETE).code, ErrorCode::kOutOfMemory) << "not VK_SUCCESS";
  EXPECT_EQ(error_of(VK_ERROR_DEVICE_LOST).code, ErrorCode::kDeviceLost);
  EXPECT_EQ(error_of(VK_ERROR_UNKNOWN).context, "4096 bytes for a buffer");
}

TEST_F(CallerMemory, RangesThatDoNotMeetTheRequestAreRefused) {
  auto device = adopt_with_block();
  ASSERT_TRUE(device) << device.error().text();
  const auto expect_refused = [&](const char* words) {
    const auto buffer = vulkan::Buffer::create(device->impl(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(buffer.error().message.find(words), std::string::npos) << buffer.error().text();
  };
  block->change = [](const vulkan::MemoryCallbackRequest& request, vulkan::MemoryRange& range) {
    range.offset += request.requirements.alignment / 2;
  };
  expect_refused("is not a multiple of");
  block->change = [](const vulkan::MemoryCallbackRequest&, vulkan::MemoryRange& range) { range.mapped = nullptr; };
  expect_refused("mapped is null");
  EXPECT_EQ(block->live(), 0U);
  // Without memory there is nothing to release.
  vulkan::DeviceHandles handles = replaced_handles();
  handles.memory = {
      .user = nullptr,
      .allocate = [](void*, const vulkan::MemoryCallbackRequest*, vulkan::MemoryRange*) { return VK_SUCCESS; },
      .release = [](void*, const vulkan::MemoryRange*) { ADD_FAILURE() << "released"; }};
  device = vulkan::Device::adopt(handles);
  ASSERT_TRUE(device) << device.error().text();
  expect_refused("null memory");
}

TEST_F(CallerMemory, HalfAPairOfCallbacksIsRefused) {
  vulkan::DeviceHandles handles = replaced_handles();
  handles.memory.release = block->callbacks().release;
  const auto device = vulkan::Device::adopt(handles);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(device.error().message, "memory: one of allocate and release is null");
}

}  // namespace
}  // namespace onepass::testing
