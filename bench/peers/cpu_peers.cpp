// cpu_peers.cpp: the peers' cases, definitions of their levels and tolerances, each with the reason why the peer
// differs from its definition.
#include "peers/cpu_peers.hpp"

#include <array>
#include <string>

namespace onepass::bench {
namespace {

[[maybe_unused]] PyramidCase mean_of(Format format, Extent size, Footprint footprint) {
  return {.source = format, .target = format, .size = size, .footprint = footprint};
}

// Peers in the order of the enumeration.
constexpr CpuPeer kPeers[] = {
#ifdef ONEPASS_BENCH_OPENCV
    CpuPeer::kOpenCv,
#endif
#ifdef ONEPASS_BENCH_VIPS
    CpuPeer::kVips,
#endif
#ifdef ONEPASS_BENCH_OPENIMAGEIO
    CpuPeer::kOpenImageIo,
#endif
};

}  // namespace

std::string_view peer_word(CpuPeer peer) {
  static constexpr std::array<std::string_view, 3> kWords = {"opencv", "vips", "openimageio"};
  return kWords[static_cast<size_t>(peer)];
}

std::vector<CpuPeerCase> cpu_peer_cases() {
  std::vector<CpuPeerCase> out;
  for (const Extent size : {Extent{256, 256}, Extent{4096, 4096}}) {
    for (const Format format : {Format::kRGBA8Unorm, Format::kR32Sfloat, Format::kRGBA32Sfloat}) {
      for (const CpuPeer peer : kPeers) out.push_back({mean_of(format, size, Footprint::kAligned), peer});
    }
  }
#ifdef ONEPASS_BENCH_OPENCV
  // Only OpenCV weights texels by the covered area at odd sizes.
  out.push_back({mean_of(Format::kRGBA8Unorm, {4095, 4093}, Footprint::kCovering), CpuPeer::kOpenCv});
  out.push_back({mean_of(Format::kRGBA32Sfloat, {4095, 4093}, Footprint::kCovering), CpuPeer::kOpenCv});
#endif
  return out;
}

PeerDefinition definition_of(const CpuPeerCase& one) {
  return {.taps = one.pyramid.footprint == Footprint::kCovering ? PeerTaps::kArea : PeerTaps::kPair};
}

Tolerance tolerance_of(const CpuPeerCase& one) {
  // OpenCV leaves out a texel of which less than a thousandth is covered, which is half a thousandth of the weight, on
  // each axis; the other weights stay as they are.
  if (one.pyramid.footprint == Footprint::kCovering) return {.codes = 1, .relative = 1e-5, .absolute = 1e-3};
  // libvips rounds to 8 bits between its vertical and its horizontal pass.
  return {.codes = 1, .relative = 1e-5, .absolute = 1e-7};
}

CpuPeerResult make_cpu_peer(const CpuPeerCase& one, [[maybe_unused]] uint32_t threads,
                            [[maybe_unused]] std::span<const MutableImageView> views) {
  switch (one.peer) {
    case CpuPeer::kOpenCv:
#ifdef ONEPASS_BENCH_OPENCV
      return make_opencv(threads, views);
#endif
      break;
    case CpuPeer::kVips:
#ifdef ONEPASS_BENCH_VIPS
      return make_vips(threads, views);
#endif
      break;
    case CpuPeer::kOpenImageIo:
#ifdef ONEPASS_BENCH_OPENIMAGEIO
      return make_openimageio(threads, views);
#endif
      break;
  }
  return Error{ErrorCode::kUnsupported, "is not in this build", std::string(peer_word(one.peer))};
}

}  // namespace onepass::bench
