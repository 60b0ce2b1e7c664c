// nonfinite_cpu_bench.cpp: times the search in alternation with a plain read of the image, after a check that a NaN in
// the last texel is found.
#include "nonfinite_cpu_bench.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <benchmark/benchmark.h>

#include "copies.hpp"
#include "cpu_timer.hpp"
#include "fourier_cases.hpp"
#include "levels.hpp"
#include "onepass/nonfinite.hpp"

namespace onepass::bench {
namespace {

/// Checks that a NaN in the last texel is found there, and that nothing is found without it.
Result<void> verify(const NonFiniteCpuBenchmark& benchmark, Image& image) {
  const auto [width, height] = benchmark.size;
  const NonFiniteOptions options{.threads = benchmark.threads};
  const size_t texel_bytes = format_info(benchmark.format).bytes_per_texel;
  std::byte* last = image.view().row(height - 1) + (width - 1) * texel_bytes;
  const std::vector<std::byte> kept(last, last + texel_bytes);
  const float nan[4] = {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0};
  encode_row(benchmark.format, nan, 1, last);
  const auto found = benchmark.replaces ? replace_nonfinite(image.view(), options)
                                        : find_nonfinite(std::as_const(image).view(), options);
  std::copy(kept.begin(), kept.end(), last);
  const auto none = find_nonfinite(std::as_const(image).view(), options);
  if (!found) return found.error();
  if (!none) return none.error();
  if (none->count() != 0 || found->nan_count != 1 || found->first.x != width - 1 || found->first.y != height - 1) {
    return Error{ErrorCode::kBadData, "wrong output", benchmark.name()};
  }
  return {};
}

Result<Row> measure(const NonFiniteCpuBenchmark& benchmark, uint32_t most_rounds) {
  auto image = random_image(benchmark.format, benchmark.size, 1);
  if (!image) return image.error();
  if (auto verified = verify(benchmark, *image); !verified) return verified.error();
  cpu::Workers workers(benchmark.threads);
  const NonFiniteOptions options{.threads = benchmark.threads};
  std::optional<Error> failed;
  const auto keep = [&](const Result<NonFinite>& done) {
    if (!done) failed = done.error();
  };
  uint64_t sum = 0;
  const Task own = [&] {
    keep(benchmark.replaces ? replace_nonfinite(image->view(), options)
                            : find_nonfinite(std::as_const(*image).view(), options));
  };
  const Task read = [&] { sum += read_plain(workers, image->data(), image->size_in_bytes()); };
  const std::vector<Times> times = compare({own, read}, most_rounds);
  benchmark::DoNotOptimize(sum);
  if (failed) return *failed;
  return Row{.name = benchmark.name(),
             .engine = "cpu",
             .format = std::string(format_word(benchmark.format)),
             .width = benchmark.size.width,
             .height = benchmark.size.height,
             .reduction = {},
             .footprint = {},
             .path = "nonfinite",
             .mode = "repeated",
             .times = times[0],
             .bytes = image->size_in_bytes(),
             .reference = times[1].median,
             .threads = benchmark.threads};
}

void run_benchmark(benchmark::State& state, const NonFiniteCpuBenchmark& benchmark, uint32_t rounds, Report& report) {
  const auto row = measure(benchmark, rounds);
  if (!row) {
    report.fail();
    state.SkipWithError(row.error().text().c_str());
    return;
  }
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(row->times.median * 1e-6);
  state.counters["min_us"] = row->times.least;
  state.counters["max_us"] = row->times.most;
  state.counters["GB/s"] = row->gigabytes_per_second();
  state.counters["reference_us"] = row->reference;
  state.counters["x_read"] = row->ratio();
  report.add(*row);
}

}  // namespace

std::string NonFiniteCpuBenchmark::name() const {
  return "nonfinite/cpu/" + std::string(format_word(format)) + "/" + size_word(size) +
         (replaces ? "/replace" : "/find") + "/threads:" + std::to_string(threads);
}

std::vector<NonFiniteCpuBenchmark> nonfinite_cpu_benchmarks() {
  std::vector<uint32_t> thread_counts = {1};
  if (const uint32_t all = cpu::Workers(0).slots(); all > 1) thread_counts.push_back(all);
  std::vector<NonFiniteCpuBenchmark> out;
  for (const auto& [format, size] : {std::pair{Format::kRGBA32Sfloat, Extent{4096, 4096}},
                                     {Format::kRGBA16Sfloat, Extent{4096, 4096}},
                                     {Format::kR32Sfloat, Extent{4096, 4096}},
                                     {Format::kRGBA16Sfloat, Extent{64, 64}}}) {
    for (const bool replaces : {false, true}) {
      for (const uint32_t threads : thread_counts) out.push_back({format, size, replaces, threads});
    }
  }
  return out;
}

void register_nonfinite_cpu(const std::vector<NonFiniteCpuBenchmark>& benchmarks, uint32_t rounds, Report& report) {
  for (const NonFiniteCpuBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, rounds, &report](benchmark::State& state) { run_benchmark(state, one, rounds, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
