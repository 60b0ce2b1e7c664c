// fourier_cpu_bench.hpp: the benchmarks of transforms and convolutions on the CPU engine, registered with Google
// Benchmark.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fourier_cases.hpp"
#include "report.hpp"

namespace onepass::bench {

/// One benchmark.
struct FourierCpuBenchmark {
  FourierCase transform;
  bool inverse = true;                         ///< Forward and inverse, or forward alone.
  std::optional<ConvolutionCase> convolution;  ///< Instead of a transform.
  uint32_t threads = 1;

  [[nodiscard]] std::string name() const;
};

/// All of them, each with one thread and with all the machine has.
[[nodiscard]] std::vector<FourierCpuBenchmark> fourier_cpu_benchmarks();

/// Measures benchmarks, keeping images from one to the next as long as they fit.
class FourierCpuRunner {
 public:
  explicit FourierCpuRunner(uint32_t rounds);
  FourierCpuRunner(const FourierCpuRunner&) = delete;
  FourierCpuRunner& operator=(const FourierCpuRunner&) = delete;
  ~FourierCpuRunner();

  /// Checks some values of the result against the definition, all of a spectrum against FFTW where there is one, and
  /// that the image comes back; then times it in turns with a memcpy of the same bytes, and with FFTW.
  /// The first row is the engine's; FFTW's follows if it was timed. Errors: kBadData for wrong output, kOutOfMemory.
  Result<std::vector<Row>> measure(const FourierCpuBenchmark& benchmark);

 private:
  struct Transforms;
  Result<void> prepare(const FourierCpuBenchmark& benchmark);
  Result<std::vector<Row>> measure_transform(const FourierCpuBenchmark& benchmark);
  Result<std::vector<Row>> measure_convolution(const FourierCpuBenchmark& benchmark);

  uint32_t rounds_;
  std::unique_ptr<Transforms> transforms_;
};

/// Registers `benchmarks`; each adds its rows to the report, or a failure.
void register_fourier_cpu(const std::vector<FourierCpuBenchmark>& benchmarks, FourierCpuRunner& runner, Report& report);

}  // namespace onepass::bench
