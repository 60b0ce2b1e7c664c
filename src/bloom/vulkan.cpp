// vulkan.cpp: vulkan::Bloom. A convolution at full resolution is one fused pass, whose row stages apply the bright pass
// and the composite. At half resolution the fused pass stores the glow in a buffer, and a step adds it to the image. A
// mip chain is a step for the bright light, a pyramid, a step per level, and the same last step.
#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "bloom/bloom_params.h"
#include "bloom/settings.hpp"
#include "fourier/kernel_weights.hpp"
#include "fourier/vulkan_fused.hpp"
#include "image/error.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/host_image.hpp"

namespace onepass::vulkan {

using bloom::BloomParams;

namespace {

constexpr Accesses kShader = kShaderReads | kShaderWrites;

/// The convolution that computes a glow.
struct Glow {
  ConvolutionPlan plan;
  FusedPass pass;
  DeviceKernel kernel;
};

/// The mip chain of a binding.
struct Chain {
  DeviceImage own;  // empty if the caller has given an image
  VkImage image = VK_NULL_HANDLE;
  std::optional<PyramidBinding> pyramid;
};

Result<void> find_bloom_step(KernelBatch& batch, const BloomPlan& plan, uint32_t step, bool coarse_image, Step& found) {
  const BloomOptions& o = plan.options;
  const FormatInfo& target = format_info(o.target);
  const bool half = o.resolution == BloomResolution::kHalf;
  const bool adds = step == ONEPASS_BLOOM_ADD;
  const bool composes = step == ONEPASS_BLOOM_COMPOSE;
  return find_step(batch,
                   {.set = kBloomKernels,
                    .kernel = adds ? "bloom_add" : "bloom",
                    .constants = {format_info(glow_format(o)).channels, format_info(o.source).channels, half ? 1U : 0U,
                                  coarse_image ? 1U : 0U, composes ? target_kind(target) : kKindFloat,
                                  composes && target.type == ChannelType::kSrgb ? 1U : 0U, step},
                    .sampled = adds ? 2U : 1U,
                    .stored = !adds,
                    .buffers = adds ? 2U : 1U,
                    .params_bytes = sizeof(BloomParams)},
                   found);
}

uint64_t glow_bytes(const BloomPlan& plan, uint32_t level) {
  return float_bytes(level_size(plan.glow_size, level), format_info(glow_format(plan.options)).channels,
                     plan.options.slices);
}

fourier::uint2 size_of(Extent size) { return {size.width, size.height}; }

}  // namespace

struct ONEPASS_INTERNAL Bloom::Impl {
  Device device;
  BloomPlan plan;
  OperationDispatchPlan dispatch_plan;
  std::optional<Glow> glow;        // kConvolution
  std::optional<Pyramid> pyramid;  // kMipChain, from two levels on
  Step bright, add_first, add, compose;
  std::vector<uint64_t> sums_at;  // offsets in scratch: the stored glow; kMipChain: the sum at each level
  uint64_t pyramid_at = 0;        // offset in scratch of the pyramid's scratch memory

  Impl(const Device& d, const BloomPlan& planned) : device(d), plan(planned) {}

  [[nodiscard]] bool is_chain() const { return plan.options.method == BloomMethod::kMipChain; }
  [[nodiscard]] bool is_fused() const { return !is_chain() && plan.options.resolution == BloomResolution::kFull; }

