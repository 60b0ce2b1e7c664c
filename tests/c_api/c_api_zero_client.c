/* c_api_zero_client.c: C structs as a C99 program initialises them that names some fields and leaves the others 0. A
 * struct with struct_size is then refused, because its function _init was not called. */
#include "tests/c_api/c_api_zero_client.h"

#include <string.h>

#define REFUSED(call)                                                                                            \
  do {                                                                                                           \
    memset(error, 0, sizeof *error);                                                                             \
    if ((call) != ONEPASS_INVALID_ARGUMENT || strstr(error->message, "struct_size: 0") == NULL) return __LINE__; \
  } while (0)

static const onepass_extent kSize = {8, 8};

int zero_cpu(onepass_error* error) {
  const onepass_pyramid_options pyramid = {.size = kSize};
  onepass_cpu_pyramid* levels = NULL;
  REFUSED(onepass_cpu_pyramid_create(&pyramid, NULL, &levels, error));
  onepass_cpu_pyramid_stream* stream = NULL;
  REFUSED(onepass_cpu_pyramid_stream_create(&pyramid, NULL, NULL, NULL, &stream, error));
  const onepass_volume_options stack = {.size = {8, 8, 8}};
  onepass_cpu_volume_stream* planes = NULL;
  REFUSED(onepass_cpu_volume_stream_create(&stack, NULL, NULL, NULL, &planes, error));
  const onepass_volume_transform_options volume_spectrum = {.size = {8, 8, 8}};
  REFUSED(onepass_cpu_transform_volume(&volume_spectrum, NULL, NULL, NULL, 0, error));
  const onepass_volume_convolution_options volume_blur = {.size = {8, 8, 8}};
  REFUSED(onepass_cpu_convolve_volume(&volume_blur, NULL, NULL, NULL, NULL, error));
  const onepass_volume_deconvolution_options blurred_volume = {.size = {8, 8, 8}};
  REFUSED(onepass_cpu_deconvolve_volume(&blurred_volume, NULL, NULL, NULL, NULL, error));
  const onepass_tile_reduction_options tiles = {.size = kSize};
  onepass_cpu_tile_reduction* reduction = NULL;
  REFUSED(onepass_cpu_tile_reduction_create(&tiles, NULL, &reduction, error));
  const onepass_transform_options spectrum = {.size = kSize};
  onepass_cpu_transform* transform = NULL;
  REFUSED(onepass_cpu_transform_create(&spectrum, NULL, &transform, error));
  const onepass_convolution_options convolution = {.size = kSize};
  onepass_cpu_convolver* convolver = NULL;
  REFUSED(onepass_cpu_convolver_create(&convolution, NULL, &convolver, error));
  const onepass_filter_options band = {.size = kSize};
  onepass_cpu_filter* filter = NULL;
  REFUSED(onepass_cpu_filter_create(&band, NULL, &filter, error));
  const onepass_correlation_options shift = {.size = kSize};
  onepass_cpu_correlator* correlator = NULL;
  REFUSED(onepass_cpu_correlator_create(&shift, NULL, &correlator, error));
  const onepass_match_options patterns = {.size = kSize};
  onepass_cpu_template_matcher* matcher = NULL;
  REFUSED(onepass_cpu_template_matcher_create(&patterns, NULL, &matcher, error));
  const onepass_deconvolution_options blur = {.size = kSize};
  onepass_cpu_deconvolver* deconvolver = NULL;
  REFUSED(onepass_cpu_deconvolver_create(&blur, NULL, &deconvolver, error));
  const onepass_bloom_options glow = {.size = kSize};
  onepass_cpu_bloom* bloom = NULL;
  REFUSED(onepass_cpu_bloom_create(&glow, NULL, &bloom, error));
  const onepass_meter_options light = {.size = kSize};
  onepass_cpu_meter* meter = NULL;
  REFUSED(onepass_cpu_meter_create(&light, NULL, &meter, error));
  const onepass_tone_map_options tone = {.size = kSize};
  onepass_cpu_tone_map* map = NULL;
  REFUSED(onepass_cpu_tone_map_create(&tone, NULL, &map, error));
  onepass_cpu_frame_tone_map* frames = NULL;
  REFUSED(onepass_cpu_frame_tone_map_create(&light, &tone, NULL, &frames, error));

  uint32_t texels[64] = {0};
  const onepass_image_view image = {
      .data = texels, .format = ONEPASS_FORMAT_R8G8B8A8_UNORM, .size = kSize, .slices = 1, .row_stride = 32};
  unsigned char bytes[32];
  const onepass_mutable_block_view blocks = {
      .data = bytes, .format = ONEPASS_BLOCK_FORMAT_BC1_RGB_UNORM, .size = kSize, .slices = 1, .row_stride = 16};
  const onepass_block_options compression = {.alpha_threshold = 0.5F};
  REFUSED(onepass_compress_blocks(&image, &blocks, &compression, NULL, error));
  const onepass_mutable_image_view picture = {
      .data = texels, .format = ONEPASS_FORMAT_R8G8B8A8_UNORM, .size = kSize, .slices = 1, .row_stride = 32};
  const onepass_roughness_options variance = {.roughness = 0.5F};
  REFUSED(onepass_roughness_mips(&image, NULL, NULL, 0, NULL, 0, &variance, NULL, error));
  const onepass_height_options slopes = {.scale = 1.0F};
  REFUSED(onepass_height_to_normals(&image, &picture, &slopes, NULL, error));

  /* Tuning and results beside sound options. */
  onepass_pyramid_options sound;
  onepass_pyramid_options_init(&sound, sizeof sound);
  sound.size = kSize;
  sound.source = sound.target = ONEPASS_FORMAT_R32_SFLOAT;
  const onepass_cpu_tuning tuning = {.threads = 1};
  REFUSED(onepass_cpu_pyramid_create(&sound, &tuning, &levels, error));
  onepass_pyramid_plan pyramid_plan = {.levels = 1};
  REFUSED(onepass_plan_pyramid(&sound, &pyramid_plan, error));
  onepass_tile_reduction_options sound_tiles;
  onepass_tile_reduction_options_init(&sound_tiles, sizeof sound_tiles);
  sound_tiles.size = kSize;
  sound_tiles.source = sound_tiles.target = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_tile_reduction_plan tile_plan = {.bytes_read = 1};
  REFUSED(onepass_plan_tile_reduction(&sound_tiles, &tile_plan, error));
  onepass_block_compressor_options sound_blocks;
  onepass_block_compressor_options_init(&sound_blocks, sizeof sound_blocks);
  sound_blocks.size = kSize;
  onepass_block_compressor_plan block_plan = {.levels = 1};
  REFUSED(onepass_plan_block_compressor(&sound_blocks, &block_plan, error));
  onepass_transform_options sound_transform;
  onepass_transform_options_init(&sound_transform, sizeof sound_transform);
  sound_transform.size = kSize;
  sound_transform.source = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_transform_plan transform_plan = {.spectrum_bytes = 1};
  REFUSED(onepass_plan_transform(&sound_transform, &transform_plan, error));
  onepass_convolution_options sound_convolution;
  onepass_convolution_options_init(&sound_convolution, sizeof sound_convolution);
  sound_convolution.size = sound_convolution.kernel_size = kSize;
  sound_convolution.source = sound_convolution.target = sound_convolution.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_convolution_plan convolution_plan = {.kernel_bytes = 1};
  REFUSED(onepass_plan_convolution(&sound_convolution, &convolution_plan, error));
  onepass_bloom_options sound_bloom;
  onepass_bloom_options_init(&sound_bloom, sizeof sound_bloom);
  sound_bloom.size = kSize;
  sound_bloom.source = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_bloom_plan bloom_plan = {.kernel_bytes = 1};
  REFUSED(onepass_plan_bloom(&sound_bloom, &bloom_plan, error));
  onepass_filter_options sound_filter;
  onepass_filter_options_init(&sound_filter, sizeof sound_filter);
  sound_filter.size = kSize;
  sound_filter.source = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_filter_plan filter_plan = {.bytes_read = 1};
  REFUSED(onepass_plan_filter(&sound_filter, &filter_plan, error));
  const onepass_volume_step step = {2, 2, 2};
  onepass_volume_options sound_volume;
  onepass_volume_options_init(&sound_volume, sizeof sound_volume);
  sound_volume.size = (onepass_volume_size){8, 8, 8};
  sound_volume.steps = &step;
  sound_volume.step_count = 1;
  onepass_volume_plan volume_plan = {.levels = 1};
  REFUSED(onepass_plan_volume(&sound_volume, &volume_plan, error));
  onepass_correlation_options sound_correlation;
  onepass_correlation_options_init(&sound_correlation, sizeof sound_correlation);
  sound_correlation.size = kSize;
  sound_correlation.first = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_correlation_plan correlation_plan = {.bytes_read = 1};
  REFUSED(onepass_plan_correlation(&sound_correlation, &correlation_plan, error));
  onepass_match_options sound_match;
  onepass_match_options_init(&sound_match, sizeof sound_match);
  sound_match.size = sound_match.template_size = kSize;
  sound_match.image = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_match_plan match_plan = {.memory_bytes = 1};
  REFUSED(onepass_plan_match(&sound_match, &match_plan, error));
  onepass_deconvolution_options sound_deconvolution;
  onepass_deconvolution_options_init(&sound_deconvolution, sizeof sound_deconvolution);
  sound_deconvolution.size = sound_deconvolution.kernel_size = kSize;
  sound_deconvolution.source = sound_deconvolution.kernel = ONEPASS_FORMAT_R32_SFLOAT;
  onepass_deconvolution_plan deconvolution_plan = {.bytes_read = 1};
  REFUSED(onepass_plan_deconvolution(&sound_deconvolution, &deconvolution_plan, error));
  onepass_volume_convolution_options sound_blur;
  onepass_volume_convolution_options_init(&sound_blur, sizeof sound_blur);
  sound_blur.size = sound_blur.kernel_size = sound_volume.size;
  onepass_volume_convolution_plan volume_blur_plan = {.memory_bytes = 1};
  REFUSED(onepass_plan_volume_convolution(&sound_blur, &volume_blur_plan, error));
  onepass_volume_deconvolution_options sound_sharpening;
  onepass_volume_deconvolution_options_init(&sound_sharpening, sizeof sound_sharpening);
  sound_sharpening.size = sound_sharpening.kernel_size = sound_volume.size;
  onepass_volume_deconvolution_plan sharp_plan = {.memory_bytes = 1};
  REFUSED(onepass_plan_volume_deconvolution(&sound_sharpening, &sharp_plan, error));
  const float texel = 1;
  const onepass_image_view view = {.data = &texel, .format = ONEPASS_FORMAT_R32_SFLOAT, .size = {1, 1}, .slices = 1};
  const onepass_nonfinite_options search = {.infinite = 1};
  onepass_nonfinite found = {.x = 1};
  REFUSED(onepass_find_nonfinite(&view, NULL, NULL, &found, error));
  found.struct_size = sizeof found;
  REFUSED(onepass_find_nonfinite(&view, &search, NULL, &found, error));
  REFUSED(onepass_find_nonfinite(&view, NULL, &tuning, &found, error));
  return 0;
}

