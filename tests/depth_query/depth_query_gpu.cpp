// depth_query_gpu.cpp: writes queries as words to a buffer and runs one dispatch per kind of query, with the scene's
// levels both in buffers and in images with reduction samplers.
#include "tests/depth_query/depth_query_gpu.hpp"

#include <bit>
#include <cstring>

#if ONEPASS_TEST_HLSL
#include "hlsl_kernels/test_depth_query.h"
#else
#include "kernels/test_depth_query.h"
#endif

namespace onepass::testing {
namespace {

using depth_query::DepthPyramid;
using vulkan::Buffer;
using vulkan::DeviceImage;

const vulkan::Device::Impl& gpu() { return test_device().impl(); }
VkDevice handle() { return gpu().handles.device; }

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) ADD_FAILURE() << what << " failed: " << result;
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().text();
    return T();
  }
  return std::move(*result);
}

void run(const std::function<void(VkCommandBuffer)>& record) {
  auto ran = test_device().run(record);
  if (!ran) ADD_FAILURE() << ran.error().text();
}

constexpr uint32_t kBuffers = 5;
constexpr uint32_t kSamplers = 2;

struct Push {
  uint32_t size[2];
  uint32_t first_level, last_level, footprint, reversed_z, count, tile_factor;
};

Buffer host_buffer(const void* bytes, size_t size) {
  Buffer buffer = value_of(Buffer::create(gpu(), std::max<size_t>(size, 4), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true));
  if (bytes != nullptr && buffer.mapped != nullptr) std::memcpy(buffer.mapped, bytes, size);
  return buffer;
}

DeviceImage level_image(Extent size, const std::vector<std::vector<float>>& levels) {
  DeviceImage image =
      value_of(DeviceImage::create(gpu(), {.format = Format::kR32Sfloat,
                                           .size = size,
                                           .levels = static_cast<uint32_t>(levels.size()),
                                           .slices = 1,
                                           .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT}));
  Buffer staging = value_of(
      Buffer::create(gpu(), vulkan::packed_bytes(image, 0, image.levels), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true));
  uint64_t offset = 0;
  for (uint32_t level = 0; level < image.levels; ++level) {
    std::memcpy(static_cast<std::byte*>(staging.mapped) + offset, levels[level].data(), levels[level].size() * 4);
    offset += vulkan::packed_bytes(image, level, 1);
  }
  run([&](VkCommandBuffer commands) {
    image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                     vulkan::kTransferWrites);
    vulkan::copy_levels(image, staging, 0, 0, image.levels, true, commands);
    image.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites,
                     VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, vulkan::kShaderReads);
  });
  return image;
}

VkImageView view_of(const DeviceImage& image) {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image.image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = VK_FORMAT_R32_SFLOAT;
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, image.levels, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  check(gpu().functions.vkCreateImageView(handle(), &info, nullptr, &view), "vkCreateImageView");
  return view;
}

VkSampler reduction_sampler(VkSamplerReductionMode mode) {
  VkSamplerReductionModeCreateInfo reduction{};
  reduction.sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO;
  reduction.reductionMode = mode;
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.pNext = GpuQueries::has_reduction_sampler() ? &reduction : nullptr;
  info.magFilter = GpuQueries::has_reduction_sampler() ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  info.minFilter = info.magFilter;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeV = info.addressModeU;
  info.addressModeW = info.addressModeU;
  info.maxLod = VK_LOD_CLAMP_NONE;
  VkSampler sampler = VK_NULL_HANDLE;
  check(gpu().functions.vkCreateSampler(handle(), &info, nullptr, &sampler), "vkCreateSampler");
  return sampler;
}

}  // namespace

Query& Query::add(uint32_t word) {
  words[count_++] = word;
  return *this;
}

Query& Query::add(float number) { return add(std::bit_cast<uint32_t>(number)); }

