// fourier_fftw.cpp: plans of FFTW for the same layouts as the engine's: channels interleaved, half a spectrum for real
// signals. Convolutions pad planes to a smooth size that no wrapped sum reaches.
#include "fourier_fftw.hpp"

#ifdef ONEPASS_BENCH_FFTW
#include <fftw3.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/workers.hpp"
#endif

namespace onepass::bench {

#ifdef ONEPASS_BENCH_FFTW
namespace {

class Plans final : public FftwTransform {
 public:
  Plans(const FourierCase& transform, unsigned effort, std::byte* source, std::byte* spectrum, std::byte* target) {
    const std::array<int, 2> size = {static_cast<int>(transform.size.height), static_cast<int>(transform.size.width)};
    const int channels = static_cast<int>(format_info(transform.format).channels);
    auto* pairs = reinterpret_cast<fftwf_complex*>(spectrum);
    // Channels are interleaved: the stride is their number, the distance is 1.
    if (transform.signal == Signal::kComplex) {
      const int count = channels / 2;
      auto* in = reinterpret_cast<fftwf_complex*>(source);
      auto* out = reinterpret_cast<fftwf_complex*>(target);
      forward_ = fftwf_plan_many_dft(2, size.data(), count, in, nullptr, count, 1, pairs, nullptr, count, 1,
                                     FFTW_FORWARD, effort);
      inverse_ = fftwf_plan_many_dft(2, size.data(), count, pairs, nullptr, count, 1, out, nullptr, count, 1,
                                     FFTW_BACKWARD, effort);
      return;
    }
    forward_ = fftwf_plan_many_dft_r2c(2, size.data(), channels, reinterpret_cast<float*>(source), nullptr, channels, 1,
                                       pairs, nullptr, channels, 1, effort);
    inverse_ = fftwf_plan_many_dft_c2r(2, size.data(), channels, pairs, nullptr, channels, 1,
                                       reinterpret_cast<float*>(target), nullptr, channels, 1, effort);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;
  ~Plans() override {
    if (forward_ != nullptr) fftwf_destroy_plan(forward_);
    if (inverse_ != nullptr) fftwf_destroy_plan(inverse_);
  }
  [[nodiscard]] bool good() const { return forward_ != nullptr && inverse_ != nullptr; }
  void forward() const override { fftwf_execute(forward_); }
  void inverse() const override { fftwf_execute(inverse_); }

 private:
  fftwf_plan forward_ = nullptr;
  fftwf_plan inverse_ = nullptr;
};

// Sets the number of threads of later plans. False if this build's FFTW has no threads.
bool use_threads(uint32_t threads) {
#ifdef ONEPASS_BENCH_FFTW_THREADS
  static const bool ready = fftwf_init_threads() != 0;
  if (!ready) return threads == 1;
  fftwf_plan_with_nthreads(static_cast<int>(threads));
  return true;
#else
  return threads == 1;
#endif
}

using Pair = std::complex<float>;

class PaddedPlanes final : public FftwConvolution {
 public:
  PaddedPlanes(const ConvolutionCase& convolution, uint32_t threads)
      : case_(convolution),
        workers_(threads),
        width_(next_smooth_size(convolution.size.width + convolution.kernel.width / 2)),
        height_(next_smooth_size(convolution.size.height + convolution.kernel.height / 2)),
        pairs_(width_ / 2 + 1),
        planes_(convolution.channels * height_ * width_),
        spectrum_(convolution.channels * height_ * pairs_),
        kernel_(height_ * pairs_) {
    const std::array<int, 2> size = {static_cast<int>(height_), static_cast<int>(width_)};
    const auto count = static_cast<int>(case_.channels);
    const auto reals = static_cast<int>(height_ * width_);
    const auto complexes = static_cast<int>(height_ * pairs_);
    auto* pairs = reinterpret_cast<fftwf_complex*>(spectrum_.data());
    forward_ = fftwf_plan_many_dft_r2c(2, size.data(), count, planes_.data(), nullptr, 1, reals, pairs, nullptr, 1,
                                       complexes, FFTW_MEASURE);
    inverse_ = fftwf_plan_many_dft_c2r(2, size.data(), count, pairs, nullptr, 1, complexes, planes_.data(), nullptr, 1,
                                       reals, FFTW_MEASURE);
  }
  PaddedPlanes(const PaddedPlanes&) = delete;
  PaddedPlanes& operator=(const PaddedPlanes&) = delete;
  ~PaddedPlanes() override {
    if (forward_ != nullptr) fftwf_destroy_plan(forward_);
    if (inverse_ != nullptr) fftwf_destroy_plan(inverse_);
  }
  [[nodiscard]] bool good() const { return forward_ != nullptr && inverse_ != nullptr; }

