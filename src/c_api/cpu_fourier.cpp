// cpu_fourier.cpp: C functions for transforms in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_transform {
  cpu::Transform object;
};

extern "C" {

onepass_code onepass_cpu_transform_create(const onepass_transform_options* options, const onepass_cpu_tuning* tuning,
                                          onepass_cpu_transform** transform, onepass_error* error) {
  return create_on_cpu<cpu::Transform>(options, tuning, transform, error);
}

void onepass_cpu_transform_destroy(onepass_cpu_transform* transform) { delete transform; }

onepass_code onepass_cpu_transform_forward(onepass_cpu_transform* transform, const onepass_image_view* source,
                                           void* spectrum, size_t spectrum_bytes, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(transform, "transform"); !there) return there;
    if (auto there = require(spectrum, "spectrum"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    return transform->object.forward(*from, {static_cast<std::byte*>(spectrum), spectrum_bytes});
  });
}

onepass_code onepass_cpu_transform_inverse(onepass_cpu_transform* transform, const void* spectrum,
                                           size_t spectrum_bytes, const onepass_mutable_image_view* target,
                                           onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(transform, "transform"); !there) return there;
    if (auto there = require(spectrum, "spectrum"); !there) return there;
    auto to = view_of("target", target);
    if (!to) return to.error();
    return transform->object.inverse({static_cast<const std::byte*>(spectrum), spectrum_bytes}, *to);
  });
}

}  // extern "C"
