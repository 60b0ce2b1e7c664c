// pyramid_peer_bench.hpp: the benchmarks of other libraries' mip chains, registered with Google Benchmark.
#pragma once

#include "peers/pyramid_peers.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One benchmark.
struct PyramidPeerBenchmark {
  PyramidPeerCase peer_case;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] std::string name() const;
};

[[nodiscard]] std::vector<PyramidPeerBenchmark> pyramid_peer_benchmarks();

/// Measures benchmarks. Reuses images and pipelines of the last benchmark if the next one needs the same.
class PyramidPeerRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit PyramidPeerRunner(VulkanRunner& runner);
  PyramidPeerRunner(const PyramidPeerRunner&) = delete;
  PyramidPeerRunner& operator=(const PyramidPeerRunner&) = delete;
  ~PyramidPeerRunner();

  /// Compares the peer's levels with its definition and the library's with the CPU engine's, unless that was done
  /// before. Then times the peer, alternating with the library's single dispatch on the same images.
  /// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const PyramidPeerBenchmark& benchmark);

  void release();

 private:
  struct Work;  // an ImageSets and the objects that use it
  Result<void> prepare_images(const PyramidCase& pyramid);
  Result<void> prepare_reference(const PyramidCase& pyramid);
  Result<void> prepare_peer(const PyramidPeerBenchmark& benchmark);
  Result<Levels> run_once(const VulkanTechnique& technique);

  VulkanRunner& runner_;
  std::unique_ptr<Work> work_;
};

}  // namespace onepass::bench
