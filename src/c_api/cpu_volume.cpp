// cpu_volume.cpp: C functions for pyramids of volumes.
#include <algorithm>
#include <vector>

#include "c_api/options.hpp"
#include "onepass/volume_stream.hpp"

using namespace onepass;
using namespace onepass::c_api;

namespace {

static_assert(sizeof(void*) != 8 || sizeof(onepass_volume_options) == 48);
static_assert(sizeof(void*) != 8 || sizeof(onepass_volume_plane) == 40);
static_assert(sizeof(onepass_volume_plan) == sizeof(size_t) + 32 + 8 + 32 * 12);
static_assert(ONEPASS_VOXEL_TYPE_UINT8 == static_cast<uint32_t>(VoxelType::kUint8));
static_assert(ONEPASS_VOXEL_TYPE_INT8 == static_cast<uint32_t>(VoxelType::kInt8));
static_assert(ONEPASS_VOXEL_TYPE_UINT16 == static_cast<uint32_t>(VoxelType::kUint16));
static_assert(ONEPASS_VOXEL_TYPE_INT16 == static_cast<uint32_t>(VoxelType::kInt16));
static_assert(ONEPASS_VOXEL_TYPE_UINT32 == static_cast<uint32_t>(VoxelType::kUint32));
static_assert(ONEPASS_VOXEL_TYPE_INT32 == static_cast<uint32_t>(VoxelType::kInt32));
static_assert(ONEPASS_VOXEL_TYPE_UINT64 == static_cast<uint32_t>(VoxelType::kUint64));
static_assert(ONEPASS_VOXEL_TYPE_FLOAT16 == static_cast<uint32_t>(VoxelType::kFloat16));
static_assert(ONEPASS_VOXEL_TYPE_FLOAT32 == static_cast<uint32_t>(VoxelType::kFloat32));

constexpr size_t kMostSteps = 31;

onepass_volume_options volume_defaults() {
  onepass_volume_options options{};
  options.channels = VolumeOptions{}.channels;
  return options;
}

Result<VolumeOptions> read_options(const onepass_volume_options* options) {
  auto o = read_struct("options", options, volume_defaults());
  if (!o) return o.error();
  if (o->steps == nullptr && o->step_count > 0) return invalid("steps: null");
  if (o->step_count > kMostSteps) {
    return invalid("step_count: " + std::to_string(o->step_count) + ", at most 31 are possible");
  }
  VolumeOptions to = {.size = {o->size.width, o->size.height, o->size.planes},
                      .type = static_cast<VoxelType>(o->type),
                      .channels = o->channels,
                      .reduction = static_cast<Reduction>(o->reduction)};
  for (size_t n = 0; n < o->step_count; ++n) to.steps.push_back({o->steps[n].x, o->steps[n].y, o->steps[n].z});
  return to;
}

Result<cpu::VolumeTuning> read_tuning(const onepass_cpu_tuning* tuning) {
  auto threads = threads_of(tuning);
  if (!threads) return threads.error();
  auto progress = progress_of(tuning);
  if (!progress) return progress.error();
  return cpu::VolumeTuning{.threads = *threads, .progress = *progress};
}

}  // namespace

struct onepass_cpu_volume_stream {
  cpu::VolumeStream object;
};

extern "C" {

void onepass_volume_options_init(onepass_volume_options* options, size_t struct_size) {
  write_struct(options, struct_size, volume_defaults());
}

uint32_t onepass_isotropic_steps(onepass_volume_size size, double x, double y, double z, uint32_t largest,
                                 onepass_volume_step* steps) {
  if (steps == nullptr) return 0;
  try {
    const auto made = isotropic_steps({size.width, size.height, size.planes}, {x, y, z}, largest);
    for (size_t n = 0; n < made.size(); ++n) steps[n] = {made[n].x, made[n].y, made[n].z};
    return static_cast<uint32_t>(made.size());
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

onepass_code onepass_plan_volume(const onepass_volume_options* options, onepass_volume_plan* plan,
                                 onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    auto o = read_options(options);
    if (!o) return o.error();
    auto made = plan_volume(*o);
    if (!made) return made.error();
    onepass_volume_plan out{};
    out.bytes_read = made->bytes_read;
    out.bytes_written = made->bytes_written;
    out.stream_bytes = made->stream_bytes;
    out.thread_bytes = made->thread_bytes;
    out.levels = static_cast<uint32_t>(made->sizes.size());
    for (size_t n = 0; n < made->sizes.size(); ++n) {
      out.sizes[n] = {made->sizes[n].width, made->sizes[n].height, made->sizes[n].planes};
    }
    write_result(plan, out);
    return {};
  });
}

onepass_code onepass_cpu_volume_stream_create(const onepass_volume_options* options, const onepass_cpu_tuning* tuning,
                                              onepass_volume_sink sink, void* user, onepass_cpu_volume_stream** stream,
                                              onepass_error* error) {
  return make_handle(stream, error, [&]() -> Result<cpu::VolumeStream> {
    auto o = read_options(options);
    if (!o) return o.error();
    auto how = read_tuning(tuning);
    if (!how) return how.error();
    if (sink == nullptr) return invalid("sink: null");
    const auto call = [sink, user](const cpu::VolumePlane& plane) -> Result<void> {
      const onepass_volume_plane out = {sizeof out,   plane.level, plane.z,         plane.width,
                                        plane.height, plane.data,  plane.row_stride};
      const onepass_code code = sink(user, &out);
      if (code != ONEPASS_OK) return error_of_sink(code);
      return {};
    };
    return cpu::VolumeStream::create(*o, call, *how);
  });
}

void onepass_cpu_volume_stream_destroy(onepass_cpu_volume_stream* stream) { delete stream; }

onepass_code onepass_cpu_volume_stream_push(onepass_cpu_volume_stream* stream, const void* planes, size_t row_stride,
                                            size_t plane_stride, uint32_t count, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(stream, "stream"); !there) return there;
    return stream->object.push(planes, row_stride, plane_stride, count);
  });
}

onepass_code onepass_cpu_build_volume(const onepass_volume_options* options, const onepass_cpu_tuning* tuning,
                                      const onepass_volume_view* source, const onepass_mutable_volume_view* levels,
                                      size_t level_count, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    auto o = read_options(options);
    if (!o) return o.error();
    auto how = read_tuning(tuning);
    if (!how) return how.error();
    if (auto there = require(source, "source"); !there) return there;
    if (auto there = require(levels, "levels"); !there) return there;
    if (level_count > kMostSteps) {
      return invalid("level_count: " + std::to_string(level_count) + ", more than any volume has");
    }
    std::vector<cpu::MutableVolumeView> to;
    for (size_t n = 0; n < level_count; ++n) {
      to.push_back({levels[n].data, levels[n].row_stride, levels[n].plane_stride});
    }
    return cpu::build_volume(*o, {source->data, source->row_stride, source->plane_stride}, to, *how);
  });
}

}  // extern "C"
