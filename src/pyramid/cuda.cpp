// cuda.cpp: the CUDA engine of the pyramid: kernels at creation, addresses at binding, launches at recording.
//
// Stages, tiles and scratch memory are those of the Vulkan engine's single dispatch (dispatch_plan.cpp); the kernel is
// pyramid.cu, whose constants depend on formats, reduction and stages.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "image/error.hpp"
#include "image/row_rgb.hpp"
#include "image/row_spec.hpp"
#include "pyramid/cuda_impl.hpp"
#include "pyramid/stage_constants.hpp"

namespace onepass::cuda {
namespace {

using pyramid::ChainDispatch;
using pyramid::DispatchLayout;
using pyramid::StageConstants;

constexpr uint32_t kWarp = 32;
constexpr uint32_t kMostBlocks = 65535;  // of a launch, on its third axis
constexpr size_t kAlign = 256;           // of scratch memory and of packed levels

// Values of the MODE_ macros in pyramid_options.glsl, and of KIND_ in target_texel.glsl.
enum TexelMode : uint32_t { kModePlain = 0, kModeWeightedAlpha = 1, kModeNormalMap = 2 };
enum TargetKind : uint32_t { kKindFloat = 0, kKindUnorm = 1 };

/// Constants in the order of their numbers in pyramid_cuda_params.h.
struct PyramidConstants {
  uint32_t reduction, footprint, texel_mode, source_channels, target_channels, source_unorm, target_kind;
  uint32_t source_srgb, target_srgb, source_storage, target_storage, source_bytes, target_bytes;
  uint32_t source_step, target_step, source_blue_first, target_blue_first;
  float source_scale, source_one, target_scale, target_divisor, target_inverse, target_most;
  uint32_t stage_count, stage_firsts, stage_depths, stage_kinds;
  uint32_t window_pairs, stages, block_size, base_remainders, delay;
};
constexpr size_t kConstants = CONSTANT_DELAY + 1;
static_assert(sizeof(PyramidConstants) == kConstants * 4);
static_assert(offsetof(PyramidConstants, source_scale) == CONSTANT_SOURCE_SCALE * 4 &&
              offsetof(PyramidConstants, stage_count) == CONSTANT_STAGE_COUNT * 4);

uint32_t storage_of(const FormatInfo& info) {
  if (info.format == Format::kA2B10G10R10Unorm) return STORED_A2B10G10R10;
  if (info.format == Format::kB10G11R11Ufloat) return STORED_B10G11R11;
  if (info.format == Format::kX8D24Unorm || info.format == Format::kD24UnormS8) return STORED_X8D24;
  switch (info.bytes_per_texel / info.channels) {
    case 1:
      return STORED_U8;
    case 2:
      return info.type == ChannelType::kFloat ? STORED_F16 : STORED_U16;
    default:
      return STORED_F32;
  }
}

// The integer that stands for 1; 1 where values are decoded to floats at once.
float unit_of(const FormatInfo& info) {
  if (info.type == ChannelType::kSrgb) return 255.0F;
  switch (storage_of(info)) {
    case STORED_U8:
      return 255.0F;
    case STORED_U16:
      return 65535.0F;
    case STORED_X8D24:
      return 16777215.0F;
    default:
      return 1.0F;
  }
}

Result<Stored> describe(const std::string& field, Format format, Channels channels) {
  Stored stored;
  stored.info = texel_info(format);
  const uint32_t texel = stored.info.bytes_per_texel;
  stored.planar = channels == Channels::kPlanar && stored.info.channels > 1;
  if (stored.planar && (stored.info.packed || stored.info.blue_first)) {
    return invalid(field + ": " + std::string(stored.info.name) + " cannot be planar");
  }
  stored.step = stored.planar ? texel / stored.info.channels : texel;
  stored.load = !stored.planar && std::has_single_bit(texel) ? texel : 0;
  return stored;
}

// ---- Kernels

void set_formats(PyramidConstants& constants, const Stored& source, const Stored& target) {
  constants.source_channels = source.info.channels;
  constants.target_channels = target.info.channels;
  constants.source_unorm = source.info.type == ChannelType::kUnorm ? 1 : 0;
  constants.source_srgb = source.info.type == ChannelType::kSrgb ? 1 : 0;
  constants.target_srgb = target.info.type == ChannelType::kSrgb ? 1 : 0;
  constants.target_kind = target.info.type == ChannelType::kFloat ? kKindFloat : kKindUnorm;
  constants.source_storage = storage_of(source.info);
  constants.target_storage = storage_of(target.info);
  constants.source_bytes = source.load;
  constants.target_bytes = target.load;
  constants.source_step = source.step;
  constants.target_step = target.step;
  constants.source_blue_first = source.info.blue_first ? 1 : 0;
  constants.target_blue_first = target.info.blue_first ? 1 : 0;
  // UNORM stays integers from the load to the store, so that sums of 8-bit texels are exact, unless colours are decoded
  // or texels are transformed, which needs 0..1.
  const float source_unit = unit_of(source.info);
  const float target_unit = unit_of(target.info);
  const bool decodes = constants.source_srgb != 0 || constants.target_srgb != 0 || constants.texel_mode != kModePlain;
  const float working = decodes ? 1.0F : source_unit;
  constants.source_scale = decodes ? 1.0F / source_unit : 1.0F;
  constants.source_one = working / constants.source_scale;  // before it is scaled
  constants.target_scale = target_unit / working;
  constants.target_divisor = working;
  constants.target_inverse = 1.0F / working;
  constants.target_most = target_unit;
}

PyramidConstants make_constants(const DispatchLayout& layout, const Stored& source, const Stored& target,
                                const PyramidTestTuning& test) {
  const PyramidOptions& options = layout.options;
  PyramidConstants constants{};
  constants.reduction = static_cast<uint32_t>(options.reduction);
  constants.texel_mode = options.alpha == Alpha::kWeighted       ? kModeWeightedAlpha
                         : options.normal_map != NormalMap::kOff ? kModeNormalMap
                                                                 : kModePlain;
  set_formats(constants, source, target);
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

// RGB with an alpha: plans and kernels know four channels.
PyramidOptions with_alpha(PyramidOptions options) {
  options.source = image::with_alpha(options.source);
  options.target = image::with_alpha(options.target);
  return options;
}

Result<void> check_supported(const PyramidOptions& options) {
  const std::string other = ": the CUDA engine has none";
  if (options.footprint == Footprint::kTight) return unsupported("footprint: tight" + other);
  if (options.alpha == Alpha::kCoverage) return unsupported("alpha: coverage" + other);
  if (options.samples != 1) {
    return unsupported("samples: " + std::to_string(options.samples) + ", but images in linear memory have one");
  }
  if (options.slices > kMostBlocks) {
    return unsupported("slices: " + std::to_string(options.slices) + " exceed 65535, the most blocks of a launch");
  }
  return {};
}

// Bytes of the caller's formats in a plan for formats with alpha.
void correct_traffic(PyramidDispatchPlan& plan, const Stored& source, const Stored& target,
                     const PyramidOptions& laid_out) {
  const auto correct = [](uint64_t& planned, uint64_t& all, uint32_t real, uint32_t assumed) {
    const uint64_t bytes = planned / assumed * real;
    all -= planned - bytes;
    planned = bytes;
  };
  correct(plan.plan.bytes_read, plan.bytes_read, source.info.bytes_per_texel,
          format_info(laid_out.source).bytes_per_texel);
  correct(plan.plan.bytes_written, plan.bytes_written, target.info.bytes_per_texel,
          format_info(laid_out.target).bytes_per_texel);
}

// ---- Images

struct ImageShape {
  Extent size;
  uint32_t slices = 1;
};

Result<DeviceRows> make_rows(const std::string& field, const DeviceImage& image, const Stored& stored,
                             const ImageShape& shape) {
  if (image.data == nullptr) return invalid(field + ".data: null");
  const uint64_t row = uint64_t{shape.size.width} * stored.step;
  const uint32_t alignment = stored.alignment();
  const auto check = [&](const char* name, uint64_t value, uint64_t least) -> Result<void> {
    const std::string text = field + "." + name + ": " + std::to_string(value);
    if (value < least) return invalid(text + " is below " + std::to_string(least));
    if (value % alignment != 0) return invalid(text + " is not a multiple of " + std::to_string(alignment));
    return {};
  };
  const auto data = reinterpret_cast<DeviceAddress>(image.data);
  if (auto checked = check("data", data, 1); !checked) return checked.error();
  if (auto checked = check("row_stride", image.row_stride, row); !checked) return checked.error();
  if (image.row_stride > UINT32_MAX) {
    return invalid(field + ".row_stride: " + std::to_string(image.row_stride) + " is not below 2^32");
  }
  DeviceRows rows{.data = data,
                  .slice_stride = shape.slices > 1 ? image.slice_stride : 0,
                  .channel_stride = stored.step,
                  .row_stride = static_cast<uint32_t>(image.row_stride),
                  .unused = 0};
  const uint64_t plane = image.row_stride * (shape.size.height - 1) + row;
  if (stored.planar) {
    // Slices may lie between the channels of others.
    if (auto checked = check("channel_stride", image.channel_stride, plane); !checked) return checked.error();
    rows.channel_stride = image.channel_stride;
  } else {
    rows.channel_stride = stored.info.bytes_per_texel / stored.info.channels;
  }
  if (shape.slices > 1) {
    if (auto checked = check("slice_stride", image.slice_stride, plane); !checked) return checked.error();
  }
  return rows;
}

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

Result<Pyramid> create_pyramid(const Device& device, const PyramidOptions& options, const PyramidMemory& memory,
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
  auto source = describe("source", options.source, memory.source);
  if (!source) return source.error();
  auto target = describe("target", options.target, memory.target);
  if (!target) return target.error();
  auto impl = std::make_shared<Pyramid::Impl>(device);
  impl->options = options;
  impl->layout = std::move(*layout);
  impl->source = std::move(*source);
  impl->target = std::move(*target);
  correct_traffic(impl->layout.plan, impl->source, impl->target, impl->layout.options);
  if (impl->layout.params.last_level > 0) {
    if (auto found = find_kernels(*impl, test); !found) return found.error();
  }
  return Pyramid(std::move(impl));
}

Result<Pyramid> Pyramid::create(const Device& device, const PyramidOptions& options, const PyramidMemory& memory,
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
  if (binding->scratch % kAlign != 0) {
    return invalid("scratch: the address " + std::to_string(binding->scratch) + " is not a multiple of 256");
  }
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

Result<PackedLevels> pack_levels(const PyramidOptions& options, const PyramidMemory& memory) {
  auto plan = plan_pyramid(with_alpha(options));
  if (!plan) return plan.error();
  auto target = describe("target", options.target, memory.target);
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