  Result<void> create_convolution(KernelBatch& batch, const TransformTuning& tuning);
  Result<void> create_chain(KernelBatch& batch);
  Result<void> set_kernel(const ImageView* image);
  Result<void> bind_convolution(OperationBinding::Impl& b) const;
  Result<void> bind_chain(VkImage given, OperationBinding::Impl& b) const;
  [[nodiscard]] DeviceImage::Request chain_image() const;
  void discard_chain(VkCommandBuffer commands, VkImage image) const;
  [[nodiscard]] VkDescriptorBufferInfo sum_range(const OperationBinding::Impl& b, uint32_t level) const {
    return part_of(b.scratch, sums_at[level], glow_bytes(plan, level));
  }
  [[nodiscard]] BloomParams params(Extent size, Extent coarse) const {
    const BloomOptions& o = plan.options;
    return {size_of(size), size_of(coarse), o.threshold, o.knee, o.scatter, plan.levels > 1 ? o.spread : 0};
  }
  void record_chain(VkCommandBuffer commands, const OperationBinding::Impl& b) const;
};

namespace {

// The weights of the built-in glare, which the device keeps: an image of its size is computed in tens of milliseconds.
// The key has all that make_bloom_kernel() and convolution_weights() read.
Result<std::shared_ptr<const Buffer>> find_glare(const Device::Impl& device, const BloomPlan& plan,
                                                 const ConvolutionPlan& convolution) {
  const auto create = [&]() -> Result<std::shared_ptr<Buffer>> {
    const auto image = make_bloom_kernel(plan);
    if (!image) return image.error();
    const auto weights = convolution_weights(convolution, image->view());
    if (!weights) return weights.error();
    auto buffer = upload_weights(device, weights->view());
    if (!buffer) return buffer.error();
    return std::make_shared<Buffer>(std::move(*buffer));
  };
  const GlareOptions& glare = plan.options.glare;
  const ConvolutionOptions& o = convolution.options;
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  std::string key = "glare";
  for (const uint32_t value :
       {bits(glare.field_of_view), glare.rays, plan.glow_size.width, plan.kernel_size.width, convolution.x.kernel_first,
        convolution.x.kernel_size, convolution.y.kernel_first, convolution.y.kernel_size, convolution.kernel_planes,
        static_cast<uint32_t>(o.kernel_channels), static_cast<uint32_t>(o.scale), bits(o.mix)}) {
    key += ' ' + std::to_string(value);
  }
  return device.shared->get<Buffer>(key, create);
}

}  // namespace

Result<void> Bloom::Impl::create_convolution(KernelBatch& batch, const TransformTuning& tuning) {
  auto convolution = plan_convolution(convolution_options(plan));
  if (!convolution) return convolution.error();
  const BloomOptions& o = plan.options;
  const bool fused = is_fused();
  const LightPass light{ONEPASS_LIGHT_FULL, o.threshold, o.knee, o.scatter};
  LightPass light_in = light;
  if (!fused) light_in.mode = ONEPASS_LIGHT_HALF;
  auto pass = FusedPass::create(
      batch, {.transform = convolution->image_transform,
              .target = fused ? SideKind::kImage : SideKind::kBuffer,
              .tuning = tuning,
              .operation = convolution->kernel_planes == 1 ? ONEPASS_OPERATION_KERNEL : ONEPASS_OPERATION_PLANES,
              .over = fused,
              .light_in = light_in,
              .light_out = fused ? light : LightPass{}});
  if (!pass) return pass.error();
  std::shared_ptr<const Buffer> weights;
  if (o.kernel == Format::kUndefined) {
    auto found = find_glare(device.impl(), plan, *convolution);
    if (!found) return found.error();
    weights = std::move(*found);
  }
  auto kernel = DeviceKernel::create(batch, convolution->kernel_transform, tuning, {}, std::move(weights));
  if (!kernel) return kernel.error();
  ScratchLayout scratch;
  scratch.add(pass->scratch_bytes());
  dispatch_plan = {pass->stages(), pass->dispatches(), 0};
  if (!fused) {
    sums_at = {scratch.add(glow_bytes(plan, 0))};
    if (auto found = find_bloom_step(batch, plan, ONEPASS_BLOOM_COMPOSE, false, compose); !found) return found;
    ++dispatch_plan.dispatches;
  }
  dispatch_plan.scratch_bytes = scratch.bytes();
  glow.emplace(Glow{std::move(*convolution), std::move(*pass), std::move(*kernel)});
  return {};
}

Result<void> Bloom::Impl::create_chain(KernelBatch& batch) {
  const Format format = glow_format(plan.options);
  if (auto checked = check_image_formats(device.impl(), format, format); !checked) return checked;
  dispatch_plan.dispatches = 2;
  if (plan.levels > 1) {
    auto created = Pyramid::create(device, chain_options(plan));
    if (!created) return created.error();
    pyramid = std::move(*created);
    dispatch_plan.dispatches += static_cast<uint32_t>(pyramid->dispatch_plan().dispatches.size());
  }
  // With one level, its sum with itself: the bright light as floats.
  const uint32_t sums = std::max(plan.levels, 2U) - 1;
  ScratchLayout scratch;
  for (uint32_t level = 0; level < sums; ++level) sums_at.push_back(scratch.add(glow_bytes(plan, level)));
  if (pyramid) pyramid_at = scratch.add(pyramid->dispatch_plan().scratch_bytes);
  dispatch_plan.dispatches += sums;
  dispatch_plan.scratch_bytes = scratch.bytes();
  auto found = find_bloom_step(batch, plan, ONEPASS_BLOOM_BRIGHT, false, bright);
  if (found) found = find_bloom_step(batch, plan, ONEPASS_BLOOM_ADD, true, add_first);
  if (found) found = find_bloom_step(batch, plan, ONEPASS_BLOOM_ADD, false, add);
  if (found) found = find_bloom_step(batch, plan, ONEPASS_BLOOM_COMPOSE, false, compose);
  return found;
}

Result<void> Bloom::Impl::set_kernel(const ImageView* image) {
  if (!glow) return invalid("method: a mip chain has no kernel");
  const auto made = make_bloom_kernel(plan, image);
  if (!made) return made.error();
  const auto weights = convolution_weights(glow->plan, made->view());
  if (!weights) return weights.error();
  glow->kernel.set(weights->view());
  return {};
}

Result<Bloom> Bloom::create(const Device& device, const BloomOptions& options, const TransformTuning& tuning) {
  const auto plan = plan_bloom(options);
  if (!plan) return plan.error();
  const BloomOptions& o = plan->options;
  auto checked = check_image_formats(device.impl(), o.source, o.target);
  if (checked) {
    checked = check_images(device.impl(), {.size = o.size, .slices = o.slices, .source = o.source, .target = o.target});
  }
  if (!checked) return checked.error();
  auto impl = std::make_shared<Impl>(device, *plan);
  if (!impl->is_fused() && glow_bytes(*plan, 0) > device.impl().limits.maxStorageBufferRange) {
    return unsupported(device.impl(), "size: " + std::to_string(glow_bytes(*plan, 0)) +
                                          " bytes of glow, but buffers of the device have " +
                                          std::to_string(device.impl().limits.maxStorageBufferRange));
  }
  KernelBatch batch(device);
  auto created = impl->is_chain() ? check_tuning(tuning) : impl->create_convolution(batch, tuning);
  if (created && impl->is_chain()) created = impl->create_chain(batch);
  if (created) created = batch.compile();
  if (!created) return created.error();
  return Bloom(std::move(impl));
}

Result<void> Bloom::set_kernel(const ImageView& kernel) { return impl_->set_kernel(&kernel); }

bool Bloom::has_kernel() const { return !impl_->glow || impl_->glow->kernel.is_set(); }

void Bloom::record_kernel(VkCommandBuffer commands) const {
  if (!impl_->glow) return;
  const CommandLabel label(impl_->device.impl(), commands, "onepass bloom kernel");
  ONEPASS_ASSERT(has_kernel());
  impl_->glow->kernel.record(commands);
}

Result<void> Bloom::Impl::bind_convolution(OperationBinding::Impl& b) const {
  FusedResources resources{.source = b.source,
                           .target = b.target,
                           .operand = glow->kernel.spectrum(),
                           .scratch = part_of(b.scratch, 0, glow->pass.scratch_bytes())};
  if (!is_fused()) {
    resources.target = VK_NULL_HANDLE;
    resources.target_buffer = sum_range(b, 0);
  }
  return glow->pass.create_sets(b.objects, resources, b.passes.emplace_back());
}

DeviceImage::Request Bloom::Impl::chain_image() const {
  return {.format = glow_format(plan.options),
          .size = plan.glow_size,
          .levels = plan.levels,
          .slices = plan.options.slices,
          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT};
}

VkImageCreateInfo Bloom::mip_chain_info() const {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  if (!impl_->is_chain()) return info;
  const DeviceImage::Request image = impl_->chain_image();
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = static_cast<VkFormat>(image.format);
  info.extent = {image.size.width, image.size.height, 1};
  info.mipLevels = image.levels;
  info.arrayLayers = image.slices;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = image.usage;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  return info;
}

// Sets of the steps in the order of their recording.
Result<void> Bloom::Impl::bind_chain(VkImage given, OperationBinding::Impl& b) const {
  const Format format = glow_format(plan.options);
  const uint32_t slices = plan.options.slices;
  auto chain = std::make_shared<Chain>();
  b.memory = chain;
  chain->image = given;
  if (given == VK_NULL_HANDLE) {
    auto image = DeviceImage::create(device.impl(), chain_image());
    if (!image) return image.error();
    chain->own = std::move(*image);
    chain->image = chain->own.image;
  }
  const VkImage levels = chain->image;
  if (pyramid) {
    auto bound = pyramid->bind({.source = levels,
                                .source_layout = VK_IMAGE_LAYOUT_GENERAL,
                                .target = levels,
                                .scratch = b.scratch.buffer,
                                .scratch_offset = b.scratch.offset + pyramid_at});
    if (!bound) return bound.error();
    chain->pyramid = std::move(*bound);
  }
  VkImageView base = VK_NULL_HANDLE;
  auto done = b.objects.add_view({levels, format, 0, 0, slices, VK_IMAGE_USAGE_STORAGE_BIT}, base);
  if (done)
    done = add_step_set(b.objects, bright, {.sampled = {b.source}, .stored = base, .buffers = {sum_range(b, 0)}},
                        b.steps.emplace_back());
  std::vector<SampledView> views(plan.levels);
  for (uint32_t level = 0; level < plan.levels && done; ++level) {
    done = b.objects.add_view({levels, format, level, 0, slices}, views[level].view);
  }
  for (auto level = static_cast<uint32_t>(sums_at.size()); level-- > 0 && done;) {
    const bool first = level + 1 == sums_at.size();
    const VkDescriptorBufferInfo coarser = first ? VkDescriptorBufferInfo{} : sum_range(b, level + 1);
    done = add_step_set(b.objects, first ? add_first : add,
                        {.sampled = {views[level], views.back()}, .buffers = {coarser, sum_range(b, level)}},
                        b.steps.emplace_back());
  }
  return done;
}

Result<OperationBinding> Bloom::bind(const OperationImages& images) const {
  const BloomOptions& o = impl_->plan.options;
  if (images.mip_chain != VK_NULL_HANDLE &&
      (images.mip_chain == images.source.image || images.mip_chain == images.target.image)) {
    return invalid("mip_chain: the source or the target");
  }
  auto binding = bind_images(impl_->device, images,
                             {.source = o.source,
                              .target = o.target,
                              .slices = o.slices,
                              .scratch_bytes = impl_->dispatch_plan.scratch_bytes});
  if (!binding) return binding.error();
  OperationBinding::Impl& b = **binding;
  b.operation = impl_;
  auto done = impl_->is_chain() ? impl_->bind_chain(images.mip_chain, b) : impl_->bind_convolution(b);
  if (done && impl_->compose) {
    done = add_step_set(b.objects, impl_->compose,
                        {.sampled = {b.source}, .stored = b.target, .buffers = {impl_->sum_range(b, 0)}},
                        b.steps.emplace_back());
  }
  if (!done) return done.error();
  return OperationBinding(std::move(*binding));
}

// Moves the image to layout GENERAL. Earlier contents are not needed.
void Bloom::Impl::discard_chain(VkCommandBuffer commands, VkImage image) const {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = kShader.types;
  barrier.dstAccessMask = kShader.types;
  barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, plan.levels, 0, plan.options.slices};
  device.impl().functions.vkCmdPipelineBarrier(commands, kShader.stages, kShader.stages, 0, 0, nullptr, 0, nullptr, 1,
                                               &barrier);
}

