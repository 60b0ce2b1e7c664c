// cpu_deconvolution.cpp: C functions that remove a blur from images in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_deconvolver {
  cpu::Deconvolver object;
};

extern "C" {

onepass_code onepass_cpu_deconvolver_create(const onepass_deconvolution_options* options,
                                            const onepass_cpu_tuning* tuning, onepass_cpu_deconvolver** deconvolver,
                                            onepass_error* error) {
  return create_on_cpu<cpu::Deconvolver>(options, tuning, deconvolver, error);
}

void onepass_cpu_deconvolver_destroy(onepass_cpu_deconvolver* deconvolver) { delete deconvolver; }

onepass_code onepass_cpu_deconvolver_set_kernel(onepass_cpu_deconvolver* deconvolver, const onepass_image_view* kernel,
                                                onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(deconvolver, "deconvolver"); !there) return there;
    auto from = view_of("kernel", kernel);
    if (!from) return from.error();
    return deconvolver->object.set_kernel(*from);
  });
}

onepass_code onepass_cpu_deconvolver_deconvolve(onepass_cpu_deconvolver* deconvolver, const onepass_image_view* source,
                                                const onepass_mutable_image_view* target, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(deconvolver, "deconvolver"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return deconvolver->object.deconvolve(*from, *to);
  });
}

}  // extern "C"
