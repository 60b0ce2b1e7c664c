// cuda.cpp: the CUDA engine of the meter: a kernel at creation, addresses at binding, one launch at recording. The
// kernel is luminance.cu, whose constants depend on formats, metering and statistic.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "image/error.hpp"
#include "luminance/cuda_impl.hpp"
#include "luminance/luminance_cuda_params.h"
#include "luminance/settings.hpp"

namespace onepass::cuda {
namespace {

constexpr uint32_t kThreads = ONEPASS_LUMINANCE_GROUP;
constexpr size_t kResultAlign = 16;
static_assert(sizeof(luminance::LuminanceResult) == sizeof(MeterResult) &&
              offsetof(luminance::LuminanceResult, exposure) == offsetof(MeterResult, exposure));

/// Constants in the order of their numbers in luminance_cuda_params.h.
struct MeterConstants {
  FormatConstants formats;
  uint32_t bins, metering, statistic, mask_storage, mask_step, mask_offset;
  float mask_scale;
  uint32_t mask_srgb;
};
constexpr size_t kConstants = CONSTANT_MASK_SRGB + 1;
static_assert(sizeof(MeterConstants) == kConstants * 4 && offsetof(MeterConstants, bins) == CONSTANT_BINS * 4 &&
              offsetof(MeterConstants, mask_scale) == CONSTANT_MASK_SCALE * 4);

bool has_mask(const MeterOptions& options) { return options.metering == Metering::kMask; }

Result<void> find_kernel(Meter::Impl& impl) {
  MeterConstants constants{};
  constants.formats = make_format_constants(impl.source, impl.source, Working::kUnits);  // there is no target
  constants.bins = luminance::counted_bins(impl.options);
  constants.metering = static_cast<uint32_t>(impl.options.metering);
  constants.statistic = static_cast<uint32_t>(impl.options.statistic);
  if (has_mask(impl.options)) {
    const FormatInfo& info = impl.mask.info;
    constants.mask_storage = storage_of(info);
    constants.mask_step = impl.mask.step;
    constants.mask_offset = info.blue_first ? 2 * info.bytes_per_texel / info.channels : 0;
    constants.mask_scale = 1.0F / unit_of(info);
    constants.mask_srgb = info.type == ChannelType::kSrgb ? 1 : 0;
  }
  auto kernel = Kernel::find(impl.device, kCudaLuminanceKernels, "cuda_luminance",
                             std::bit_cast<std::array<uint32_t, kConstants>>(constants));
  if (!kernel) return kernel.error();
  impl.kernel = std::move(*kernel);
  return {};
}

// Plans and constants know formats with an alpha.
MeterOptions known_formats(MeterOptions options) {
  options.source = image::with_alpha(options.source);
  options.mask = image::with_alpha(options.mask);
  return options;
}

uint64_t bytes_read(const MeterPlan& plan, const MeterOptions& options) {
  uint64_t texel = texel_info(options.source).bytes_per_texel;
  if (has_mask(options)) texel += texel_info(options.mask).bytes_per_texel;
  return uint64_t{plan.rect.width} * plan.rect.height * options.slices * texel;
}

Result<void> describe_images(Meter::Impl& impl, const MeterMemory& memory) {
  auto source = describe_stored("source", impl.options.source, memory.source);
  if (!source) return source.error();
  impl.source = std::move(*source);
  if (!has_mask(impl.options)) return {};
  auto mask = describe_stored("mask", impl.options.mask, memory.mask);
  if (!mask) return mask.error();
  impl.mask = std::move(*mask);
  return {};
}

// The caller's memory, or of the binding's own.
Result<DeviceAddress> memory_or_own(const Device& device, void* memory, size_t bytes, std::optional<OwnMemory>& own) {
  if (memory != nullptr) return reinterpret_cast<DeviceAddress>(memory);
  auto created = OwnMemory::create_clear(device, bytes);
  if (!created) return created.error();
  own = std::move(*created);
  return own->address();
}

Result<void> clear(Stream stream, const Meter::Impl& meter, const MeterParameters& parameters, bool with_results) {
  const Device::Impl& device = meter.device.impl();
  const CurrentContext current(device);
  if (auto checked = device.check("cuCtxPushCurrent", current.status()); !checked) return checked;
  const auto zero = [&](DeviceAddress address, size_t bytes) {
    return device.check("cuMemsetD8Async", device.driver.memory_clear_async(address, 0, bytes, stream));
  };
  if (auto cleared = zero(parameters.words, meter.plan.scratch_bytes); !cleared || !with_results) return cleared;
  return zero(parameters.results, meter.plan.result_bytes);
}

}  // namespace

Result<Meter> create_meter(const Device& device, const MeterOptions& options, const MeterMemory& memory,
                           uint32_t groups) {
  const MeterOptions known = known_formats(options);
  auto plan = plan_meter(known);
  if (!plan) return plan.error();
  if (auto checked = check_slices(options.slices); !checked) return checked.error();
  auto scratch = luminance::scratch_bytes(options);
  if (!scratch) return scratch.error();
  auto impl = std::make_shared<Meter::Impl>(device);
  impl->options = options;
  if (auto described = describe_images(*impl, memory); !described) return described.error();
  // As many blocks as run at once: each has half of the registers of a multiprocessor. More would only add sums and
  // histograms to join.
  const uint32_t running = 2 * device.info().multiprocessors;
  const uint32_t wanted = groups != 0 ? groups : std::max(1U, running / options.slices);
  impl->plan = {.plan = *plan,
                .groups = {luminance::count_groups(plan->rect, wanted), 1, options.slices},
                .scratch_bytes = *scratch,
                .result_bytes = plan->bytes_written};
  impl->plan.plan.bytes_read = bytes_read(*plan, options);
  impl->params = luminance::make_params(known, plan->rect);
  impl->params.groups = impl->plan.groups[0];
  if (auto found = find_kernel(*impl); !found) return found.error();
  return Meter(std::move(impl));
}

Result<Meter> Meter::create(const Device& device, const MeterOptions& options, const MeterMemory& memory) {
  return create_meter(device, options, memory, 0);
}

const MeterDispatchPlan& Meter::dispatch_plan() const { return impl_->plan; }
const MeterOptions& Meter::options() const { return impl_->options; }

MeterBinding::MeterBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MeterBinding::MeterBinding(MeterBinding&&) noexcept = default;
MeterBinding& MeterBinding::operator=(MeterBinding&&) noexcept = default;
MeterBinding::~MeterBinding() = default;
void* MeterBinding::results() const { return reinterpret_cast<void*>(impl_->parameters.results); }
const void* MeterBinding::exposure() const {
  return static_cast<const std::byte*>(results()) + offsetof(MeterResult, exposure);
}

Result<MeterBinding> Meter::bind(const MeterImages& images) const {
  const MeterOptions& options = impl_->options;
  auto source = make_rows("source", images.source, impl_->source, {options.size, options.slices});
  if (!source) return source.error();
  auto binding = std::make_unique<MeterBinding::Impl>(impl_);
  MeterParameters& parameters = binding->parameters;
  parameters.params = impl_->params;
  parameters.source = *source;
  if (has_mask(options)) {
    auto mask = make_rows("mask", images.mask, impl_->mask, {options.size, 1});
    if (!mask) return mask.error();
    parameters.mask = *mask;
  } else if (images.mask.data != nullptr) {
    return invalid("mask: given, but metering is not by mask");
  }
  auto checked = check_address("results", images.results, kResultAlign);
  if (checked) checked = check_address("scratch", images.scratch, kAlign);
  if (!checked) return checked.error();
  auto results = memory_or_own(impl_->device, images.results, impl_->plan.result_bytes, binding->own_results);
  if (!results) return results.error();
  auto scratch = memory_or_own(impl_->device, images.scratch, impl_->plan.scratch_bytes, binding->own_scratch);
  if (!scratch) return scratch.error();
  parameters.results = *results;
  parameters.words = *scratch;
  return MeterBinding(std::move(binding));
}

Result<void> Meter::record_reset(Stream stream, const MeterBinding& binding) const {
  ONEPASS_ASSERT(binding.impl().meter == impl_);
  return clear(stream, *impl_, binding.impl().parameters, true);
}

Result<void> Meter::record_reset_scratch(Stream stream, const MeterBinding& binding) const {
  ONEPASS_ASSERT(binding.impl().meter == impl_);
  return clear(stream, *impl_, binding.impl().parameters, false);
}

Result<void> Meter::record(Stream stream, const MeterBinding& binding, const MeterFrame& frame) const {
  const MeterBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.meter == impl_);
  const auto seconds = luminance::seconds_of(frame);
  if (!seconds) return seconds.error();
  MeterParameters parameters = b.parameters;
  parameters.params.seconds = *seconds;
  return impl_->kernel->record(stream, impl_->plan.groups, kThreads, &parameters);
}

}  // namespace onepass::cuda
