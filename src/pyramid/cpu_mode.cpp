// cpu_mode.cpp: Reduction::kMode: the most frequent of up to four labels, level by level from the stored level above
// it: labels are not rounded. Footprints aligned and ceil; a coarse texel has one or two finer texels per axis.
// ModeChain is for cpu::Pyramid, ModeStream for streams.
#include "pyramid/cpu_mode.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "image/div_up.hpp"
#include "pyramid/cpu_axis.hpp"
#include "pyramid/cpu_chain.hpp"
#include "pyramid/cpu_stream.hpp"

namespace onepass::cpu {
namespace {

constexpr uint32_t kTaskTexels = 16384;  ///< Coarse texels of a task.

/// The most frequent of four labels, the smallest of several.
template <typename T>
T mode_of(T p, T q, T r, T s) {
  const T upper_max = std::max(p, q);
  const T lower_max = std::max(r, s);
  const T upper_min = std::min(p, q);
  const T lower_min = std::min(r, s);
  const T least = std::min(upper_min, lower_min);
  const T greatest = std::max(upper_max, lower_max);
  const T inner = std::max(upper_min, lower_min);
  const T outer = std::min(upper_max, lower_max);
  const T second = std::min(inner, outer);
  const T third = std::max(inner, outer);
  if (least == second) return least;  // in sorted order equal labels are neighbours
  if (second == third) return second;
  return third == greatest ? third : least;
}

/// Labels need not be aligned.
template <typename T>
T label(const std::byte* row, size_t x) {
  T value;
  std::memcpy(&value, row + x * sizeof value, sizeof value);
  return value;
}

template <typename T>
void reduce_row(const std::byte* upper, const std::byte* lower, uint32_t fine, uint32_t coarse, std::byte* out) {
  const uint32_t pairs = std::min(coarse, fine / 2);
  const auto store = [&](size_t x, T value) { std::memcpy(out + x * sizeof value, &value, sizeof value); };
  for (size_t x = 0; x < pairs; ++x) {
    const size_t at = 2 * x;
    store(x, mode_of(label<T>(upper, at), label<T>(upper, at + 1), label<T>(lower, at), label<T>(lower, at + 1)));
  }
  if (pairs < coarse) store(pairs, std::min(label<T>(upper, fine - 1), label<T>(lower, fine - 1)));
}

/// Divides rows of a level into tasks and runs them: `rows(y)` gives the two finer rows and the coarse row.
template <class Rows>
void reduce_rows(Workers& workers, Format format, uint32_t fine_width, uint32_t coarse_width, uint32_t count,
                 const Rows& rows, ProgressWatch* watch = nullptr, double share = 0) {
  const size_t bytes = texel_info(format).bytes_per_texel;
  const uint32_t strips = div_up(coarse_width, kTaskTexels);
  const uint32_t group = std::max(1U, kTaskTexels / coarse_width);  // rows of a task
  const uint32_t groups = div_up(count, group);
  workers.run(size_t{groups} * strips, [&](size_t task, uint32_t /*slot*/) {
    if (watch != nullptr && watch->is_cancelled()) return;
    if (watch != nullptr) watch->add(share / (static_cast<double>(groups) * strips));
    const auto strip = static_cast<uint32_t>(task % strips);
    const uint32_t begin = strip * kTaskTexels;
    const bool is_last = strip + 1 == strips;
    const uint32_t coarse = is_last ? coarse_width - begin : kTaskTexels;
    const uint32_t fine = is_last ? fine_width - std::min(fine_width, 2 * begin) : 2 * kTaskTexels;
    const auto first = static_cast<uint32_t>(task / strips) * group;
    for (uint32_t y = first; y < std::min(count, first + group); ++y) {
      const auto [upper, lower, out] = rows(y);
      const size_t at = 2 * bytes * begin;
      reduce_labels(format, upper + at, lower + at, fine, coarse, out + bytes * begin);
    }
  });
}

struct RowsOfTexel {
  const std::byte* upper;
  const std::byte* lower;
  std::byte* out;
};

class ModeChain : public Chain {
 public:
  ModeChain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers)
      : options_(options), plan_(plan), workers_(workers) {}

  /// Makes whole rows that the job affects: the finer ones are there, as build() or the caller left them.
  void run(const Job& job) override {
    for (uint32_t n = 1; n < plan_.levels; ++n) {
      const ImageView fine = n == 1 ? job.source : ImageView(job.levels[n - 2]);
      const MutableImageView& coarse = job.levels[n - 1];
      const Rect stored = job.stored[n];
      if (stored.width == 0 || stored.height == 0) continue;
      const size_t bytes = texel_info(options_.source).bytes_per_texel;
      const bool is_right = stored.x + stored.width == coarse.size.width;
      const uint32_t step_x = fine.size.width > 1 ? 2 : 1;
      const uint32_t step_y = fine.size.height > 1 ? 2 : 1;
      const uint32_t fine_width = is_right ? fine.size.width - step_x * stored.x : 2 * stored.width;
      for (uint32_t slice = 0; slice < options_.slices; ++slice) {
        reduce_rows(
            workers_, options_.source, fine_width, stored.width, stored.height,
            [&](uint32_t i) {
              const uint32_t y = stored.y + i;
              const uint32_t lower = std::min(step_y * y + 1, fine.size.height - 1);
              const size_t from = step_x * stored.x * bytes;
              return RowsOfTexel{fine.row(step_y * y, slice) + from, fine.row(lower, slice) + from,
                                 coarse.row(y, slice) + stored.x * bytes};
            },
            job.watch, std::ldexp(0.75, -2 * static_cast<int>(n - 1)) / options_.slices);
      }
    }
  }

