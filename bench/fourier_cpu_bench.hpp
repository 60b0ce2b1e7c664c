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
  bool inverse = true;                         ///< Forward and inverse; false: forward only.
  std::optional<ConvolutionCase> convolution;  ///< Instead of a transform.
  uint32_t threads = 1;

  [[nodiscard]] std::string name() const;
};

/// All benchmarks, each with one thread and with all threads of the machine.
[[nodiscard]] std::vector<FourierCpuBenchmark> fourier_cpu_benchmarks();

/// Measures benchmarks. Reuses the images of the last benchmark if the next one needs the same.
class FourierCpuRunner {
 public:
  /// `patient`: transforms of FFTW are planned with FFTW_PATIENT instead of FFTW_MEASURE.
  FourierCpuRunner(uint32_t rounds, bool patient);
  FourierCpuRunner(const FourierCpuRunner&) = delete;
  FourierCpuRunner& operator=(const FourierCpuRunner&) = delete;
  ~FourierCpuRunner();

  /// Compares some values of the result with the definition, the whole spectrum with FFTW's if FFTW is available, and
  /// the image after forward and inverse with the source. Then times the benchmark, alternating with a memcpy of the
  /// same bytes and with FFTW. The first row is the engine's; FFTW's follows if it was timed.
  /// Errors: kBadData for wrong output, kOutOfMemory.
  Result<std::vector<Row>> measure(const FourierCpuBenchmark& benchmark);

 private:
  struct Transforms;
  Result<void> prepare(const FourierCpuBenchmark& benchmark);
  Result<std::vector<Row>> measure_transform(const FourierCpuBenchmark& benchmark);
  Result<std::vector<Row>> measure_convolution(const FourierCpuBenchmark& benchmark);

  uint32_t rounds_;
  bool patient_;
  std::unique_ptr<Transforms> transforms_;
};

/// Registers `benchmarks`. Each adds its rows or a failure to the report.
void register_fourier_cpu(const std::vector<FourierCpuBenchmark>& benchmarks, FourierCpuRunner& runner, Report& report);

}  // namespace onepass::bench
