// vulkan_binding.cpp: Pyramid::bind: creates the image views and descriptor sets for a pyramid's images and scratch.
#include <algorithm>
#include <string>

#include "pyramid/vulkan_impl.hpp"
#include "vulkan/image_view.hpp"

namespace onepass::vulkan {
namespace {

Result<void> create_views(const Pyramid::Impl& pyramid, const PyramidImages& images, PyramidBinding::Impl& binding) {
  const Device::Impl& device = pyramid.device.impl();
  const PyramidOptions& options = pyramid.layout.options;
  auto source = create_view(device, {.image = images.source,
                                     .format = static_cast<VkFormat>(options.source),
                                     .level = images.source_level,
                                     .first_slice = images.source_slice,
                                     .slices = options.slices,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                                     .depth = format_info(options.source).depth});
  if (!source) return source.error();
  binding.source = *source;
  for (uint32_t n = 1; n < pyramid.layout.plan.plan.levels; ++n) {
    auto level = create_view(device, {.image = images.target,
                                      .format = storage_format(options.target),
                                      .level = images.target_level + n - 1,
                                      .first_slice = images.target_slice,
                                      .slices = options.slices,
                                      .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    if (!level) return level.error();
    binding.levels.push_back(*level);
  }
  return {};
}

Result<void> allocate_sets(const Pyramid::Impl& pyramid, PyramidBinding::Impl& binding) {
  const Device::Impl& device = pyramid.device.impl();
  const auto levels = static_cast<uint32_t>(binding.levels.size());
  const bool single = pyramid.layout.plan.path == PyramidPath::kSingleDispatch;
  const uint32_t sets = single ? 1 : levels;
  const VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sets},
      {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, sets * pyramid.images_per_set},
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets * 3},
  };
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = sets;
  pool.poolSizeCount = 3;
  pool.pPoolSizes = sizes;
  VkResult result = device.functions.vkCreateDescriptorPool(device.handles.device, &pool, nullptr, &binding.pool);
  if (result != VK_SUCCESS) return vulkan_error(result, "vkCreateDescriptorPool");
  const std::vector<VkDescriptorSetLayout> layouts(sets, pyramid.pipelines->set_layout);
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = binding.pool;
  allocate.descriptorSetCount = sets;
  allocate.pSetLayouts = layouts.data();
  binding.sets.resize(sets);
  result = device.functions.vkAllocateDescriptorSets(device.handles.device, &allocate, binding.sets.data());
  if (result != VK_SUCCESS) return vulkan_error(result, "vkAllocateDescriptorSets");
  return {};
}

// Writes the source, the level images from `first_level` on and the scratch buffers to one descriptor set.
void write_set(const Pyramid::Impl& pyramid, const PyramidBinding::Impl& binding, VkDescriptorSet set,
               uint32_t first_level, VkImageLayout source_layout) {
  const Device::Impl& device = pyramid.device.impl();
  const VkDescriptorImageInfo source{pyramid.pipelines->sampler, binding.source, source_layout};
  std::vector<VkDescriptorImageInfo> levels(pyramid.images_per_set);
  for (uint32_t i = 0; i < levels.size(); ++i) {
    const size_t level = std::min<size_t>(first_level + i, binding.levels.size() - 1);  // unused entries: last level
    levels[i] = {VK_NULL_HANDLE, binding.levels[level], VK_IMAGE_LAYOUT_GENERAL};
  }
  const pyramid::DispatchLayout& layout = pyramid.layout;
  const auto range = [](uint64_t bytes) { return std::max<uint64_t>(bytes, 16); };
  const VkDescriptorBufferInfo buffers[] = {
      {binding.scratch, binding.scratch_offset, range(layout.counter_bytes)},
      {binding.scratch, binding.scratch_offset + layout.intermediate_offset,
       range(layout.intermediate_bytes + layout.mailbox_bytes)},
      {binding.scratch, binding.scratch_offset + layout.histogram_offset, range(layout.histogram_bytes)},
  };
  const auto write = [&](uint32_t index, VkDescriptorType type, uint32_t count, const VkDescriptorImageInfo* image,
                         const VkDescriptorBufferInfo* buffer) {
    VkWriteDescriptorSet w{};
    w.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    w.dstSet = set;
    w.dstBinding = index;
    w.descriptorCount = count;
    w.descriptorType = type;
    w.pImageInfo = image;
    w.pBufferInfo = buffer;
    return w;
  };
  const VkWriteDescriptorSet writes[] = {
      write(kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, &source, nullptr),
      write(kLevels, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, pyramid.images_per_set, levels.data(), nullptr),
      write(kCounters, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, nullptr, &buffers[0]),
      write(kIntermediate, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, nullptr, &buffers[1]),
      write(kHistogram, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, nullptr, &buffers[2]),
  };
  device.functions.vkUpdateDescriptorSets(device.handles.device, pyramid.coverage() ? 5 : 4, writes, 0, nullptr);
}

Result<void> check_images(const Pyramid::Impl& pyramid, const PyramidImages& images) {
  const auto invalid = [](std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message), {}}; };
  if (images.source == VK_NULL_HANDLE) return invalid("source: null image");
  if (images.target == VK_NULL_HANDLE && pyramid.layout.plan.plan.levels > 1) return invalid("target: null image");
  if (images.scratch_offset % 256 != 0) {
    return invalid("scratch_offset: " + std::to_string(images.scratch_offset) + " is not a multiple of 256");
  }
  const PyramidOptions& options = pyramid.layout.options;
  const auto overlap = [](uint32_t a, uint32_t a_count, uint32_t b, uint32_t b_count) {
    return a < b + b_count && b < a + a_count;
  };
  if (images.source == images.target &&
      overlap(images.source_slice, options.slices, images.target_slice, options.slices) &&
      overlap(images.source_level, 1, images.target_level, pyramid.layout.plan.plan.levels - 1)) {
    return invalid("target_level: " + std::to_string(images.target_level) +
                   " and up would overwrite the source, level " + std::to_string(images.source_level) +
                   " of the same image");
  }
  return {};
}

}  // namespace

