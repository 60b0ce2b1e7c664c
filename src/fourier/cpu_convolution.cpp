// cpu_convolution.cpp: cpu::Convolver: a fused pass that multiplies each strip of the image's spectrum by the kernel's.
#include <new>
#include <utility>

#include "cpu/views.hpp"
#include "fourier/cpu_image_rows.hpp"
#include "fourier/cpu_impl.hpp"
#include "fourier/cpu_kernel_spectrum.hpp"
#include "fourier/kernel_weights.hpp"
#include "image/error.hpp"
#include "onepass/fourier_convolution.hpp"

namespace onepass::cpu {

struct ONEPASS_INTERNAL Convolver::Impl {
  ConvolutionPlan plan;
  TransformTuning tuning;
  Transform transform;
  Workers workers;
  KernelSpectrum kernel;
  bool kernel_set = false;

  Impl(ConvolutionPlan planned, const TransformPlan& kernel_plan, const TransformTuning& tuned, Transform made)
      : plan(std::move(planned)),
        tuning(tuned),
        transform(std::move(made)),
        workers(tuned.threads),
        kernel(kernel_plan, plan.image_transform.channels) {}
};

Result<Convolver> Convolver::create(const ConvolutionOptions& options, const TransformTuning& tuning) {
  auto plan = plan_convolution(options);
  if (!plan) return plan.error();
  auto kernel_plan = plan_transform(plan->kernel_transform);
  if (!kernel_plan) return kernel_plan.error();
  auto transform = Transform::create(plan->image_transform, tuning);
  if (!transform) return transform.error();
  try {
    return Convolver(std::make_unique<Impl>(std::move(*plan), *kernel_plan, tuning, std::move(*transform)));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for a convolution", ""};
  }
}

Result<void> Convolver::set_kernel(const ImageView& kernel) try {
  const ConvolutionOptions& o = impl_->plan.options;
  auto weights = convolution_weights(impl_->plan, kernel);
  if (!weights) return weights.error();
  impl_->kernel_set = false;
  if (auto done = impl_->kernel.set(weights->view(), impl_->tuning); !done) return done;
  if (o.mix != 1.0F) {  // the rest is the unchanged image: an impulse, whose spectrum is 1 everywhere
    impl_->kernel.each([&](std::complex<float>& value, uint32_t, uint32_t) { value += 1.0F - o.mix; });
  }
  impl_->kernel_set = true;
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a kernel", ""};
}

Result<void> Convolver::convolve(const ImageView& source, const MutableImageView& target) {
  const ConvolutionPlan& plan = impl_->plan;
  const ConvolutionOptions& o = plan.options;
  auto checked = check_color_view("source", source, o.source, o.size, o.slices);
  if (checked) checked = check_color_view("target", target, o.target, plan.result_size, o.slices);
  if (!checked) return checked;
  if (!impl_->kernel_set) return invalid("no kernel is set", "kernel");
  try {
    ProgressWatch watch(impl_->tuning.progress);
    const auto multiply = [&](const SpectrumStrip& strip, uint32_t) { impl_->kernel.multiply(strip); };
    impl_->transform.impl().apply(source, multiply, target, {}, {&watch});
    if (watch.is_cancelled()) return finish(watch);
    if (plan.image_transform.channels == 3 && o.channels == 4) {
      copy_alpha(impl_->workers, source, target,
                 {static_cast<int32_t>(plan.x.result) - plan.x.placement,
                  static_cast<int32_t>(plan.y.result) - plan.y.placement});
    }
    return finish(watch);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to convolve", ""};
  }
}

const ConvolutionPlan& Convolver::plan() const { return impl_->plan; }

Convolver::Convolver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Convolver::Convolver(Convolver&&) noexcept = default;
Convolver& Convolver::operator=(Convolver&&) noexcept = default;
Convolver::~Convolver() = default;

}  // namespace onepass::cpu
