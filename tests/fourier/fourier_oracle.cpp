// fourier_oracle.cpp: places the crop in the domain texel by texel, sums by the definition in long double or by FFTW,
// and completes half spectra of real signals by their conjugate mirror.
#include "tests/fourier/fourier_oracle.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

#include <fftw3.h>

#include "tests/pyramid/pyramid_oracle.hpp"

namespace onepass::testing {
namespace {

bool is_real(const TransformOptions& o) { return o.signal == Signal::kReal; }

Extent spectrum_size(const TransformOptions& o) {
  return {is_real(o) ? o.size.width / 2 + 1 : o.size.width, o.size.height};
}

uint32_t channels_of(const TransformOptions& o) {
  if (o.channels != 0) return o.channels;
  const uint32_t source = format_info(o.source).channels;
  return o.target == Format::kUndefined ? source : std::min(source, format_info(o.target).channels);
}

uint32_t signals_of(const TransformOptions& o) { return is_real(o) ? channels_of(o) : channels_of(o) / 2; }

Rect crop_of(const TransformOptions& o) { return o.crop == Rect{} ? Rect{0, 0, o.size.width, o.size.height} : o.crop; }

Rect result_of(const TransformOptions& o) {
  return o.result == Rect{} ? Rect{0, 0, o.size.width, o.size.height} : o.result;
}

/// Calls put(position in the domain, texel of the crop) for all positions along an axis that hold a texel.
template <class Put>
void place(int size, int count, int offset, Boundary boundary, const Put& put) {
  if (boundary == Boundary::kZero) {
    for (int i = 0; i < count; ++i) put(((i + offset) % size + size) % size, i);
    return;
  }
  for (int position = 0; position < size; ++position) {
    int texel = position - offset;
    while (boundary == Boundary::kWrap && texel < 0) texel += count;
    while (boundary == Boundary::kWrap && texel >= count) texel -= count;
    // Reflect about the outer edges of the first and last texel until the texel is inside.
    while (boundary == Boundary::kMirror && (texel < 0 || texel >= count)) {
      texel = texel < 0 ? -1 - texel : 2 * count - 1 - texel;
    }
    if (boundary == Boundary::kClamp) texel = std::min(std::max(texel, 0), count - 1);
    put(position, texel);
  }
}

double forward_factor(const TransformOptions& o) {
  const double texels = static_cast<double>(o.size.width) * o.size.height;
  if (o.precision == SpectrumPrecision::kHalf) return 1 / (o.peak * std::sqrt(texels));
  if (o.norm == Norm::kOrtho) return 1 / std::sqrt(texels);
  return o.norm == Norm::kForward ? 1 / texels : 1.0;
}

double inverse_factor(const TransformOptions& o) {
  if (o.norm == Norm::kNone) return 1;
  return 1 / (static_cast<double>(o.size.width) * o.size.height) / forward_factor(o);
}

/// Index of frequency (kx, ky) of a signal in memory.
size_t pair_index(const TransformOptions& o, uint32_t kx, uint32_t ky, uint32_t signal, uint32_t slice) {
  const Extent size = spectrum_size(o);
  uint32_t x = kx;
  uint32_t y = ky;
  if (o.origin == SpectrumOrigin::kCentre) {
    if (!is_real(o)) x = (x + size.width / 2) % size.width;
    y = (y + size.height / 2) % size.height;
  }
  size_t element = 0;
  if (o.order == SpectrumOrder::kRows) {
    element = (size_t{slice} * size.height + y) * size.width + x;
  } else {
    element = (size_t{slice} * size.width + x) * size.height + y;
  }
  return element * signals_of(o) + signal;
}

float half_value(uint16_t bits) {
  float rgba[4];
  decode_row(Format::kR16Sfloat, &bits, 1, rgba);
  return rgba[0];
}

}  // namespace

ComplexValues oracle_domain(const TransformOptions& o, const ImageView& source, uint32_t slice, uint32_t channel) {
  const Rect crop = crop_of(o);
  const std::vector<double> rgba = oracle_decode(source, slice);
  ComplexValues domain(size_t{o.size.width} * o.size.height);
  const auto width = static_cast<int>(o.size.width);
  const auto height = static_cast<int>(o.size.height);
  place(height, static_cast<int>(crop.height), o.placement.y, o.boundary, [&](int y, int row) {
    place(width, static_cast<int>(crop.width), o.placement.x, o.boundary, [&](int x, int column) {
      const size_t texel = size_t{crop.y + row} * source.size.width + crop.x + column;
      std::complex<double>& value = domain[static_cast<size_t>(y) * o.size.width + x];
      if (is_real(o)) {
        value = rgba[4 * texel + channel];
      } else {
        value = {rgba[4 * texel + 2 * channel], rgba[4 * texel + 2 * channel + 1]};
      }
    });
  });
  return domain;
}

ComplexValues oracle_sums(const ComplexValues& values, Extent size, int sign) {
  ComplexValues in = values;
  ComplexValues out(values.size());
  fftw_plan plan = fftw_plan_dft_2d(static_cast<int>(size.height), static_cast<int>(size.width),
                                    reinterpret_cast<fftw_complex*>(in.data()),
                                    reinterpret_cast<fftw_complex*>(out.data()), sign, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return out;
}

ComplexValues direct_sums(const ComplexValues& values, Extent size, int sign) {
  ComplexValues out(values.size());
  const auto turn = [&](uint64_t product, uint32_t n) {
    const long double angle = sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(product % n) / n;
    return std::complex<long double>(std::cos(angle), std::sin(angle));
  };
  for (uint32_t ky = 0; ky < size.height; ++ky) {
    for (uint32_t kx = 0; kx < size.width; ++kx) {
      std::complex<long double> sum;
      for (uint32_t y = 0; y < size.height; ++y) {
        for (uint32_t x = 0; x < size.width; ++x) {
          const std::complex<long double> value = values[size_t{y} * size.width + x];
          sum += value * turn(uint64_t{kx} * x, size.width) * turn(uint64_t{ky} * y, size.height);
        }
      }
      out[size_t{ky} * size.width + kx] = {static_cast<double>(sum.real()), static_cast<double>(sum.imag())};
    }
  }
  return out;
}

ComplexValues oracle_spectrum(const TransformOptions& o, const ImageView& source, bool direct) {
  const Extent size = spectrum_size(o);
  ComplexValues pairs(size_t{size.width} * size.height * signals_of(o) * o.slices);
  for (uint32_t slice = 0; slice < o.slices; ++slice) {
    for (uint32_t signal = 0; signal < signals_of(o); ++signal) {
      const ComplexValues domain = oracle_domain(o, source, slice, signal);
      const ComplexValues sums = direct ? direct_sums(domain, o.size, -1) : oracle_sums(domain, o.size, -1);
      for (uint32_t ky = 0; ky < size.height; ++ky) {
        for (uint32_t kx = 0; kx < size.width; ++kx) {
          pairs[pair_index(o, kx, ky, signal, slice)] = forward_factor(o) * sums[size_t{ky} * o.size.width + kx];
        }
      }
    }
  }
  return pairs;
}

std::vector<double> oracle_image(const TransformOptions& o, const ComplexValues& spectrum) {
  const uint32_t width = o.size.width;
  const uint32_t height = o.size.height;
  const Rect result = result_of(o);
  const uint32_t channels = channels_of(o);
  std::vector<double> image(size_t{result.width} * result.height * channels * o.slices);
  for (uint32_t slice = 0; slice < o.slices; ++slice) {
    for (uint32_t signal = 0; signal < signals_of(o); ++signal) {
      ComplexValues full(size_t{width} * height);
      for (uint32_t ky = 0; ky < height; ++ky) {
        for (uint32_t kx = 0; kx < spectrum_size(o).width; ++kx) {
          const std::complex<double> value = spectrum[pair_index(o, kx, ky, signal, slice)];
          full[size_t{ky} * width + kx] += is_real(o) ? value / 2.0 : value;
          const size_t mirror = size_t{(height - ky) % height} * width + (width - kx) % width;
          if (is_real(o)) full[mirror] += std::conj(value) / 2.0;
          // A column that is its own mirror has both halves now; any other column needs its second half.
          if (is_real(o) && (width - kx) % width != kx) {
            full[size_t{ky} * width + kx] += value / 2.0;
            full[mirror] += std::conj(value) / 2.0;
          }
        }
      }
      const ComplexValues sums = oracle_sums(full, o.size, 1);
      for (uint32_t y = 0; y < result.height; ++y) {
        for (uint32_t x = 0; x < result.width; ++x) {
          const std::complex<double> value = inverse_factor(o) * sums[size_t{result.y + y} * width + result.x + x];
          double* texel = &image[((size_t{slice} * result.height + y) * result.width + x) * channels];
          texel[is_real(o) ? signal : 2 * signal] = value.real();
          if (!is_real(o)) texel[2 * signal + 1] = value.imag();
        }
      }
    }
  }
  return image;
}

ComplexValues read_pairs(const TransformOptions& o, std::span<const std::byte> spectrum) {
  const bool half = o.precision == SpectrumPrecision::kHalf;
  ComplexValues pairs(spectrum.size() / (half ? 4 : 8));
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (half) {
      uint16_t bits[2];
      std::memcpy(bits, spectrum.data() + 4 * i, 4);
      pairs[i] = {half_value(bits[0]), half_value(bits[1])};
    } else {
      float values[2];
      std::memcpy(values, spectrum.data() + 8 * i, 8);
      pairs[i] = {values[0], values[1]};
    }
  }
  return pairs;
}

std::vector<std::byte> write_pairs(const TransformOptions& o, const ComplexValues& pairs) {
  const bool half = o.precision == SpectrumPrecision::kHalf;
  const size_t bytes = half ? 4 : 8;
  std::vector<std::byte> spectrum(pairs.size() * bytes);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const float texel[4] = {static_cast<float>(pairs[i].real()), static_cast<float>(pairs[i].imag()), 0, 0};
    encode_row(half ? Format::kRG16Sfloat : Format::kRG32Sfloat, texel, 1, spectrum.data() + i * bytes);
  }
  return spectrum;
}

