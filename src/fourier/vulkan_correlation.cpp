// vulkan_correlation.cpp: both images as two channels of one transform, their cross-spectrum, its inverse transform,
// the peak; the host refines the peak.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "fourier/correlation_peak.hpp"
#include "fourier/kernel_names.hpp"
#include "fourier/kernel_weights.hpp"
#include "fourier/vulkan_fused.hpp"
#include "image/div_up.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {
namespace {

using fourier::CorrelationParams;
using fourier::CorrelationResult;

// Offsets of storage buffers are multiples of at most 256 bytes on every device (minStorageBufferOffsetAlignment).
constexpr uint64_t kHeaderBytes = 256;
constexpr uint32_t kPartialBytes = 32;
constexpr uint32_t kStatisticsBytes = 256;
constexpr uint32_t kPerGroup = ONEPASS_FOURIER_STEP_GROUP * ONEPASS_CORRELATION_VALUES;
constexpr uint32_t kSteps = ONEPASS_CORRELATION_RESULT;

size_t index_of(uint32_t step) { return step - ONEPASS_CORRELATION_LUMINANCE; }

uint32_t groups_of(uint64_t items) { return static_cast<uint32_t>(div_up(items, kPerGroup)); }

}  // namespace

struct ONEPASS_INTERNAL Correlator::Impl {
  Device device;
  CorrelationPlan plan;
  CorrelationDispatchPlan dispatch_plan;
  Transform forward;
  Transform inverse;
  std::array<Step, kSteps> steps;  // from ONEPASS_CORRELATION_LUMINANCE on
  Buffer window;                   // horizontal weights, then vertical
  float weight = 1;                // 1 / their sum
  uint64_t transform_bytes = 0;
  // Offsets in scratch. c overwrites the pairs of the images. kFourier: the product is in the result buffer.
  uint64_t pairs_at = 0, spectra_at = 0, product_at = 0, surface_at = 0, partials_at = 0, statistics_at = 0;

  [[nodiscard]] bool refines_by_fourier() const { return plan.options.refinement == PeakRefinement::kFourier; }
  [[nodiscard]] uint64_t texels() const { return uint64_t{plan.options.size.width} * plan.options.size.height; }
  [[nodiscard]] uint64_t frequencies() const {
    return uint64_t{plan.options.size.width / 2 + 1} * plan.options.size.height;
  }
  Result<void> create_steps(KernelBatch& batch);
  void lay_out();
  void record_step(VkCommandBuffer commands, const CorrelationBinding::Impl& b, uint32_t step) const;
};

struct ONEPASS_INTERNAL CorrelationBinding::Impl {
  Device device;
  std::shared_ptr<const Correlator::Impl> correlator;
  BindingObjects objects;
  std::optional<TransformBinding> forward;
  std::optional<TransformBinding> inverse;
  std::array<VkDescriptorSet, kSteps> sets{};

  explicit Impl(const Device& d) : device(d), objects(d.impl(), "correlation") {}
};

CorrelationBinding::CorrelationBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CorrelationBinding::CorrelationBinding(CorrelationBinding&&) noexcept = default;
CorrelationBinding& CorrelationBinding::operator=(CorrelationBinding&&) noexcept = default;
CorrelationBinding::~CorrelationBinding() = default;

Result<void> Correlator::Impl::create_steps(KernelBatch& batch) {
  const CorrelationOptions& o = plan.options;
  for (size_t i = 0; i < kSteps; ++i) {
    const bool reads_images = i == index_of(ONEPASS_CORRELATION_LUMINANCE);
    auto found = find_step(batch,
                           {.kernel = reads_images ? fourier::kCorrelationImagesKernel : fourier::kCorrelationKernel,
                            .constants = {format_info(o.first).channels, format_info(o.second).channels,
                                          static_cast<uint32_t>(i) + ONEPASS_CORRELATION_LUMINANCE},
                            .sampled = reads_images ? 2U : 0U,
                            .buffers = 4,
                            .params_bytes = sizeof(CorrelationParams)},
                           steps[i]);
    if (!found) return found;
  }
  std::vector<float> weights;
  double sum = 1;
  for (const uint32_t n : {o.size.width, o.size.height}) {
    double along = 0;
    for (const double w : correlation_window(n, o.window)) {
      weights.push_back(static_cast<float>(w));
      along += w;
    }
    sum *= along;
  }
  weight = static_cast<float>(1 / sum);
  auto uploaded = upload_floats(device.impl(), weights);
  if (!uploaded) return uploaded.error();
  window = std::move(*uploaded);
  return {};
}

