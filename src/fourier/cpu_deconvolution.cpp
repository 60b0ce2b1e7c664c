// cpu_deconvolution.cpp: Wiener: a fused pass with the inverted kernel. Richardson-Lucy: iterations of a pass with the
// kernel and one with its adjoint.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <numbers>
#include <optional>
#include <utility>

#include "cpu/views.hpp"
#include "fourier/cpu_image_rows.hpp"
#include "fourier/cpu_impl.hpp"
#include "fourier/cpu_kernel_spectrum.hpp"
#include "fourier/fourier_operation_params.h"
#include "fourier/kernel_weights.hpp"
#include "image/error.hpp"
#include "onepass/fourier_deconvolution.hpp"

namespace onepass::cpu {
namespace {

/// Where less of a texel's blur lands on the image, no data determine the estimate: it is not changed.
constexpr float kLeastBlurOnImage = 1e-3F;

/// Exponent of a float, clamped so that 2^exponent and its inverse are normal numbers.
int32_t exponent_of(float value) {
  return std::clamp(static_cast<int32_t>(std::bit_cast<uint32_t>(value) >> 23) - 127, -126, 126);
}

// 4 sin^2(pi fx) + 4 sin^2(pi fy), squared: the power spectrum of the Laplacian's 5-texel stencil.
double laplacian_power(double fx, double fy) {
  const double sx = std::sin(std::numbers::pi * fx);
  const double sy = std::sin(std::numbers::pi * fy);
  const double sum = 4 * (sx * sx + sy * sy);
  return sum * sum;
}

}  // namespace

struct ONEPASS_INTERNAL Deconvolver::Impl {
  DeconvolutionPlan plan;
  TransformTuning tuning;
  Workers workers;
  Transform blur;
  std::optional<Transform> adjoint;
  KernelSpectrum kernel;
  bool kernel_set = false;
  std::optional<Convolver> edge_blur;  ///< kTaper.
  std::vector<double> taper_x;
  std::vector<double> taper_y;
  Image measured;  ///< Richardson-Lucy: the image; kTaper: the image, tapered.
  Image blurred;   ///< Size of the image.
  Image estimate;
  Image correction;
  Image weight;                    ///< kUnknown: the adjoint of the mask.
  std::vector<int32_t> exponents;  ///< Richardson-Lucy, per slice: values are in units of 2^exponent.

  Impl(DeconvolutionPlan planned, const TransformPlan& kernel_plan, const TransformTuning& tuned, Transform forth)
      : plan(std::move(planned)),
        tuning(tuned),
        workers(tuned.threads),
        blur(std::move(forth)),
        kernel(kernel_plan, plan.blur.channels) {}

  Result<void> prepare();
  void invert_kernel();
  Result<void> make_edge_blur(const ImageView& weights);
  Result<void> taper(const ImageView& source);
  void load(const ImageView& source, float least);
  void normalise();
  void weigh(const ProgressShare& progress);
  void start();
  void divide();
  void correct();
  Result<void> wiener(const ImageView& source, const MutableImageView& target);
  Result<void> richardson_lucy(const ImageView& source, const MutableImageView& target);