static int zero_reflections(const client* c, VkCommandBuffer commands, onepass_error* error) {
  const onepass_reflection_options zero = {.size = kSize};
  onepass_vulkan_reflection* reflection = NULL;
  REFUSED(onepass_vulkan_reflection_create(c->device, &zero, NULL, &reflection, error));
  onepass_reflection_options sound;
  onepass_reflection_options_init(&sound, sizeof sound);
  const onepass_vulkan_reflection_tuning tuning = {.march_group = 32};
  REFUSED(onepass_vulkan_reflection_create(c->device, &sound, &tuning, &reflection, error));
  onepass_reflection_plan plan = {.levels = 1};
  REFUSED(onepass_plan_reflection(&sound, &plan, error));
  const onepass_vulkan_reflection_images images = {.scratch_offset = 256};
  onepass_vulkan_reflection_binding* binding = NULL;
  REFUSED(onepass_vulkan_reflection_bind(c->reflection, &images, &binding, error));
  onepass_vulkan_reflection_frame frame = {.views = c->views, .view_count = 2, .reset = 1};
  if (onepass_vulkan_reflection_record(c->reflection, commands, c->reflection_binding, &frame) !=
      ONEPASS_INVALID_ARGUMENT)
    return __LINE__;
  frame.struct_size = sizeof frame; /* The size was the only mistake. */
  if (onepass_vulkan_reflection_record(c->reflection, commands, c->reflection_binding, &frame) != ONEPASS_OK)
    return __LINE__;
  return 0;
}

