// cuda_bench.cpp: pyramids of the CUDA engine in linear memory, in as many sets of memory as the Vulkan engine's
// images, so that a set is in no cache when its turn comes.
#include "cuda_bench.hpp"

#include <optional>

#include <benchmark/benchmark.h>

#include "onepass/cuda/pyramid.hpp"
#include "peers/cuda.hpp"
#include "show_row.hpp"

namespace onepass::bench {
namespace {

void* pointer(CudaPointer address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

std::string path_word(bool one_launch) { return one_launch ? "linear_memory_one_launch" : "linear_memory"; }

/// A pyramid of the CUDA engine, bound to every set of memory.
class CudaPyramid {
 public:
  static Result<std::unique_ptr<CudaPyramid>> create(const Gpu& gpu, const CudaBenchmark& benchmark,
                                                     const ImageView& source, size_t sets) {
    auto queue = CudaQueue::create(gpu, "the CUDA engine");
    if (!queue) return queue.error();
    auto device = cuda::Device::adopt();  // the queue's context is current
    if (!device) return device.error();
    const PyramidOptions options = benchmark.pyramid.options();
    auto pyramid = cuda::Pyramid::create(
        *device, options, {}, {.launches = benchmark.one_launch ? cuda::Launches::kOne : cuda::Launches::kAuto});
    if (!pyramid) return pyramid.error();
    auto packed = cuda::pack_levels(options);
    if (!packed) return packed.error();
    std::unique_ptr<CudaPyramid> out(new CudaPyramid(std::move(*queue), std::move(*pyramid), std::move(*packed)));
    for (size_t i = 0; i < sets; ++i) {
      if (auto added = out->add_set(source); !added) return added.error();
    }
    if (auto finished = out->queue_->finish(); !finished) return finished.error();
    return out;
  }

  Result<void> record(size_t set) {
    return pyramid_.record(reinterpret_cast<cuda::Stream>(queue_->stream()), bindings_[set]);
  }

  /// The levels of set 0, made twice: the second run finds the counters that the first one leaves.
  Result<Levels> run_twice() {
    for (int i = 0; i < 2; ++i) {
      if (auto recorded = record(0); !recorded) return recorded.error();
    }
    if (auto finished = queue_->finish(); !finished) return finished.error();
    auto levels = Levels::create(pyramid_.options());
    if (!levels) return levels.error();
    for (size_t n = 0; n < levels->images.size(); ++n) {
      Image& image = levels->images[n];
      const auto offset = reinterpret_cast<uintptr_t>(packed_.at_zero[n].data);
      ONEPASS_CUDA(queue_->cuda().copy_to_host(image.data(), levels_of_first_ + offset, image.size_in_bytes()));
    }
    return levels;
  }

  Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference, Mode mode) {
    return queue_->compare(
        timer, sets, bindings_.size(), [this](size_t set) { return record(set); }, reference, mode);
  }

  [[nodiscard]] uint64_t bytes() const {
    return pyramid_.dispatch_plan().bytes_read + pyramid_.dispatch_plan().bytes_written;
  }

 private:
  CudaPyramid(std::unique_ptr<CudaQueue> queue, cuda::Pyramid pyramid, cuda::PackedLevels packed)
      : queue_(std::move(queue)), pyramid_(std::move(pyramid)), packed_(std::move(packed)) {}

  Result<void> add_set(const ImageView& source) {
    const size_t bytes = source.row_stride * source.size.height * source.slices;  // images of the benchmark are packed
    auto texels = queue_->allocate(bytes);
    if (!texels) return texels.error();
    auto levels = queue_->allocate(packed_.bytes);
    if (!levels) return levels.error();
    if (bindings_.empty()) levels_of_first_ = *levels;
    ONEPASS_CUDA(queue_->cuda().copy_to_device(*texels, source.data, bytes));
    auto binding = pyramid_.bind(
        {.source = {.data = pointer(*texels), .row_stride = source.row_stride, .slice_stride = source.slice_stride},
         .levels = packed_.images(pointer(*levels))});
    if (!binding) return binding.error();
    bindings_.push_back(std::move(*binding));
    return {};
  }

  std::unique_ptr<CudaQueue> queue_;
  cuda::Pyramid pyramid_;
  cuda::PackedLevels packed_;
  std::vector<cuda::PyramidBinding> bindings_;  // destroyed before the context that the queue releases
  CudaPointer levels_of_first_ = 0;
};

void run_benchmark(benchmark::State& state, const CudaBenchmark& benchmark, CudaRunner& runner, Report& report) {
  const auto row = runner.measure(benchmark);
  show_row(state, row, report, "vulkan_us", "x_vulkan");
  if (!row) return;
  state.counters["x_min"] = row->ratios.least;
  state.counters["x_max"] = row->ratios.most;
}

}  // namespace

std::string CudaBenchmark::name() const {
  return "pyramid/cuda/" + format_word(pyramid) + "/" + size_word(pyramid) + "/" +
         std::string(word_of(pyramid.reduction)) + "/" + std::string(word_of(pyramid.footprint)) + "/" +
         path_word(one_launch) + "/" + std::string(mode_word(mode));
}

std::vector<CudaBenchmark> cuda_benchmarks(bool all) {
  std::vector<CudaBenchmark> out;
  for (const PyramidCase& pyramid : vulkan_cases()) {
    if (pyramid.run == Run::kAll && !all) continue;
    if (pyramid.footprint == Footprint::kTight || pyramid.filter != MipFilter::kBox) continue;
    for (const Mode mode : {Mode::kThroughput, Mode::kWarm}) {
      out.push_back({pyramid, false, mode});
      if (all && pyramid.footprint == Footprint::kCovering) out.push_back({pyramid, true, mode});
    }
  }
  return out;
}

/// Images of the Vulkan engine, and its pyramid, which has been checked.
struct CudaRunner::Work {
  std::unique_ptr<ImageSets> images;
  std::unique_ptr<VulkanTechnique> reference;
  PyramidOptions options;
  std::optional<Levels> expected;
};

CudaRunner::CudaRunner(VulkanRunner& runner) : runner_(runner) {}
CudaRunner::~CudaRunner() = default;

Result<void> CudaRunner::prepare(const PyramidCase& pyramid) {
  const PyramidOptions options = pyramid.options();
  if (work_ && same_images(work_->images->pyramid(), pyramid) && same_levels(work_->options, options)) return {};
  work_.reset();  // frees its memory for the next images
  runner_.release();
  auto images = ImageSets::create(runner_.gpu(), pyramid, runner_.timer().most_sets());
  if (!images) return images.error();
  auto expected = cpu_levels(options, (*images)->host_source());
  if (!expected) return expected.error();
  auto reference = make_pyramid_technique(runner_.gpu(), **images, options, {.path = PyramidPath::kSingleDispatch});
  if (!reference) return reference.error();
  if (auto used = (*images)->use_sources_as((*reference)->source_layout()); !used) return used.error();
  work_ = std::make_unique<Work>();
  work_->images = std::move(*images);
  work_->reference = std::move(*reference);
  work_->options = options;
  work_->expected = std::move(*expected);
  return {};
}

Result<Row> CudaRunner::measure(const CudaBenchmark& benchmark) {
  const PyramidCase& pyramid = benchmark.pyramid;
  if (auto prepared = prepare(pyramid); !prepared) return prepared.error();
  ImageSets& images = *work_->images;
  auto made = CudaPyramid::create(runner_.gpu(), benchmark, images.host_source(), images.count());
  if (!made) return made.error();
  auto actual = (*made)->run_twice();
  if (!actual) return actual.error();
  const size_t count = work_->expected->images.size();
  if (auto found = difference(*actual, *work_->expected, count, contract(work_->options, false))) {
    return Error{ErrorCode::kBadData, "wrong output: " + *found, benchmark.name()};
  }
  auto times = (*made)->compare(runner_.timer(), images, *work_->reference, benchmark.mode);
  if (!times) return times.error();
  return Row{.name = benchmark.name(),
             .engine = "cuda",
             .format = format_word(pyramid),
             .width = pyramid.size.width,
             .height = pyramid.size.height,
             .slices = pyramid.slices,
             .reduction = std::string(word_of(pyramid.reduction)),
             .footprint = std::string(word_of(pyramid.footprint)),
             .path = path_word(benchmark.one_launch),
             .mode = std::string(mode_description(benchmark.mode)),
             .times = times->technique,
             .bytes = (*made)->bytes(),
             .reference = times->reference.median,
             .threads = 0,
             .ratios = times->ratio};
}

void register_cuda(const std::vector<CudaBenchmark>& benchmarks, CudaRunner* runner, Report& report) {
  for (const CudaBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, runner, &report](benchmark::State& state) { run_benchmark(state, one, *runner, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
