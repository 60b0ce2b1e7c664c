// vulkan_fused.cpp: a fused pass has three stages: rows forward, columns with the operation between both directions,
// rows inverse. A height that needs Bluestein's algorithm splits the middle one into forward, operation and inverse.
#include "fourier/vulkan_fused.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "vulkan/debug_names.hpp"

namespace onepass::vulkan {

using fourier::Stage;

namespace {

Result<void> check_range(const Device::Impl& device, uint64_t bytes) {
  if (bytes <= device.limits.maxStorageBufferRange) return {};
  return unsupported(device, "size: " + std::to_string(bytes) + " bytes, but buffers of the device have " +
                                 std::to_string(device.limits.maxStorageBufferRange));
}

bool works_on_planes(uint32_t operation) {
  return operation == ONEPASS_OPERATION_PLANES || operation == ONEPASS_OPERATION_PLANES_CONJUGATE;
}

// (2 sin(pi f))^2 of horizontal, then vertical frequencies: the sum of two is the Laplacian's spectrum.
std::vector<float> laplacian_of(Extent size) {
  std::vector<float> values;
  const auto add = [&](uint32_t k, uint32_t n) {
    const double s = 2 * std::sin(std::numbers::pi * frequency(k, n));
    values.push_back(static_cast<float>(s * s));
  };
  for (uint32_t kx = 0; kx < size.width / 2 + 1; ++kx) add(kx, size.width);
  for (uint32_t ky = 0; ky < size.height; ++ky) add(ky, size.height);
  return values;
}

}  // namespace

uint32_t stored_channels(uint32_t channels) { return channels == 3 ? 4 : channels; }

uint64_t float_bytes(Extent size, uint32_t channels, uint32_t slices) {
  return uint64_t{4} * size.width * size.height * stored_channels(channels) * slices;
}

Result<Buffer> upload_floats(const Device::Impl& device, std::span<const float> values) {
  auto buffer = Buffer::create(device, values.size_bytes(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true,
                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (buffer) std::memcpy(buffer->mapped, values.data(), values.size_bytes());
  return buffer;
}

namespace {

void copy_rows(const ImageView& from, const Buffer& to) {
  const uint64_t row = uint64_t{from.size.width} * format_info(from.format).bytes_per_texel;
  for (uint32_t y = 0; y < from.size.height; ++y) {
    std::memcpy(static_cast<std::byte*>(to.mapped) + y * row, from.row(y), row);
  }
}

Result<Buffer> create_weights(const Device::Impl& device, uint64_t bytes) {
  auto weights = Buffer::create(device, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true);
  if (weights) name_object(device, VK_OBJECT_TYPE_BUFFER, weights->buffer, "fourier kernel", "weights");
  return weights;
}

}  // namespace

Result<Buffer> upload_weights(const Device::Impl& device, const ImageView& weights) {
  auto buffer = create_weights(
      device, uint64_t{weights.size.width} * weights.size.height * format_info(weights.format).bytes_per_texel);
  if (buffer) copy_rows(weights, *buffer);
  return buffer;
}

OperationBinding::OperationBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OperationBinding::OperationBinding(OperationBinding&&) noexcept = default;
OperationBinding& OperationBinding::operator=(OperationBinding&&) noexcept = default;
OperationBinding::~OperationBinding() = default;

Result<void> check_image_formats(const Device::Impl& device, Format source, Format target) {
  return check_sides(device, {.source = source, .target = target}, {});
}

Result<std::unique_ptr<OperationBinding::Impl>> bind_images(const Device& device, const OperationImages& images,
                                                            const OperationShape& shape) {
  if (images.source.image == VK_NULL_HANDLE) return invalid("source: null image");
  if (images.target.image == VK_NULL_HANDLE) return invalid("target: null image");
  if (images.source.image == images.target.image && images.source.level == images.target.level) {
    return invalid("target.level: " + std::to_string(images.target.level) +
                   " would overwrite the source, the same level of the same image");
  }
  if (images.scratch.offset % 256 != 0) {
    return invalid("scratch.offset: " + std::to_string(images.scratch.offset) + " is not a multiple of 256");
  }
  auto binding = std::make_unique<OperationBinding::Impl>(device);
  BindingObjects& objects = binding->objects;
  auto done = objects.add_view(view_of_side(images.source, shape.source, shape.slices, VK_IMAGE_USAGE_SAMPLED_BIT),
                               binding->source.view);
  binding->source.layout = images.source.layout;
  if (done) {
    done = objects.add_view(view_of_side(images.target, shape.target, shape.slices, VK_IMAGE_USAGE_STORAGE_BIT),
                            binding->target);
  }
  binding->scratch = images.scratch;
  if (done) {
    done =
        objects.add_buffer(shape.scratch_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                           binding->scratch.buffer, binding->scratch.offset);
  }
  if (!done) return done.error();
  return binding;
}

Result<FusedPass> FusedPass::create(KernelBatch& batch, const FusedRequest& request) {
  const Device& device = batch.device();
  FusedPass out(device);
  auto plan = plan_transform(request.transform);
  if (!plan) return plan.error();
  out.plan_ = *plan;
  Result<void> done = check_tuning(request.tuning);
  if (done) done = check_sides(device.impl(), plan->options, {.source = request.source, .target = request.target});
  if (done) done = out.create_stages(batch, request);
  if (!done) return done.error();
  out.intermediate_in_ = aligned_range(fourier::intermediate_bytes(out.plan_, true));
  out.intermediate_out_ = aligned_range(fourier::intermediate_bytes(out.plan_, false));
  for (const FourierStage& stage : out.stages_) out.passes_ = std::max(out.passes_, stage.scratch_bytes());
  if (out.operate_) out.spectrum_ = aligned_range(out.plan_.spectrum_bytes);
  for (const uint64_t bytes : {out.intermediate_in_, out.intermediate_out_, out.spectrum_}) {
    if (done) done = check_range(device.impl(), bytes);
  }
  if (!done) return done.error();
  return out;
}

Result<void> FusedPass::create_stages(KernelBatch& batch, const FusedRequest& request) {
  // A smooth height: one stage transforms the columns, operates on them and transforms them back.
  const bool fused = next_smooth_size(plan_.options.size.height) == plan_.options.size.height;
  const auto add = [&](Stage stage, SideKind side, double scale) -> Result<void> {
    const LightPass light = stage == Stage::kRowsForward   ? request.light_in
                            : stage == Stage::kRowsInverse ? request.light_out
                                                           : LightPass{};
    const TransformOptions& o = plan_.options;
    const uint32_t width = stage == Stage::kRowsForward ? o.crop.width : o.result.width;
    const uint32_t height = stage == Stage::kRowsForward ? o.crop.height : o.result.height;
    auto created = FourierStage::create(batch, {.plan = &plan_,
                                                .stage = stage,
                                                .side = side,
                                                .tuning = request.tuning,
                                                .scale = static_cast<float>(scale),
                                                .operation = fused ? request.operation : ONEPASS_OPERATION_NONE,
                                                .join = !fused || works_on_planes(request.operation),
                                                .over = request.over && stage == Stage::kRowsInverse,
                                                .light = light,
                                                .strides = {width, width * height}});
    if (!created) return created.error();
    stage_plans_.push_back(created->layout().plan);
    stages_.push_back(std::move(*created));
    return {};
  };
  auto done = add(Stage::kRowsForward, request.source, plan_.forward_factor);
  if (fused) {
    if (done) done = add(Stage::kColumnsBoth, {}, 1);
  } else {
    if (done) done = add(Stage::kColumnsForward, {}, 1);
    if (done) done = add(Stage::kColumnsInverse, {}, 1);
    const StepRequest step{.kernel = "fourier_spectrum",
                           .constants = {ONEPASS_SPECTRUM_OPERATE, request.operation, plan_.spectrum_channels},
                           .buffers = 2,
                           .params_bytes = sizeof(fourier::SpectrumParams)};
    if (done) done = find_step(batch, step, operate_);
  }
  if (done) done = add(Stage::kRowsInverse, request.target, plan_.inverse_factor);
  return done;
}

uint32_t FusedPass::dispatches() const {
  uint32_t count = operate_ ? 1 : 0;
  for (const StagePlan& stage : stage_plans_) count += stage.dispatches;
  return count;
}

Result<void> FusedPass::create_sets(BindingObjects& objects, const FusedResources& resources, FusedSets& sets) const {
  uint64_t at = resources.scratch.offset;
  const auto part = [&](uint64_t bytes) -> VkDescriptorBufferInfo {
    if (bytes == 0) return {};
    const VkDescriptorBufferInfo range{resources.scratch.buffer, at, bytes};
    at += bytes;
    return range;
  };
  const VkDescriptorBufferInfo in = part(intermediate_in_);
  const VkDescriptorBufferInfo result = part(intermediate_out_);
  const VkDescriptorBufferInfo passes = part(passes_);
  const VkDescriptorBufferInfo spectrum = part(spectrum_);

  StageResources rows{.side = resources.source_buffer, .out = in, .scratch = passes};
  rows.image = resources.source.view;
  rows.image_layout = resources.source.layout;
  auto done = stages_.front().create_sets(objects, rows, sets.stages[0]);
  if (operate_) {
    const StageResources there{.in = in, .out = spectrum, .scratch = passes};
    if (done) done = stages_[1].create_sets(objects, there, sets.stages[1]);
    const StageResources back{.in = spectrum, .out = result, .scratch = passes};
    if (done) done = stages_[2].create_sets(objects, back, sets.stages[2]);
    if (done) done = add_step_set(objects, operate_, {.buffers = {spectrum, resources.operand}}, sets.operation);
  } else {
    const StageResources both{.in = in, .out = result, .scratch = passes, .operand = resources.operand};
    if (done) done = stages_[1].create_sets(objects, both, sets.stages[1]);
  }
  StageResources back{.side = resources.target_buffer, .in = result, .scratch = passes};
  back.image = resources.target;
  back.over = resources.source.view;
  back.over_layout = resources.source.layout;
  if (done) done = stages_.back().create_sets(objects, back, sets.stages[3]);
  return done;
}

void FusedPass::record(VkCommandBuffer commands, const FusedSets& sets) const {
  const auto then = [&] { record_barrier(device_.impl(), commands, kBetweenDispatches); };
  const TransformOptions& o = plan_.options;
  stages_.front().record(commands, sets.stages[0]);
  then();
  stages_[1].record(commands, sets.stages[1]);
  then();
  if (operate_) {
    const auto count = static_cast<uint32_t>(plan_.spectrum_bytes / 8);
    const fourier::SpectrumParams params{{o.size.width, o.size.height}, count, 0, 0};
    operate_->record(commands, sets.operation, params, groups_for(count, ONEPASS_FOURIER_STEP_GROUP));
    then();
    stages_[2].record(commands, sets.stages[2]);
    then();
  }
  stages_.back().record(commands, sets.stages[3]);
}

Result<DeviceKernel> DeviceKernel::create(KernelBatch& batch, const TransformOptions& options,
                                          const TransformTuning& tuning, const Finish& finish,
                                          std::shared_ptr<const Buffer> weights) {
  const Device& device = batch.device();
  auto transform =
      create_transform(batch, options, {.source = SideKind::kBuffer, .forward = true, .inverse = false}, tuning);
  if (!transform) return transform.error();
  DeviceKernel out(device, std::move(*transform));
  const TransformPlan& plan = out.transform_.plan();
  const Extent size{plan.options.crop.width, plan.options.crop.height};
  const uint64_t weight_bytes = float_bytes(size, plan.options.channels, 1);
  if (weights == nullptr) {
    auto own = create_weights(device.impl(), weight_bytes);
    if (!own) return own.error();
    out.weights_ = std::make_shared<Buffer>(std::move(*own));
  } else {
    ONEPASS_ASSERT(weights->size == weight_bytes);
    out.weights_ = std::move(weights);
    out.is_set_ = true;
  }
  auto spectrum = Buffer::create(device.impl(), plan.spectrum_bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, false);
  if (!spectrum) return spectrum.error();
  out.spectrum_ = std::move(*spectrum);
  name_object(device.impl(), VK_OBJECT_TYPE_BUFFER, out.spectrum_.buffer, "fourier kernel", "spectrum");
  auto binding =
      out.transform_.bind({.source = {.buffer = out.weights_->buffer}, .spectrum = {.buffer = out.spectrum_.buffer}});
  if (!binding) return binding.error();
  out.binding_ = std::move(*binding);
  if (finish.step != ONEPASS_SPECTRUM_OPERATE) {
    if (auto created = out.create_finish(batch, finish); !created) return created.error();
  }
  return out;
}

Result<void> DeviceKernel::create_finish(KernelBatch& batch, const Finish& finish) {
  const TransformPlan& plan = transform_.plan();
  auto laplacian = upload_floats(device_.impl(), laplacian_of(plan.options.size));
  if (!laplacian) return laplacian.error();
  laplacian_ = std::move(*laplacian);
  const StepRequest step{.kernel = "fourier_spectrum",
                         .constants = {finish.step, ONEPASS_OPERATION_NONE, plan.spectrum_channels},
                         .buffers = 2,
                         .params_bytes = sizeof(fourier::SpectrumParams)};
  finish_params_ = {{plan.options.size.width, plan.options.size.height},
                    static_cast<uint32_t>(plan.spectrum_bytes / 8),
                    finish.amount,
                    finish.flat_prior ? 1U : 0U};
  if (auto found = find_step(batch, step, finish_); !found) return found;
  return add_step_set(objects_, finish_, {.buffers = {spectrum(), {laplacian_.buffer, 0, VK_WHOLE_SIZE}}}, finish_set_);
}

void DeviceKernel::set(const ImageView& weights) {
  copy_rows(weights, *weights_);
  is_set_ = true;
}

void DeviceKernel::record(VkCommandBuffer commands) const {
  transform_.record_forward(commands, *binding_);
  record_barrier(device_.impl(), commands, kBetweenDispatches);
  if (!finish_) return;
  finish_->record(commands, finish_set_, finish_params_, groups_for(finish_params_.count, ONEPASS_FOURIER_STEP_GROUP));
  record_barrier(device_.impl(), commands, kBetweenDispatches);
}

}  // namespace onepass::vulkan
