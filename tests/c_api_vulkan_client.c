/* c_api_vulkan_client.c: see c_api_vulkan_client.h. C99, all warnings are errors. */
#include "c_api_vulkan_client.h"

#define TRY(call)                            \
  do {                                       \
    const onepass_code code_ = (call);       \
    if (code_ != ONEPASS_OK) return code_;   \
  } while (0)

static const onepass_format half_format = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;

static onepass_code create_reductions(client* out, const client_resources* r, onepass_error* error) {
  onepass_pyramid_options pyramid;
  onepass_tile_reduction_options tiles;
  onepass_vulkan_pyramid_tuning tuning;
  onepass_vulkan_pyramid_plan plan;
  onepass_vulkan_pyramid_images images;
  onepass_vulkan_tile_reduction_images tile_images;
  onepass_vulkan_buffer_range scratch;
  onepass_pyramid_options_init(&pyramid, sizeof pyramid);
  pyramid.size = r->size;
  pyramid.source = pyramid.target = half_format;
  pyramid.reduction = ONEPASS_REDUCTION_MAX;
  onepass_vulkan_pyramid_tuning_init(&tuning, sizeof tuning);
  TRY(onepass_vulkan_pyramid_create(out->device, &pyramid, &tuning, &out->pyramid, error));
  plan.struct_size = sizeof plan;
  TRY(onepass_vulkan_pyramid_get_plan(out->pyramid, &plan, error));
  scratch = r->take_scratch(r->user, plan.scratch_bytes);
  onepass_vulkan_pyramid_images_init(&images, sizeof images);
  images.source = r->source;
  images.target = r->levels;
  images.target_level = 0;
  images.scratch = scratch.buffer;
  images.scratch_offset = scratch.offset;
  TRY(onepass_vulkan_pyramid_bind(out->pyramid, &images, &out->pyramid_binding, error));

  onepass_tile_reduction_options_init(&tiles, sizeof tiles);
  tiles.size = r->size;
  tiles.source = tiles.target = half_format;
  tiles.reduction = ONEPASS_REDUCTION_MAX;
  tiles.factor = 8;
  TRY(onepass_vulkan_tile_reduction_create(out->device, &tiles, NULL, &out->tiles, error));
  onepass_vulkan_tile_reduction_images_init(&tile_images, sizeof tile_images);
  tile_images.source = r->source;
  tile_images.target = r->tiles;
  return onepass_vulkan_tile_reduction_bind(out->tiles, &tile_images, &out->tiles_binding, error);
}

static onepass_code create_light(client* out, const client_resources* r, onepass_error* error) {
  onepass_meter_options meter;
  onepass_tone_map_options map;
  onepass_vulkan_meter_images meter_images;
  onepass_vulkan_tone_map_images map_images;
  onepass_vulkan_buffer_range range;
  onepass_meter_options_init(&meter, sizeof meter);
  meter.size = r->size;
  meter.source = half_format;
  TRY(onepass_vulkan_meter_create(out->device, &meter, NULL, &out->meter, error));
  range = r->take_scratch(r->user, onepass_vulkan_meter_scratch_bytes(out->meter));
  onepass_vulkan_meter_images_init(&meter_images, sizeof meter_images);
  meter_images.source = r->source;
  meter_images.results = r->results;
  meter_images.scratch = range.buffer;
  meter_images.scratch_offset = range.offset;
  TRY(onepass_vulkan_meter_bind(out->meter, &meter_images, &out->meter_binding, error));

  onepass_tone_map_options_init(&map, sizeof map);
  map.size = r->size;
  map.source = half_format;
  map.target = ONEPASS_FORMAT_R8G8B8A8_SRGB;
  TRY(onepass_vulkan_tone_map_create(out->device, &map, NULL, &out->map, error));
  range = onepass_vulkan_meter_results(out->meter_binding);
  onepass_vulkan_tone_map_images_init(&map_images, sizeof map_images);
  map_images.source = r->source;
  map_images.target = r->picture;
  map_images.exposure = range.buffer;
  map_images.exposure_offset = range.offset + offsetof(onepass_meter_result, exposure);
  return onepass_vulkan_tone_map_bind(out->map, &map_images, &out->map_binding, error);
}

