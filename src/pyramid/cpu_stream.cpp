// cpu_stream.cpp: cpu::PyramidStream: validates arguments, counts rows and reports progress; StreamLevels
// (cpu_stream.hpp) computes.
#include "pyramid/cpu_stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "image/error.hpp"

namespace onepass::cpu {
namespace {

constexpr std::chrono::milliseconds kReportInterval{100};

}  // namespace

struct ONEPASS_INTERNAL PyramidStream::Impl {
  PyramidOptions options;
  PyramidPlan plan;
  LevelSink sink;
  StreamPart part;
  Progress progress;
  Workers workers;
  std::unique_ptr<StreamLevels> levels;  ///< Null if there is no level to make.
  uint32_t rows = 0;
  size_t row_bytes = 0;
  std::optional<Error> failed;
  std::chrono::steady_clock::time_point reported = std::chrono::steady_clock::now();

  Impl(const PyramidOptions& wanted, const PyramidPlan& planned, LevelSink to, StreamPart of,
       const PyramidStreamTuning& tuning)
      : options(wanted),
        plan(planned),
        sink(std::move(to)),
        part(std::move(of)),
        progress(tuning.progress),
        workers(tuning.threads) {
    const uint32_t width = plan.sizes[part.first_level].width;
    row_bytes = part.first_level > 0 ? unrounded_row_bytes(options, width)
                                     : size_t{width} * texel_info(options.source).bytes_per_texel;
    if (plan.levels == 1) return;
    levels = options.reduction == Reduction::kMode ? make_mode_stream(options, plan, workers, sink, part)
                                                   : make_stream_levels(options, plan, workers, sink, part);
  }

  [[nodiscard]] Result<void> check(const void* first, size_t row_stride, uint32_t count) const {
    if (first == nullptr) return invalid("rows: null");
    if (count > part.rows - rows) {
      return invalid("count: " + std::to_string(count) + " rows after " + std::to_string(rows) + " of " +
                     std::to_string(part.rows));
    }
    if (row_stride < row_bytes) {
      return invalid("row_stride: " + std::to_string(row_stride) + ", a row has " + std::to_string(row_bytes) +
                     " bytes");
    }
    if (row_stride > (size_t{PTRDIFF_MAX} - row_bytes) / std::max(1U, count - 1)) {
      return invalid("row_stride: " + std::to_string(row_stride) + ", more than memory has for " +
                     std::to_string(count) + " rows");
    }
    return {};
  }

  Result<void> take(const std::byte* first, size_t row_stride, uint32_t count) {
    for (uint32_t y = 0; y < count; y += kStreamBatch) {
      const uint32_t batch = std::min(kStreamBatch, count - y);
      rows += batch;
      if (levels != nullptr) {
        if (auto taken = levels->take(first + y * row_stride, row_stride, batch); !taken) return taken;
      }
      if (!report()) return Error{ErrorCode::kCancelled, "cancelled after " + std::to_string(rows) + " rows", ""};
    }
    if (levels != nullptr) levels->keep();
    return {};
  }

  /// False if the caller cancels.
  bool report() {
    if (!progress) return true;
    const auto now = std::chrono::steady_clock::now();
    if (rows < part.rows && now - reported < kReportInterval) return true;
    reported = now;
    return progress(static_cast<double>(rows) / part.rows) || rows == part.rows;
  }
};

namespace {

// Resolves the zeros of a part.
Result<StreamPart> resolve_part(const PyramidOptions& options, const PyramidPlan& plan, StreamPart part) {
  const uint32_t last = plan.levels - 1;
  const bool whole = part.first_level == 0 && part.last_level == 0 && part.first_row == 0 && part.rows == 0;
  if (!whole && options.footprint != Footprint::kCeil) return invalid("part: only the footprint ceil has parts");
  if (part.last_level == 0) part.last_level = last;
  const auto text = [](uint32_t number) { return std::to_string(number); };
  if (part.last_level != last && (part.last_level > last || part.last_level % kStreamStageLevels != 0)) {
    return invalid("last_level: " + text(part.last_level) + " is neither a multiple of 3 nor the last level, " +
                   text(last));
  }
  if (part.first_level % kStreamStageLevels != 0 || (part.first_level > 0 && part.first_level >= part.last_level)) {
    return invalid("first_level: " + text(part.first_level) + " is not a multiple of 3 below " + text(part.last_level));
  }
  const uint32_t height = plan.sizes[part.first_level].height;
  const uint64_t step = uint64_t{1} << (part.last_level - part.first_level);
  if (part.first_row >= height || part.first_row % step != 0) {
    return invalid("first_row: " + text(part.first_row) + " is not a multiple of " + std::to_string(step) + " below " +
                   text(height));
  }
  const uint32_t left = height - part.first_row;
  if (part.rows == 0) part.rows = left;
  if (part.rows > left || (part.rows < left && part.rows % step != 0)) {
    return invalid("rows: " + text(part.rows) + " is neither a multiple of " + std::to_string(step) + " nor all " +
                   text(left));
  }
  return part;
}

}  // namespace

Result<PyramidStream> PyramidStream::create(const PyramidOptions& options, LevelSink sink,
                                            const PyramidStreamTuning& tuning) {
  return create(options, std::move(sink), StreamPart{}, tuning);
}

Result<PyramidStream> PyramidStream::create(const PyramidOptions& options, LevelSink sink, const StreamPart& part,
                                            const PyramidStreamTuning& tuning) {
  auto plan = plan_pyramid_stream(options);
  if (!plan) return plan.error();
  auto resolved = resolve_part(options, *plan, part);
  if (!resolved) return resolved.error();
  if (!sink) return invalid("sink: empty");
  const auto no_memory = [&] {
    return Error{ErrorCode::kOutOfMemory,
                 "no memory for the rows of a stream of width " + std::to_string(options.size.width), ""};
  };
  try {
    return PyramidStream(std::make_unique<Impl>(options, *plan, std::move(sink), std::move(*resolved), tuning));
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {  // a size above vector::max_size()
    return no_memory();
  }
}

Result<void> PyramidStream::push(const void* rows, size_t row_stride, uint32_t count) {
  if (impl_->failed) return *impl_->failed;
  if (count == 0) return {};
  if (auto checked = impl_->check(rows, row_stride, count); !checked) return checked;
  try {
    impl_->failed = Error{ErrorCode::kOutOfMemory, "no memory to reduce the rows", ""};
    auto taken = impl_->take(static_cast<const std::byte*>(rows), row_stride, count);
    impl_->failed = taken ? std::nullopt : std::optional(taken.error());
    return taken;
  } catch (const std::bad_alloc&) {
    return *impl_->failed;
  }
}

uint32_t PyramidStream::rows_pushed() const { return impl_->rows; }

size_t PyramidStream::row_bytes() const { return impl_->row_bytes; }

const PyramidPlan& PyramidStream::plan() const { return impl_->plan; }

PyramidStream::PyramidStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PyramidStream::PyramidStream(PyramidStream&&) noexcept = default;
PyramidStream& PyramidStream::operator=(PyramidStream&&) noexcept = default;
PyramidStream::~PyramidStream() = default;

}  // namespace onepass::cpu