int zero_vulkan(const client* c, const onepass_vulkan_device_handles* sound, VkCommandBuffer commands,
                onepass_error* error) {
  const onepass_vulkan_device_handles handles = {.instance = sound->instance,
                                                 .physical_device = sound->physical_device,
                                                 .device = sound->device,
                                                 .shader_storage_image_write_without_format = VK_TRUE};
  onepass_vulkan_device* device = NULL;
  REFUSED(onepass_vulkan_device_adopt(&handles, &device, error));
  const onepass_vulkan_device_request request = {.allow_software = 1};
  REFUSED(onepass_vulkan_device_open(&request, &device, error));
  onepass_vulkan_device_info info = {.index = 1};
  REFUSED(onepass_vulkan_device_get_info(c->device, &info, error));

  onepass_pyramid_options pyramid_options;
  onepass_pyramid_options_init(&pyramid_options, sizeof pyramid_options);
  const onepass_vulkan_pyramid_tuning pyramid_tuning = {.prepare_update = 1};
  onepass_vulkan_pyramid* pyramid = NULL;
  REFUSED(onepass_vulkan_pyramid_create(c->device, &pyramid_options, &pyramid_tuning, &pyramid, error));
  onepass_vulkan_pyramid_plan pyramid_plan = {.levels = 1};
  REFUSED(onepass_vulkan_pyramid_get_plan(c->pyramid, &pyramid_plan, error));
  const onepass_vulkan_pyramid_images pyramid_images = {.target_level = 1};
  onepass_vulkan_pyramid_binding* pyramid_binding = NULL;
  REFUSED(onepass_vulkan_pyramid_bind(c->pyramid, &pyramid_images, &pyramid_binding, error));

  onepass_tile_reduction_options tile_options;
  onepass_tile_reduction_options_init(&tile_options, sizeof tile_options);
  const onepass_vulkan_tile_reduction_tuning tile_tuning = {.strategy = ONEPASS_TILE_STRATEGY_AUTO};
  onepass_vulkan_tile_reduction* tiles = NULL;
  REFUSED(onepass_vulkan_tile_reduction_create(c->device, &tile_options, &tile_tuning, &tiles, error));
  const onepass_vulkan_tile_reduction_images tile_images = {.target_level = 1};
  onepass_vulkan_tile_reduction_binding* tile_binding = NULL;
  REFUSED(onepass_vulkan_tile_reduction_bind(c->tiles, &tile_images, &tile_binding, error));

  const onepass_block_compressor_options block_options = {.size = kSize, .slices = 1};
  onepass_vulkan_block_compressor* compressor = NULL;
  REFUSED(onepass_vulkan_block_compressor_create(c->device, &block_options, &compressor, error));
  const onepass_vulkan_block_images block_images = {.source_level = 1};
  onepass_vulkan_block_binding* block_binding = NULL;
  REFUSED(onepass_vulkan_block_compressor_bind(c->compressor, &block_images, &block_binding, error));

  onepass_transform_options transform_options;
  onepass_transform_options_init(&transform_options, sizeof transform_options);
  onepass_vulkan_transform* transform = NULL;
  const onepass_vulkan_transform_sides sides = {.forward = 1};
  REFUSED(onepass_vulkan_transform_create(c->device, &transform_options, &sides, NULL, &transform, error));
  const onepass_vulkan_transform_tuning transform_tuning = {.struct_size = 0};
  REFUSED(onepass_vulkan_transform_create(c->device, &transform_options, NULL, &transform_tuning, &transform, error));
  const onepass_vulkan_transform_resources resources = {.spectrum = {VK_NULL_HANDLE, 0}};
  onepass_vulkan_transform_binding* transform_binding = NULL;
  REFUSED(onepass_vulkan_transform_bind(c->transform, &resources, &transform_binding, error));

  const onepass_vulkan_operation_images images = {.scratch = {VK_NULL_HANDLE, 0}};
  onepass_vulkan_operation_binding* operation = NULL;
  REFUSED(onepass_vulkan_convolver_bind(c->convolver, &images, &operation, error));
  REFUSED(onepass_vulkan_filter_bind(c->filter, &images, &operation, error));
  REFUSED(onepass_vulkan_deconvolver_bind(c->deconvolver, &images, &operation, error));
  REFUSED(onepass_vulkan_bloom_bind(c->bloom, &images, &operation, error));
  onepass_vulkan_correlation_plan correlation_plan = {.scratch_bytes = 1};
  REFUSED(onepass_vulkan_correlator_get_plan(c->correlator, &correlation_plan, error));
  const onepass_vulkan_correlation_resources pair = {.scratch = {VK_NULL_HANDLE, 0}};
  onepass_vulkan_correlation_binding* correlation = NULL;
  REFUSED(onepass_vulkan_correlator_bind(c->correlator, &pair, &correlation, error));

  onepass_meter_options meter_options;
  onepass_meter_options_init(&meter_options, sizeof meter_options);
  const onepass_vulkan_meter_tuning meter_tuning = {.groups = 1};
  onepass_vulkan_meter* meter = NULL;
  REFUSED(onepass_vulkan_meter_create(c->device, &meter_options, &meter_tuning, &meter, error));
  const onepass_vulkan_meter_images meter_images = {.source_level = 1};
  onepass_vulkan_meter_binding* meter_binding = NULL;
  REFUSED(onepass_vulkan_meter_bind(c->meter, &meter_images, &meter_binding, error));

  onepass_tone_map_options tone_options;
  onepass_tone_map_options_init(&tone_options, sizeof tone_options);
  const onepass_vulkan_tone_map_tuning tone_tuning = {.pixels = 1};
  onepass_vulkan_tone_map* map = NULL;
  REFUSED(onepass_vulkan_tone_map_create(c->device, &tone_options, &tone_tuning, &map, error));
  const onepass_vulkan_tone_map_images tone_images = {.source_level = 1};
  onepass_vulkan_tone_map_binding* map_binding = NULL;
  REFUSED(onepass_vulkan_tone_map_bind(c->map, &tone_images, &map_binding, error));

  const onepass_vulkan_frame_tone_map_tuning frame_tuning = {.groups = 1};
  onepass_vulkan_frame_tone_map* frames = NULL;
  REFUSED(
      onepass_vulkan_frame_tone_map_create(c->device, &meter_options, &tone_options, &frame_tuning, &frames, error));
  const onepass_vulkan_frame_tone_map_images frame_images = {.source_level = 1};
  onepass_vulkan_frame_tone_map_binding* frame_binding = NULL;
  REFUSED(onepass_vulkan_frame_tone_map_bind(c->frames, &frame_images, &frame_binding, error));
  return zero_reflections(c, commands, error);
}
