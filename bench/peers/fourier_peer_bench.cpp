// fourier_peer_bench.cpp: checks a peer's spectrum and its round trip, then times both in alternation with this
// library's forward and inverse transform. Both sides use enough sets to exceed the caches.
#include "peers/fourier_peer_bench.hpp"

#include <algorithm>
#include <optional>

#include "peers/peer_row.hpp"

namespace onepass::bench {
namespace {

// Allowed relative L2 error of a spectrum and of what comes back. Single precision gives 1e-7 to 1e-6, a little more
// where twiddle factors come from a GPU's sine.
constexpr double kPeerError = 5e-6;

/// Sets for both sides: the library's technique uses its own in turn, of which there may be fewer.
class SharedSets final : public MemorySets {
 public:
  explicit SharedSets(size_t count) : count_(count) {}
  [[nodiscard]] size_t count() const override { return count_; }
  [[nodiscard]] bool larger_than_caches() const override { return true; }
  Result<void> use_sources_as(VkImageLayout /*layout*/) override { return {}; }

 private:
  size_t count_;
};

class InTurn final : public VulkanTechnique {
 public:
  InTurn(std::unique_ptr<VulkanTechnique> technique, size_t sets) : technique_(std::move(technique)), sets_(sets) {}
  void record(VkCommandBuffer commands, size_t set) const override { technique_->record(commands, set % sets_); }
  [[nodiscard]] uint64_t bytes() const override { return technique_->bytes(); }

