// vulkan_host.cpp: C functions that open Vulkan devices and process images in host memory on them.
#include "onepass/onepass_vulkan_host.h"

#include <optional>
#include <vector>

#include "c_api/block_views.hpp"
#include "c_api/vulkan_abi.hpp"
#include "onepass/vulkan/blocks.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "onepass/vulkan/tunings.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_vulkan_device_list {
  std::vector<vulkan::DeviceInfo> object;
};

namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_device_info) == 88);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_device_request) == 56);

onepass_vulkan_device_info to_c(const vulkan::DeviceInfo& info) {
  return {.struct_size = 0,
          .name = info.name.c_str(),
          .driver = info.driver.c_str(),
          .unusable_reason = info.unusable_reason.c_str(),
          .memory_bytes = info.memory_bytes,
          .index = info.index,
          .api_version = info.api_version,
          .software = info.software ? 1U : 0U,
          .usable = info.usable ? 1U : 0U,
          .subgroup_size = info.subgroup_size,
          .shared_memory_bytes = info.shared_memory_bytes,
          .max_image_size = info.max_image_size,
          .max_slices = info.max_slices,
          .processors = info.processors,
          .reserved = 0,
          .tunings = info.tunings.c_str()};
}

Result<vulkan::DeviceRequest> read_request(const onepass_vulkan_device_request* request) {
  if (request == nullptr) return vulkan::DeviceRequest{};
  auto r = read_struct("request", request, onepass_vulkan_device_request{});
  if (!r) return r.error();
  if (auto zero = require_zero(r->reserved, "request.reserved"); !zero) return zero.error();
  vulkan::DeviceRequest out{.selector = r->selector != nullptr ? r->selector : "",
                            .allow_software = r->allow_software != 0,
                            .validation = r->validation != 0,
                            .gpu_validation = r->gpu_validation != 0,
                            .on_validation_message = {},
                            .tunings = r->tunings != nullptr ? r->tunings : ""};
  if (r->on_message != nullptr) {
    out.on_validation_message = [call = r->on_message, user = r->message_user](std::string_view message) {
      call(user, std::string(message).c_str());
    };
  }
  return out;
}

/// Reads device, options and tuning, runs `work` with them and stores the time of its report.
template <typename Options, typename Tuning, typename Work>
onepass_code on_device(const onepass_vulkan_device* device, const Options* options, const Tuning* tuning,
                       double* gpu_microseconds, onepass_error* error, const Work& work) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(device, "device"); !there) return there;
    auto o = read_options(options);
    if (!o) return o.error();
    auto t = read_options(tuning);
    if (!t) return t.error();
    auto report = work(device->object, *o, *t);
    if (!report) return report.error();
    if (gpu_microseconds != nullptr) *gpu_microseconds = report->gpu_microseconds;
    return {};
  });
}

/// Reads both views and runs `work` with them.
template <typename Report, typename Work>
Result<Report> with_views(const onepass_image_view* source, const onepass_mutable_image_view* target,
                          const Work& work) {
  auto from = view_of("source", source);
  if (!from) return from.error();
  auto to = view_of("target", target);
  if (!to) return to.error();
  return work(*from, *to);
}

}  // namespace

extern "C" {

onepass_code onepass_vulkan_list_devices(onepass_vulkan_device_list** list, onepass_error* error) {
  return make_handle(list, error, [] { return vulkan::list_devices(); });
}

void onepass_vulkan_device_list_destroy(onepass_vulkan_device_list* list) { delete list; }

uint32_t onepass_vulkan_device_list_count(const onepass_vulkan_device_list* list) {
  return list != nullptr ? static_cast<uint32_t>(list->object.size()) : 0;
}

onepass_code onepass_vulkan_device_list_info(const onepass_vulkan_device_list* list, uint32_t index,
                                             onepass_vulkan_device_info* info, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(list, "list"); !there) return there;
    if (auto checked = check_result_struct("info", info); !checked) return checked;
    if (index >= list->object.size()) {
      return invalid("index: " + std::to_string(index) + ", but the list has " + std::to_string(list->object.size()));
    }
    write_result(info, to_c(list->object[index]));
    return {};
  });
}

onepass_code onepass_vulkan_check_tunings(const char* tunings, onepass_error* error) {
  return guarded(error, [&] { return vulkan::check_tunings(tunings != nullptr ? tunings : ""); });
}

void onepass_vulkan_device_request_init(onepass_vulkan_device_request* request, size_t struct_size) {
  write_struct(request, struct_size, onepass_vulkan_device_request{});
}

onepass_code onepass_vulkan_device_open(const onepass_vulkan_device_request* request, onepass_vulkan_device** device,
                                        onepass_error* error) {
  return make_handle(device, error, [&]() -> Result<vulkan::Device> {
    auto r = read_request(request);
    if (!r) return r.error();
    return vulkan::Device::open(*r);
  });
}

