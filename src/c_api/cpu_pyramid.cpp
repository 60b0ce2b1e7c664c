// cpu_pyramid.cpp: C functions for pyramids in host memory.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_pyramid {
  cpu::Pyramid object;
};

extern "C" {

onepass_code onepass_cpu_pyramid_create(const onepass_pyramid_options* options, const onepass_cpu_tuning* tuning,
                                        onepass_cpu_pyramid** pyramid, onepass_error* error) {
  return make_handle(pyramid, error, [&]() -> Result<cpu::Pyramid> {
    auto o = read_options(options);
    if (!o) return o.error();
    auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    auto progress = progress_of(tuning);
    if (!progress) return progress.error();
    return cpu::Pyramid::create(*o, {.threads = *threads, .progress = *progress});
  });
}

void onepass_cpu_pyramid_destroy(onepass_cpu_pyramid* pyramid) { delete pyramid; }

onepass_code onepass_cpu_pyramid_build(onepass_cpu_pyramid* pyramid, const onepass_image_view* source,
                                       const onepass_mutable_image_view* levels, size_t level_count,
                                       onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(pyramid, "pyramid"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = levels_of(levels, level_count);
    if (!to) return to.error();
    return pyramid->object.build(*from, *to);
  });
}

onepass_code onepass_cpu_pyramid_update(onepass_cpu_pyramid* pyramid, const onepass_image_view* source,
                                        const onepass_mutable_image_view* levels, size_t level_count,
                                        onepass_rect changed, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(pyramid, "pyramid"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = levels_of(levels, level_count);
    if (!to) return to.error();
    return pyramid->object.update(*from, *to, to_cpp(changed));
  });
}

}  // extern "C"
