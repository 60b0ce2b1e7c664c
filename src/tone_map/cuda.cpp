// cuda.cpp: the CUDA engine of the tone map: curves and kernel at creation, addresses at binding, one launch at
// recording. The kernel is tone_map.cu, whose constants depend on formats and operator.
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
  uint32_t keeps_hue, guard_rail, ootf_stage, fine, dither;
};
constexpr size_t kConstants = CONSTANT_DITHER + 1;
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
          .dither = impl.options.dither == Dither::kOn ? 1U : 0U};
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
  if (options.local.enabled()) return unsupported("local: local exposure: the CUDA engine has none");
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
                         .size = {options.size.width, options.size.height},
                         .exposure = 1,
                         .unused = {}};
  return ToneMapBinding(std::move(binding));
}

Result<void> ToneMap::record(Stream stream, const ToneMapBinding& binding, float exposure) const {
  const ToneMapBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.map == impl_);
  ToneMapParameters parameters = b.parameters;
  parameters.exposure = impl_->options.exposure * usable_exposure(exposure);
  return impl_->kernel->record(stream, impl_->plan.groups, kThreads, &parameters);
}

}  // namespace onepass::cuda
