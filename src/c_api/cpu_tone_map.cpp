// cpu_tone_map.cpp: C functions for tone maps in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_tone_map {
  cpu::ToneMap object;
};

extern "C" {

onepass_code onepass_cpu_tone_map_create(const onepass_tone_map_options* options, const onepass_cpu_tuning* tuning,
                                         onepass_cpu_tone_map** map, onepass_error* error) {
  return create_on_cpu<cpu::ToneMap>(options, tuning, map, error);
}

void onepass_cpu_tone_map_destroy(onepass_cpu_tone_map* map) { delete map; }

onepass_code onepass_cpu_tone_map_apply(const onepass_cpu_tone_map* map, const onepass_image_view* source,
                                        const onepass_mutable_image_view* target, float exposure,
                                        onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(map, "map"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return map->object.apply(*from, *to, exposure);
  });
}

}  // extern "C"