Query& Query::add(const depth_query::Projection& p) {
  return add(p.scale)
      .add(p.offset)
      .add(p.near_plane)
      .add(p.far_plane)
      .add(p.orthographic ? 1U : 0U)
      .add(p.reversed_z ? 1U : 0U);
}

float Answer::number(size_t i) const { return std::bit_cast<float>(words[i]); }

struct GpuQueries::Objects {
  DepthPyramid pyramid;
  uint32_t tile_factor = 1;
  Buffer farthest, nearest, offsets;
  DeviceImage images[kSamplers];
  VkImageView views[kSamplers] = {};
  VkSampler samplers[kSamplers] = {};
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;

  void create_layouts() {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (uint32_t i = 0; i < kBuffers + kSamplers; ++i) {
      const auto type = i < kBuffers ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
      bindings.push_back({i, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    }
    VkDescriptorSetLayoutCreateInfo set{};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set.bindingCount = static_cast<uint32_t>(bindings.size());
    set.pBindings = bindings.data();
    check(gpu().functions.vkCreateDescriptorSetLayout(handle(), &set, nullptr, &set_layout), "set layout");
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Push)};
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    check(gpu().functions.vkCreatePipelineLayout(handle(), &info, nullptr, &layout), "pipeline layout");
  }

  [[nodiscard]] VkPipeline create_pipeline(QueryKind kind) const {
    VkShaderModuleCreateInfo module_info{};
    module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module_info.codeSize = sizeof(kernel_test_depth_query);
    module_info.pCode = kernel_test_depth_query;
    VkShaderModule module = VK_NULL_HANDLE;
    check(gpu().functions.vkCreateShaderModule(handle(), &module_info, nullptr, &module), "shader module");
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo specialization{1, &entry, 4, &kind};
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialization;
    info.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(gpu().functions.vkCreateComputePipelines(handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), "pipeline");
    gpu().functions.vkDestroyShaderModule(handle(), module, nullptr);
    return pipeline;
  }

  [[nodiscard]] VkDescriptorPool create_pool() const {
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kBuffers},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kSamplers}};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = 1;
    info.poolSizeCount = 2;
    info.pPoolSizes = sizes;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    check(gpu().functions.vkCreateDescriptorPool(handle(), &info, nullptr, &pool), "descriptor pool");
    return pool;
  }

  [[nodiscard]] VkDescriptorSet write_set(VkDescriptorPool pool, const Buffer& queries, const Buffer& answers) const {
    VkDescriptorSetAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    check(gpu().functions.vkAllocateDescriptorSets(handle(), &allocate, &set), "descriptor set");
    const VkBuffer buffers[kBuffers] = {farthest.buffer, nearest.buffer, offsets.buffer, queries.buffer,
                                        answers.buffer};
    for (uint32_t i = 0; i < kBuffers + kSamplers; ++i) {
      const VkDescriptorBufferInfo buffer{i < kBuffers ? buffers[i] : VK_NULL_HANDLE, 0, VK_WHOLE_SIZE};
      const uint32_t n = i < kBuffers ? 0 : i - kBuffers;
      const VkDescriptorImageInfo image{samplers[n], views[n], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
      VkWriteDescriptorSet write{};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = set;
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType =
          i < kBuffers ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
      write.pBufferInfo = &buffer;
      write.pImageInfo = &image;
      gpu().functions.vkUpdateDescriptorSets(handle(), 1, &write, 0, nullptr);
    }
    return set;
  }
};

bool GpuQueries::has_reduction_sampler() { return test_device().info().features.sampler_filter_minmax; }

