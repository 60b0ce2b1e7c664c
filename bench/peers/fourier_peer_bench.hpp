// fourier_peer_bench.hpp: the benchmarks of other libraries' transforms, registered with Google Benchmark.
#pragma once

#include "fourier_vulkan.hpp"
#include "peers/fourier_peers.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One benchmark: forward and inverse of an RGBA32F image, or the inverse of several slices with complex signals.
struct FourierPeerBenchmark {
  Extent size;
  FourierPeer peer = FourierPeer::kVkfftComplex;
  Mode mode = Mode::kThroughput;
  uint32_t slices = 1;

  [[nodiscard]] FourierWork work() const { return slices > 1 ? FourierWork::kInverse : FourierWork::kForwardInverse; }
  [[nodiscard]] FourierCase transform() const {
    return {Format::kRGBA32Sfloat, size, slices > 1 ? Signal::kComplex : Signal::kReal, slices};
  }
  [[nodiscard]] PeerSignal signal() const;
  [[nodiscard]] std::string name() const;
};

/// All benchmarks; benchmarks of the same size are consecutive.
[[nodiscard]] std::vector<FourierPeerBenchmark> fourier_peer_benchmarks();

/// Measures benchmarks. Reuses memory and plans of the last benchmark if the next one needs the same.
class FourierPeerRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own memory.
  explicit FourierPeerRunner(VulkanRunner& runner);
  FourierPeerRunner(const FourierPeerRunner&) = delete;
  FourierPeerRunner& operator=(const FourierPeerRunner&) = delete;
  ~FourierPeerRunner();

  /// Compares the peer's spectrum with the CPU engine's and the planes that come back with those that went in, and the
  /// library's transform with the CPU engine's, unless that was done before. Then times the peer, alternating with the
  /// library's shared_memory technique.
  /// Errors: kUnsupported if this machine lacks the peer; kBadData for wrong output.
  Result<Row> measure(const FourierPeerBenchmark& benchmark);

 private:
  struct Work;  // a FourierSets and the objects that use it
  Result<void> prepare_reference(const FourierPeerBenchmark& benchmark);
  Result<void> prepare_peer(const FourierPeerBenchmark& benchmark);

  VulkanRunner& runner_;
  std::unique_ptr<Work> work_;
};

}  // namespace onepass::bench
