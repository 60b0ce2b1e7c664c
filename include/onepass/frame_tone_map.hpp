// frame_tone_map.hpp: video: each frame is read once, mapped with the exposure that the frame before led to, and
// metered for the next one.
//
//     frame n --+--> tone map --> picture n         reads the frame once instead of twice
//               |       ^
//               |    exposure that frame n - 1 led to
//               +--> meter --> exposure for frame n + 1
//
// Exposure is a frame late, which adaptation hides: at 60 frames a second it moves by 1/20 of a stop meanwhile. Where
// that would show, after a cut, meter and map the frame apart: cpu::Meter, then cpu::ToneMap.
//
//     onepass::FrameToneMapOptions options{.meter = {.size = size, .source = Format::kRGBA16Sfloat},
//                                          .tone = {.size = size, .source = Format::kRGBA16Sfloat,
//                                                   .target = Format::kRGBA8Srgb}};
//     auto frames = onepass::cpu::FrameToneMap::create(options);
//     std::array<onepass::MeterResult, 1> state{};  // zeroed: the first frame is mapped with exposure 1
//     auto done = frames->process(scene, picture, state, {.seconds = dt, .cut = first});
//
// onepass/vulkan/frame_tone_map.hpp is the same on a GPU, in one dispatch.
#pragma once

#include <memory>
#include <span>

#include "onepass/export.h"
#include "onepass/luminance.hpp"
#include "onepass/tone_map.hpp"

namespace onepass {

/// What is metered and what is made. Size, slices and source of the two are the same. The metered rectangle may be a
/// part of the image; all of it is mapped.
struct FrameToneMapOptions {
  MeterOptions meter{};
  ToneMapOptions tone{};
};

/// What a frame costs at least.
struct FrameToneMapPlan {
  uint64_t bytes_read = 0;     ///< The source of all slices, once; a mask once a slice.
  uint64_t bytes_written = 0;  ///< The target of all slices, once, and a MeterResult a slice.
};

/// Validates the options and counts bytes.
/// Errors: those of plan_meter and plan_tone_map; kInvalidArgument where size, slices or source differ.
[[nodiscard]] ONEPASS_API Result<FrameToneMapPlan> plan_frame_tone_map(const FrameToneMapOptions& options);

namespace cpu {

/// Options of the CPU engine that never change a result.
struct FrameToneMapTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = all the machine has.
};

/// Frames in host memory: bands of rows are metered, then mapped while they are in a cache.
///
/// The same bits as from Meter and ToneMap, for any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API FrameToneMap {
 public:
  /// Errors: those of plan_frame_tone_map, kOutOfMemory.
  static Result<FrameToneMap> create(const FrameToneMapOptions& options, const FrameToneMapTuning& tuning = {});

  /// Maps every slice with results[slice].exposure as it is before the call (times options.tone.exposure; see
  /// usable_exposure()), and meters it into results[slice] as Meter::measure does. The target may be the source where
  /// formats have the same number of bytes a texel.
  /// Errors: kInvalidArgument when a view, the number of results or frame.seconds does not fit, kOutOfMemory.
  [[nodiscard]] Result<void> process(const ImageView& source, const MutableImageView& target,
                                     std::span<MeterResult> results, const MeterFrame& frame = {},
                                     const ImageView& mask = {}) const;

  [[nodiscard]] const FrameToneMapPlan& plan() const { return plan_; }  ///< What it costs.

 private:
  FrameToneMap(FrameToneMapPlan plan, Meter meter, ToneMap map)
      : plan_(plan), meter_(std::move(meter)), map_(std::move(map)) {}
  FrameToneMapPlan plan_;
  Meter meter_;
  ToneMap map_;
};

}  // namespace cpu
}  // namespace onepass
