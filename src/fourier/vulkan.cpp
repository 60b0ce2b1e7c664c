// vulkan.cpp: vulkan::Transform: two stages per direction, the memory between them, validation, bindings.
#include <algorithm>
#include <cmath>
#include <string>

#include "fourier/vulkan_impl.hpp"
#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {
namespace {

using fourier::Stage;

// Source and target buffers hold 32-bit floats or pairs of halves.
Result<void> check_buffer_format(Format format, const char* field) {
  const FormatInfo& info = format_info(format);
  const bool wide = info.type == ChannelType::kFloat && !info.packed && info.bytes_per_texel == 4 * info.channels;
  const bool half = info.type == ChannelType::kFloat && info.bytes_per_texel == 2 * info.channels && info.channels > 1;
  if (wide || half) return {};
  return invalid(std::string(field) + ": " + std::string(info.name) + " cannot lie in a buffer");
}

Result<void> check_buffer_range(const Device::Impl& device, const TransformPlan& plan) {
  const uint64_t most = std::max(fourier::intermediate_bytes(plan, true), fourier::intermediate_bytes(plan, false));
  const uint64_t limit = device.limits.maxStorageBufferRange;
  if (plan.spectrum_bytes <= limit && most <= limit) return {};
  const std::string what = plan.spectrum_bytes > limit
                               ? "a spectrum of " + std::to_string(plan.spectrum_bytes) + " bytes"
                               : std::to_string(most) + " bytes between two stages";
  return unsupported(device, "size: " + what + ", but buffers of the device have " + std::to_string(limit));
}

struct ScratchSizes {
  uint64_t between = 0;  // bytes of the intermediate buffer
  uint64_t passes = 0;   // bytes between the dispatches of a stage
};

ScratchSizes scratch_of(const Transform::Impl& transform) {
  ScratchSizes out;
  const TransformPlan& plan = transform.plan.plan;
  if (!transform.forward.empty()) out.between = fourier::intermediate_bytes(plan, true);
  if (!transform.inverse.empty()) out.between = std::max(out.between, fourier::intermediate_bytes(plan, false));
  out.between = aligned_range(out.between);
  for (const auto* stages : {&transform.forward, &transform.inverse}) {
    for (const FourierStage& stage : *stages) out.passes = std::max(out.passes, stage.scratch_bytes());
  }
  return out;
}

// Texels of a slice of a source or target buffer that are accessed.
Extent used_texels(const TransformOptions& o, bool source) {
  return source ? Extent{o.crop.x + o.crop.width, o.crop.y + o.crop.height} : Extent{o.result.width, o.result.height};
}

BufferStrides without_gaps(Extent used) { return {used.width, used.width * used.height}; }

// A stage of the transform. Half storage: each axis has its own factor, so that the intermediate buffer cannot overflow
// either.
StageRequest stage_request(const Transform::Impl& impl, Stage stage) {
  const TransformPlan& plan = impl.plan.plan;
  const bool half = plan.options.precision == SpectrumPrecision::kHalf;
  const double columns = half ? 1 / std::sqrt(static_cast<double>(plan.options.size.height)) : 1;
  const bool forward = stage == Stage::kRowsForward || stage == Stage::kColumnsForward;
  const double whole = forward ? plan.forward_factor : plan.inverse_factor;
  const bool first = stage == Stage::kRowsForward || stage == Stage::kColumnsInverse;
  double scale = first ? 1 : whole;
  if (half) scale = fourier::is_row(stage) ? whole / columns : columns;
  StageRequest out{.plan = &plan, .stage = stage, .tuning = impl.tuning, .scale = static_cast<float>(scale)};
  if (fourier::is_row(stage)) {
    out.side = forward ? impl.sides.source : impl.sides.target;
    if (out.side == SideKind::kBuffer) out.strides = without_gaps(used_texels(plan.options, forward));
  }
  return out;
}

Result<void> create_stages(KernelBatch& batch, Transform::Impl& impl) {
  const auto add = [&](std::vector<FourierStage>& stages, std::vector<StagePlan>& plans, Stage stage) -> Result<void> {
    auto created = FourierStage::create(batch, stage_request(impl, stage));
    if (!created) return created.error();
    plans.push_back(created->layout().plan);
    stages.push_back(std::move(*created));
    return {};
  };
  Result<void> done;
  if (impl.sides.forward) {
    done = add(impl.forward, impl.plan.forward, Stage::kRowsForward);
    if (done) done = add(impl.forward, impl.plan.forward, Stage::kColumnsForward);
  }
  if (done && impl.sides.inverse) {
    done = add(impl.inverse, impl.plan.inverse, Stage::kColumnsInverse);
    if (done) done = add(impl.inverse, impl.plan.inverse, Stage::kRowsInverse);
  }
  return done;
}

Result<void> check_side(const Side& side, SideKind kind, const char* name) {
  if (kind == SideKind::kImage && side.image == VK_NULL_HANDLE) return invalid(std::string(name) + ": null image");
  if (kind == SideKind::kBuffer && side.buffer == VK_NULL_HANDLE) return invalid(std::string(name) + ": null buffer");
  if (kind == SideKind::kBuffer && side.offset % 256 != 0) {
    return invalid(std::string(name) + ".offset: " + std::to_string(side.offset) + " is not a multiple of 256");
  }
  return {};
}

Result<void> check_resources(const Transform::Impl& t, const TransformResources& r) {
  Result<void> checked;
  if (t.sides.forward) checked = check_side(r.source, t.sides.source, "source");
  if (checked && t.sides.inverse) checked = check_side(r.target, t.sides.target, "target");
  if (!checked) return checked;
  if (r.spectrum.buffer == VK_NULL_HANDLE) return invalid("spectrum: null buffer");
  for (const auto& [range, name] : {std::pair(r.spectrum, "spectrum"), std::pair(r.scratch, "scratch")}) {
    if (range.offset % 256 != 0) {
      return invalid(std::string(name) + ".offset: " + std::to_string(range.offset) + " is not a multiple of 256");
    }
  }
  return {};
}

// Computes the layout of a source or target buffer, of which `used` texels of each slice are accessed.
Result<SideLayout> lay_out_side(const Device::Impl& device, const Side& side, Extent used, uint32_t slices,
                                Format format, const char* name) {
  if (side.row_stride != 0 && side.row_stride < used.width) {
    return invalid(std::string(name) + ".row_stride: " + std::to_string(side.row_stride) + " texels, but rows have " +
                   std::to_string(used.width));
  }
  const uint64_t row = side.row_stride != 0 ? side.row_stride : used.width;
  const uint64_t slice = side.slice_stride != 0 ? side.slice_stride : row * used.height;
  if (slices > 1 && slice < (used.height - 1) * row + used.width) {
    return invalid(std::string(name) + ".slice_stride: " + std::to_string(slice) + " texels, but slices have " +
                   std::to_string((used.height - 1) * row + used.width));
  }
  const uint64_t texels = (slices - 1) * slice + (used.height - 1) * row + used.width;
  const uint64_t limit = device.limits.maxStorageBufferRange;
  if (texels > limit / format_info(format).bytes_per_texel) {
    return unsupported(device, std::string(name) + ": " + std::to_string(texels) + " texels of " +
                                   std::string(format_info(format).name) + ", but buffers of the device have " +
                                   std::to_string(limit) + " bytes");
  }
  return SideLayout{{static_cast<uint32_t>(row), static_cast<uint32_t>(slice)},
                    texels * format_info(format).bytes_per_texel};
}

// Do both strides reach the same texels?
bool reach_same_texels(const BufferStrides& a, const BufferStrides& b, Extent used, uint32_t slices) {
  return (a.row == b.row || used.height == 1) && (a.slice == b.slice || slices == 1);
}

// Creates the view of a source or target that is an image. Lays out a buffer; if it has gaps, compiles a stage that
// takes the strides when it is recorded.
Result<void> bind_side(const TransformOptions& o, const Side& side, SideKind kind, bool source,
                       TransformBinding::Impl& binding, VkImageView& view) {
  const Format format = source ? o.source : o.target;
  if (kind == SideKind::kImage) {
    const auto usage = source ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT;
    return binding.objects.add_view(view_of_side(side, format, o.slices, usage), view);
  }
  const Transform::Impl& t = *binding.transform;
  const Extent used = used_texels(o, source);
  auto layout = lay_out_side(t.device.impl(), side, used, o.slices, format, source ? "source" : "target");
  if (!layout) return layout.error();
  (source ? binding.source_side : binding.target_side) = *layout;
  if (reach_same_texels(layout->strides, without_gaps(used), used, o.slices)) return {};
  KernelBatch batch(t.device);
  StageRequest request = stage_request(t, source ? Stage::kRowsForward : Stage::kRowsInverse);
  request.strides = {};
  auto stage = FourierStage::create(batch, request);
  if (!stage) return stage.error();
  (source ? binding.source_rows : binding.target_rows) = std::move(*stage);
  return batch.compile();
}

Result<void> create_sets(const TransformResources& r, TransformBinding::Impl& binding) {
  const Transform::Impl& t = *binding.transform;
  const TransformOptions& o = t.plan.plan.options;
  BindingObjects& objects = binding.objects;
  VkImageView source = VK_NULL_HANDLE, target = VK_NULL_HANDLE;
  BufferRange scratch = r.scratch;
  auto done =
      objects.add_buffer(t.plan.scratch_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, scratch.buffer, scratch.offset);
  if (done && t.sides.forward) done = bind_side(o, r.source, t.sides.source, true, binding, source);
  if (done && t.sides.inverse) done = bind_side(o, r.target, t.sides.target, false, binding, target);

  const ScratchSizes sizes = scratch_of(t);
  const VkDescriptorBufferInfo between{scratch.buffer, scratch.offset, sizes.between};
  const VkDescriptorBufferInfo spectrum{r.spectrum.buffer, r.spectrum.offset, t.plan.plan.spectrum_bytes};
  const VkDescriptorBufferInfo passes{scratch.buffer, scratch.offset + sizes.between, sizes.passes};
  if (done && !t.forward.empty()) {
    StageResources rows{.image = source, .image_layout = r.source.layout, .out = between, .scratch = passes};
    rows.side = {r.source.buffer, r.source.offset, binding.source_side.bytes};
    done = binding.rows_forward().create_sets(objects, rows, binding.sets[0]);
    const StageResources columns{.in = between, .out = spectrum, .scratch = passes};
    if (done) done = t.forward[1].create_sets(objects, columns, binding.sets[1]);
  }
  if (done && !t.inverse.empty()) {
    const StageResources columns{.in = spectrum, .out = between, .scratch = passes};
    done = t.inverse[0].create_sets(objects, columns, binding.sets[2]);
    StageResources rows{.image = target, .in = between, .scratch = passes};
    rows.side = {r.target.buffer, r.target.offset, binding.target_side.bytes};
    if (done) done = binding.rows_inverse().create_sets(objects, rows, binding.sets[3]);
  }
  return done;
}

}  // namespace

