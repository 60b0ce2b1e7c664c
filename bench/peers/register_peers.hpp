// register_peers.hpp: benchmarks of peers for Google Benchmark.
#pragma once

#include <vector>

#include <benchmark/benchmark.h>

#include "report.hpp"
#include "show_row.hpp"

namespace onepass::bench {

/// Times a peer in turns with the library's technique, and reports the ratio with its spread. A peer that the machine
/// does not support is skipped; any other error is a failure.
template <typename Benchmark, typename Runner>
void run_peer(benchmark::State& state, const Benchmark& benchmark, Runner& runner, Report& report) {
  const auto row = runner.measure(benchmark);
  show_row(state, row, report, "onepass_us", "x_onepass");
  if (!row) return;
  state.counters["x_min"] = row->ratios.least;
  state.counters["x_max"] = row->ratios.most;
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
