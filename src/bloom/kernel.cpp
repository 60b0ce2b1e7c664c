// kernel.cpp: the kernels of a bloom by convolution: the built-in glare, and images rescaled.
#include <algorithm>
#include <cmath>
#include <new>
#include <numbers>
#include <vector>

#include "bloom/settings.hpp"
#include "cpu/views.hpp"
#include "image/error.hpp"

namespace onepass {
namespace {

// Relative amount of light that an eye scatters by an angle in degrees: a sum of two terms of Spencer et al., 1995, by
// their weights for photopic vision.
double glare(double degrees) {
  const double a = degrees + 0.02;
  return 0.478 * 20.91 / (a * a * a) + 0.138 * 72.37 / (a * a);
}

// Streaks: narrow maxima over the direction, the first one upwards.
double ray_factor(uint32_t rays, double x, double y) {
  if (rays == 0) return 1;
  const double c = std::cos(0.5 * rays * (std::atan2(y, x) + std::numbers::pi / 2));
  return 0.25 + 12 * std::pow(c * c, 200);
}

Result<Image> make_glare(const BloomPlan& plan) {
  const uint32_t n = plan.kernel_size.width;
  auto image = Image::create(Format::kR32Sfloat, {n, n});
  if (!image) return image.error();
  const GlareOptions& o = plan.options.glare;
  const double degrees = double{o.field_of_view} / plan.glow_size.width;
  const double rim = n / 2 + 0.5;
  const int middle = static_cast<int>(n / 2);
  for (int y = 0; y < static_cast<int>(n); ++y) {
    auto* row = reinterpret_cast<float*>(image->view().row(static_cast<uint32_t>(y)));
    for (int x = 0; x < static_cast<int>(n); ++x) {
      const int dx = x - middle, dy = y - middle;
      // Near its peak the falloff changes within a texel: 8x8 samples are averaged.
      const int fine = dx * dx + dy * dy < 64 ? 8 : 1;
      double sum = 0;
      for (int i = 0; i < fine * fine; ++i) {
        const double px = dx + (i % fine + 0.5) / fine - 0.5, py = dy + (i / fine + 0.5) / fine - 0.5;
        const double r = std::sqrt(px * px + py * py);
        const double cut = std::max(0.0, 1 - r * r / (rim * rim));
        sum += glare(r * degrees) * cut * cut * ray_factor(o.rays, px, py);
      }
      row[x] = static_cast<float>(sum / (fine * fine));
    }
  }
  return image;
}

// Calls add(texel, weight) for the source texels that a target texel takes, along an axis of `source` texels that is
// rescaled to `target`; the weights sum to 1.
template <typename Add>
void each_tap(uint32_t at, uint32_t target, uint32_t source, const Add& add) {
  const double ratio = static_cast<double>(source) / target;
  const double reach = std::max(1.0, ratio);
  const double centre = (at + 0.5) * ratio - 0.5;
  double total = 0;
  for (const bool adding : {false, true}) {
    for (auto i = static_cast<int64_t>(std::ceil(centre - reach)); i <= static_cast<int64_t>(centre + reach); ++i) {
      const double weight = 1 - std::fabs(static_cast<double>(i) - centre) / reach;
      if (i < 0 || i >= source || weight <= 0) continue;
      if (adding) add(static_cast<uint32_t>(i), weight / total);
      if (!adding) total += weight;
    }
  }
}

Result<Image> rescale(const ImageView& from, Format format, Extent size) {
  auto to = Image::create(format, size);
  if (!to) return to.error();
  const size_t channels = format_info(format).channels;
  std::vector<float> row(size_t{4} * from.size.width);
  std::vector<double> across(channels * size.width * from.size.height);
  for (uint32_t y = 0; y < from.size.height; ++y) {
    decode_row(from.format, from.row(y), from.size.width, row.data());
    for (uint32_t x = 0; x < size.width; ++x) {
      double* sums = &across[(size_t{y} * size.width + x) * channels];
      each_tap(x, size.width, from.size.width, [&](uint32_t i, double weight) {
        for (size_t c = 0; c < channels; ++c) sums[c] += weight * row[size_t{4} * i + c];
      });
    }
  }
  std::vector<double> sums(channels * size.width);
  for (uint32_t y = 0; y < size.height; ++y) {
    std::fill(sums.begin(), sums.end(), 0.0);
    each_tap(y, size.height, from.size.height, [&](uint32_t j, double weight) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += weight * across[j * sums.size() + i];
    });
    auto* out = reinterpret_cast<float*>(to->view().row(y));
    for (size_t i = 0; i < sums.size(); ++i) out[i] = static_cast<float>(sums[i]);
  }
  return to;
}

}  // namespace

Result<Image> make_bloom_kernel(const BloomPlan& plan, const ImageView* kernel) try {
  const BloomOptions& o = plan.options;
  if (o.method != BloomMethod::kConvolution) return invalid("method: a mip chain has no kernel");
  const bool given = o.kernel != Format::kUndefined;
  if (given != (kernel != nullptr)) {
    return invalid(given ? "kernel: the options name a kernel image, but there is none"
                         : "kernel: the options name no kernel image");
  }
  if (!given) return make_glare(plan);
  if (auto good = cpu::check_color_view("kernel", *kernel, o.kernel, o.kernel_size, 1); !good) return good.error();
  return rescale(*kernel, kernel_format(o), plan.kernel_size);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a kernel", ""};
}

}  // namespace onepass
