// reflection_peer_bench.hpp: the benchmarks of other reflections, registered with Google Benchmark.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "peers/reflection_peers.hpp"
#include "reflection_bench.hpp"

namespace onepass::bench {

/// One benchmark, beside the library's reflections with as many rays: one or four in each quad of 2x2 texels.
struct ReflectionPeerBenchmark {
  ReflectionCase reflection;
  ReflectionPeer peer = ReflectionPeer::kSssr;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] std::string name() const;
};

/// All benchmarks; benchmarks on the same images are consecutive.
[[nodiscard]] std::vector<ReflectionPeerBenchmark> reflection_peer_benchmarks();

/// Measures benchmarks. Reuses the images of the last benchmark if the next one needs the same.
class ReflectionPeerRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit ReflectionPeerRunner(VulkanRunner& runner) : runner_(runner) {}
  ReflectionPeerRunner(const ReflectionPeerRunner&) = delete;
  ReflectionPeerRunner& operator=(const ReflectionPeerRunner&) = delete;

  /// Checks both, then times them in turns.
  /// Errors: kUnsupported if this machine lacks the peer; kBadData for wrong output.
  Result<Row> measure(const ReflectionPeerBenchmark& benchmark);

 private:
  VulkanRunner& runner_;
  std::unique_ptr<ReflectionSets> sets_;
};

}  // namespace onepass::bench
