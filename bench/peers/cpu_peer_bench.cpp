// cpu_peer_bench.cpp: times a peer in alternation with the CPU engine. Each level of the peer is checked against its
// own definition applied to the peer's level before, so that errors do not add up.
#include "peers/cpu_peer_bench.hpp"

#include <cstring>
#include <optional>

#include "cpu/workers.hpp"
#include "cpu_timer.hpp"

namespace onepass::bench {

std::string CpuPeerBenchmark::name() const {
  const PyramidCase& pyramid = peer_case.pyramid;
  return "pyramid/cpu/" + format_word(pyramid) + "/" + size_word(pyramid) + "/" +
         std::string(word_of(pyramid.reduction)) + "/" + std::string(word_of(pyramid.footprint)) + "/" +
         std::string(peer_word(peer_case.peer)) + "/threads:" + std::to_string(threads);
}

std::vector<CpuPeerBenchmark> cpu_peer_benchmarks() {
  std::vector<uint32_t> thread_counts = {1};
  if (const uint32_t all = cpu::Workers(0).slots(); all > 1) thread_counts.push_back(all);
  std::vector<CpuPeerBenchmark> out;
  for (const CpuPeerCase& one : cpu_peer_cases()) {
    for (const uint32_t threads : thread_counts) out.push_back({one, threads});
  }
  return out;
}

/// The base and two sets of levels, the engine's and the peer's.
struct CpuPeerRunner::Work {
  PyramidCase pyramid;
  Image source;
  Levels own;
  Levels peers;
  uint64_t bytes = 0;
};

CpuPeerRunner::CpuPeerRunner(uint32_t rounds) : rounds_(rounds) {}
CpuPeerRunner::~CpuPeerRunner() = default;

Result<void> CpuPeerRunner::prepare(const PyramidCase& pyramid) {
  if (work_ && same_levels(work_->pyramid.options(), pyramid.options())) return {};
  work_.reset();  // frees its memory for the next images
  auto work = std::make_unique<Work>();
  work->pyramid = pyramid;
  const auto plan = plan_pyramid(pyramid.options());
  if (!plan) return plan.error();
  work->bytes = plan->bytes_read + plan->bytes_written;
  auto source = random_image(pyramid.source, pyramid.size, pyramid.slices);
  if (!source) return source.error();
  work->source = std::move(*source);
  for (Levels* levels : {&work->own, &work->peers}) {
    auto made = Levels::create(pyramid.options());
    if (!made) return made.error();
    *levels = std::move(*made);
  }
  work_ = std::move(work);
  return {};
}

Result<void> CpuPeerRunner::verify(const CpuPeerBenchmark& benchmark, CpuPeerPyramid& peer) {
  Work& work = *work_;
  for (Image& level : work.peers.images) std::memset(level.data(), 0xA5, level.size_in_bytes());
  if (auto built = peer.build(); !built) return built;
  PyramidOptions step = work.pyramid.options();
  step.levels = 2;
  for (size_t n = 1; n <= work.peers.images.size(); ++n) {
    const ImageView finer = n == 1 ? work.source.view() : work.peers.images[n - 2].view();
    step.size = finer.size;
    const auto expected = peer_levels(definition_of(benchmark.peer_case), step, finer);
    if (!expected) return expected.error();
    const auto found =
        difference(work.peers.images[n - 1].view(), expected->images[0].view(), tolerance_of(benchmark.peer_case));
    if (found) {
      return Error{ErrorCode::kBadData, "wrong output: level " + std::to_string(n) + ": " + *found, benchmark.name()};
    }
  }
  return {};
}

Result<Row> CpuPeerRunner::measure(const CpuPeerBenchmark& benchmark) {
  const PyramidCase& pyramid = benchmark.peer_case.pyramid;
  if (auto prepared = prepare(pyramid); !prepared) return prepared.error();
  Work& work = *work_;
  std::vector<MutableImageView> views = work.peers.views();
  views.insert(views.begin(), work.source.view());
  auto peer = make_cpu_peer(benchmark.peer_case, benchmark.threads, views);
  if (!peer) return peer.error();
  if (auto verified = verify(benchmark, **peer); !verified) return verified.error();
  auto own = cpu::Pyramid::create(pyramid.options(), {.threads = benchmark.threads});
  if (!own) return own.error();
  const std::vector<MutableImageView> levels = work.own.views();
  std::optional<Error> failed;
  const Task theirs = [&] {
    if (auto built = (*peer)->build(); !built) failed = built.error();
  };
  const Task ours = [&] {
    if (auto built = own->build(work.source.view(), levels); !built) failed = built.error();
  };
  const PairTimes times = compare_pair(theirs, ours, rounds_);
  if (failed) return *failed;
  return Row{.name = benchmark.name(),
             .engine = "cpu",
             .format = format_word(pyramid),
             .width = pyramid.size.width,
             .height = pyramid.size.height,
             .slices = pyramid.slices,
             .reduction = std::string(word_of(pyramid.reduction)),
             .footprint = std::string(word_of(pyramid.footprint)),
             .path = std::string(peer_word(benchmark.peer_case.peer)),
             .mode = "repeated",
             .times = times.first,
             .bytes = work.bytes,
             .reference = times.second.median,
             .threads = benchmark.threads,
             .ratios = times.ratio};
}

}  // namespace onepass::bench
