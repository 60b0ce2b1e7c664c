/* c_api_vulkan_client.c: see c_api_vulkan_client.h. C99, compiled with -Werror. */
#include "tests/c_api/c_api_vulkan_client.h"

#include <string.h>

#define TRY(call)                          \
  do {                                     \
    const onepass_code code_ = (call);     \
    if (code_ != ONEPASS_OK) return code_; \
  } while (0)

static const onepass_format half_format = ONEPASS_FORMAT_R16G16B16A16_SFLOAT;

static onepass_vulkan_side side_of(VkImage image, client_place at) {
  onepass_vulkan_side side = {0};
  side.image = image;
  side.level = at.level;
  side.slice = at.slice;
  return side;
}

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
  images.source_level = r->source_at.level;
  images.source_slice = r->source_at.slice;
  images.target = r->levels;
  images.target_level = r->target_at.level;
  images.target_slice = r->target_at.slice;
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
  tile_images.source_level = r->source_at.level;
  tile_images.source_slice = r->source_at.slice;
  tile_images.target = r->tiles;
  tile_images.target_level = r->target_at.level;
  tile_images.target_slice = r->target_at.slice;
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
  meter.metering = ONEPASS_METERING_MASK;
  meter.mask = ONEPASS_FORMAT_R8_UNORM;
  TRY(onepass_vulkan_meter_create(out->device, &meter, NULL, &out->meter, error));
  range = r->take_scratch(r->user, onepass_vulkan_meter_scratch_bytes(out->meter));
  onepass_vulkan_meter_images_init(&meter_images, sizeof meter_images);
  meter_images.source = r->source;
  meter_images.source_level = r->source_at.level;
  meter_images.source_slice = r->source_at.slice;
  meter_images.mask = r->mask;
  meter_images.mask_level = r->mask_at.level;
  meter_images.mask_slice = r->mask_at.slice;
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
  map_images.source_level = r->source_at.level;
  map_images.source_slice = r->source_at.slice;
  map_images.target = r->picture;
  map_images.target_level = r->target_at.level;
  map_images.target_slice = r->target_at.slice;
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
  resources.source = side_of(r->source, r->source_at);
  resources.spectrum.buffer = r->spectrum;
  resources.target = side_of(r->restored, r->target_at);
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
  images.source = side_of(r->source, r->source_at);
  images.target = side_of(r->blurred, r->target_at);
  images.scratch = r->take_scratch(r->user, onepass_vulkan_convolver_scratch_bytes(out->convolver));
  TRY(onepass_vulkan_convolver_bind(out->convolver, &images, &out->convolver_binding, error));

  onepass_filter_options_init(&filter, sizeof filter);
  filter.size = r->size;
  filter.source = half_format;
  TRY(onepass_vulkan_filter_create(out->device, &filter, NULL, &out->filter, error));
  images.target = side_of(r->filtered, r->target_at);
  images.scratch = r->take_scratch(r->user, onepass_vulkan_filter_scratch_bytes(out->filter));
  return onepass_vulkan_filter_bind(out->filter, &images, &out->filter_binding, error);
}

