// vulkan_stage.cpp: one stage of a transform, one axis in one direction, on a device: pipelines, tables, descriptors,
// dispatches.
#include <algorithm>
#include <cstring>
#include <string>

#include "fourier/domain.hpp"
#include "fourier/kernel_names.hpp"
#include "fourier/tables.hpp"
#include "fourier/vulkan_impl.hpp"
#include "image/div_up.hpp"
#include "vulkan/debug_names.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {
namespace {

using fourier::FourierParams;
using fourier::LineLayout;
using fourier::Stage;
using fourier::StageLayout;

constexpr uint32_t kPingPongGroup = 64;
constexpr uint32_t kBoundaryNone = 4;  // BOUNDARY_NONE of the shader

enum BindingIndex : uint32_t { kSource = 0, kTarget = 1, kIn = 2, kOut = 3, kTables = 4, kOperand = 7 };

/// The part of the specialization constants that says where lines are.
struct Geometry {
  uint32_t size[2], crop_at[2], crop_size[2];
  int32_t placement[2];
  uint32_t result_at[2], result_size[2];
  uint32_t visible_rows[2];
  uint32_t shift[2], stride[2], slice_stride;
  uint32_t lines;
  uint32_t row_stride, image_stride;
};

/// Specialization constants in the order of their ids: src/fourier/fourier_constants.glsl.
struct Constants {
  uint32_t group, lanes, lines, length, passes;
  uint32_t radices[ONEPASS_FOURIER_MOST_PASSES];
  VkBool32 join, pad;
  uint32_t shared;
  VkBool32 computed;
  uint32_t kind, channels;
  VkBool32 half;
  uint32_t boundary, source_channels;
  VkBool32 source_half;
  uint32_t target_channels, target_kind;
  VkBool32 target_srgb;
  uint32_t axis, operation, radix;
  VkBool32 whole, centred;
  float scale;
  uint32_t steps;
  VkBool32 even, pack_half_rounds_to_nearest;
  uint32_t texel_bytes;
  uint32_t light;
  VkBool32 inverse;
  VkBool32 whole_values;
  Geometry geometry;
};

// What dispatch i of a stage does.
struct Dispatch {
  uint32_t pass = 0;    // whose radix it has
  uint32_t steps = 0;   // STEPS: ONEPASS_FOURIER_FIRST...
  bool copies = false;  // ping-pong: the first, the last, and an operation on the spectrum
};

Dispatch ping_pong_dispatch(const StageLayout& layout, uint32_t i) {
  const StagePlan& plan = layout.plan;
  const bool joins = layout.stage == Stage::kColumnsBoth && layout.join;
  if (i == 0) return {.steps = ONEPASS_FOURIER_FIRST, .copies = true};
  if (i + 1 == plan.dispatches) return {.steps = ONEPASS_FOURIER_LAST, .copies = true};
  if (i <= plan.passes) {
    const bool convolves = i == plan.passes && plan.length != plan.transform_length;
    return {.pass = i - 1, .steps = convolves ? ONEPASS_FOURIER_CONVOLVE : 0};
  }
  if (layout.stage != Stage::kColumnsBoth) return {.pass = i - 1 - plan.passes};
  if (i > plan.passes + 1) return {.pass = i - 2 - plan.passes};
  return {.steps = ONEPASS_FOURIER_OPERATE | (joins ? ONEPASS_FOURIER_REJOIN : 0), .copies = true};
}

Dispatch dispatch_of(const StageLayout& layout, uint32_t i) {
  const StagePlan& plan = layout.plan;
  if (plan.technique == FourierTechnique::kSharedMemory) return {};
  if (plan.technique == FourierTechnique::kPingPong) return ping_pong_dispatch(layout, i);
  uint32_t steps = 0;
  if (i == 0) steps |= ONEPASS_FOURIER_FIRST;
  if (i + 1 == plan.dispatches) steps |= ONEPASS_FOURIER_LAST;
  if (i + 1 == plan.passes && plan.dispatches > plan.passes) {
    steps |= plan.length != plan.transform_length ? ONEPASS_FOURIER_CONVOLVE : ONEPASS_FOURIER_OPERATE;
  }
  if (i == plan.passes && layout.stage == Stage::kColumnsBoth && layout.join) steps |= ONEPASS_FOURIER_REJOIN;
  return {.pass = i % plan.passes, .steps = steps};
}

Geometry make_geometry(const StageRequest& request) {
  const TransformPlan& plan = *request.plan;
  const TransformOptions& o = plan.options;
  const bool centred = o.origin == SpectrumOrigin::kCentre;
  const bool rows = o.order == SpectrumOrder::kRows;
  const VisibleTexels seen = visible_texels(o.size.height, o.crop.height, o.placement.y, o.boundary);
  return {.size = {o.size.width, o.size.height},
          .crop_at = {o.crop.x, o.crop.y},
          .crop_size = {o.crop.width, o.crop.height},
          .placement = {o.placement.x, o.placement.y},
          .result_at = {o.result.x, o.result.y},
          .result_size = {o.result.width, o.result.height},
          .visible_rows = {seen.begin, seen.end},
          .shift = {centred && o.signal == Signal::kComplex ? o.size.width / 2 : 0, centred ? o.size.height / 2 : 0},
          .stride = {rows ? 1 : plan.spectrum_size.height, rows ? plan.spectrum_size.width : 1},
          .slice_stride = plan.spectrum_size.width * plan.spectrum_size.height,
          .lines = 0,
          .row_stride = request.strides.row,
          .image_stride = request.strides.slice};
}

// The factor of a stage's results. Separating real signals doubles them.
float scale_of(const StageRequest& request, const StageLayout& layout) {
  const bool doubled = request.stage == Stage::kColumnsForward || request.stage == Stage::kColumnsBoth;
  return doubled && (layout.join || layout.kind == ONEPASS_FOURIER_ROWS) ? request.scale / 2 : request.scale;
}

// The constants that all dispatches of a stage share.
Constants make_constants(const StageRequest& request, const StageLayout& layout) {
  const TransformOptions& o = request.plan->options;
  const FormatInfo& source = format_info(o.source);
  const FormatInfo& target = format_info(o.target);
  const StagePlan& plan = layout.plan;
  const bool whole = plan.axis == Axis::kX ? o.crop.width == o.size.width && o.placement.x == 0
                                           : o.crop.height == o.size.height && o.placement.y == 0;
  return {.group = kPingPongGroup,
          .lanes = 1,
          .lines = 1,
          .length = plan.transform_length,
          .passes = plan.passes,
          .radices = {1, 1, 1, 1, 1},
          .join = layout.join,
          .pad = VK_FALSE,
          .shared = 1,
          .computed = request.tuning.twiddles == Twiddles::kComputed,
          .kind = layout.kind,
          .channels = request.plan->spectrum_channels,
          .half = o.precision == SpectrumPrecision::kHalf,
          .boundary = whole ? kBoundaryNone : static_cast<uint32_t>(o.boundary),
          .source_channels = source.channels,
          .source_half = source.type == ChannelType::kFloat && source.bytes_per_texel == 2 * source.channels,
          .target_channels = target.channels,
          .target_kind = target_kind(target),
          .target_srgb = target.type == ChannelType::kSrgb,
          .axis = plan.length,
          .operation = request.operation,
          .radix = 1,
          .whole = plan.axis == Axis::kX ? o.result.width == o.size.width : o.result.height == o.size.height,
          .centred = o.origin == SpectrumOrigin::kCentre,
          .scale = scale_of(request, layout),
          .steps = 0,
          .even = VK_FALSE,
          .pack_half_rounds_to_nearest = VK_FALSE,
          .texel_bytes = request.stage == Stage::kRowsForward ? source.bytes_per_texel : target.bytes_per_texel,
          .light = request.light.mode,
          .inverse = request.stage == Stage::kColumnsInverse || request.stage == Stage::kRowsInverse,
          .whole_values = VK_FALSE,
          .geometry = make_geometry(request)};
}

void set_line(const LineLayout& line, Constants& c) {
  c.group = line.lanes * line.lines;
  c.lanes = line.lanes;
  c.lines = line.lines;
  c.passes = line.passes;
  std::copy(line.radices.begin(), line.radices.end(), c.radices);
  c.pad = line.pad;
  c.shared = line.shared_floats;
  c.whole_values = line.whole;
}

// At most four storage buffers, as many as every device has. The tables come first, so that they fill the bindings that
// a dispatch does not use.
std::vector<KernelBinding> bindings_of(const StageRequest& request) {
  const bool buffer = request.side == SideKind::kBuffer;
  std::vector<KernelBinding> bindings = {{kTables}, {kIn}, {kOut}};
  if (request.stage == Stage::kColumnsBoth || request.counted) bindings.push_back({kOperand});
  if (request.over) bindings.push_back({kSource, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER});
  if (request.stage == Stage::kRowsForward) {
    bindings.push_back(
        {kSource, buffer ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER});
  }
  if (request.stage == Stage::kRowsInverse) {
    bindings.push_back(buffer ? KernelBinding{kSource, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}
                              : KernelBinding{kTarget, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE});
  }
  return bindings;
}

Result<std::shared_ptr<Buffer>> upload_tables(const Device::Impl& device, const StagePlan& plan) {
  const std::vector<float> table = fourier::make_tables(plan.length, plan.transform_length);
  auto buffer = Buffer::create(device, table.size() * sizeof(float), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true,
                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!buffer) return buffer.error();
  std::memcpy(buffer->mapped, table.data(), table.size() * sizeof(float));
  name_object(device, VK_OBJECT_TYPE_BUFFER, buffer->buffer, "fourier", "tables");
  return std::make_shared<Buffer>(std::move(*buffer));
}

}  // namespace

