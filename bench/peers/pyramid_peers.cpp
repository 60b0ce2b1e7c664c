// pyramid_peers.cpp: the cases of each peer and the error that its method allows, by level: which levels are made from
// stored texels, and with what precision.
#include "peers/pyramid_peers.hpp"

#include <algorithm>
#include <array>

namespace onepass::bench {
namespace {

[[maybe_unused]] constexpr Format kR32 = Format::kR32Sfloat;
[[maybe_unused]] constexpr Format kRGBA8 = Format::kRGBA8Unorm;
constexpr Format kRGBA16 = Format::kRGBA16Sfloat;
[[maybe_unused]] constexpr Extent square(uint32_t side) { return {side, side}; }

// Texture filters have weights of 8 bits, and some give results of 8 bits.
constexpr double kFilterError = 1.0 / 256.0;

// A store rounds to 11 bits in the device's direction: once at level 6, once at a level made from it.
constexpr double kTwoHalfRoundings = 2 * 0x1.1p-10;

// Half arithmetic rounds each of up to 12 levels seven times to 11 bits.
constexpr double kHalfLevels = 12 * 7 * 0x1p-11;

[[maybe_unused]] PyramidCase pyramid_of(Format format, Extent size, Reduction reduction, Footprint footprint) {
  return {.source = format, .target = format, .size = size, .reduction = reduction, .footprint = footprint};
}

#ifdef ONEPASS_BENCH_SPD
// SPD makes at most 12 levels.
void add_spd(std::vector<PyramidPeerCase>& out) {
  for (const Format format : {kRGBA8, kR32, kRGBA16}) {
    for (const Extent size : {square(256), Extent{1920, 1080}, Extent{3840, 2160}, square(4096)}) {
      const PyramidCase mean = pyramid_of(format, size, Reduction::kMean, Footprint::kAligned);
      out.push_back({mean, PyramidPeer::kSpd});
      out.push_back({mean, PyramidPeer::kSpdLoad});
      if (format != kR32) out.push_back({mean, PyramidPeer::kSpdHalf});
      if (format == kR32) {
        out.push_back({pyramid_of(format, size, Reduction::kMin, Footprint::kAligned), PyramidPeer::kSpdLoad});
      }
    }
  }
}
#endif

#ifdef ONEPASS_BENCH_NVPRO
void add_nvpro(std::vector<PyramidPeerCase>& out) {
  for (const Extent size : {square(256), Extent{300, 243}, Extent{1920, 1080}, square(4096), square(4095)}) {
    out.push_back({pyramid_of(Format::kRGBA8Srgb, size, Reduction::kMean, Footprint::kCovering), PyramidPeer::kNvpro});
  }
}
#endif

#ifdef ONEPASS_BENCH_DXVK
// DXVK makes at most 12 levels in one dispatch.
void add_dxvk(std::vector<PyramidPeerCase>& out) {
  for (const Format format : {kRGBA8, kR32, kRGBA16}) {
    for (const Extent size : {square(256), Extent{1920, 1080}, Extent{3840, 2160}, square(4096), square(4095)}) {
      out.push_back({pyramid_of(format, size, Reduction::kMean, Footprint::kCovering), PyramidPeer::kDxvk});
    }
  }
}
#endif

/// Levels that nvpro_pyramid reads again after storing them: the last one of each of its dispatches. The faster shader
/// makes up to six levels from sizes that are multiples of four, as long as both sides are even; the other one makes
/// two.
uint32_t nvpro_stored_levels(Extent size, bool fast) {
  const uint32_t last = full_level_count(size) - 1;
  uint32_t stored = 0;
  for (uint32_t level = 0; level < last;) {
    const Extent finer = level_size(size, level);
    uint32_t made = std::min(2U, last - level);
    if (fast && finer.width % 4 == 0 && finer.height % 4 == 0) {
      const auto even = [&](uint32_t n) { return (finer.width >> n) % 2 == 0 && (finer.height >> n) % 2 == 0; };
      for (made = 0; made < 6 && level + made < last && even(made);) ++made;
    }
    level += made;
    stored |= 1U << level;
  }
  return stored;
}

}  // namespace

bool has_nvpro_fast_path(const Gpu& gpu) {
  return gpu.device().info().subgroup_size >= 16 &&
         (gpu.impl().subgroup_operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
}

std::string_view peer_word(PyramidPeer peer) {
  static constexpr std::array<std::string_view, 5> kWords = {"spd", "spd_load", "spd_half", "nvpro", "dxvk"};
  return kWords[static_cast<size_t>(peer)];
}

std::vector<PyramidPeerCase> pyramid_peer_cases() {
  std::vector<PyramidPeerCase> out;
#ifdef ONEPASS_BENCH_SPD
  add_spd(out);
#endif
#ifdef ONEPASS_BENCH_NVPRO
  add_nvpro(out);
#endif
#ifdef ONEPASS_BENCH_DXVK
  add_dxvk(out);
#endif
  return out;
}

PeerContract contract_of(const Gpu& gpu, const PyramidPeerCase& one) {
  PeerContract out;
  out.definition.reduction = one.pyramid.reduction;
  const bool half_format = one.pyramid.target == kRGBA16;
  switch (one.peer) {
    case PyramidPeer::kSpd:
    case PyramidPeer::kSpdLoad:
    case PyramidPeer::kSpdHalf:
      // Levels 1 to 6 come from unquantised values, levels 7 and up from level 6 as stored.
      out.definition.taps = PeerTaps::kPair;
      out.definition.quantised = 1U << 6U;
      break;
    case PyramidPeer::kNvpro:
      // Every texel is the mean of the area it covers in the level before.
      out.definition.taps = PeerTaps::kArea;
      out.definition.quantised = nvpro_stored_levels(one.pyramid.size, has_nvpro_fast_path(gpu));
      break;
    case PyramidPeer::kDxvk:
      out.definition.taps = PeerTaps::kDxvk;
      out.definition.quantised = ~0U;
      break;
  }
  if (one.pyramid.reduction == Reduction::kMin) return out;  // exact
  switch (one.peer) {
    case PyramidPeer::kSpd:
      out.tolerance = {.codes = 2, .relative = half_format ? kTwoHalfRoundings : 0, .absolute = kFilterError};
      break;
    case PyramidPeer::kSpdLoad:
      out.tolerance = {.codes = 1, .relative = half_format ? kTwoHalfRoundings : 0x1p-20, .absolute = 0x1p-24};
      break;
    case PyramidPeer::kSpdHalf:
      // Each of up to 12 levels rounds three sums to 11 bits.
      out.tolerance = {.codes = 2, .relative = 0, .absolute = 2.0 / 255.0};
      break;
    case PyramidPeer::kNvpro:
      out.tolerance = {.codes = has_nvpro_fast_path(gpu) ? 2U : 1U};  // the faster shader samples with a filter
      break;
    case PyramidPeer::kDxvk:
      // Two weights of the filter between any two texels of [0, 1].
      out.tolerance = {.codes = 2, .relative = half_format ? kHalfLevels : 0x1p-20, .absolute = 2 * kFilterError};
      break;
  }
  return out;
}

TechniqueResult make_pyramid_peer([[maybe_unused]] const Gpu& gpu, [[maybe_unused]] ImageSets& images,
                                  const PyramidPeerCase& one) {
  switch (one.peer) {
    case PyramidPeer::kSpd:
    case PyramidPeer::kSpdLoad:
    case PyramidPeer::kSpdHalf:
#ifdef ONEPASS_BENCH_SPD
      return make_spd(gpu, images, one);
#endif
      break;
    case PyramidPeer::kNvpro:
#ifdef ONEPASS_BENCH_NVPRO
      return make_nvpro(gpu, images);
#endif
      break;
    case PyramidPeer::kDxvk:
#ifdef ONEPASS_BENCH_DXVK
      return make_dxvk(gpu, images, one);
#endif
      break;
  }
  return Error{ErrorCode::kUnsupported, "is not in this build", std::string(peer_word(one.peer))};
}

}  // namespace onepass::bench
