// vulkan_tile_reduction.cpp: C functions for tile reductions on a GPU.
#include "onepass/vulkan/tile_reduction.hpp"

#include "c_api/vulkan_abi.hpp"

struct onepass_vulkan_tile_reduction {
  onepass::vulkan::TileReduction object;
};

struct onepass_vulkan_tile_reduction_binding {
  onepass::vulkan::TileReductionBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_tile_reduction_create(const onepass_vulkan_device* device,
                                                  const onepass_tile_reduction_options* options,
                                                  const onepass_vulkan_tile_reduction_tuning* tuning,
                                                  onepass_vulkan_tile_reduction** tiles, onepass_error* error) {
  return create_on_device<vulkan::TileReduction>(device, options, tuning, tiles, error);
}

void onepass_vulkan_tile_reduction_destroy(onepass_vulkan_tile_reduction* tiles) { delete tiles; }

onepass_code onepass_vulkan_tile_reduction_bind(const onepass_vulkan_tile_reduction* tiles,
                                                const onepass_vulkan_tile_reduction_images* images,
                                                onepass_vulkan_tile_reduction_binding** binding, onepass_error* error) {
  return make_binding(binding, error, tiles, "tiles", [&]() -> Result<vulkan::TileReductionBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return tiles->object.bind(*i);
  });
}

void onepass_vulkan_tile_reduction_binding_destroy(onepass_vulkan_tile_reduction_binding* binding) { delete binding; }

onepass_code onepass_vulkan_tile_reduction_record(const onepass_vulkan_tile_reduction* tiles, VkCommandBuffer commands,
                                                  const onepass_vulkan_tile_reduction_binding* binding) {
  return record_with(tiles, commands, binding, [&] { tiles->object.record(commands, binding->object); });
}

}  // extern "C"
