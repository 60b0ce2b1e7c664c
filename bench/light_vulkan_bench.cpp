// light_vulkan_bench.cpp: chooses the reference of each case: a read for meters, a copy of as many bytes for tone maps,
// separate meter and tone map for frames. The CPU engine's result is the check.
#include "light_vulkan_bench.hpp"

#include <benchmark/benchmark.h>

#include "show_row.hpp"

namespace onepass::bench {
namespace {

Error wrong(const std::string& name, const std::string& what) {
  return {ErrorCode::kBadData, "wrong output: " + what, name};
}

void run_benchmark(benchmark::State& state, const LightVulkanBenchmark& benchmark, LightVulkanRunner& runner,
                   Report& report) {
  auto row = runner.measure(benchmark);
  show_row(state, row, report, "reference_us", std::string(benchmark.light.ratio_word()));
}

}  // namespace

Result<Row> LightVulkanRunner::measure(const LightVulkanBenchmark& benchmark) {
  const LightCase& light = benchmark.light;
  if (auto prepared = prepare(light); !prepared) return prepared.error();
  const Gpu& gpu = runner_.gpu();
  Row row = {.name = benchmark.name(),
             .engine = "vulkan",
             .format = std::string(format_word(light.source)),
             .width = light.size.width,
             .height = light.size.height,
             .reduction = {},
             .footprint = {},
             .path = {},
             .mode = std::string(mode_description(benchmark.mode)),
             .times = {}};
  row.path = row.name.substr(0, row.name.find('/'));
  if (light.baseline()) row.path = light.work == LightWork::kReadOnly ? "read_only" : "device_copy";

  // The reference.
  const auto make_apart = [&]() -> TechniqueResult {
    LightCase apart = light;
    apart.work = LightWork::kMeterAndMap;
    auto made = make_light_technique(gpu, *sets_, apart);
    if (!made) return made.error();
    return std::unique_ptr<VulkanTechnique>(std::move(*made));
  };
  const bool reads = light.work == LightWork::kMeter || light.work == LightWork::kReadOnly;
  auto reference = reads                             ? make_read_only(gpu, sets_->images())
                   : light.work == LightWork::kFrame ? make_apart()
                                                     : make_light_copy(gpu, *sets_, light.bytes());
  if (!reference) return reference.error();
  std::unique_ptr<VulkanTechnique> technique;
  if (light.baseline()) {
    auto again = reads ? make_read_only(gpu, sets_->images()) : make_light_copy(gpu, *sets_, light.bytes());
    if (!again) return again.error();
    technique = std::move(*again);
  } else {
    auto made = make_light_technique(gpu, *sets_, light);
    if (!made) return made.error();
    auto checked = check_light(gpu, *sets_, light, **made, benchmark.name());
    if (!checked) return checked.error();
    technique = std::move(*made);
  }
  auto times = runner_.timer().compare(*sets_, *technique, **reference, benchmark.mode);
  if (!times) return times.error();
  row.times = times->technique;
  row.bytes = technique->bytes();
  row.reference = times->reference.median;
  return row;
}

Result<void> LightVulkanRunner::prepare(const LightCase& light) {
  if (sets_ && sets_->light().same_images(light)) return {};
  sets_.reset();  // frees its memory for the next sets
  runner_.release();
  auto sets = LightSets::create(runner_.gpu(), light, runner_.timer().most_sets());
  if (!sets) return sets.error();
  sets_ = std::move(*sets);
  return {};
}

Result<void> check_light(const Gpu& gpu, const LightSets& sets, const LightCase& light, const LightTechnique& technique,
                         const std::string& name) {
  auto ran = gpu.device().run([&](VkCommandBuffer commands) {
    technique.record(commands, 0);
    full_barrier(gpu, commands);
  });
  if (!ran) return ran;
  MeterResult expected;
  if (light.meters()) {
    auto meter = cpu::Meter::create(light.meter());
    if (!meter) return meter.error();
    if (auto done = meter->measure(sets.host_source(), {&expected, 1}); !done) return done;
    auto actual = technique.results();
    if (!actual) return actual.error();
    if (const std::string found = meter_difference(actual->front(), expected); !found.empty()) {
      return wrong(name, found);
    }
  }
  if (!light.maps()) return {};
  auto map = cpu::ToneMap::create(light.tone());
  if (!map) return map.error();
  auto picture = Image::create(light.target, light.size);
  if (!picture) return picture.error();
  // Without a meter, and for the first frame, no exposure is known yet.
  const float exposure = light.work == LightWork::kMeterAndMap ? expected.exposure : 1.0F;
  if (auto done = map->apply(sets.host_source(), picture->view(), exposure); !done) return done;
  auto actual = sets.download();
  if (!actual) return actual.error();
  const auto found = difference(actual->view(), picture->view(), {.codes = 1});
  return found ? Result<void>(wrong(name, *found)) : Result<void>();
}

void register_light_vulkan(const std::vector<LightVulkanBenchmark>& benchmarks, LightVulkanRunner* runner,
                           Report& report) {
  for (const LightVulkanBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, runner, &report](benchmark::State& state) { run_benchmark(state, one, *runner, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
