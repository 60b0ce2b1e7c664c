// light_cpu_bench.hpp: the benchmarks of metering and tone mapping on the CPU engine, registered with Google Benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "light_cases.hpp"
#include "report.hpp"

namespace onepass::bench {

/// One benchmark.
struct LightCpuBenchmark {
  LightCase light;
  uint32_t threads = 1;

  [[nodiscard]] std::string name() const { return light.name("cpu") + "/threads:" + std::to_string(threads); }
};

/// All benchmarks, each with one thread and with all threads of the machine.
[[nodiscard]] std::vector<LightCpuBenchmark> light_cpu_benchmarks();

/// Registers `benchmarks`. Each adds two rows or a failure to the report: its own row and that of a baseline, timed in
/// the same rounds. The baseline of a meter only reads the image; that of other cases is a memcpy that moves as many
/// bytes. The baseline is the reference, except for frames: their reference is the meter followed by the tone map.
void register_light_cpu(const std::vector<LightCpuBenchmark>& benchmarks, uint32_t rounds, Report& report);

}  // namespace onepass::bench
