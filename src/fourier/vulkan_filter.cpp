// vulkan_filter.cpp: a fused pass that multiplies each frequency by a gain; kLogarithm adds steps before and after it.
#include <cstring>

#include "fourier/kernel_names.hpp"
#include "fourier/vulkan_fused.hpp"
#include "onepass/fourier_filter_params.h"
#include "onepass/vulkan/fourier_filter.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/image_view.hpp"

namespace onepass::vulkan {

struct ONEPASS_INTERNAL Filter::Impl {
  Device device;
  FilterPlan plan;
  OperationDispatchPlan dispatch_plan;
  FusedPass pass;
  Buffer operand;
  Step logarithm;  // kLogarithm
  Step exponential;
  uint64_t floats_at = 0;  // in scratch: the logarithms, before and after the filter
  uint64_t floats_bytes = 0;
};

namespace {

// FourierFilterParams, then horizontal and vertical frequencies: the operand of src/fourier/fourier_operation.glsl.
Result<Buffer> upload_filter(const Device::Impl& device, const FilterPlan& plan) {
  FourierFilterParams params;
  make_filter_params(plan.options, params);
  std::vector<float> all(sizeof(params) / sizeof(float));
  std::memcpy(all.data(), &params, sizeof(params));
  const auto [width, height] = plan.domain;
  for (uint32_t kx = 0; kx < width / 2 + 1; ++kx) all.push_back(static_cast<float>(frequency(kx, width)));
  for (uint32_t ky = 0; ky < height; ++ky) all.push_back(static_cast<float>(frequency(ky, height)));
  return upload_floats(device, all);
}

Result<void> find_texel_step(KernelBatch& batch, const FilterPlan& plan, uint32_t number, bool stores, Step& step) {
  const FilterOptions& o = plan.options;
  const FormatInfo& target = format_info(o.target);
  const uint32_t channels = plan.image_transform.channels;
  return find_step(batch,
                   {.kernel = fourier::texel_kernel(number),
                    .constants = {stored_channels(channels), channels, o.channels == 4 ? 1U : 0U, 0,
                                  target_kind(target), target.type == ChannelType::kSrgb ? 1U : 0U, number},
                    .sampled = 1,
                    .stored = stores,
                    .buffers = 4,
                    .params_bytes = sizeof(fourier::TexelParams)},
                   step);
}

Result<void> create_logarithms(KernelBatch& batch, Filter::Impl& impl) {
  const FilterOptions& o = impl.plan.options;
  if (auto checked = check_image_formats(impl.device.impl(), o.source, o.target); !checked) return checked;
  auto done = find_texel_step(batch, impl.plan, ONEPASS_TEXELS_LOGARITHM, false, impl.logarithm);
  if (done) done = find_texel_step(batch, impl.plan, ONEPASS_TEXELS_EXPONENTIAL, true, impl.exponential);
  if (!done) return done;
  ScratchLayout scratch;
  scratch.add(impl.pass.scratch_bytes());
  impl.floats_bytes = float_bytes(o.size, impl.plan.image_transform.channels, o.slices);
  impl.floats_at = scratch.add(impl.floats_bytes);
  impl.dispatch_plan.scratch_bytes = scratch.bytes();
  impl.dispatch_plan.dispatches += 2;
  if (impl.floats_bytes <= impl.device.impl().limits.maxStorageBufferRange) return {};
  return unsupported(impl.device.impl(),
                     "size: " + std::to_string(impl.floats_bytes) + " bytes of logarithms are more than a buffer has");
}

}  // namespace

Result<Filter> Filter::create(const Device& device, const FilterOptions& options, const TransformTuning& tuning) {
  auto plan = plan_filter(options);
  if (!plan) return plan.error();
  const bool logarithm = plan->options.domain == FilterDomain::kLogarithm;
  const SideKind side = logarithm ? SideKind::kBuffer : SideKind::kImage;
  KernelBatch batch(device);
  auto pass = FusedPass::create(
      batch, {.transform = plan->image_transform,
              .source = side,
              .target = side,
              .tuning = tuning,
              .operation = ONEPASS_OPERATION_FILTER,
              .over = !logarithm && plan->image_transform.channels == 3 && plan->options.channels == 4});
  if (!pass) return pass.error();
  auto operand = upload_filter(device.impl(), *plan);
  if (!operand) return operand.error();
  OperationDispatchPlan dispatch_plan{pass->stages(), pass->dispatches(), pass->scratch_bytes()};
  auto impl = std::make_shared<Impl>(
      Impl{device, std::move(*plan), std::move(dispatch_plan), std::move(*pass), std::move(*operand), {}, {}, 0, 0});
  if (logarithm) {
    if (auto created = create_logarithms(batch, *impl); !created) return created.error();
  }
  if (auto compiled = batch.compile(); !compiled) return compiled.error();
  return Filter(std::move(impl));
}

Result<OperationBinding> Filter::bind(const OperationImages& images) const {
  const FilterOptions& o = impl_->plan.options;
  auto binding = bind_images(impl_->device, images,
                             {.source = o.source,
                              .target = o.target,
                              .slices = o.slices,
                              .scratch_bytes = impl_->dispatch_plan.scratch_bytes});
  if (!binding) return binding.error();
  OperationBinding::Impl& b = **binding;
  b.operation = impl_;
  const VkDescriptorBufferInfo floats = part_of(b.scratch, impl_->floats_at, impl_->floats_bytes);
  auto done = impl_->pass.create_sets(b.objects,
                                      {.source = b.source,
                                       .source_buffer = floats,
                                       .target = b.target,
                                       .target_buffer = floats,
                                       .operand = {impl_->operand.buffer, 0, VK_WHOLE_SIZE},
                                       .scratch = part_of(b.scratch, 0, impl_->pass.scratch_bytes())},
                                      b.passes.emplace_back());
  for (const Step& step : {impl_->logarithm, impl_->exponential}) {
    if (!step || !done) continue;
    done = add_step_set(b.objects, step, {.sampled = {b.source}, .stored = b.target, .buffers = {floats}},
                        b.steps.emplace_back());
  }
  if (!done) return done.error();
  return OperationBinding(std::move(*binding));
}

void Filter::record(VkCommandBuffer commands, const OperationBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass filter");
  const OperationBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.operation == impl_);
  const FilterOptions& o = impl_->plan.options;
  const GroupCounts groups = groups_for_texels(o.size, o.slices);
  const fourier::uint2 size{o.size.width, o.size.height};
  const fourier::TexelParams params{size, size, {0, 0}, o.log_offset};
  if (impl_->logarithm) {
    impl_->logarithm->record(commands, b.steps[0], params, groups);
    record_barrier(impl_->device.impl(), commands, kBetweenDispatches);
  }
  impl_->pass.record(commands, b.passes[0]);
  if (impl_->exponential) {
    record_barrier(impl_->device.impl(), commands, kBetweenDispatches);
    impl_->exponential->record(commands, b.steps[1], params, groups);
  }
}

const FilterPlan& Filter::plan() const { return impl_->plan; }
const OperationDispatchPlan& Filter::dispatch_plan() const { return impl_->dispatch_plan; }

}  // namespace onepass::vulkan