static onepass_code create_transforms(client* out, const client_resources* r, onepass_error* error) {
  onepass_transform_options transform;
  onepass_convolution_options convolution;
  onepass_filter_options filter;
  onepass_vulkan_transform_sides sides;
  onepass_vulkan_transform_tuning tuning;
  onepass_vulkan_transform_resources resources;
  onepass_vulkan_operation_images images;
  onepass_transform_options_init(&transform, sizeof transform);
  transform.size = r->size;
  transform.source = half_format;
  transform.order = ONEPASS_SPECTRUM_ORDER_COLUMNS;
  onepass_vulkan_transform_sides_init(&sides, sizeof sides);
  onepass_vulkan_transform_tuning_init(&tuning, sizeof tuning);
  TRY(onepass_vulkan_transform_create(out->device, &transform, &sides, &tuning, &out->transform, error));
  onepass_vulkan_transform_resources_init(&resources, sizeof resources);
  resources.source.image = r->source;
  resources.spectrum.buffer = r->spectrum;
  resources.target.image = r->restored;
  resources.scratch = r->take_scratch(r->user, onepass_vulkan_transform_scratch_bytes(out->transform));
  TRY(onepass_vulkan_transform_bind(out->transform, &resources, &out->transform_binding, error));

  onepass_convolution_options_init(&convolution, sizeof convolution);
  convolution.size = r->size;
  convolution.source = half_format;
  convolution.kernel_size = r->kernel.size;
  convolution.kernel = r->kernel.format;
  convolution.boundary = ONEPASS_BOUNDARY_MIRROR;
  convolution.scale = ONEPASS_KERNEL_SCALE_UNIT_SUM;
  TRY(onepass_vulkan_convolver_create(out->device, &convolution, NULL, &out->convolver, error));
  TRY(onepass_vulkan_convolver_set_kernel(out->convolver, &r->kernel, error));
  onepass_vulkan_operation_images_init(&images, sizeof images);
  images.source.image = r->source;
  images.target.image = r->blurred;
  images.scratch = r->take_scratch(r->user, onepass_vulkan_convolver_scratch_bytes(out->convolver));
  TRY(onepass_vulkan_convolver_bind(out->convolver, &images, &out->convolver_binding, error));

  onepass_filter_options_init(&filter, sizeof filter);
  filter.size = r->size;
  filter.source = half_format;
  TRY(onepass_vulkan_filter_create(out->device, &filter, NULL, &out->filter, error));
  images.target.image = r->filtered;
  images.scratch = r->take_scratch(r->user, onepass_vulkan_filter_scratch_bytes(out->filter));
  return onepass_vulkan_filter_bind(out->filter, &images, &out->filter_binding, error);
}

onepass_code client_create(client* out, const onepass_vulkan_device_handles* handles, const client_resources* resources,
                           onepass_error* error) {
  TRY(onepass_vulkan_device_adopt(handles, &out->device, error));
  TRY(create_reductions(out, resources, error));
  TRY(create_light(out, resources, error));
  return create_transforms(out, resources, error);
}

void client_destroy(client* c) {
  onepass_vulkan_device_destroy(c->device); /* Before what was made from it: that keeps what it needs. */
  onepass_vulkan_pyramid_destroy(c->pyramid);
  onepass_vulkan_pyramid_binding_destroy(c->pyramid_binding);
  onepass_vulkan_tile_reduction_binding_destroy(c->tiles_binding);
  onepass_vulkan_tile_reduction_destroy(c->tiles);
  onepass_vulkan_meter_binding_destroy(c->meter_binding);
  onepass_vulkan_meter_destroy(c->meter);
  onepass_vulkan_tone_map_binding_destroy(c->map_binding);
  onepass_vulkan_tone_map_destroy(c->map);
  onepass_vulkan_transform_binding_destroy(c->transform_binding);
  onepass_vulkan_transform_destroy(c->transform);
  onepass_vulkan_operation_binding_destroy(c->convolver_binding);
  onepass_vulkan_convolver_destroy(c->convolver);
  onepass_vulkan_operation_binding_destroy(c->filter_binding);
  onepass_vulkan_filter_destroy(c->filter);
}

onepass_code client_reset(const client* c, VkCommandBuffer commands) {
  TRY(onepass_vulkan_pyramid_record_reset(c->pyramid, commands, c->pyramid_binding));
  TRY(onepass_vulkan_meter_record_reset(c->meter, commands, c->meter_binding));
  return onepass_vulkan_convolver_record_kernel(c->convolver, commands);
}

onepass_code client_record(const client* c, VkCommandBuffer commands, int technique) {
  switch (technique) {
    case CLIENT_PYRAMID:
      return onepass_vulkan_pyramid_record(c->pyramid, commands, c->pyramid_binding);
    case CLIENT_TILES:
      return onepass_vulkan_tile_reduction_record(c->tiles, commands, c->tiles_binding);
    case CLIENT_METER:
      return onepass_vulkan_meter_record(c->meter, commands, c->meter_binding, NULL);
    case CLIENT_TONE_MAP:
      return onepass_vulkan_tone_map_record(c->map, commands, c->map_binding, 1.5F);
    case CLIENT_FORWARD:
      return onepass_vulkan_transform_record_forward(c->transform, commands, c->transform_binding);
    case CLIENT_INVERSE:
      return onepass_vulkan_transform_record_inverse(c->transform, commands, c->transform_binding);
    case CLIENT_CONVOLVER:
      return onepass_vulkan_convolver_record(c->convolver, commands, c->convolver_binding);
    default:
      return onepass_vulkan_filter_record(c->filter, commands, c->filter_binding);
  }
}
