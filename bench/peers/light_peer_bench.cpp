// light_peer_bench.cpp: times a peer's frame beside FrameToneMap, and its sum or histogram beside the meter, after both
// results have been checked.
#include "peers/light_peer_bench.hpp"

#include <array>

#include "light_vulkan_bench.hpp"
#include "peers/peer_row.hpp"

namespace onepass::bench {

std::string_view peer_word(LightPeer peer) {
  static constexpr std::array<std::string_view, 3> kWords = {"libplacebo", "cub_sum", "cub_histogram"};
  return kWords[static_cast<size_t>(peer)];
}

std::vector<LightPeer> light_peers() {
  std::vector<LightPeer> out;
#ifdef ONEPASS_BENCH_PLACEBO
  out.push_back(LightPeer::kPlacebo);
#endif
#ifdef ONEPASS_BENCH_CUB
  out.push_back(LightPeer::kCubSum);
  out.push_back(LightPeer::kCubHistogram);
#endif
  return out;
}

LightPeerResult make_light_peer([[maybe_unused]] const Gpu& gpu, LightPeer peer,
                                [[maybe_unused]] const ImageView& source, [[maybe_unused]] size_t sets) {
#ifdef ONEPASS_BENCH_PLACEBO
  if (peer == LightPeer::kPlacebo) return make_placebo(gpu, source, sets);
#endif
#ifdef ONEPASS_BENCH_CUB
  if (peer != LightPeer::kPlacebo) return make_cub(gpu, peer, source, sets);
#endif
  return Error{ErrorCode::kUnsupported, "is not in this build", std::string(peer_word(peer))};
}

std::string LightPeerBenchmark::name() const {
  return light.name("vulkan") + "/" + std::string(peer_word(peer)) + "/" + std::string(mode_word(mode));
}

std::vector<LightPeerBenchmark> light_peer_benchmarks() {
  std::vector<LightPeerBenchmark> out;
  for (const LightPeer peer : light_peers()) {
    for (const Extent size : {Extent{256, 256}, Extent{1920, 1080}, Extent{3840, 2160}}) {
      const LightCase light{.work = peer == LightPeer::kPlacebo ? LightWork::kFrame : LightWork::kMeter,
                            .source = Format::kRGBA16Sfloat,
                            .size = size,
                            .tone_operator = ToneOperator::kReinhard};
      for (const Mode mode : {Mode::kThroughput, Mode::kWarm}) out.push_back({light, peer, mode});
    }
  }
  return out;
}

Result<Row> LightPeerRunner::measure(const LightPeerBenchmark& benchmark) {
  if (auto prepared = prepare(benchmark); !prepared) return prepared.error();
  auto times = plan_->compare(runner_.timer(), *sets_, *reference_, benchmark.mode);
  if (!times) return times.error();
  return peer_row(benchmark.name(), format_word(benchmark.light.source), benchmark.light.size,
                  peer_word(benchmark.peer), benchmark.mode, *times, reference_->bytes());
}

Result<void> LightPeerRunner::prepare(const LightPeerBenchmark& benchmark) {
  const LightCase& light = benchmark.light;
  if (plan_ && benchmark.peer == peer_ && sets_->light().same_images(light)) return {};
  plan_.reset();
  reference_.reset();
  sets_.reset();  // frees their memory for the next sets
  runner_.release();
  const Gpu& gpu = runner_.gpu();
  auto sets = LightSets::create(gpu, light, runner_.timer().most_sets());
  if (!sets) return sets.error();
  auto technique = make_light_technique(gpu, **sets, light);
  if (!technique) return technique.error();
  if (auto checked = check_light(gpu, **sets, light, **technique, benchmark.name()); !checked) return checked;
  auto plan = make_light_peer(gpu, benchmark.peer, (*sets)->host_source(), (*sets)->count());
  if (!plan) return plan.error();
  if (auto checked = (*plan)->verify((*sets)->host_source()); !checked) return checked;
  sets_ = std::move(*sets);
  reference_ = std::move(*technique);
  plan_ = std::move(*plan);
  peer_ = benchmark.peer;
  return {};
}

}  // namespace onepass::bench
