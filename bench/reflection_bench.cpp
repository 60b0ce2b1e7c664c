#include "reflection_bench.hpp"

#include <benchmark/benchmark.h>

#include "show_row.hpp"

namespace onepass::bench {
namespace {

constexpr Extent kSizes[] = {{480, 270}, {1920, 1080}, {3840, 2160}};

void run_benchmark(benchmark::State& state, const ReflectionCase& reflection, Mode mode, ReflectionRunner& runner,
                   Report& report) {
  auto row = runner.measure(reflection, mode);
  show_row(state, row, report, "reference_us", "x_copy");
}

}  // namespace

ReflectionOptions ReflectionCase::options() const {
  ReflectionOptions options = reflection_options(size);
  options.rays = rays;
  options.resolution = resolution;
  if (!filters) options.filter_passes = 0;
  if (!history) options.history_frames = 1;
  if (!rough) options.max_roughness = 0;
  return options;
}

ReflectionChecks ReflectionCase::checks() const {
  if (all_matte) return {.max_roughness = -1};
  return {.max_roughness = options().max_roughness,
          .stride = resolution == ReflectionResolution::kHalf ? 2U : 1U,
          .wrong_mirrors = 0.03,
          .missed_mirrors = 0.2,
          .least_mean = 0.5,
          .most_mean = 1.2};
}

std::string ReflectionCase::name() const {
  return "reflection/vulkan/rgba16f/" + std::to_string(size.width) + "x" + std::to_string(size.height) + "/" +
         std::string(word);
}

std::vector<ReflectionCase> reflection_cases() {
  std::vector<ReflectionCase> out;
  for (const Extent size : kSizes) {
    out.push_back({.word = "quarter", .size = size, .rays = ReflectionRays::kQuarter});
    out.push_back({.word = "one", .size = size, .rays = ReflectionRays::kOne});
    out.push_back({.word = "two", .size = size, .rays = ReflectionRays::kTwo});
    out.push_back({.word = "four", .size = size, .rays = ReflectionRays::kFour});
    out.push_back({.word = "half_resolution_quarter",
                   .size = size,
                   .rays = ReflectionRays::kQuarter,
                   .resolution = ReflectionResolution::kHalf});
    out.push_back({.word = "half_resolution_one", .size = size, .resolution = ReflectionResolution::kHalf});
    out.push_back({.word = "one_without_filter", .size = size, .filters = false});
    // At 3840x2160 the walls are brighter than the check allows (docs/reflection.md, limits).
    if (size.width <= 1920) {
      out.push_back({.word = "one_without_filter_and_history", .size = size, .filters = false, .history = false});
    }
    out.push_back({.word = "mirrors", .size = size, .rough = false});
    out.push_back({.word = "matte", .size = size, .all_matte = true});
  }
  return out;
}

Result<Row> ReflectionRunner::measure(const ReflectionCase& reflection, Mode mode) {
  const Gpu& gpu = runner_.gpu();
  if (!sets_ || sets_->size() != reflection.size) {
    sets_.reset();  // frees its memory for the next sets
    runner_.release();
    auto sets = ReflectionSets::create(gpu, reflection.size, runner_.timer().most_sets());
    if (!sets) return sets.error();
    sets_ = std::move(*sets);
  }
  Row row = {.name = reflection.name() + "/" + std::string(mode_word(mode)),
             .engine = "vulkan",
             .format = "rgba16f",
             .width = reflection.size.width,
             .height = reflection.size.height,
             .reduction = {},
             .footprint = {},
             .path = std::string(reflection.word),
             .mode = std::string(mode_description(mode)),
             .times = {}};
  auto technique = make_reflections(gpu, *sets_, reflection.options(), reflection.all_matte);
  if (!technique) return technique.error();
  if (auto checked = verify_reflections(gpu, *sets_, **technique, reflection.checks(), row.name); !checked) {
    return checked.error();
  }
  auto copy = make_reflection_copy(gpu, *sets_);
  if (!copy) return copy.error();
  auto times = runner_.timer().compare(*sets_, **technique, **copy, mode);
  if (!times) return times.error();
  row.times = times->technique;
  row.bytes = (*technique)->bytes();
  row.reference = times->reference.median;
  return row;
}

void register_reflections(ReflectionRunner* runner, Report& report) {
  for (const ReflectionCase& reflection : reflection_cases()) {
    for (const Mode mode : {Mode::kThroughput, Mode::kIsolated}) {
      benchmark::RegisterBenchmark((reflection.name() + "/" + std::string(mode_word(mode))).c_str(),
                                   [reflection, mode, runner, &report](benchmark::State& state) {
                                     run_benchmark(state, reflection, mode, *runner, report);
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace onepass::bench
