// pyramid_peers.hpp: libraries of other authors that make mip chains with Vulkan, timed beside this library. A build
// knows those whose sources it was given (ONEPASS_BENCH_PEERS); their code is not part of this project.
#pragma once

#include "peers/peer_levels.hpp"
#include "vulkan_technique.hpp"

namespace onepass::bench {

enum class PyramidPeer {
  kSpd,      ///< FidelityFX SPD 2.0 as it recommends for means: one linear sample per texel of level 1.
  kSpdLoad,  ///< SPD with texel fetches: its way for other reductions.
  kSpdHalf,  ///< kSpd with packed half arithmetic.
  kNvpro,    ///< nvpro_pyramid of vk_compute_mipmaps, for 8-bit sRGB.
  kDxvk,     ///< The mip generator of DXVK: two texels per axis, also at odd sizes.
};

/// Words of names: "spd", "spd_load", "spd_half", "nvpro", "dxvk".
[[nodiscard]] std::string_view peer_word(PyramidPeer peer);

/// One peer that makes the levels of a pyramid. Its reference is the library's pyramid of the same options, which can
/// define levels otherwise at odd sizes only.
struct PyramidPeerCase {
  PyramidCase pyramid;
  PyramidPeer peer = PyramidPeer::kSpd;
};

/// The cases of the peers in this build; cases on the same images are consecutive. None without peers.
[[nodiscard]] std::vector<PyramidPeerCase> pyramid_peer_cases();

/// The levels that a peer promises, and the precision of its arithmetic.
struct PeerContract {
  PeerDefinition definition;
  Tolerance tolerance;
};
[[nodiscard]] PeerContract contract_of(const Gpu& gpu, const PyramidPeerCase& one);

/// A peer's commands. They write to the targets of the image sets.
TechniqueResult make_pyramid_peer(const Gpu& gpu, ImageSets& images, const PyramidPeerCase& one);

// One factory per adapter; defined where the build has its peer.
TechniqueResult make_spd(const Gpu& gpu, const ImageSets& images, const PyramidPeerCase& one);
TechniqueResult make_nvpro(const Gpu& gpu, ImageSets& images);
TechniqueResult make_dxvk(const Gpu& gpu, const ImageSets& images, const PyramidPeerCase& one);

/// Whether the device can run nvpro_pyramid's faster shader, by its own requirements.
[[nodiscard]] bool has_nvpro_fast_path(const Gpu& gpu);

}  // namespace onepass::bench
