/* c_api_client.c: see c_api_client.h. C99, compiled with -Werror. */
#include "tests/c_api/c_api_client.h"

onepass_code client_pyramid(const onepass_image_view* source, const onepass_mutable_image_view* levels, size_t count,
                            onepass_reduction reduction, const onepass_rect* changed, onepass_error* error) {
  onepass_pyramid_options options;
  onepass_cpu_tuning tuning;
  onepass_cpu_pyramid* pyramid = NULL;
  onepass_code code;
  onepass_pyramid_options_init(&options, sizeof options);
  onepass_cpu_tuning_init(&tuning, sizeof tuning);
  options.size = source->size;
  options.slices = source->slices;
  options.source = source->format;
  options.target = levels[0].format;
  options.reduction = reduction;
  tuning.threads = 2;
  code = onepass_cpu_pyramid_create(&options, &tuning, &pyramid, error);
  if (code == ONEPASS_OK && changed == NULL)
    code = onepass_cpu_pyramid_build(pyramid, source, levels, count, error);
  else if (code == ONEPASS_OK)
    code = onepass_cpu_pyramid_update(pyramid, source, levels, count, *changed, error);
  onepass_cpu_pyramid_destroy(pyramid);
  return code;
}

onepass_code client_tiles(const onepass_image_view* source, const onepass_mutable_image_view* target,
                          onepass_error* error) {
  onepass_tile_reduction_options options;
  onepass_cpu_tile_reduction* tiles = NULL;
  onepass_code code;
  onepass_tile_reduction_options_init(&options, sizeof options);
  options.size = source->size;
  options.slices = source->slices;
  options.source = source->format;
  options.target = target->format;
  options.reduction = ONEPASS_REDUCTION_MAX;
  options.factor = 8;
  code = onepass_cpu_tile_reduction_create(&options, NULL, &tiles, error);
  if (code == ONEPASS_OK) code = onepass_cpu_tile_reduction_reduce(tiles, source, target, error);
  onepass_cpu_tile_reduction_destroy(tiles);
  return code;
}

onepass_code client_transform(const onepass_image_view* source, void* spectrum, size_t bytes,
                              const onepass_mutable_image_view* target, onepass_error* error) {
  onepass_transform_options options;
  onepass_cpu_transform* transform = NULL;
  onepass_code code;
  onepass_transform_options_init(&options, sizeof options);
  options.size = source->size;
  options.slices = source->slices;
  options.source = source->format;
  options.norm = ONEPASS_NORM_ORTHO;
  options.order = ONEPASS_SPECTRUM_ORDER_COLUMNS;
  code = onepass_cpu_transform_create(&options, NULL, &transform, error);
  if (code == ONEPASS_OK) code = onepass_cpu_transform_forward(transform, source, spectrum, bytes, error);
  if (code == ONEPASS_OK) code = onepass_cpu_transform_inverse(transform, spectrum, bytes, target, error);
  onepass_cpu_transform_destroy(transform);
  return code;
}

onepass_code client_convolve(const onepass_image_view* source, const onepass_image_view* kernel,
                             const onepass_mutable_image_view* target, onepass_error* error) {
  onepass_convolution_options options;
  onepass_cpu_convolver* convolver = NULL;
  onepass_code code;
  onepass_convolution_options_init(&options, sizeof options);
  options.size = source->size;
  options.source = source->format;
  options.kernel_size = kernel->size;
  options.kernel = kernel->format;
  options.has_kernel_origin = 1;
  options.kernel_origin.x = 1;
  options.boundary = ONEPASS_BOUNDARY_MIRROR;
  options.scale = ONEPASS_KERNEL_SCALE_UNIT_SUM;
  code = onepass_cpu_convolver_create(&options, NULL, &convolver, error);
  if (code == ONEPASS_OK) code = onepass_cpu_convolver_set_kernel(convolver, kernel, error);
  if (code == ONEPASS_OK) code = onepass_cpu_convolver_convolve(convolver, source, target, error);
  onepass_cpu_convolver_destroy(convolver);
  return code;
}

onepass_code client_filter(const onepass_image_view* source, const onepass_mutable_image_view* target,
                           onepass_error* error) {
  const onepass_notch notch = {0.25F, 0.125F, 0.05F};
  onepass_filter_options options;
  onepass_cpu_filter* filter = NULL;
  onepass_code code;
  onepass_filter_options_init(&options, sizeof options);
  options.size = source->size;
  options.source = source->format;
  options.shape = ONEPASS_FILTER_SHAPE_GAUSSIAN;
  options.cutoff = 0.2F;
  options.notches = &notch;
  options.notch_count = 1;
  code = onepass_cpu_filter_create(&options, NULL, &filter, error);
  if (code == ONEPASS_OK) code = onepass_cpu_filter_apply(filter, source, target, error);
  onepass_cpu_filter_destroy(filter);
  return code;
}

