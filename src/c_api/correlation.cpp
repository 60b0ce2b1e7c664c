// correlation.cpp: options for C.
#include "c_api/options.hpp"

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_CORRELATION_PHASE == number(CorrelationKind::kPhase));
static_assert(ONEPASS_CORRELATION_CROSS == number(CorrelationKind::kCross));
static_assert(ONEPASS_CORRELATION_WINDOW_HANN == number(CorrelationWindow::kHann));
static_assert(ONEPASS_CORRELATION_WINDOW_NONE == number(CorrelationWindow::kNone));
static_assert(ONEPASS_PEAK_NONE == number(PeakRefinement::kNone));
static_assert(ONEPASS_PEAK_PARABOLA == number(PeakRefinement::kParabola));
static_assert(ONEPASS_PEAK_FOURIER == number(PeakRefinement::kFourier));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_correlation_options) == 40);

onepass_correlation_options correlation_defaults() {
  const CorrelationOptions o;
  return {.struct_size = 0,
          .size = to_c(o.size),
          .first = number(o.first),
          .second = number(o.second),
          .kind = number(o.kind),
          .window = number(o.window),
          .refinement = number(o.refinement),
          .floor = o.floor};
}

}  // namespace

Result<CorrelationOptions> read_options(const onepass_correlation_options* options) {
  auto o = read_struct("options", options, correlation_defaults());
  if (!o) return o.error();
  return CorrelationOptions{.size = to_cpp(o->size),
                            .first = static_cast<Format>(o->first),
                            .second = static_cast<Format>(o->second),
                            .kind = static_cast<CorrelationKind>(o->kind),
                            .window = static_cast<CorrelationWindow>(o->window),
                            .refinement = static_cast<PeakRefinement>(o->refinement),
                            .floor = o->floor};
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_correlation_options_init(onepass_correlation_options* options, size_t struct_size) {
  write_struct(options, struct_size, correlation_defaults());
}

}  // extern "C"