Result<FourierStage> FourierStage::create(KernelBatch& batch, const StageRequest& request) {
  // Rows of tunings are measured without operations between the two directions.
  if (request.stage == Stage::kColumnsBoth) return create_resolved(batch, request, request.tuning);
  return create_tuned(batch.device().impl(), request.tuning, tuning_case(request.plan->options),
                      [&](const TransformTuning& tuning) { return create_resolved(batch, request, tuning); });
}

Result<FourierStage> FourierStage::create_resolved(KernelBatch& batch, const StageRequest& request,
                                                   const TransformTuning& tuning) {
  const Device& device = batch.device();
  FourierStage out(device);
  const VkPhysicalDeviceLimits& limits = device.impl().limits;
  out.layout_ = fourier::plan_stage(
      *request.plan, {.stage = request.stage, .join = request.join},
      {.technique = tuning.technique,
       .most_radix = tuning.most_radix,
       .values_per_invocation = tuning.values_per_invocation,
       .lines_of_rows = tuning.lines_of_rows,
       .lines_of_columns = tuning.lines_of_columns},
      {.invocations = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]),
       .shared_bytes = limits.maxComputeSharedMemorySize,
       .groups = limits.maxComputeWorkGroupCount[0],
       .shuffles = (device.impl().subgroup_operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0 &&
                   device.info().subgroup_size >= 2,
       .whole_lines = device.impl().driver.compiles_whole_lines,
       .filling_groups = filling_groups(device.impl())});
  out.light_ = request.light;
  out.side_ = request.side;
  out.slices_ = request.plan->options.slices;
  const bool shared = out.layout_.plan.technique == FourierTechnique::kSharedMemory;
  if ((!shared && out.lines_of_passes() > limits.maxComputeWorkGroupCount[1]) ||
      out.slices_ > limits.maxComputeWorkGroupCount[shared ? 1 : 2]) {
    return unsupported(device.impl(), "size: " + std::to_string(out.lines_of_passes()) + " lines of " +
                                          std::to_string(out.slices_) +
                                          " slices are more workgroups than the device has");
  }
  if (out.pass_bytes() > limits.maxStorageBufferRange) {
    return unsupported(device.impl(), "size: " + std::to_string(out.pass_bytes()) +
                                          " bytes between two passes, but buffers of the device have " +
                                          std::to_string(limits.maxStorageBufferRange));
  }
  if (auto found = out.find_kernels(batch, request); !found) return found.error();
  if (auto created = out.create_tables(); !created) return created.error();
  return out;
}

