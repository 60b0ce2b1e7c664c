// plan.cpp: validates a transform's options; computes the layout of its spectrum, scale factors and traffic.
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "fourier/domain.hpp"
#include "image/error.hpp"
#include "onepass/fourier.hpp"

namespace onepass {
namespace {

std::string text(const Rect& r) {
  return std::to_string(r.x) + "," + std::to_string(r.y) + " " + size_text({r.width, r.height});
}

Result<void> check_enums(const TransformOptions& o) {
  return check_enumerators("signal", o.signal, "norm", o.norm, "order", o.order, "origin", o.origin, "precision",
                           o.precision, "boundary", o.boundary);
}

Result<void> check_size(const TransformOptions& o) {
  if (o.size.width == 0 || o.size.height == 0 || o.size.width > kMaxTransformSize ||
      o.size.height > kMaxTransformSize) {
    return invalid("size: " + size_text(o.size) + " is not within 1 and " + std::to_string(kMaxTransformSize));
  }
  if (o.slices == 0) return invalid("slices: 0");
  return {};
}

// Resolves target and channels.
Result<void> resolve_formats(TransformOptions& o) {
  const FormatInfo& source = format_info(o.source);
  if (source.channels == 0) return invalid("source: no such format");
  if (o.target == Format::kUndefined) o.target = source.depth ? Format::kR32Sfloat : o.source;
  const FormatInfo& target = format_info(o.target);
  if (target.channels == 0) return invalid("target: no such format");
  if (target.depth) return invalid("target: " + std::string(target.name) + " is a source only");
  const uint32_t most = source.channels < target.channels ? source.channels : target.channels;
  if (o.channels == 0) o.channels = most;
  if (o.channels > most) {
    return invalid("channels: " + std::to_string(o.channels) + ", but " +
                   std::string(source.channels < target.channels ? source.name : target.name) + " has " +
                   std::to_string(most));
  }
  if (o.signal == Signal::kReal) return {};
  if (o.channels % 2 != 0) {
    return invalid("channels: " + std::to_string(o.channels) + ", but complex signals take pairs: 2 or 4");
  }
  if (source.type != ChannelType::kFloat || target.type != ChannelType::kFloat || source.packed || target.packed) {
    return invalid("signal: complex needs formats of signed floats");
  }
  return {};
}

Result<void> resolve_rects(TransformOptions& o) {
  if (o.crop == Rect{}) o.crop = {0, 0, o.size.width, o.size.height};
  if (o.crop.width == 0 || o.crop.height == 0 || o.crop.width > o.size.width || o.crop.height > o.size.height) {
    return invalid("crop: " + text(o.crop) + " does not fit the size of " + size_text(o.size));
  }
  if (o.crop.x > kMaxTransformSize || o.crop.y > kMaxTransformSize)
    return invalid("crop: " + text(o.crop) + " leaves every image");
  const auto within = [](int32_t offset, uint32_t size) {
    return std::abs(int64_t{offset}) <= static_cast<int64_t>(size);
  };
  if (!within(o.placement.x, o.size.width) || !within(o.placement.y, o.size.height)) {
    return invalid("placement: " + std::to_string(o.placement.x) + "," + std::to_string(o.placement.y) +
                   " is farther than the size");
  }
  if (o.result == Rect{}) o.result = {0, 0, o.size.width, o.size.height};
  const Rect& r = o.result;
  if (r.width == 0 || r.height == 0 || uint64_t{r.x} + r.width > o.size.width ||
      uint64_t{r.y} + r.height > o.size.height) {
    return invalid("result: " + text(r) + " leaves the size of " + size_text(o.size));
  }
  return {};
}

Result<void> check_half(const TransformOptions& o) {
  if (o.precision == SpectrumPrecision::kFloat) return {};
  if (o.norm == Norm::kNone) return invalid("norm: none would overflow in half precision");
  if (!(o.peak > 0) || !std::isfinite(o.peak)) return invalid("peak: " + number_text(o.peak) + " is not positive");
  return {};
}

void set_factors(TransformPlan& plan) {
  const TransformOptions& o = plan.options;
  const double texels = static_cast<double>(o.size.width) * o.size.height;
  double forward = 1;
  double inverse = 1;
  switch (o.norm) {
    case Norm::kBackward:
      inverse = 1 / texels;
      break;
    case Norm::kOrtho:
      forward = inverse = 1 / std::sqrt(texels);
      break;
    case Norm::kForward:
      forward = 1 / texels;
      break;
    case Norm::kNone:
      break;
  }
  plan.forward_factor = forward;
  plan.inverse_factor = inverse;
  if (o.precision == SpectrumPrecision::kFloat) return;
  plan.forward_factor = 1 / (o.peak * std::sqrt(texels));
  plan.inverse_factor = o.peak / std::sqrt(texels);
  plan.half_scale = plan.forward_factor / forward;
}

// Between its two passes a transform stores the rows that exist, each as wide as the spectrum.
void set_traffic(TransformPlan& plan) {
  const TransformOptions& o = plan.options;
  const uint64_t pair = o.precision == SpectrumPrecision::kHalf ? 4 : 8;
  const uint64_t row = pair * plan.spectrum_size.width * plan.spectrum_channels * o.slices;
  plan.spectrum_bytes = row * plan.spectrum_size.height;
  const uint64_t rows_in = row * o.crop.height;
  const uint64_t rows_out = row * o.result.height;
  const uint64_t source = uint64_t{o.crop.width} * o.crop.height * o.slices * format_info(o.source).bytes_per_texel;
  const uint64_t target = uint64_t{o.result.width} * o.result.height * o.slices * format_info(o.target).bytes_per_texel;
  plan.forward = {.bytes_read = source + rows_in, .bytes_written = rows_in + plan.spectrum_bytes};
  plan.inverse = {.bytes_read = plan.spectrum_bytes + rows_out, .bytes_written = rows_out + target};
}

uint32_t log2_ceil(uint32_t n) { return n < 2 ? 0 : static_cast<uint32_t>(std::bit_width(n - 1)); }

constexpr uint64_t kClassicTexel = 16;

}  // namespace

Result<TransformPlan> plan_transform(const TransformOptions& options) {
  TransformPlan plan;
  plan.options = options;
  TransformOptions& o = plan.options;
  Result<void> checked = check_enums(o);
  if (checked) checked = check_size(o);
  if (checked) checked = resolve_formats(o);
  if (checked) checked = resolve_rects(o);
  if (checked) checked = check_half(o);
  if (!checked) return checked.error();

  const bool real = o.signal == Signal::kReal;
  plan.spectrum_size = {real ? o.size.width / 2 + 1 : o.size.width, o.size.height};
  plan.spectrum_channels = real ? o.channels : o.channels / 2;
  set_factors(plan);
  // With 16 bytes per texel, sums of all bytes read and written still fit.
  constexpr uint64_t kMostTexels = uint64_t{1} << 52;
  if (uint64_t{o.size.width} * o.size.height > kMostTexels / o.slices) {
    return invalid("slices: " + std::to_string(o.slices) + " of " + size_text(o.size) + " are too many");
  }
  set_traffic(plan);
  return plan;
}

uint32_t next_smooth_size(uint32_t n) {
  for (uint32_t candidate = n == 0 ? 1 : n;; ++candidate) {
    uint32_t rest = candidate;
    for (const uint32_t factor : {2U, 3U, 5U, 7U}) {
      while (rest % factor == 0) rest /= factor;
    }
    if (rest == 1) return candidate;
  }
}

Traffic classic_ping_pong_traffic(Extent size, Axis axis) {
  const uint64_t texture = uint64_t{size.width} * size.height * kClassicTexel;
  const uint64_t passes = log2_ceil(axis == Axis::kX ? size.width : size.height);
  return {.bytes_read = texture * passes * 4, .bytes_written = texture * passes * 2};
}

Traffic classic_shared_memory_traffic(Extent size, bool imaginary_read) {
  const uint64_t texture = uint64_t{size.width} * size.height * kClassicTexel;
  return {.bytes_read = texture * (imaginary_read ? 2 : 1), .bytes_written = texture * 2};
}

Traffic classic_table_traffic(Extent size, Axis axis) {
  const uint64_t length = axis == Axis::kX ? size.width : size.height;
  const uint64_t lines = axis == Axis::kX ? size.height : size.width;
  return {.bytes_read = length * log2_ceil(static_cast<uint32_t>(length)) * kClassicTexel * lines, .bytes_written = 0};
}

}  // namespace onepass
