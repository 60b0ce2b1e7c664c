// vulkan_deconvolution.cpp: Wiener: a fused pass with the inverted kernel. Richardson-Lucy: iterations of a pass with
// the kernel and one with its adjoint.
#include <algorithm>
#include <cstring>
#include <limits>

#include "fourier/kernel_names.hpp"
#include "fourier/kernel_weights.hpp"
#include "fourier/vulkan_fused.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {

// Scratch memory: of the passes, then floats of the image's size, then floats of the estimate's size.
struct ONEPASS_INTERNAL Deconvolver::Impl {
  Device device;
  DeconvolutionPlan plan;
  OperationDispatchPlan dispatch_plan;
  FusedPass blur;
  DeviceKernel kernel;
  std::optional<FusedPass> adjoint;  // Richardson-Lucy
  Step load, brightest, start, divide, correct, store;
  std::optional<FusedPass> edge_blur;  // kTaper
  std::optional<DeviceKernel> edge_kernel;
  Step blend;
  Buffer taper;  // horizontal shares, then vertical
  uint64_t pass_bytes = 0;
  uint64_t measured_at = 0, blurred_at = 0, estimate_at = 0, correction_at = 0, weight_at = 0;
  uint64_t brightest_at = 0;
  uint64_t image_bytes = 0, estimate_bytes = 0;

  [[nodiscard]] bool iterates() const { return plan.options.method == DeconvolutionMethod::kRichardsonLucy; }
  [[nodiscard]] bool tapers() const { return plan.options.edges == DeconvolutionEdges::kTaper; }
  [[nodiscard]] bool weighs() const { return plan.options.edges == DeconvolutionEdges::kUnknown; }
  [[nodiscard]] uint64_t brightest_bytes() const { return sizeof(float) * uint64_t{plan.options.slices}; }
  [[nodiscard]] bool passes_alpha() const { return plan.blur.channels == 3 && plan.options.channels == 4; }
  [[nodiscard]] uint32_t operation(bool conjugate) const {
    if (kernel.planes() == 1) return conjugate ? ONEPASS_OPERATION_KERNEL_CONJUGATE : ONEPASS_OPERATION_KERNEL;
    return conjugate ? ONEPASS_OPERATION_PLANES_CONJUGATE : ONEPASS_OPERATION_PLANES;
  }

  Result<void> find_texel_step(KernelBatch& batch, uint32_t number, bool stores, uint32_t sampled, Step& step);
  Result<void> create_iteration(KernelBatch& batch, const TransformTuning& tuning);
  Result<void> create_taper(KernelBatch& batch, const TransformTuning& tuning);
  Result<void> lay_out();
  Result<void> bind_iteration(OperationBinding::Impl& b) const;
  Result<void> bind_taper(OperationBinding::Impl& b) const;
  void record_iteration(VkCommandBuffer commands, const OperationBinding::Impl& b) const;
  void record_taper(VkCommandBuffer commands, const OperationBinding::Impl& b) const;
  [[nodiscard]] fourier::TexelParams texel_params(float amount) const;
};

// Indices in OperationBinding::Impl::steps.
enum IterationStep : size_t { kLoad, kBrightest, kStart, kDivide, kCorrect, kStore };
enum TaperStep : size_t { kTaperLoad, kTaperBlend };

fourier::TexelParams Deconvolver::Impl::texel_params(float amount) const {
  return {{plan.options.size.width, plan.options.size.height},
          {plan.estimate.width, plan.estimate.height},
          {plan.image_in_estimate.x, plan.image_in_estimate.y},
          amount};
}