Result<void> FourierStage::find_kernels(KernelBatch& batch, const StageRequest& request) {
  const Device::Impl& device = device_.impl();
  const StagePlan& plan = layout_.plan;
  const std::vector<KernelBinding> bindings = bindings_of(request);
  const std::string name =
      fourier::stage_kernel_name(layout_, {.buffer = request.side == SideKind::kBuffer, .over = request.over});
  Constants constants = make_constants(request, layout_);
  constants.pack_half_rounds_to_nearest = device.driver.half_rounds_to_nearest;
  const bool ping_pong = plan.technique == FourierTechnique::kPingPong;
  for (uint32_t i = 0; i < plan.dispatches; ++i) {
    const Dispatch dispatch = dispatch_of(layout_, i);
    if (!ping_pong) set_line(layout_.lines[dispatch.pass], constants);
    if (plan.technique == FourierTechnique::kSharedMemory) constants.even = layout_.line_count % plan.lines == 0;
    if (plan.technique != FourierTechnique::kSharedMemory) {
      constants.radix = dispatch.copies ? 1 : plan.radices[dispatch.pass];
      constants.steps = dispatch.steps;
    }
    const bool passes = ping_pong && !dispatch.copies;
    constants.geometry.lines = passes ? lines_of_passes() : layout_.line_count;
    auto kernel = batch.find({.set = kFourierKernels,
                              .kernel = passes ? fourier::kPingPongPassKernel : name,
                              .constants = constants_of(constants),
                              .bindings = bindings,
                              .params_bytes = sizeof(FourierParams)});
    if (!kernel) return kernel.error();
    kernels_.push_back(std::move(*kernel));
  }
  return {};
}

