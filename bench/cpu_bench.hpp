// cpu_bench.hpp: the benchmarks of the CPU engine, registered with Google Benchmark.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"
#include "report.hpp"

namespace onepass::bench {

/// The timed function.
enum class CpuPath {
  kPyramid,
  kPlainLoop,
  kMemcpy,
  kNonTemporal,
  kTileReduction,  ///< With factor kTileFactor.
};

/// One benchmark.
struct CpuBenchmark {
  PyramidCase pyramid;  ///< For copies only the number of bytes that it moves counts.
  CpuPath path = CpuPath::kPyramid;
  uint32_t threads = 1;

  [[nodiscard]] bool copies() const { return path == CpuPath::kMemcpy || path == CpuPath::kNonTemporal; }
  [[nodiscard]] std::string name() const;
};

/// All benchmarks of pyramids, each with one thread and with all threads of the machine.
[[nodiscard]] std::vector<CpuBenchmark> cpu_benchmarks();

/// Measures benchmarks. Reuses the images of the last benchmark if the next one needs the same.
class CpuRunner {
 public:
  explicit CpuRunner(uint32_t rounds);
  CpuRunner(const CpuRunner&) = delete;
  CpuRunner& operator=(const CpuRunner&) = delete;
  ~CpuRunner();

  /// Checks that the engine and the plain loop agree. Then times the benchmark, alternating with a memcpy of the same
  /// bytes.
  /// Errors: kBadData for wrong output, kOutOfMemory.
  Result<Row> measure(const CpuBenchmark& benchmark);

 private:
  struct Work;
  Result<void> prepare(const PyramidCase& pyramid);
  Result<void> verify();

  uint32_t rounds_;
  std::unique_ptr<Work> work_;
};

/// Registers `benchmarks`. Each adds its row or a failure to the report.
void register_cpu(const std::vector<CpuBenchmark>& benchmarks, CpuRunner& runner, Report& report);

}  // namespace onepass::bench
