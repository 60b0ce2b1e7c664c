// engine.hpp: chooses the CPU or a Vulkan device once per execution of the program, and calls the library on it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onepass/luminance.hpp"
#include "onepass/tile_reduction.hpp"
#include "onepass/tone_map.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "request.hpp"

namespace onepass::cli {

/// Which engine computed a result, and its cost.
struct EngineReport {
  std::string engine = "cpu";  ///< Or "vulkan".
  std::string device;          ///< Name of the Vulkan device; empty for the CPU.
  std::string path;  ///< "single_dispatch", "two_dispatches" or "per_level"; of a tile reduction "tree" or "subgroup";
                     ///< else empty.
  std::string note;  ///< Why the CPU replaced the device, if it did.
  size_t dispatches = 0;
  uint64_t bytes_read = 0;     ///< Predicted.
  uint64_t bytes_written = 0;  ///< Predicted.
  double gpu_microseconds = 0;
};

/// The text of a file of tunings, which is valid; empty without a name. Errors: kIo; kInvalidArgument, naming
/// the line and the field.
[[nodiscard]] Result<std::string> read_tunings(const std::string& name);

/// The engine of one execution of the program.
class EngineChoice {
 public:
  /// Opens the device, if one is wanted, or with --device all every GPU; without a GPU and with --engine vulkan every
  /// software device. `auto` falls back to the CPU if no usable hardware GPU exists.
  /// Errors: kNotFound, kUnsupported, kDevice; only when a device was asked for.
  static Result<EngineChoice> choose(const Request& request, PyramidPath path = PyramidPath::kAuto);

  /// The engine of one unit: the device that the unit's number selects, if there are several.
  [[nodiscard]] EngineChoice for_unit(size_t index) const;

  /// Sets the number of CPU threads; 0: all.
  void set_threads(uint32_t threads) { threads_ = threads; }

  /// Makes levels[0], levels[1], ... = levels 1, 2, ... of the pyramid of `source`; with `changed`, updates them.
  Result<EngineReport> make(const PyramidOptions& options, const ImageView& source,
                            std::span<const MutableImageView> levels, std::optional<Rect> changed) const;

  /// Writes the tile reduction of `source` to `target`.
  Result<EngineReport> reduce(const TileReductionOptions& options, const ImageView& source,
                              const MutableImageView& target) const;

  /// Meters all slices of `source`.
  Result<EngineReport> meter(const MeterOptions& options, const ImageView& source, std::span<MeterResult> results,
                             const MeterFrame& frame, const ImageView& mask) const;

  /// Tone maps all slices of `source`.
  Result<EngineReport> map_tones(const ToneMapOptions& options, const ImageView& source, const MutableImageView& target,
                                 float exposure) const;

  /// The device, or the first of several; null for the CPU.
  [[nodiscard]] const vulkan::Device* device() const { return gpus_.empty() ? nullptr : &gpus_.front()->device; }

  /// Calls run(device), with the device locked, or run(nullptr) for the CPU. The CPU takes the place of a device that
  /// `auto` chose and that cannot do the work, unless the input is the cause; the report's note says why. A lost device
  /// is not used again.
  template <typename Run>
  Result<EngineReport> with_fallback(const Run& run) const;

  /// The name of the device; with --device all, also its number in `onepass info`: "NAME [1]". The names of several
  /// devices are separated by commas. Empty for the CPU.
  [[nodiscard]] std::string name() const;

 private:
  Result<EngineReport> make_on_cpu(const PyramidOptions& options, const ImageView& source,
                                   std::span<const MutableImageView> levels, std::optional<Rect> changed) const;
  Result<EngineReport> make_on_vulkan(const vulkan::Device& device, const PyramidOptions& options,
                                      const ImageView& source, std::span<const MutableImageView> levels,
                                      std::optional<Rect> changed) const;
  Result<EngineReport> reduce_on_cpu(const TileReductionOptions& options, const ImageView& source,
                                     const MutableImageView& target) const;

  struct Gpu {
    Gpu(vulkan::Device opened, std::string called) : device(std::move(opened)), name(std::move(called)) {}
    vulkan::Device device;
    std::string name;
    std::mutex busy;
    std::atomic<bool> lost = false;
  };
  std::vector<std::shared_ptr<Gpu>> gpus_;
  bool may_fall_back_ = false;  // to the CPU, when the device cannot do the work
  PyramidPath path_ = PyramidPath::kAuto;
  uint32_t threads_ = 0;
};

template <typename Run>
Result<EngineReport> EngineChoice::with_fallback(const Run& run) const {
  if (gpus_.empty()) return run(nullptr);
  Gpu& gpu = *gpus_.front();
  if (gpu.lost) {
    auto made = run(nullptr);
    if (made) made->note = gpu.name + ": the device is lost";
    return made;
  }
  auto made = [&] {
    const std::scoped_lock lock(gpu.busy);
    return run(&gpu.device);
  }();
  if (made) {
    made->engine = "vulkan";
    made->device = name();
    return made;
  }
  const ErrorCode code = made.error().code;
  const bool wrong_input = code == ErrorCode::kInvalidArgument || code == ErrorCode::kBadData;
  if (!may_fall_back_ || wrong_input) return made;
  if (code == ErrorCode::kDeviceLost) gpu.lost = true;
  auto again = run(nullptr);
  if (again) again->note = made.error().text();
  return again;
}

}  // namespace onepass::cli