  [[nodiscard]] size_t row_floats(const Image& image) const {
    return size_t{image.size().width} * format_info(image.format()).channels;
  }
  [[nodiscard]] static float* row(Image& image, uint32_t y, uint32_t slice) {
    return reinterpret_cast<float*>(image.view().row(y, slice));
  }
};

// Allocates the images of the method.
Result<void> Deconvolver::Impl::prepare() {
  const bool wiener = plan.options.method == DeconvolutionMethod::kWiener;
  if (wiener && plan.options.edges != DeconvolutionEdges::kTaper) return {};
  const auto make = [&](Image& image, Extent size) -> Result<void> {
    auto made = Image::create(plan.blur.source, size, plan.options.slices);
    if (!made) return made.error();
    image = std::move(*made);
    return {};
  };
  auto done = make(measured, plan.options.size);
  if (done) done = make(blurred, plan.options.size);
  if (wiener || !done) return done;
  done = make(estimate, plan.estimate);
  if (done) done = make(correction, plan.estimate);
  if (done && plan.options.edges == DeconvolutionEdges::kUnknown) done = make(weight, plan.estimate);
  if (!done) return done;
  auto back = Transform::create(plan.adjoint, tuning);
  if (!back) return back.error();
  adjoint.emplace(std::move(*back));
  return {};
}

// Replaces H by conj H / (|H|^2 + noise P).
void Deconvolver::Impl::invert_kernel() {
  const double noise = plan.options.noise;
  const bool flat = plan.options.prior == WienerPrior::kFlat;
  kernel.each([&](std::complex<float>& value, uint32_t kx, uint32_t ky) {
    const std::complex<double> h(value);
    double prior = kx == 0 && ky == 0 ? 0 : 1;
    if (!flat) prior = laplacian_power(frequency(kx, plan.domain.width), frequency(ky, plan.domain.height));
    const double power = std::norm(h) + noise * prior;
    value = power < 1e-12 ? std::complex<float>() : std::complex<float>(std::conj(h) / power);
  });
}

Result<void> Deconvolver::Impl::make_edge_blur(const ImageView& weights) {
  auto convolver = Convolver::create(edge_blur_options(plan, weights.format), {.threads = tuning.threads});
  if (!convolver) return convolver.error();
  if (auto set = convolver->set_kernel(weights); !set) return set;
  edge_blur.emplace(std::move(*convolver));
  EdgeTaper shares = edge_taper(plan.options.size, weights);
  taper_x = std::move(shares.x);
  taper_y = std::move(shares.y);
  return {};
}

// Image to floats, in `measured`. NaN and less than `least` become `least`, Inf the largest float.
void Deconvolver::Impl::load(const ImageView& source, float least) {
  const uint32_t width = plan.options.size.width;
  const size_t stored = format_info(measured.format()).channels;
  std::vector<std::vector<float>> scratch(workers.slots());
  for_rows(workers, plan.options.size.height, plan.options.slices, [&](uint32_t y, uint32_t slice, uint32_t slot) {
    scratch[slot].resize(size_t{4} * width);
    const float* rgba = scratch[slot].data();
    decode_row(source.format, source.row(y, slice), width, scratch[slot].data());
    float* out = row(measured, y, slice);
    for (size_t x = 0; x < width; ++x) {
      for (size_t c = 0; c < stored; ++c) {
        const float value = rgba[4 * x + c] > least ? rgba[4 * x + c] : least;
        out[stored * x + c] = std::min(value, std::numeric_limits<float>::max());
      }
    }
  });
}

// Scales each slice by a power of 2 to a brightest value in [1, 2): the small constants below need that.
void Deconvolver::Impl::normalise() {
  std::vector<float> brightest(size_t{plan.options.size.height} * plan.options.slices);
  const auto rows = [&](const auto& row) { for_rows(workers, plan.options.size.height, plan.options.slices, row); };
  rows([&](uint32_t y, uint32_t slice, uint32_t) {
    const float* in = row(measured, y, slice);
    const size_t stored = format_info(measured.format()).channels;
    float& most = brightest[size_t{slice} * plan.options.size.height + y];
    for (size_t i = 0; i < row_floats(measured); ++i) {
      if (i % stored < plan.blur.channels) most = std::max(most, in[i]);  // not a copied alpha
    }
  });
  exponents.clear();
  for (auto first = brightest.begin(); first != brightest.end(); first += plan.options.size.height) {
    exponents.push_back(exponent_of(*std::max_element(first, first + plan.options.size.height)));
  }
  rows([&](uint32_t y, uint32_t slice, uint32_t) {
    const float factor = std::ldexp(1.0F, -exponents[slice]);
    float* values = row(measured, y, slice);
    for (size_t i = 0; i < row_floats(measured); ++i) values[i] *= factor;
  });
}

// Blends the image with its blur towards the edges.
Result<void> Deconvolver::Impl::taper(const ImageView& source) {
  load(source, std::numeric_limits<float>::lowest());
  if (auto done = edge_blur->convolve(measured.view(), blurred.view()); !done) return done;
  const size_t stored = format_info(measured.format()).channels;
  for_rows(workers, plan.options.size.height, plan.options.slices, [&](uint32_t y, uint32_t slice, uint32_t) {
    float* image = row(measured, y, slice);
    const float* blur_row = row(blurred, y, slice);
    for (size_t i = 0; i < row_floats(measured); ++i) {
      const auto share = static_cast<float>(taper_x[i / stored] * taper_y[y]);
      image[i] = share * image[i] + (1 - share) * blur_row[i];
    }
  });
  return {};
}

// weight = adjoint of the mask: the share of each texel's blur that lands on the image.
void Deconvolver::Impl::weigh(const ProgressShare& progress) {
  for_rows(workers, plan.options.size.height, plan.options.slices, [&](uint32_t y, uint32_t slice, uint32_t) {
    std::fill_n(row(blurred, y, slice), row_floats(blurred), 1.0F);
  });
  adjoint->impl().apply(
      blurred.view(), [&](const SpectrumStrip& strip, uint32_t) { kernel.multiply_conjugate(strip); }, weight.view(),
      {}, progress);
}

// A constant, or the image with its edge texels repeated into the margins; at least 1e-6, because products cannot leave
// 0.
void Deconvolver::Impl::start() {
  const size_t stored = format_info(measured.format()).channels;
  if (plan.options.start == DeconvolutionStart::kConstant) {
    return for_rows(workers, plan.estimate.height, plan.options.slices, [&](uint32_t y, uint32_t slice, uint32_t) {
      std::fill_n(row(estimate, y, slice), row_floats(estimate), ONEPASS_DECONVOLUTION_CONSTANT);
    });
  }
  const auto nearest = [](uint32_t at, int32_t first, uint32_t n) {
    return static_cast<uint32_t>(std::clamp<int64_t>(int64_t{at} - first, 0, int64_t{n} - 1));
  };
  for_rows(workers, plan.estimate.height, plan.options.slices, [&](uint32_t y, uint32_t slice, uint32_t) {
    const float* in = row(measured, nearest(y, plan.image_in_estimate.y, plan.options.size.height), slice);
    float* out = row(estimate, y, slice);
    for (uint32_t x = 0; x < plan.estimate.width; ++x) {
      const float* texel = in + stored * nearest(x, plan.image_in_estimate.x, plan.options.size.width);
      for (size_t c = 0; c < stored; ++c) out[stored * x + c] = std::max(texel[c], 1e-6F);
    }
  });
}

// blurred = measured / blurred.
void Deconvolver::Impl::divide() {
  for_rows(workers, plan.options.size.height, plan.options.slices, [&](uint32_t y, uint32_t slice, uint32_t) {
    const float* in = row(measured, y, slice);
    float* out = row(blurred, y, slice);
    for (size_t i = 0; i < row_floats(blurred); ++i) out[i] = in[i] / std::max(out[i], 1e-7F);
  });
}

// estimate *= correction / weight.
void Deconvolver::Impl::correct() {
  const bool weighted = plan.options.edges == DeconvolutionEdges::kUnknown;
  for_rows(workers, plan.estimate.height, plan.options.slices, [&](uint32_t y, uint32_t slice, uint32_t) {
    const float* factor = row(correction, y, slice);
    const float* share = weighted ? row(weight, y, slice) : nullptr;
    float* out = row(estimate, y, slice);
    for (size_t i = 0; i < row_floats(estimate); ++i) {
      const float by = weighted ? share[i] : 1.0F;
      if (by >= kLeastBlurOnImage) out[i] *= std::max(factor[i], 0.0F) / by;
    }
  });
}

Result<void> Deconvolver::Impl::richardson_lucy(const ImageView& source, const MutableImageView& target) {
  ProgressWatch watch(tuning.progress);
  const bool weighted = plan.options.edges == DeconvolutionEdges::kUnknown;
  const double passes = 2.0 * plan.options.iterations + (weighted ? 1 : 0);
  const ProgressShare pass{&watch, 1.0 / passes};
  load(source, 0.0F);
  normalise();
  start();
  if (weighted) weigh(pass);
  const auto forth = [&](const SpectrumStrip& strip, uint32_t) { kernel.multiply(strip); };
  const auto back = [&](const SpectrumStrip& strip, uint32_t) { kernel.multiply_conjugate(strip); };
  for (uint32_t i = 0; i < plan.options.iterations && !watch.is_cancelled(); ++i) {
    blur.impl().apply(estimate.view(), forth, blurred.view(), {}, pass);
    divide();
    adjoint->impl().apply(blurred.view(), back, correction.view(), {}, pass);
    correct();
  }
  if (watch.is_cancelled()) return finish(watch);
  const DeconvolutionOptions& o = plan.options;
  const uint32_t width = o.size.width;
  const size_t stored = format_info(estimate.format()).channels;
  std::vector<std::vector<float>> scratch(workers.slots());
  for_rows(workers, o.size.height, o.slices, [&](uint32_t y, uint32_t slice, uint32_t slot) {
    scratch[slot].assign(size_t{4} * width, 0.0F);
    float* rgba = scratch[slot].data();
    const float* in = row(estimate, y + static_cast<uint32_t>(plan.image_in_estimate.y), slice) +
                      stored * static_cast<uint32_t>(plan.image_in_estimate.x);
    const float unit = std::ldexp(1.0F, exponents[slice]);
    for (size_t x = 0; x < width; ++x) {
      rgba[4 * x + 3] = 1.0F;
      for (size_t c = 0; c < plan.blur.channels; ++c) rgba[4 * x + c] = in[stored * x + c] * unit;
    }
    encode_row(target.format, rgba, width, target.row(y, slice));
  });
  return finish(watch);
}

Result<void> Deconvolver::Impl::wiener(const ImageView& source, const MutableImageView& target) {
  ProgressWatch watch(tuning.progress);
  const bool tapers = plan.options.edges == DeconvolutionEdges::kTaper;
  if (tapers) {
    if (auto done = taper(source); !done) return done;
  }
  blur.impl().apply(tapers ? ImageView(measured.view()) : source,
                    [&](const SpectrumStrip& strip, uint32_t) { kernel.multiply(strip); }, target, {}, {&watch});
  return finish(watch);
}

Result<Deconvolver> Deconvolver::create(const DeconvolutionOptions& options, const TransformTuning& tuning) try {
  auto plan = plan_deconvolution(options);
  if (!plan) return plan.error();
  const auto kernel_plan = plan_transform(plan->kernel_transform);
  if (!kernel_plan) return kernel_plan.error();
  auto blur = Transform::create(plan->blur, tuning);
  if (!blur) return blur.error();
  auto impl = std::make_unique<Impl>(std::move(*plan), *kernel_plan, tuning, std::move(*blur));
  if (auto ready = impl->prepare(); !ready) return ready.error();
  return Deconvolver(std::move(impl));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a deconvolution", ""};
}

Result<void> Deconvolver::set_kernel(const ImageView& kernel) try {
  const DeconvolutionPlan& plan = impl_->plan;
  const DeconvolutionOptions& o = plan.options;
  auto weights = deconvolution_weights(plan, kernel);
  if (!weights) return weights.error();
  const bool wiener = o.method == DeconvolutionMethod::kWiener;
  impl_->kernel_set = false;
  if (auto done = impl_->kernel.set(weights->view(), impl_->tuning); !done) return done;
  if (wiener) impl_->invert_kernel();
  if (o.edges == DeconvolutionEdges::kTaper) {
    if (auto made = impl_->make_edge_blur(weights->view()); !made) return made;
  }
  impl_->kernel_set = true;
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a kernel", ""};
}

Result<void> Deconvolver::deconvolve(const ImageView& source, const MutableImageView& target) try {
  const DeconvolutionOptions& o = impl_->plan.options;
  auto checked = check_color_view("source", source, o.source, o.size, o.slices);
  if (checked) checked = check_color_view("target", target, o.target, o.size, o.slices);
  if (!checked) return checked;
  if (!impl_->kernel_set) return invalid("no kernel is set", "kernel");
  auto done = o.method == DeconvolutionMethod::kRichardsonLucy ? impl_->richardson_lucy(source, target)
                                                               : impl_->wiener(source, target);
  if (!done) return done;
  if (impl_->plan.blur.channels == 3 && o.channels == 4) copy_alpha(impl_->workers, source, target, {});
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory to deconvolve", ""};
}

const DeconvolutionPlan& Deconvolver::plan() const { return impl_->plan; }

Deconvolver::Deconvolver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Deconvolver::Deconvolver(Deconvolver&&) noexcept = default;
Deconvolver& Deconvolver::operator=(Deconvolver&&) noexcept = default;
Deconvolver::~Deconvolver() = default;

}  // namespace onepass::cpu