static onepass_code create_video(client* out, const client_resources* r, onepass_error* error) {
  onepass_meter_options meter;
  onepass_tone_map_options tone;
  onepass_vulkan_frame_tone_map_tuning tuning;
  onepass_vulkan_frame_tone_map_images images;
  onepass_vulkan_tone_map_images local_images;
  onepass_vulkan_buffer_range range;
  onepass_meter_options_init(&meter, sizeof meter);
  onepass_tone_map_options_init(&tone, sizeof tone);
  meter.size = tone.size = r->size;
  meter.source = tone.source = half_format;
  meter.metering = ONEPASS_METERING_MASK;
  meter.mask = ONEPASS_FORMAT_R8_UNORM;
  tone.target = ONEPASS_FORMAT_R8G8B8A8_SRGB;
  tone.tone_operator = ONEPASS_TONE_OPERATOR_ACES_HILL;
  onepass_vulkan_frame_tone_map_tuning_init(&tuning, sizeof tuning);
  TRY(onepass_vulkan_frame_tone_map_create(out->device, &meter, &tone, &tuning, &out->frames, error));
  range = r->take_scratch(r->user, onepass_vulkan_frame_tone_map_scratch_bytes(out->frames));
  onepass_vulkan_frame_tone_map_images_init(&images, sizeof images);
  images.source = r->source;
  images.source_level = r->source_at.level;
  images.source_slice = r->source_at.slice;
  images.target = r->frame;
  images.target_level = r->target_at.level;
  images.target_slice = r->target_at.slice;
  images.mask = r->mask;
  images.mask_level = r->mask_at.level;
  images.mask_slice = r->mask_at.slice;
  images.results = r->frame_results;
  images.scratch = range.buffer;
  images.scratch_offset = range.offset;
  TRY(onepass_vulkan_frame_tone_map_bind(out->frames, &images, &out->frames_binding, error));
  range = onepass_vulkan_frame_tone_map_results(out->frames_binding);
  if (range.buffer != r->frame_results || range.offset != 0) return ONEPASS_BAD_DATA;

  onepass_tone_map_options_init(&tone, sizeof tone);
  tone.size = r->size;
  tone.source = half_format;
  tone.target = ONEPASS_FORMAT_R8G8B8A8_SRGB;
  tone.local_highlights = 0.5F;
  tone.local_shadows = 0.75F;
  tone.local_detail = 1.25F;
  TRY(onepass_vulkan_tone_map_create(out->device, &tone, NULL, &out->local, error));
  onepass_vulkan_tone_map_images_init(&local_images, sizeof local_images);
  local_images.source = r->source;
  local_images.source_level = r->source_at.level;
  local_images.source_slice = r->source_at.slice;
  local_images.target = r->local;
  local_images.target_level = r->target_at.level;
  local_images.target_slice = r->target_at.slice;
  range = r->take_scratch(r->user, onepass_vulkan_tone_map_scratch_bytes(out->local));
  local_images.scratch = range.buffer;
  local_images.scratch_offset = range.offset;
  return onepass_vulkan_tone_map_bind(out->local, &local_images, &out->local_binding, error);
}

static onepass_code create_restoration(client* out, const client_resources* r, onepass_error* error) {
  onepass_deconvolution_options deconvolution;
  onepass_correlation_options correlation;
  onepass_vulkan_operation_images images;
  onepass_vulkan_correlation_plan plan;
  onepass_vulkan_correlation_resources resources;
  onepass_deconvolution_options_init(&deconvolution, sizeof deconvolution);
  deconvolution.size = r->size;
  deconvolution.source = half_format;
  deconvolution.kernel_size = r->kernel.size;
  deconvolution.kernel = r->kernel.format;
  deconvolution.method = ONEPASS_DECONVOLUTION_METHOD_RICHARDSON_LUCY;
  deconvolution.iterations = 2;
  TRY(onepass_vulkan_deconvolver_create(out->device, &deconvolution, NULL, &out->deconvolver, error));
  TRY(onepass_vulkan_deconvolver_set_kernel(out->deconvolver, &r->kernel, error));
  onepass_vulkan_operation_images_init(&images, sizeof images);
  images.source = side_of(r->source, r->source_at);
  images.target = side_of(r->sharpened, r->target_at);
  images.scratch = r->take_scratch(r->user, onepass_vulkan_deconvolver_scratch_bytes(out->deconvolver));
  TRY(onepass_vulkan_deconvolver_bind(out->deconvolver, &images, &out->deconvolver_binding, error));

  onepass_correlation_options_init(&correlation, sizeof correlation);
  correlation.size = r->size;
  correlation.first = correlation.second = half_format;
  correlation.kind = ONEPASS_CORRELATION_KIND_CROSS;
  TRY(onepass_vulkan_correlator_create(out->device, &correlation, NULL, &out->correlator, error));
  plan.struct_size = sizeof plan;
  TRY(onepass_vulkan_correlator_get_plan(out->correlator, &plan, error));
  if (plan.surface_bytes != (uint64_t)4 * r->size.width * r->size.height || plan.result_bytes <= 256)
    return ONEPASS_BAD_DATA;
  onepass_vulkan_correlation_resources_init(&resources, sizeof resources);
  resources.first = side_of(r->source, r->source_at);
  resources.second = side_of(r->blurred, r->target_at);
  resources.second.layout = VK_IMAGE_LAYOUT_GENERAL;
  resources.result.buffer = r->shift;
  resources.surface.buffer = r->surface;
  resources.scratch = r->take_scratch(r->user, plan.scratch_bytes);
  return onepass_vulkan_correlator_bind(out->correlator, &resources, &out->correlator_binding, error);
}

