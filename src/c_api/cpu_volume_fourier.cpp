// cpu_volume_fourier.cpp: C functions for transforms, convolutions and deconvolutions of volumes.
#include "c_api/options.hpp"
#include "onepass/fourier_volume.hpp"

using namespace onepass;
using namespace onepass::c_api;

namespace {

VolumeSize to_cpp(const onepass_volume_size& size) { return {size.width, size.height, size.planes}; }
onepass_volume_size to_c(const VolumeSize& size) { return {size.width, size.height, size.planes}; }
VolumePoint to_cpp(const onepass_volume_point& at) { return {at.x, at.y, at.z}; }

onepass_volume_transform_options transform_defaults() { return {}; }

onepass_volume_convolution_options convolution_defaults() {
  const VolumeConvolutionOptions d;
  onepass_volume_convolution_options options{};
  options.source = number(d.source);
  options.target = number(d.target);
  options.kernel = number(d.kernel);
  return options;
}

onepass_volume_deconvolution_options deconvolution_defaults() {
  const VolumeDeconvolutionOptions d;
  onepass_volume_deconvolution_options options{};
  options.max_bytes = d.max_bytes;
  options.source = number(d.source);
  options.target = number(d.target);
  options.kernel = number(d.kernel);
  options.iterations = d.iterations;
  return options;
}

Result<VolumeTransformOptions> read_volume_options(const onepass_volume_transform_options* options) {
  auto o = read_struct("options", options, transform_defaults());
  if (!o) return o.error();
  if (o->reserved != 0) return invalid("reserved: " + std::to_string(o->reserved) + " is not 0");
  return VolumeTransformOptions{
      .size = to_cpp(o->size), .signal = static_cast<Signal>(o->signal), .norm = static_cast<Norm>(o->norm)};
}

Result<VolumeConvolutionOptions> read_volume_options(const onepass_volume_convolution_options* options) {
  auto o = read_struct("options", options, convolution_defaults());
  if (!o) return o.error();
  VolumeConvolutionOptions to = {.size = to_cpp(o->size),
                                 .source = static_cast<VoxelType>(o->source),
                                 .target = static_cast<VoxelType>(o->target),
                                 .kernel_size = to_cpp(o->kernel_size),
                                 .kernel = static_cast<VoxelType>(o->kernel),
                                 .boundary = static_cast<Boundary>(o->boundary),
                                 .mode = static_cast<ConvolutionMode>(o->mode),
                                 .scale = static_cast<KernelScale>(o->scale)};
  if (o->has_kernel_origin != 0) to.kernel_origin = to_cpp(o->kernel_origin);
  return to;
}

Result<VolumeDeconvolutionOptions> read_volume_options(const onepass_volume_deconvolution_options* options) {
  auto o = read_struct("options", options, deconvolution_defaults());
  if (!o) return o.error();
  if (o->reserved != 0) return invalid("reserved: " + std::to_string(o->reserved) + " is not 0");
  VolumeDeconvolutionOptions to = {.size = to_cpp(o->size),
                                   .source = static_cast<VoxelType>(o->source),
                                   .target = static_cast<VoxelType>(o->target),
                                   .kernel_size = to_cpp(o->kernel_size),
                                   .kernel = static_cast<VoxelType>(o->kernel),
                                   .iterations = o->iterations,
                                   .acceleration = static_cast<DeconvolutionAcceleration>(o->acceleration),
                                   .start = static_cast<DeconvolutionStart>(o->start),
                                   .background = o->background,
                                   .max_bytes = o->max_bytes};
  if (o->has_kernel_origin != 0) to.kernel_origin = to_cpp(o->kernel_origin);
  if (o->has_halo != 0) to.halo = to_cpp(o->halo);
  return to;
}

Result<cpu::VolumeTuning> read_volume_tuning(const onepass_cpu_tuning* tuning) {
  auto threads = threads_of(tuning);
  if (!threads) return threads.error();
  auto progress = progress_of(tuning);
  if (!progress) return progress.error();
  return cpu::VolumeTuning{.threads = *threads, .progress = *progress};
}

cpu::VolumeView to_cpp(const onepass_volume_view& view) { return {view.data, view.row_stride, view.plane_stride}; }
cpu::MutableVolumeView to_cpp(const onepass_mutable_volume_view& view) {
  return {view.data, view.row_stride, view.plane_stride};
}

/// Reads options and tuning, and calls function(options, tuning).
template <typename Options, typename Function>
onepass_code with_options(const Options* options, const onepass_cpu_tuning* tuning, onepass_error* error,
                          const Function& function) {
  return guarded(error, [&]() -> Result<void> {
    auto o = read_volume_options(options);
    if (!o) return o.error();
    auto how = read_volume_tuning(tuning);
    if (!how) return how.error();
    return function(*o, *how);
  });
}

}  // namespace

