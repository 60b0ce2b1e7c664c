// plans.cpp: validation of options and costs, for C.
#include "c_api/options.hpp"
#include "onepass/pyramid_stream.hpp"

using namespace onepass;
using namespace onepass::c_api;

static_assert(std::size(onepass_pyramid_plan{}.sizes) == kMaxLevels);

namespace {

/// Computes a plan from options by `make` and converts it by `convert`, which returns the C struct.
template <typename Options, typename Plan, typename Make, typename Convert>
onepass_code write_plan(const Options* options, Plan* plan, onepass_error* error, const Make& make,
                        const Convert& convert) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_options(options);
    if (!o) return o.error();
    auto made = make(*o);
    if (!made) return made.error();
    write_result(plan, convert(*made));
    return {};
  });
}

#ifndef ONEPASS_WITHOUT_PYRAMID
onepass_pyramid_plan pyramid_plan(const PyramidPlan& plan) {
  onepass_pyramid_plan out{};
  out.bytes_read = plan.bytes_read;
  out.bytes_written = plan.bytes_written;
  out.levels = plan.levels;
  for (uint32_t n = 0; n < plan.levels; ++n) out.sizes[n] = to_c(plan.sizes[n]);
  return out;
}
#endif

}  // namespace

extern "C" {

#ifndef ONEPASS_WITHOUT_PYRAMID
onepass_code onepass_plan_pyramid(const onepass_pyramid_options* options, onepass_pyramid_plan* plan,
                                  onepass_error* error) {
  return write_plan(options, plan, error, plan_pyramid, pyramid_plan);
}

onepass_code onepass_plan_pyramid_stream(const onepass_pyramid_options* options, onepass_pyramid_plan* plan,
                                         onepass_error* error) {
  return write_plan(options, plan, error, plan_pyramid_stream, pyramid_plan);
}
#endif

#ifndef ONEPASS_WITHOUT_TILE_REDUCTION
onepass_code onepass_plan_tile_reduction(const onepass_tile_reduction_options* options,
                                         onepass_tile_reduction_plan* plan, onepass_error* error) {
  return write_plan(options, plan, error, plan_tile_reduction, [](const TileReductionPlan& made) {
    return onepass_tile_reduction_plan{
        .struct_size = 0, .bytes_read = made.bytes_read, .bytes_written = made.bytes_written, .size = to_c(made.size)};
  });
}
#endif

onepass_code onepass_plan_block_compressor(const onepass_block_compressor_options* options,
                                           onepass_block_compressor_plan* plan, onepass_error* error) {
  return write_plan(options, plan, error, plan_block_compressor, [](const BlockCompressorPlan& made) {
    onepass_block_compressor_plan out{};
    out.bytes = made.bytes;
    out.bytes_read = made.bytes_read;
    for (const BlockLevel& level : made.levels) out.offsets[out.levels++] = level.offset;
    return out;
  });
}

#ifndef ONEPASS_WITHOUT_FOURIER
onepass_code onepass_plan_transform(const onepass_transform_options* options, onepass_transform_plan* plan,
                                    onepass_error* error) {
  return write_plan(options, plan, error, plan_transform, [](const TransformPlan& made) {
    return onepass_transform_plan{.struct_size = 0,
                                  .spectrum_bytes = made.spectrum_bytes,
                                  .spectrum_size = to_c(made.spectrum_size),
                                  .spectrum_channels = made.spectrum_channels,
                                  .reserved = 0,
                                  .forward_factor = made.forward_factor,
                                  .inverse_factor = made.inverse_factor,
                                  .half_scale = made.half_scale,
                                  .forward_bytes_read = made.forward.bytes_read,
                                  .forward_bytes_written = made.forward.bytes_written,
                                  .inverse_bytes_read = made.inverse.bytes_read,
                                  .inverse_bytes_written = made.inverse.bytes_written};
  });
}

onepass_code onepass_plan_convolution(const onepass_convolution_options* options, onepass_convolution_plan* plan,
                                      onepass_error* error) {
  return write_plan(options, plan, error, plan_convolution, [](const ConvolutionPlan& made) {
    return onepass_convolution_plan{.struct_size = 0,
                                    .result_size = to_c(made.result_size),
                                    .domain = {made.x.domain, made.y.domain},
                                    .kernel_bytes = made.kernel_bytes,
                                    .bytes_read = made.traffic.bytes_read,
                                    .bytes_written = made.traffic.bytes_written};
  });
}

onepass_code onepass_plan_filter(const onepass_filter_options* options, onepass_filter_plan* plan,
                                 onepass_error* error) {
  return write_plan(options, plan, error, plan_filter, [](const FilterPlan& made) {
    return onepass_filter_plan{.struct_size = 0,
                               .domain = to_c(made.domain),
                               .bytes_read = made.traffic.bytes_read,
                               .bytes_written = made.traffic.bytes_written};
  });
}

onepass_code onepass_plan_correlation(const onepass_correlation_options* options, onepass_correlation_plan* plan,
                                      onepass_error* error) {
  return write_plan(options, plan, error, plan_correlation, [](const CorrelationPlan& made) {
    return onepass_correlation_plan{
        .struct_size = 0, .bytes_read = made.traffic.bytes_read, .bytes_written = made.traffic.bytes_written};
  });
}

onepass_code onepass_plan_match(const onepass_match_options* options, onepass_match_plan* plan, onepass_error* error) {
  return write_plan(options, plan, error, plan_match, [](const MatchPlan& made) {
    return onepass_match_plan{.struct_size = 0,
                              .domain = to_c(made.templates.size),
                              .memory_bytes = made.memory_bytes,
                              .bytes_read = made.traffic.bytes_read,
                              .bytes_written = made.traffic.bytes_written,
                              .together = made.templates.slices,
                              .reserved = 0};
  });
}

onepass_code onepass_plan_deconvolution(const onepass_deconvolution_options* options, onepass_deconvolution_plan* plan,
                                        onepass_error* error) {
  return write_plan(options, plan, error, plan_deconvolution, [](const DeconvolutionPlan& made) {
    return onepass_deconvolution_plan{.struct_size = 0,
                                      .domain = to_c(made.domain),
                                      .estimate = to_c(made.estimate),
                                      .bytes_read = made.traffic.bytes_read,
                                      .bytes_written = made.traffic.bytes_written,
                                      .passes = made.passes,
                                      .reserved = 0};
  });
}

uint32_t onepass_next_smooth_size(uint32_t n) { return next_smooth_size(n); }
#endif

#ifndef ONEPASS_WITHOUT_BLOOM
onepass_code onepass_plan_bloom(const onepass_bloom_options* options, onepass_bloom_plan* plan, onepass_error* error) {
  return write_plan(options, plan, error, plan_bloom, [](const BloomPlan& made) {
    return onepass_bloom_plan{.struct_size = 0,
                              .glow_size = to_c(made.glow_size),
                              .kernel_size = to_c(made.kernel_size),
                              .domain = to_c(made.domain),
                              .kernel_bytes = made.kernel_bytes,
                              .levels = made.levels,
                              .passes = made.passes,
                              .bytes_read = made.traffic.bytes_read,
                              .bytes_written = made.traffic.bytes_written};
  });
}
#endif

#ifndef ONEPASS_WITHOUT_REFLECTION
onepass_code onepass_plan_reflection(const onepass_reflection_options* options, onepass_reflection_plan* plan,
                                     onepass_error* error) {
  return write_plan(options, plan, error, plan_reflection, [](const ReflectionPlan& made) {
    return onepass_reflection_plan{.struct_size = 0,
                                   .scratch_bytes = made.scratch_bytes,
                                   .traced = to_c(made.traced),
                                   .tiles = to_c(made.tiles),
                                   .levels = made.levels,
                                   .dispatches = made.dispatches};
  });
}
#endif

}  // extern "C"