static onepass_code create_blooms(client* out, const client_resources* r, onepass_error* error) {
  onepass_bloom_options bloom;
  onepass_vulkan_operation_images images;
  VkImageCreateInfo mip_chain;
  onepass_bloom_options_init(&bloom, sizeof bloom);
  bloom.size = r->size;
  bloom.source = half_format;
  bloom.scatter = 0.5F;
  bloom.threshold = 0.25F;
  bloom.knee = 0.125F;
  TRY(onepass_vulkan_bloom_create(out->device, &bloom, NULL, &out->bloom, error));
  onepass_vulkan_operation_images_init(&images, sizeof images);
  images.source = side_of(r->source, r->source_at);
  images.target = side_of(r->glowing, r->target_at);
  images.scratch = r->take_scratch(r->user, onepass_vulkan_bloom_scratch_bytes(out->bloom));
  TRY(onepass_vulkan_bloom_bind(out->bloom, &images, &out->bloom_binding, error));

  bloom.method = ONEPASS_BLOOM_METHOD_MIP_CHAIN;
  bloom.resolution = ONEPASS_BLOOM_RESOLUTION_HALF;
  bloom.kernel_width = 2;
  TRY(onepass_vulkan_bloom_create(out->device, &bloom, NULL, &out->mip_bloom, error));
  TRY(onepass_vulkan_bloom_mip_chain_info(out->mip_bloom, &mip_chain));
  images.mip_chain = r->take_image(r->user, &mip_chain);
  images.target = side_of(r->mip_glowing, r->target_at);
  images.scratch = r->take_scratch(r->user, onepass_vulkan_bloom_scratch_bytes(out->mip_bloom));
  return onepass_vulkan_bloom_bind(out->mip_bloom, &images, &out->mip_bloom_binding, error);
}

static onepass_vulkan_reflection_image part_of(VkImage image, client_place at) {
  onepass_vulkan_reflection_image part = {0};
  part.image = image;
  part.level = at.level;
  part.first_slice = at.slice;
  return part;
}

static onepass_code create_reflections(client* out, const client_resources* r, onepass_error* error) {
  const client_hall* hall = &r->hall;
  onepass_reflection_options options;
  onepass_reflection_plan plan;
  onepass_vulkan_reflection_tuning tuning;
  onepass_vulkan_reflection_images images;
  onepass_vulkan_buffer_range scratch;
  onepass_reflection_options_init(&options, sizeof options);
  options.size = r->size;
  options.slices = 2;
  options.color = options.normals = options.environment = half_format;
  options.depth = options.pyramid = options.hit_distance = ONEPASS_FORMAT_R32_SFLOAT;
  options.roughness = ONEPASS_FORMAT_R8_UNORM;
  options.motion = ONEPASS_FORMAT_R16G16_SFLOAT;
  options.reversed_depth = 1;
  options.border_fade = 0;
  plan.struct_size = sizeof plan;
  TRY(onepass_plan_reflection(&options, &plan, error));
  onepass_vulkan_reflection_tuning_init(&tuning, sizeof tuning);
  TRY(onepass_vulkan_reflection_create(out->device, &options, &tuning, &out->reflection, error));
  if (onepass_vulkan_reflection_scratch_bytes(out->reflection) != plan.scratch_bytes) return ONEPASS_BAD_DATA;
  scratch = r->take_scratch(r->user, plan.scratch_bytes);
  onepass_vulkan_reflection_images_init(&images, sizeof images);
  images.color = part_of(hall->color, r->mask_at);
  images.depth = part_of(hall->depth, r->mask_at);
  images.pyramid = part_of(hall->pyramid, r->mask_at);
  images.normals = part_of(hall->normals, r->mask_at);
  images.roughness = part_of(hall->roughness, r->mask_at);
  images.motion = part_of(hall->motion, r->mask_at);
  images.environment = part_of(hall->environment, r->mask_at);
  images.target = part_of(hall->reflected, r->target_at);
  images.hit_distance = part_of(hall->distance, r->target_at);
  images.scratch = scratch.buffer;
  images.scratch_offset = scratch.offset;
  memcpy(out->views, hall->views, sizeof out->views);
  return onepass_vulkan_reflection_bind(out->reflection, &images, &out->reflection_binding, error);
}

