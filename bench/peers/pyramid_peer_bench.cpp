// pyramid_peer_bench.cpp: checks a peer twice, because the second run finds the counters that the first one left, and
// times it in alternation with this library's pyramid.
#include "peers/pyramid_peer_bench.hpp"

#include <optional>

#include "peers/peer_row.hpp"

namespace onepass::bench {
namespace {

bool same_case(const PyramidPeerCase& a, const PyramidPeerCase& b) {
  return a.peer == b.peer && same_levels(a.pyramid.options(), b.pyramid.options());
}

}  // namespace

std::string PyramidPeerBenchmark::name() const {
  const PyramidCase& pyramid = peer_case.pyramid;
  return "pyramid/vulkan/" + format_word(pyramid) + "/" + size_word(pyramid) + "/" +
         std::string(word_of(pyramid.reduction)) + "/" + std::string(word_of(pyramid.footprint)) + "/" +
         std::string(peer_word(peer_case.peer)) + "/" + std::string(mode_word(mode));
}

std::vector<PyramidPeerBenchmark> pyramid_peer_benchmarks() {
  std::vector<PyramidPeerBenchmark> out;
  for (const PyramidPeerCase& one : pyramid_peer_cases()) {
    for (const Mode mode : {Mode::kThroughput, Mode::kWarm}) out.push_back({one, mode});
  }
  return out;
}

/// Images, and the objects created for them so far. Both techniques have been checked.
struct PyramidPeerRunner::Work {
  std::unique_ptr<ImageSets> images;
  std::unique_ptr<VulkanTechnique> reference;
  PyramidOptions reference_options;
  std::unique_ptr<VulkanTechnique> peer;
  std::optional<PyramidPeerCase> peer_case;
};

PyramidPeerRunner::PyramidPeerRunner(VulkanRunner& runner) : runner_(runner) {}
PyramidPeerRunner::~PyramidPeerRunner() = default;

void PyramidPeerRunner::release() { work_.reset(); }

Result<Row> PyramidPeerRunner::measure(const PyramidPeerBenchmark& benchmark) {
  const PyramidCase& pyramid = benchmark.peer_case.pyramid;
  if (auto prepared = prepare_images(pyramid); !prepared) return prepared.error();
  if (auto prepared = prepare_reference(pyramid); !prepared) return prepared.error();
  if (auto prepared = prepare_peer(benchmark); !prepared) return prepared.error();
  auto times = runner_.timer().compare(*work_->images, *work_->peer, *work_->reference, benchmark.mode);
  if (!times) return times.error();
  Row row = peer_row(benchmark.name(), format_word(pyramid), pyramid.size, peer_word(benchmark.peer_case.peer),
                     benchmark.mode, *times, work_->reference->bytes());
  row.slices = pyramid.slices;
  row.reduction = word_of(pyramid.reduction);
  row.footprint = word_of(pyramid.footprint);
  return row;
}

Result<void> PyramidPeerRunner::prepare_images(const PyramidCase& pyramid) {
  if (work_ && same_images(work_->images->pyramid(), pyramid)) return {};
  work_.reset();  // frees its memory for the next images
  runner_.release();
  auto images = ImageSets::create(runner_.gpu(), pyramid, runner_.timer().most_sets());
  if (!images) return images.error();
  work_ = std::make_unique<Work>();
  work_->images = std::move(*images);
  return {};
}

Result<void> PyramidPeerRunner::prepare_reference(const PyramidCase& pyramid) {
  Work& work = *work_;
  const PyramidOptions options = pyramid.options();
  if (work.reference && same_levels(work.reference_options, options)) return {};
  work.reference.reset();
  auto made = make_pyramid_technique(runner_.gpu(), *work.images, options, {.path = PyramidPath::kSingleDispatch});
  if (!made) return made.error();
  auto expected = cpu_levels(options, work.images->host_source());
  if (!expected) return expected.error();
  auto actual = run_once(**made);
  if (!actual) return actual.error();
  if (auto found = difference(*actual, *expected, expected->images.size(), contract(options, false))) {
    return Error{ErrorCode::kBadData, "wrong output: " + *found, "single_dispatch"};
  }
  work.reference = std::move(*made);
  work.reference_options = options;
  return {};
}

Result<void> PyramidPeerRunner::prepare_peer(const PyramidPeerBenchmark& benchmark) {
  Work& work = *work_;
  if (work.peer_case && same_case(*work.peer_case, benchmark.peer_case)) return {};
  work.peer_case.reset();
  work.peer.reset();
  auto made = make_pyramid_peer(runner_.gpu(), *work.images, benchmark.peer_case);
  if (!made) return made.error();
  const PeerContract promise = contract_of(runner_.gpu(), benchmark.peer_case);
  auto expected = peer_levels(promise.definition, benchmark.peer_case.pyramid.options(), work.images->host_source());
  if (!expected) return expected.error();
  // Twice: the second run finds the counters as the first one left them.
  for (int i = 0; i < 2; ++i) {
    auto actual = run_once(**made);
    if (!actual) return actual.error();
    if (auto found = difference(*actual, *expected, expected->images.size(), promise.tolerance)) {
      return Error{ErrorCode::kBadData, "wrong output: " + *found, benchmark.name()};
    }
  }
  work.peer = std::move(*made);
  work.peer_case = benchmark.peer_case;
  return {};
}

// Runs a technique once on set 0 and reads the levels.
Result<Levels> PyramidPeerRunner::run_once(const VulkanTechnique& technique) {
  const Gpu& gpu = runner_.gpu();
  ImageSets& images = *work_->images;
  if (auto cleared = images.clear_target(); !cleared) return cleared.error();
  if (auto used = images.use_sources_as(technique.source_layout()); !used) return used.error();
  auto ran = gpu.device().run([&](VkCommandBuffer commands) {
    technique.record(commands, 0);
    full_barrier(gpu, commands);
    technique.record_results(commands, 0);
  });
  if (!ran) return ran.error();
  return images.download();
}

}  // namespace onepass::bench
