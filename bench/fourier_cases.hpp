// fourier_cases.hpp: the measured transforms and convolutions as data, and the words of their names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cases.hpp"
#include "onepass/fourier_convolution.hpp"

namespace onepass::bench {

/// One transform. With half formats the spectrum is stored as halves, too.
struct FourierCase {
  Format format = Format::kUndefined;
  Extent size;
  Signal signal = Signal::kReal;
  uint32_t slices = 1;

  [[nodiscard]] TransformOptions options(SpectrumOrder order) const;
  friend bool operator==(const FourierCase&, const FourierCase&) = default;
};

/// Algorithm of the Vulkan engine, or the baseline.
enum class FourierPath {
  kSharedMemory,          ///< Four-step where shared memory cannot hold a line.
  kSharedMemoryComputed,  ///< Twiddle factors computed instead of read.
  kFourStep,              ///< At every length.
  kPingPong16,            ///< Passes of radix 16 at most.
  kPingPong16Computed,
  kPingPong2,
  kPingPong2Computed,
  kDeviceCopy,  ///< A copy of the same bytes: the reference of all others.
};

/// The timed part of a transform.
enum class FourierWork {
  kForwardInverse,
  kRowsForward,  ///< This and the next three: one stage, on the output of the stage before.
  kColumnsForward,
  kColumnsInverse,
  kRowsInverse,
  kInverse,  ///< Both stages of it, from a spectrum that does not change.
};

/// One benchmark of the Vulkan engine.
struct FourierVulkanBenchmark {
  FourierCase transform;
  bool images = false;  ///< Source and target are images, not buffers.
  FourierPath path = FourierPath::kSharedMemory;
  FourierWork work = FourierWork::kForwardInverse;
  Mode mode = Mode::kThroughput;

  [[nodiscard]] bool same_memory(const FourierVulkanBenchmark& other) const {
    return transform == other.transform && images == other.images;
  }
  [[nodiscard]] std::string path_word() const;
  [[nodiscard]] std::string name() const;
};

/// All benchmarks; benchmarks on the same memory are consecutive. `all`: every mode of every path.
[[nodiscard]] std::vector<FourierVulkanBenchmark> fourier_vulkan_benchmarks(bool all);

/// One convolution with a kernel of one channel.
struct ConvolutionCase {
  Format format = Format::kUndefined;
  uint32_t channels = 3;
  Extent size;
  Extent kernel;
  Boundary boundary = Boundary::kZero;

  [[nodiscard]] ConvolutionOptions options() const;
};

/// Cases of the CPU engine.
[[nodiscard]] std::span<const FourierCase> fourier_cpu_cases();
[[nodiscard]] std::span<const ConvolutionCase> convolution_cpu_cases();

/// Cases of the Vulkan engine.
[[nodiscard]] std::span<const ConvolutionCase> convolution_vulkan_cases();

[[nodiscard]] std::string_view work_word(FourierWork work);

/// "1920x1080".
[[nodiscard]] std::string size_word(Extent size);

/// "rgba32f/1920x1080" or with slices "rgba32f/256x256x6", with "/complex" if pairs of channels are complex numbers.
[[nodiscard]] std::string fourier_word(const FourierCase& transform);

/// "rgba32f/1920x1080/channels3/kernel255x255/mirror".
[[nodiscard]] std::string convolution_word(const ConvolutionCase& convolution);

}  // namespace onepass::bench