  /// Moves the kernel's centre to the origin and scales its weights to a sum of 1 / texels: FFTW itself does not scale.
  void set_kernel(const ImageView& kernel) {
    std::fill(planes_.begin(), planes_.end(), 0.0F);
    double sum = 0;
    for (uint32_t y = 0; y < case_.kernel.height; ++y) {
      for (uint32_t x = 0; x < case_.kernel.width; ++x) sum += weight(kernel, x, y);
    }
    const double scale = 1 / (sum * static_cast<double>(width_) * static_cast<double>(height_));
    for (uint32_t y = 0; y < case_.kernel.height; ++y) {
      for (uint32_t x = 0; x < case_.kernel.width; ++x) {
        const size_t at_x = (width_ + x - case_.kernel.width / 2) % width_;
        const size_t at_y = (height_ + y - case_.kernel.height / 2) % height_;
        row(0, at_y)[at_x] = static_cast<float>(weight(kernel, x, y) * scale);
      }
    }
    fftwf_execute(forward_);
    std::copy_n(spectrum_.begin(), kernel_.size(), kernel_.begin());
  }

  void convolve(const ImageView& source, const MutableImageView& target) override {
    const uint32_t stored = format_info(case_.format).channels;
    workers_.run(height_, [&](size_t y, uint32_t /*slot*/) {
      for (uint32_t c = 0; c < case_.channels; ++c) {
        float* out = row(c, y);
        uint32_t x = 0;
        if (y < case_.size.height) {
          const auto* in = reinterpret_cast<const float*>(source.row(static_cast<uint32_t>(y), 0));
          for (; x < case_.size.width; ++x) out[x] = in[x * stored + c];
        }
        std::fill(out + x, out + width_, 0.0F);
      }
    });
    fftwf_execute(forward_);
    workers_.run(height_, [&](size_t y, uint32_t /*slot*/) {
      const Pair* factors = kernel_.data() + y * pairs_;
      for (uint32_t c = 0; c < case_.channels; ++c) {
        Pair* values = spectrum_.data() + (c * height_ + y) * pairs_;
        for (size_t x = 0; x < pairs_; ++x) {  // the product of std::complex would test for infinities
          const Pair a = values[x];
          const Pair b = factors[x];
          values[x] = {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
        }
      }
    });
    fftwf_execute(inverse_);
    workers_.run(case_.size.height, [&](size_t y, uint32_t /*slot*/) {
      auto* out = reinterpret_cast<float*>(target.row(static_cast<uint32_t>(y), 0));
      for (uint32_t c = 0; c < case_.channels; ++c) {
        const float* in = row(c, y);
        for (uint32_t x = 0; x < case_.size.width; ++x) out[x * stored + c] = in[x];
      }
    });
  }

 private:
  float* row(uint32_t channel, size_t y) { return planes_.data() + (channel * height_ + y) * width_; }
  /// Value of the kernel's first channel.
  float weight(const ImageView& kernel, uint32_t x, uint32_t y) const {
    float value;
    std::memcpy(&value, kernel.row(y, 0) + size_t{x} * format_info(case_.options().kernel).bytes_per_texel,
                sizeof(value));
    return value;
  }

  ConvolutionCase case_;
  cpu::Workers workers_;
  size_t width_;
  size_t height_;
  size_t pairs_;
  cpu::AlignedVector<float> planes_;
  cpu::AlignedVector<Pair> spectrum_;
  cpu::AlignedVector<Pair> kernel_;
  fftwf_plan forward_ = nullptr;
  fftwf_plan inverse_ = nullptr;
};

}  // namespace

std::unique_ptr<FftwConvolution> FftwConvolution::create(const ConvolutionCase& convolution, uint32_t threads,
                                                         const ImageView& kernel) {
  if (convolution.boundary != Boundary::kZero || !use_threads(threads)) return nullptr;
  auto planes = std::make_unique<PaddedPlanes>(convolution, threads);
  if (!planes->good()) return nullptr;
  planes->set_kernel(kernel);
  return planes;
}

std::unique_ptr<FftwTransform> FftwTransform::create(const FourierCase& transform, uint32_t threads, bool patient,
                                                     std::span<std::byte> source, std::span<std::byte> spectrum,
                                                     std::span<std::byte> target) {
  if (!use_threads(threads)) return nullptr;
  auto plans = std::make_unique<Plans>(transform, patient ? FFTW_PATIENT : FFTW_MEASURE, source.data(), spectrum.data(),
                                       target.data());
  return plans->good() ? std::unique_ptr<FftwTransform>(std::move(plans)) : nullptr;
}

#else

std::unique_ptr<FftwConvolution> FftwConvolution::create(const ConvolutionCase& /*convolution*/, uint32_t /*threads*/,
                                                         const ImageView& /*kernel*/) {
  return nullptr;
}

std::unique_ptr<FftwTransform> FftwTransform::create(const FourierCase& /*transform*/, uint32_t /*threads*/,
                                                     bool /*patient*/, std::span<std::byte> /*source*/,
                                                     std::span<std::byte> /*spectrum*/,
                                                     std::span<std::byte> /*target*/) {
  return nullptr;
}

#endif

}  // namespace onepass::bench
