// dxvk.cpp: the mip generator of DXVK on the image sets: its shader as it is, one dispatch per pyramid.
//
// The shader leaves its counter as it is after a dispatch. DXVK takes a new one, filled with zeros beforehand, for
// every pyramid, and so does this adapter: a ring of counters, of which one half is filled while the other is used up.
#include <array>
#include <bit>
#include <cstdint>

#include "kernels/peer_dxvk_mipgen.h"
#include "peers/pyramid_peers.hpp"
#include "peers/set_views.hpp"

namespace onepass::bench {
namespace {

constexpr uint32_t kLevelsPerStep = 6;
constexpr uint32_t kMostLevels = 2 * kLevelsPerStep;
constexpr uint32_t kHalfRing = 512;  // counters

const std::vector<Binding> kSamplerBindings = {VK_DESCRIPTOR_TYPE_SAMPLER};
const std::vector<Binding> kImageBindings = {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                             {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kMostLevels}};

/// Counters in a buffer that kernels know by its address.
class CounterRing {
 public:
  explicit CounterRing(const Gpu& gpu) : gpu_(gpu) {}
  CounterRing(const CounterRing&) = delete;
  CounterRing& operator=(const CounterRing&) = delete;
  ~CounterRing() {
    gpu_.vk().vkDestroyBuffer(gpu_.handle(), buffer_, nullptr);
    gpu_.vk().vkFreeMemory(gpu_.handle(), memory_, nullptr);
  }

  Result<void> init() {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 2 * kHalfBytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkResult result = gpu_.vk().vkCreateBuffer(gpu_.handle(), &info, nullptr, &buffer_);
    if (result != VK_SUCCESS) return vulkan::vulkan_error(result, "vkCreateBuffer");
    VkMemoryRequirements needs{};
    gpu_.vk().vkGetBufferMemoryRequirements(gpu_.handle(), buffer_, &needs);
    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.pNext = &flags;
    allocate.allocationSize = needs.size;
    while ((needs.memoryTypeBits >> allocate.memoryTypeIndex & 1U) == 0 || !is_device_local(allocate.memoryTypeIndex)) {
      if (++allocate.memoryTypeIndex == gpu_.impl().memory.memoryTypeCount) {
        return Error{ErrorCode::kDevice, "no memory type for counters", gpu_.device().info().name};
      }
    }
    result = gpu_.vk().vkAllocateMemory(gpu_.handle(), &allocate, nullptr, &memory_);
    if (result != VK_SUCCESS) return vulkan::vulkan_error(result, "vkAllocateMemory");
    result = gpu_.vk().vkBindBufferMemory(gpu_.handle(), buffer_, memory_, 0);
    if (result != VK_SUCCESS) return vulkan::vulkan_error(result, "vkBindBufferMemory");
    VkBufferDeviceAddressInfo address{};
    address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    address.buffer = buffer_;
    address_ = gpu_.vkGetBufferDeviceAddress(gpu_.handle(), &address);
    return gpu_.device().run([&](VkCommandBuffer commands) {
      gpu_.vk().vkCmdFillBuffer(commands, buffer_, 0, VK_WHOLE_SIZE, 0);
      full_barrier(gpu_, commands);
    });
  }

  /// The address of a counter that is 0 when the commands that follow are executed.
  VkDeviceAddress next(VkCommandBuffer commands) const {
    const uint32_t index = used_++ % (2 * kHalfRing);
    if (index % kHalfRing == 0) {
      full_barrier(gpu_, commands);
      gpu_.vk().vkCmdFillBuffer(commands, buffer_, index == 0 ? kHalfBytes : 0, kHalfBytes, 0);
      full_barrier(gpu_, commands);
    }
    return address_ + sizeof(uint32_t) * index;
  }

 private:
  static constexpr VkDeviceSize kHalfBytes = sizeof(uint32_t) * kHalfRing;

  [[nodiscard]] bool is_device_local(uint32_t type) const {
    return (gpu_.impl().memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
  }

  const Gpu& gpu_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceAddress address_ = 0;
  mutable uint32_t used_ = 0;  // by commands, which are recorded anew for every submission
};

class Dxvk final : public VulkanTechnique {
 public:
  Dxvk(const Gpu& gpu, const ImageSets& images)
      : gpu_(gpu), pyramid_(images.pyramid()), levels_(images.target(0).levels), counters_(gpu), views_(gpu, images) {}