GpuQueries::GpuQueries(const DepthScene& scene, uint32_t tile_factor) : objects_(std::make_unique<Objects>()) {
  Objects& o = *objects_;
  o.pyramid = scene.pyramid();
  o.tile_factor = tile_factor;
  const Extent size = scene.size();
  std::vector<float> farthest;
  std::vector<float> nearest;
  std::vector<uint32_t> offsets(17, 0);
  for (size_t level = 0; level < scene.farthest_levels().size(); ++level) {
    offsets[level] = static_cast<uint32_t>(farthest.size());
    farthest.insert(farthest.end(), scene.farthest_levels()[level].begin(), scene.farthest_levels()[level].end());
    nearest.insert(nearest.end(), scene.nearest_levels()[level].begin(), scene.nearest_levels()[level].end());
  }
  offsets[16] = static_cast<uint32_t>(nearest.size());
  for (uint32_t y = 0; y < size.height; y += tile_factor) {
    for (uint32_t x = 0; x < size.width; x += tile_factor) {
      nearest.push_back(
          scene.extreme(x, std::min(size.width, x + tile_factor), y, std::min(size.height, y + tile_factor), false));
    }
  }
  o.farthest = host_buffer(farthest.data(), farthest.size() * 4);
  o.nearest = host_buffer(nearest.data(), nearest.size() * 4);
  o.offsets = host_buffer(offsets.data(), offsets.size() * 4);
  o.images[0] = level_image(size, scene.farthest_levels());
  o.images[1] = level_image(size, scene.nearest_levels());
  const bool reversed = scene.pyramid().reversed_z;
  for (uint32_t i = 0; i < kSamplers; ++i) {
    o.views[i] = view_of(o.images[i]);
    const bool largest = (i == 0) != reversed;
    o.samplers[i] = reduction_sampler(largest ? VK_SAMPLER_REDUCTION_MODE_MAX : VK_SAMPLER_REDUCTION_MODE_MIN);
  }
  o.create_layouts();
}

GpuQueries::~GpuQueries() {
  const vulkan::DeviceFunctions& vk = gpu().functions;
  for (uint32_t i = 0; i < kSamplers; ++i) {
    vk.vkDestroyImageView(handle(), objects_->views[i], nullptr);
    vk.vkDestroySampler(handle(), objects_->samplers[i], nullptr);
  }
  vk.vkDestroyPipelineLayout(handle(), objects_->layout, nullptr);
  vk.vkDestroyDescriptorSetLayout(handle(), objects_->set_layout, nullptr);
}

std::vector<Answer> GpuQueries::ask(QueryKind kind, const std::vector<Query>& queries) {
  const Objects& o = *objects_;
  std::vector<uint32_t> words;
  for (const Query& query : queries) words.insert(words.end(), query.words.begin(), query.words.end());
  const Buffer asked = host_buffer(words.data(), words.size() * 4);
  std::vector<Answer> answers(queries.size());
  const Buffer answered = host_buffer(answers.data(), answers.size() * sizeof(Answer));
  const VkPipeline pipeline = o.create_pipeline(kind);
  const VkDescriptorPool pool = o.create_pool();
  const VkDescriptorSet set = o.write_set(pool, asked, answered);
  const auto count = static_cast<uint32_t>(queries.size());
  const Push push{{o.pyramid.size.width, o.pyramid.size.height},
                  o.pyramid.first_level,
                  o.pyramid.last_level,
                  static_cast<uint32_t>(o.pyramid.footprint),
                  o.pyramid.reversed_z ? 1U : 0U,
                  count,
                  o.tile_factor};
  const vulkan::DeviceFunctions& vk = gpu().functions;
  run([&](VkCommandBuffer commands) {
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, o.layout, 0, 1, &set, 0, nullptr);
    vk.vkCmdPushConstants(commands, o.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
    vk.vkCmdDispatch(commands, (count + 63) / 64, 1, 1);
    vulkan::record_barrier(gpu(), commands, {.before = vulkan::kShaderWrites, .after = vulkan::kHostReads});
  });
  if (answered.mapped != nullptr) std::memcpy(answers.data(), answered.mapped, answers.size() * sizeof(Answer));
  vk.vkDestroyDescriptorPool(handle(), pool, nullptr);
  vk.vkDestroyPipeline(handle(), pipeline, nullptr);
  return answers;
}

}  // namespace onepass::testing
