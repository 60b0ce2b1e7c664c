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

/// All of them, each with one thread and with all the machine has.
[[nodiscard]] std::vector<LightCpuBenchmark> light_cpu_benchmarks();

/// Registers `benchmarks`; each adds its rows to the report, or a failure: its own, and those of a pass that only reads
/// as many bytes and of a memcpy that moves as many, taken in the same rounds. A meter's reference is the first, a
/// frame's the meter and the map one after the other, a map's the second.
void register_light_cpu(const std::vector<LightCpuBenchmark>& benchmarks, uint32_t rounds, Report& report);

}  // namespace onepass::bench