  Result<void> init(const ImageSets& images) {
    PipelineRequest request;
    request.code = kernel_peer_dxvk_mipgen;
    request.bindings = kSamplerBindings;
    request.bindings_1 = kImageBindings;
    request.constants = {static_cast<uint32_t>(pyramid_.target), format_info(pyramid_.target).bytes_per_texel / 4};
    request.push_bytes = sizeof(Push);
    request.linear_filter = true;
    auto pipeline = ComputePipeline::create(gpu_, request);
    if (!pipeline) return pipeline.error();
    pipeline_ = std::move(*pipeline);
    auto samplers = DescriptorSets::create(gpu_, *pipeline_, kSamplerBindings, 1);
    if (!samplers) return samplers.error();
    samplers_ = std::move(*samplers);
    samplers_->write_image(0, 0, VK_DESCRIPTOR_TYPE_SAMPLER,
                           {pipeline_->sampler(), VK_NULL_HANDLE, VK_IMAGE_LAYOUT_UNDEFINED});
    auto sets = DescriptorSets::create(gpu_, *pipeline_, kImageBindings, static_cast<uint32_t>(images.count()), 1);
    if (!sets) return sets.error();
    sets_ = std::move(*sets);
    for (size_t i = 0; i < images.count(); ++i) {
      if (auto written = write_set(i); !written) return written;
    }
    return counters_.init();
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    const Push push{counters_.next(commands), 0, levels_};
    const VkDescriptorSet images = (*sets_)[set];
    gpu_.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_->layout(), 1, 1, &images, 0,
                                      nullptr);
    const Extent groups = level_size(pyramid_.size, kLevelsPerStep);
    pipeline_->dispatch(commands, (*samplers_)[0], std::bit_cast<std::array<uint32_t, 4>>(push), groups.width,
                        groups.height);
  }

  uint64_t bytes() const override {
    const PyramidPlan plan = *plan_pyramid(pyramid_.options());
    return plan.bytes_read + plan.bytes_written;
  }

 private:
  struct Push {
    VkDeviceAddress counter;
    uint32_t sampler;
    uint32_t levels;
  };

  Result<void> write_set(size_t set) {
    auto source = views_.source(set);
    if (!source) return source.error();
    sets_->write_image(set, 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, {VK_NULL_HANDLE, *source, source_layout()});
    auto levels = views_.levels(set, kMostLevels);
    if (!levels) return levels.error();
    const auto level_of = [&](uint32_t n) {
      return VkDescriptorImageInfo{VK_NULL_HANDLE, (*levels)[n], VK_IMAGE_LAYOUT_GENERAL};
    };
    for (uint32_t n = 0; n < kMostLevels; ++n) {
      sets_->write_image(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, level_of(n), n);
    }
    return {};
  }

  const Gpu& gpu_;
  PyramidCase pyramid_;
  uint32_t levels_;
  CounterRing counters_;
  std::unique_ptr<ComputePipeline> pipeline_;
  std::unique_ptr<DescriptorSets> samplers_;
  std::unique_ptr<DescriptorSets> sets_;
  SetViews views_;
};

}  // namespace

TechniqueResult make_dxvk(const Gpu& gpu, const ImageSets& images, const PyramidPeerCase& one) {
  const auto unsupported = [&](const char* message) {
    return Error{ErrorCode::kUnsupported, message, gpu.device().info().name};
  };
  const vulkan::EnabledFeatures& features = gpu.device().handles().features;
  if (!gpu.has_peer_features() || !features.storage_image_read_without_format ||
      !features.storage_image_array_dynamic_indexing || !features.subgroup_uniform_control_flow) {
    return unsupported("lacks a feature that DXVK's mip generator needs");
  }
  if (!gpu.can_filter(one.pyramid.source)) return unsupported("no linear filter for this format");
  auto out = std::make_unique<Dxvk>(gpu, images);
  if (auto made = out->init(images); !made) return made.error();
  return std::unique_ptr<VulkanTechnique>(std::move(out));
}

}  // namespace onepass::bench
