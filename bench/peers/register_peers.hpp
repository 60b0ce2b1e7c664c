// register_peers.hpp: benchmarks of peers for Google Benchmark.
#pragma once

#include <vector>

#include <benchmark/benchmark.h>

#include "report.hpp"

namespace onepass::bench {

/// Times a peer in turns with the library's technique, and reports the ratio with its spread. A peer that the machine
/// does not support is skipped; any other error is a failure.
template <typename Benchmark, typename Runner>
void run_peer(benchmark::State& state, const Benchmark& benchmark, Runner& runner, Report& report) {
  auto row = runner.measure(benchmark);
  if (!row) {
    if (row.error().code != ErrorCode::kUnsupported) report.fail();
    state.SkipWithError(row.error().text().c_str());
    return;
  }
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(row->times.median * 1e-6);
  state.counters["min_us"] = row->times.least;
  state.counters["max_us"] = row->times.most;
  state.counters["onepass_us"] = row->reference;
  state.counters["x_onepass"] = row->ratio();
  state.counters["x_min"] = row->ratios.least;
  state.counters["x_max"] = row->ratios.most;
  report.add(*row);
}

/// With a null runner the benchmarks can only be listed.
template <typename Benchmark, typename Runner>
void register_peers(const std::vector<Benchmark>& benchmarks, Runner* runner, Report& report) {
  for (const Benchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(), [one, runner, &report](benchmark::State& state) { run_peer(state, one, *runner, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