Result<void> FourierStage::create_tables() {
  const Device::Impl& device = device_.impl();
  const StagePlan& plan = layout_.plan;
  const std::string key = "fourier tables " + std::to_string(plan.length) + ' ' + std::to_string(plan.transform_length);
  auto tables = device.shared->get<Buffer>(key, [&] { return upload_tables(device, plan); });
  if (!tables) return tables.error();
  tables_ = std::move(*tables);
  return {};
}

uint32_t FourierStage::lines_of_passes() const {
  return layout_.plan.technique == FourierTechnique::kPingPong ? layout_.signals * layout_.line_count
                                                               : layout_.line_count;
}

uint64_t FourierStage::pass_bytes() const {
  if (layout_.plan.dispatches == 1) return 0;
  return aligned_range(uint64_t{8} * layout_.signals * layout_.plan.transform_length * layout_.line_count * slices_);
}

uint64_t FourierStage::scratch_bytes() const { return (layout_.plan.dispatches > 2 ? 2 : 1) * pass_bytes(); }

uint32_t FourierStage::set_of(uint32_t dispatch) const {
  if (dispatch == 0) return 0;
  return dispatch + 1 == layout_.plan.dispatches ? set_count() - 1 : 1 + (dispatch - 1) % 2;
}

Result<void> FourierStage::create_sets(BindingObjects& objects, const StageResources& resources,
                                       StageSets& sets) const {
  const auto scratch = [&](uint32_t k) -> VkDescriptorBufferInfo {
    return {resources.scratch.buffer, resources.scratch.offset + k * pass_bytes(), pass_bytes()};
  };
  const bool reads_side = layout_.stage == Stage::kRowsForward || side_ == SideKind::kBuffer;
  const uint32_t side = reads_side ? kSource : kTarget;
  const uint32_t last = layout_.plan.dispatches - 1;
  Result<void> done;
  for (uint32_t i = 0; i < set_count() && done; ++i) {
    const uint32_t dispatch = i + 1 == set_count() ? last : i;  // one of those that use the set
    done = objects.add_set(*kernels_[0],
                           {{kTables, {tables_->buffer, 0, VK_WHOLE_SIZE}},
                            {side, resources.image, resources.image_layout},
                            {side, resources.side},
                            {kSource, resources.over, resources.over_layout},
                            {kIn, dispatch == 0 ? resources.in : scratch((dispatch - 1) % 2)},
                            {kOut, dispatch == last ? resources.out : scratch(dispatch % 2)},
                            {kOperand, resources.operand}},
                           sets.sets[i]);
  }
  return done;
}

void FourierStage::record(VkCommandBuffer commands, const StageSets& sets, const BufferStrides& strides) const {
  FourierParams params = {.row_stride = strides.row,
                          .image_stride = strides.slice,
                          .before = 1,
                          .threshold = light_.threshold,
                          .knee = light_.knee,
                          .scatter = light_.scatter};
  const StagePlan& plan = layout_.plan;
  if (plan.technique == FourierTechnique::kSharedMemory) {
    kernels_[0]->record(commands, sets.sets[0], params, {div_up(layout_.line_count, plan.lines), slices_, 1});
    return;
  }
  for (uint32_t i = 0; i < plan.dispatches; ++i) {
    if (i != 0) record_barrier(device_.impl(), commands, kBetweenDispatches);
    const Dispatch dispatch = dispatch_of(layout_, i);
    if (dispatch.copies) {
      kernels_[i]->record(commands, sets.sets[set_of(i)], params,
                          {div_up(plan.transform_length, kPingPongGroup), layout_.line_count, slices_});
      continue;
    }
    if (dispatch.pass == 0) params.before = 1;
    // Bluestein with four-step: the third dispatch is the second pass of an inverse with the radices in reverse order.
    if (plan.technique == FourierTechnique::kFourStep && plan.dispatches == 3 && i == 2)
      params.before = plan.radices[1];
    const uint32_t butterflies = plan.transform_length / plan.radices[dispatch.pass];
    const bool four_step = plan.technique == FourierTechnique::kFourStep;
    const uint32_t group = four_step ? layout_.lines[dispatch.pass].lines : kPingPongGroup;
    kernels_[i]->record(commands, sets.sets[set_of(i)], params,
                        {div_up(butterflies, group), lines_of_passes(), slices_});
    params.before *= plan.radices[dispatch.pass];
  }
}

}  // namespace onepass::vulkan
