// cpu.cpp: cpu::VolumeStream and cpu::build_volume(): check arguments, count planes and report progress; VolumeLevels
// (levels.hpp) computes.
#include <chrono>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "cpu/views.hpp"
#include "image/error.hpp"
#include "volume/levels.hpp"

namespace onepass::cpu {
namespace {

constexpr std::chrono::milliseconds kReportInterval{100};

/// Bytes of a row of a level of this width.
size_t row_bytes_of(const VolumeOptions& options, uint32_t width) {
  return size_t{width} * options.channels * voxel_info(options.type).bytes;
}

/// Checks that rows of `row_bytes` and planes do not overlap and that memory can hold them.
Result<void> check_volume_strides(const std::string& what, size_t row_bytes, VolumeSize size, size_t row_stride,
                                  size_t plane_stride) {
  const std::string prefix = what.empty() ? what : what + ": ";
  const auto text = [](size_t number) { return std::to_string(number); };
  if (row_stride < row_bytes) {
    return invalid(prefix + "row_stride: " + text(row_stride) + ", a row has " + text(row_bytes) + " bytes");
  }
  constexpr size_t kMost = PTRDIFF_MAX;
  if (row_stride > (kMost - row_bytes) / std::max(1U, size.height - 1)) {
    return invalid(prefix + "row_stride: " + text(row_stride) + ", more than memory has for " + text(size.height) +
                   " rows");
  }
  const size_t plane_bytes = (size.height - 1) * row_stride + row_bytes;
  if (size.planes > 1 && plane_stride < plane_bytes) {
    return invalid(prefix + "plane_stride: " + text(plane_stride) + ", a plane has " + text(plane_bytes) + " bytes");
  }
  if (size.planes > 1 && plane_stride > (kMost - plane_bytes) / (size.planes - 1)) {
    return invalid(prefix + "plane_stride: " + text(plane_stride) + ", more than memory has for " + text(size.planes) +
                   " planes");
  }
  return {};
}

}  // namespace

struct ONEPASS_INTERNAL VolumeStream::Impl {
  VolumeOptions options;
  VolumePart part;
  VolumePlan plan;
  VolumeSize size;  ///< Of the level whose planes come.
  size_t row_bytes;
  VolumeSink sink;
  Progress progress;
  Workers workers;
  volume::VolumeLevels levels;
  uint32_t planes = 0;
  std::optional<Error> failed;
  std::chrono::steady_clock::time_point reported = std::chrono::steady_clock::now();

  Impl(const VolumeOptions& wanted, const VolumePart& of, VolumePlan planned, VolumeSink to, const VolumeTuning& tuning)
      : options(wanted),
        part(of),
        plan(std::move(planned)),
        size(plan.sizes[part.first_level]),
        row_bytes(size_t{size.width} * options.channels * plan.unrounded_bytes[part.first_level]),
        sink(std::move(to)),
        progress(tuning.progress),
        workers(tuning.threads),
        levels(options, part, plan, workers, sink) {}

  [[nodiscard]] Result<void> check(const void* first, size_t row_stride, size_t plane_stride, uint32_t count) const {
    if (first == nullptr) return invalid("planes: null");
    if (count > size.planes - planes) {
      return invalid("count: " + std::to_string(count) + " planes after " + std::to_string(planes) + " of " +
                     std::to_string(size.planes));
    }
    return check_volume_strides("", row_bytes, {size.width, size.height, count}, row_stride, plane_stride);
  }

  Result<void> take(const std::byte* first, size_t row_stride, size_t plane_stride, uint32_t count) {
    for (uint32_t z = 0; z < count;) {
      // To the end of a pair, then pairs: reports and cancellation come between them.
      const uint32_t batch = std::min(count - z, 2 - planes % 2);
      planes += batch;
      if (auto taken = levels.take(first + z * plane_stride, row_stride, plane_stride, batch); !taken) return taken;
      if (!report()) return Error{ErrorCode::kCancelled, "cancelled after " + std::to_string(planes) + " planes", ""};
      z += batch;
    }
    return {};
  }

