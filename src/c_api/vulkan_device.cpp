// vulkan_device.cpp: C functions for the caller's Vulkan device.
#include "c_api/vulkan_abi.hpp"

namespace onepass::c_api {
namespace {

// Handles come first, an even number of 32-bit fields after them, then pointers: no padding on any 64-bit system.
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_device_handles) == 128);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_memory_request) == 56);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_memory) == 32);

Result<vulkan::DeviceHandles> read_handles(const onepass_vulkan_device_handles* handles) {
  auto h = read_struct("handles", handles, onepass_vulkan_device_handles{});
  if (!h) return h.error();
  vulkan::DeviceHandles out{.get_instance_proc_addr = h->get_instance_proc_addr,
                            .instance = h->instance,
                            .physical_device = h->physical_device,
                            .device = h->device,
                            .queue_family = h->queue_family,
                            .features = {},
                            .pipeline_cache = h->pipeline_cache,
                            .allocation_callbacks = h->allocation_callbacks,
                            .api_version = h->api_version,
                            .memory = h->memory,
                            .tunings = h->tunings != nullptr ? h->tunings : ""};
  vulkan::EnabledFeatures& f = out.features;
  f.storage_image_write_without_format = h->shader_storage_image_write_without_format != VK_FALSE;
  f.storage_image_array_dynamic_indexing = h->shader_storage_image_array_dynamic_indexing != VK_FALSE;
  f.storage_image_read_without_format = h->shader_storage_image_read_without_format != VK_FALSE;
  f.compute_full_subgroups = h->compute_full_subgroups != VK_FALSE;
  f.subgroup_size_control = h->subgroup_size_control != VK_FALSE;
  f.sampler_filter_minmax = h->sampler_filter_minmax != VK_FALSE;
  f.subgroup_uniform_control_flow = h->shader_subgroup_uniform_control_flow != VK_FALSE;
  f.maximal_reconvergence = h->shader_maximal_reconvergence != VK_FALSE;
  return out;
}

}  // namespace

vulkan::Side to_cpp(const onepass_vulkan_side& side) {
  vulkan::Side out{.image = side.image,
                   .level = side.level,
                   .slice = side.slice,
                   .buffer = side.buffer,
                   .offset = side.offset,
                   .row_stride = side.row_stride,
                   .slice_stride = side.slice_stride};
  if (side.layout != VK_IMAGE_LAYOUT_UNDEFINED) out.layout = side.layout;
  return out;
}

vulkan::ReflectionImage to_cpp(const onepass_vulkan_reflection_image& image) {
  vulkan::ReflectionImage out{.image = image.image, .level = image.level, .first_slice = image.first_slice};
  if (image.layout != VK_IMAGE_LAYOUT_UNDEFINED) out.layout = image.layout;
  return out;
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_vulkan_device_handles_init(onepass_vulkan_device_handles* handles, size_t struct_size) {
  write_struct(handles, struct_size, onepass_vulkan_device_handles{});
}

onepass_code onepass_vulkan_device_adopt(const onepass_vulkan_device_handles* handles, onepass_vulkan_device** device,
                                         onepass_error* error) {
  return make_handle(device, error, [&]() -> Result<vulkan::Device> {
    auto lent = read_handles(handles);
    if (!lent) return lent.error();
    return vulkan::Device::adopt(*lent);
  });
}

void onepass_vulkan_device_destroy(onepass_vulkan_device* device) { delete device; }

size_t onepass_vulkan_device_trim(const onepass_vulkan_device* device) {
  return device == nullptr ? 0 : device->object.trim();
}

int onepass_vulkan_device_can_read(const onepass_vulkan_device* device, onepass_format format) {
  return device != nullptr && device->object.can_read(static_cast<Format>(format)) ? 1 : 0;
}

int onepass_vulkan_device_can_write(const onepass_vulkan_device* device, onepass_format format) {
  return device != nullptr && device->object.can_write(static_cast<Format>(format)) ? 1 : 0;
}

}  // extern "C"
