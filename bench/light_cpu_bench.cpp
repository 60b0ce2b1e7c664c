// light_cpu_bench.cpp: times meters in alternation with a read of the image, tone maps with a copy of as many bytes,
// and frames with a meter and a tone map in separate calls. Results are checked against one thread first.
#include "light_cpu_bench.hpp"

#include <optional>

#include <benchmark/benchmark.h>

#include "copies.hpp"
#include "cpu/aligned_vector.hpp"
#include "cpu_timer.hpp"
#include "levels.hpp"

namespace onepass::bench {
namespace {

using Bytes = cpu::AlignedVector<std::byte>;

/// The engine's objects, images and results of one case.
struct Work {
  Image source, target;
  std::optional<cpu::Meter> meter;
  std::optional<cpu::ToneMap> map;
  std::optional<cpu::FrameToneMap> frame;
  MeterResult result, frame_result;
  std::optional<Error> failed;

  Result<void> create(const LightCpuBenchmark& benchmark);
  void keep(const Result<void>& done) {
    if (!done) failed = done.error();
  }
  void run_meter() { keep(meter->measure(source.view(), {&result, 1})); }
  void run_map() { keep(map->apply(source.view(), target.view(), result.exposure)); }
  void run_frame() { keep(frame->apply(source.view(), target.view(), {&frame_result, 1})); }
};

Result<void> Work::create(const LightCpuBenchmark& benchmark) {
  const LightCase& light = benchmark.light;
  auto image = light_image(light);
  if (!image) return image.error();
  source = std::move(*image);
  image = Image::create(light.target, light.size);
  if (!image) return image.error();
  target = std::move(*image);
  auto made_meter = cpu::Meter::create(light.meter(), {.threads = benchmark.threads});
  if (!made_meter) return made_meter.error();
  meter.emplace(std::move(*made_meter));
  if (!light.maps()) return {};
  auto made_map = cpu::ToneMap::create(light.tone(), {.threads = benchmark.threads});
  if (!made_map) return made_map.error();
  map.emplace(std::move(*made_map));
  if (light.work != LightWork::kFrame) return {};
  auto made_frame = cpu::FrameToneMap::create({light.meter(), light.tone()}, {.threads = benchmark.threads});
  if (!made_frame) return made_frame.error();
  frame.emplace(std::move(*made_frame));
  return {};
}

/// Checks that several threads and one thread give the same results, that meters count every texel, and that frames
/// give the same picture as tone maps.
Result<void> verify(const LightCpuBenchmark& benchmark, Work& work) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorCode::kBadData, "wrong output: " + what, benchmark.name()};
  };
  Work alone;
  LightCpuBenchmark one = benchmark;
  one.threads = 1;
  if (auto created = alone.create(one); !created) return created;
  alone.source = Image();
  const auto run = [&](Work& w) -> Result<void> {
    const ImageView view = work.source.view();
    w.keep(w.meter->measure(view, {&w.result, 1}));
    if (w.map) w.keep(w.map->apply(view, w.target.view(), w.result.exposure));
    return w.failed ? Result<void>(*w.failed) : Result<void>();
  };
  if (auto ran = run(alone); !ran) return ran;
  if (auto ran = run(work); !ran) return ran;
  if (const std::string found = meter_difference(work.result, alone.result); !found.empty()) return wrong(found);
  const uint64_t texels = uint64_t{benchmark.light.size.width} * benchmark.light.size.height;
  if (work.result.finite_count != texels) return wrong("not all texels were metered");
  if (!work.map) return {};
  if (const auto found = difference(work.target.view(), alone.target.view(), {})) return wrong(*found);
  if (!work.frame) return {};
  work.frame_result.exposure = work.result.exposure;
  work.run_frame();
  if (work.failed) return *work.failed;
  if (const auto found = difference(work.target.view(), alone.target.view(), {})) return wrong(*found);
  return {};
}

