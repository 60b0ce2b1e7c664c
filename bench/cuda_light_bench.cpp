// cuda_light_bench.cpp: meters and tone maps of the CUDA engine in linear memory, in as many sets of memory as the
// Vulkan engine's images.
#include "cuda_light_bench.hpp"

#include <optional>

#include <benchmark/benchmark.h>

#include "onepass/cuda/luminance.hpp"
#include "onepass/cuda/tone_map.hpp"
#include "peers/cuda.hpp"
#include "show_row.hpp"

namespace onepass::bench {
namespace {

void* pointer(CudaPointer address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

std::string name_of(const LightVulkanBenchmark& benchmark) {
  return benchmark.light.name("cuda") + "/" + std::string(mode_word(benchmark.mode));
}

/// A meter, a tone map with the exposure of a meter's results, or both, bound to every set of memory.
class CudaLight {
 public:
  static Result<std::unique_ptr<CudaLight>> create(const Gpu& gpu, const LightSets& sets, const LightCase& light) {
    auto queue = CudaQueue::create(gpu, "the CUDA engine");
    if (!queue) return queue.error();
    auto device = cuda::Device::adopt();  // the queue's context is current
    if (!device) return device.error();
    auto meter = cuda::Meter::create(*device, light.meter());
    if (!meter) return meter.error();
    auto map = cuda::ToneMap::create(*device, light.tone());
    if (!map) return map.error();
    std::unique_ptr<CudaLight> out(new CudaLight(std::move(*queue), light, std::move(*meter), std::move(*map)));
    for (size_t i = 0; i < sets.count(); ++i) {
      if (auto added = out->add_set(sets.host_source()); !added) return added.error();
    }
    if (auto finished = out->queue_->finish(); !finished) return finished.error();
    return out;
  }

  Result<void> record(size_t set) const {
    auto* const stream = reinterpret_cast<cuda::Stream>(queue_->stream());
    if (light_.meters()) {
      if (auto metered = meter_.record(stream, metered_[set], {.cut = true}); !metered) return metered;
    }
    return light_.maps() ? map_.record(stream, mapped_[set]) : Result<void>();
  }

  /// Runs set 0, whose results are zeros, and compares with the CPU engine.
  Result<void> check(const ImageView& source, const std::string& name) const {
    if (auto recorded = record(0); !recorded) return recorded;
    if (auto finished = queue_->finish(); !finished) return finished;
    const auto wrong = [&](const std::string& what) {
      return Error{ErrorCode::kBadData, "wrong output: " + what, name};
    };
    MeterResult expected;
    if (light_.meters()) {
      auto meter = cpu::Meter::create(light_.meter());
      if (!meter) return meter.error();
      if (auto done = meter->measure(source, {&expected, 1}); !done) return done;
      MeterResult actual;
      ONEPASS_CUDA(
          queue_->cuda().copy_to_host(&actual, reinterpret_cast<CudaPointer>(metered_[0].results()), sizeof actual));
      if (const std::string found = meter_difference(actual, expected); !found.empty()) return wrong(found);
    }
    if (!light_.maps()) return {};
    auto map = cpu::ToneMap::create(light_.tone());
    if (!map) return map.error();
    auto picture = Image::create(light_.target, light_.size);
    auto actual = Image::create(light_.target, light_.size);
    if (!picture || !actual) return Error{ErrorCode::kOutOfMemory, "no memory for a picture", name};
    if (auto done = map->apply(source, picture->view(), light_.meters() ? expected.exposure : 1.0F); !done) return done;
    ONEPASS_CUDA(queue_->cuda().copy_to_host(actual->data(), picture_, actual->size_in_bytes()));
    const auto found = difference(actual->view(), picture->view(), {.codes = 1});
    return found ? Result<void>(wrong(*found)) : Result<void>();
  }

  Result<Comparison> compare(VulkanTimer& timer, LightSets& sets, const VulkanTechnique& reference, Mode mode) const {
    return queue_->compare(
        timer, sets, metered_.size(), [this](size_t set) { return record(set); }, reference, mode);
  }

 private:
  CudaLight(std::unique_ptr<CudaQueue> queue, const LightCase& light, cuda::Meter meter, cuda::ToneMap map)
      : queue_(std::move(queue)), light_(light), meter_(std::move(meter)), map_(std::move(map)) {}

  Result<void> add_set(const ImageView& source) {
    const size_t bytes = source.row_stride * source.size.height;
    const size_t target_row = size_t{light_.size.width} * format_info(light_.target).bytes_per_texel;
    auto texels = queue_->allocate(bytes);
    if (!texels) return texels.error();
    auto picture = queue_->allocate(target_row * light_.size.height);
    if (!picture) return picture.error();
    if (metered_.empty()) picture_ = *picture;
    ONEPASS_CUDA(queue_->cuda().copy_to_device(*texels, source.data, bytes));
    const cuda::DeviceImage from{.data = pointer(*texels), .row_stride = source.row_stride};
    auto metered = meter_.bind({.source = from});
    if (!metered) return metered.error();
    auto mapped = map_.bind({.source = from,
                             .target = {.data = pointer(*picture), .row_stride = target_row},
                             .exposure = metered->exposure()});
    if (!mapped) return mapped.error();
    metered_.push_back(std::move(*metered));
    mapped_.push_back(std::move(*mapped));
    return {};
  }

  std::unique_ptr<CudaQueue> queue_;
  LightCase light_;
  cuda::Meter meter_;
  cuda::ToneMap map_;
  std::vector<cuda::MeterBinding> metered_;  // destroyed before the context that the queue releases
  std::vector<cuda::ToneMapBinding> mapped_;
  CudaPointer picture_ = 0;  // of set 0
};

}  // namespace

std::vector<LightVulkanBenchmark> cuda_light_benchmarks(bool all) {
  std::vector<LightVulkanBenchmark> out;
  for (const LightVulkanBenchmark& one : light_vulkan_benchmarks(all)) {
    const LightWork work = one.light.work;
    if (work == LightWork::kMeter || work == LightWork::kToneMap || work == LightWork::kLocalExposure ||
        work == LightWork::kMeterAndMap) {
      out.push_back(one);
    }
  }
  return out;
}

Result<Row> CudaLightRunner::measure(const LightVulkanBenchmark& benchmark) {
  const LightCase& light = benchmark.light;
  const Gpu& gpu = runner_.gpu();
  if (!sets_ || !sets_->light().same_images(light)) {
    sets_.reset();  // frees its memory for the next sets
    runner_.release();
    auto sets = LightSets::create(gpu, light, runner_.timer().most_sets());
    if (!sets) return sets.error();
    sets_ = std::move(*sets);
  }
  auto made = CudaLight::create(gpu, *sets_, light);
  if (!made) return made.error();
  if (auto checked = (*made)->check(sets_->host_source(), name_of(benchmark)); !checked) return checked.error();
  auto reference = make_light_technique(gpu, *sets_, light);
  if (!reference) return reference.error();
  auto times = (*made)->compare(runner_.timer(), *sets_, **reference, benchmark.mode);
  if (!times) return times.error();
  return Row{.name = name_of(benchmark),
             .engine = "cuda",
             .format = std::string(format_word(light.source)),
             .width = light.size.width,
             .height = light.size.height,
             .reduction = {},
             .footprint = {},
             .path = "linear_memory",
             .mode = std::string(mode_description(benchmark.mode)),
             .times = times->technique,
             .bytes = light.bytes(),
             .reference = times->reference.median,
             .threads = 0,
             .ratios = times->ratio};
}

void register_cuda_light(const std::vector<LightVulkanBenchmark>& benchmarks, CudaLightRunner* runner, Report& report) {
  for (const LightVulkanBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(name_of(one).c_str(),
                                 [one, runner, &report](benchmark::State& state) {
                                   show_row(state, runner->measure(one), report, "vulkan_us", "x_vulkan");
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