void Correlator::Impl::lay_out() {
  CorrelationDispatchPlan& d = dispatch_plan;
  for (const auto* stages : {&forward.dispatch_plan().forward, &inverse.dispatch_plan().inverse}) {
    d.stages.insert(d.stages.end(), stages->begin(), stages->end());
  }
  for (const StagePlan& stage : d.stages) d.dispatches += stage.dispatches;
  d.dispatches += plan.options.kind == CorrelationKind::kPhase ? kSteps : kSteps - 2;  // kCross: no count, no scale
  const uint64_t product_bytes = inverse.plan().spectrum_bytes;
  d.surface_bytes = 4 * texels();
  d.result_bytes = kHeaderBytes + (refines_by_fourier() ? product_bytes : 0);
  transform_bytes = std::max(forward.dispatch_plan().scratch_bytes, inverse.dispatch_plan().scratch_bytes);
  ScratchLayout scratch;
  scratch.add(transform_bytes);
  pairs_at = scratch.add(8 * texels());
  surface_at = pairs_at;
  spectra_at = scratch.add(forward.plan().spectrum_bytes);
  product_at = refines_by_fourier() ? 0 : scratch.add(product_bytes);
  partials_at = scratch.add(uint64_t{kPartialBytes} * groups_of(std::max(texels(), frequencies())));
  statistics_at = scratch.add(kStatisticsBytes);
  d.scratch_bytes = scratch.bytes();
}

Result<Correlator> Correlator::create(const Device& device, const CorrelationOptions& options,
                                      const TransformTuning& tuning) {
  auto plan = plan_correlation(options);
  if (!plan) return plan.error();
  for (const auto& [format, name] :
       {std::pair(plan->options.first, "first"), std::pair(plan->options.second, "second")}) {
    if (device.can_read(format)) continue;
    return unsupported(device.impl(),
                       std::string(name) + ": " + std::string(format_info(format).name) + " cannot be read");
  }
  KernelBatch batch(device);
  auto forward =
      create_transform(batch, plan->forward, {.source = SideKind::kBuffer, .forward = true, .inverse = false}, tuning);
  if (!forward) return forward.error();
  auto inverse =
      create_transform(batch, plan->inverse, {.target = SideKind::kBuffer, .forward = false, .inverse = true}, tuning);
  if (!inverse) return inverse.error();
  auto impl = std::make_shared<Impl>(Impl{.device = device,
                                          .plan = std::move(*plan),
                                          .dispatch_plan = {},
                                          .forward = std::move(*forward),
                                          .inverse = std::move(*inverse),
                                          .steps = {},
                                          .window = {}});
  if (auto created = impl->create_steps(batch); !created) return created.error();
  impl->lay_out();
  if (8 * impl->texels() > device.impl().limits.maxStorageBufferRange) {
    return unsupported(device.impl(), "size: " + std::to_string(8 * impl->texels()) +
                                          " bytes of luminance are more than a buffer has");
  }
  if (auto compiled = batch.compile(); !compiled) return compiled.error();
  return Correlator(std::move(impl));
}

namespace {

Result<void> check_resources(const CorrelationResources& r) {
  if (r.first.image == VK_NULL_HANDLE) return invalid("first: null image");
  if (r.second.image == VK_NULL_HANDLE) return invalid("second: null image");
  if (r.result.buffer == VK_NULL_HANDLE) return invalid("result: null buffer");
  for (const auto& [range, name] :
       {std::pair(r.result, "result"), std::pair(r.surface, "surface"), std::pair(r.scratch, "scratch")}) {
    if (range.offset % 256 == 0) continue;
    return invalid(std::string(name) + ".offset: " + std::to_string(range.offset) + " is not a multiple of 256");
  }
  return {};
}

}  // namespace

