// shader_testing.cpp: creates resources for one run, uploads, dispatches and reads back. Pipelines stay until the end
// of the program, because software Vulkan compiles a pyramid for seconds.
#include "tests/shaders/shader_testing.hpp"

#include <cstring>
#include <map>

namespace onepass::testing {
namespace {

using vulkan::Buffer;
using vulkan::DeviceImage;

const vulkan::Device::Impl& gpu() { return test_device().impl(); }
const vulkan::DeviceFunctions& vk() { return gpu().functions; }
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

void record(const std::function<void(VkCommandBuffer)>& commands) {
  auto ran = test_device().run(commands);
  if (!ran) ADD_FAILURE() << ran.error().text();
}

Format format_of(uint32_t channels) { return channels == 1 ? Format::kR32Sfloat : Format::kRGBA32Sfloat; }

// For a ShaderSource or a ShaderTarget.
template <typename Bound>
DeviceImage create_image(const Bound& bound, VkImageUsageFlags usage) {
  return value_of(DeviceImage::create(gpu(), {.format = format_of(bound.channels),
                                              .size = bound.size,
                                              .levels = static_cast<uint32_t>(bound.levels.size()),
                                              .slices = std::max(bound.slices, 1U),
                                              .usage = usage}));
}

// `slices`: 0 for a view that is no array.
VkImageView view_of(const DeviceImage& image, uint32_t first, uint32_t count, uint32_t slices) {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image.image;
  info.viewType = slices == 0 ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  info.format = static_cast<VkFormat>(image.format);
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, first, count, 0, std::max(slices, 1U)};
  VkImageView view = VK_NULL_HANDLE;
  check(vk().vkCreateImageView(handle(), &info, nullptr, &view), "vkCreateImageView");
  return view;
}

// Copies levels in the packed layout of vulkan::copy_levels().
void copy_texels(const DeviceImage& image, std::vector<std::vector<float>>& levels, std::byte* bytes, bool upload) {
  uint64_t offset = 0;
  for (uint32_t n = 0; n < image.levels; ++n) {
    std::vector<float>& level = levels[n];
    level.resize(image.level_bytes(n) / 4);
    if (upload) {
      std::memcpy(bytes + offset, level.data(), level.size() * 4);
    } else {
      std::memcpy(level.data(), bytes + offset, level.size() * 4);
    }
    offset += vulkan::packed_bytes(image, n, 1);
  }
}

// Fills the levels of a new image and leaves it in `layout` for compute shaders.
void upload(const DeviceImage& image, std::vector<std::vector<float>>& levels, VkImageLayout layout) {
  Buffer staging = value_of(
      Buffer::create(gpu(), vulkan::packed_bytes(image, 0, image.levels), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true));
  copy_texels(image, levels, static_cast<std::byte*>(staging.mapped), true);
  record([&](VkCommandBuffer commands) {
    image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                     vulkan::kTransferWrites);
    vulkan::copy_levels(image, staging, 0, 0, image.levels, true, commands);
    image.transition(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, vulkan::kTransferWrites, layout,
                     vulkan::kShaderReads | vulkan::kShaderWrites);
  });
}

struct BoundImage {
  DeviceImage image;
  std::vector<VkImageView> views;
};

// Cached for the next run of the same code, because software Vulkan compiles a pyramid for seconds.
struct Pipeline {
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;

  ~Pipeline() {
    vk().vkDestroyPipeline(handle(), pipeline, nullptr);
    vk().vkDestroyPipelineLayout(handle(), layout, nullptr);
    vk().vkDestroyDescriptorSetLayout(handle(), set_layout, nullptr);
  }
};
std::map<const uint32_t*, Pipeline> pipelines;

// Destroys the pipelines before the device.
class DestroysPipelines : public ::testing::Environment {
  void TearDown() override { pipelines.clear(); }
};
const auto* const kDestroysPipelines = ::testing::AddGlobalTestEnvironment(new DestroysPipelines);

struct Session {
  std::vector<Buffer> buffers;
  std::vector<BoundImage> sources, targets;
  VkSampler sampler = VK_NULL_HANDLE, linear = VK_NULL_HANDLE;
  const Pipeline* kernel = nullptr;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;

