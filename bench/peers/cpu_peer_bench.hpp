// cpu_peer_bench.hpp: the benchmarks of other libraries' mip chains on a CPU, registered with Google Benchmark.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/cpu_peers.hpp"
#include "report.hpp"

namespace onepass::bench {

/// One benchmark.
struct CpuPeerBenchmark {
  CpuPeerCase peer_case;
  uint32_t threads = 1;

  [[nodiscard]] std::string name() const;
};

/// All benchmarks, each with one thread and with all threads of the machine.
[[nodiscard]] std::vector<CpuPeerBenchmark> cpu_peer_benchmarks();

/// Measures benchmarks. Reuses the images of the last benchmark if the next one needs the same.
class CpuPeerRunner {
 public:
  explicit CpuPeerRunner(uint32_t rounds);
  CpuPeerRunner(const CpuPeerRunner&) = delete;
  CpuPeerRunner& operator=(const CpuPeerRunner&) = delete;
  ~CpuPeerRunner();

  /// Compares every level of the peer with its definition, applied to the peer's level before. Then times the peer,
  /// alternating with the CPU engine on the same image.
  /// Errors: kUnsupported if the peer cannot do it; kBadData for wrong output.
  Result<Row> measure(const CpuPeerBenchmark& benchmark);

 private:
  struct Work;
  Result<void> prepare(const PyramidCase& pyramid);
  Result<void> verify(const CpuPeerBenchmark& benchmark, CpuPeerPyramid& peer);

  uint32_t rounds_;
  std::unique_ptr<Work> work_;
};

}  // namespace onepass::bench
