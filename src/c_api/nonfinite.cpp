// nonfinite.cpp: C functions that find and replace NaN and Inf in images.
#include "onepass/nonfinite.hpp"

#include "c_api/abi.hpp"

namespace onepass::c_api {
namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_nonfinite_options) == 32);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_nonfinite) == 48);

onepass_nonfinite_options nonfinite_defaults() {
  const NonFiniteOptions o;
  return {.struct_size = 0, .rect = to_c(o.rect), .infinite = o.infinite ? 1U : 0U, .reserved = 0};
}

Result<NonFiniteOptions> read_options(const onepass_nonfinite_options* options, const onepass_cpu_tuning* tuning) {
  onepass_nonfinite_options o = nonfinite_defaults();
  if (options != nullptr) {
    auto given = read_struct("options", options, o);
    if (!given) return given.error();
    o = *given;
  }
  if (auto zero = require_zero(o.reserved, "options.reserved"); !zero) return zero.error();
  if (o.infinite > 1) return invalid("infinite: " + std::to_string(o.infinite) + " is neither 0 nor 1");
  auto threads = threads_of(tuning);
  if (!threads) return threads.error();
  return NonFiniteOptions{.infinite = o.infinite != 0, .rect = to_cpp(o.rect), .threads = *threads};
}

/// Runs one of the two functions and fills `out` with its result. `name` is that of `out`, for messages.
template <typename View, typename Function>
onepass_code run(const View* image, const onepass_nonfinite_options* options, const onepass_cpu_tuning* tuning,
                 const char* name, onepass_nonfinite* out, onepass_error* error, const Function& function) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct(name, out); !checked) return checked;
    const auto view = view_of("image", image);
    if (!view) return view.error();
    const auto o = read_options(options, tuning);
    if (!o) return o.error();
    const Result<NonFinite> has = function(*view, *o);
    if (!has) return has.error();
    write_result(out, {.struct_size = 0,
                       .nan_count = has->nan_count,
                       .infinite_count = has->infinite_count,
                       .x = has->first.x,
                       .y = has->first.y,
                       .slice = has->first.slice,
                       .channel = has->first.channel,
                       .value = has->first.value,
                       .reserved = 0});
    return {};
  });
}

}  // namespace
}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_nonfinite_options_init(onepass_nonfinite_options* options, size_t struct_size) {
  write_struct(options, struct_size, nonfinite_defaults());
}

onepass_code onepass_find_nonfinite(const onepass_image_view* image, const onepass_nonfinite_options* options,
                                    const onepass_cpu_tuning* tuning, onepass_nonfinite* found, onepass_error* error) {
  return run(image, options, tuning, "found", found, error, find_nonfinite);
}

onepass_code onepass_replace_nonfinite(const onepass_mutable_image_view* image,
                                       const onepass_nonfinite_options* options, const onepass_cpu_tuning* tuning,
                                       onepass_nonfinite* replaced, onepass_error* error) {
  return run(image, options, tuning, "replaced", replaced, error, replace_nonfinite);
}

}  // extern "C"