// `number`: ONEPASS_TEXELS_LOAD...
Result<void> Deconvolver::Impl::find_texel_step(KernelBatch& batch, uint32_t number, bool stores, uint32_t sampled,
                                                Step& step) {
  const FormatInfo& target = format_info(plan.options.target);
  const uint32_t channels = plan.blur.channels;
  return find_step(batch,
                   {.kernel = fourier::texel_kernel(number),
                    .constants = {stored_channels(channels), channels, passes_alpha() ? 1U : 0U, weighs() ? 1U : 0U,
                                  target_kind(target), target.type == ChannelType::kSrgb ? 1U : 0U, number},
                    .sampled = sampled,
                    .stored = stores,
                    .buffers = 4,
                    .params_bytes = sizeof(fourier::TexelParams)},
                   step);
}

Result<void> Deconvolver::Impl::create_iteration(KernelBatch& batch, const TransformTuning& tuning) {
  auto made = FusedPass::create(batch, {.transform = plan.adjoint,
                                        .source = SideKind::kBuffer,
                                        .target = SideKind::kBuffer,
                                        .tuning = tuning,
                                        .operation = operation(true)});
  if (!made) return made.error();
  adjoint = std::move(*made);
  auto done = find_texel_step(batch, ONEPASS_TEXELS_LOAD, false, 1, load);
  if (done) done = find_texel_step(batch, ONEPASS_TEXELS_BRIGHTEST, false, 0, brightest);
  if (done) done = find_texel_step(batch, ONEPASS_TEXELS_START, false, 0, start);
  if (done) done = find_texel_step(batch, ONEPASS_TEXELS_DIVIDE, false, 0, divide);
  if (done) done = find_texel_step(batch, ONEPASS_TEXELS_CORRECT, false, 0, correct);
  if (done) done = find_texel_step(batch, ONEPASS_TEXELS_STORE, true, 1, store);
  return done;
}

Result<void> Deconvolver::Impl::create_taper(KernelBatch& batch, const TransformTuning& tuning) {
  // The weights are those of the kernel, with all its planes.
  const Format weights = plan.kernel_transform.source;
  auto edge = plan_convolution(edge_blur_options(plan, weights));
  if (!edge) return edge.error();
  auto pass = FusedPass::create(
      batch, {.transform = edge->image_transform,
              .source = SideKind::kBuffer,
              .target = SideKind::kBuffer,
              .tuning = tuning,
              .operation = edge->kernel_planes == 1 ? ONEPASS_OPERATION_KERNEL : ONEPASS_OPERATION_PLANES});
  if (!pass) return pass.error();
  edge_blur = std::move(*pass);
  auto made = DeviceKernel::create(batch, edge->kernel_transform, tuning, {});
  if (!made) return made.error();
  edge_kernel.emplace(std::move(*made));
  const std::vector<float> none(size_t{plan.options.size.width} + plan.options.size.height);
  auto shares = upload_floats(device.impl(), none);
  if (!shares) return shares.error();
  taper = std::move(*shares);
  auto done = find_texel_step(batch, ONEPASS_TEXELS_LOAD, false, 1, load);
  if (done) done = find_texel_step(batch, ONEPASS_TEXELS_BLEND, false, 0, blend);
  return done;
}

Result<void> Deconvolver::Impl::lay_out() {
  const DeconvolutionOptions& o = plan.options;
  pass_bytes = blur.scratch_bytes();
  OperationDispatchPlan& d = dispatch_plan;
  d.stages = blur.stages();
  d.dispatches = blur.dispatches();
  const auto add_pass = [&](const FusedPass& pass) {
    pass_bytes = std::max(pass_bytes, pass.scratch_bytes());
    d.stages.insert(d.stages.end(), pass.stages().begin(), pass.stages().end());
  };
  if (adjoint) {
    add_pass(*adjoint);
    const uint32_t before = 4 + (weighs() ? adjoint->dispatches() : 0);  // load, brightest, start, store
    d.dispatches = before + o.iterations * (blur.dispatches() + adjoint->dispatches() + 2);
  }
  if (edge_blur) {
    add_pass(*edge_blur);
    d.dispatches += edge_blur->dispatches() + 2;
  }
  ScratchLayout scratch;
  scratch.add(pass_bytes);
  if (adjoint || edge_blur) {
    image_bytes = float_bytes(o.size, plan.blur.channels, o.slices);
    measured_at = scratch.add(image_bytes);
    blurred_at = scratch.add(image_bytes);
    brightest_at = scratch.add(brightest_bytes());
  }
  if (adjoint) {
    estimate_bytes = float_bytes(plan.estimate, plan.blur.channels, o.slices);
    estimate_at = scratch.add(estimate_bytes);
    correction_at = scratch.add(estimate_bytes);
    if (weighs()) weight_at = scratch.add(estimate_bytes);
  }
  d.scratch_bytes = scratch.bytes();
  if (std::max(image_bytes, estimate_bytes) <= device.impl().limits.maxStorageBufferRange) return {};
  return unsupported(device.impl(), "size: " + std::to_string(std::max(image_bytes, estimate_bytes)) +
                                        " bytes of floats are more than a buffer has");
}

