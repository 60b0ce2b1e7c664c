// nonfinite_cpu_bench.hpp: the benchmarks of the search for NaN and Inf, registered with Google Benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cases.hpp"
#include "report.hpp"

namespace onepass::bench {

/// One benchmark: find_nonfinite() or replace_nonfinite() on an image without NaN and Inf, as nearly all are.
struct NonFiniteCpuBenchmark {
  Format format = Format::kUndefined;
  Extent size;
  bool replaces = false;
  uint32_t threads = 1;

  [[nodiscard]] std::string name() const;
};

/// All of them, each with one thread and with all the machine has.
[[nodiscard]] std::vector<NonFiniteCpuBenchmark> nonfinite_cpu_benchmarks();

/// Registers `benchmarks`; each adds its row to the report, or a failure. Its reference is a pass that only reads as
/// many bytes, taken in the same rounds.
void register_nonfinite_cpu(const std::vector<NonFiniteCpuBenchmark>& benchmarks, uint32_t rounds, Report& report);

}  // namespace onepass::bench
