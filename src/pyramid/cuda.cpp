// cuda.cpp: the CUDA engine of the pyramid: kernels at creation, addresses at binding, launches at recording.
//
// Stages, tiles and scratch memory are those of the Vulkan engine's single dispatch (dispatch_plan.cpp); the kernel is
// pyramid.cu, whose constants depend on formats, reduction and stages.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "image/error.hpp"
#include "pyramid/cuda_impl.hpp"
#include "pyramid/stage_constants.hpp"

namespace onepass::cuda {
namespace {

using pyramid::ChainDispatch;
using pyramid::DispatchLayout;
using pyramid::StageConstants;

constexpr uint32_t kWarp = 32;

// Values of the MODE_ macros in pyramid_options.glsl.
enum TexelMode : uint32_t { kModePlain = 0, kModeWeightedAlpha = 1, kModeNormalMap = 2 };

/// Constants in the order of their numbers in pyramid_cuda_params.h.
struct PyramidConstants {
  FormatConstants formats;
  uint32_t reduction, footprint, texel_mode;
  uint32_t stage_count, stage_firsts, stage_depths, stage_kinds;
  uint32_t window_pairs, stages, block_size, base_remainders, delay;
};
constexpr size_t kConstants = CONSTANT_DELAY + 1;
static_assert(sizeof(PyramidConstants) == kConstants * 4);
static_assert(offsetof(PyramidConstants, reduction) == CONSTANT_REDUCTION * 4 &&
              offsetof(PyramidConstants, stage_count) == CONSTANT_STAGE_COUNT * 4);

// ---- Kernels

PyramidConstants make_constants(const DispatchLayout& layout, const Stored& source, const Stored& target,
                                const PyramidTestTuning& test) {
  const PyramidOptions& options = layout.options;
  PyramidConstants constants{};
  constants.reduction = static_cast<uint32_t>(options.reduction);
  constants.texel_mode = options.alpha == Alpha::kWeighted       ? kModeWeightedAlpha
                         : options.normal_map != NormalMap::kOff ? kModeNormalMap
                                                                 : kModePlain;
  // Transformed texels need 0 to 1.
  constants.formats =
      make_format_constants(source, target, constants.texel_mode == kModePlain ? Working::kIntegers : Working::kUnits);
  constants.window_pairs = source.step >= 8 ? 1 : 0;
  constants.delay = test.delay;
  return constants;
}

PyramidConstants with_stages(PyramidConstants constants, const StageConstants& stages) {
  constants.footprint = stages.footprint;
  constants.stage_count = stages.stage_count;
  constants.stage_firsts = stages.stage_firsts;
  constants.stage_depths = stages.stage_depths;
  constants.stage_kinds = stages.stage_kinds;
  constants.stages = stages.stages;
  constants.block_size = stages.workgroup_size;
  constants.base_remainders = stages.base_remainders;
  return constants;
}

// The variant for stages of `kinds`; `tail` is that of sliding windows.
std::string variant(const Pyramid::Impl& impl, pyramid::StageKinds kinds, const char* window_tail) {
  const DispatchLayout& layout = impl.layout;
  const bool by_channel = impl.source.load == 0 || impl.target.load == 0;
  const std::string plain = "cuda_pyramid_" + std::to_string(layout.components) + (by_channel ? "_channels" : "");
  if (kinds == pyramid::kTwoToOneStages) return plain + "_two_to_one";
  if (kinds == pyramid::kWindowStages && window_tail != nullptr) return plain + window_tail;
  return plain;
}

Result<std::shared_ptr<const Kernel>> find(const Device& device, const std::string& name,
                                           const PyramidConstants& constants) {
  return Kernel::find(device, kCudaPyramidKernels, name, std::bit_cast<std::array<uint32_t, kConstants>>(constants));
}

Result<void> find_kernels(Pyramid::Impl& impl, const PyramidTestTuning& test) {
  const DispatchLayout& layout = impl.layout;
  const PyramidConstants constants = make_constants(layout, impl.source, impl.target, test);
  if (!layout.splits) {
    auto chain = find(impl.device, variant(impl, layout.kinds(), nullptr),
                      with_stages(constants, pyramid::chain_constants(layout, true)));
    if (!chain) return chain.error();
    impl.chain = std::move(*chain);
    return {};
  }
  auto base = find(impl.device, variant(impl, layout.base_kind, "_window_base"),
                   with_stages(constants, pyramid::base_constants(layout, true)));
  if (!base) return base.error();
  auto later = find(impl.device, variant(impl, layout.later_kinds, "_window_later"),
                    with_stages(constants, pyramid::later_constants(layout, true)));
  if (!later) return later.error();
  impl.chain = std::move(*base);
  impl.later = std::move(*later);
  return {};
}

// ---- Options

Result<void> check_supported(const PyramidOptions& options) {
  const std::string other = ": the CUDA engine has none";
  if (options.footprint == Footprint::kTight) return unsupported("footprint: tight" + other);
  if (options.alpha == Alpha::kCoverage) return unsupported("alpha: coverage" + other);
  if (options.filter.kind != MipFilter::kBox) {
    return unsupported("filter.kind: " + std::string(word_of(options.filter.kind)) + other);
  }
  if (auto checked = check_one_sample(options.samples); !checked) return checked;
  return check_slices(options.slices);
}

// Bytes of the caller's formats in a plan for formats with alpha.
void correct_traffic(PyramidDispatchPlan& plan, const PyramidOptions& options) {
  const auto correct = [](uint64_t& planned, uint64_t& all, Format format) {
    const uint64_t bytes = real_bytes(planned, format);
    all -= planned - bytes;
    planned = bytes;
  };
  correct(plan.plan.bytes_read, plan.bytes_read, options.source);
  correct(plan.plan.bytes_written, plan.bytes_written, options.target);
}

// ---- Images

Result<void> set_images(const Pyramid::Impl& pyramid, const PyramidImages& images, PyramidParameters& parameters) {
  const PyramidOptions& options = pyramid.layout.options;
  const PyramidPlan& plan = pyramid.layout.plan.plan;
  auto source = make_rows("source", images.source, pyramid.source, {options.size, options.slices});
  if (!source) return source.error();
  parameters.source = *source;
  if (images.levels.size() != plan.levels - 1) {
    return invalid("levels: " + std::to_string(images.levels.size()) + " images, but the pyramid makes " +
                   std::to_string(plan.levels - 1) + " levels");
  }
  for (size_t i = 0; i < images.levels.size(); ++i) {
    auto level = make_rows("levels[" + std::to_string(i) + "]", images.levels[i], pyramid.target,
                           {plan.sizes[i + 1], options.slices});
    if (!level) return level.error();
    parameters.levels[i] = *level;
  }
  return {};
}

std::array<uint32_t, 3> groups_of(const ChainDispatch& dispatch) {
  return {dispatch.groups.x, dispatch.groups.y, dispatch.groups.z};
}

}  // namespace

Result<Pyramid> create_pyramid(const Device& device, const PyramidOptions& options, const ImageMemory& memory,
                               const PyramidTuning& tuning, const PyramidTestTuning& test) {
  if (auto checked = check_supported(options); !checked) return checked.error();
  auto layout = pyramid::lay_out(
      with_alpha(options), {.path = PyramidPath::kSingleDispatch,
                            .stage_depth = test.stage_depth,
                            .tiles_per_workgroup = 0,
                            .subgroup_size = kWarp,
                            // Started blocks make progress: NVIDIA, "CUDA C++ Programming
                            // Guide". Relaxed stores become visible in finite time.
                            .publishes = test.publishes,
                            .last_to_start = test.last_to_start,
                            .may_split = tuning.launches != Launches::kOne && options.footprint == Footprint::kCovering,
                            .shares_pipelines = true});
  if (!layout) return layout.error();
  auto source = describe_stored("source", options.source, memory.source);
  if (!source) return source.error();
  auto target = describe_stored("target", options.target, memory.target);
  if (!target) return target.error();
  auto impl = std::make_shared<Pyramid::Impl>(device);
  impl->options = options;
  impl->layout = std::move(*layout);
  impl->source = std::move(*source);
  impl->target = std::move(*target);
  correct_traffic(impl->layout.plan, options);
  if (impl->layout.params.last_level > 0) {
    if (auto found = find_kernels(*impl, test); !found) return found.error();
  }
  return Pyramid(std::move(impl));
}

Result<Pyramid> Pyramid::create(const Device& device, const PyramidOptions& options, const ImageMemory& memory,
                                const PyramidTuning& tuning) {
  return create_pyramid(device, options, memory, tuning, {});
}

const PyramidDispatchPlan& Pyramid::dispatch_plan() const { return impl_->layout.plan; }
const PyramidOptions& Pyramid::options() const { return impl_->options; }

PyramidBinding::PyramidBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PyramidBinding::PyramidBinding(PyramidBinding&&) noexcept = default;
PyramidBinding& PyramidBinding::operator=(PyramidBinding&&) noexcept = default;
PyramidBinding::~PyramidBinding() = default;

Result<PyramidBinding> Pyramid::bind(const PyramidImages& images) const {
  auto binding = std::make_unique<PyramidBinding::Impl>(impl_);
  if (auto done = set_images(*impl_, images, binding->parameters); !done) return done.error();
  const DispatchLayout& layout = impl_->layout;
  binding->scratch = reinterpret_cast<DeviceAddress>(images.scratch);
  if (auto checked = check_address("scratch", images.scratch, kAlign); !checked) return checked.error();
  if (images.scratch == nullptr) {
    auto own = OwnMemory::create_clear(impl_->device, layout.plan.scratch_bytes);
    if (!own) return own.error();
    binding->scratch = own->address();
    binding->own_scratch = std::move(*own);
  }
  binding->parameters.counters = binding->scratch;
  binding->parameters.kept = binding->scratch + layout.intermediate_offset;
  binding->parameters.mailbox = binding->parameters.kept + layout.intermediate_bytes;
  return PyramidBinding(std::move(binding));
}

Result<void> Pyramid::record_reset(Stream stream, const PyramidBinding& binding) const {
  const PyramidBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.pyramid == impl_);
  const Device::Impl& device = impl_->device.impl();
  const CurrentContext current(device);
  if (auto checked = device.check("cuCtxPushCurrent", current.status()); !checked) return checked;
  // Counters and mailbox: intermediate levels, which are large where there is no mailbox, are written before they are
  // read.
  const DispatchLayout& layout = impl_->layout;
  const size_t bytes = layout.mailbox_bytes != 0 ? layout.plan.scratch_bytes : layout.intermediate_offset;
  return device.check("cuMemsetD8Async", device.driver.memory_clear_async(b.scratch, 0, bytes, stream));
}

