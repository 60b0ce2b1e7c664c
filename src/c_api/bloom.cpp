// bloom.cpp: options and plans of bloom for C.
#include "c_api/options.hpp"

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_BLOOM_CONVOLUTION == number(BloomMethod::kConvolution));
static_assert(ONEPASS_BLOOM_MIP_CHAIN == number(BloomMethod::kMipChain));
static_assert(ONEPASS_BLOOM_FULL == number(BloomResolution::kFull));
static_assert(ONEPASS_BLOOM_HALF == number(BloomResolution::kHalf));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_bloom_options) == 80);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_bloom_plan) == 64);

onepass_bloom_options bloom_defaults() {
  const BloomOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .slices = o.slices,
          .source = number(o.source),
          .target = number(o.target),
          .method = number(o.method),
          .resolution = number(o.resolution),
          .scatter = o.scatter,
          .threshold = o.threshold,
          .knee = o.knee,
          .kernel_width = o.kernel_width,
          .glare_field_of_view = o.glare.field_of_view,
          .glare_rays = o.glare.rays,
          .kernel_size = to_c(o.kernel_size),
          .kernel = number(o.kernel),
          .boundary = number(o.boundary),
          .spread = o.spread};
}

}  // namespace

Result<BloomOptions> read_options(const onepass_bloom_options* options) {
  auto o = read_struct("options", options, bloom_defaults());
  if (!o) return o.error();
  return BloomOptions{.size = to_cpp(o->size),
                      .slices = o->slices,
                      .source = static_cast<Format>(o->source),
                      .target = static_cast<Format>(o->target),
                      .method = static_cast<BloomMethod>(o->method),
                      .resolution = static_cast<BloomResolution>(o->resolution),
                      .scatter = o->scatter,
                      .threshold = o->threshold,
                      .knee = o->knee,
                      .kernel_width = o->kernel_width,
                      .glare = {.field_of_view = o->glare_field_of_view, .rays = o->glare_rays},
                      .kernel_size = to_cpp(o->kernel_size),
                      .kernel = static_cast<Format>(o->kernel),
                      .boundary = static_cast<Boundary>(o->boundary),
                      .spread = o->spread};
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_bloom_options_init(onepass_bloom_options* options, size_t struct_size) {
  write_struct(options, struct_size, bloom_defaults());
}

onepass_code onepass_plan_bloom(const onepass_bloom_options* options, onepass_bloom_plan* plan, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_options(options);
    if (!o) return o.error();
    auto made = plan_bloom(*o);
    if (!made) return made.error();
    write_result(plan, {.struct_size = 0,
                        .glow_size = to_c(made->glow_size),
                        .kernel_size = to_c(made->kernel_size),
                        .domain = to_c(made->domain),
                        .kernel_bytes = made->kernel_bytes,
                        .levels = made->levels,
                        .passes = made->passes,
                        .bytes_read = made->traffic.bytes_read,
                        .bytes_written = made->traffic.bytes_written});
    return {};
  });
}

}  // extern "C"
