// vulkan_tone_map.cpp: C functions for tone maps on a GPU.
#include "onepass/vulkan/tone_map.hpp"

#include "c_api/vulkan_abi.hpp"

struct onepass_vulkan_tone_map {
  onepass::vulkan::ToneMap object;
};

struct onepass_vulkan_tone_map_binding {
  onepass::vulkan::ToneMapBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_tone_map_create(const onepass_vulkan_device* device,
                                            const onepass_tone_map_options* options,
                                            const onepass_vulkan_tone_map_tuning* tuning, onepass_vulkan_tone_map** map,
                                            onepass_error* error) {
  return create_on_device<vulkan::ToneMap>(device, options, tuning, map, error);
}

void onepass_vulkan_tone_map_destroy(onepass_vulkan_tone_map* map) { delete map; }

uint64_t onepass_vulkan_tone_map_scratch_bytes(const onepass_vulkan_tone_map* map) {
  return map != nullptr ? map->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_tone_map_bind(const onepass_vulkan_tone_map* map,
                                          const onepass_vulkan_tone_map_images* images,
                                          onepass_vulkan_tone_map_binding** binding, onepass_error* error) {
  return make_binding(binding, error, map, "map", [&]() -> Result<vulkan::ToneMapBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return map->object.bind(*i);
  });
}

void onepass_vulkan_tone_map_binding_destroy(onepass_vulkan_tone_map_binding* binding) { delete binding; }

onepass_code onepass_vulkan_tone_map_record_reset(const onepass_vulkan_tone_map* map, VkCommandBuffer commands,
                                                  const onepass_vulkan_tone_map_binding* binding) {
  return record_with(map, commands, binding, [&] { map->object.record_reset(commands, binding->object); });
}

onepass_code onepass_vulkan_tone_map_record(const onepass_vulkan_tone_map* map, VkCommandBuffer commands,
                                            const onepass_vulkan_tone_map_binding* binding, float exposure) {
  return record_with(map, commands, binding, [&] { map->object.record(commands, binding->object, exposure); });
}

}  // extern "C"
