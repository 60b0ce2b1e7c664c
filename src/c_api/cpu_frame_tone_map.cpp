// cpu_frame_tone_map.cpp: C functions that meter and map video frames in host memory in one pass.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_frame_tone_map {
  cpu::FrameToneMap object;
};

extern "C" {

onepass_code onepass_cpu_frame_tone_map_create(const onepass_meter_options* meter, const onepass_tone_map_options* tone,
                                               const onepass_cpu_tuning* tuning, onepass_cpu_frame_tone_map** frames,
                                               onepass_error* error) {
  const FrameOptionPair options{meter, tone};
  return create_on_cpu<cpu::FrameToneMap>(&options, tuning, frames, error);
}

void onepass_cpu_frame_tone_map_destroy(onepass_cpu_frame_tone_map* frames) { delete frames; }

onepass_code onepass_cpu_frame_tone_map_apply(const onepass_cpu_frame_tone_map* frames,
                                              const onepass_image_view* source,
                                              const onepass_mutable_image_view* target, onepass_meter_result* results,
                                              size_t result_count, const onepass_meter_frame* frame,
                                              const onepass_image_view* mask, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(frames, "frames"); !there) return there;
    if (auto there = require(results, "results"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    auto weights = mask_of(mask);
    if (!weights) return weights.error();
    return frames->object.apply(*from, *to, {reinterpret_cast<MeterResult*>(results), result_count}, frame_of(frame),
                                *weights);
  });
}

}  // extern "C"
