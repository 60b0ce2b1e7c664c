// cases.hpp: the measured pyramids as data, and the words of benchmark names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "onepass/pyramid.hpp"
#include "onepass/tile_reduction.hpp"
#include "onepass/words.hpp"

namespace onepass::bench {

/// When a case runs.
enum class Run {
  kAlways,
  kAll,  ///< With --all only.
};

/// One pyramid.
struct PyramidCase {
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  Extent size;
  uint32_t slices = 1;
  Reduction reduction = Reduction::kMean;
  Footprint footprint = Footprint::kAligned;
  Run run = Run::kAlways;
  MipFilter filter = MipFilter::kBox;

  [[nodiscard]] PyramidOptions options() const {
    return {.size = size,
            .slices = slices,
            .source = source,
            .target = target,
            .reduction = reduction,
            .footprint = footprint,
            .filter = {.kind = filter}};
  }
};

/// Cases of the Vulkan engine. Cases with the same formats, size and slices are consecutive.
[[nodiscard]] std::span<const PyramidCase> vulkan_cases();

/// Cases of the CPU engine, ordered in the same way.
[[nodiscard]] std::span<const PyramidCase> cpu_cases();

/// Cases of tile reductions by a factor of 16: the coarse image has the size of level 4 of the pyramid.
[[nodiscard]] std::span<const PyramidCase> tile_cases();
inline constexpr uint32_t kTileFactor = 16;
inline constexpr uint32_t kTileLevel = 4;
[[nodiscard]] TileReductionOptions tile_options(const PyramidCase& pyramid);

/// True if both cases use images of the same formats, size and slices.
[[nodiscard]] bool same_images(const PyramidCase& a, const PyramidCase& b);

/// True if both options make the same levels of the same image.
[[nodiscard]] bool same_levels(const PyramidOptions& a, const PyramidOptions& b);

/// How timed calls follow each other, and whether their images are in caches.
enum class Mode {
  kThroughput,  ///< Many in a row, on images that are in no cache.
  kIsolated,    ///< Each alone between full barriers, on images that are in no cache.
  kWarm,        ///< Many in a row on the same images.
};

[[nodiscard]] std::string_view mode_word(Mode mode);         // as in names: "warm"
[[nodiscard]] std::string_view mode_description(Mode mode);  // as in tables: "warm throughput"
[[nodiscard]] std::string_view format_word(Format format);
[[nodiscard]] std::string format_word(const PyramidCase& pyramid);  // "r32f", or "r32f_rg32f" where they differ

/// "3840x2160", or "512x512x6" with slices.
[[nodiscard]] std::string size_word(const PyramidCase& pyramid);

}  // namespace onepass::bench
