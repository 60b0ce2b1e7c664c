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
  Progress progress;
  Workers workers;
  std::unique_ptr<StreamLevels> levels;  ///< Null if there is no level to make.
  uint32_t rows = 0;
  std::optional<Error> failed;
  std::chrono::steady_clock::time_point reported = std::chrono::steady_clock::now();

  Impl(const PyramidOptions& wanted, const PyramidPlan& planned, LevelSink to, const PyramidStreamTuning& tuning)
      : options(wanted), plan(planned), sink(std::move(to)), progress(tuning.progress), workers(tuning.threads) {
    if (plan.levels == 1) return;
    levels = options.reduction == Reduction::kMode ? make_mode_stream(options, plan, workers, sink)
                                                   : make_stream_levels(options, plan, workers, sink);
  }

  [[nodiscard]] Result<void> check(const void* first, size_t row_stride, uint32_t count) const {
    if (first == nullptr) return invalid("rows: null");
    if (count > options.size.height - rows) {
      return invalid("count: " + std::to_string(count) + " rows after " + std::to_string(rows) + " of " +
                     std::to_string(options.size.height));
    }
    const size_t row_bytes = size_t{options.size.width} * texel_info(options.source).bytes_per_texel;
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
    if (rows < options.size.height && now - reported < kReportInterval) return true;
    reported = now;
    return progress(static_cast<double>(rows) / options.size.height) || rows == options.size.height;
  }
};

Result<PyramidStream> PyramidStream::create(const PyramidOptions& options, LevelSink sink,
                                            const PyramidStreamTuning& tuning) {
  auto plan = plan_pyramid_stream(options);
  if (!plan) return plan.error();
  if (!sink) return invalid("sink: empty");
  const auto no_memory = [&] {
    return Error{ErrorCode::kOutOfMemory,
                 "no memory for the rows of a stream of width " + std::to_string(options.size.width), ""};
  };
  try {
    return PyramidStream(std::make_unique<Impl>(options, *plan, std::move(sink), tuning));
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

const PyramidPlan& PyramidStream::plan() const { return impl_->plan; }

PyramidStream::PyramidStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PyramidStream::PyramidStream(PyramidStream&&) noexcept = default;
PyramidStream& PyramidStream::operator=(PyramidStream&&) noexcept = default;
PyramidStream::~PyramidStream() = default;

}  // namespace onepass::cpu