Result<void> check_tuning(const TransformTuning& tuning) {
  if (auto known = check_enumerators("tuning.technique", tuning.technique, "tuning.twiddles", tuning.twiddles); !known)
    return known.error();
  const bool classic = tuning.technique == FourierTechnique::kPingPong && tuning.most_radix == 2;
  if ((tuning.most_radix < 7 || tuning.most_radix > 16) && !classic) {
    return invalid("tuning.most_radix: " + std::to_string(tuning.most_radix) + " is not within 7 and 16");
  }
  const uint32_t values = tuning.values_per_invocation;
  if (values != 0 && values != 4 && values != 8 && values != 16) {
    return invalid("tuning.values_per_invocation: " + std::to_string(values) + " is none of 0, 4, 8 and 16");
  }
  if (tuning.lines_of_rows > 64) {
    return invalid("tuning.lines_of_rows: " + std::to_string(tuning.lines_of_rows) + " is more than 64");
  }
  if (tuning.lines_of_columns > 64) {
    return invalid("tuning.lines_of_columns: " + std::to_string(tuning.lines_of_columns) + " is more than 64");
  }
  return {};
}

Result<void> check_sides(const Device::Impl& device, const TransformOptions& o, const TransformSides& sides) {
  if (auto known = check_enumerators("sides.source", sides.source, "sides.target", sides.target); !known) return known;
  if (!sides.forward && !sides.inverse) return invalid("sides: neither forward nor inverse");
  if (sides.forward) {
    auto checked = sides.source == SideKind::kBuffer ? check_buffer_format(o.source, "source") : Result<void>();
    if (!checked) return checked;
  }
  if (sides.inverse) {
    auto checked = sides.target == SideKind::kBuffer ? check_buffer_format(o.target, "target") : Result<void>();
    if (!checked) return checked;
  }
  const auto refuse = [&](const char* field, Format format, const char* what) {
    return unsupported(device,
                       std::string(field) + ": " + std::string(format_info(format).name) + " cannot be " + what);
  };
  const auto has = [](const std::vector<Format>& formats, Format format) {
    return std::find(formats.begin(), formats.end(), format) != formats.end();
  };
  if (sides.forward && sides.source == SideKind::kImage && !has(device.info.sources, o.source)) {
    return refuse("source", o.source, "read");
  }
  if (sides.inverse && sides.target == SideKind::kImage && !has(device.info.targets, o.target)) {
    return refuse("target", o.target, "written");
  }
  return {};
}