std::vector<double> read_values(const TransformOptions& o, const ImageView& target) {
  const uint32_t channels = channels_of(o);
  std::vector<double> values;
  for (uint32_t slice = 0; slice < target.slices; ++slice) {
    const std::vector<double> rgba = oracle_decode(target, slice);
    for (size_t texel = 0; texel < rgba.size() / 4; ++texel) {
      for (uint32_t c = 0; c < channels; ++c) values.push_back(rgba[4 * texel + c]);
    }
  }
  return values;
}

namespace {

template <typename T>
double relative(const std::vector<T>& actual, const std::vector<T>& expected) {
  long double difference = 0;
  long double total = 0;
  if (actual.size() != expected.size()) return HUGE_VAL;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::norm(actual[i] - expected[i]);
    total += std::norm(expected[i]);
  }
  if (difference == 0) return 0;
  return static_cast<double>(std::sqrt(difference / total));
}

}  // namespace

double relative_error(const ComplexValues& actual, const ComplexValues& expected) { return relative(actual, expected); }
double relative_error(const std::vector<double>& actual, const std::vector<double>& expected) {
  return relative(actual, expected);
}

std::string describe(const TransformOptions& o) {
  static constexpr const char* kNorms[] = {"backward", "ortho", "forward", "none"};
  static constexpr const char* kBoundaries[] = {"zero", "wrap", "clamp", "mirror"};
  const auto rect = [](const Rect& r) {
    return std::to_string(r.x) + "," + std::to_string(r.y) + " " + std::to_string(r.width) + "x" +
           std::to_string(r.height);
  };
  std::string text = std::to_string(o.size.width) + "x" + std::to_string(o.size.height) + " ";
  text += std::string(format_info(o.source).name) + " > " + std::string(format_info(o.target).name);
  text += " channels " + std::to_string(o.channels) + " slices " + std::to_string(o.slices);
  text += is_real(o) ? " real" : " complex";
  text += o.order == SpectrumOrder::kRows ? " rows" : " columns";
  text += o.origin == SpectrumOrigin::kCorner ? " corner" : " centre";
  text += o.precision == SpectrumPrecision::kFloat ? " float " : " half ";
  text += kNorms[static_cast<size_t>(o.norm)];
  text += " crop " + rect(o.crop) + " at " + std::to_string(o.placement.x) + "," + std::to_string(o.placement.y);
  text += std::string(" ") + kBoundaries[static_cast<size_t>(o.boundary)] + " result " + rect(o.result);
  return text;
}

}  // namespace onepass::testing
