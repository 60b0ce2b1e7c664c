// correlation_plan.cpp: validates a correlation's options; plans the transform of both images and that of their
// product.
#include <string>
#include <utility>

#include "image/error.hpp"
#include "onepass/fourier_correlation.hpp"

namespace onepass {
namespace {}  // namespace

Result<CorrelationPlan> plan_correlation(const CorrelationOptions& options) {
  CorrelationPlan plan;
  plan.options = options;
  CorrelationOptions& o = plan.options;
  if (o.second == Format::kUndefined) o.second = o.first;
  if (format_info(o.first).channels == 0) return invalid("first: no such format");
  if (format_info(o.second).channels == 0) return invalid("second: no such format");
  if (auto known = check_enumerators("kind", o.kind, "window", o.window, "refinement", o.refinement); !known)
    return known.error();
  if (!(o.floor >= 0 && o.floor <= 1)) return invalid("floor: " + number_text(o.floor) + " is not within 0 and 1");
  plan.forward = {.size = o.size, .source = Format::kRG32Sfloat, .order = SpectrumOrder::kColumns};
  plan.inverse = {.size = o.size, .source = Format::kR32Sfloat, .order = SpectrumOrder::kColumns};
  const auto forward = plan_transform(plan.forward);
  if (!forward) return forward.error();
  const auto inverse = plan_transform(plan.inverse);
  if (!inverse) return inverse.error();
  plan.forward = forward->options;
  plan.inverse = inverse->options;
  const uint64_t product_read = forward->spectrum_bytes + inverse->spectrum_bytes;
  plan.traffic = {forward->forward.bytes_read + product_read + inverse->inverse.bytes_read,
                  forward->forward.bytes_written + inverse->spectrum_bytes + inverse->inverse.bytes_written};
  return plan;
}

}  // namespace onepass