PyramidBinding::Impl::~Impl() {
  if (!pyramid) return;
  const Device::Impl& device = pyramid->device.impl();
  VkDevice handle = device.handles.device;
  device.functions.vkDestroyDescriptorPool(handle, pool, nullptr);
  device.functions.vkDestroyImageView(handle, source, nullptr);
  for (VkImageView level : levels) device.functions.vkDestroyImageView(handle, level, nullptr);
}

PyramidBinding::PyramidBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PyramidBinding::PyramidBinding(PyramidBinding&&) noexcept = default;
PyramidBinding& PyramidBinding::operator=(PyramidBinding&&) noexcept = default;
PyramidBinding::~PyramidBinding() = default;

Result<PyramidBinding> Pyramid::bind(const PyramidImages& images) const {
  if (auto checked = check_images(*impl_, images); !checked) return checked.error();
  auto binding = std::make_unique<PyramidBinding::Impl>();
  binding->pyramid = impl_;
  binding->scratch = images.scratch;
  binding->scratch_offset = images.scratch_offset;
  if (images.scratch == VK_NULL_HANDLE) {
    auto scratch = Buffer::create(impl_->device.impl(), impl_->layout.plan.scratch_bytes,
                                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false);
    if (!scratch) return scratch.error();
    binding->owned_scratch = std::move(*scratch);
    binding->scratch = binding->owned_scratch.buffer;
    binding->scratch_offset = 0;
  }
  if (impl_->layout.plan.plan.levels == 1) return PyramidBinding(std::move(binding));
  if (auto created = create_views(*impl_, images, *binding); !created) return created.error();
  if (auto allocated = allocate_sets(*impl_, *binding); !allocated) return allocated.error();
  for (uint32_t i = 0; i < binding->sets.size(); ++i)
    write_set(*impl_, *binding, binding->sets[i], i, images.source_layout);
  return PyramidBinding(std::move(binding));
}

}  // namespace onepass::vulkan