Result<void> Pyramid::record(Stream stream, const PyramidBinding& binding) const {
  const PyramidBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.pyramid == impl_);
  if (impl_->chain == nullptr) return {};
  const Device::Impl& device = impl_->device.impl();
  const CurrentContext current(device);
  if (auto checked = device.check("cuCtxPushCurrent", current.status()); !checked) return checked;
  PyramidParameters parameters = b.parameters;
  const ChainDispatch first = pyramid::chain_dispatch(impl_->layout, 0, std::nullopt, true);
  parameters.params = first.params;
  const int status = impl_->chain->launch(stream, groups_of(first), first.groups.workgroup_size, &parameters);
  if (auto checked = device.check("cuLaunchKernel", status); !checked || impl_->later == nullptr) return checked;
  const ChainDispatch second = pyramid::later_dispatch(impl_->layout);
  parameters.params = second.params;
  return device.check("cuLaunchKernel",
                      impl_->later->launch(stream, groups_of(second), second.groups.workgroup_size, &parameters));
}

std::vector<DeviceImage> PackedLevels::images(void* data) const {
  std::vector<DeviceImage> images = at_zero;
  for (DeviceImage& image : images)
    image.data = static_cast<std::byte*>(data) + reinterpret_cast<uintptr_t>(image.data);
  return images;
}

Result<PackedLevels> pack_levels(const PyramidOptions& options, const ImageMemory& memory) {
  auto plan = plan_pyramid(with_alpha(options));
  if (!plan) return plan.error();
  auto target = describe_stored("target", options.target, memory.target);
  if (!target) return target.error();
  PackedLevels packed;
  for (uint32_t n = 1; n < plan->levels; ++n) {
    const Extent size = plan->sizes[n];
    const size_t row = size_t{size.width} * target->step;
    const size_t plane = row * size.height;
    const size_t slice = target->planar ? plane * target->info.channels : plane;
    packed.at_zero.push_back({.data = reinterpret_cast<void*>(packed.bytes),
                              .row_stride = row,
                              .slice_stride = slice,
                              .channel_stride = target->planar ? plane : 0});
    packed.bytes += (slice * options.slices + kAlign - 1) / kAlign * kAlign;
  }
  return packed;
}

}  // namespace onepass::cuda
