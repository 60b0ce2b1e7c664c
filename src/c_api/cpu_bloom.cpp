// cpu_bloom.cpp: C functions that add bloom in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_bloom {
  cpu::Bloom object;
};

extern "C" {

onepass_code onepass_cpu_bloom_create(const onepass_bloom_options* options, const onepass_cpu_tuning* tuning,
                                      onepass_cpu_bloom** bloom, onepass_error* error) {
  return create_on_cpu<cpu::Bloom>(options, tuning, bloom, error);
}

void onepass_cpu_bloom_destroy(onepass_cpu_bloom* bloom) { delete bloom; }

onepass_code onepass_cpu_bloom_set_kernel(onepass_cpu_bloom* bloom, const onepass_image_view* kernel,
                                          onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(bloom, "bloom"); !there) return there;
    auto from = view_of("kernel", kernel);
    if (!from) return from.error();
    return bloom->object.set_kernel(*from);
  });
}

onepass_code onepass_cpu_bloom_apply(onepass_cpu_bloom* bloom, const onepass_image_view* source,
                                     const onepass_mutable_image_view* target, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(bloom, "bloom"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return bloom->object.apply(*from, *to);
  });
}

}  // extern "C"