onepass_code client_meter(const onepass_image_view* source, onepass_meter_result* results, size_t count,
                          const onepass_meter_frame* frame, onepass_error* error) {
  onepass_meter_options options;
  onepass_cpu_meter* meter = NULL;
  onepass_code code;
  onepass_meter_options_init(&options, sizeof options);
  options.size = source->size;
  options.slices = source->slices;
  options.source = source->format;
  options.metering = ONEPASS_METERING_CENTRE_WEIGHTED;
  options.percentiles[0] = 0.02F;
  options.adaptation_ease_stops = 0.5F;
  code = onepass_cpu_meter_create(&options, NULL, &meter, error);
  if (code == ONEPASS_OK) code = onepass_cpu_meter_measure(meter, source, results, count, frame, NULL, error);
  onepass_cpu_meter_destroy(meter);
  return code;
}

onepass_code client_tone_map(const onepass_image_view* source, const onepass_mutable_image_view* target, float exposure,
                             onepass_error* error) {
  onepass_tone_map_options options;
  onepass_cpu_tone_map* map = NULL;
  onepass_code code;
  onepass_tone_map_options_init(&options, sizeof options);
  options.size = source->size;
  options.slices = source->slices;
  options.source = source->format;
  options.target = target->format;
  options.tone_operator = ONEPASS_TONE_OPERATOR_DRAGO;
  options.drago_bias = 0.7F;
  options.dither = ONEPASS_DITHER_ON;
  code = onepass_cpu_tone_map_create(&options, NULL, &map, error);
  if (code == ONEPASS_OK) code = onepass_cpu_tone_map_apply(map, source, target, exposure, error);
  onepass_cpu_tone_map_destroy(map);
  return code;
}

onepass_code client_local_tone_map(const onepass_image_view* source, const onepass_mutable_image_view* target,
                                   onepass_error* error) {
  onepass_tone_map_options options;
  onepass_cpu_tone_map* map = NULL;
  onepass_code code;
  onepass_tone_map_options_init(&options, sizeof options);
  options.size = source->size;
  options.source = source->format;
  options.target = target->format;
  options.local_highlights = 0.6F;
  options.local_shadows = 0.7F;
  options.local_detail = 1.25F;
  options.local_grey = 0.2F;
  options.local_region = 0.25F;
  code = onepass_cpu_tone_map_create(&options, NULL, &map, error);
  if (code == ONEPASS_OK) code = onepass_cpu_tone_map_apply(map, source, target, 1, error);
  onepass_cpu_tone_map_destroy(map);
  return code;
}

onepass_code client_shift(const onepass_image_view* first, const onepass_image_view* second,
                          onepass_correlation_kind kind, onepass_shift* shift, const onepass_mutable_image_view* target,
                          onepass_error* error) {
  onepass_correlation_options options;
  onepass_cpu_correlator* correlator = NULL;
  onepass_code code;
  onepass_correlation_options_init(&options, sizeof options);
  options.size = first->size;
  options.first = first->format;
  options.second = second->format;
  options.kind = kind;
  options.window = ONEPASS_CORRELATION_WINDOW_NONE;
  options.refinement = ONEPASS_PEAK_REFINEMENT_PARABOLA;
  options.floor = 1e-4F;
  code = onepass_cpu_correlator_create(&options, NULL, &correlator, error);
  if (code == ONEPASS_OK) code = onepass_cpu_correlator_estimate(correlator, first, second, shift, error);
  if (code == ONEPASS_OK && target != NULL)
    code = onepass_cpu_correlator_correlate(correlator, first, second, target, error);
  onepass_cpu_correlator_destroy(correlator);
  return code;
}