Result<CorrelationBinding> Correlator::bind(const CorrelationResources& resources) const {
  if (auto checked = check_resources(resources); !checked) return checked.error();
  const Impl& c = *impl_;
  const CorrelationOptions& o = c.plan.options;
  auto binding = std::make_unique<CorrelationBinding::Impl>(c.device);
  CorrelationBinding::Impl& b = *binding;
  b.correlator = impl_;
  BufferRange scratch = resources.scratch;
  VkImageView first = VK_NULL_HANDLE, second = VK_NULL_HANDLE;
  constexpr auto kSampled = VK_IMAGE_USAGE_SAMPLED_BIT;
  auto done = b.objects.add_buffer(c.dispatch_plan.scratch_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, scratch.buffer,
                                   scratch.offset);
  if (done) done = b.objects.add_view(view_of_side(resources.first, o.first, 1, kSampled), first);
  if (done) done = b.objects.add_view(view_of_side(resources.second, o.second, 1, kSampled), second);
  if (!done) return done.error();

  const bool own_surface = resources.surface.buffer == VK_NULL_HANDLE;
  const BufferRange surface =
      own_surface ? BufferRange{scratch.buffer, scratch.offset + c.surface_at} : resources.surface;
  // The Fourier refinement runs on the host: the product is then read back behind the header of the result.
  const BufferRange product = c.refines_by_fourier()
                                  ? BufferRange{resources.result.buffer, resources.result.offset + kHeaderBytes}
                                  : BufferRange{scratch.buffer, scratch.offset + c.product_at};
  auto forward = c.forward.bind({.source = {.buffer = scratch.buffer, .offset = scratch.offset + c.pairs_at},
                                 .spectrum = {scratch.buffer, scratch.offset + c.spectra_at},
                                 .scratch = scratch});
  if (!forward) return forward.error();
  b.forward.emplace(std::move(*forward));
  auto inverse = c.inverse.bind(
      {.spectrum = product, .target = {.buffer = surface.buffer, .offset = surface.offset}, .scratch = scratch});
  if (!inverse) return inverse.error();
  b.inverse.emplace(std::move(*inverse));

  const VkDescriptorBufferInfo pairs = part_of(scratch, c.pairs_at, 8 * c.texels());
  const VkDescriptorBufferInfo products = part_of(product, 0, c.inverse.plan().spectrum_bytes);
  for (size_t i = 0; i < kSteps; ++i) {
    const uint32_t step = static_cast<uint32_t>(i) + ONEPASS_CORRELATION_LUMINANCE;
    const bool of_product = step == ONEPASS_CORRELATION_PRODUCT || step == ONEPASS_CORRELATION_SCALE;
    const bool writes_result = step == ONEPASS_CORRELATION_MEAN || step == ONEPASS_CORRELATION_RESULT;
    const VkDescriptorBufferInfo values = step >= ONEPASS_CORRELATION_PEAK
                                              ? part_of(surface, 0, c.dispatch_plan.surface_bytes)
                                          : of_product ? products
                                                       : pairs;
    VkDescriptorBufferInfo operand{c.window.buffer, 0, VK_WHOLE_SIZE};
    if (writes_result) operand = part_of(resources.result, 0, kHeaderBytes);
    if (step == ONEPASS_CORRELATION_PRODUCT) {
      operand = part_of(scratch, c.spectra_at, c.forward.plan().spectrum_bytes);
    }
    done =
        add_step_set(b.objects, c.steps[i],
                     {.sampled = {{first, resources.first.layout}, {second, resources.second.layout}},
                      .buffers = {values,
                                  part_of(scratch, c.partials_at,
                                          uint64_t{kPartialBytes} * groups_of(std::max(c.texels(), c.frequencies()))),
                                  part_of(scratch, c.statistics_at, kStatisticsBytes), operand}},
                     b.sets[i]);
    if (!done) return done.error();
  }
  return CorrelationBinding(std::move(binding));
}

