// pyramid.cpp: options and plans for C.
#include "c_api/options.hpp"
#include "onepass/pyramid_stream.hpp"

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_REDUCTION_MEAN == number(Reduction::kMean));
static_assert(ONEPASS_REDUCTION_MIN == number(Reduction::kMin));
static_assert(ONEPASS_REDUCTION_MAX == number(Reduction::kMax));
static_assert(ONEPASS_REDUCTION_MIN_MAX == number(Reduction::kMinMax));
static_assert(ONEPASS_REDUCTION_MODE == number(Reduction::kMode));
static_assert(ONEPASS_FOOTPRINT_ALIGNED == number(Footprint::kAligned));
static_assert(ONEPASS_FOOTPRINT_COVERING == number(Footprint::kCovering));
static_assert(ONEPASS_FOOTPRINT_TIGHT == number(Footprint::kTight));
static_assert(ONEPASS_FOOTPRINT_EDGE == number(Footprint::kEdge));
static_assert(ONEPASS_FOOTPRINT_CEIL == number(Footprint::kCeil));
static_assert(ONEPASS_ALPHA_INDEPENDENT == number(Alpha::kIndependent));
static_assert(ONEPASS_ALPHA_WEIGHTED == number(Alpha::kWeighted));
static_assert(ONEPASS_ALPHA_COVERAGE == number(Alpha::kCoverage));
static_assert(ONEPASS_NORMAL_MAP_OFF == number(NormalMap::kOff));
static_assert(ONEPASS_NORMAL_MAP_RENORMALIZE == number(NormalMap::kRenormalize));
static_assert(std::size(onepass_pyramid_plan{}.sizes) == kMaxLevels);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_pyramid_options) == 56);

onepass_pyramid_options pyramid_defaults() {
  const PyramidOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .slices = o.slices,
          .levels = o.levels,
          .source = number(o.source),
          .target = number(o.target),
          .reduction = number(o.reduction),
          .footprint = number(o.footprint),
          .alpha = number(o.alpha),
          .alpha_threshold = o.alpha_threshold,
          .normal_map = number(o.normal_map),
          .samples = o.samples};
}

}  // namespace

Result<PyramidOptions> read_options(const onepass_pyramid_options* options) {
  auto o = read_struct("options", options, pyramid_defaults());
  if (!o) return o.error();
  return PyramidOptions{.size = to_cpp(o->size),
                        .slices = o->slices,
                        .levels = o->levels,
                        .source = static_cast<Format>(o->source),
                        .target = static_cast<Format>(o->target),
                        .reduction = static_cast<Reduction>(o->reduction),
                        .footprint = static_cast<Footprint>(o->footprint),
                        .alpha = static_cast<Alpha>(o->alpha),
                        .alpha_threshold = o->alpha_threshold,
                        .normal_map = static_cast<NormalMap>(o->normal_map),
                        .samples = samples_of(o->samples)};
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

namespace {

/// Fills `plan` with the plan that `make` computes from the options.
onepass_code write_plan(const onepass_pyramid_options* options, onepass_pyramid_plan* plan, onepass_error* error,
                        Result<PyramidPlan> (*make)(const PyramidOptions&)) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_options(options);
    if (!o) return o.error();
    auto made = make(*o);
    if (!made) return made.error();
    onepass_pyramid_plan out{};
    out.bytes_read = made->bytes_read;
    out.bytes_written = made->bytes_written;
    out.levels = made->levels;
    for (uint32_t n = 0; n < made->levels; ++n) out.sizes[n] = to_c(made->sizes[n]);
    write_result(plan, out);
    return {};
  });
}

}  // namespace

extern "C" {

void onepass_pyramid_options_init(onepass_pyramid_options* options, size_t struct_size) {
  write_struct(options, struct_size, pyramid_defaults());
}

onepass_code onepass_plan_pyramid(const onepass_pyramid_options* options, onepass_pyramid_plan* plan,
                                  onepass_error* error) {
  return write_plan(options, plan, error, plan_pyramid);
}

onepass_code onepass_plan_pyramid_stream(const onepass_pyramid_options* options, onepass_pyramid_plan* plan,
                                         onepass_error* error) {
  return write_plan(options, plan, error, plan_pyramid_stream);
}

}  // extern "C"
