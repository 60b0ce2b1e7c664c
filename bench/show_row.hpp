// show_row.hpp: a row of results as the result of a benchmark.
#pragma once

#include <string>

#include <benchmark/benchmark.h>

#include "report.hpp"

namespace onepass::bench {

/// Gives a measured row to the benchmark's output and to the report. `reference` and `ratio` name the counters of the
/// reference's time and of the row's time over it. Errors fail the run, but for what the device does not support.
inline void show_row(benchmark::State& state, const Result<Row>& row, Report& report, const std::string& reference,
                     const std::string& ratio) {
  if (!row) {
    if (row.error().code != ErrorCode::kUnsupported) report.fail();
    state.SkipWithError(row.error().text().c_str());
    return;
  }
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(row->times.median * 1e-6);
  state.counters["min_us"] = row->times.least;
  state.counters["max_us"] = row->times.most;
  state.counters["GB/s"] = row->gigabytes_per_second();
  state.counters[reference] = row->reference;
  state.counters[ratio] = row->ratio();
  report.add(*row);
}

}  // namespace onepass::bench
