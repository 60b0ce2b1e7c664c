// cpu_tile_reduction.cpp: C functions for tile reductions in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_tile_reduction {
  cpu::TileReduction object;
};

extern "C" {

onepass_code onepass_cpu_tile_reduction_create(const onepass_tile_reduction_options* options,
                                               const onepass_cpu_tuning* tuning, onepass_cpu_tile_reduction** tiles,
                                               onepass_error* error) {
  return create_on_cpu<cpu::TileReduction>(options, tuning, tiles, error);
}

void onepass_cpu_tile_reduction_destroy(onepass_cpu_tile_reduction* tiles) { delete tiles; }

onepass_code onepass_cpu_tile_reduction_reduce(const onepass_cpu_tile_reduction* tiles,
                                               const onepass_image_view* source,
                                               const onepass_mutable_image_view* target, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(tiles, "tiles"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return tiles->object.reduce(*from, *to);
  });
}

}  // extern "C"
