// reflection_bench.hpp: the benchmarks of reflections, registered with Google Benchmark.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reflection_vulkan.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One case of the scene.
struct ReflectionCase {
  std::string_view word;  ///< As in names.
  Extent size;
  ReflectionRays rays = ReflectionRays::kOne;
  ReflectionResolution resolution = ReflectionResolution::kFull;
  bool filters = true;     ///< The mean over texels.
  bool history = true;     ///< The mean over frames.
  bool rough = true;       ///< Rough surfaces have rays; else only mirrors.
  bool all_matte = false;  ///< Nothing has rays.

  [[nodiscard]] ReflectionOptions options() const;
  [[nodiscard]] ReflectionChecks checks() const;
  [[nodiscard]] std::string name() const;  ///< Without mode.
};

/// The rows of numbers of rays at each size, then, for the cost of stages, those with fewer stages; cases of a size are
/// consecutive.
[[nodiscard]] std::vector<ReflectionCase> reflection_cases();

/// Measures cases. Reuses the images of the last case if the next one has the same size.
class ReflectionRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit ReflectionRunner(VulkanRunner& runner) : runner_(runner) {}
  ReflectionRunner(const ReflectionRunner&) = delete;
  ReflectionRunner& operator=(const ReflectionRunner&) = delete;

  /// Checks the technique, then times it, alternating with a copy of the bytes of its images.
  /// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const ReflectionCase& reflection, Mode mode);

 private:
  VulkanRunner& runner_;
  std::unique_ptr<ReflectionSets> sets_;
};

/// Registers all cases, throughput and isolated; a null runner can only list them.
void register_reflections(ReflectionRunner* runner, Report& report);

}  // namespace onepass::bench