  ~Session() {
    for (const auto* images : {&sources, &targets}) {
      for (const BoundImage& image : *images) {
        for (VkImageView view : image.views) vk().vkDestroyImageView(handle(), view, nullptr);
      }
    }
    vk().vkDestroyDescriptorPool(handle(), pool, nullptr);
    vk().vkDestroySampler(handle(), sampler, nullptr);
    vk().vkDestroySampler(handle(), linear, nullptr);
  }
};

VkDescriptorType type_of(const ShaderBuffer& buffer) {
  return buffer.uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

void create_resources(ShaderRun& run, Session& s) {
  for (const ShaderBuffer& buffer : run.buffers) {
    const auto usage = buffer.uniform ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    const size_t bytes = buffer.words->size() * 4;
    s.buffers.push_back(value_of(Buffer::create(gpu(), std::max<size_t>(bytes, 4), usage, true)));
    std::memcpy(s.buffers.back().mapped, buffer.words->data(), bytes);
  }
  for (ShaderSource& source : run.sources) {
    BoundImage bound;
    bound.image = create_image(source, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    upload(bound.image, source.levels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    bound.views.push_back(view_of(bound.image, 0, bound.image.levels, source.slices));
    s.sources.push_back(std::move(bound));
  }
  for (ShaderTarget& target : run.targets) {
    BoundImage bound;
    bound.image = create_image(
        target, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    if (target.keeps) {
      upload(bound.image, target.levels, VK_IMAGE_LAYOUT_GENERAL);
    } else {
      record([&](VkCommandBuffer commands) {
        bound.image.transition(commands, VK_IMAGE_LAYOUT_UNDEFINED, vulkan::kNoAccesses, VK_IMAGE_LAYOUT_GENERAL,
                               vulkan::kShaderWrites);
      });
    }
    for (uint32_t n = 0; n < target.descriptors; ++n) {
      bound.views.push_back(view_of(bound.image, std::min(n, bound.image.levels - 1), 1, target.slices));
    }
    s.targets.push_back(std::move(bound));
  }
}

std::vector<VkDescriptorSetLayoutBinding> bindings_of(const ShaderRun& run) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  const auto add = [&](uint32_t binding, VkDescriptorType type, uint32_t count) {
    bindings.push_back({binding, type, count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  };
  for (const ShaderBuffer& b : run.buffers) add(b.binding, type_of(b), 1);
  for (const ShaderSource& b : run.sources) add(b.binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1);
  for (const ShaderTarget& b : run.targets) add(b.binding, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, b.descriptors);
  for (const uint32_t binding : run.samplers) add(binding, VK_DESCRIPTOR_TYPE_SAMPLER, 1);
  return bindings;
}

void create_pipeline(const ShaderRun& run, Pipeline& p) {
  const std::vector<VkDescriptorSetLayoutBinding> bindings = bindings_of(run);
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  check(vk().vkCreateDescriptorSetLayout(handle(), &set, nullptr, &p.set_layout), "set layout");
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(run.push.size() * 4)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &p.set_layout;
  layout.pushConstantRangeCount = run.push.empty() ? 0 : 1;
  layout.pPushConstantRanges = &range;
  check(vk().vkCreatePipelineLayout(handle(), &layout, nullptr, &p.layout), "pipeline layout");
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = run.code.size_bytes();
  module_info.pCode = run.code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(vk().vkCreateShaderModule(handle(), &module_info, nullptr, &module), "shader module");
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = p.layout;
  check(vk().vkCreateComputePipelines(handle(), VK_NULL_HANDLE, 1, &info, nullptr, &p.pipeline), "pipeline");
  vk().vkDestroyShaderModule(handle(), module, nullptr);
}

void create_pool(const ShaderRun& run, Session& s) {
  std::vector<VkDescriptorPoolSize> sizes;
  for (const auto& binding : bindings_of(run)) sizes.push_back({binding.descriptorType, binding.descriptorCount});
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
  pool.pPoolSizes = sizes.data();
  check(vk().vkCreateDescriptorPool(handle(), &pool, nullptr, &s.pool), "descriptor pool");
}

void write_set(const ShaderRun& run, Session& s) {
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = s.pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &s.kernel->set_layout;
  check(vk().vkAllocateDescriptorSets(handle(), &allocate, &s.set), "descriptor set");
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = s.set;
  write.descriptorCount = 1;
  for (size_t i = 0; i < run.buffers.size(); ++i) {
    const VkDescriptorBufferInfo buffer{s.buffers[i].buffer, 0, VK_WHOLE_SIZE};
    write.dstBinding = run.buffers[i].binding;
    write.descriptorType = type_of(run.buffers[i]);
    write.pBufferInfo = &buffer;
    vk().vkUpdateDescriptorSets(handle(), 1, &write, 0, nullptr);
  }
  for (size_t i = 0; i < run.sources.size(); ++i) {
    const VkDescriptorImageInfo image{s.sampler, s.sources[i].views[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    write.dstBinding = run.sources[i].binding;
    write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    write.pImageInfo = &image;
    vk().vkUpdateDescriptorSets(handle(), 1, &write, 0, nullptr);
  }
  for (const uint32_t binding : run.samplers) {
    const VkDescriptorImageInfo sampler{s.linear, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_UNDEFINED};
    write.dstBinding = binding;
    write.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER;
    write.pImageInfo = &sampler;
    vk().vkUpdateDescriptorSets(handle(), 1, &write, 0, nullptr);
  }
  for (size_t i = 0; i < run.targets.size(); ++i) {
    for (uint32_t n = 0; n < run.targets[i].descriptors; ++n) {
      const VkDescriptorImageInfo image{VK_NULL_HANDLE, s.targets[i].views[n], VK_IMAGE_LAYOUT_GENERAL};
      write.dstBinding = run.targets[i].binding;
      write.dstArrayElement = n;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
      write.pImageInfo = &image;
      vk().vkUpdateDescriptorSets(handle(), 1, &write, 0, nullptr);
    }
  }
}

void dispatch(const ShaderRun& run, const Session& s) {
  record([&](VkCommandBuffer commands) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, s.kernel->pipeline);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, s.kernel->layout, 0, 1, &s.set, 0, nullptr);
    if (!run.push.empty()) {
      vk().vkCmdPushConstants(commands, s.kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              static_cast<uint32_t>(run.push.size() * 4), run.push.data());
    }
    for (uint32_t i = 0; i < run.times; ++i) {
      vk().vkCmdDispatch(commands, run.groups[0], run.groups[1], run.groups[2]);
      vulkan::record_barrier(test_device().impl(), commands,
                             {.before = vulkan::kShaderWrites,
                              .after = vulkan::kShaderReads | vulkan::kShaderWrites | vulkan::kHostReads});
    }
  });
}

void read_back(ShaderRun& run, const Session& s) {
  for (size_t i = 0; i < run.buffers.size(); ++i) {
    std::memcpy(run.buffers[i].words->data(), s.buffers[i].mapped, run.buffers[i].words->size() * 4);
  }
  for (size_t i = 0; i < run.targets.size(); ++i) {
    const DeviceImage& image = s.targets[i].image;
    Buffer staging = value_of(
        Buffer::create(gpu(), vulkan::packed_bytes(image, 0, image.levels), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true));
    record([&](VkCommandBuffer commands) {
      image.transition(commands, VK_IMAGE_LAYOUT_GENERAL, vulkan::kShaderWrites, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                       vulkan::kTransferReads);
      vulkan::copy_levels(image, staging, 0, 0, image.levels, false, commands);
    });
    copy_texels(image, run.targets[i].levels, static_cast<std::byte*>(staging.mapped), false);
  }
}

}  // namespace

void run_shader(ShaderRun& run) {
  Session s;
  VkSamplerCreateInfo sampler{};
  sampler.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  check(vk().vkCreateSampler(handle(), &sampler, nullptr, &s.sampler), "vkCreateSampler");
  sampler.magFilter = sampler.minFilter = VK_FILTER_LINEAR;
  sampler.addressModeU = sampler.addressModeV = sampler.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  check(vk().vkCreateSampler(handle(), &sampler, nullptr, &s.linear), "vkCreateSampler");
  create_resources(run, s);
  const auto [kernel, is_new] = pipelines.try_emplace(run.code.data());
  if (is_new) create_pipeline(run, kernel->second);
  s.kernel = &kernel->second;
  create_pool(run, s);
  write_set(run, s);
  dispatch(run, s);
  read_back(run, s);
}

}  // namespace onepass::testing
