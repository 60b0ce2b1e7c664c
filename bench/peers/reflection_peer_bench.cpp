#include "peers/reflection_peer_bench.hpp"

#include <array>

#include "peers/peer_row.hpp"

namespace onepass::bench {
namespace {

// Hits fade with the depth behind a surface and at the borders; most rays of walls are refused.
constexpr ReflectionChecks kPeerChecks{.max_roughness = 0.6,
                                       .wrong_mirrors = 0.2,
                                       .missed_mirrors = 0.2,
                                       .least_mean = 0.01,
                                       .most_mean = 1.2,
                                       .fades = true};

}  // namespace

std::string_view peer_word(ReflectionPeer peer) {
  static constexpr std::array<std::string_view, 3> kWords = {"sssr", "sssr_half", "sssr_trace"};
  return kWords[static_cast<size_t>(peer)];
}

std::vector<ReflectionPeer> reflection_peers() {
  std::vector<ReflectionPeer> out;
#ifdef ONEPASS_BENCH_SSSR
  out = {ReflectionPeer::kSssr, ReflectionPeer::kSssrHalf, ReflectionPeer::kSssrTrace};
#endif
  return out;
}

TechniqueResult make_reflection_peer([[maybe_unused]] const Gpu& gpu, [[maybe_unused]] const ReflectionSets& sets,
                                     ReflectionPeer peer, [[maybe_unused]] uint32_t rays_per_quad) {
#ifdef ONEPASS_BENCH_SSSR
  return make_sssr(gpu, sets, peer, rays_per_quad);
#else
  return Error{ErrorCode::kUnsupported, "is not in this build", std::string(peer_word(peer))};
#endif
}

std::string ReflectionPeerBenchmark::name() const {
  return reflection.name() + "/" + std::string(peer_word(peer)) + "/" + std::string(mode_word(mode));
}

std::vector<ReflectionPeerBenchmark> reflection_peer_benchmarks() {
  std::vector<ReflectionPeerBenchmark> out;
  const std::vector<ReflectionPeer> peers = reflection_peers();
  for (const ReflectionCase& reflection : reflection_cases()) {
    const bool whole = reflection.filters && reflection.history && reflection.rough && !reflection.all_matte &&
                       reflection.resolution == ReflectionResolution::kFull;
    const bool same_rays = reflection.rays == ReflectionRays::kQuarter || reflection.rays == ReflectionRays::kOne;
    const bool trace = !reflection.filters && !reflection.history;
    for (const ReflectionPeer peer : peers) {
      if (!same_rays || (peer == ReflectionPeer::kSssrTrace ? !trace : !whole)) continue;
      for (const Mode mode : {Mode::kThroughput, Mode::kIsolated}) out.push_back({reflection, peer, mode});
    }
  }
  return out;
}

Result<Row> ReflectionPeerRunner::measure(const ReflectionPeerBenchmark& benchmark) {
  const ReflectionCase& reflection = benchmark.reflection;
  const Gpu& gpu = runner_.gpu();
  if (!sets_ || sets_->size() != reflection.size) {
    sets_.reset();  // frees its memory for the next sets
    runner_.release();
    auto sets = ReflectionSets::create(gpu, reflection.size, runner_.timer().most_sets());
    if (!sets) return sets.error();
    sets_ = std::move(*sets);
  }
  auto ours = make_reflections(gpu, *sets_, reflection.options());
  if (!ours) return ours.error();
  if (auto checked = verify_reflections(gpu, *sets_, **ours, reflection.checks(), "onepass"); !checked) {
    return checked.error();
  }
  const uint32_t rays_per_quad = reflection.rays == ReflectionRays::kQuarter ? 1 : 4;
  auto peer = make_reflection_peer(gpu, *sets_, benchmark.peer, rays_per_quad);
  if (!peer) return peer.error();
  if (auto checked = verify_reflections(gpu, *sets_, **peer, kPeerChecks, benchmark.name()); !checked) {
    return checked.error();
  }
  auto times = runner_.timer().compare(*sets_, **peer, **ours, benchmark.mode);
  if (!times) return times.error();
  return peer_row(benchmark.name(), "rgba16f", reflection.size, peer_word(benchmark.peer), benchmark.mode, *times,
                  (*ours)->bytes());
}

}  // namespace onepass::bench
