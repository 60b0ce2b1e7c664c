// nonfinite_cpu_bench.hpp: the benchmarks of the search for NaN and Inf, registered with Google Benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cases.hpp"
#include "report.hpp"

namespace onepass::bench {

/// One benchmark: find_nonfinite() or replace_nonfinite() on an image without NaN and Inf, as most images are.
struct NonFiniteCpuBenchmark {
  Format format = Format::kUndefined;
  Extent size;
  bool replaces = false;
  uint32_t threads = 1;

  [[nodiscard]] std::string name() const;
};

/// All benchmarks, each with one thread and with all threads of the machine.
[[nodiscard]] std::vector<NonFiniteCpuBenchmark> nonfinite_cpu_benchmarks();

/// Registers `benchmarks`. Each adds its row or a failure to the report. Its reference is a pass that only reads the
/// image, timed in the same rounds.
void register_nonfinite_cpu(const std::vector<NonFiniteCpuBenchmark>& benchmarks, uint32_t rounds, Report& report);

}  // namespace onepass::bench
