// cpu_correlation.cpp: two images as two channels of one transform, their cross-spectrum, its inverse transform, the
// peak.
#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "cpu/views.hpp"
#include "fourier/correlation_peak.hpp"
#include "fourier/cpu_image_rows.hpp"
#include "fourier/cpu_impl.hpp"
#include "fourier/kernel_weights.hpp"
#include "onepass/fourier_correlation.hpp"

namespace onepass::cpu {

struct ONEPASS_INTERNAL Correlator::Impl {
  CorrelationPlan plan;
  TransformTuning tuning;
  Workers workers;
  Transform forward;
  Transform inverse;
  std::vector<double> window_x;
  std::vector<double> window_y;
  Image pair;  ///< Both images, normalised: first in R, second in G.
  AlignedVector<std::byte> spectra;
  AlignedVector<std::byte> product;
  std::vector<float> c;

  Impl(CorrelationPlan planned, const TransformTuning& tuned, Transform there, Transform back, Image both)
      : plan(std::move(planned)),
        tuning(tuned),
        workers(tuned.threads),
        forward(std::move(there)),
        inverse(std::move(back)),
        window_x(correlation_window(plan.options.size.width, plan.options.window)),
        window_y(correlation_window(plan.options.size.height, plan.options.window)),
        pair(std::move(both)),
        spectra(forward.plan().spectrum_bytes),
        product(inverse.plan().spectrum_bytes),
        c(size_t{plan.options.size.width} * plan.options.size.height) {}

