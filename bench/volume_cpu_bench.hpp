// volume_cpu_bench.hpp: the benchmarks of volume pyramids, registered with Google Benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onepass/volume_stream.hpp"
#include "report.hpp"

namespace onepass::bench {

/// One benchmark: a cube of `side` voxels per axis through a stream, in one call.
struct VolumeCpuBenchmark {
  VoxelType type = VoxelType::kUint8;
  uint32_t side = 512;
  Reduction reduction = Reduction::kMean;
  uint32_t levels = 1;  ///< Made by steps of 2x2x2.
  uint32_t threads = 1;

  [[nodiscard]] std::string name() const;
};

/// All benchmarks, each with one thread and with all threads of the machine.
[[nodiscard]] std::vector<VolumeCpuBenchmark> volume_cpu_benchmarks();

/// Registers `benchmarks`. Each adds its row or a failure to the report. Its reference, the speed of light, is a pass
/// that only reads the volume, timed in the same rounds.
void register_volume_cpu(const std::vector<VolumeCpuBenchmark>& benchmarks, uint32_t rounds, Report& report);

}  // namespace onepass::bench