 private:
  PyramidOptions options_;
  PyramidPlan plan_;
  Workers& workers_;
};

class ModeStream : public StreamLevels {
 public:
  ModeStream(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers, const LevelSink& sink,
             const StreamPart& part)
      : options_(options),
        plan_(plan),
        workers_(workers),
        sink_(sink),
        part_(part),
        bytes_(texel_info(options.source).bytes_per_texel),
        levels_(plan.levels) {
    for (uint32_t n = part.first_level; n <= part.last_level; ++n) {
      levels_[n].end = part.first_row >> (n - part.first_level);
      if (n == part.last_level) break;  // its rows make no others
      levels_[n].waiting.resize(size_t{plan.sizes[n].width} * bytes_);
      levels_[n + 1].rows.resize(size_t{plan.sizes[n + 1].width} * bytes_ * (kStreamBatch / 2 + 1));
    }
  }

  Result<void> take(const std::byte* rows, size_t row_stride, uint32_t count) override {
    return add(part_.first_level, rows, row_stride, count);
  }

  void keep() override {}  // add() copies the row that waits

 private:
  struct Level {
    uint32_t end = 0;                ///< The rows below it have come, or belong to the parts before this one.
    std::vector<std::byte> waiting;  ///< The last row, if its pair has not come.
    std::vector<std::byte> rows;     ///< The rows of a batch.
  };

  /// Reduces `count` further rows of level n.
  Result<void> add(uint32_t n, const std::byte* rows, size_t row_stride, uint32_t count) {
    if (n == part_.last_level) return keep_rows(n, rows, row_stride, count);
    Level& fine = levels_[n];
    const Extent size = plan_.sizes[n];
    const Extent coarse_size = plan_.sizes[n + 1];
    const bool is_waiting = fine.end % 2 == 1;
    const uint32_t first = fine.end - (is_waiting ? 1 : 0);
    fine.end += count;
    const bool is_complete = fine.end == size.height;
    const uint32_t begin = first / 2;
    uint32_t end = is_complete ? coarse_size.height : fine.end / 2;
    end = std::max(begin, std::min(end, coarse_size.height));
    const auto row = [&](uint32_t y) {
      if (is_waiting && y == first) return static_cast<const std::byte*>(fine.waiting.data());
      return rows + (y - first - (is_waiting ? 1 : 0)) * row_stride;
    };
    Level& coarse = levels_[n + 1];
    const size_t coarse_bytes = coarse_size.width * bytes_;
    if (end > begin) {
      reduce_rows(workers_, options_.source, size.width, coarse_size.width, end - begin, [&](uint32_t i) {
        const uint32_t y = 2 * (begin + i);
        return RowsOfTexel{row(y), row(std::min(y + 1, size.height - 1)), coarse.rows.data() + i * coarse_bytes};
      });
    }
    if (!is_complete && fine.end % 2 == 1) std::copy_n(row(fine.end - 1), size.width * bytes_, fine.waiting.data());
    if (end == begin) return {};
    const LevelRows out = {n + 1, begin, end - begin, coarse_size.width, coarse.rows.data(), coarse_bytes};
    if (auto taken = sink_(out); !taken) return taken;
    return add(n + 1, coarse.rows.data(), coarse_bytes, end - begin);
  }

  /// Gives `count` further rows of the part's last level to `kept`, unless no level follows.
  Result<void> keep_rows(uint32_t n, const std::byte* rows, size_t row_stride, uint32_t count) {
    if (!part_.kept || n + 1 == plan_.levels) return {};
    LevelRows out = {.level = n, .count = 1, .width = plan_.sizes[n].width};
    out.row_stride = out.width * bytes_;
    for (; count > 0; --count, rows += row_stride) {
      out.first = levels_[n].end++;
      out.data = rows;
      if (auto taken = part_.kept(out); !taken) return taken;
    }
    return {};
  }

  PyramidOptions options_;
  PyramidPlan plan_;
  Workers& workers_;
  const LevelSink& sink_;
  const StreamPart& part_;
  size_t bytes_;
  std::vector<Level> levels_;
};

}  // namespace

void reduce_labels(Format format, const std::byte* upper, const std::byte* lower, uint32_t fine, uint32_t coarse,
                   std::byte* out) {
  if (format == Format::kR8Uint) return reduce_row<uint8_t>(upper, lower, fine, coarse, out);
  if (format == Format::kR16Uint) return reduce_row<uint16_t>(upper, lower, fine, coarse, out);
  reduce_row<uint32_t>(upper, lower, fine, coarse, out);
}

std::unique_ptr<Chain> make_mode_chain(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers) {
  return std::make_unique<ModeChain>(options, plan, workers);
}

std::unique_ptr<StreamLevels> make_mode_stream(const PyramidOptions& options, const PyramidPlan& plan, Workers& workers,
                                               const LevelSink& sink, const StreamPart& part) {
  return std::make_unique<ModeStream>(options, plan, workers, sink, part);
}

}  // namespace onepass::cpu
