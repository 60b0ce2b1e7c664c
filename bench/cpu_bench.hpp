// cpu_bench.hpp: the benchmarks of the CPU engine, registered with Google Benchmark.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"
#include "report.hpp"

namespace onepass::bench {

/// What is timed.
enum class CpuPath {
  kPyramid,
  kPlainLoop,
  kMemcpy,
  kNonTemporal,
  kTileReduction,  ///< Of factor kTileFactor.
};

/// One benchmark.
struct CpuBenchmark {
  PyramidCase pyramid;  ///< Of copies, only how many bytes it moves.
  CpuPath path = CpuPath::kPyramid;
  uint32_t threads = 1;

  [[nodiscard]] bool copies() const { return path == CpuPath::kMemcpy || path == CpuPath::kNonTemporal; }
  [[nodiscard]] std::string name() const;
};

/// All of them, each with one thread and with all the machine has.
[[nodiscard]] std::vector<CpuBenchmark> cpu_benchmarks();

/// Measures benchmarks, keeping images from one to the next as long as they fit.
class CpuRunner {
 public:
  explicit CpuRunner(uint32_t rounds);
  CpuRunner(const CpuRunner&) = delete;
  CpuRunner& operator=(const CpuRunner&) = delete;
  ~CpuRunner();

  /// Checks that the engine and the plain loop agree, then times one of them, or a copy, in turns with memcpy.
  /// Errors: kBadData for wrong output, kOutOfMemory.
  Result<Row> measure(const CpuBenchmark& benchmark);

 private:
  struct Work;
  Result<void> prepare(const PyramidCase& pyramid);
  Result<void> verify();

  uint32_t rounds_;
  std::unique_ptr<Work> work_;
};

/// Registers `benchmarks`; each adds its row to the report, or a failure.
void register_cpu(const std::vector<CpuBenchmark>& benchmarks, CpuRunner& runner, Report& report);

}  // namespace onepass::bench
