// fourier_peers.cpp: separates an image into the planes that the peers transform, and makes the expected spectra by the
// CPU engine, of which a few values are compared with their definition.
#include "peers/fourier_peers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "fourier_checks.hpp"
#include "onepass/fourier.hpp"

namespace onepass::bench {
namespace {

FourierCase plane_case(const PeerSignal& signal) {
  return {signal.complex ? Format::kRG32Sfloat : Format::kR32Sfloat, signal.size,
          signal.complex ? Signal::kComplex : Signal::kReal};
}

/// One plane as an image without padding.
Result<Image> plane_image(const PeerSignal& signal, std::span<const float> plane) {
  auto image = Image::create(plane_case(signal).format, signal.size);
  if (!image) return image;
  const size_t row_floats = size_t{signal.size.width} * (signal.complex ? 2 : 1);
  for (uint32_t y = 0; y < signal.size.height; ++y) {
    std::memcpy(image->view().row(y), &plane[size_t{2} * signal.pairs() * y], row_floats * sizeof(float));
  }
  return image;
}

/// Compares some values of a plane's spectrum with their definition.
bool agrees_with_definition(const PeerSignal& signal, const ImageView& plane, std::span<const float> spectrum) {
  const Extent size = signal.size;
  // Values of random signals are about as large as the square root of the number of texels.
  const double allowed = 1e-5 * std::sqrt(static_cast<double>(size.width) * size.height);
  for (const Extent at : {Extent{1, 0}, Extent{signal.pairs() - 1, size.height / 3}, Extent{2, size.height - 1}}) {
    const std::complex<double> expected = spectrum_value(plane_case(signal), plane, at, 0);
    const size_t pair = size_t{signal.pairs()} * at.height + at.width;
    const std::complex<double> actual(spectrum[2 * pair], spectrum[2 * pair + 1]);
    if (!(std::abs(actual - expected) <= allowed)) return false;
  }
  return true;
}

}  // namespace

std::string_view peer_word(FourierPeer peer) {
  static constexpr std::array<std::string_view, 4> kWords = {"vkfft_c2c2", "vkfft_r2c4", "cufft_c2c2", "cufft_r2c4"};
  return kWords[static_cast<size_t>(peer)];
}

std::vector<FourierPeer> fourier_peers() {
  return {
#ifdef ONEPASS_BENCH_VKFFT
      FourierPeer::kVkfftComplex, FourierPeer::kVkfftReal,
#endif
      FourierPeer::kCufftComplex, FourierPeer::kCufftReal};
}

std::vector<float> peer_planes(const PeerSignal& signal, const ImageView& image) {
  std::vector<float> out(signal.floats());
  const uint32_t together = signal.complex ? 2 : 1;  // channels of a plane
  const uint32_t per_slice = signal.planes() / signal.slices;
  for (uint32_t plane = 0; plane < signal.planes(); ++plane) {
    for (uint32_t y = 0; y < signal.size.height; ++y) {
      const auto* texels = reinterpret_cast<const float*>(image.row(y, plane / per_slice));
      const uint32_t first = together * (plane % per_slice);
      float* row = &out[signal.plane_floats() * plane + size_t{2} * signal.pairs() * y];
      for (size_t i = 0; i < size_t{signal.size.width} * together; ++i) {
        row[i] = texels[4 * (i / together) + first + i % together];
      }
    }
  }
  return out;
}

void clear_padding(const PeerSignal& signal, std::span<float> planes) {
  const size_t row = size_t{2} * signal.pairs();
  const size_t used = size_t{signal.size.width} * (signal.complex ? 2 : 1);
  for (size_t begin = 0; begin < planes.size(); begin += row) {
    std::fill(planes.begin() + begin + used, planes.begin() + begin + row, 0.0F);
  }
}

Result<std::vector<float>> peer_spectrum(const PeerSignal& signal, std::span<const float> planes) {
  auto transform = cpu::Transform::create(plane_case(signal).options(SpectrumOrder::kRows));
  if (!transform) return transform.error();
  std::vector<float> out(signal.floats());
  for (uint32_t plane = 0; plane < signal.planes(); ++plane) {
    auto image = plane_image(signal, planes.subspan(signal.plane_floats() * plane, signal.plane_floats()));
    if (!image) return image.error();
    const std::span<float> spectrum(&out[signal.plane_floats() * plane], signal.plane_floats());
    if (auto done = transform->forward(image->view(), std::as_writable_bytes(spectrum)); !done) return done.error();
    if (plane == 0 && !agrees_with_definition(signal, image->view(), spectrum)) {
      return Error{ErrorCode::kBadData, "wrong spectrum", "cpu::Transform"};
    }
  }
  return out;
}

FourierPeerResult make_fourier_peer(const Gpu& gpu, FourierPeer peer, const PeerSignal& signal, size_t sets) {
  if (peer >= FourierPeer::kCufftComplex) return make_cufft(gpu, signal, sets);
#ifdef ONEPASS_BENCH_VKFFT
  return make_vkfft(gpu, signal, sets);
#else
  return Error{ErrorCode::kUnsupported, "is not in this build", std::string(peer_word(peer))};
#endif
}

}  // namespace onepass::bench