void Bloom::Impl::record_chain(VkCommandBuffer commands, const OperationBinding::Impl& b) const {
  const Device::Impl& d = device.impl();
  const auto* chain = static_cast<const Chain*>(b.memory.get());
  const uint32_t slices = plan.options.slices;
  const auto then = [&] { record_barrier(d, commands, kBetweenDispatches); };
  discard_chain(commands, chain->image);
  if (chain->pyramid) {  // its scratch memory is of unknown content
    record_barrier(d, commands, {.before = kShader, .after = kTransferWrites});
    pyramid->record_reset(commands, *chain->pyramid);
    record_barrier(d, commands, {.before = kTransferWrites, .after = kShader});
  }
  bright->record(commands, b.steps[0], params(plan.glow_size, {}), groups_for_texels(plan.glow_size, slices));
  then();
  if (chain->pyramid) {
    pyramid->record(commands, *chain->pyramid);
    then();
  }
  size_t set = 1;
  for (auto level = static_cast<uint32_t>(sums_at.size()); level-- > 0;) {
    const Extent size = level_size(plan.glow_size, level);
    const Extent coarser = level_size(plan.glow_size, std::min(level + 1, plan.levels - 1));
    const Step& step = level + 1 == sums_at.size() ? add_first : add;
    step->record(commands, b.steps[set++], params(size, coarser), groups_for_texels(size, slices));
    then();
  }
}

void Bloom::record(VkCommandBuffer commands, const OperationBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass bloom");
  const OperationBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.operation == impl_ && has_kernel());
  if (impl_->is_chain()) {
    impl_->record_chain(commands, b);
  } else {
    impl_->glow->pass.record(commands, b.passes[0]);
    if (impl_->is_fused()) return;
    record_barrier(impl_->device.impl(), commands, kBetweenDispatches);
  }
  const BloomOptions& o = impl_->plan.options;
  impl_->compose->record(commands, b.steps.back(), impl_->params(o.size, impl_->plan.glow_size),
                         groups_for_texels(o.size, o.slices));
}

const BloomPlan& Bloom::plan() const { return impl_->plan; }
const OperationDispatchPlan& Bloom::dispatch_plan() const { return impl_->dispatch_plan; }

}  // namespace onepass::vulkan
