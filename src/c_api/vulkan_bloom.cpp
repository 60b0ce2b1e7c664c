// vulkan_bloom.cpp: C functions that add bloom on a GPU.
#include "onepass/vulkan/bloom.hpp"

#include "c_api/vulkan_abi.hpp"

struct onepass_vulkan_bloom {
  onepass::vulkan::Bloom object;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_bloom_create(const onepass_vulkan_device* device, const onepass_bloom_options* options,
                                         const onepass_vulkan_transform_tuning* tuning, onepass_vulkan_bloom** bloom,
                                         onepass_error* error) {
  return create_on_device<vulkan::Bloom>(device, options, tuning, bloom, error);
}

void onepass_vulkan_bloom_destroy(onepass_vulkan_bloom* bloom) { delete bloom; }

uint64_t onepass_vulkan_bloom_scratch_bytes(const onepass_vulkan_bloom* bloom) {
  return bloom != nullptr ? bloom->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_bloom_mip_chain_info(const onepass_vulkan_bloom* bloom, VkImageCreateInfo* info) {
  if (bloom == nullptr || info == nullptr) return ONEPASS_INVALID_ARGUMENT;
  const VkImageCreateInfo wanted = bloom->object.mip_chain_info();
  if (wanted.format == VK_FORMAT_UNDEFINED) return ONEPASS_INVALID_ARGUMENT;
  *info = wanted;
  return ONEPASS_OK;
}

onepass_code onepass_vulkan_bloom_set_kernel(onepass_vulkan_bloom* bloom, const onepass_image_view* kernel,
                                             onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(bloom, "bloom"); !there) return there;
    auto from = view_of("kernel", kernel);
    if (!from) return from.error();
    return bloom->object.set_kernel(*from);
  });
}

onepass_code onepass_vulkan_bloom_record_kernel(const onepass_vulkan_bloom* bloom, VkCommandBuffer commands) {
  if (bloom == nullptr || commands == VK_NULL_HANDLE || !bloom->object.has_kernel()) return ONEPASS_INVALID_ARGUMENT;
  return guarded(nullptr, [&]() -> Result<void> {
    bloom->object.record_kernel(commands);
    return {};
  });
}

onepass_code onepass_vulkan_bloom_bind(const onepass_vulkan_bloom* bloom, const onepass_vulkan_operation_images* images,
                                       onepass_vulkan_operation_binding** binding, onepass_error* error) {
  return make_binding(binding, error, bloom, "bloom", [&]() -> Result<vulkan::OperationBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return bloom->object.bind(*i);
  });
}

onepass_code onepass_vulkan_bloom_record(const onepass_vulkan_bloom* bloom, VkCommandBuffer commands,
                                         const onepass_vulkan_operation_binding* binding) {
  if (bloom != nullptr && !bloom->object.has_kernel()) return ONEPASS_INVALID_ARGUMENT;
  return record_with(bloom, commands, binding, [&] { bloom->object.record(commands, binding->object); });
}

}  // extern "C"