 private:
  std::unique_ptr<VulkanTechnique> technique_;
  size_t sets_;
};

double error_of(std::span<const float> actual, std::span<const float> expected) {
  return relative_error(Format::kR32Sfloat, std::as_bytes(actual), std::as_bytes(expected));
}

}  // namespace

PeerSignal FourierPeerBenchmark::signal() const {
  return {.size = size,
          .complex = peer == FourierPeer::kVkfftComplex || peer == FourierPeer::kCufftComplex,
          .slices = slices,
          .only_inverse = work() == FourierWork::kInverse};
}

std::string FourierPeerBenchmark::name() const {
  return "fourier/vulkan/" + fourier_word(transform()) + "/" + std::string(work_word(work())) + "/" +
         std::string(peer_word(peer)) + "/" + std::string(mode_word(mode));
}

std::vector<FourierPeerBenchmark> fourier_peer_benchmarks() {
  constexpr Extent kSizes[] = {{256, 256}, {1024, 1024}, {1920, 1080}, {2048, 2048}, {3840, 2160}, {4096, 4096}};
  std::vector<FourierPeerBenchmark> out;
  for (const Extent size : kSizes) {
    for (const FourierPeer peer : fourier_peers()) {
      for (const Mode mode : {Mode::kThroughput, Mode::kWarm}) out.push_back({size, peer, mode});
    }
  }
  constexpr uint32_t kSlices = 6;
  for (const Extent size : {Extent{256, 256}, Extent{512, 512}}) {
    for (const FourierPeer peer : fourier_peers()) {
      const FourierPeerBenchmark benchmark = {.size = size, .peer = peer, .slices = kSlices};
      if (!benchmark.signal().complex) continue;
      for (const Mode mode : {Mode::kThroughput, Mode::kWarm}) out.push_back({size, peer, mode, kSlices});
    }
  }
  return out;
}

/// Memory, and the objects created for it so far. Both sides have been checked.
struct FourierPeerRunner::Work {
  std::unique_ptr<FourierSets> sets;
  std::unique_ptr<VulkanTechnique> reference;
  std::unique_ptr<SharedSets> shared;
  std::unique_ptr<FourierPeerPlan> plan;
  std::optional<FourierPeer> peer;
};

FourierPeerRunner::FourierPeerRunner(VulkanRunner& runner) : runner_(runner) {}
FourierPeerRunner::~FourierPeerRunner() = default;

Result<Row> FourierPeerRunner::measure(const FourierPeerBenchmark& benchmark) {
  if (auto prepared = prepare_reference(benchmark); !prepared) return prepared.error();
  if (auto prepared = prepare_peer(benchmark); !prepared) return prepared.error();
  Work& work = *work_;
  auto times = work.plan->compare(runner_.timer(), *work.shared, *work.reference, benchmark.mode);
  if (!times) return times.error();
  Row row = peer_row(benchmark.name(), format_word(benchmark.transform().format), benchmark.size,
                     peer_word(benchmark.peer), benchmark.mode, *times, work.reference->bytes());
  row.slices = benchmark.slices;
  return row;
}

Result<void> FourierPeerRunner::prepare_reference(const FourierPeerBenchmark& benchmark) {
  if (work_ && work_->sets->benchmark().transform == benchmark.transform()) return {};
  work_.reset();  // frees its memory for the next sets
  runner_.release();
  const Gpu& gpu = runner_.gpu();
  auto sets = FourierSets::create(gpu, {.transform = benchmark.transform()}, runner_.timer().most_sets());
  if (!sets) return sets.error();
  auto bound = BoundTransform::create(gpu, **sets, tuning_of(FourierPath::kSharedMemory));
  if (!bound) return bound.error();
  auto technique = make_fourier_technique(gpu, *bound, FourierWork::kForwardInverse);
  auto expected = expected_output(**sets);
  if (!expected) return expected.error();
  auto verified = verify_output(gpu, **sets, *technique, *expected, "shared_memory");
  if (!verified) return verified;
  // The other sets hold random values as spectra.
  technique = make_fourier_technique(gpu, *bound, benchmark.work());
  auto work = std::make_unique<Work>();
  // The peers' planes alone must exceed the caches; they take 16 bytes per texel.
  const uint64_t plane_bytes = uint64_t{16} * benchmark.size.width * benchmark.size.height * benchmark.slices;
  const size_t own = (*sets)->count();
  const size_t enough = std::max<size_t>(kColdBytes / plane_bytes + 1, own);
  const size_t count = std::min<size_t>((enough + own - 1) / own * own, runner_.timer().most_sets() / own * own);
  work->shared = std::make_unique<SharedSets>(count);
  work->reference = std::make_unique<InTurn>(std::move(technique), own);
  work->sets = std::move(*sets);
  work_ = std::move(work);
  return {};
}

Result<void> FourierPeerRunner::prepare_peer(const FourierPeerBenchmark& benchmark) {
  Work& work = *work_;
  if (work.peer == benchmark.peer) return {};
  work.peer.reset();
  work.plan.reset();
  const PeerSignal signal = benchmark.signal();
  auto plan = make_fourier_peer(runner_.gpu(), benchmark.peer, signal, work.shared->count());
  if (!plan) return plan.error();
  const auto wrong = [&](const char* what, double error) {
    return Error{ErrorCode::kBadData, what + std::to_string(error * 1e6) + "e-6", benchmark.name()};
  };
  std::vector<float> planes = peer_planes(signal, work.sets->host_source());
  if (auto uploaded = (*plan)->upload(planes); !uploaded) return uploaded;
  auto expected = peer_spectrum(signal, planes);
  if (!expected) return expected.error();
  if (auto ran = (*plan)->forward(); !ran) return ran;
  auto spectrum = (*plan)->download();
  if (!spectrum) return spectrum.error();
  // Written so that a NaN fails.
  const double forward = error_of(*spectrum, *expected);
  if (!(forward < kPeerError)) return wrong("wrong spectrum: relative error ", forward);
  if (auto ran = (*plan)->inverse(); !ran) return ran;
  auto back = (*plan)->download();
  if (!back) return back.error();
  clear_padding(signal, *back);
  for (float& value : *back) value /= static_cast<float>((*plan)->round_trip_factor());
  const double both = error_of(*back, planes);
  if (!(both < kPeerError)) return wrong("wrong image: relative error ", both);
  work.plan = std::move(*plan);
  work.peer = benchmark.peer;
  return {};
}

}  // namespace onepass::bench
