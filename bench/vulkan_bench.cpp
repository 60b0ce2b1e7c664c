// vulkan_bench.cpp: per case: images, the faster of two speed-of-light mappings as reference, and the technique, whose
// levels are checked against the CPU engine before it is timed. Objects are kept for the next case if it needs the
// same.
#include "vulkan_bench.hpp"

#include <optional>

#include <benchmark/benchmark.h>

#include "show_row.hpp"

namespace onepass::bench {
namespace {

std::string_view path_word(VulkanPath path, MipFilter filter) {
  if (path == VulkanPath::kMipFilter) return word_of(filter);
  static constexpr std::string_view kWords[] = {"single_dispatch", "single_dispatch_own", "single_dispatch_linear",
                                                "per_level",       "mip_filter",          "tree",
                                                "subgroup",        "speed_of_light",      "blit",
                                                "empty",           "read_only",           "levels_1_to_4"};
  return kWords[static_cast<size_t>(path)];
}

// Linear samples are the default where they are exact enough, not for sRGB.
bool has_linear_choice(const PyramidCase& pyramid) {
  return pyramid.source == Format::kRGBA8Srgb && pyramid.size.width % 2 == 0 && pyramid.size.height % 2 == 0 &&
         pyramid.footprint == Footprint::kAligned;
}

// Aligned chains are at most 1 % faster with pipelines of one size.
bool has_own_choice(const PyramidCase& pyramid) { return pyramid.footprint == Footprint::kCovering; }

vulkan::PyramidTuning tuning_of(VulkanPath path) {
  vulkan::PyramidTuning tuning;
  if (path == VulkanPath::kMipFilter) return tuning;
  tuning.path = path == VulkanPath::kPerLevel ? PyramidPath::kPerLevel : PyramidPath::kSingleDispatch;
  if (path == VulkanPath::kSingleDispatchOwn) tuning.pipelines = vulkan::Pipelines::kOwn;
  if (path == VulkanPath::kSingleDispatchLinear) tuning.sampling = vulkan::Sampling::kLinear;
  return tuning;
}

vulkan::TileStrategy strategy_of(VulkanPath path) {
  return path == VulkanPath::kTileTree ? vulkan::TileStrategy::kTree : vulkan::TileStrategy::kSubgroup;
}

// Levels 1 to 4 only.
PyramidOptions four_levels(const PyramidCase& pyramid) {
  PyramidOptions options = pyramid.options();
  options.levels = kTileLevel + 1;
  return options;
}

// The two levels of speed of light: means of 2x2 texels of any source, without sRGB encoding.
PyramidOptions two_levels(const PyramidCase& pyramid) {
  const bool same = pyramid.source != Format::kRGBA8Srgb && !format_info(pyramid.source).depth;
  const Format other = pyramid.source == Format::kRGBA8Srgb ? Format::kRGBA8Unorm : pyramid.target;
  return {.size = pyramid.size,
          .slices = pyramid.slices,
          .levels = 3,
          .source = pyramid.source,
          .target = same ? pyramid.source : other,
          .reduction = Reduction::kMean,
          .footprint = Footprint::kAligned};
}

// The levels to check and the tolerance.
struct Check {
  PyramidOptions options;
  size_t levels = 0;
  Tolerance tolerance;
};

// Texture filters have weights of 8 bits, and some give results of 8 bits: the error is at most 1/256, or two quantised
// values where two levels are rounded.
constexpr double kFilterError = 1.0 / 256.0;

Check check_of(const VulkanBenchmark& benchmark) {
  const PyramidCase& pyramid = benchmark.pyramid;
  const Tolerance filtered = {.codes = 2, .relative = 0, .absolute = kFilterError};
  switch (benchmark.path) {
    case VulkanPath::kSpeedOfLight:
      return {two_levels(pyramid), 2, filtered};
    case VulkanPath::kBlit: {
      // At odd sizes the sample positions of a blit match no footprint. Levels above 1 come from rounded levels.
      PyramidOptions options = two_levels(pyramid);
      options.target = pyramid.target;
      const bool even = pyramid.size.width % 2 == 0 && pyramid.size.height % 2 == 0;
      return {options, even ? 1U : 0U, filtered};
    }
    case VulkanPath::kEmpty:
    case VulkanPath::kReadOnly:
      return {};
    case VulkanPath::kFourLevels:
      return {four_levels(pyramid), kTileLevel, contract(pyramid.options(), false)};
    case VulkanPath::kMipFilter: {
      // Values near 0 are differences of larger ones.
      const PyramidOptions options = pyramid.options();
      Tolerance tolerance = contract(options, false);
      tolerance.absolute = 1e-5;
      return {options, full_level_count(options.size) - 1, tolerance};
    }
    default: {
      const PyramidOptions options = pyramid.options();
      const bool less_exact = benchmark.path == VulkanPath::kSingleDispatchLinear;
      return {options, full_level_count(options.size) - 1, contract(options, less_exact)};
    }
  }
}

void add_case(const PyramidCase& pyramid, bool all, std::vector<VulkanBenchmark>& out) {
  if (pyramid.filter != MipFilter::kBox) {
    for (const Mode mode : {Mode::kThroughput, Mode::kIsolated, Mode::kWarm}) {
      out.push_back({pyramid, VulkanPath::kMipFilter, mode});
    }
    return;
  }
  for (const VulkanPath path : {VulkanPath::kSingleDispatch, VulkanPath::kSingleDispatchOwn,
                                VulkanPath::kSingleDispatchLinear, VulkanPath::kPerLevel}) {
    if (path == VulkanPath::kSingleDispatchOwn && !has_own_choice(pyramid)) continue;
    if (path == VulkanPath::kSingleDispatchLinear && !has_linear_choice(pyramid)) continue;
    for (const Mode mode : {Mode::kThroughput, Mode::kIsolated, Mode::kWarm}) {
      if (mode == Mode::kThroughput || path == VulkanPath::kSingleDispatch || all) out.push_back({pyramid, path, mode});
    }
  }
}

void add_baselines(const PyramidCase& pyramid, bool all, std::vector<VulkanBenchmark>& out) {
  for (const VulkanPath path : {VulkanPath::kSpeedOfLight, VulkanPath::kBlit, VulkanPath::kEmpty}) {
    if (path == VulkanPath::kBlit && pyramid.source != pyramid.target) continue;
    for (const Mode mode : {Mode::kThroughput, Mode::kIsolated, Mode::kWarm}) {
      if (mode == Mode::kThroughput || all) out.push_back({pyramid, path, mode});
    }
  }
}

void add_tile_case(const PyramidCase& pyramid, bool all, std::vector<VulkanBenchmark>& out) {
  for (const VulkanPath path :
       {VulkanPath::kReadOnly, VulkanPath::kFourLevels, VulkanPath::kTileTree, VulkanPath::kTileSubgroup}) {
    for (const Mode mode : {Mode::kThroughput, Mode::kIsolated, Mode::kWarm}) {
      if (mode == Mode::kThroughput || path != VulkanPath::kReadOnly || all) out.push_back({pyramid, path, mode});
    }
  }
}

void run_benchmark(benchmark::State& state, const VulkanBenchmark& benchmark, VulkanRunner& runner, Report& report) {
  auto row = runner.measure(benchmark);
  show_row(state, row, report, "sol_us", "x_sol");
  if (row && benchmark.path == VulkanPath::kSpeedOfLight) state.SetLabel(runner.speed_of_light_mapping());
}

}  // namespace

std::string VulkanBenchmark::name() const {
  std::string text = baseline() ? "baseline/vulkan/" : tiles() ? "tile_reduction/vulkan/" : "pyramid/vulkan/";
  text += format_word(pyramid) + "/" + size_word(pyramid) + "/";
  if (tiles()) {
    text += std::string(word_of(pyramid.reduction)) + "/factor" + std::to_string(kTileFactor) + "/";
  } else if (!baseline()) {
    text += std::string(word_of(pyramid.reduction)) + "/" + std::string(word_of(pyramid.footprint)) + "/";
  }
  return text + std::string(path_word(path, pyramid.filter)) + "/" + std::string(mode_word(mode));
}

std::vector<VulkanBenchmark> vulkan_benchmarks(bool all) {
  std::vector<VulkanBenchmark> out;
  const PyramidCase* previous = nullptr;
  for (const PyramidCase& pyramid : vulkan_cases()) {
    if (pyramid.run == Run::kAll && !all) continue;
    if (previous == nullptr || !same_images(*previous, pyramid)) add_baselines(pyramid, all, out);
    add_case(pyramid, all, out);
    previous = &pyramid;
  }
  for (const PyramidCase& pyramid : tile_cases()) add_tile_case(pyramid, all, out);
  return out;
}

/// Images, and the objects created for them so far.
struct VulkanRunner::Work {
  std::unique_ptr<ImageSets> images;
  bool whole_tiles = false;  // of the images' levels
  std::unique_ptr<VulkanTechnique> speed_of_light;
  std::unique_ptr<VulkanTechnique> read_only;
  bool contiguous = false;                     // speed_of_light has the mapping CONTIGUOUS=1
  std::unique_ptr<VulkanTechnique> technique;  // null: the benchmark is its own reference
  std::optional<VulkanBenchmark> prepared;     // benchmark of `technique`, whose output has been checked
  PyramidOptions expected_options;
  std::optional<Levels> expected;
};

VulkanRunner::VulkanRunner(std::unique_ptr<Gpu> gpu, std::unique_ptr<VulkanTimer> timer)
    : gpu_(std::move(gpu)), timer_(std::move(timer)) {}
VulkanRunner::~VulkanRunner() = default;

Result<std::unique_ptr<VulkanRunner>> VulkanRunner::create(std::unique_ptr<Gpu> gpu, const Schedule& schedule) {
  auto timer = VulkanTimer::create(*gpu, schedule);
  if (!timer) return timer.error();
  return std::unique_ptr<VulkanRunner>(new VulkanRunner(std::move(gpu), std::move(*timer)));
}

void VulkanRunner::release() { work_.reset(); }

Result<Row> VulkanRunner::measure(const VulkanBenchmark& benchmark) {
  if (auto prepared = prepare_images(benchmark.pyramid, benchmark.tiles()); !prepared) return prepared.error();
  if (benchmark.beside_read_only()) {
    if (auto prepared = prepare_read_only(); !prepared) return prepared.error();
  }
  if (auto prepared = prepare_technique(benchmark); !prepared) return prepared.error();
  const VulkanTechnique& reference = benchmark.beside_read_only() ? *work_->read_only : *work_->speed_of_light;
  const VulkanTechnique& technique = work_->technique ? *work_->technique : reference;
  auto times = timer_->compare(*work_->images, technique, reference, benchmark.mode);
  if (!times) return times.error();
  const PyramidCase& pyramid = benchmark.pyramid;
  const bool baseline = benchmark.baseline();
  return Row{.name = benchmark.name(),
             .engine = "vulkan",
             .format = format_word(pyramid),
             .width = pyramid.size.width,
             .height = pyramid.size.height,
             .slices = pyramid.slices,
             .reduction = std::string(baseline ? "" : word_of(pyramid.reduction)),
             .footprint = std::string(baseline || benchmark.tiles() ? "" : word_of(pyramid.footprint)),
             .path = std::string(path_word(benchmark.path, pyramid.filter)),
             .mode = std::string(mode_description(benchmark.mode)),
             .times = times->technique,
             .bytes = technique.bytes(),
             .reference = times->reference.median,
             .threads = 0};
}

Result<void> VulkanRunner::prepare_images(const PyramidCase& pyramid, bool whole_tiles) {
  if (work_ && same_images(work_->images->pyramid(), pyramid) && work_->whole_tiles == whole_tiles) return {};
  work_.reset();  // frees its memory for the next images
  auto images = ImageSets::create(*gpu_, pyramid, timer_->most_sets(), whole_tiles);
  if (!images) return images.error();
  work_ = std::make_unique<Work>();
  work_->images = std::move(*images);
  work_->whole_tiles = whole_tiles;
  auto chosen = choose_speed_of_light();
  if (!chosen) work_.reset();
  return chosen;
}

// Chooses the faster of the two mappings, which depends on the format. The output of both is checked.
Result<void> VulkanRunner::choose_speed_of_light() {
  const VulkanBenchmark self = {.pyramid = work_->images->pyramid(), .path = VulkanPath::kSpeedOfLight};
  auto own = make_speed_of_light(*gpu_, *work_->images, false);
  if (!own) return own.error();
  if (auto verified = verify(self, **own); !verified) return verified;
  auto contiguous = make_speed_of_light(*gpu_, *work_->images, true);
  if (!contiguous) {
    if (contiguous.error().code != ErrorCode::kUnsupported) return contiguous.error();
    work_->speed_of_light = std::move(*own);
    return {};
  }
  if (auto verified = verify(self, **contiguous); !verified) return verified;
  auto times = timer_->compare(*work_->images, **contiguous, **own, Mode::kThroughput);
  if (!times) return times.error();
  work_->contiguous = times->technique.median < times->reference.median;
  work_->speed_of_light = std::move(work_->contiguous ? *contiguous : *own);
  return {};
}

std::string VulkanRunner::speed_of_light_mapping() const { return work_->contiguous ? "contiguous" : "2x2"; }

Result<void> VulkanRunner::prepare_read_only() {
  if (work_->read_only) return {};
  auto made = make_read_only(*gpu_, *work_->images);
  if (!made) return made.error();
  work_->read_only = std::move(*made);
  return {};
}

Result<void> VulkanRunner::prepare_technique(const VulkanBenchmark& benchmark) {
  Work& work = *work_;
  const bool again =
      work.prepared && work.prepared->path == benchmark.path &&
      (benchmark.baseline() || same_levels(work.prepared->pyramid.options(), benchmark.pyramid.options()));
  if (again) return {};
  work.prepared.reset();
  work.technique.reset();
  const auto make = [&]() -> TechniqueResult {
    switch (benchmark.path) {
      case VulkanPath::kSpeedOfLight:
      case VulkanPath::kReadOnly:
        return std::unique_ptr<VulkanTechnique>();
      case VulkanPath::kTileTree:
      case VulkanPath::kTileSubgroup:
        return make_tile_technique(*gpu_, *work.images, tile_options(benchmark.pyramid),
                                   {.strategy = strategy_of(benchmark.path)});
      case VulkanPath::kFourLevels:
        return make_pyramid_technique(*gpu_, *work.images, four_levels(benchmark.pyramid),
                                      tuning_of(VulkanPath::kPerLevel));
      case VulkanPath::kBlit:
        return make_blit_chain(*gpu_, *work.images);
      case VulkanPath::kEmpty:
        return make_empty(*gpu_);
      default:
        return make_pyramid_technique(*gpu_, *work.images, benchmark.pyramid.options(), tuning_of(benchmark.path));
    }
  };
  auto technique = make();
  if (!technique) return technique.error();
  work.technique = std::move(*technique);
  if (work.technique) {
    if (auto verified = verify(benchmark, *work.technique); !verified) return verified;
  }
  work.prepared = benchmark;
  return {};
}

Result<const Levels*> VulkanRunner::expected_levels(const PyramidOptions& options) {
  Work& work = *work_;
  if (!work.expected || !same_levels(work.expected_options, options)) {
    auto levels = cpu_levels(options, work.images->host_source());
    if (!levels) return levels.error();
    work.expected = std::move(*levels);
    work.expected_options = options;
  }
  return &*work.expected;
}

// Runs the technique once on set 0 and reads the levels.
Result<Levels> VulkanRunner::run_once(const VulkanTechnique& technique) {
  ImageSets& images = *work_->images;
  if (auto cleared = images.clear_target(); !cleared) return cleared.error();
  if (auto used = images.use_sources_as(technique.source_layout()); !used) return used.error();
  auto ran = gpu_->device().run([&](VkCommandBuffer commands) {
    technique.record(commands, 0);
    full_barrier(*gpu_, commands);
  });
  if (!ran) return ran.error();
  return images.download();
}

// Compares with the CPU engine's tile reduction.
Result<void> VulkanRunner::verify_tiles(const VulkanBenchmark& benchmark, const VulkanTechnique& technique) {
  const TileReductionOptions options = tile_options(benchmark.pyramid);
  auto cpu = cpu::TileReduction::create(options);
  if (!cpu) return cpu.error();
  auto expected = Image::create(options.target, cpu->plan().size, options.slices);
  if (!expected) return expected.error();
  if (auto reduced = cpu->reduce(work_->images->host_source(), expected->view()); !reduced) return reduced;
  auto actual = run_once(technique);
  if (!actual) return actual.error();
  const Tolerance tolerance = contract(benchmark.pyramid.options(), false);
  if (auto found = difference(actual->images[kTileLevel - 1].view(), expected->view(), tolerance)) {
    return Error{ErrorCode::kBadData, "wrong output: " + *found, benchmark.name()};
  }
  return {};
}

Result<void> VulkanRunner::verify(const VulkanBenchmark& benchmark, const VulkanTechnique& technique) {
  if (benchmark.tiles()) return verify_tiles(benchmark, technique);
  const Check check = check_of(benchmark);
  if (check.levels == 0) return {};
  auto expected = expected_levels(check.options);
  if (!expected) return expected.error();
  auto actual = run_once(technique);
  if (!actual) return actual.error();
  if (auto found = difference(*actual, **expected, check.levels, check.tolerance)) {
    return Error{ErrorCode::kBadData, "wrong output: " + *found, benchmark.name()};
  }
  return {};
}

void register_vulkan(const std::vector<VulkanBenchmark>& benchmarks, VulkanRunner* runner, Report& report) {
  for (const VulkanBenchmark& one : benchmarks) {
    benchmark::RegisterBenchmark(
        one.name().c_str(),
        [one, runner, &report](benchmark::State& state) { run_benchmark(state, one, *runner, report); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace onepass::bench
