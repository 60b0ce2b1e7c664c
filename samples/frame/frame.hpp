// frame.hpp: one frame, in one command buffer. record() is the order of the techniques.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "culling.hpp"
#include "display.hpp"
#include "effects.hpp"
#include "reflections.hpp"

namespace samples::frame {

/// The steps of a frame that are timed, in their order.
enum class Step : uint32_t {
  kEarlyList,
  kEarlyDepth,
  kFarthest,
  kLateList,
  kLateDepth,
  kMinMax,
  kColour,
  kReflections,
  kReflected,
  kParticles,
  kFog,
  kCompose,
  kMeter,
  kBloom,
  kToneMap,
};
inline constexpr uint32_t kSteps = 15;
[[nodiscard]] const char* step_name(Step step);

/// The lists that a frame is drawn from.
enum class Drawing : uint32_t {
  kCulled,  ///< Two-phase occlusion culling.
  kInView,  ///< Objects in view.
  kAll,     ///< All objects: the reference.
};

/// The reflections of a frame.
enum class Reflect : uint32_t {
  kNone,      ///< Those of the surroundings only.
  kOneFrame,  ///< Rays of one frame without filter, always the same ones: for frames that are compared.
  kSettled,   ///< With history and filter.
};

/// The techniques of a frame. Results without the pyramid are the same: only times differ.
struct Techniques {
  Drawing drawing = Drawing::kCulled;
  Reflect reflect = Reflect::kSettled;
  bool particles = true;
  bool cell_first = true;  ///< Particles are tested against the pyramid first.
  bool fog = true;
  bool fog_bounded = true;  ///< Columns end behind their tiles' farthest depths.
  bool bloom = true;
  bool local_exposure = false;  ///< Needs bloom.
};

/// Time and place of a frame.
struct Moment {
  float time = 0;     ///< Along the path, 0 to 1.
  float seconds = 0;  ///< Since the frame before.
  bool cut = true;    ///< Exposure does not adapt; the frame before is no history.
};

struct FrameResult {
  std::array<double, kSteps> microseconds{};
  double total = 0;  ///< Microseconds.
  Counters counters{};
  uint32_t in_view = 0;  ///< Objects; only with Drawing::kInView.
  uint32_t early = 0;
  uint32_t late = 0;
  onepass::MeterResult meter;
};

/// Mean confidence of the texels that reflect.
[[nodiscard]] inline double mean_confidence(const Counters& counters) {
  return counters.reflecting > 0 ? counters.confidence / 16.0 / counters.reflecting : 0;
}

/// A comparison of a frame with the one that was kept.
enum class Compare : uint32_t { kNone, kKeep, kCompare };

class FrameLoop {
 public:
  FrameLoop(Gpu& gpu, const Scene& scene, const Options& options);

  /// Draws a frame. One with Reflect::kOneFrame does not become the history of the next one.
  FrameResult draw(const Moment& moment, const Techniques& techniques, Compare compare = Compare::kNone);

  /// Reflects the frame that was drawn last once more, by `reflections`; see Reflections::record().
  void reflect(const Reflections& reflections, uint32_t index, bool reset);
  /// Reflects it with the rays of one frame alone.
  void reflect_one_frame() { reflect(one_frame_, index_, true); }
  /// Reflects it `count` times more with Reflect::kSettled, as further frames of a still camera do. The frame has
  /// Moment::cut.
  void settle(uint32_t count);

  [[nodiscard]] const Targets& targets() const { return targets_; }
  [[nodiscard]] const Pyramids& pyramids() const { return pyramids_; }
  [[nodiscard]] const Culling& culling() const { return culling_; }
  [[nodiscard]] const Display& display() const { return display_; }
  [[nodiscard]] double shadow_microseconds() const { return shadow_microseconds_; }  ///< Of the shadow map, drawn once.

 private:
  [[nodiscard]] FrameParams params(const Moment& moment) const;
  void record(VkCommandBuffer commands, const FrameParams& frame, const Moment& moment, const Techniques& techniques,
              Compare compare) const;
  void record_geometry(VkCommandBuffer commands, const Techniques& techniques) const;
  void record_reflections(VkCommandBuffer commands, const FrameParams& frame, Reflect reflect, bool cut) const;
  void record_effects(VkCommandBuffer commands, const FrameParams& frame, const Techniques& techniques) const;
  void record_readback(VkCommandBuffer commands) const;
  void stamp(VkCommandBuffer commands, uint32_t index) const;
  void done(VkCommandBuffer commands, Step step) const { stamp(commands, 1 + static_cast<uint32_t>(step)); }
  [[nodiscard]] FrameResult read_result() const;

  Gpu& gpu_;
  const Scene& scene_;
  Options options_;
  Targets targets_;
  SceneBuffers buffers_;
  Geometry geometry_;
  Pyramids pyramids_;
  Culling culling_;
  Reflections settled_;
  Reflections one_frame_;
  Effects effects_;
  Display display_;
  FrameParams drawn_{};                 ///< Of the last frame.
  std::optional<FrameParams> history_;  ///< Of the last frame that is history.
  uint32_t index_ = 0;                  ///< Of the frame's random rays.
  VkQueryPool stamps_ = VK_NULL_HANDLE;
  Buffer results_;
  double shadow_microseconds_ = 0;
};

}  // namespace samples::frame