// Most steps leave a partial result per workgroup; joining steps are one workgroup that combines those.
void Correlator::Impl::record_step(VkCommandBuffer commands, const CorrelationBinding::Impl& b, uint32_t step) const {
  const bool of_frequencies =
      step == ONEPASS_CORRELATION_PRODUCT || step == ONEPASS_CORRELATION_COUNT || step == ONEPASS_CORRELATION_SCALE;
  const bool joins = step == ONEPASS_CORRELATION_MEAN || step == ONEPASS_CORRELATION_POWER ||
                     step == ONEPASS_CORRELATION_COUNT || step == ONEPASS_CORRELATION_HIGHEST ||
                     step == ONEPASS_CORRELATION_RESULT;
  const uint64_t count = of_frequencies ? frequencies() : texels();
  const auto all = static_cast<float>(texels());
  const CorrelationParams params{{plan.options.size.width, plan.options.size.height},
                                 static_cast<uint32_t>(count),
                                 groups_of(count),
                                 weight,
                                 all,
                                 plan.options.floor * std::sqrt(all),  // mean power of a frequency: texels()
                                 plan.options.kind == CorrelationKind::kPhase ? 1U : 0U};
  const uint32_t per_group = step == ONEPASS_CORRELATION_SCALE ? ONEPASS_FOURIER_STEP_GROUP : kPerGroup;
  steps[index_of(step)]->record(commands, b.sets[index_of(step)], params,
                                joins ? GroupCounts{} : groups_for(count, per_group));
  record_barrier(device.impl(), commands, kBetweenDispatches);
}

void Correlator::record(VkCommandBuffer commands, const CorrelationBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass correlation");
  const CorrelationBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.correlator == impl_);
  const auto step = [&](uint32_t which) { impl_->record_step(commands, b, which); };
  step(ONEPASS_CORRELATION_LUMINANCE);
  step(ONEPASS_CORRELATION_MEAN);
  step(ONEPASS_CORRELATION_WINDOW);
  step(ONEPASS_CORRELATION_POWER);
  impl_->forward.record_forward(commands, *b.forward);
  record_barrier(impl_->device.impl(), commands, kBetweenDispatches);
  step(ONEPASS_CORRELATION_PRODUCT);
  if (impl_->plan.options.kind == CorrelationKind::kPhase) {
    step(ONEPASS_CORRELATION_COUNT);
    step(ONEPASS_CORRELATION_SCALE);
  }
  impl_->inverse.record_inverse(commands, *b.inverse);
  record_barrier(impl_->device.impl(), commands, kBetweenDispatches);
  step(ONEPASS_CORRELATION_PEAK);
  step(ONEPASS_CORRELATION_HIGHEST);
  step(ONEPASS_CORRELATION_NEAREST);
  step(ONEPASS_CORRELATION_RESULT);
}

Result<ShiftEstimate> Correlator::finish(std::span<const std::byte> result) const try {
  const CorrelationOptions& o = impl_->plan.options;
  if (result.size() < impl_->dispatch_plan.result_bytes) {
    return invalid("result: " + std::to_string(result.size()) + " bytes, but the plan says " +
                   std::to_string(impl_->dispatch_plan.result_bytes));
  }
  CorrelationResult found;
  std::memcpy(&found, result.data(), sizeof(found));
  for (const auto& [index, name] : {std::pair(found.bad_first, "first"), std::pair(found.bad_second, "second")}) {
    if (index == ~0U) continue;
    return Error{ErrorCode::kBadData,
                 "texel (" + std::to_string(index % o.size.width) + ", " + std::to_string(index / o.size.width) +
                     ") is not within +-1e18",
                 name};
  }
  const cpu::PeakTexel peak{.x = found.index % o.size.width,
                            .y = found.index / o.size.width,
                            .value = found.value,
                            .left = found.left,
                            .right = found.right,
                            .above = found.above,
                            .below = found.below,
                            .range_x = found.range_x,
                            .range_y = found.range_y};
  std::vector<float> spectrum((impl_->dispatch_plan.result_bytes - kHeaderBytes) / sizeof(float));
  if (!spectrum.empty()) {
    std::memcpy(spectrum.data(), result.data() + kHeaderBytes, spectrum.size() * sizeof(float));
  }
  cpu::Workers workers(impl_->refines_by_fourier() ? 0 : 1);
  return cpu::shift_of(peak, o.size, o.refinement, spectrum, workers);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory to refine a peak", ""};
}

const CorrelationPlan& Correlator::plan() const { return impl_->plan; }
const CorrelationDispatchPlan& Correlator::dispatch_plan() const { return impl_->dispatch_plan; }

}  // namespace onepass::vulkan