Result<Deconvolver> Deconvolver::create(const Device& device, const DeconvolutionOptions& options,
                                        const TransformTuning& tuning) {
  auto plan = plan_deconvolution(options);
  if (!plan) return plan.error();
  const DeconvolutionOptions& o = plan->options;
  if (auto checked = check_image_formats(device.impl(), o.source, o.target); !checked) return checked.error();
  const bool wiener = o.method == DeconvolutionMethod::kWiener;
  // Wiener is one fused pass to the image. Richardson-Lucy works on buffers of floats, and so do tapered edges before
  // the pass.
  const bool from_floats = !wiener || o.edges == DeconvolutionEdges::kTaper;
  const bool planes = plan->kernel_transform.channels > 1;
  KernelBatch batch(device);
  auto blur = FusedPass::create(batch, {.transform = plan->blur,
                                        .source = from_floats ? SideKind::kBuffer : SideKind::kImage,
                                        .target = wiener ? SideKind::kImage : SideKind::kBuffer,
                                        .tuning = tuning,
                                        .operation = planes ? ONEPASS_OPERATION_PLANES : ONEPASS_OPERATION_KERNEL,
                                        .over = wiener && plan->blur.channels == 3 && o.channels == 4});
  if (!blur) return blur.error();
  DeviceKernel::Finish finish;
  if (wiener) {
    finish = {.step = ONEPASS_SPECTRUM_INVERT, .amount = o.noise, .flat_prior = o.prior == WienerPrior::kFlat};
  }
  auto kernel = DeviceKernel::create(batch, plan->kernel_transform, tuning, finish);
  if (!kernel) return kernel.error();
  auto impl = std::make_shared<Impl>(Impl{.device = device,
                                          .plan = std::move(*plan),
                                          .dispatch_plan = {},
                                          .blur = std::move(*blur),
                                          .kernel = std::move(*kernel),
                                          .adjoint = {},
                                          .load = {},
                                          .brightest = {},
                                          .start = {},
                                          .divide = {},
                                          .correct = {},
                                          .store = {},
                                          .edge_blur = {},
                                          .edge_kernel = {},
                                          .blend = {},
                                          .taper = {}});
  Result<void> done;
  if (impl->iterates()) done = impl->create_iteration(batch, tuning);
  if (done && impl->tapers()) done = impl->create_taper(batch, tuning);
  if (done) done = impl->lay_out();
  if (done) done = batch.compile();
  if (!done) return done.error();
  return Deconvolver(std::move(impl));
}

