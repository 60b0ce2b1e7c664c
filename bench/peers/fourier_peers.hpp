// fourier_peers.hpp: libraries of other authors that transform images on a GPU, timed beside this library.
//
// All transform the four real channels of an RGBA32F image, forward and inverse, in single precision. This library
// reads and writes interleaved texels and stores half a spectrum per channel. The peers get the same numbers as planes,
// the layout that is fastest for them, in one of two ways:
//
//     c2c2   two complex planes: channels 0 and 1 are one complex signal, 2 and 3 another. The spectra of the channels
//            are not separated.
//     r2c4   four real planes, rows padded to W/2 + 1 pairs; half a spectrum per plane
//
// Of several slices, whose channels are two complex signals for this library, too, only the inverse is timed, from one
// buffer to another. The peers take all planes of all slices as one batch, c2c2.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fourier_cases.hpp"
#include "vulkan_timer.hpp"

namespace onepass::bench {

enum class FourierPeer {
  kVkfftComplex,
  kVkfftReal,
  kCufftComplex,
  kCufftReal,
};

/// Words of names: "vkfft_c2c2", "vkfft_r2c4", "cufft_c2c2", "cufft_r2c4".
[[nodiscard]] std::string_view peer_word(FourierPeer peer);

/// The peers of this build. cuFFT is always among them: its library is looked for when the program runs.
[[nodiscard]] std::vector<FourierPeer> fourier_peers();

/// The planes of an image.
struct PeerSignal {
  Extent size;
  bool complex = false;
  uint32_t slices = 1;
  bool only_inverse = false;  ///< The timed part.

  [[nodiscard]] uint32_t planes() const { return (complex ? 2 : 4) * slices; }
  /// Width of a plane's spectrum. A row has twice as many floats before and after the transform.
  [[nodiscard]] uint32_t pairs() const { return complex ? size.width : size.width / 2 + 1; }
  [[nodiscard]] size_t plane_floats() const { return size_t{2} * pairs() * size.height; }
  [[nodiscard]] size_t floats() const { return plane_floats() * planes(); }
};

/// The planes of an RGBA32F image. Floats that pad rows are 0.
[[nodiscard]] std::vector<float> peer_planes(const PeerSignal& signal, const ImageView& image);

/// Sets the floats that pad rows to 0.
void clear_padding(const PeerSignal& signal, std::span<float> planes);

/// The forward transform of all planes by the CPU engine. A few values are compared with the definition, in double.
/// Errors: kBadData if these differ.
[[nodiscard]] Result<std::vector<float>> peer_spectrum(const PeerSignal& signal, std::span<const float> planes);

/// A peer's plan, with memory for several sets. All sets hold the same planes.
class FourierPeerPlan {
 public:
  FourierPeerPlan() = default;
  FourierPeerPlan(const FourierPeerPlan&) = delete;
  FourierPeerPlan& operator=(const FourierPeerPlan&) = delete;
  virtual ~FourierPeerPlan() = default;

  virtual Result<void> upload(std::span<const float> planes) = 0;  ///< To all sets.
  virtual Result<void> forward() = 0;                              ///< Of set 0.
  virtual Result<void> inverse() = 0;                              ///< Of set 0, after forward().
  virtual Result<std::vector<float>> download() = 0;               ///< Results of the last transform of set 0.

  /// Values after forward and inverse over values before.
  [[nodiscard]] virtual double round_trip_factor() const = 0;

  /// Times forward and inverse, or only the inverse, alternating with `reference`.
  virtual Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference,
                                     Mode mode) = 0;
};

/// Errors: kUnsupported if the build or this machine lacks the peer.
using FourierPeerResult = Result<std::unique_ptr<FourierPeerPlan>>;
FourierPeerResult make_fourier_peer(const Gpu& gpu, FourierPeer peer, const PeerSignal& signal, size_t sets);

// One factory per adapter; VkFFT's is defined where the build has it.
FourierPeerResult make_vkfft(const Gpu& gpu, const PeerSignal& signal, size_t sets);
FourierPeerResult make_cufft(const Gpu& gpu, const PeerSignal& signal, size_t sets);

}  // namespace onepass::bench