  /// False if the caller cancels.
  bool report() {
    if (!progress) return true;
    const uint32_t all = size.planes;
    const auto now = std::chrono::steady_clock::now();
    if (planes < all && now - reported < kReportInterval) return true;
    reported = now;
    return progress(static_cast<double>(planes) / all) || planes == all;
  }
};

Result<VolumeStream> VolumeStream::create(const VolumeOptions& options, VolumeSink sink, const VolumeTuning& tuning) {
  return create_part(options, {}, std::move(sink), tuning);
}

Result<VolumeStream> VolumeStream::create_part(const VolumeOptions& options, const VolumePart& part, VolumeSink sink,
                                               const VolumeTuning& tuning) {
  auto plan = plan_volume(options, part);
  if (!plan) return plan.error();
  if (!sink) return invalid("sink: empty");
  const auto no_memory = [&] {
    return Error{ErrorCode::kOutOfMemory,
                 "no memory for planes of " + size_text({options.size.width, options.size.height}), ""};
  };
  try {
    return VolumeStream(std::make_unique<Impl>(options, part, std::move(*plan), std::move(sink), tuning));
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {  // a size above vector::max_size()
    return no_memory();
  }
}

Result<void> VolumeStream::push(const void* planes, size_t row_stride, size_t plane_stride, uint32_t count) {
  if (impl_->failed) return *impl_->failed;
  if (count == 0) return {};
  if (auto checked = impl_->check(planes, row_stride, plane_stride, count); !checked) return checked;
  try {
    impl_->failed = Error{ErrorCode::kOutOfMemory, "no memory to reduce the planes", ""};
    auto taken = impl_->take(static_cast<const std::byte*>(planes), row_stride, plane_stride, count);
    impl_->failed = taken ? std::nullopt : std::optional(taken.error());
    return taken;
  } catch (const std::bad_alloc&) {
    return *impl_->failed;
  }
}

uint32_t VolumeStream::planes_pushed() const { return impl_->planes; }

size_t VolumeStream::row_bytes() const { return impl_->row_bytes; }

const VolumePlan& VolumeStream::plan() const { return impl_->plan; }

VolumeStream::VolumeStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VolumeStream::VolumeStream(VolumeStream&&) noexcept = default;
VolumeStream& VolumeStream::operator=(VolumeStream&&) noexcept = default;
VolumeStream::~VolumeStream() = default;

Result<void> build_volume(const VolumeOptions& options, const VolumeView& source,
                          std::span<const MutableVolumeView> levels, const VolumeTuning& tuning) {
  auto plan = plan_volume(options);
  if (!plan) return plan.error();
  if (levels.size() != options.steps.size()) {
    return invalid("levels: " + std::to_string(levels.size()) + " instead of " + std::to_string(options.steps.size()));
  }
  const auto check = [&](const std::string& what, const void* data, size_t n, size_t row,
                         size_t plane) -> Result<void> {
    if (data == nullptr) return invalid(what + ": data is null");
    return check_volume_strides(what, row_bytes_of(options, plan->sizes[n].width), plan->sizes[n], row, plane);
  };
  auto checked = check("source", source.data, 0, source.row_stride, source.plane_stride);
  for (size_t n = 1; n <= levels.size() && checked; ++n) {
    const MutableVolumeView& view = levels[n - 1];
    checked = check("level " + std::to_string(n), view.data, n, view.row_stride, view.plane_stride);
  }
  if (!checked) return checked;
  const auto sink = [&](const VolumePlane& plane) -> Result<void> {
    const MutableVolumeView& view = levels[plane.level - 1];
    auto* to = static_cast<std::byte*>(view.data) + plane.z * view.plane_stride;
    const auto* from = static_cast<const std::byte*>(plane.data);
    const size_t bytes = row_bytes_of(options, plane.width);
    for (uint32_t y = 0; y < plane.height; ++y) {
      std::memcpy(to + y * view.row_stride, from + y * plane.row_stride, bytes);
    }
    return {};
  };
  auto stream = VolumeStream::create(options, sink, tuning);
  if (!stream) return stream.error();
  return stream->push(source.data, source.row_stride, source.plane_stride, options.size.planes);
}

}  // namespace onepass::cpu