Result<std::vector<Row>> measure(const LightCpuBenchmark& benchmark, uint32_t most_rounds) {
  const LightCase& light = benchmark.light;
  Work work;
  if (auto created = work.create(benchmark); !created) return created.error();
  if (auto verified = verify(benchmark, work); !verified) return verified.error();
  cpu::Workers workers(benchmark.threads);
  const uint64_t bytes = light.bytes();
  Bytes from(std::max<uint64_t>(bytes / 2, work.source.size_in_bytes())), to(bytes / 2);
  std::copy_n(work.source.data(), work.source.size_in_bytes(), from.data());
  uint64_t sum = 0;
  const Task read = [&] { sum += read_plain(workers, work.source.data(), work.source.size_in_bytes()); };
  const Task copy = [&] { copy_plain(workers, to.data(), from.data(), to.size()); };
  const Task apart = [&] {
    work.run_meter();
    work.run_map();
  };
  const Task own = [&] {
    if (light.work == LightWork::kMeter) work.run_meter();
    if (light.work == LightWork::kFrame) work.run_frame();
    if (light.work == LightWork::kToneMap || light.work == LightWork::kLocalExposure) work.run_map();
  };
  const bool meters = light.work == LightWork::kMeter;
  const std::vector<Task> tasks = meters                            ? std::vector<Task>{own, read}
                                  : light.work == LightWork::kFrame ? std::vector<Task>{own, apart, copy}
                                                                    : std::vector<Task>{own, copy};
  const std::vector<Times> times = compare(tasks, most_rounds);
  if (work.failed) return *work.failed;
  benchmark::DoNotOptimize(sum);
  Row row = {.name = benchmark.name(),
             .engine = "cpu",
             .format = std::string(format_word(light.source)),
             .width = light.size.width,
             .height = light.size.height,
             .reduction = {},
             .footprint = {},
             .path = {},
             .mode = "repeated",
             .times = times[0],
             .bytes = bytes,
             .reference = times[1].median,
             .threads = benchmark.threads};
  row.path = row.name.substr(0, row.name.find('/'));
  std::vector<Row> rows = {row};
  LightCase base = light;
  base.work = meters ? LightWork::kReadOnly : LightWork::kCopy;
  row.name = base.name("cpu") + "/" + std::string(rows[0].path) + "/threads:" + std::to_string(benchmark.threads);
  row.path = meters ? "read_only" : "memcpy";
  row.times = times.back();
  row.reference = times.back().median;
  rows.push_back(row);
  return rows;
}

void run_benchmark(benchmark::State& state, const LightCpuBenchmark& benchmark, uint32_t rounds, Report& report) {
  auto rows = measure(benchmark, rounds);
  if (!rows) {
    report.fail();
    state.SkipWithError(rows.error().text().c_str());
    return;
  }
  const Row& row = rows->front();
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(row.times.median * 1e-6);
  state.counters["min_us"] = row.times.least;
  state.counters["max_us"] = row.times.most;
  state.counters["GB/s"] = row.gigabytes_per_second();
  state.counters["reference_us"] = row.reference;
  state.counters[benchmark.light.work == LightWork::kFrame   ? "x_apart"
                 : benchmark.light.work == LightWork::kMeter ? "x_read"
                                                             : "r"] = row.ratio();
  for (const Row& one : *rows) report.add(one);
}

}  // namespace

std::vector<LightCpuBenchmark> light_cpu_benchmarks() {
  std::vector<uint32_t> thread_counts = {1};
  if (const uint32_t all = cpu::Workers(0).slots(); all > 1) thread_counts.push_back(all);
  std::vector<LightCpuBenchmark> out;
  for (const LightCase& light : light_cpu_cases()) {
    for (const uint32_t threads : thread_counts) out.push_back({light, threads});
  }
  return out;
}

void register_light_cpu(const std::vector<LightCpuBenchmark>& benchmarks, uint32_t rounds, Report& report) {
  for (const LightCpuBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, rounds, &report](benchmark::State& state) { run_benchmark(state, one, rounds, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
