// fourier_fftw.cpp: see fourier_fftw.hpp.
#include "fourier_fftw.hpp"

#ifdef ONEPASS_BENCH_FFTW
#include <fftw3.h>

#include <array>
#endif

namespace onepass::bench {

#ifdef ONEPASS_BENCH_FFTW
namespace {

class Plans final : public FftwTransform {
 public:
  Plans(const FourierCase& transform, std::byte* source, std::byte* spectrum, std::byte* target) {
    const std::array<int, 2> size = {static_cast<int>(transform.size.height), static_cast<int>(transform.size.width)};
    const int channels = static_cast<int>(format_info(transform.format).channels);
    auto* pairs = reinterpret_cast<fftwf_complex*>(spectrum);
    // Channels lie side by side: a stride of as many, a distance of one.
    if (transform.signal == Signal::kComplex) {
      const int count = channels / 2;
      auto* in = reinterpret_cast<fftwf_complex*>(source);
      auto* out = reinterpret_cast<fftwf_complex*>(target);
      forward_ = fftwf_plan_many_dft(2, size.data(), count, in, nullptr, count, 1, pairs, nullptr, count, 1,
                                     FFTW_FORWARD, FFTW_MEASURE);
      inverse_ = fftwf_plan_many_dft(2, size.data(), count, pairs, nullptr, count, 1, out, nullptr, count, 1,
                                     FFTW_BACKWARD, FFTW_MEASURE);
      return;
    }
    forward_ = fftwf_plan_many_dft_r2c(2, size.data(), channels, reinterpret_cast<float*>(source), nullptr, channels, 1,
                                       pairs, nullptr, channels, 1, FFTW_MEASURE);
    inverse_ = fftwf_plan_many_dft_c2r(2, size.data(), channels, pairs, nullptr, channels, 1,
                                       reinterpret_cast<float*>(target), nullptr, channels, 1, FFTW_MEASURE);
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

// Plans made from now on use so many threads. False if they cannot.
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

}  // namespace

std::unique_ptr<FftwTransform> FftwTransform::create(const FourierCase& transform, uint32_t threads,
                                                     std::span<std::byte> source, std::span<std::byte> spectrum,
                                                     std::span<std::byte> target) {
  if (!use_threads(threads)) return nullptr;
  auto plans = std::make_unique<Plans>(transform, source.data(), spectrum.data(), target.data());
  return plans->good() ? std::unique_ptr<FftwTransform>(std::move(plans)) : nullptr;
}

#else

std::unique_ptr<FftwTransform> FftwTransform::create(const FourierCase& /*transform*/, uint32_t /*threads*/,
                                                     std::span<std::byte> /*source*/, std::span<std::byte> /*spectrum*/,
                                                     std::span<std::byte> /*target*/) {
  return nullptr;
}

#endif

}  // namespace onepass::bench
