// vulkan_convolution.cpp: vulkan::Convolver: a fused pass that multiplies the image's spectrum by the kernel's.
#include "fourier/kernel_weights.hpp"
#include "fourier/vulkan_fused.hpp"
#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {

struct ONEPASS_INTERNAL Convolver::Impl {
  Device device;
  ConvolutionPlan plan;
  OperationDispatchPlan dispatch_plan;
  FusedPass pass;
  DeviceKernel kernel;
};

Result<Convolver> Convolver::create(const Device& device, const ConvolutionOptions& options,
                                    const TransformTuning& tuning) {
  auto plan = plan_convolution(options);
  if (!plan) return plan.error();
  const ConvolutionOptions& o = plan->options;
  KernelBatch batch(device);
  auto pass = FusedPass::create(
      batch, {.transform = plan->image_transform,
              .tuning = tuning,
              .operation = plan->kernel_planes == 1 ? ONEPASS_OPERATION_KERNEL : ONEPASS_OPERATION_PLANES,
              .over = plan->image_transform.channels == 3 && o.channels == 4});
  if (!pass) return pass.error();
  DeviceKernel::Finish finish;
  // The rest is the unchanged image: an impulse at the origin, whose spectrum is 1 everywhere.
  if (o.mix != 1.0F) finish = {.step = ONEPASS_SPECTRUM_MIX, .amount = 1.0F - o.mix};
  auto kernel = DeviceKernel::create(batch, plan->kernel_transform, tuning, finish);
  if (!kernel) return kernel.error();
  if (auto compiled = batch.compile(); !compiled) return compiled.error();
  OperationDispatchPlan dispatch_plan{pass->stages(), pass->dispatches(), pass->scratch_bytes()};
  return Convolver(std::make_shared<Impl>(
      Impl{device, std::move(*plan), std::move(dispatch_plan), std::move(*pass), std::move(*kernel)}));
}

Result<void> Convolver::set_kernel(const ImageView& kernel) {
  auto weights = convolution_weights(impl_->plan, kernel);
  if (!weights) return weights.error();
  impl_->kernel.set(weights->view());
  return {};
}

bool Convolver::has_kernel() const { return impl_->kernel.is_set(); }

void Convolver::record_kernel(VkCommandBuffer commands) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass convolution kernel");
  ONEPASS_ASSERT(has_kernel());
  impl_->kernel.record(commands);
}

Result<OperationBinding> Convolver::bind(const OperationImages& images) const {
  const ConvolutionOptions& o = impl_->plan.options;
  auto binding = bind_images(impl_->device, images,
                             {.source = o.source,
                              .target = o.target,
                              .slices = o.slices,
                              .scratch_bytes = impl_->dispatch_plan.scratch_bytes});
  if (!binding) return binding.error();
  OperationBinding::Impl& b = **binding;
  b.operation = impl_;
  auto done = impl_->pass.create_sets(b.objects,
                                      {.source = b.source,
                                       .target = b.target,
                                       .operand = impl_->kernel.spectrum(),
                                       .scratch = part_of(b.scratch, 0, impl_->dispatch_plan.scratch_bytes)},
                                      b.passes.emplace_back());
  if (!done) return done.error();
  return OperationBinding(std::move(*binding));
}

void Convolver::record(VkCommandBuffer commands, const OperationBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass convolution");
  ONEPASS_ASSERT(binding.impl().operation == impl_ && has_kernel());
  impl_->pass.record(commands, binding.impl().passes[0]);
}

const ConvolutionPlan& Convolver::plan() const { return impl_->plan; }
const OperationDispatchPlan& Convolver::dispatch_plan() const { return impl_->dispatch_plan; }

}  // namespace onepass::vulkan