onepass_code onepass_vulkan_device_get_info(const onepass_vulkan_device* device, onepass_vulkan_device_info* info,
                                            onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(device, "device"); !there) return there;
    if (auto checked = check_result_struct("info", info); !checked) return checked;
    write_result(info, to_c(device->object.info()));
    return {};
  });
}

onepass_code onepass_vulkan_make_pyramid(const onepass_vulkan_device* device, const onepass_pyramid_options* options,
                                         const onepass_vulkan_pyramid_tuning* tuning, const onepass_image_view* source,
                                         const onepass_mutable_image_view* levels, size_t level_count,
                                         const onepass_rect* changed, double* gpu_microseconds, onepass_error* error) {
  using Report = vulkan::HostPyramidReport;
  const auto work = [&](const vulkan::Device& on, const PyramidOptions& o, const auto& t) -> Result<Report> {
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = levels_of(levels, level_count);
    if (!to) return to.error();
    const std::optional<Rect> rect = changed != nullptr ? std::optional(c_api::to_cpp(*changed)) : std::nullopt;
    return vulkan::make_pyramid(on, o, t, *from, *to, rect);
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_reduce_tiles(const onepass_vulkan_device* device,
                                         const onepass_tile_reduction_options* options,
                                         const onepass_vulkan_tile_reduction_tuning* tuning,
                                         const onepass_image_view* source, const onepass_mutable_image_view* target,
                                         double* gpu_microseconds, onepass_error* error) {
  const auto work = [&](const vulkan::Device& on, const TileReductionOptions& o, const auto& t) {
    return with_views<vulkan::HostTileReductionReport>(
        source, target, [&](const auto& from, const auto& to) { return vulkan::reduce_tiles(on, o, t, from, to); });
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_compress_levels(const onepass_vulkan_device* device,
                                            const onepass_block_compressor_options* options,
                                            const onepass_image_view* levels, const onepass_mutable_block_view* blocks,
                                            size_t level_count, double* gpu_microseconds, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(device, "device"); !there) return there;
    auto o = read_options(options);
    if (!o) return o.error();
    if (level_count > std::size(onepass_block_compressor_plan{}.offsets)) {
      return invalid("level_count: " + std::to_string(level_count) + " is more than any image has");
    }
    std::vector<ImageView> from;
    std::vector<MutableBlockView> to;
    for (size_t n = 0; n < level_count; ++n) {
      auto level = view_of("levels", levels == nullptr ? nullptr : levels + n);
      if (!level) return level.error();
      auto view = blocks_of<MutableBlockView>("blocks", blocks == nullptr ? nullptr : blocks + n);
      if (!view) return view.error();
      from.push_back(*level);
      to.push_back(*view);
    }
    auto report = vulkan::compress_levels(device->object, *o, from, to);
    if (!report) return report.error();
    if (gpu_microseconds != nullptr) *gpu_microseconds = report->gpu_microseconds;
    return {};
  });
}

onepass_code onepass_vulkan_transform_forward(const onepass_vulkan_device* device,
                                              const onepass_transform_options* options,
                                              const onepass_vulkan_transform_tuning* tuning,
                                              const onepass_image_view* source, void* spectrum, size_t spectrum_bytes,
                                              double* gpu_microseconds, onepass_error* error) {
  using Report = vulkan::HostTransformReport;
  const auto work = [&](const vulkan::Device& on, const TransformOptions& o, const auto& t) -> Result<Report> {
    auto from = view_of("source", source);
    if (!from) return from.error();
    if (auto there = require(spectrum, "spectrum"); !there) return there.error();
    return vulkan::transform_forward(on, o, t, *from, {static_cast<std::byte*>(spectrum), spectrum_bytes});
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_transform_inverse(const onepass_vulkan_device* device,
                                              const onepass_transform_options* options,
                                              const onepass_vulkan_transform_tuning* tuning, const void* spectrum,
                                              size_t spectrum_bytes, const onepass_mutable_image_view* target,
                                              double* gpu_microseconds, onepass_error* error) {
  using Report = vulkan::HostTransformReport;
  const auto work = [&](const vulkan::Device& on, const TransformOptions& o, const auto& t) -> Result<Report> {
    if (auto there = require(spectrum, "spectrum"); !there) return there.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return vulkan::transform_inverse(on, o, t, {static_cast<const std::byte*>(spectrum), spectrum_bytes}, *to);
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_convolve_image(const onepass_vulkan_device* device,
                                           const onepass_convolution_options* options,
                                           const onepass_vulkan_transform_tuning* tuning,
                                           const onepass_image_view* kernel, const onepass_image_view* source,
                                           const onepass_mutable_image_view* target, double* gpu_microseconds,
                                           onepass_error* error) {
  using Report = vulkan::HostOperationReport;
  const auto work = [&](const vulkan::Device& on, const ConvolutionOptions& o, const auto& t) -> Result<Report> {
    auto weights = view_of("kernel", kernel);
    if (!weights) return weights.error();
    return with_views<Report>(source, target, [&](const auto& from, const auto& to) {
      return vulkan::convolve_image(on, o, t, *weights, from, to);
    });
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_filter_image(const onepass_vulkan_device* device, const onepass_filter_options* options,
                                         const onepass_vulkan_transform_tuning* tuning,
                                         const onepass_image_view* source, const onepass_mutable_image_view* target,
                                         double* gpu_microseconds, onepass_error* error) {
  const auto work = [&](const vulkan::Device& on, const FilterOptions& o, const auto& t) {
    return with_views<vulkan::HostOperationReport>(
        source, target, [&](const auto& from, const auto& to) { return vulkan::filter_image(on, o, t, from, to); });
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_estimate_shift(const onepass_vulkan_device* device,
                                           const onepass_correlation_options* options,
                                           const onepass_vulkan_transform_tuning* tuning,
                                           const onepass_image_view* first, const onepass_image_view* second,
                                           const onepass_mutable_image_view* target, onepass_shift* shift,
                                           double* gpu_microseconds, onepass_error* error) {
  using Report = vulkan::HostCorrelationReport;
  const auto work = [&](const vulkan::Device& on, const CorrelationOptions& o, const auto& t) -> Result<Report> {
    if (auto there = require(shift, "shift"); !there) return there.error();
    auto a = view_of("first", first);
    if (!a) return a.error();
    auto b = view_of("second", second);
    if (!b) return b.error();
    MutableImageView surface{};
    if (target != nullptr) {
      auto to = view_of("target", target);
      if (!to) return to.error();
      surface = *to;
    }
    auto report = vulkan::estimate_shift(on, o, t, *a, *b, target != nullptr ? &surface : nullptr);
    if (report) *shift = c_api::to_c(report->shift);
    return report;
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_deconvolve_image(const onepass_vulkan_device* device,
                                             const onepass_deconvolution_options* options,
                                             const onepass_vulkan_transform_tuning* tuning,
                                             const onepass_image_view* kernel, const onepass_image_view* source,
                                             const onepass_mutable_image_view* target, double* gpu_microseconds,
                                             onepass_error* error) {
  using Report = vulkan::HostOperationReport;
  const auto work = [&](const vulkan::Device& on, const DeconvolutionOptions& o, const auto& t) -> Result<Report> {
    auto weights = view_of("kernel", kernel);
    if (!weights) return weights.error();
    return with_views<Report>(source, target, [&](const auto& from, const auto& to) {
      return vulkan::deconvolve_image(on, o, t, *weights, from, to);
    });
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_bloom_image(const onepass_vulkan_device* device, const onepass_bloom_options* options,
                                        const onepass_vulkan_transform_tuning* tuning, const onepass_image_view* kernel,
                                        const onepass_image_view* source, const onepass_mutable_image_view* target,
                                        double* gpu_microseconds, onepass_error* error) {
  using Report = vulkan::HostOperationReport;
  const auto work = [&](const vulkan::Device& on, const BloomOptions& o, const auto& t) -> Result<Report> {
    ImageView weights{};
    if (kernel != nullptr) {
      auto view = view_of("kernel", kernel);
      if (!view) return view.error();
      weights = *view;
    }
    return with_views<Report>(source, target, [&](const auto& from, const auto& to) {
      return vulkan::bloom_image(on, o, t, kernel != nullptr ? &weights : nullptr, from, to);
    });
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_meter_image(const onepass_vulkan_device* device, const onepass_meter_options* options,
                                        const onepass_vulkan_meter_tuning* tuning, const onepass_image_view* source,
                                        onepass_meter_result* results, size_t result_count,
                                        const onepass_meter_frame* frame, const onepass_image_view* mask,
                                        double* gpu_microseconds, onepass_error* error) {
  using Report = vulkan::HostMeterReport;
  const auto work = [&](const vulkan::Device& on, const MeterOptions& o, const auto& t) -> Result<Report> {
    auto from = view_of("source", source);
    if (!from) return from.error();
    if (auto there = require(results, "results"); !there) return there.error();
    auto weights = mask_of(mask);
    if (!weights) return weights.error();
    return vulkan::meter_image(on, o, t, *from, {reinterpret_cast<MeterResult*>(results), result_count},
                               frame_of(frame), *weights);
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

onepass_code onepass_vulkan_map_tones(const onepass_vulkan_device* device, const onepass_tone_map_options* options,
                                      const onepass_vulkan_tone_map_tuning* tuning, const onepass_image_view* source,
                                      const onepass_mutable_image_view* target, float exposure,
                                      double* gpu_microseconds, onepass_error* error) {
  const auto work = [&](const vulkan::Device& on, const ToneMapOptions& o, const auto& t) {
    return with_views<vulkan::HostToneMapReport>(source, target, [&](const auto& from, const auto& to) {
      return vulkan::map_tones(on, o, t, from, to, exposure);
    });
  };
  return on_device(device, options, tuning, gpu_microseconds, error, work);
}

}  // extern "C"