Result<void> Deconvolver::set_kernel(const ImageView& kernel) {
  auto weights = deconvolution_weights(impl_->plan, kernel);
  if (!weights) return weights.error();
  if (impl_->tapers()) {
    const auto edge = plan_convolution(edge_blur_options(impl_->plan, weights->format()));
    if (!edge) return edge.error();
    auto edge_weights = convolution_weights(*edge, weights->view());
    if (!edge_weights) return edge_weights.error();
    impl_->edge_kernel->set(edge_weights->view());
    const EdgeTaper taper = edge_taper(impl_->plan.options.size, weights->view());
    auto* shares = static_cast<float*>(impl_->taper.mapped);
    for (const double share : taper.x) *shares++ = static_cast<float>(share);
    for (const double share : taper.y) *shares++ = static_cast<float>(share);
  }
  impl_->kernel.set(weights->view());
  return {};
}

bool Deconvolver::has_kernel() const { return impl_->kernel.is_set(); }

void Deconvolver::record_kernel(VkCommandBuffer commands) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass deconvolution kernel");
  ONEPASS_ASSERT(has_kernel());
  impl_->kernel.record(commands);
  if (impl_->edge_kernel) impl_->edge_kernel->record(commands);
}

Result<void> Deconvolver::Impl::bind_iteration(OperationBinding::Impl& b) const {
  const VkDescriptorBufferInfo scratch = part_of(b.scratch, 0, pass_bytes);
  const VkDescriptorBufferInfo measured = part_of(b.scratch, measured_at, image_bytes);
  const VkDescriptorBufferInfo blurred = part_of(b.scratch, blurred_at, image_bytes);
  const VkDescriptorBufferInfo estimate = part_of(b.scratch, estimate_at, estimate_bytes);
  const VkDescriptorBufferInfo correction = part_of(b.scratch, correction_at, estimate_bytes);
  const VkDescriptorBufferInfo weight = part_of(b.scratch, weight_at, weighs() ? estimate_bytes : 0);
  const VkDescriptorBufferInfo of_slices = part_of(b.scratch, brightest_at, brightest_bytes());
  const auto add_pass = [&](const FusedPass& pass, const VkDescriptorBufferInfo& from,
                            const VkDescriptorBufferInfo& to) -> Result<void> {
    return pass.create_sets(
        b.objects, {.source_buffer = from, .target_buffer = to, .operand = kernel.spectrum(), .scratch = scratch},
        b.passes.emplace_back());
  };
  auto done = add_pass(blur, estimate, blurred);
  if (done) done = add_pass(*adjoint, blurred, correction);
  if (done && weighs()) done = add_pass(*adjoint, blurred, weight);
  const auto add_step = [&](const Step& step, const std::vector<VkDescriptorBufferInfo>& buffers) -> Result<void> {
    return add_step_set(b.objects, step, {.sampled = {b.source}, .stored = b.target, .buffers = buffers},
                        b.steps.emplace_back());
  };
  if (done) done = add_step(load, {measured, {}, {}, of_slices});
  if (done) done = add_step(brightest, {measured, {}, {}, of_slices});
  if (done) done = add_step(start, {estimate, measured, blurred, of_slices});
  if (done) done = add_step(divide, {blurred, measured, {}, of_slices});
  if (done) done = add_step(correct, {estimate, correction, weight});
  if (done) done = add_step(store, {estimate, {}, {}, of_slices});
  return done;
}

Result<void> Deconvolver::Impl::bind_taper(OperationBinding::Impl& b) const {
  const VkDescriptorBufferInfo measured = part_of(b.scratch, measured_at, image_bytes);
  const VkDescriptorBufferInfo blurred = part_of(b.scratch, blurred_at, image_bytes);
  const VkDescriptorBufferInfo of_slices = part_of(b.scratch, brightest_at, brightest_bytes());
  auto done = edge_blur->create_sets(b.objects,
                                     {.source_buffer = measured,
                                      .target_buffer = blurred,
                                      .operand = edge_kernel->spectrum(),
                                      .scratch = part_of(b.scratch, 0, pass_bytes)},
                                     b.passes.emplace_back());
  if (done) {
    done = add_step_set(b.objects, load, {.sampled = {b.source}, .buffers = {measured, {}, {}, of_slices}},
                        b.steps.emplace_back());
  }
  if (done) {
    done = add_step_set(b.objects, blend, {.buffers = {measured, blurred, {taper.buffer, 0, VK_WHOLE_SIZE}}},
                        b.steps.emplace_back());
  }
  return done;
}

