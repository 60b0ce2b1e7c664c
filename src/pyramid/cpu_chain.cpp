// cpu_chain.cpp: LevelChain: computes the levels of a pyramid in stages of three levels, and each stage in bands of
// rows of all slices.
//
// Only every third level is stored in working form, as the input of the next stage: 1/64 of the texels of the base and
// a smaller share of the time. A later update starts from these levels.
#include "pyramid/cpu_chain.hpp"

#include <algorithm>
#include <mutex>
#include <type_traits>
#include <vector>

#include "image/div_up.hpp"
#include "pyramid/coverage.hpp"
#include "pyramid/cpu_band.hpp"

namespace onepass::cpu {
namespace {

constexpr uint64_t kNonTemporalBytes = uint64_t{4} << 20;  ///< Larger pyramids use non-temporal stores.
constexpr uint64_t kCoverageTexels = uint64_t{1} << 24;    ///< Base texels of slices whose alphas are held at a time.

template <typename T>
class LevelChain : public Chain {
 public:
  LevelChain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers);
  void run(const Job& job) override;

 private:
  struct Stage {
    uint32_t first = 0;  ///< The stage computes levels first+1 to first+count.
    uint32_t count = 0;
    Plane<T> output;  ///< Level first+count; empty in the last stage.
  };

  /// Alphas and scales of one slice in the passes of Alpha::kCoverage.
  struct SliceAlphas {
    std::vector<std::vector<float>> levels;  ///< Unrounded alphas by level; [0] is empty.
    uint64_t base_passing = 0;
    std::vector<image::AlphaScale> scales;  ///< By level; empty in the first pass.
  };

  [[nodiscard]] StageWork<T> stage_work(uint32_t stage, const Job& job);
  void run_stage(uint32_t stage, const Job& job, TexelRange slices, std::vector<SliceAlphas>* coverage);
  void run_coverage(const Job& job);
  [[nodiscard]] bool has_fused_taps(const LevelStep<T>& step) const;
  [[nodiscard]] double stage_share(uint32_t stage) const;
  BandScratch<T>& scratch(uint32_t slot);

  PyramidOptions options_;
  PyramidPlan plan_;
  Workers& workers_;
  BoxSpec spec_;
  BoxKernels<T> kernels_;
  image::RowDecoder<T> decoder_;
  image::RowEncoder<T> encoder_;
  std::vector<LevelStep<T>> steps_;  ///< steps_[n-1] leads to level n.
  std::vector<Stage> stages_;
  std::vector<BandScratch<T>> scratch_;  ///< By slot.
  AlphaTest alpha_test_;
  std::mutex passing_mutex_;  ///< Of SliceAlphas::base_passing.
};

template <typename T>
LevelChain<T>::LevelChain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers)
    : options_(options),
      plan_(plan),
      workers_(workers),
      spec_(box_spec(options)),
      kernels_(reduction::find_box_kernels<T>(spec_)),
      decoder_(spec_.source),
      encoder_(spec_.target),
      scratch_(workers.slots()) {
  if (options.alpha == Alpha::kCoverage) {
    alpha_test_ = make_alpha_test(options.source, options.target, options.alpha_threshold);
  }
  for (uint32_t n = 1; n < plan.levels; ++n) {
    steps_.emplace_back(options, spec_, n);
    steps_.back().set_rows({0, plan.sizes[n].height});
  }
  for (uint32_t first = 0; first + 1 < plan.levels; first += kStageLevels) {
    Stage& stage = stages_.emplace_back();
    stage.first = first;
    stage.count = std::min(kStageLevels, plan.levels - 1 - first);
    if (first + stage.count + 1 == plan.levels) continue;
    const Extent size = plan.sizes[first + stage.count];
    stage.output.row_elements = padded_row(size.width, spec_.channels());
    stage.output.slice_elements = stage.output.row_elements * size.height;
    stage.output.elements.resize(stage.output.slice_elements * options.slices);
  }
}

