// light_cases.hpp: the measured meters and tone maps as data, the words of their names, and their images.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "onepass/frame_tone_map.hpp"

namespace onepass::bench {

/// The timed work.
enum class LightWork {
  kMeter,
  kToneMap,        ///< On the GPU its exposure comes from a buffer.
  kLocalExposure,  ///< A tone map with local exposure.
  kMeterAndMap,    ///< A meter, then a tone map.
  kFrame,          ///< Meter and tone map in one: FrameToneMap.
  kReadOnly,       ///< Only reads the image.
  kCopy,           ///< Copies as many bytes as a tone map moves.
};

/// Content of the image.
enum class LightContent {
  kNatural,   ///< Smooth bright and dark regions with edges between them, and a little noise.
  kConstant,  ///< All texels in one bin.
  kRandom,    ///< Uniform in [0, 1).
};

/// One case; the same on both engines.
struct LightCase {
  LightWork work = LightWork::kMeter;
  Format source = Format::kUndefined;
  Format target = Format::kRGBA8Srgb;  ///< Of tone maps.
  Extent size;
  ToneOperator tone_operator = ToneOperator::kAgxBlender;
  LightContent content = LightContent::kNatural;

  [[nodiscard]] bool meters() const {
    return work == LightWork::kMeter || work == LightWork::kMeterAndMap || work == LightWork::kFrame;
  }
  [[nodiscard]] bool maps() const {
    return work == LightWork::kToneMap || work == LightWork::kLocalExposure || work == LightWork::kMeterAndMap ||
           work == LightWork::kFrame;
  }
  [[nodiscard]] bool baseline() const { return work == LightWork::kReadOnly || work == LightWork::kCopy; }
  [[nodiscard]] MeterOptions meter() const { return {.size = size, .source = source}; }
  [[nodiscard]] ToneMapOptions tone() const;
  [[nodiscard]] bool same_images(const LightCase& other) const {
    return source == other.source && target == other.target && size == other.size && content == other.content;
  }
  /// The least that it can move.
  [[nodiscard]] uint64_t bytes() const;
  /// Formats, size and operator, the part of the name after the engine: "rgba16f_rgba8_srgb/3840x2160/agx".
  [[nodiscard]] std::string words() const;
  /// "meter/vulkan/rgba16f/3840x2160/natural".
  [[nodiscard]] std::string name(std::string_view engine) const;
  /// Name of the ratio to the case's reference: "x_read", "x_copy" or "x_apart".
  [[nodiscard]] std::string_view ratio_word() const;
};

/// One benchmark of the Vulkan engine.
struct LightVulkanBenchmark {
  LightCase light;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] std::string name() const { return light.name("vulkan") + "/" + std::string(mode_word(mode)); }
};

/// All benchmarks; benchmarks on the same images are consecutive. `all`: every mode.
[[nodiscard]] std::vector<LightVulkanBenchmark> light_vulkan_benchmarks(bool all);
[[nodiscard]] std::vector<LightCase> light_cpu_cases();

/// The image of a case.
[[nodiscard]] Result<Image> light_image(const LightCase& light);

/// Compares a meter's result with the CPU engine's. Returns the difference as text; empty if there is none.
[[nodiscard]] std::string meter_difference(const MeterResult& actual, const MeterResult& expected);

}  // namespace onepass::bench
