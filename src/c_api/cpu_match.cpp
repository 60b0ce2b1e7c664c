// cpu_match.cpp: C functions that search images in host memory for templates.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_template_matcher {
  cpu::TemplateMatcher object;
};

namespace {

/// The view of a result, without data for null.
Result<MutableImageView> result_of(const char* name, const onepass_mutable_image_view* view) {
  if (view == nullptr) return MutableImageView{};
  auto to = view_of(name, view);
  if (to && to->data == nullptr) return invalid(std::string(name) + ": data is null");
  return to;
}

}  // namespace

extern "C" {

onepass_code onepass_cpu_template_matcher_create(const onepass_match_options* options, const onepass_cpu_tuning* tuning,
                                                 onepass_cpu_template_matcher** matcher, onepass_error* error) {
  return create_on_cpu<cpu::TemplateMatcher>(options, tuning, matcher, error);
}

void onepass_cpu_template_matcher_destroy(onepass_cpu_template_matcher* matcher) { delete matcher; }

onepass_code onepass_cpu_template_matcher_set_image(onepass_cpu_template_matcher* matcher,
                                                    const onepass_image_view* image, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(matcher, "matcher"); !there) return there;
    auto from = view_of("image", image);
    if (!from) return from.error();
    return matcher->object.set_image(*from);
  });
}

onepass_code onepass_cpu_template_matcher_add(onepass_cpu_template_matcher* matcher,
                                              const onepass_image_view* templates, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(matcher, "matcher"); !there) return there;
    auto from = view_of("templates", templates);
    if (!from) return from.error();
    return matcher->object.add(*from);
  });
}

onepass_code onepass_cpu_template_matcher_make(onepass_cpu_template_matcher* matcher, uint32_t count,
                                               onepass_template_maker make, void* user, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(matcher, "matcher"); !there) return there;
    if (make == nullptr) return invalid("make: null");
    return matcher->object.add(count, [make, user](uint32_t index, const MutableImageView& texels) {
      return make(user, index, static_cast<float*>(texels.data)) != 0;
    });
  });
}

uint32_t onepass_cpu_template_matcher_count(const onepass_cpu_template_matcher* matcher) {
  return matcher == nullptr ? 0 : matcher->object.count();
}

onepass_code onepass_cpu_template_matcher_write(const onepass_cpu_template_matcher* matcher,
                                                const onepass_mutable_image_view* maximum,
                                                const onepass_mutable_image_view* index,
                                                const onepass_mutable_image_view* mean,
                                                const onepass_mutable_image_view* deviation, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(matcher, "matcher"); !there) return there;
    const auto best = result_of("maximum", maximum), which = result_of("index", index);
    const auto average = result_of("mean", mean), spread = result_of("deviation", deviation);
    for (const auto* view : {&best, &which, &average, &spread}) {
      if (!*view) return view->error();
    }
    return matcher->object.write({*best, *which, *average, *spread});
  });
}

}  // extern "C"
