// vulkan_blocks.cpp: C functions for the compression of blocks on a GPU.
#include "c_api/vulkan_abi.hpp"
#include "onepass/vulkan/blocks.hpp"

struct onepass_vulkan_block_compressor {
  onepass::vulkan::BlockCompressor object;
};

struct onepass_vulkan_block_binding {
  onepass::vulkan::BlockBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_block_compressor_create(const onepass_vulkan_device* device,
                                                    const onepass_block_compressor_options* options,
                                                    onepass_vulkan_block_compressor** compressor,
                                                    onepass_error* error) {
  return make_handle(compressor, error, [&]() -> Result<vulkan::BlockCompressor> {
    if (auto there = require(device, "device"); !there) return there.error();
    auto o = read_options(options);
    if (!o) return o.error();
    return vulkan::BlockCompressor::create(device->object, *o);
  });
}

void onepass_vulkan_block_compressor_destroy(onepass_vulkan_block_compressor* compressor) { delete compressor; }

onepass_code onepass_vulkan_block_compressor_bind(const onepass_vulkan_block_compressor* compressor,
                                                  const onepass_vulkan_block_images* images,
                                                  onepass_vulkan_block_binding** binding, onepass_error* error) {
  return make_binding(binding, error, compressor, "compressor", [&]() -> Result<vulkan::BlockBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return compressor->object.bind(*i);
  });
}

void onepass_vulkan_block_binding_destroy(onepass_vulkan_block_binding* binding) { delete binding; }

onepass_code onepass_vulkan_block_compressor_record(const onepass_vulkan_block_compressor* compressor,
                                                    VkCommandBuffer commands,
                                                    const onepass_vulkan_block_binding* binding) {
  return record_with(compressor, commands, binding, [&] { compressor->object.record(commands, binding->object); });
}

}  // extern "C"
