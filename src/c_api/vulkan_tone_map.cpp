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

namespace onepass::c_api {
namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_tone_map_tuning) == 24);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_tone_map_images) == 88);

onepass_vulkan_tone_map_images tone_map_image_defaults() {
  const vulkan::ToneMapImages i;
  onepass_vulkan_tone_map_images out{};
  out.source_layout = i.source_layout;
  return out;
}

Result<vulkan::ToneMapTuning> read_tuning(const onepass_vulkan_tone_map_tuning* tuning) {
  if (tuning == nullptr) return vulkan::ToneMapTuning{};
  auto t = read_struct("tuning", tuning, onepass_vulkan_tone_map_tuning{});
  if (!t) return t.error();
  if (auto zero = require_zero(t->reserved, "tuning.reserved"); !zero) return zero.error();
  return vulkan::ToneMapTuning{.pixels = t->pixels,
                               .workgroup_size = t->workgroup_size,
                               .divergent_barriers = static_cast<vulkan::Switch>(t->divergent_barriers)};
}

Result<vulkan::ToneMapImages> read_images(const onepass_vulkan_tone_map_images* images) {
  auto i = read_struct("images", images, tone_map_image_defaults());
  if (!i) return i.error();
  if (auto zero = require_zero(i->reserved, "images.reserved"); !zero) return zero.error();
  return vulkan::ToneMapImages{.source = i->source,
                               .source_level = i->source_level,
                               .source_slice = i->source_slice,
                               .source_layout = i->source_layout,
                               .target = i->target,
                               .target_level = i->target_level,
                               .target_slice = i->target_slice,
                               .exposure = i->exposure,
                               .exposure_offset = i->exposure_offset,
                               .exposure_stride = i->exposure_stride,
                               .scratch = i->scratch,
                               .scratch_offset = i->scratch_offset};
}

}  // namespace
}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_vulkan_tone_map_tuning_init(onepass_vulkan_tone_map_tuning* tuning, size_t struct_size) {
  write_struct(tuning, struct_size, onepass_vulkan_tone_map_tuning{});
}

void onepass_vulkan_tone_map_images_init(onepass_vulkan_tone_map_images* images, size_t struct_size) {
  write_struct(images, struct_size, tone_map_image_defaults());
}

onepass_code onepass_vulkan_tone_map_create(const onepass_vulkan_device* device,
                                            const onepass_tone_map_options* options,
                                            const onepass_vulkan_tone_map_tuning* tuning, onepass_vulkan_tone_map** map,
                                            onepass_error* error) {
  return create_on_device<vulkan::ToneMap>(
      device, options, [&] { return read_tuning(tuning); }, map, error);
}

void onepass_vulkan_tone_map_destroy(onepass_vulkan_tone_map* map) { delete map; }

uint64_t onepass_vulkan_tone_map_scratch_bytes(const onepass_vulkan_tone_map* map) {
  return map != nullptr ? map->object.plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_tone_map_bind(const onepass_vulkan_tone_map* map,
                                          const onepass_vulkan_tone_map_images* images,
                                          onepass_vulkan_tone_map_binding** binding, onepass_error* error) {
  return make_binding(binding, error, map, "map", [&]() -> Result<vulkan::ToneMapBinding> {
    auto i = read_images(images);
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
