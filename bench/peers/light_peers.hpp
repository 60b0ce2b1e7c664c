// light_peers.hpp: libraries of other authors that measure the light of an image and tone-map it, timed beside this
// library.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "light_vulkan.hpp"
#include "vulkan_timer.hpp"

namespace onepass::bench {

enum class LightPeer {
  kPlacebo,       ///< libplacebo: peak detection and tone mapping in one compute shader. Debian: libplacebo-dev.
  kCubSum,        ///< CUB: the sum of the logarithms of luminance, beside a meter.
  kCubHistogram,  ///< CUB: their histogram.
};

/// Words of names: "libplacebo", "cub_sum", "cub_histogram".
[[nodiscard]] std::string_view peer_word(LightPeer peer);

/// The peers of this build.
[[nodiscard]] std::vector<LightPeer> light_peers();

/// A peer with images of its own, all with the same content. libplacebo's results for one image count for the next one,
/// as those of FrameToneMap.
class LightPeerPlan {
 public:
  LightPeerPlan() = default;
  LightPeerPlan(const LightPeerPlan&) = delete;
  LightPeerPlan& operator=(const LightPeerPlan&) = delete;
  virtual ~LightPeerPlan() = default;

  /// Compares the output with the peer's own definition: a picture with its curve at the peak that it has measured,
  /// which must lie within bounds. Errors: kBadData for wrong output.
  virtual Result<void> verify(const ImageView& source) = 0;

  /// Times it, alternating with `reference`.
  virtual Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference,
                                     Mode mode) = 0;
};

/// Errors: kUnsupported if the build or this machine lacks the peer.
using LightPeerResult = Result<std::unique_ptr<LightPeerPlan>>;
LightPeerResult make_light_peer(const Gpu& gpu, LightPeer peer, const ImageView& source, size_t sets);

// The factories of the adapters; defined where the build has the library.
LightPeerResult make_placebo(const Gpu& gpu, const ImageView& source, size_t sets);
LightPeerResult make_cub(const Gpu& gpu, LightPeer peer, const ImageView& source, size_t sets);

}  // namespace onepass::bench
