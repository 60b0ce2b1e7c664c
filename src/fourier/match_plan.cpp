// match_plan.cpp: validates a search's options and plans its transforms: those of a convolution with the templates
// turned by half a circle, whose zero edges plan_convolution_axis() keeps apart.
#include <algorithm>
#include <string>

#include "fourier/operation_plan.hpp"
#include "image/error.hpp"
#include "onepass/fourier_match.hpp"

namespace onepass {
namespace {

constexpr uint64_t kMostTogether = 64;

Result<void> check(const MatchOptions& o) {
  if (o.size.width == 0 || o.size.height == 0 || o.size.width > kMaxTransformSize ||
      o.size.height > kMaxTransformSize) {
    return invalid("size: " + size_text(o.size) + " is not within 1 and " + std::to_string(kMaxTransformSize));
  }
  if (o.template_size.width == 0 || o.template_size.height == 0 || o.template_size.width > o.size.width ||
      o.template_size.height > o.size.height) {
    return invalid("template_size: " + size_text(o.template_size) + " is not within 1x1 and the image's " +
                   size_text(o.size));
  }
  if (format_info(o.image).channels == 0) return invalid("image: no such format");
  if (format_info(o.templates).channels == 0) return invalid("templates: no such format");
  if (auto known = check_enumerators("score", o.score); !known) return known.error();
  if (!o.origin) return {};
  const Offset at = *o.origin;
  if (at.x < 0 || at.y < 0 || static_cast<uint32_t>(at.x) >= o.template_size.width ||
      static_cast<uint32_t>(at.y) >= o.template_size.height) {
    return invalid("origin: " + std::to_string(at.x) + "," + std::to_string(at.y) + " is outside of " +
                   size_text(o.template_size));
  }
  return {};
}

// The axis of a convolution by the turned template.
ConvolutionAxis plan_axis(uint32_t image, uint32_t templates, int32_t origin) {
  return plan_convolution_axis(image, templates, templates - 1 - static_cast<uint32_t>(origin), Boundary::kZero,
                               ConvolutionMode::kSame);
}

}  // namespace

Result<MatchPlan> plan_match(const MatchOptions& options) {
  if (auto good = check(options); !good) return good.error();
  MatchPlan plan;
  plan.options = options;
  MatchOptions& o = plan.options;
  o.origin = kernel_origin(o.origin, o.template_size);
  const ConvolutionAxis x = plan_axis(o.size.width, o.template_size.width, o.origin->x);
  const ConvolutionAxis y = plan_axis(o.size.height, o.template_size.height, o.origin->y);
  if (x.domain == 0 || y.domain == 0) {
    return invalid("template_size: " + size_text(o.template_size) + " and the image of " + size_text(o.size) +
                   " need more than " + std::to_string(kMaxTransformSize) + " texels an axis");
  }
  plan.image = {.size = {x.domain, y.domain},
                .source = Format::kR32Sfloat,
                .crop = {0, 0, o.size.width, o.size.height},
                .placement = {x.placement, y.placement},
                .order = SpectrumOrder::kColumns};
  plan.templates = plan.image;
  plan.templates.crop = {x.kernel_first, y.kernel_first, x.kernel_size, y.kernel_size};
  plan.templates.placement = {-x.kernel_origin, -y.kernel_origin};
  plan.templates.result = {x.result, y.result, x.result_size, y.result_size};
  const auto image = plan_transform(plan.image);
  if (!image) return image.error();
  const uint64_t template_bytes = uint64_t{o.template_size.width} * o.template_size.height * sizeof(float);
  const uint64_t each = image->spectrum_bytes + template_bytes;
  plan.templates.slices = static_cast<uint32_t>(std::clamp<uint64_t>(kMatchBytes / each, 1, kMostTogether));
  const auto templates = plan_transform(plan.templates);
  if (!templates) return templates.error();
  plan.image = image->options;
  plan.templates = templates->options;

  const uint64_t texels = uint64_t{o.size.width} * o.size.height;
  const uint64_t statistics = texels * (sizeof(float) + sizeof(uint32_t) + 2 * sizeof(double));
  const uint64_t deviations = o.score == MatchScore::kCoefficient ? texels * sizeof(float) : 0;
  plan.memory_bytes = image->spectrum_bytes + statistics + deviations + plan.templates.slices * 2 * template_bytes;
  const uint64_t scores = texels * sizeof(float);  // encoded by no transform of a search
  Traffic one = fused_traffic(*templates);
  one.bytes_read /= plan.templates.slices;
  one.bytes_written = one.bytes_written / plan.templates.slices - scores;
  plan.traffic = {one.bytes_read + image->spectrum_bytes + statistics + deviations, one.bytes_written + statistics};
  return plan;
}

}  // namespace onepass
