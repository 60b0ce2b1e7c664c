// engine.hpp: chooses the CPU or a Vulkan device once per execution of the program, and calls the library on it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "onepass/luminance.hpp"
#include "onepass/tile_reduction.hpp"
#include "onepass/tone_map.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "pyramid_options.hpp"

namespace onepass::cli {

/// Which engine computed a result, and its cost.
struct EngineReport {
  std::string engine;  ///< "cpu" or "vulkan".
  std::string device;  ///< Name of the Vulkan device; empty for the CPU.
  std::string path;    ///< "single_dispatch" or "per_level"; of a tile reduction "tree" or "subgroup"; else empty.
  std::string note;    ///< Why the CPU replaced the device, if it did.
  size_t dispatches = 0;
  uint64_t bytes_read = 0;     ///< Predicted.
  uint64_t bytes_written = 0;  ///< Predicted.
  double gpu_microseconds = 0;
};

/// The engine of one execution of the program.
class EngineChoice {
 public:
  /// Opens the device, if one is wanted. `auto` falls back to the CPU if no usable hardware GPU exists.
  /// Errors: kNotFound, kUnsupported, kDevice; only when a device was asked for.
  static Result<EngineChoice> choose(const Request& request);

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

  /// The device; null for the CPU.
  [[nodiscard]] const vulkan::Device* device() const { return device_ ? &*device_ : nullptr; }

  /// Whether `auto` chose the device, so that the CPU may replace it.
  [[nodiscard]] bool may_fall_back() const { return may_fall_back_; }

  /// "cpu", or the name of the device.
  [[nodiscard]] std::string name() const { return device_ ? device_->info().name : "cpu"; }

 private:
  Result<EngineReport> make_on_cpu(const PyramidOptions& options, const ImageView& source,
                                   std::span<const MutableImageView> levels, std::optional<Rect> changed) const;
  Result<EngineReport> make_on_vulkan(const PyramidOptions& options, const ImageView& source,
                                      std::span<const MutableImageView> levels, std::optional<Rect> changed) const;
  Result<EngineReport> reduce_on_cpu(const TileReductionOptions& options, const ImageView& source,
                                     const MutableImageView& target) const;
  Result<EngineReport> reduce_on_vulkan(const TileReductionOptions& options, const ImageView& source,
                                        const MutableImageView& target) const;

  template <typename Run>
  Result<EngineReport> with_fallback(const Run& run) const;

  std::optional<vulkan::Device> device_;
  bool may_fall_back_ = false;  // to the CPU, when the device cannot do the work
  PyramidPath path_ = PyramidPath::kAuto;
  uint32_t threads_ = 0;
};

}  // namespace onepass::cli