onepass_code client_deconvolve(const onepass_image_view* source, const onepass_image_view* kernel,
                               onepass_deconvolution_method method, const onepass_mutable_image_view* target,
                               onepass_error* error) {
  onepass_deconvolution_options options;
  onepass_cpu_deconvolver* deconvolver = NULL;
  onepass_code code;
  onepass_deconvolution_options_init(&options, sizeof options);
  options.size = source->size;
  options.source = source->format;
  options.target = target->format;
  options.kernel_size = kernel->size;
  options.kernel = kernel->format;
  options.has_kernel_origin = 1;
  options.kernel_origin.x = 1;
  options.method = method;
  if (method == ONEPASS_DECONVOLUTION_METHOD_WIENER) options.edges = ONEPASS_DECONVOLUTION_EDGES_TAPER;
  options.noise = 0.05F;
  options.prior = ONEPASS_WIENER_PRIOR_LAPLACIAN;
  options.iterations = 3;
  options.start = ONEPASS_DECONVOLUTION_START_CONSTANT;
  code = onepass_cpu_deconvolver_create(&options, NULL, &deconvolver, error);
  if (code == ONEPASS_OK) code = onepass_cpu_deconvolver_set_kernel(deconvolver, kernel, error);
  if (code == ONEPASS_OK) code = onepass_cpu_deconvolver_deconvolve(deconvolver, source, target, error);
  onepass_cpu_deconvolver_destroy(deconvolver);
  return code;
}

onepass_code client_bloom(const onepass_image_view* source, const onepass_image_view* kernel,
                          onepass_bloom_method method, const onepass_mutable_image_view* target, onepass_error* error) {
  onepass_bloom_options options;
  onepass_bloom_plan plan;
  onepass_cpu_bloom* bloom = NULL;
  onepass_code code;
  onepass_bloom_options_init(&options, sizeof options);
  options.size = source->size;
  options.slices = source->slices;
  options.source = source->format;
  options.target = target->format;
  options.method = method;
  options.resolution = ONEPASS_BLOOM_RESOLUTION_HALF;
  options.scatter = 0.5F;
  options.threshold = 0.25F;
  options.knee = 0.125F;
  if (kernel != NULL) {
    options.kernel_size = kernel->size;
    options.kernel = kernel->format;
  }
  plan.struct_size = sizeof plan;
  code = onepass_plan_bloom(&options, &plan, error);
  if (code == ONEPASS_OK && plan.glow_size.width != (source->size.width + 1) / 2) code = ONEPASS_BAD_DATA;
  if (code == ONEPASS_OK) code = onepass_cpu_bloom_create(&options, NULL, &bloom, error);
  if (code == ONEPASS_OK && kernel != NULL) code = onepass_cpu_bloom_set_kernel(bloom, kernel, error);
  if (code == ONEPASS_OK) code = onepass_cpu_bloom_apply(bloom, source, target, error);
  onepass_cpu_bloom_destroy(bloom);
  return code;
}

onepass_code client_frame(const onepass_image_view* source, const onepass_mutable_image_view* target,
                          onepass_meter_result* results, size_t count, const onepass_meter_frame* frame,
                          onepass_error* error) {
  onepass_meter_options meter;
  onepass_tone_map_options tone;
  onepass_cpu_frame_tone_map* frames = NULL;
  onepass_code code;
  onepass_meter_options_init(&meter, sizeof meter);
  onepass_tone_map_options_init(&tone, sizeof tone);
  meter.size = tone.size = source->size;
  meter.slices = tone.slices = source->slices;
  meter.source = tone.source = source->format;
  meter.metering = ONEPASS_METERING_CENTRE_WEIGHTED;
  tone.target = target->format;
  tone.tone_operator = ONEPASS_TONE_OPERATOR_ACES_HILL;
  code = onepass_cpu_frame_tone_map_create(&meter, &tone, NULL, &frames, error);
  if (code == ONEPASS_OK)
    code = onepass_cpu_frame_tone_map_apply(frames, source, target, results, count, frame, NULL, error);
  onepass_cpu_frame_tone_map_destroy(frames);
  return code;
}

onepass_code client_nonfinite(const onepass_mutable_image_view* image, onepass_rect rect, uint32_t infinite,
                              onepass_nonfinite* found, onepass_nonfinite* replaced, onepass_error* error) {
  onepass_nonfinite_options options;
  onepass_cpu_tuning tuning;
  onepass_image_view view;
  onepass_code code;
  onepass_nonfinite_options_init(&options, sizeof options);
  onepass_cpu_tuning_init(&tuning, sizeof tuning);
  options.rect = rect;
  options.infinite = infinite;
  tuning.threads = 2;
  view.data = image->data;
  view.format = image->format;
  view.size = image->size;
  view.slices = image->slices;
  view.row_stride = image->row_stride;
  view.slice_stride = image->slice_stride;
  found->struct_size = sizeof *found;
  replaced->struct_size = sizeof *replaced;
  code = onepass_find_nonfinite(&view, &options, &tuning, found, error);
  if (code == ONEPASS_OK) code = onepass_replace_nonfinite(image, &options, &tuning, replaced, error);
  return code;
}