static onepass_code create_blocks(client* out, const client_resources* r, onepass_error* error) {
  onepass_block_compressor_options options;
  onepass_block_compressor_plan plan;
  onepass_vulkan_block_images images;
  onepass_block_compressor_options_init(&options, sizeof options);
  options.size = r->size;
  options.source = half_format;
  options.blocks = ONEPASS_BLOCK_FORMAT_BC6H_SFLOAT;
  plan.struct_size = sizeof plan;
  TRY(onepass_plan_block_compressor(&options, &plan, error));
  if (plan.levels != 1 || plan.offsets[0] != 0 || plan.bytes_read != (uint64_t)8 * r->size.width * r->size.height ||
      plan.bytes != (uint64_t)16 * ((r->size.width + 3) / 4) * ((r->size.height + 3) / 4))
    return ONEPASS_BAD_DATA;
  TRY(onepass_vulkan_block_compressor_create(out->device, &options, &out->compressor, error));
  onepass_vulkan_block_images_init(&images, sizeof images);
  images.source = r->source;
  images.source_level = r->source_at.level;
  images.source_slice = r->source_at.slice;
  images.blocks = r->blocks;
  return onepass_vulkan_block_compressor_bind(out->compressor, &images, &out->block_binding, error);
}

onepass_code client_create(client* out, const onepass_vulkan_device_handles* handles, const client_resources* resources,
                           onepass_error* error) {
  TRY(onepass_vulkan_device_adopt(handles, &out->device, error));
  TRY(create_reductions(out, resources, error));
  TRY(create_light(out, resources, error));
  TRY(create_transforms(out, resources, error));
  TRY(create_video(out, resources, error));
  TRY(create_restoration(out, resources, error));
  TRY(create_blooms(out, resources, error));
  TRY(create_reflections(out, resources, error));
  return create_blocks(out, resources, error);
}

void client_destroy(client* c) {
  onepass_vulkan_device_destroy(c->device); /* First on purpose: handles keep the device alive while they need it. */
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
  onepass_vulkan_frame_tone_map_destroy(c->frames);
  onepass_vulkan_frame_tone_map_binding_destroy(c->frames_binding);
  onepass_vulkan_tone_map_binding_destroy(c->local_binding);
  onepass_vulkan_tone_map_destroy(c->local);
  onepass_vulkan_deconvolver_destroy(c->deconvolver);
  onepass_vulkan_operation_binding_destroy(c->deconvolver_binding);
  onepass_vulkan_correlation_binding_destroy(c->correlator_binding);
  onepass_vulkan_correlator_destroy(c->correlator);
  onepass_vulkan_operation_binding_destroy(c->bloom_binding);
  onepass_vulkan_bloom_destroy(c->bloom);
  onepass_vulkan_bloom_destroy(c->mip_bloom);
  onepass_vulkan_operation_binding_destroy(c->mip_bloom_binding);
  onepass_vulkan_reflection_destroy(c->reflection);
  onepass_vulkan_reflection_binding_destroy(c->reflection_binding);
  onepass_vulkan_block_compressor_destroy(c->compressor);
  onepass_vulkan_block_binding_destroy(c->block_binding);
}

