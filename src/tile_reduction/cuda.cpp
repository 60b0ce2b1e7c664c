// cuda.cpp: the CUDA engine of tile reductions: a kernel at creation, addresses at binding, one launch at recording.
// The kernel is tile_reduction.cu, whose constants depend on formats, reduction and factor.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "image/error.hpp"
#include "tile_reduction/cuda_impl.hpp"
#include "tile_reduction/shares.hpp"
#include "tile_reduction/tile_reduction_cuda_params.h"

namespace onepass::cuda {
namespace {

using tile_reduction::log2_of;

constexpr uint32_t kThreads = 1U << CUDA_TILE_GROUP_LOG2;

/// Constants in the order of their numbers in tile_reduction_cuda_params.h.
struct TileConstants {
  FormatConstants formats;
  uint32_t reduction, side_log2, reads_log2, partial;
};
constexpr size_t kConstants = CONSTANT_PARTIAL + 1;
static_assert(sizeof(TileConstants) == kConstants * 4 && offsetof(TileConstants, reduction) == CONSTANT_REDUCTION * 4);

Result<void> find_kernel(TileReduction::Impl& impl) {
  const TileReductionOptions& options = impl.options;
  const TileConstants constants{.formats = make_format_constants(impl.source, impl.target, Working::kIntegers),
                                .reduction = static_cast<uint32_t>(options.reduction),
                                .side_log2 = log2_of(options.factor / 2),
                                .reads_log2 = log2_of(impl.plan.gathers),
                                .partial = tile_reduction::has_partial_tiles(options) ? 1U : 0U};
  const uint32_t most = std::max(impl.source.info.channels, impl.target.info.channels);
  const std::string name = "cuda_tile_reduction_" + std::to_string(most > 2 ? 4 : most);
  auto kernel = Kernel::find(impl.device, kCudaTileReductionKernels, name,
                             std::bit_cast<std::array<uint32_t, kConstants>>(constants));
  if (!kernel) return kernel.error();
  impl.kernel = std::move(*kernel);
  return {};
}

Result<void> describe_images(TileReduction::Impl& impl, const ImageMemory& memory) {
  auto source = describe_stored("source", impl.options.source, memory.source);
  if (!source) return source.error();
  auto target = describe_stored("target", impl.options.target, memory.target);
  if (!target) return target.error();
  impl.source = std::move(*source);
  impl.target = std::move(*target);
  return {};
}

}  // namespace

Result<TileReduction> TileReduction::create(const Device& device, const TileReductionOptions& options,
                                            const ImageMemory& memory) {
  if (auto checked = check_one_sample(options.samples); !checked) return checked.error();
  if (auto checked = check_slices(options.slices); !checked) return checked.error();
  auto plan = plan_tile_reduction(with_alpha(options));
  if (!plan) return plan.error();
  auto impl = std::make_shared<Impl>(device);
  impl->options = options;
  if (auto described = describe_images(*impl, memory); !described) return described.error();
  const auto shares = tile_reduction::share_tiles(options, {.gathers = 0, .workgroup_size = kThreads}, kThreads);
  if (!shares) return shares.error();
  impl->plan = {.plan = *plan, .gathers = shares->gathers, .groups = shares->groups};
  impl->plan.plan.bytes_read = real_bytes(plan->bytes_read, options.source);
  impl->plan.plan.bytes_written = real_bytes(plan->bytes_written, options.target);
  impl->params = tile_reduction::make_params(options);
  if (auto found = find_kernel(*impl); !found) return found.error();
  return TileReduction(std::move(impl));
}

const TileReductionDispatchPlan& TileReduction::dispatch_plan() const { return impl_->plan; }
const TileReductionOptions& TileReduction::options() const { return impl_->options; }

TileReductionBinding::TileReductionBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TileReductionBinding::TileReductionBinding(TileReductionBinding&&) noexcept = default;
TileReductionBinding& TileReductionBinding::operator=(TileReductionBinding&&) noexcept = default;
TileReductionBinding::~TileReductionBinding() = default;

Result<TileReductionBinding> TileReduction::bind(const TileReductionImages& images) const {
  const uint32_t slices = impl_->options.slices;
  auto source = make_rows("source", images.source, impl_->source, {impl_->options.size, slices});
  if (!source) return source.error();
  auto target = make_rows("target", images.target, impl_->target, {plan().size, slices});
  if (!target) return target.error();
  auto binding = std::make_unique<TileReductionBinding::Impl>(impl_);
  binding->parameters = {.params = impl_->params, .source = *source, .target = *target};
  return TileReductionBinding(std::move(binding));
}

Result<void> TileReduction::record(Stream stream, const TileReductionBinding& binding) const {
  const TileReductionBinding::Impl& b = binding.impl();
  ONEPASS_ASSERT(b.tiles == impl_);
  return impl_->kernel->record(stream, impl_->plan.groups, kThreads, &b.parameters);
}

}  // namespace onepass::cuda
