// light_peer_bench.hpp: the benchmarks of other libraries' metering and tone mapping, registered with Google Benchmark.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/light_peers.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One benchmark. The library's technique is that of the case: FrameToneMap, or Meter beside CUB.
struct LightPeerBenchmark {
  LightCase light;
  LightPeer peer = LightPeer::kPlacebo;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] std::string name() const;
};

/// All benchmarks; benchmarks on the same images are consecutive.
[[nodiscard]] std::vector<LightPeerBenchmark> light_peer_benchmarks();

/// Measures benchmarks. Reuses the images of the last benchmark if the next one needs the same.
class LightPeerRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit LightPeerRunner(VulkanRunner& runner) : runner_(runner) {}
  LightPeerRunner(const LightPeerRunner&) = delete;
  LightPeerRunner& operator=(const LightPeerRunner&) = delete;

  /// Checks the peer against its definition and FrameToneMap against the CPU engine, then times them in turns.
  /// Errors: kUnsupported if this machine lacks the peer; kBadData for wrong output.
  Result<Row> measure(const LightPeerBenchmark& benchmark);

 private:
  Result<void> prepare(const LightPeerBenchmark& benchmark);

  VulkanRunner& runner_;
  std::unique_ptr<LightSets> sets_;
  std::unique_ptr<LightTechnique> reference_;
  std::unique_ptr<LightPeerPlan> plan_;
  LightPeer peer_ = LightPeer::kPlacebo;  // of plan_
};

}  // namespace onepass::bench