onepass_code client_reset(const client* c, VkCommandBuffer commands) {
  TRY(onepass_vulkan_pyramid_record_reset(c->pyramid, commands, c->pyramid_binding));
  TRY(onepass_vulkan_meter_record_reset(c->meter, commands, c->meter_binding));
  TRY(onepass_vulkan_frame_tone_map_record_reset(c->frames, commands, c->frames_binding));
  TRY(onepass_vulkan_tone_map_record_reset(c->map, commands, c->map_binding)); /* Nothing, but allowed. */
  TRY(onepass_vulkan_tone_map_record_reset(c->local, commands, c->local_binding));
  return client_record_kernels(c, commands);
}

onepass_code client_reset_scratch(const client* c, VkCommandBuffer commands) {
  TRY(onepass_vulkan_pyramid_record_reset(c->pyramid, commands, c->pyramid_binding));
  TRY(onepass_vulkan_tone_map_record_reset(c->local, commands, c->local_binding));
  TRY(onepass_vulkan_meter_record_reset_scratch(c->meter, commands, c->meter_binding));
  return onepass_vulkan_frame_tone_map_record_reset_scratch(c->frames, commands, c->frames_binding);
}

onepass_code client_record_kernels(const client* c, VkCommandBuffer commands) {
  TRY(onepass_vulkan_convolver_record_kernel(c->convolver, commands));
  TRY(onepass_vulkan_deconvolver_record_kernel(c->deconvolver, commands));
  TRY(onepass_vulkan_bloom_record_kernel(c->mip_bloom, commands)); /* Nothing, but allowed. */
  return onepass_vulkan_bloom_record_kernel(c->bloom, commands);
}

/* Two frames, the second with the history of the first. */
static onepass_code record_reflections(const client* c, VkCommandBuffer commands) {
  onepass_vulkan_reflection_frame frame;
  onepass_vulkan_reflection_frame_init(&frame, sizeof frame);
  frame.views = c->views;
  frame.view_count = 2;
  frame.index = 5;
  frame.reset = 1;
  TRY(onepass_vulkan_reflection_record(c->reflection, commands, c->reflection_binding, &frame));
  frame.index = 6;
  frame.reset = 0;
  return onepass_vulkan_reflection_record(c->reflection, commands, c->reflection_binding, &frame);
}

onepass_code client_record(const client* c, VkCommandBuffer commands, int technique) {
  const onepass_meter_frame frame = {0.25F, 1};
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
    case CLIENT_FILTER:
      return onepass_vulkan_filter_record(c->filter, commands, c->filter_binding);
    case CLIENT_FRAME:
      return onepass_vulkan_frame_tone_map_record(c->frames, commands, c->frames_binding, &frame);
    case CLIENT_LOCAL:
      return onepass_vulkan_tone_map_record(c->local, commands, c->local_binding, 1.5F);
    case CLIENT_DECONVOLVER:
      return onepass_vulkan_deconvolver_record(c->deconvolver, commands, c->deconvolver_binding);
    case CLIENT_CORRELATOR:
      return onepass_vulkan_correlator_record(c->correlator, commands, c->correlator_binding);
    case CLIENT_BLOOM:
      return onepass_vulkan_bloom_record(c->bloom, commands, c->bloom_binding);
    case CLIENT_MIP_BLOOM:
      return onepass_vulkan_bloom_record(c->mip_bloom, commands, c->mip_bloom_binding);
    case CLIENT_REFLECTION:
      return record_reflections(c, commands);
    default:
      return onepass_vulkan_block_compressor_record(c->compressor, commands, c->block_binding);
  }
}

onepass_code client_read_shift(const client* c, const void* result, size_t bytes, onepass_shift* shift,
                               onepass_error* error) {
  return onepass_vulkan_correlator_finish(c->correlator, result, bytes, shift, error);
}
