// reflection_peers.hpp: screen-space reflections of other authors with Vulkan, timed beside this library. A build knows
// those whose sources it was given (ONEPASS_BENCH_PEERS); their code is not part of this project.
#pragma once

#include <string_view>
#include <vector>

#include "reflection_vulkan.hpp"

namespace onepass::bench {

enum class ReflectionPeer {
  kSssr,       ///< FidelityFX SSSR 1.5 with its denoiser, of the FidelityFX SDK 1.1.4.
  kSssrHalf,   ///< The denoiser with half arithmetic, which the SDK takes where the device has it.
  kSssrTrace,  ///< Without the denoiser: tiles, noise, rays.
};

/// Words of names: "sssr", "sssr_half", "sssr_trace".
[[nodiscard]] std::string_view peer_word(ReflectionPeer peer);

/// The peers of this build.
[[nodiscard]] std::vector<ReflectionPeer> reflection_peers();

/// A peer's commands on the sets, with a history for each view. They write to the targets of the sets.
/// `rays_per_quad`: of 2x2 texels, 1, 2 or 4. Errors: kUnsupported if the build or the device lacks the peer.
TechniqueResult make_reflection_peer(const Gpu& gpu, const ReflectionSets& sets, ReflectionPeer peer,
                                     uint32_t rays_per_quad);

// The factory of the adapter; defined where the build has the peer.
TechniqueResult make_sssr(const Gpu& gpu, const ReflectionSets& sets, ReflectionPeer peer, uint32_t rays_per_quad);

}  // namespace onepass::bench
