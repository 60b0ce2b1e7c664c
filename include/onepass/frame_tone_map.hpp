// frame_tone_map.hpp: tone mapping of video. Each frame is read once, mapped with the exposure from the previous frame,
// and metered for the next frame.
//
//     frame n --+--> tone map --> picture n         reads the frame once instead of twice
//               |       ^
//               |    exposure that frame n - 1 led to
//               +--> meter --> exposure for frame n + 1
//
// The exposure is one frame late, which adaptation hides: at 60 frames per second it changes by 1/20 of a stop per
// frame. Where a late exposure would be visible, after a cut, meter and map the frame separately: cpu::Meter, then
// cpu::ToneMap.
//
//     onepass::FrameToneMapOptions options{.meter = {.size = size, .source = Format::kRGBA16Sfloat},
//                                          .tone = {.size = size, .source = Format::kRGBA16Sfloat,
//                                                   .target = Format::kRGBA8Srgb}};
//     auto frames = onepass::cpu::FrameToneMap::create(options);
//     std::array<onepass::MeterResult, 1> state{};  // zeroed: the first frame is mapped with exposure 1
//     auto done = frames->apply(scene, picture, state, {.seconds = dt, .cut = first});
//
// onepass/vulkan/frame_tone_map.hpp is the GPU version, in one dispatch.
#pragma once

#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/luminance.hpp"
#include "onepass/tone_map.hpp"

namespace onepass {

/// Options of the meter and of the tone map. Both have the same size, slices and source, and local exposure is off. The
/// metered rectangle may be a part of the image; the whole image is mapped.
struct FrameToneMapOptions {
  MeterOptions meter{};
  ToneMapOptions tone{};
};

/// The minimum memory traffic of a frame.
struct FrameToneMapPlan {
  uint64_t bytes_read = 0;     ///< The source of all slices, read once; a mask, once per slice.
  uint64_t bytes_written = 0;  ///< The target of all slices, written once, and one MeterResult per slice.
};

/// Validates the options and computes the plan.
/// Errors: those of plan_meter() and plan_tone_map(); kInvalidArgument if size, slices or source differ or local
/// exposure is on.
[[nodiscard]] ONEPASS_API Result<FrameToneMapPlan> plan_frame_tone_map(const FrameToneMapOptions& options);

namespace cpu {

/// Tuning of the CPU engine; it never changes a result.
struct FrameToneMapTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = usable_threads().
};

/// Maps and meters frames in host memory: each band of rows is metered, then mapped while it is in a cache.
///
/// Results are bit-identical to those of Meter and ToneMap, for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API FrameToneMap {
 public:
  /// Validates the options and creates the meter and the tone map.
  /// Errors: those of plan_frame_tone_map(), kOutOfMemory.
  static Result<FrameToneMap> create(const FrameToneMapOptions& options, const FrameToneMapTuning& tuning = {});

  /// Maps every slice with the value of results[slice].exposure before the call (times options.tone.exposure; see
  /// usable_exposure()), then meters it into results[slice] as Meter::measure() does. The target may be the source if
  /// the formats of both views have the same number of bytes per texel. Cost: reads the source once, writes the target
  /// once. Errors: kInvalidArgument if a view, the number of results or frame.seconds is not valid; kOutOfMemory.
  [[nodiscard]] Result<void> apply(const ImageView& source, const MutableImageView& target,
                                   std::span<MeterResult> results, const MeterFrame& frame = {},
                                   const ImageView& mask = {}) const;

  [[nodiscard]] const FrameToneMapPlan& plan() const { return plan_; }  ///< The plan of the options given to create().

 private:
  FrameToneMap(FrameToneMapPlan plan, Meter meter, ToneMap map)
      : plan_(plan), meter_(std::move(meter)), map_(std::move(map)) {}
  FrameToneMapPlan plan_;
  Meter meter_;
  ToneMap map_;
};

}  // namespace cpu
}  // namespace onepass
