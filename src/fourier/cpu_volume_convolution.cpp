// cpu_volume_convolution.cpp: a volume's convolution: forward, times the kernel's spectrum, inverse.
#include <new>

#include "fourier/cpu_volume_passes.hpp"
#include "fourier/volume_kernel.hpp"
#include "fourier/volume_plans.hpp"
#include "fourier/voxel_rows.hpp"

namespace onepass::cpu {
namespace {

void convolve_planned(const VolumeConvolutionPlan& plan, const VolumeView& source, const std::vector<float>& weights,
                      const MutableVolumeView& target, uint32_t threads, ProgressWatch& watch) {
  const VolumeConvolutionOptions& o = plan.options;
  VolumePasses passes(convolution_domain(plan), threads, &watch);
  const auto kernel_side = [](const ConvolutionAxis& axis) { return BoxSide{axis.kernel_size, -axis.kernel_origin}; };
  const VolumePasses::Box kernel = passes.box(kernel_side(plan.x), kernel_side(plan.y), kernel_side(plan.z));
  const auto load_weights = [&](uint32_t z, uint32_t y, float* values, uint32_t /*slot*/) {
    const size_t row = (size_t{z} + plan.z.kernel_first) * o.kernel_size.height + y + plan.y.kernel_first;
    std::copy_n(weights.data() + row * o.kernel_size.width + plan.x.kernel_first, plan.x.kernel_size, values);
  };
  passes.forward(kernel, load_weights, 0.2);
  passes.keep_kernel(kernel, 1);

  // kValid needs nothing beyond the edges.
  const Boundary boundary = o.mode == ConvolutionMode::kValid ? Boundary::kZero : o.boundary;
  const VolumePasses::Box in =
      passes.box({o.size.width, plan.x.placement, boundary}, {o.size.height, plan.y.placement, boundary},
                 {o.size.planes, plan.z.placement, boundary});
  const auto result_side = [](const ConvolutionAxis& axis) {
    return BoxSide{axis.result_size, static_cast<int32_t>(axis.result)};
  };
  const VolumePasses::Box out = passes.box(result_side(plan.x), result_side(plan.y), result_side(plan.z));
  passes.forward(
      in,
      [&](uint32_t z, uint32_t y, float* values, uint32_t /*slot*/) {
        load_voxels(o.source, voxel_row(source, y, z), o.size.width, values);
      },
      0.3);
  passes.multiply(in, out, false, 0.3);
  passes.inverse(
      out,
      [&](uint32_t z, uint32_t y, float* values, uint32_t /*slot*/) {
        store_voxels(o.target, values, plan.x.result_size, voxel_row(target, y, z));
      },
      0.2);
}

}  // namespace

Result<void> convolve_volume(const VolumeConvolutionOptions& options, const VolumeView& source,
                             const VolumeView& kernel, const MutableVolumeView& target,
                             const VolumeTuning& tuning) try {
  const auto plan = plan_volume_convolution(options);
  if (!plan) return plan.error();
  auto checked = check_volume_view("source", source, options.source, options.size);
  if (checked) {
    checked = check_volume_view("target", {target.data, target.row_stride, target.plane_stride}, options.target,
                                plan->result_size);
  }
  if (!checked) return checked;
  const auto weights =
      volume_weights(kernel, options.kernel, options.kernel_size, options.scale != KernelScale::kNone, true);
  if (!weights) return weights.error();
  ProgressWatch watch(tuning.progress);
  convolve_planned(*plan, source, *weights, target, tuning.threads, watch);
  if (watch.finish()) return {};
  return Error{ErrorCode::kCancelled, "cancelled while the volume was convolved", ""};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory to convolve a volume", ""};
}

}  // namespace onepass::cpu
