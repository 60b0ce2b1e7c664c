// tile_reduction.cpp: options and plans for C.
#include "c_api/options.hpp"

namespace onepass::c_api {
namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_tile_reduction_options) == 40);

onepass_tile_reduction_options tile_reduction_defaults() {
  const TileReductionOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .slices = o.slices,
          .source = number(o.source),
          .target = number(o.target),
          .reduction = number(o.reduction),
          .factor = o.factor,
          .samples = o.samples};
}

}  // namespace

Result<TileReductionOptions> read_options(const onepass_tile_reduction_options* options) {
  auto o = read_struct("options", options, tile_reduction_defaults());
  if (!o) return o.error();
  return TileReductionOptions{.size = to_cpp(o->size),
                              .slices = o->slices,
                              .source = static_cast<Format>(o->source),
                              .target = static_cast<Format>(o->target),
                              .reduction = static_cast<Reduction>(o->reduction),
                              .factor = o->factor,
                              .samples = samples_of(o->samples)};
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_tile_reduction_options_init(onepass_tile_reduction_options* options, size_t struct_size) {
  write_struct(options, struct_size, tile_reduction_defaults());
}

onepass_code onepass_plan_tile_reduction(const onepass_tile_reduction_options* options,
                                         onepass_tile_reduction_plan* plan, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_options(options);
    if (!o) return o.error();
    auto made = plan_tile_reduction(*o);
    if (!made) return made.error();
    write_result(plan, {.struct_size = 0,
                        .bytes_read = made->bytes_read,
                        .bytes_written = made->bytes_written,
                        .size = to_c(made->size)});
    return {};
  });
}

}  // extern "C"
