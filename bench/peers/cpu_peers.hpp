// cpu_peers.hpp: libraries of other authors that halve images on a CPU, timed beside the CPU engine. A build has those
// that are installed (Debian: libopencv-imgproc-dev, libvips-dev, libopenimageio-dev).
//
// None of them makes a chain of levels in memory in one call: each level is a call, and its input is the level before
// as stored.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "onepass/image.hpp"
#include "peers/peer_levels.hpp"

namespace onepass::bench {

enum class CpuPeer {
  kOpenCv,       ///< cv::resize with INTER_AREA.
  kVips,         ///< vips_shrink by 2.
  kOpenImageIo,  ///< ImageBufAlgo::resize with the filter "box".
};

/// Words of names: "opencv", "vips", "openimageio".
[[nodiscard]] std::string_view peer_word(CpuPeer peer);

/// One peer that makes the levels of a pyramid. Its reference is the CPU engine's pyramid of the same options.
struct CpuPeerCase {
  PyramidCase pyramid;
  CpuPeer peer = CpuPeer::kOpenCv;
};

/// The cases of the peers in this build; cases of the same pyramid are consecutive.
[[nodiscard]] std::vector<CpuPeerCase> cpu_peer_cases();

/// The texels from which the peer makes a level, and the error of its arithmetic.
[[nodiscard]] PeerDefinition definition_of(const CpuPeerCase& one);
[[nodiscard]] Tolerance tolerance_of(const CpuPeerCase& one);

/// Makes level n from level n - 1. Objects are prepared when it is created, so that build() does only the work.
class CpuPeerPyramid {
 public:
  CpuPeerPyramid() = default;
  CpuPeerPyramid(const CpuPeerPyramid&) = delete;
  CpuPeerPyramid& operator=(const CpuPeerPyramid&) = delete;
  virtual ~CpuPeerPyramid() = default;
  /// Errors: the peer's own.
  virtual Result<void> build() = 0;
};

/// `views[0]` is the base, the others the levels, without gaps between rows. `threads` holds for all objects of the
/// peer.
using CpuPeerResult = Result<std::unique_ptr<CpuPeerPyramid>>;
CpuPeerResult make_cpu_peer(const CpuPeerCase& one, uint32_t threads, std::span<const MutableImageView> views);

// One factory per adapter; defined where the build has its peer.
CpuPeerResult make_opencv(uint32_t threads, std::span<const MutableImageView> views);
CpuPeerResult make_vips(uint32_t threads, std::span<const MutableImageView> views);
CpuPeerResult make_openimageio(uint32_t threads, std::span<const MutableImageView> views);

}  // namespace onepass::bench