extern "C" {

void onepass_volume_transform_options_init(onepass_volume_transform_options* options, size_t struct_size) {
  write_struct(options, struct_size, transform_defaults());
}

void onepass_volume_convolution_options_init(onepass_volume_convolution_options* options, size_t struct_size) {
  write_struct(options, struct_size, convolution_defaults());
}

void onepass_volume_deconvolution_options_init(onepass_volume_deconvolution_options* options, size_t struct_size) {
  write_struct(options, struct_size, deconvolution_defaults());
}

onepass_code onepass_cpu_transform_volume(const onepass_volume_transform_options* options,
                                          const onepass_cpu_tuning* tuning, const onepass_volume_view* source,
                                          void* spectrum, size_t spectrum_bytes, onepass_error* error) {
  return with_options(options, tuning, error, [&](const VolumeTransformOptions& o, const auto& how) -> Result<void> {
    if (auto there = require(source, "source"); !there) return there;
    if (auto there = require(spectrum, "spectrum"); !there) return there;
    return cpu::transform_volume(o, to_cpp(*source), {static_cast<std::byte*>(spectrum), spectrum_bytes}, how);
  });
}

onepass_code onepass_cpu_inverse_transform_volume(const onepass_volume_transform_options* options,
                                                  const onepass_cpu_tuning* tuning, const void* spectrum,
                                                  size_t spectrum_bytes, const onepass_mutable_volume_view* target,
                                                  onepass_error* error) {
  return with_options(options, tuning, error, [&](const VolumeTransformOptions& o, const auto& how) -> Result<void> {
    if (auto there = require(spectrum, "spectrum"); !there) return there;
    if (auto there = require(target, "target"); !there) return there;
    return cpu::inverse_transform_volume(o, {static_cast<const std::byte*>(spectrum), spectrum_bytes}, to_cpp(*target),
                                         how);
  });
}

onepass_code onepass_plan_volume_convolution(const onepass_volume_convolution_options* options,
                                             onepass_volume_convolution_plan* plan, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_volume_options(options);
    if (!o) return o.error();
    auto made = plan_volume_convolution(*o);
    if (!made) return made.error();
    onepass_volume_convolution_plan out{};
    out.memory_bytes = made->memory_bytes;
    out.domain = {made->x.domain, made->y.domain, made->z.domain};
    out.result_size = to_c(made->result_size);
    write_result(plan, out);
    return {};
  });
}

onepass_code onepass_cpu_convolve_volume(const onepass_volume_convolution_options* options,
                                         const onepass_cpu_tuning* tuning, const onepass_volume_view* source,
                                         const onepass_volume_view* kernel, const onepass_mutable_volume_view* target,
                                         onepass_error* error) {
  return with_options(options, tuning, error, [&](const VolumeConvolutionOptions& o, const auto& how) -> Result<void> {
    if (auto there = require(source, "source"); !there) return there;
    if (auto there = require(kernel, "kernel"); !there) return there;
    if (auto there = require(target, "target"); !there) return there;
    return cpu::convolve_volume(o, to_cpp(*source), to_cpp(*kernel), to_cpp(*target), how);
  });
}

onepass_code onepass_plan_volume_deconvolution(const onepass_volume_deconvolution_options* options,
                                               onepass_volume_deconvolution_plan* plan, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_volume_options(options);
    if (!o) return o.error();
    auto made = plan_volume_deconvolution(*o);
    if (!made) return made.error();
    onepass_volume_deconvolution_plan out{};
    out.memory_bytes = made->memory_bytes;
    out.thread_bytes = made->thread_bytes;
    out.tiles = to_c(made->tiles);
    out.tile = to_c(made->tile);
    out.measured = to_c(made->measured);
    out.estimate = to_c(made->estimate);
    out.domain = to_c(made->domain);
    write_result(plan, out);
    return {};
  });
}

onepass_code onepass_cpu_deconvolve_volume(const onepass_volume_deconvolution_options* options,
                                           const onepass_cpu_tuning* tuning, const onepass_volume_view* source,
                                           const onepass_volume_view* kernel, const onepass_mutable_volume_view* target,
                                           onepass_error* error) {
  return with_options(options, tuning, error,
                      [&](const VolumeDeconvolutionOptions& o, const auto& how) -> Result<void> {
                        if (auto there = require(source, "source"); !there) return there;
                        if (auto there = require(kernel, "kernel"); !there) return there;
                        if (auto there = require(target, "target"); !there) return there;
                        return cpu::deconvolve_volume(o, to_cpp(*source), to_cpp(*kernel), to_cpp(*target), how);
                      });
}

}  // extern "C"