ViewRequest view_of_side(const Side& side, Format format, uint32_t slices, VkImageUsageFlagBits usage) {
  return {side.image, format, side.level, side.slice, slices, static_cast<VkImageUsageFlags>(usage)};
}

TransformBinding::TransformBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TransformBinding::TransformBinding(TransformBinding&&) noexcept = default;
TransformBinding& TransformBinding::operator=(TransformBinding&&) noexcept = default;
TransformBinding::~TransformBinding() = default;

Result<Transform> create_transform(KernelBatch& batch, const TransformOptions& options, const TransformSides& sides,
                                   const TransformTuning& tuning) {
  const Device& device = batch.device();
  auto plan = plan_transform(options);
  if (!plan) return plan.error();
  auto impl = std::make_shared<Transform::Impl>(device);
  impl->sides = sides;
  impl->tuning = tuning;
  impl->plan.plan = *plan;
  Result<void> done = check_tuning(tuning);
  if (done) done = check_sides(device.impl(), plan->options, sides);
  if (done) done = check_buffer_range(device.impl(), *plan);
  if (done) done = create_stages(batch, *impl);
  if (!done) return done.error();
  const ScratchSizes scratch = scratch_of(*impl);
  impl->plan.scratch_bytes = scratch.between + scratch.passes;
  return Transform(std::move(impl));
}