Result<OperationBinding> Deconvolver::bind(const OperationImages& images) const {
  const DeconvolutionOptions& o = impl_->plan.options;
  auto binding = bind_images(impl_->device, images,
                             {.source = o.source,
                              .target = o.target,
                              .slices = o.slices,
                              .scratch_bytes = impl_->dispatch_plan.scratch_bytes});
  if (!binding) return binding.error();
  OperationBinding::Impl& b = **binding;
  b.operation = impl_;
  Result<void> done;
  if (impl_->iterates()) {
    done = impl_->bind_iteration(b);
  } else {
    done = impl_->blur.create_sets(b.objects,
                                   {.source = b.source,
                                    .source_buffer = part_of(b.scratch, impl_->measured_at, impl_->image_bytes),
                                    .target = b.target,
                                    .operand = impl_->kernel.spectrum(),
                                    .scratch = part_of(b.scratch, 0, impl_->pass_bytes)},
                                   b.passes.emplace_back());
    if (done && impl_->tapers()) done = impl_->bind_taper(b);
  }
  if (!done) return done.error();
  return OperationBinding(std::move(*binding));
}

void Deconvolver::Impl::record_iteration(VkCommandBuffer commands, const OperationBinding::Impl& b) const {
  const DeconvolutionOptions& o = plan.options;
  const GroupCounts image = groups_for_texels(o.size, o.slices);
  const GroupCounts all = groups_for_texels(plan.estimate, o.slices);
  const fourier::TexelParams params = texel_params(0);
  const auto then = [&] { record_barrier(device.impl(), commands, kBetweenDispatches); };
  load->record(commands, b.steps[kLoad], params, image);
  then();
  brightest->record(commands, b.steps[kBrightest], params, image);
  then();
  const bool constant = o.start == DeconvolutionStart::kConstant;
  start->record(commands, b.steps[kStart], texel_params(constant ? ONEPASS_DECONVOLUTION_CONSTANT : 0.0F), all);
  then();
  if (weighs()) {
    adjoint->record(commands, b.passes[2]);
    then();
  }
  for (uint32_t i = 0; i < o.iterations; ++i) {
    blur.record(commands, b.passes[0]);
    then();
    divide->record(commands, b.steps[kDivide], params, image);
    then();
    adjoint->record(commands, b.passes[1]);
    then();
    correct->record(commands, b.steps[kCorrect], params, all);
    then();
  }
  store->record(commands, b.steps[kStore], params, image);
}

void Deconvolver::Impl::record_taper(VkCommandBuffer commands, const OperationBinding::Impl& b) const {
  const GroupCounts groups = groups_for_texels(plan.options.size, plan.options.slices);
  const fourier::TexelParams params = texel_params(std::numeric_limits<float>::lowest());
  const auto then = [&] { record_barrier(device.impl(), commands, kBetweenDispatches); };
  load->record(commands, b.steps[kTaperLoad], params, groups);
  then();
  edge_blur->record(commands, b.passes[1]);
  then();
  blend->record(commands, b.steps[kTaperBlend], params, groups);
  then();
}

void Deconvolver::record(VkCommandBuffer commands, const OperationBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass deconvolution");
  const OperationBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.operation == impl_ && has_kernel());
  if (impl_->iterates()) {
    impl_->record_iteration(commands, b);
    return;
  }
  if (impl_->tapers()) impl_->record_taper(commands, b);
  impl_->blur.record(commands, b.passes[0]);
}

const DeconvolutionPlan& Deconvolver::plan() const { return impl_->plan; }
const OperationDispatchPlan& Deconvolver::dispatch_plan() const { return impl_->dispatch_plan; }

}  // namespace onepass::vulkan
