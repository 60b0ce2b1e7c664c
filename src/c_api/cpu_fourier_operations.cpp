// cpu_fourier_operations.cpp: C functions for convolutions and filters in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_convolver {
  cpu::Convolver object;
};

struct onepass_cpu_filter {
  cpu::Filter object;
};

extern "C" {

onepass_code onepass_cpu_convolver_create(const onepass_convolution_options* options, const onepass_cpu_tuning* tuning,
                                          onepass_cpu_convolver** convolver, onepass_error* error) {
  return create_on_cpu<cpu::Convolver>(options, tuning, convolver, error);
}

void onepass_cpu_convolver_destroy(onepass_cpu_convolver* convolver) { delete convolver; }

onepass_code onepass_cpu_convolver_set_kernel(onepass_cpu_convolver* convolver, const onepass_image_view* kernel,
                                              onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(convolver, "convolver"); !there) return there;
    auto from = view_of("kernel", kernel);
    if (!from) return from.error();
    return convolver->object.set_kernel(*from);
  });
}

onepass_code onepass_cpu_convolver_convolve(onepass_cpu_convolver* convolver, const onepass_image_view* source,
                                            const onepass_mutable_image_view* target, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(convolver, "convolver"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return convolver->object.convolve(*from, *to);
  });
}

onepass_code onepass_cpu_filter_create(const onepass_filter_options* options, const onepass_cpu_tuning* tuning,
                                       onepass_cpu_filter** filter, onepass_error* error) {
  return create_on_cpu<cpu::Filter>(options, tuning, filter, error);
}

void onepass_cpu_filter_destroy(onepass_cpu_filter* filter) { delete filter; }

onepass_code onepass_cpu_filter_apply(onepass_cpu_filter* filter, const onepass_image_view* source,
                                      const onepass_mutable_image_view* target, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(filter, "filter"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return filter->object.apply(*from, *to);
  });
}

}  // extern "C"
