// cpu_luminance.cpp: C functions for meters in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_meter {
  cpu::Meter object;
};

extern "C" {

onepass_code onepass_cpu_meter_create(const onepass_meter_options* options, const onepass_cpu_tuning* tuning,
                                      onepass_cpu_meter** meter, onepass_error* error) {
  return create_on_cpu<cpu::Meter>(options, tuning, meter, error);
}

void onepass_cpu_meter_destroy(onepass_cpu_meter* meter) { delete meter; }

onepass_code onepass_cpu_meter_measure(const onepass_cpu_meter* meter, const onepass_image_view* source,
                                       onepass_meter_result* results, size_t result_count,
                                       const onepass_meter_frame* frame, const onepass_image_view* mask,
                                       onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(meter, "meter"); !there) return there;
    if (auto there = require(results, "results"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto weights = mask_of(mask);
    if (!weights) return weights.error();
    return meter->object.measure(*from, {reinterpret_cast<MeterResult*>(results), result_count}, frame_of(frame),
                                 *weights);
  });
}

}  // extern "C"