  Result<void> load(const ImageView& image, size_t channel, const char* name);
  void multiply();
  /// The correlation, to `target`.
  Result<void> run(const ImageView& first, const ImageView& second, const MutableImageView& target);
  [[nodiscard]] ShiftEstimate locate();
};

// Loads the luminance of an image, less its mean, windowed and scaled to unit power; all 0 for a constant image.
Result<void> Correlator::Impl::load(const ImageView& image, size_t channel, const char* name) {
  const Extent size = plan.options.size;
  const uint32_t channels = texel_info(image.format).channels;
  std::vector<std::vector<float>> scratch(workers.slots());
  // Sums per row, added in the order of the rows: results do not depend on the number of threads.
  struct RowSums {
    double weight = 0, weighted = 0, largest = 0;
    int64_t bad = -1;
  };
  std::vector<RowSums> rows(size.height);
  const auto texels = [&](uint32_t y) { return reinterpret_cast<float*>(pair.view().row(y)) + channel; };
  for_rows(workers, size.height, 1, [&](uint32_t y, uint32_t /*slice*/, uint32_t slot) {
    scratch[slot].resize(size_t{4} * size.width);
    float* rgba = scratch[slot].data();
    decode_row(image.format, image.row(y), size.width, rgba);
    float* out = texels(y);
    RowSums& sums = rows[y];
    for (uint32_t x = 0; x < size.width; ++x, rgba += 4) {
      const double value = signal_value(rgba, channels);
      if (!(std::fabs(value) <= 1e18) && sums.bad < 0) sums.bad = x;
      const double weight = window_x[x] * window_y[y];
      sums.weight += weight;
      sums.weighted += weight * value;
      sums.largest = std::max(sums.largest, weight * std::fabs(value));
      out[size_t{2} * x] = static_cast<float>(value);
    }
  });
  RowSums all;
  for (uint32_t y = 0; y < size.height; ++y) {
    if (rows[y].bad >= 0) {
      return Error{ErrorCode::kBadData,
                   "texel (" + std::to_string(rows[y].bad) + ", " + std::to_string(y) + ") is not within +-1e18", name};
    }
    all.weight += rows[y].weight;
    all.weighted += rows[y].weighted;
    all.largest = std::max(all.largest, rows[y].largest);
  }
  const double mean = all.weighted / all.weight;
  double power = 0;
  for (uint32_t y = 0; y < size.height; ++y) {
    const float* in = texels(y);
    for (uint32_t x = 0; x < size.width; ++x) {
      const double value = (in[size_t{2} * x] - mean) * window_x[x] * window_y[y];
      power += value * value;
    }
  }
  const double rms = std::sqrt(power / (static_cast<double>(size.width) * size.height));
  const double scale = rms > 1e-6 * all.largest ? 1 / rms : 0;  // a smaller rms is rounding error of constants
  for (uint32_t y = 0; y < size.height; ++y) {
    float* out = texels(y);
    for (uint32_t x = 0; x < size.width; ++x) {
      out[size_t{2} * x] = static_cast<float>((out[size_t{2} * x] - mean) * window_x[x] * window_y[y] * scale);
    }
  }
  return {};
}

// product = first * conj second, scaled so that c of equal images is 1 at shift 0.
void Correlator::Impl::multiply() {
  const Extent size = plan.options.size;
  const uint32_t columns = size.width / 2 + 1;
  const double texels = static_cast<double>(size.width) * size.height;
  const double least = plan.options.floor * std::sqrt(texels);  // the mean power of a frequency is the number of texels
  const bool phase = plan.options.kind == CorrelationKind::kPhase;
  const auto* in = reinterpret_cast<const float*>(spectra.data());
  auto* out = reinterpret_cast<float*>(product.data());
  std::vector<uint64_t> counts(columns);
  workers.run(columns, [&](size_t kx, uint32_t /*slot*/) {
    for (size_t i = kx * size.height; i < (kx + 1) * size.height; ++i) {
      const double ar = in[4 * i], ai = in[4 * i + 1], br = in[4 * i + 2], bi = in[4 * i + 3];
      double re = ar * br + ai * bi;
      double im = ai * br - ar * bi;
      if (phase) {
        const double a = std::sqrt(ar * ar + ai * ai), b = std::sqrt(br * br + bi * bi);
        const bool empty = !(a > least && b > least);
        counts[kx] += empty ? 0 : 1;
        re = empty ? 0 : re / (a * b);
        im = empty ? 0 : im / (a * b);
      } else {
        re /= texels;  // sum first^2 = sum second^2 = texels
        im /= texels;
      }
      out[2 * i] = static_cast<float>(re);
      out[2 * i + 1] = static_cast<float>(im);
    }
  });
  if (!phase) return;
  uint64_t count = 0;
  for (uint32_t kx = 0; kx < columns; ++kx) {
    const bool alone = kx == 0 || 2 * kx == size.width;
    count += counts[kx] * (alone ? 1 : 2);
  }
  if (count == 0) return;
  const auto scale = static_cast<float>(texels / static_cast<double>(count));
  for (size_t i = 0; i < size_t{2} * columns * size.height; ++i) out[i] *= scale;
}

Result<void> Correlator::Impl::run(const ImageView& first, const ImageView& second, const MutableImageView& target) {
  const CorrelationOptions& o = plan.options;
  auto checked = check_color_view("first", first, o.first, o.size, 1);
  if (checked) checked = check_color_view("second", second, o.second, o.size, 1);
  if (checked) checked = load(first, 0, "first");
  if (checked) checked = load(second, 1, "second");
  if (!checked) return checked;
  ProgressWatch watch(tuning.progress);
  forward.impl().forward(pair.view(), spectra, {&watch, 2.0 / 3});  // two channels; the inverse has one
  if (!watch.is_cancelled()) multiply();
  inverse.impl().inverse(product, target, {&watch, 1.0 / 3});
  return finish(watch);
}

ShiftEstimate Correlator::Impl::locate() {
  const CorrelationOptions& o = plan.options;
  const std::span<const float> spectrum(reinterpret_cast<const float*>(product.data()), product.size() / sizeof(float));
  return shift_of(find_peak(c, o.size), o.size, o.refinement, spectrum, workers);
}

Result<Correlator> Correlator::create(const CorrelationOptions& options, const TransformTuning& tuning) {
  auto plan = plan_correlation(options);
  if (!plan) return plan.error();
  auto forward = Transform::create(plan->forward, tuning);
  if (!forward) return forward.error();
  auto inverse = Transform::create(plan->inverse, tuning);
  if (!inverse) return inverse.error();
  auto pair = Image::create(Format::kRG32Sfloat, plan->options.size);
  if (!pair) return pair.error();
  try {
    return Correlator(
        std::make_unique<Impl>(std::move(*plan), tuning, std::move(*forward), std::move(*inverse), std::move(*pair)));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for a correlation", ""};
  }
}

Result<void> Correlator::correlate(const ImageView& first, const ImageView& second,
                                   const MutableImageView& target) try {
  if (auto good = check_view("target", target, Format::kR32Sfloat, impl_->plan.options.size, 1); !good) return good;
  return impl_->run(first, second, target);
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory to correlate", ""};
}

Result<ShiftEstimate> Correlator::estimate(const ImageView& first, const ImageView& second) try {
  const Extent size = impl_->plan.options.size;
  const MutableImageView c{impl_->c.data(), Format::kR32Sfloat, size, 1, size.width * sizeof(float), 0};
  if (auto done = impl_->run(first, second, c); !done) return done.error();
  return impl_->locate();
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory to correlate", ""};
}

const CorrelationPlan& Correlator::plan() const { return impl_->plan; }

Correlator::Correlator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Correlator::Correlator(Correlator&&) noexcept = default;
Correlator& Correlator::operator=(Correlator&&) noexcept = default;
Correlator::~Correlator() = default;

}  // namespace onepass::cpu
