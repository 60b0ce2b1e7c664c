// cpu.cpp: cpu::FrameToneMap: meters a frame in bands of rows, and maps each band on the same thread as soon as it is
// metered, while it is in the cache.
#include <new>

#include "onepass/frame_tone_map.hpp"

namespace onepass::cpu {

Result<FrameToneMap> FrameToneMap::create(const FrameToneMapOptions& options, const FrameToneMapTuning& tuning) {
  const auto plan = plan_frame_tone_map(options);
  if (!plan) return plan.error();
  auto meter = Meter::create(options.meter, {.threads = tuning.threads});
  if (!meter) return meter.error();
  auto map = ToneMap::create(options.tone, {.threads = tuning.threads});
  if (!map) return map.error();
  return FrameToneMap(*plan, std::move(*meter), std::move(*map));
}

Result<void> FrameToneMap::apply(const ImageView& source, const MutableImageView& target,
                                 std::span<MeterResult> results, const MeterFrame& frame, const ImageView& mask) const {
  if (auto checked = map_.check(source, target); !checked) return checked;
  const uint32_t height = map_.options().size.height;
  const Rect rect = meter_.plan().rect;
  try {
    // Takes the exposures of the previous frame, before metering overwrites them.
    const uint32_t slices = map_.options().slices;
    for (uint32_t slice = 0; slice < slices && slice < results.size(); ++slice) {
      map_.prepare(slice, results[slice].exposure);
    }
    const auto map_rows = [&](uint32_t slice, uint32_t first, uint32_t count) {
      map_.apply_rows(source, target, slice, first, count);
    };
    auto done = meter_.measure_rows(source, results, frame, mask, map_rows);
    if (!done) return done;
    for (uint32_t slice = 0; slice < slices; ++slice) {  // rows above and below the metered rectangle
      map_rows(slice, 0, rect.y);
      map_rows(slice, rect.y + rect.height, height - rect.y - rect.height);
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for a frame", ""};
  }
  return {};
}

}  // namespace onepass::cpu
