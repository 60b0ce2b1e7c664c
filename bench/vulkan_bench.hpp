// vulkan_bench.hpp: the benchmarks of the Vulkan engine, registered with Google Benchmark.
#pragma once

#include <memory>
#include <vector>

#include "report.hpp"
#include "vulkan_timer.hpp"

namespace onepass::bench {

/// The timed technique or baseline.
enum class VulkanPath {
  kSingleDispatch,
  kSingleDispatchOwn,     ///< The same with pipelines of this size alone.
  kSingleDispatchLinear,  ///< Linear samples of sRGB.
  kPerLevel,
  kMipFilter,  ///< A filter other than the box.
  kTileTree,
  kTileSubgroup,
  kSpeedOfLight,
  kBlit,
  kEmpty,
  kReadOnly,    ///< The reference of tile reductions.
  kFourLevels,  ///< Levels 1 to 4, one dispatch each: the alternative to a tile reduction by 16.
};

/// One benchmark.
struct VulkanBenchmark {
  PyramidCase pyramid;  ///< For a baseline only its images count.
  VulkanPath path = VulkanPath::kSingleDispatch;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] bool baseline() const { return path >= VulkanPath::kSpeedOfLight; }
  [[nodiscard]] bool tiles() const { return path >= VulkanPath::kTileTree && path <= VulkanPath::kTileSubgroup; }
  /// True if the reference is read_only instead of speed_of_light.
  [[nodiscard]] bool beside_read_only() const { return tiles() || path >= VulkanPath::kReadOnly; }
  [[nodiscard]] std::string name() const;
};

/// All benchmarks; benchmarks on the same images are consecutive. `all`: also very large images, and every mode.
[[nodiscard]] std::vector<VulkanBenchmark> vulkan_benchmarks(bool all);

/// Measures benchmarks. Reuses images and pipelines of the last benchmark if the next one needs the same.
class VulkanRunner {
 public:
  static Result<std::unique_ptr<VulkanRunner>> create(std::unique_ptr<Gpu> gpu, const Schedule& schedule);
  VulkanRunner(const VulkanRunner&) = delete;
  VulkanRunner& operator=(const VulkanRunner&) = delete;
  ~VulkanRunner();

  /// Checks the output of the technique, unless the last call did. Then times it, alternating with speed of light or,
  /// for tile reductions, read_only.
  /// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const VulkanBenchmark& benchmark);

  /// The device and the timer, for benchmarks of other techniques. Only one runner may use them at a time.
  [[nodiscard]] const Gpu& gpu() const { return *gpu_; }
  [[nodiscard]] VulkanTimer& timer() { return *timer_; }

  /// Frees the images of the last measurement.
  void release();

  /// The mapping of speed_of_light.comp that was faster on the images of the last measurement.
  [[nodiscard]] std::string speed_of_light_mapping() const;

 private:
  struct Work;  // an ImageSets and the objects that use it
  VulkanRunner(std::unique_ptr<Gpu> gpu, std::unique_ptr<VulkanTimer> timer);

  Result<void> prepare_images(const PyramidCase& pyramid, bool whole_tiles);
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

/// Registers `benchmarks`. Each adds its row or a failure to the report. With a null runner they can only be listed.
void register_vulkan(const std::vector<VulkanBenchmark>& benchmarks, VulkanRunner* runner, Report& report);

}  // namespace onepass::bench
