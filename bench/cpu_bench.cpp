// cpu_bench.cpp: times the CPU engine's pyramids and tile reductions in alternation with memcpy of as many bytes. The
// plain loop checks the levels before anything is timed.
#include "cpu_bench.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <benchmark/benchmark.h>

#include "copies.hpp"
#include "cpu/aligned_vector.hpp"
#include "cpu_timer.hpp"
#include "levels.hpp"
#include "onepass/tile_reduction.hpp"
#include "plain_loop.hpp"

namespace onepass::bench {
namespace {

std::string_view path_word(CpuPath path) {
  static constexpr std::array<std::string_view, 5> kWords = {"pyramid", "plain_loop", "memcpy", "non_temporal",
                                                             "tile_reduction"};
  return kWords[static_cast<size_t>(path)];
}

void run_benchmark(benchmark::State& state, const CpuBenchmark& benchmark, CpuRunner& runner, Report& report) {
  auto row = runner.measure(benchmark);
  if (!row) {
    report.fail();
    state.SkipWithError(row.error().text().c_str());
    return;
  }
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(row->times.median * 1e-6);
  state.counters["min_us"] = row->times.least;
  state.counters["max_us"] = row->times.most;
  state.counters["GB/s"] = row->gigabytes_per_second();
  state.counters["memcpy_us"] = row->reference;
  state.counters["r"] = row->ratio();
  report.add(*row);
}

// True if a tile reduction by kTileFactor makes level kTileLevel of the pyramid.
bool has_tiles(const PyramidCase& pyramid) {
  return pyramid.size.width % kTileFactor == 0 && pyramid.size.height % kTileFactor == 0 &&
         pyramid.footprint == Footprint::kAligned && pyramid.reduction == Reduction::kMin;
}

}  // namespace

std::string CpuBenchmark::name() const {
  if (path == CpuPath::kTileReduction) {
    return "tile_reduction/cpu/" + format_word(pyramid) + "/" + size_word(pyramid) + "/" +
           std::string(word_of(pyramid.reduction)) + "/factor" + std::to_string(kTileFactor) +
           "/threads:" + std::to_string(threads);
  }
  std::string text = path == CpuPath::kPyramid ? "pyramid/cpu/" : "baseline/cpu/";
  text += format_word(pyramid) + "/" + size_word(pyramid);
  if (!copies()) {
    text += "/" + std::string(word_of(pyramid.reduction)) + "/" + std::string(word_of(pyramid.footprint));
    if (pyramid.filter != MipFilter::kBox) text += "/" + std::string(word_of(pyramid.filter));
  }
  if (path != CpuPath::kPyramid) text += "/" + std::string(path_word(path));
  return text + "/threads:" + std::to_string(threads);
}

std::vector<CpuBenchmark> cpu_benchmarks() {
  std::vector<uint32_t> thread_counts = {1};
  if (const uint32_t all = cpu::Workers(0).slots(); all > 1) thread_counts.push_back(all);
  std::vector<CpuBenchmark> out;
  const PyramidCase* previous = nullptr;
  for (const PyramidCase& pyramid : cpu_cases()) {
    const bool new_images = previous == nullptr || !same_images(*previous, pyramid);
    for (const CpuPath path :
         {CpuPath::kMemcpy, CpuPath::kNonTemporal, CpuPath::kPyramid, CpuPath::kPlainLoop, CpuPath::kTileReduction}) {
      if (path == CpuPath::kTileReduction && !has_tiles(pyramid)) continue;
      const bool copies = path == CpuPath::kMemcpy || path == CpuPath::kNonTemporal;
      if (copies && !new_images) continue;
      if (path == CpuPath::kPlainLoop && pyramid.filter != MipFilter::kBox) continue;  // takes seconds
      if (path == CpuPath::kNonTemporal && !has_non_temporal_copy()) continue;
      for (const uint32_t threads : thread_counts) out.push_back({pyramid, path, threads});
    }
    previous = &pyramid;
  }
  return out;
}

/// Images of one case.
struct CpuRunner::Work {
  PyramidCase pyramid;
  Image source;
  Levels levels;
  std::vector<MutableImageView> views;  // of `levels`
  cpu::AlignedVector<std::byte> copy;   // target of copies: half the bytes that the pyramid moves
  uint64_t bytes = 0;                   // the least that the pyramid can move
};

CpuRunner::CpuRunner(uint32_t rounds) : rounds_(rounds) {}
CpuRunner::~CpuRunner() = default;

Result<Row> CpuRunner::measure(const CpuBenchmark& benchmark) {
  if (auto prepared = prepare(benchmark.pyramid); !prepared) return prepared.error();
  Work& work = *work_;
  const PyramidOptions options = work.pyramid.options();
  cpu::Workers workers(benchmark.threads);
  auto pyramid = cpu::Pyramid::create(options, {.threads = benchmark.threads});
  if (!pyramid) return pyramid.error();
  std::optional<Error> failed;
  const bool reduces_tiles = benchmark.path == CpuPath::kTileReduction;
  auto tiles = cpu::TileReduction::create(tile_options(work.pyramid), {.threads = benchmark.threads});
  if (!tiles) return tiles.error();
  auto coarse = Image::create(work.pyramid.target, tiles->plan().size, work.pyramid.slices);
  if (!coarse) return coarse.error();
  const Task reduce = [&] {
    if (auto reduced = tiles->reduce(work.source.view(), coarse->view()); !reduced) failed = reduced.error();
  };
  if (reduces_tiles) {
    reduce();
    if (auto found = difference(coarse->view(), work.levels.images[kTileLevel - 1].view(), Tolerance{})) {
      return Error{ErrorCode::kBadData, "tile reduction and level 4 differ: " + *found, {}};
    }
  }
  const uint64_t bytes = reduces_tiles ? tiles->plan().bytes_read + tiles->plan().bytes_written : work.bytes;
  const size_t copied = std::min<size_t>(work.copy.size(), bytes / 2);
  const Task build = [&] {
    if (auto built = pyramid->build(work.source.view(), work.views); !built) failed = built.error();
  };
  const Task plain = [&] { static_cast<void>(build_plain(options, workers, work.source.view(), work.views)); };
  const Task memcpy_task = [&] { copy_plain(workers, work.copy.data(), work.source.data(), copied); };
  const Task stream = [&] { copy_non_temporal(workers, work.copy.data(), work.source.data(), work.copy.size()); };
  const std::array<const Task*, 5> tasks = {&build, &plain, &memcpy_task, &stream, &reduce};
  const std::vector<Times> times = compare({*tasks[static_cast<size_t>(benchmark.path)], memcpy_task}, rounds_);
  if (failed) return *failed;
  const bool copies = benchmark.copies();
  const bool filtered = benchmark.path == CpuPath::kPyramid && work.pyramid.filter != MipFilter::kBox;
  return Row{.name = benchmark.name(),
             .engine = "cpu",
             .format = format_word(work.pyramid),
             .width = work.pyramid.size.width,
             .height = work.pyramid.size.height,
             .slices = work.pyramid.slices,
             .reduction = std::string(copies ? "" : word_of(work.pyramid.reduction)),
             .footprint = std::string(copies || reduces_tiles ? "" : word_of(work.pyramid.footprint)),
             .path = std::string(filtered ? word_of(work.pyramid.filter) : path_word(benchmark.path)),
             .mode = "repeated",
             .times = times[0],
             .bytes = bytes,
             .reference = times[1].median,
             .threads = benchmark.threads};
}

Result<void> CpuRunner::prepare(const PyramidCase& pyramid) {
  if (work_ && same_levels(work_->pyramid.options(), pyramid.options())) return {};
  work_.reset();  // frees its memory for the next images
  auto plan = plan_pyramid(pyramid.options());
  if (!plan) return plan.error();
  auto work = std::make_unique<Work>();
  work->pyramid = pyramid;
  auto source = random_image(pyramid.source, pyramid.size, pyramid.slices);
  if (!source) return source.error();
  work->source = std::move(*source);
  auto levels = Levels::create(pyramid.options());
  if (!levels) return levels.error();
  work->levels = std::move(*levels);
  work->views = work->levels.views();
  work->bytes = plan->bytes_read + plan->bytes_written;
  work->copy.resize(work->bytes / 2);
  work_ = std::move(work);
  auto verified = verify();
  if (!verified) work_.reset();
  return verified;
}

Result<void> CpuRunner::verify() {
  Work& work = *work_;
  const PyramidOptions options = work.pyramid.options();
  auto made = cpu_levels(options, work.source.view());
  if (!made) return made.error();
  cpu::Workers workers(0);
  if (!build_plain(options, workers, work.source.view(), work.views)) {
    return Error{ErrorCode::kUnsupported, "the plain loop does not support this pyramid", {}};
  }
  // The plain loop reduces levels that it has rounded to 8 bits, and adds floats in another order.
  const bool mean = options.reduction == Reduction::kMean;
  // With filters it also limits them to 0..1, so that only the first level can be compared.
  const bool filtered = options.filter.kind != MipFilter::kBox;
  const double absolute = filtered ? 1e-5 : 0;
  const Tolerance tolerance = mean ? Tolerance{.codes = 2, .relative = 1e-5, .absolute = absolute} : Tolerance{};
  const bool limits = filtered && format_info(options.target).type != ChannelType::kFloat;
  if (auto found = difference(*made, work.levels, limits ? 1 : work.levels.images.size(), tolerance)) {
    return Error{ErrorCode::kBadData, "engine and plain loop differ: " + *found, {}};
  }
  return {};
}

void register_cpu(const std::vector<CpuBenchmark>& benchmarks, CpuRunner& runner, Report& report) {
  for (const CpuBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, &runner, &report](benchmark::State& state) { run_benchmark(state, one, runner, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
