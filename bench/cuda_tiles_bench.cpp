// cuda_tiles_bench.cpp: tile reductions of the CUDA engine in linear memory, in as many sets of memory as the Vulkan
// engine's images.
#include "cuda_tiles_bench.hpp"

#include <benchmark/benchmark.h>

#include "onepass/cuda/tile_reduction.hpp"
#include "peers/cuda.hpp"
#include "show_row.hpp"

namespace onepass::bench {
namespace {

void* pointer(CudaPointer address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

/// A tile reduction of the CUDA engine, bound to every set of memory.
class CudaTiles {
 public:
  static Result<std::unique_ptr<CudaTiles>> create(const Gpu& gpu, const TileReductionOptions& options,
                                                   const ImageView& source, size_t sets) {
    auto queue = CudaQueue::create(gpu, "the CUDA engine");
    if (!queue) return queue.error();
    auto device = cuda::Device::adopt();  // the queue's context is current
    if (!device) return device.error();
    auto tiles = cuda::TileReduction::create(*device, options);
    if (!tiles) return tiles.error();
    std::unique_ptr<CudaTiles> out(new CudaTiles(std::move(*queue), std::move(*tiles)));
    for (size_t i = 0; i < sets; ++i) {
      if (auto added = out->add_set(source); !added) return added.error();
    }
    if (auto finished = out->queue_->finish(); !finished) return finished.error();
    return out;
  }

  Result<void> record(size_t set) const {
    return tiles_.record(reinterpret_cast<cuda::Stream>(queue_->stream()), bindings_[set]);
  }

  /// The coarse image of set 0.
  Result<Image> run() const {
    if (auto recorded = record(0); !recorded) return recorded.error();
    if (auto finished = queue_->finish(); !finished) return finished.error();
    auto image = Image::create(tiles_.options().target, tiles_.plan().size, tiles_.options().slices);
    if (!image) return image.error();
    ONEPASS_CUDA(queue_->cuda().copy_to_host(image->data(), coarse_, image->size_in_bytes()));
    return image;
  }

  Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference, Mode mode) const {
    return queue_->compare(
        timer, sets, bindings_.size(), [this](size_t set) { return record(set); }, reference, mode);
  }

  [[nodiscard]] uint64_t bytes() const { return tiles_.plan().bytes_read + tiles_.plan().bytes_written; }

 private:
  CudaTiles(std::unique_ptr<CudaQueue> queue, cuda::TileReduction tiles)
      : queue_(std::move(queue)), tiles_(std::move(tiles)) {}

  Result<void> add_set(const ImageView& source) {
    const size_t bytes = source.row_stride * source.size.height * source.slices;  // images of the benchmark are packed
    const Extent size = tiles_.plan().size;
    const size_t row = size_t{size.width} * format_info(tiles_.options().target).bytes_per_texel;
    auto texels = queue_->allocate(bytes);
    if (!texels) return texels.error();
    auto coarse = queue_->allocate(row * size.height * source.slices);
    if (!coarse) return coarse.error();
    if (bindings_.empty()) coarse_ = *coarse;
    ONEPASS_CUDA(queue_->cuda().copy_to_device(*texels, source.data, bytes));
    auto binding = tiles_.bind(
        {.source = {.data = pointer(*texels), .row_stride = source.row_stride, .slice_stride = source.slice_stride},
         .target = {.data = pointer(*coarse), .row_stride = row, .slice_stride = row * size.height}});
    if (!binding) return binding.error();
    bindings_.push_back(std::move(*binding));
    return {};
  }

  std::unique_ptr<CudaQueue> queue_;
  cuda::TileReduction tiles_;
  std::vector<cuda::TileReductionBinding> bindings_;  // destroyed before the context that the queue releases
  CudaPointer coarse_ = 0;                            // of set 0
};

Result<Image> cpu_tiles(const TileReductionOptions& options, const ImageView& source) {
  auto tiles = cpu::TileReduction::create(options);
  if (!tiles) return tiles.error();
  auto image = Image::create(options.target, tiles->plan().size, options.slices);
  if (!image) return image.error();
  if (auto reduced = tiles->reduce(source, image->view()); !reduced) return reduced.error();
  return image;
}

}  // namespace

std::string CudaTilesBenchmark::name() const {
  return "tile_reduction/cuda/" + format_word(pyramid) + "/" + size_word(pyramid) + "/" +
         std::string(word_of(pyramid.reduction)) + "/factor" + std::to_string(kTileFactor) + "/linear_memory/" +
         std::string(mode_word(mode));
}

std::vector<CudaTilesBenchmark> cuda_tiles_benchmarks() {
  std::vector<CudaTilesBenchmark> out;
  for (const PyramidCase& pyramid : tile_cases()) {
    for (const Mode mode : {Mode::kThroughput, Mode::kWarm}) out.push_back({pyramid, mode});
  }
  return out;
}

Result<Row> CudaTilesRunner::measure(const CudaTilesBenchmark& benchmark) {
  const PyramidCase& pyramid = benchmark.pyramid;
  const TileReductionOptions options = tile_options(pyramid);
  const Gpu& gpu = runner_.gpu();
  if (!images_ || !same_images(images_->pyramid(), pyramid)) {
    images_.reset();  // frees its memory for the next images
    runner_.release();
    auto images = ImageSets::create(gpu, pyramid, runner_.timer().most_sets(), true);
    if (!images) return images.error();
    images_ = std::move(*images);
  }
  auto made = CudaTiles::create(gpu, options, images_->host_source(), images_->count());
  if (!made) return made.error();
  auto actual = (*made)->run();
  if (!actual) return actual.error();
  auto expected = cpu_tiles(options, images_->host_source());
  if (!expected) return expected.error();
  if (auto found = difference(actual->view(), expected->view(), contract(pyramid.options(), false))) {
    return Error{ErrorCode::kBadData, "wrong output: " + *found, benchmark.name()};
  }
  auto reference = make_tile_technique(gpu, *images_, options, {});
  if (!reference) return reference.error();
  if (auto used = images_->use_sources_as((*reference)->source_layout()); !used) return used.error();
  auto times = (*made)->compare(runner_.timer(), *images_, **reference, benchmark.mode);
  if (!times) return times.error();
  return Row{.name = benchmark.name(),
             .engine = "cuda",
             .format = format_word(pyramid),
             .width = pyramid.size.width,
             .height = pyramid.size.height,
             .slices = pyramid.slices,
             .reduction = std::string(word_of(pyramid.reduction)),
             .footprint = {},
             .path = "linear_memory",
             .mode = std::string(mode_description(benchmark.mode)),
             .times = times->technique,
             .bytes = (*made)->bytes(),
             .reference = times->reference.median,
             .threads = 0,
             .ratios = times->ratio};
}

void register_cuda_tiles(const std::vector<CudaTilesBenchmark>& benchmarks, CudaTilesRunner* runner, Report& report) {
  for (const CudaTilesBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(one.name().c_str(),
                                 [one, runner, &report](benchmark::State& state) {
                                   show_row(state, runner->measure(one), report, "vulkan_us", "x_vulkan");
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
