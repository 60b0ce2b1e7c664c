// cuda.cpp: the CUDA engine of the tone map: curves and kernels at creation, addresses at binding, launches at
// recording. The kernel is tone_map.cu, whose constants depend on formats and operator; local_exposure.cu runs before
// it where there is local exposure.
#include <bit>
#include <cstddef>
#include <string>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "tone_map/cuda_impl.hpp"
#include "tone_map/tone_map_cuda_params.h"

namespace onepass::cuda {
namespace {

constexpr uint32_t kThreads = CUDA_TONE_WIDTH * CUDA_TONE_ROWS;

/// Constants in the order of their numbers in tone_map_cuda_params.h.
struct ToneConstants {
  FormatConstants formats;
  uint32_t mix, matrix_mask, curve_mask, root_mask, foot_mask, shifts, curve_count;
  uint32_t keeps_hue, guard_rail, ootf_stage, fine, dither, local;
};
constexpr size_t kConstants = CONSTANT_LOCAL + 1;
static_assert(sizeof(ToneConstants) == kConstants * 4 && offsetof(ToneConstants, mix) == CONSTANT_MIX * 4 &&
              offsetof(ToneConstants, fine) == CONSTANT_FINE * 4);

ToneConstants make_constants(const ToneMap::Impl& impl, const tone_map::Program& program) {
  const tone_map::ProgramConstants p = tone_map::make_program_constants(program);
  return {.formats = make_format_constants(impl.source, impl.target, Working::kUnits),
          .mix = p.mix,
          .matrix_mask = p.matrix_mask,
          .curve_mask = p.curve_mask,
          .root_mask = p.root_mask,
          .foot_mask = p.foot_mask,
          .shifts = p.shifts,
          .curve_count = p.curve_count,
          .keeps_hue = p.keeps_hue,
          .guard_rail = p.guard_rail,
          .ootf_stage = p.ootf_stage,
          .fine = p.fine,
          .dither = impl.options.dither == Dither::kOn ? 1U : 0U,
          .local = impl.options.local.enabled() ? 1U : 0U};
}

Result<void> load(ToneMap::Impl& impl) {
  const std::shared_ptr<const tone_map::Program> program = tone_map::find_program(impl.options);
  const tone_map::KernelProgram made = tone_map::make_kernel_program(*program, image::with_alpha(impl.options.target));
  impl.plan.curves = static_cast<uint32_t>(tone_map::curves_of(*program).size());
  impl.program = made.program;
  auto kernel = Kernel::find(impl.device, kCudaToneMapKernels, "cuda_tone_map",
                             std::bit_cast<std::array<uint32_t, kConstants>>(make_constants(impl, *program)));
  if (!kernel) return kernel.error();
  impl.kernel = std::move(*kernel);
  auto cubics = OwnMemory::create_copy(impl.device, std::as_bytes(std::span(made.cubics)));
  if (!cubics) return cubics.error();
  impl.cubics = std::move(*cubics);
  return {};
}

// ---- Local exposure

Result<void> load_grid(ToneMap::Impl& impl) {
  impl.local = tone_map::plan_local_exposure(impl.options);
  if (impl.local.nodes() * impl.options.slices > UINT32_MAX) {
    return unsupported("local.region: the grid has " + std::to_string(impl.local.nodes() * impl.options.slices) +
                       " nodes, more than kernels can index");
  }
  impl.plan.launches = 2;
  impl.plan.scratch_bytes = tone_map::LocalScratch(impl.local, impl.options.slices).bytes;
  const FormatConstants formats = make_format_constants(impl.source, impl.source, Working::kUnits);  // no target
  auto kernel = Kernel::find(impl.device, kCudaToneMapKernels, "cuda_local_exposure",
                             std::bit_cast<std::array<uint32_t, CONSTANTS_OF_FORMATS>>(formats));
  if (!kernel) return kernel.error();
  impl.grid = std::move(*kernel);
  return {};
}

Result<void> bind_grid(const ToneMap::Impl& map, void* scratch, ToneMapBinding::Impl& binding) {
  if (auto checked = check_address("scratch", scratch, kAlign); !checked) return checked;
  auto address = reinterpret_cast<DeviceAddress>(scratch);
  if (scratch == nullptr) {
    auto own = OwnMemory::create_clear(map.device, map.plan.scratch_bytes);
    if (!own) return own.error();
    address = own->address();
    binding.own_scratch = std::move(*own);
  }
  const tone_map::LocalScratch layout(map.local, map.options.slices);
  const Extent size = map.options.size;
  binding.grid = {.params = {size.width, size.height, map.local.side, map.local.columns, map.local.rows},
                  .unused = 0,
                  .source = binding.parameters.source,
                  .counters = address + layout.counters_at,
                  .raw = address + layout.raw_at,
                  .nodes = address + layout.nodes_at};
  binding.parameters.nodes = binding.grid.nodes;
  binding.parameters.local = tone_map::make_local_params(map.options);
  return {};
}

Result<void> check_exposure(const ToneMapImages& images) {
  if (images.exposure_stride % 4 != 0) {
    return invalid("exposure_stride: " + std::to_string(images.exposure_stride) + " is not a multiple of 4");
  }
  return check_address("exposure", images.exposure, 4);
}

}  // namespace

Result<ToneMap> ToneMap::create(const Device& device, const ToneMapOptions& options, const ImageMemory& memory) {
  auto plan = plan_tone_map(with_alpha(options));
  if (!plan) return plan.error();
  if (auto checked = check_slices(options.slices); !checked) return checked.error();
  auto source = describe_stored("source", options.source, memory.source);
  if (!source) return source.error();
  auto target = describe_stored("target", options.target, memory.target);
  if (!target) return target.error();
  auto impl = std::make_shared<Impl>(device);
  impl->options = options;
  impl->source = std::move(*source);
  impl->target = std::move(*target);
  impl->plan.plan.bytes_read = real_bytes(plan->bytes_read, options.source);
  impl->plan.plan.bytes_written = real_bytes(plan->bytes_written, options.target);
  impl->plan.groups = {div_up(options.size.width, CUDA_TONE_WIDTH),
                       div_up(options.size.height, CUDA_TONE_ROWS * CUDA_TONE_TEXELS), options.slices};
  if (options.local.enabled()) {
    if (auto loaded = load_grid(*impl); !loaded) return loaded.error();
  }
  if (auto loaded = load(*impl); !loaded) return loaded.error();
  return ToneMap(std::move(impl));
}

const ToneMapDispatchPlan& ToneMap::dispatch_plan() const { return impl_->plan; }
const ToneMapOptions& ToneMap::options() const { return impl_->options; }

ToneMapBinding::ToneMapBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ToneMapBinding::ToneMapBinding(ToneMapBinding&&) noexcept = default;
ToneMapBinding& ToneMapBinding::operator=(ToneMapBinding&&) noexcept = default;
ToneMapBinding::~ToneMapBinding() = default;

Result<ToneMapBinding> ToneMap::bind(const ToneMapImages& images) const {
  const ToneMapOptions& options = impl_->options;
  auto source = make_rows("source", images.source, impl_->source, {options.size, options.slices});
  if (!source) return source.error();
  auto target = make_rows("target", images.target, impl_->target, {options.size, options.slices});
  if (!target) return target.error();
  if (auto checked = check_exposure(images); !checked) return checked.error();
  auto binding = std::make_unique<ToneMapBinding::Impl>(impl_);
  binding->parameters = {.program = impl_->program,
                         .source = *source,
                         .target = *target,
                         .cubics = impl_->cubics->address(),
                         .exposures = reinterpret_cast<DeviceAddress>(images.exposure),
                         .exposure_stride = images.exposure_stride,
                         .nodes = 0,
                         .size = {options.size.width, options.size.height},
                         .exposure = 1,
                         .local = {},
                         .unused = {}};
  if (impl_->grid != nullptr) {
    if (auto bound = bind_grid(*impl_, images.scratch, *binding); !bound) return bound.error();
  }
  return ToneMapBinding(std::move(binding));
}

Result<void> ToneMap::record_reset(Stream stream, const ToneMapBinding& binding) const {
  const ToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.map == impl_);
  if (impl_->grid == nullptr) return {};
  // Nodes are written before they are read.
  const Device::Impl& device = impl_->device.impl();
  const CurrentContext current(device);
  if (auto checked = device.check("cuCtxPushCurrent", current.status()); !checked) return checked;
  const size_t bytes = b.grid.raw - b.grid.counters;
  return device.check("cuMemsetD8Async", device.driver.memory_clear_async(b.grid.counters, 0, bytes, stream));
}

Result<void> ToneMap::record(Stream stream, const ToneMapBinding& binding, float exposure) const {
  const ToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.map == impl_);
  if (impl_->grid != nullptr) {
    const tone_map::LocalPlan& plan = impl_->local;
    auto made =
        impl_->grid->record(stream, {plan.columns, plan.rows, impl_->options.slices}, ONEPASS_LOCAL_GROUP, &b.grid);
    if (!made) return made;
  }
  ToneMapParameters parameters = b.parameters;
  parameters.exposure = impl_->options.exposure * usable_exposure(exposure);
  return impl_->kernel->record(stream, impl_->plan.groups, kThreads, &parameters);
}

}  // namespace onepass::cuda
