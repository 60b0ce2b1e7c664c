// vulkan_bench.hpp: the benchmarks of the Vulkan engine, registered with Google Benchmark.
#pragma once

#include <memory>
#include <vector>

#include "report.hpp"
#include "vulkan_timer.hpp"

namespace onepass::bench {

/// What is timed on one set of images.
enum class VulkanPath {
  kSingleDispatch,
  kSingleDispatchHalf,  ///< Packed half arithmetic.
  kPerLevel,
  kTileAtomic,
  kTileTree,
  kTileSubgroup,
  kSpeedOfLight,
  kCopy,
  kBlit,
  kEmpty,
  kReadOnly,    ///< What tile reductions are measured against.
  kFourLevels,  ///< Levels 1 to 4, one dispatch each: what a tile reduction of factor 16 saves.
};

/// One benchmark.
struct VulkanBenchmark {
  PyramidCase pyramid;  ///< Of a baseline, only the images.
  VulkanPath path = VulkanPath::kSingleDispatch;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] bool baseline() const { return path >= VulkanPath::kSpeedOfLight; }
  [[nodiscard]] bool tiles() const { return path >= VulkanPath::kTileAtomic && path <= VulkanPath::kTileSubgroup; }
  /// Timed in turns with read_only instead of speed_of_light.
  [[nodiscard]] bool beside_read_only() const { return tiles() || path >= VulkanPath::kReadOnly; }
  [[nodiscard]] std::string name() const;
};

/// All of them, in an order in which those on the same images follow each other. `all`: the long tail too.
[[nodiscard]] std::vector<VulkanBenchmark> vulkan_benchmarks(bool all);

/// Measures benchmarks, keeping images and pipelines from one to the next as long as they fit.
class VulkanRunner {
 public:
  static Result<std::unique_ptr<VulkanRunner>> create(std::unique_ptr<Gpu> gpu, const Schedule& schedule);
  VulkanRunner(const VulkanRunner&) = delete;
  VulkanRunner& operator=(const VulkanRunner&) = delete;
  ~VulkanRunner();

  /// Checks the output of the technique, unless the last call did, then times it in turns with speed of light.
  /// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const VulkanBenchmark& benchmark);

  /// The device and the timer, for benchmarks of other techniques; they take turns with this runner's.
  [[nodiscard]] const Gpu& gpu() const { return *gpu_; }
  [[nodiscard]] VulkanTimer& timer() { return *timer_; }

  /// Frees the images of the last measurement.
  void release();

  /// Which mapping of speed_of_light.comp was faster on the images of the last measurement.
  [[nodiscard]] std::string speed_of_light_mapping() const;

 private:
  struct Work;  // what belongs to one set of images
  VulkanRunner(std::unique_ptr<Gpu> gpu, std::unique_ptr<VulkanTimer> timer);

  Result<void> prepare_images(const PyramidCase& pyramid);
  Result<void> choose_speed_of_light();
  Result<void> prepare_read_only();
  Result<void> prepare_technique(const VulkanBenchmark& benchmark);
  Result<void> verify(const VulkanBenchmark& benchmark, const VulkanTechnique& technique);
  Result<void> verify_tiles(const VulkanBenchmark& benchmark, const VulkanTechnique& technique);
  Result<Levels> run_once(const VulkanTechnique& technique);
  Result<const Levels*> expected_levels(const PyramidOptions& options);

  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<VulkanTimer> timer_;
  std::unique_ptr<Work> work_;
};

/// Registers `benchmarks`; each adds its row to the report, or a failure. Without a runner they can be listed only.
void register_vulkan(const std::vector<VulkanBenchmark>& benchmarks, VulkanRunner* runner, Report& report);

}  // namespace onepass::bench