template <typename T>
BandScratch<T>& LevelChain<T>::scratch(uint32_t slot) {
  if (scratch_[slot].rows.empty()) {
    scratch_[slot].reserve(padded_row(plan_.sizes[1].width, spec_.channels()));
  }
  return scratch_[slot];
}

/// Can fused rows make a level with these taps?
template <typename T>
bool LevelChain<T>::has_fused_taps(const LevelStep<T>& step) const {
  if (step.y.taps == Taps::kOne) return false;
  return step.x.taps == Taps::kThree || (step.x.taps == Taps::kTwo && kernels_.fuses_two_columns);
}

/// Are the addresses of all texels multiples of a texel's size?
bool has_whole_texels(const MutableImageView& view) {
  const size_t bytes = format_info(view.format).bytes_per_texel;
  const auto first = reinterpret_cast<uintptr_t>(view.row(0, 0));
  return (first | view.row_stride | (view.slices > 1 ? view.slice_stride : 0)) % bytes == 0;
}

template <typename T>
StageWork<T> LevelChain<T>::stage_work(uint32_t stage, const Job& job) {
  Stage& made = stages_[stage];
  StageWork<T> work = {.kernels = kernels_, .decoder = decoder_, .encoder = encoder_, .source = job.source};
  work.input = stage > 0 ? &stages_[stage - 1].output : nullptr;
  work.output = made.output.elements.empty() ? nullptr : &made.output;
  work.first = made.first;
  work.count = made.count;
  work.channels = spec_.channels();
  work.texel_bytes = format_info(options_.source).bytes_per_texel;
  work.target_bytes = format_info(options_.target).bytes_per_texel;
  work.non_temporal = std::is_same_v<T, float> && plan_.bytes_read + plan_.bytes_written > kNonTemporalBytes;
  for (uint32_t k = made.count; k >= 1; --k) {
    const uint32_t n = made.first + k;
    const Extent size = plan_.sizes[n];
    work.steps[k] = &steps_[n - 1];
    work.stored[k] = job.stored[n];
    work.computed[k] = job.fresh ? Rect{0, 0, size.width, size.height} : job.stored[n];
    work.needed_x[k] = {work.computed[k].x, work.computed[k].x + work.computed[k].width};
    if (k < made.count) {
      work.needed_x[k] = hull(work.needed_x[k], work.steps[k + 1]->x.fine_range(work.needed_x[k + 1]));
    }
    work.targets[k] = job.levels[n - 1];
  }
  work.tiles = stage == 0 && made.count == kStageLevels && job.fresh && kernels_.fold_tiles != nullptr;
  work.uses_fused_rows = stage == 0 && made.count == kStageLevels && job.fresh && kernels_.fused_rows != nullptr &&
                         (work.non_temporal || kernels_.fuses_cached) && options_.footprint == Footprint::kCovering;
  for (uint32_t k = 1; k <= made.count; ++k) {
    work.uses_fused_rows = work.uses_fused_rows && has_fused_taps(*work.steps[k]) &&
                           work.stored[k] == work.computed[k] && has_whole_texels(work.targets[k]);
    work.tiles = work.tiles && work.steps[k]->has_pairs() && work.stored[k] == work.computed[k];
  }
  work.uses_fused_rows = work.uses_fused_rows && !work.tiles;
  return work;
}

/// The share of a stage in the work on one slice: that of the texels it reads.
template <typename T>
double LevelChain<T>::stage_share(uint32_t stage) const {
  const auto texels = [&](const Stage& s) {
    const Extent size = plan_.sizes[s.first];
    return static_cast<double>(size.width) * size.height;
  };
  double all = 0;
  for (const Stage& each : stages_) all += texels(each);
  return texels(stages_[stage]) / all;
}

