// cpu_kernel_spectrum.cpp: multiplies strips frequency by frequency, one SIMD lane per column and channel: kLane real
// parts, then kLane imaginary parts. A kernel with one plane is stored once per column and repeated for all channels.
#include "fourier/cpu_kernel_spectrum.hpp"

#include "image/div_up.hpp"

namespace onepass::cpu {

KernelSpectrum::KernelSpectrum(const TransformPlan& transform, uint32_t image_channels)
    : transform_(transform.options),
      width_(transform.spectrum_size.width),
      height_(transform.spectrum_size.height),
      planes_(transform.spectrum_channels),
      columns_(static_cast<uint32_t>(SpectrumStrip::kImaginary) / image_channels),
      lanes_(planes_ == 1 ? columns_ : static_cast<uint32_t>(SpectrumStrip::kImaginary)),
      values_(size_t{div_up(width_, columns_)} * height_ * 2 * lanes_) {}

Result<void> KernelSpectrum::set(const ImageView& weights, const TransformTuning& tuning) {
  auto transform = Transform::create(transform_, tuning);
  if (!transform) return transform.error();
  transform->impl().inspect(weights, [&](const SpectrumStrip& strip, uint32_t /*slot*/) {
    const float* in = strip.values;
    for (uint32_t ky = 0; ky < strip.height; ++ky, in += SpectrumStrip::kRowFloats) {
      for (uint32_t lane = 0; lane < strip.columns * planes_; ++lane) {
        const uint32_t kx = strip.first_kx + lane / planes_;
        float* out = values_.data() + element(kx, ky) + kx % columns_ * planes_ + lane % planes_;
        out[0] = in[lane];
        out[lanes_] = in[SpectrumStrip::kImaginary + lane];
      }
    }
  });
  return {};
}

void KernelSpectrum::each(const std::function<void(std::complex<float>& value, uint32_t kx, uint32_t ky)>& change) {
  for (uint32_t kx = 0; kx < width_; ++kx) {
    for (uint32_t ky = 0; ky < height_; ++ky) {
      float* out = values_.data() + element(kx, ky) + size_t{kx % columns_} * planes_;
      for (uint32_t p = 0; p < planes_; ++p, ++out) {
        std::complex<float> value(out[0], out[lanes_]);
        change(value, kx, ky);
        out[0] = value.real();
        out[lanes_] = value.imag();
      }
    }
  }
}

namespace {

constexpr size_t kLane = SpectrumStrip::kImaginary;

// Repeats one value per column for all channels of the column: one value per SIMD lane.
template <size_t channels>
void spread_columns(const float* columns, float* lanes) {
  for (size_t i = 0; i < kLane / channels; ++i) {
    for (size_t c = 0; c < channels; ++c) lanes[i * channels + c] = columns[i];
  }
}

template <bool conjugate>
void multiply_element(float* values, const float* re, const float* im) {
  for (size_t i = 0; i < kLane; ++i) {
    const float h_im = conjugate ? -im[i] : im[i];
    const float product = values[i] * re[i] - values[kLane + i] * h_im;
    values[kLane + i] = values[i] * h_im + values[kLane + i] * re[i];
    values[i] = product;
  }
}

// `shared`: the kernel has one plane for all channels and therefore shorter elements.
template <size_t channels, bool conjugate>
void multiply_strip(const SpectrumStrip& strip, const float* kernel, bool shared) {
  constexpr size_t kColumns = kLane / channels;
  float* values = strip.values;
  if (!shared) {
    for (uint32_t ky = 0; ky < strip.height; ++ky, values += SpectrumStrip::kRowFloats, kernel += 2 * kLane) {
      multiply_element<conjugate>(values, kernel, kernel + kLane);
    }
    return;
  }
  float re[kLane] = {};
  float im[kLane] = {};
  for (uint32_t ky = 0; ky < strip.height; ++ky, values += SpectrumStrip::kRowFloats, kernel += 2 * kColumns) {
    spread_columns<channels>(kernel, re);
    spread_columns<channels>(kernel + kColumns, im);
    multiply_element<conjugate>(values, re, im);
  }
}

template <bool conjugate>
void multiply_any(const SpectrumStrip& strip, const float* kernel, bool shared) {
  switch (strip.channels) {
    case 1:
      return multiply_strip<1, conjugate>(strip, kernel, false);
    case 2:
      return multiply_strip<2, conjugate>(strip, kernel, shared);
    case 3:
      return multiply_strip<3, conjugate>(strip, kernel, shared);
    default:
      return multiply_strip<4, conjugate>(strip, kernel, shared);
  }
}

template <size_t channels>
void scale_by_columns(const SpectrumStrip& strip, const float* gains) {
  float* values = strip.values;
  float lanes[kLane] = {};
  for (uint32_t ky = 0; ky < strip.height; ++ky, values += SpectrumStrip::kRowFloats, gains += kLane / channels) {
    spread_columns<channels>(gains, lanes);
    for (size_t i = 0; i < kLane; ++i) values[i] *= lanes[i];
    for (size_t i = 0; i < kLane; ++i) values[kLane + i] *= lanes[i];
  }
}

}  // namespace

void KernelSpectrum::multiply(const SpectrumStrip& strip) const {
  multiply_any<false>(strip, values_.data() + element(strip.first_kx, 0), planes_ == 1);
}

void KernelSpectrum::multiply_conjugate(const SpectrumStrip& strip) const {
  multiply_any<true>(strip, values_.data() + element(strip.first_kx, 0), planes_ == 1);
}

void scale_strip(const SpectrumStrip& strip, const float* gains) {
  switch (strip.channels) {
    case 1:
      return scale_by_columns<1>(strip, gains);
    case 2:
      return scale_by_columns<2>(strip, gains);
    case 3:
      return scale_by_columns<3>(strip, gains);
    default:
      return scale_by_columns<4>(strip, gains);
  }
}

}  // namespace onepass::cpu
