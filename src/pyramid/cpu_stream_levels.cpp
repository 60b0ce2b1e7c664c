// cpu_stream_levels.cpp: LevelStream: the levels of a stream, for all reductions of numbers, by the stages and bands of
// cpu::Pyramid (cpu_stage.hpp, cpu_band.hpp).
//
// A band is a batch of rows: as soon as the input of a stage has the rows for some rows of its last level, the stage
// makes them and everything between. A batch is divided into columns, one task each:
//
//     base rows    |  task 0  |  task 1  |  task 2  |      up to 64 rows: those of the caller and a few copied ones
//     levels 1-3   |          |          |          |  --> sink
//     level 3      ring buffer of working rows             input of the next stage
//
// Where a texel needs columns of the task to its right (covering and edge), its task computes these too but does not
// write them. The last row of a stage's last level is computed at the end of the image: rows of finer levels without a
// coarser row belong to its batch.
//
// A part of a stream has some of the rows or some of the stages. Rows keep their index in the whole picture, so that
// every texel has the taps and weights of the whole.
//
// RGB: a task adds an alpha to its part of the rows, in a buffer that fits into the L2 cache, and drops that of the
// levels. The kernels of four channels do the rest.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "image/div_up.hpp"
#include "image/row_rgb.hpp"
#include "pyramid/cpu_band.hpp"
#include "pyramid/cpu_stream.hpp"

namespace onepass::cpu {
namespace {

constexpr uint32_t kKeptRows = 64;   ///< Rows of the base that may wait for more.
constexpr uint32_t kPlaneRows = 32;  ///< Rows of an intermediate level: up to 15 that wait, and a batch.
constexpr uint32_t kInputRows = 80;  ///< Rows of the base that a batch reads: 64, and up to 15 more of the last batch.
constexpr uint32_t kTasksPerThread = 3;
constexpr uint32_t kLeastTask = 512;  ///< Columns of a stage's input.
constexpr uint32_t kMostTask = 8192;
constexpr uint32_t kMostRgbTask = 2048;

template <typename T>
class LevelStream : public StreamLevels {
 public:
  LevelStream(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers, const LevelSink& sink,
              const StreamPart& part);
  Result<void> take(const std::byte* rows, size_t row_stride, uint32_t count) override;
  void keep() override;

 private:
  struct Stage {
    uint32_t first = 0;  ///< The stage computes levels first+1 to first+count.
    uint32_t count = 0;
    uint32_t made = 0;   ///< Rows of level first+count that are finished.
    uint32_t batch = 0;  ///< Rows of that level that are made at once.
    uint32_t task = 0;   ///< Columns of that level that a task makes.
    Plane<T> output;     ///< Ring buffer of that level; empty in the last stage.
    std::array<AlignedVector<std::byte>, kStageLevels + 1> targets;  ///< Rows of a batch, with an alpha.
    std::array<AlignedVector<std::byte>, kStageLevels + 1> packed;   ///< The same without it, for RGB targets.
  };

  /// Rows of a batch by level of the stage; [0] is the input.
  using BatchRows = std::array<TexelRange, kStageLevels + 1>;

  struct Scratch {
    BandScratch<T> band;
    AlignedVector<std::byte> rgba;  ///< The rows of a task with an alpha.
    std::array<const std::byte*, kInputRows> rows{};
  };

  void add_stage(uint32_t first);
  [[nodiscard]] uint32_t height(uint32_t level) const { return plan_.sizes[level].height; }
  [[nodiscard]] bool is_rgb() const { return source_ != options_.source; }
  [[nodiscard]] uint32_t top_rows(const Stage& stage) const { return height(stage.first + stage.count); }
  [[nodiscard]] BatchRows batch_rows(const Stage& stage, TexelRange top) const;

  Result<void> take_unrounded(const std::byte* rows, size_t row_stride, uint32_t count);
  Result<void> advance(uint32_t index, uint32_t input_rows);
  Result<void> pass_on(uint32_t index, TexelRange rows);
  void make_batch(uint32_t index, const BatchRows& rows);
  void make_task(uint32_t index, StageWork<T> work, const BatchRows& rows, TexelRange columns, Scratch& scratch);
  void expand(StageWork<T>& work, TexelRange rows, Scratch& scratch) const;
  void pack(Stage& stage, uint32_t k, TexelRange rows, TexelRange x) const;
  Result<void> emit(const Stage& stage, const BatchRows& rows) const;
  void forget_rows();

