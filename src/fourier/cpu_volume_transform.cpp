// cpu_volume_transform.cpp: transforms of volumes: planes by cpu::Transform, then lines along z in the spectrum, where
// the pairs of all frequencies of a plane are one row.
#include <algorithm>
#include <cmath>
#include <new>

#include "fourier/cpu_impl.hpp"
#include "fourier/volume_kernel.hpp"
#include "fourier/volume_plans.hpp"
#include "image/error.hpp"

namespace onepass::cpu {
namespace {

/// Transforms lines along z, 16 frequencies at a time, from `source` to `target`, which may be the same.
class DepthLines {
 public:
  DepthLines(VolumeSize spectrum, bool inverse, double factor, uint32_t threads)
      : plan_(spectrum.planes),
        pairs_(size_t{spectrum.width} * spectrum.height),
        inverse_(inverse),
        factor_(static_cast<float>(factor)),
        kernels_(find_line_kernels()),
        workers_(threads),
        scratch_(workers_.slots()) {}

  void run(const float* source, float* target, ProgressWatch& watch, double share) {
    const size_t tasks = div_up(pairs_, size_t{kLanes});
    workers_.run(tasks, [&](size_t index, uint32_t slot) {
      if (watch.is_cancelled()) return;
      transform(source + index * kElementFloats, target + index * kElementFloats,
                std::min(size_t{kLanes}, pairs_ - index * kLanes), slot);
      watch.add(share / static_cast<double>(tasks));
    });
  }

 private:
  void transform(const float* source, float* target, size_t pairs, uint32_t slot) {
    AlignedVector<float>& scratch = scratch_[slot];
    scratch.resize((plan_.scratch_elements() + plan_.size) * kElementFloats);
    const size_t stride = 2 * pairs_;
    LineJob job{.plan = &plan_,
                .source = source,
                .source_elements = plan_.identity.data(),
                .target = target,
                .target_elements = plan_.identity.data(),
                .scratch = scratch.data(),
                .inverse = inverse_,
                .source_pair_stride = stride,
                .target_pair_stride = stride,
                .scale = factor_,
                .far = true};
    float* copy = scratch.data() + plan_.scratch_elements() * kElementFloats;
    if (pairs < kLanes) {  // the last frequencies of a plane: 16 pairs would be more than it has
      for (uint32_t z = 0; z < plan_.size; ++z) {
        std::copy_n(source + z * stride, 2 * pairs, copy + z * kElementFloats);
        std::fill(copy + z * kElementFloats + 2 * pairs, copy + (z + 1) * kElementFloats, 0.0F);
      }
      job.source = job.target = copy;
      job.source_pair_stride = job.target_pair_stride = kElementFloats;
    }
    kernels_.transform(job);
    for (uint32_t z = 0; z < plan_.size && pairs < kLanes; ++z) {
      std::copy_n(copy + z * kElementFloats, 2 * pairs, target + z * stride);
    }
  }

  LinePlan plan_;
  size_t pairs_;
  bool inverse_;
  float factor_;
  LineKernels kernels_;
  Workers workers_;
  std::vector<AlignedVector<float>> scratch_;
};

Format transform_format(const VolumeTransformOptions& o) {
  return o.signal == Signal::kReal ? Format::kR32Sfloat : Format::kRG32Sfloat;
}

/// The transform of the planes, without a factor.
Result<Transform> transform_of_planes(const VolumeTransformOptions& o, uint32_t threads) {
  return Transform::create({.size = {o.size.width, o.size.height},
                            .slices = o.size.planes,
                            .signal = o.signal,
                            .source = transform_format(o),
                            .norm = Norm::kNone},
                           {.threads = threads});
}

double factor_of(const VolumeTransformOptions& o, bool inverse) {
  const double voxels = static_cast<double>(o.size.width) * o.size.height * o.size.planes;
  if (o.norm == Norm::kOrtho) return 1 / std::sqrt(voxels);
  return o.norm == (inverse ? Norm::kBackward : Norm::kForward) ? 1 / voxels : 1;
}

/// Checks a call and runs it with the plan's transform of planes.
template <class Call>
Result<void> with_transform(const VolumeTransformOptions& options, const VolumeView& voxels, const char* what,
                            size_t spectrum_bytes, const VolumeTuning& tuning, const Call& call) try {
  const auto plan = plan_volume_transform(options);
  if (!plan) return plan.error();
  if (spectrum_bytes != plan->spectrum_bytes) {
    return invalid("spectrum: " + std::to_string(spectrum_bytes) + " bytes, expected " +
                   std::to_string(plan->spectrum_bytes));
  }
  VolumeSize floats = options.size;
  if (options.signal == Signal::kComplex) floats.width *= 2;
  if (auto good = check_volume_view(what, voxels, VoxelType::kFloat32, floats); !good) return good;
  auto planes = transform_of_planes(options, tuning.threads);
  if (!planes) return planes.error();
  ProgressWatch watch(tuning.progress);
  call(*plan, planes->impl(), watch);
  if (watch.finish()) return {};
  return Error{ErrorCode::kCancelled, "cancelled while the volume was transformed", ""};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory to transform a volume", ""};
}

}  // namespace

Result<void> transform_volume(const VolumeTransformOptions& options, const VolumeView& source,
                              std::span<std::byte> spectrum, const VolumeTuning& tuning) {
  const auto call = [&](const VolumeTransformPlan& plan, Transform::Impl& planes, ProgressWatch& watch) {
    planes.forward({.data = source.data,
                    .format = transform_format(options),
                    .size = {options.size.width, options.size.height},
                    .slices = options.size.planes,
                    .row_stride = source.row_stride,
                    .slice_stride = source.plane_stride},
                   spectrum, {&watch, 0.6});
    auto* values = reinterpret_cast<float*>(spectrum.data());
    DepthLines(plan.spectrum_size, false, factor_of(options, false), tuning.threads).run(values, values, watch, 0.4);
  };
  return with_transform(options, source, "source", spectrum.size(), tuning, call);
}

Result<void> inverse_transform_volume(const VolumeTransformOptions& options, std::span<const std::byte> spectrum,
                                      const MutableVolumeView& target, const VolumeTuning& tuning) {
  const auto call = [&](const VolumeTransformPlan& plan, Transform::Impl& planes, ProgressWatch& watch) {
    RawMemory work;
    work.allocate(plan.spectrum_bytes);
    DepthLines(plan.spectrum_size, true, factor_of(options, true), tuning.threads)
        .run(reinterpret_cast<const float*>(spectrum.data()), reinterpret_cast<float*>(work.data()), watch, 0.4);
    planes.inverse({work.data(), spectrum.size()},
                   {.data = target.data,
                    .format = transform_format(options),
                    .size = {options.size.width, options.size.height},
                    .slices = options.size.planes,
                    .row_stride = target.row_stride,
                    .slice_stride = target.plane_stride},
                   {&watch, 0.6});
  };
  return with_transform(options, {target.data, target.row_stride, target.plane_stride}, "target", spectrum.size(),
                        tuning, call);
}

}  // namespace onepass::cpu