/// Computes the levels of a stage and writes them, or only collects their alphas.
template <typename T>
void LevelChain<T>::run_stage(uint32_t stage, const Job& job, TexelRange slices, std::vector<SliceAlphas>* coverage) {
  const StageWork<T> work = stage_work(stage, job);
  const uint32_t rows = plan_.sizes[work.first].height;
  const uint32_t share = rows / (kBandsPerThread * workers_.slots());
  const uint32_t band_rows = std::max(1U, std::clamp(share, kLeastBandRows, kMostBandRows) >> work.count);
  const uint32_t top_rows = plan_.sizes[work.first + work.count].height;
  const uint32_t bands = div_up(top_rows, band_rows);
  const double passes = coverage == nullptr ? 1 : 2;
  const double task_share = stage_share(stage) / (passes * options_.slices * bands);

  workers_.run(size_t{slices.end - slices.begin} * bands, [&](size_t task, uint32_t slot) {
    if (job.watch->is_cancelled()) return;
    job.watch->add(task_share);
    const auto slice = static_cast<uint32_t>(task / bands);
    const auto band_index = static_cast<uint32_t>(task % bands);
    const TexelRange top = {band_index * band_rows, std::min(top_rows, (band_index + 1) * band_rows)};
    Band<T> band(work, scratch(slot), slices.begin + slice, top, band_index + 1 == bands);
    if (coverage == nullptr) return band.write();
    SliceAlphas& alphas = (*coverage)[slice];
    if (!alphas.scales.empty()) return band.write(alphas.scales.data());
    AlphaPass pass{.base_cut = alpha_test_.base_cut};
    for (uint32_t k = 1; k <= work.count; ++k) pass.alphas[k] = alphas.levels[work.first + k].data();
    const uint64_t passing = band.collect(pass);
    const std::lock_guard lock(passing_mutex_);
    alphas.base_passing += passing;
  });
}

/// Computes every level twice: the first pass collects alphas, the second writes with the scales chosen from them.
template <typename T>
void LevelChain<T>::run_coverage(const Job& job) {
  const auto stages = static_cast<uint32_t>(stages_.size());
  const auto texels = [&](uint32_t n) { return uint64_t{plan_.sizes[n].width} * plan_.sizes[n].height; };
  const auto group = static_cast<uint32_t>(std::clamp<uint64_t>(kCoverageTexels / texels(0), 1, options_.slices));
  std::vector<SliceAlphas> coverage(group);
  for (SliceAlphas& slice : coverage) {
    slice.levels.resize(plan_.levels);
    for (uint32_t n = 1; n < plan_.levels; ++n) slice.levels[n].resize(texels(n));
  }
  for (uint32_t begin = 0; begin < options_.slices; begin += group) {
    const TexelRange slices = {begin, std::min(options_.slices, begin + group)};
    for (SliceAlphas& slice : coverage) {
      slice.base_passing = 0;
      slice.scales.clear();
    }
    for (uint32_t stage = 0; stage < stages; ++stage) run_stage(stage, job, slices, &coverage);
    for (SliceAlphas& slice : coverage) slice.scales.resize(plan_.levels);
    workers_.run(size_t{slices.end - slices.begin} * (plan_.levels - 1), [&](size_t task, uint32_t /*slot*/) {
      SliceAlphas& slice = coverage[task / (plan_.levels - 1)];
      const size_t n = 1 + task % (plan_.levels - 1);
      slice.scales[n] = choose_alpha_scale(slice.levels[n], {slice.base_passing, texels(0)}, alpha_test_);
    });
    for (uint32_t stage = 0; stage < stages; ++stage) run_stage(stage, job, slices, &coverage);
  }
}

template <typename T>
void LevelChain<T>::run(const Job& job) {
  if (options_.alpha == Alpha::kCoverage) return run_coverage(job);
  for (uint32_t stage = 0; stage < stages_.size(); ++stage) run_stage(stage, job, {0, options_.slices}, nullptr);
}

}  // namespace

std::unique_ptr<Chain> make_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers) {
  if (box_spec(options).works_in_double()) return std::make_unique<LevelChain<double>>(options, plan, workers);
  return std::make_unique<LevelChain<float>>(options, plan, workers);
}

}  // namespace onepass::cpu