  PyramidOptions options_;  ///< Formats with alpha.
  Format source_;           ///< As the caller's rows.
  Format target_;
  PyramidPlan plan_;
  Workers& workers_;
  const LevelSink& sink_;
  BoxSpec spec_;
  BoxKernels<T> kernels_;
  image::RowDecoder<T> decoder_;
  image::RowEncoder<T> encoder_;
  std::vector<LevelStep<T>> steps_;  ///< steps_[n-1] leads to level n.
  const StreamPart& part_;
  uint32_t first_stage_;  ///< Stages before it and after the last of the part have no buffers and make nothing.
  uint32_t end_stage_;
  std::vector<Stage> stages_;
  std::vector<Scratch> scratch_;  ///< By slot.
  std::vector<T> kept_row_;       ///< RGB: an unrounded row of the part's last level, for StreamPart::kept.

  std::vector<const std::byte*> window_;  ///< Rows of the base that later rows need, from first_row_ on.
  uint32_t first_row_ = 0;
  uint32_t kept_end_ = 0;  ///< Rows below it are in kept_, the others in the caller's memory.
  AlignedVector<std::byte> kept_;
};

PyramidOptions with_alpha(PyramidOptions options) {
  options.source = image::with_alpha(options.source);
  options.target = image::with_alpha(options.target);
  return options;
}

template <typename T>
LevelStream<T>::LevelStream(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers,
                            const LevelSink& sink, const StreamPart& part)
    : options_(with_alpha(options)),
      source_(options.source),
      target_(options.target),
      plan_(plan),
      workers_(workers),
      sink_(sink),
      spec_(box_spec(options_)),
      kernels_(reduction::find_box_kernels<T>(spec_)),
      decoder_(spec_.source),
      encoder_(spec_.target),
      part_(part),
      first_stage_(part.first_level / kStageLevels),
      end_stage_(div_up(part.last_level, kStageLevels)),
      scratch_(workers.slots()) {
  for (uint32_t n = 1; n < plan.levels; ++n) steps_.emplace_back(options_, spec_, n);
  for (uint32_t first = 0; first + 1 < plan.levels; first += kStageLevels) add_stage(first);
  const Stage& widest = stages_[first_stage_];
  const uint32_t columns = widest.task << (widest.count - 1);
  for (Scratch& scratch : scratch_) {
    // A task of a later stage has fewer columns, its first level up to seven more than columns.
    scratch.band.reserve(padded_row(columns + 16, spec_.channels()));
    if (!is_rgb()) continue;
    const size_t texels = 2 * columns + 16 + kRowPadding;
    scratch.rgba.resize(kInputRows * texels * format_info(options_.source).bytes_per_texel);
  }
  if (first_stage_ > 0) return;
  first_row_ = kept_end_ = part.first_row;
  kept_.resize(kKeptRows * size_t{options.size.width} * texel_info(source_).bytes_per_texel);
  window_.reserve(kKeptRows + kStreamBatch);
}

template <typename T>
void LevelStream<T>::add_stage(uint32_t first) {
  Stage& stage = stages_.emplace_back();
  stage.first = first;
  stage.count = std::min(kStageLevels, plan_.levels - 1 - first);
  stage.batch = kStreamBatch >> stage.count;
  const Extent top = plan_.sizes[first + stage.count];
  const uint32_t most = is_rgb() ? kMostRgbTask : kMostTask;
  const uint32_t share = div_up(top.width, kTasksPerThread * workers_.slots());
  stage.task = round_up(std::clamp(share, kLeastTask >> stage.count, most >> stage.count), kStripMultiple);
  const uint32_t last = first + stage.count;
  stage.made = part_.first_row >> (last - std::min(last, part_.first_level));
  const auto index = first / kStageLevels;
  const bool is_active = index >= first_stage_ && index < end_stage_;
  for (uint32_t k = 1; is_active && k <= stage.count; ++k) {
    const size_t texels = size_t{plan_.sizes[first + k].width} * ((stage.batch + 1) << (stage.count - k));
    stage.targets[k].resize(texels * format_info(options_.target).bytes_per_texel);
    if (target_ != options_.target) stage.packed[k].resize(texels * texel_info(target_).bytes_per_texel);
  }
  if (first + stage.count + 1 == plan_.levels || index + 1 < first_stage_ || index >= end_stage_) return;
  stage.output.row_elements = padded_row(top.width, spec_.channels());
  stage.output.row_mask = kPlaneRows - 1;
  stage.output.elements.resize(kPlaneRows * stage.output.row_elements);
}

/// The rows of finer levels that belong to rows `top` of the last one, and the rows of the input that these need.
template <typename T>
typename LevelStream<T>::BatchRows LevelStream<T>::batch_rows(const Stage& stage, TexelRange top) const {
  const bool is_last = top.end == top_rows(stage);
  BatchRows rows{};
  rows[stage.count] = top;
  uint32_t needed_end = top.end;
  for (uint32_t k = stage.count; k >= 1; --k) {
    const AxisStep& y = steps_[stage.first + k - 1].y;
    rows[k - 1] = rows[k];
    if (y.taps != Taps::kOne) rows[k - 1] = {2 * rows[k].begin, is_last ? y.fine : 2 * rows[k].end};
    needed_end = std::max(rows[k - 1].end, y.fine_range({0, needed_end}).end);
  }
  rows[0].end = needed_end;
  return rows;
}

// ---- Rows of the base

template <typename T>
Result<void> LevelStream<T>::take(const std::byte* rows, size_t row_stride, uint32_t count) {
  if (first_stage_ > 0) return take_unrounded(rows, row_stride, count);
  for (uint32_t i = 0; i < count; ++i) window_.push_back(rows + i * row_stride);
  return advance(0, first_row_ + static_cast<uint32_t>(window_.size()));
}

/// Copies rows of a level into the input of its stage, as many at once as the stage before it would make.
template <typename T>
Result<void> LevelStream<T>::take_unrounded(const std::byte* rows, size_t row_stride, uint32_t count) {
  Stage& stage = stages_[first_stage_ - 1];
  const size_t width = plan_.sizes[part_.first_level].width;
  for (uint32_t y = 0; y < count;) {
    const uint32_t end = std::min(count, y + stage.batch);
    for (; y < end; ++y, ++stage.made) {
      T* to = stage.output.row(stage.made, 0);
      const std::byte* from = rows + y * row_stride;
      if (!is_rgb()) {
        std::memcpy(to, from, width * spec_.channels() * sizeof(T));
        continue;
      }
      for (size_t x = 0; x < width; ++x, to += 4, from += 3 * sizeof(T)) {
        std::memcpy(to, from, 3 * sizeof(T));
        to[3] = 1;
      }
    }
    if (auto made = advance(first_stage_, stage.made); !made) return made;
  }
  return {};
}

template <typename T>
void LevelStream<T>::keep() {
  if (first_stage_ > 0) return;
  const size_t row_bytes = size_t{plan_.sizes[0].width} * texel_info(source_).bytes_per_texel;
  ONEPASS_ASSERT(window_.size() <= kKeptRows);
  for (uint32_t i = 0; i < window_.size(); ++i) {
    const uint32_t y = first_row_ + i;
    if (y < kept_end_) continue;
    std::byte* row = kept_.data() + y % kKeptRows * row_bytes;
    std::copy_n(window_[i], row_bytes, row);
    window_[i] = row;
  }
  kept_end_ = first_row_ + static_cast<uint32_t>(window_.size());
}

template <typename T>
void LevelStream<T>::forget_rows() {
  const Stage& stage = stages_[0];
  uint32_t begin = stage.made;
  for (uint32_t k = stage.count; k >= 1; --k) begin <<= steps_[k - 1].y.taps == Taps::kOne ? 0 : 1;
  const bool is_done = stage.made == top_rows(stage);
  const auto end = first_row_ + static_cast<uint32_t>(window_.size());
  begin = is_done ? end : std::min(begin, end);
  window_.erase(window_.begin(), window_.begin() + (begin - first_row_));
  first_row_ = begin;
}

// ---- Batches

/// Makes the rows of stage `index`, and of those after it, that the first `input_rows` rows of its input complete.
template <typename T>
Result<void> LevelStream<T>::advance(uint32_t index, uint32_t input_rows) {
  Stage& stage = stages_[index];
  // The ends of the part's rows of the stage's input and of its last level.
  const uint32_t part_end = part_.first_row + part_.rows;
  const bool is_whole = part_end == height(part_.first_level);
  const auto end_of = [&](uint32_t level) {
    return is_whole ? height(level) : part_end >> (level - part_.first_level);
  };
  const uint32_t all = end_of(stage.first + stage.count);
  const bool is_complete = input_rows == end_of(stage.first);
  for (;;) {
    uint32_t ready = stage.made;
    while (ready < all && ready - stage.made < stage.batch) {
      const bool is_last = ready + 1 == top_rows(stage);
      if (is_last ? !is_complete : batch_rows(stage, {ready, ready + 1})[0].end > input_rows) break;
      ++ready;
    }
    // Small batches of the base cost more than they save in memory.
    const bool waits = index == 0 && !is_complete && ready - stage.made < stage.batch / 2;
    if (ready == stage.made || waits) return {};
    const BatchRows rows = batch_rows(stage, {stage.made, ready});
    make_batch(index, rows);
    stage.made = ready;
    if (index == 0) forget_rows();
    if (auto sent = emit(stage, rows); !sent) return sent;
    if (auto passed = pass_on(index, rows[stage.count]); !passed) return passed;
  }
}

/// Gives unrounded rows of a stage's last level to the next stage, or to `kept` after the last stage of the part.
template <typename T>
Result<void> LevelStream<T>::pass_on(uint32_t index, TexelRange rows) {
  if (index + 1 == stages_.size()) return {};
  if (index + 1 < end_stage_) return advance(index + 1, rows.end);
  if (!part_.kept) return {};
  Stage& stage = stages_[index];
  LevelRows out = {.level = stage.first + stage.count, .first = rows.begin, .count = 1};
  out.width = plan_.sizes[out.level].width;
  const uint32_t channels = is_rgb() ? 3 : spec_.channels();
  out.row_stride = size_t{out.width} * channels * sizeof(T);
  if (is_rgb()) kept_row_.resize(size_t{out.width} * channels);
  for (; out.first < rows.end; ++out.first) {
    const T* from = stage.output.row(out.first, 0);
    out.data = from;
    if (is_rgb()) {
      for (size_t x = 0; x < out.width; ++x) std::copy_n(from + 4 * x, 3, kept_row_.data() + 3 * x);
      out.data = kept_row_.data();
    }
    if (auto taken = part_.kept(out); !taken) return taken;
  }
  return {};
}

template <typename T>
void LevelStream<T>::make_batch(uint32_t index, const BatchRows& rows) {
  Stage& stage = stages_[index];
  StageWork<T> work = {.kernels = kernels_, .decoder = decoder_, .encoder = encoder_, .source = {}};
  work.input = index > 0 ? &stages_[index - 1].output : nullptr;
  work.output = stage.output.elements.empty() ? nullptr : &stage.output;
  work.first = stage.first;
  work.count = stage.count;
  work.channels = spec_.channels();
  work.texel_bytes = format_info(options_.source).bytes_per_texel;
  work.target_bytes = format_info(options_.target).bytes_per_texel;
  work.tiles = index == 0 && stage.count == kStageLevels && kernels_.fold_tiles != nullptr;
  for (uint32_t k = 1; k <= stage.count; ++k) {
    const uint32_t n = stage.first + k;
    const Extent size = plan_.sizes[n];
    LevelStep<T>& step = steps_[n - 1];
    const uint32_t halo_end = std::min(size.height, rows[k].end + kRingRows);
    step.set_rows({rows[k].begin, halo_end});
    work.steps[k] = &step;
    work.tiles = work.tiles && step.has_pairs();
    work.targets[k] = {stage.targets[k].data(), options_.target, size, 1, size.width * work.target_bytes, 0};
    work.first_target[k] = rows[k].begin;
  }
  if (index == 0) {
    work.source_rows = window_.data();
    work.first_source_row = first_row_;
  }
  const uint32_t width = plan_.sizes[stage.first + stage.count].width;
  workers_.run(div_up(width, stage.task), [&](size_t task, uint32_t slot) {
    const auto begin = static_cast<uint32_t>(task) * stage.task;
    const uint32_t end = width - begin > stage.task ? begin + stage.task : width;
    make_task(index, work, rows, {begin, end}, scratch_[slot]);
  });
}

/// Makes columns `columns` of the stage's last level, and of the finer levels those that belong to them.
template <typename T>
void LevelStream<T>::make_task(uint32_t index, StageWork<T> work, const BatchRows& rows, TexelRange columns,
                               Scratch& scratch) {
  Stage& stage = stages_[index];
  const bool is_right = columns.end == plan_.sizes[stage.first + stage.count].width;
  std::array<TexelRange, kStageLevels + 1> x{};
  x[stage.count] = columns;
  for (uint32_t k = stage.count; k >= 1; --k) {
    work.computed[k] = {x[k].begin, 0, x[k].end - x[k].begin, plan_.sizes[stage.first + k].height};
    work.stored[k] = work.computed[k];
    work.needed_x[k] = x[k];
    if (k < stage.count) work.needed_x[k] = hull(x[k], work.steps[k + 1]->x.fine_range(work.needed_x[k + 1]));
    work.ring_begin[k] = x[k].begin;
    const AxisStep& step = work.steps[k]->x;
    x[k - 1] = x[k];
    if (step.taps != Taps::kOne) x[k - 1] = {2 * x[k].begin, is_right ? step.fine : 2 * x[k].end};
  }
  if (index == 0 && is_rgb()) expand(work, rows[0], scratch);
  const TexelRange top = rows[stage.count];
  Band<T>(work, scratch.band, 0, top, top.end == top_rows(stage)).write();
  for (uint32_t k = 1; k <= stage.count && target_ != options_.target; ++k) pack(stage, k, rows[k], x[k]);
}

/// Adds an alpha to the texels of the base that a task needs.
template <typename T>
void LevelStream<T>::expand(StageWork<T>& work, TexelRange rows, Scratch& scratch) const {
  const TexelRange x = work.steps[1]->x.fine_range(work.needed_x[1]);
  const size_t texels = x.end - x.begin;
  const size_t row_bytes = (texels + kRowPadding) * work.texel_bytes;
  const size_t begin = size_t{x.begin} * texel_info(source_).bytes_per_texel;
  for (uint32_t y = rows.begin; y < rows.end; ++y) {
    std::byte* row = scratch.rgba.data() + (y - rows.begin) * row_bytes;
    image::add_alpha(source_, work.source_rows[y - work.first_source_row] + begin, texels, row);
    scratch.rows[y - rows.begin] = row;
  }
  work.source_rows = scratch.rows.data();
  work.first_source_row = rows.begin;
  work.source_begin = x.begin * work.texel_bytes;
}

/// Drops the alpha of texels `x` of rows `rows` of level k.
template <typename T>
void LevelStream<T>::pack(Stage& stage, uint32_t k, TexelRange rows, TexelRange x) const {
  const size_t width = plan_.sizes[stage.first + k].width;
  const size_t from_bytes = format_info(options_.target).bytes_per_texel;
  const size_t to_bytes = texel_info(target_).bytes_per_texel;
  for (uint32_t i = 0; i < rows.end - rows.begin; ++i) {
    const size_t texel = i * width + x.begin;
    image::drop_alpha(target_, stage.targets[k].data() + texel * from_bytes, x.end - x.begin,
                      stage.packed[k].data() + texel * to_bytes);
  }
}

template <typename T>
Result<void> LevelStream<T>::emit(const Stage& stage, const BatchRows& rows) const {
  const bool is_packed = target_ != options_.target;
  for (uint32_t k = 1; k <= stage.count; ++k) {
    LevelRows out = {.level = stage.first + k, .first = rows[k].begin, .count = rows[k].end - rows[k].begin};
    out.width = plan_.sizes[out.level].width;
    out.data = is_packed ? stage.packed[k].data() : stage.targets[k].data();
    out.row_stride = out.width * size_t{texel_info(target_).bytes_per_texel};
    if (out.count == 0) continue;
    if (auto taken = sink_(out); !taken) return taken;
  }
  return {};
}

}  // namespace

std::unique_ptr<StreamLevels> make_stream_levels(const PyramidOptions& options, const PyramidPlan& plan,
                                                 Workers& workers, const LevelSink& sink, const StreamPart& part) {
  if (box_spec(with_alpha(options)).works_in_double()) {
    return std::make_unique<LevelStream<double>>(options, plan, workers, sink, part);
  }
  return std::make_unique<LevelStream<float>>(options, plan, workers, sink, part);
}

size_t unrounded_row_bytes(const PyramidOptions& options, uint32_t width) {
  if (options.reduction == Reduction::kMode) return size_t{width} * texel_info(options.source).bytes_per_texel;
  const BoxSpec spec = box_spec(with_alpha(options));
  const uint32_t channels = texel_info(options.source).channels;
  return size_t{width} * channels * (spec.works_in_double() ? sizeof(double) : sizeof(float));
}

}  // namespace onepass::cpu
