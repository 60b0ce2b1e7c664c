// fourier.cpp: options and plans for C.
#include "c_api/options.hpp"

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_SIGNAL_REAL == number(Signal::kReal));
static_assert(ONEPASS_SIGNAL_COMPLEX == number(Signal::kComplex));
static_assert(ONEPASS_NORM_BACKWARD == number(Norm::kBackward));
static_assert(ONEPASS_NORM_ORTHO == number(Norm::kOrtho));
static_assert(ONEPASS_NORM_FORWARD == number(Norm::kForward));
static_assert(ONEPASS_NORM_NONE == number(Norm::kNone));
static_assert(ONEPASS_SPECTRUM_ORDER_ROWS == number(SpectrumOrder::kRows));
static_assert(ONEPASS_SPECTRUM_ORDER_COLUMNS == number(SpectrumOrder::kColumns));
static_assert(ONEPASS_SPECTRUM_ORIGIN_CORNER == number(SpectrumOrigin::kCorner));
static_assert(ONEPASS_SPECTRUM_ORIGIN_CENTRE == number(SpectrumOrigin::kCentre));
static_assert(ONEPASS_SPECTRUM_PRECISION_FLOAT == number(SpectrumPrecision::kFloat));
static_assert(ONEPASS_SPECTRUM_PRECISION_HALF == number(SpectrumPrecision::kHalf));
static_assert(ONEPASS_BOUNDARY_ZERO == number(Boundary::kZero));
static_assert(ONEPASS_BOUNDARY_WRAP == number(Boundary::kWrap));
static_assert(ONEPASS_BOUNDARY_CLAMP == number(Boundary::kClamp));
static_assert(ONEPASS_BOUNDARY_MIRROR == number(Boundary::kMirror));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_transform_options) == 104);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_transform_plan) == 88);

onepass_transform_options transform_defaults() {
  const TransformOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .slices = o.slices,
          .channels = o.channels,
          .signal = number(o.signal),
          .source = number(o.source),
          .target = number(o.target),
          .crop = to_c(o.crop),
          .placement = {o.placement.x, o.placement.y},
          .boundary = number(o.boundary),
          .result = to_c(o.result),
          .norm = number(o.norm),
          .order = number(o.order),
          .origin = number(o.origin),
          .precision = number(o.precision),
          .peak = o.peak,
          .reserved = 0};
}

}  // namespace

Result<TransformOptions> read_options(const onepass_transform_options* options) {
  auto o = read_struct("options", options, transform_defaults());
  if (!o) return o.error();
  if (auto zero = require_zero(o->reserved); !zero) return zero.error();
  return TransformOptions{.size = to_cpp(o->size),
                          .slices = o->slices,
                          .channels = o->channels,
                          .signal = static_cast<Signal>(o->signal),
                          .source = static_cast<Format>(o->source),
                          .target = static_cast<Format>(o->target),
                          .crop = to_cpp(o->crop),
                          .placement = {o->placement.x, o->placement.y},
                          .boundary = static_cast<Boundary>(o->boundary),
                          .result = to_cpp(o->result),
                          .norm = static_cast<Norm>(o->norm),
                          .order = static_cast<SpectrumOrder>(o->order),
                          .origin = static_cast<SpectrumOrigin>(o->origin),
                          .precision = static_cast<SpectrumPrecision>(o->precision),
                          .peak = o->peak};
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_transform_options_init(onepass_transform_options* options, size_t struct_size) {
  write_struct(options, struct_size, transform_defaults());
}

onepass_code onepass_plan_transform(const onepass_transform_options* options, onepass_transform_plan* plan,
                                    onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_options(options);
    if (!o) return o.error();
    auto made = plan_transform(*o);
    if (!made) return made.error();
    write_result(plan, {.struct_size = 0,
                        .spectrum_bytes = made->spectrum_bytes,
                        .spectrum_size = to_c(made->spectrum_size),
                        .spectrum_channels = made->spectrum_channels,
                        .reserved = 0,
                        .forward_factor = made->forward_factor,
                        .inverse_factor = made->inverse_factor,
                        .half_scale = made->half_scale,
                        .forward_bytes_read = made->forward.bytes_read,
                        .forward_bytes_written = made->forward.bytes_written,
                        .inverse_bytes_read = made->inverse.bytes_read,
                        .inverse_bytes_written = made->inverse.bytes_written});
    return {};
  });
}

}  // extern "C"