Result<Transform> Transform::create(const Device& device, const TransformOptions& options, const TransformSides& sides,
                                    const TransformTuning& tuning) {
  KernelBatch batch(device);
  auto transform = create_transform(batch, options, sides, tuning);
  if (!transform) return transform.error();
  if (auto compiled = batch.compile(); !compiled) return compiled.error();
  return transform;
}

Result<TransformBinding> Transform::bind(const TransformResources& resources) const {
  if (auto checked = check_resources(*impl_, resources); !checked) return checked.error();
  auto binding = std::make_unique<TransformBinding::Impl>(impl_);
  if (auto created = create_sets(resources, *binding); !created) return created.error();
  return TransformBinding(std::move(binding));
}

void Transform::record_forward(VkCommandBuffer commands, const TransformBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass forward transform");
  const TransformBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.transform == impl_ && !impl_->forward.empty());
  b.rows_forward().record(commands, b.sets[0], b.source_side.strides);
  record_barrier(impl_->device.impl(), commands, kBetweenDispatches);
  impl_->forward[1].record(commands, b.sets[1]);
}

void Transform::record_inverse(VkCommandBuffer commands, const TransformBinding& binding) const {
  const CommandLabel label(impl_->device.impl(), commands, "onepass inverse transform");
  const TransformBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.transform == impl_ && !impl_->inverse.empty());
  impl_->inverse[0].record(commands, b.sets[2]);
  record_barrier(impl_->device.impl(), commands, kBetweenDispatches);
  b.rows_inverse().record(commands, b.sets[3], b.target_side.strides);
}

const TransformDispatchPlan& Transform::dispatch_plan() const { return impl_->plan; }

}  // namespace onepass::vulkan
