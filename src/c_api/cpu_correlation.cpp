// cpu_correlation.cpp: C functions that estimate shifts between images in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_correlator {
  cpu::Correlator object;
};

extern "C" {

onepass_code onepass_cpu_correlator_create(const onepass_correlation_options* options, const onepass_cpu_tuning* tuning,
                                           onepass_cpu_correlator** correlator, onepass_error* error) {
  return create_on_cpu<cpu::Correlator>(options, tuning, correlator, error);
}

void onepass_cpu_correlator_destroy(onepass_cpu_correlator* correlator) { delete correlator; }

onepass_code onepass_cpu_correlator_estimate(onepass_cpu_correlator* correlator, const onepass_image_view* first,
                                             const onepass_image_view* second, onepass_shift* shift,
                                             onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(correlator, "correlator"); !there) return there;
    if (auto there = require(shift, "shift"); !there) return there;
    auto a = view_of("first", first);
    if (!a) return a.error();
    auto b = view_of("second", second);
    if (!b) return b.error();
    auto found = correlator->object.estimate(*a, *b);
    if (!found) return found.error();
    *shift = to_c(*found);
    return {};
  });
}

onepass_code onepass_cpu_correlator_correlate(onepass_cpu_correlator* correlator, const onepass_image_view* first,
                                              const onepass_image_view* second,
                                              const onepass_mutable_image_view* target, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(correlator, "correlator"); !there) return there;
    auto a = view_of("first", first);
    if (!a) return a.error();
    auto b = view_of("second", second);
    if (!b) return b.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return correlator->object.correlate(*a, *b, *to);
  });
}

}  // extern "C"
