// cuda_pyramid.cpp: C functions for pyramids in CUDA memory.
#include <algorithm>
#include <cstddef>
#include <string>

#include "c_api/cuda_abi.hpp"
#include "onepass/cuda/pyramid.hpp"

namespace onepass::c_api {

/// A pyramid, and how its images are stored, which onepass_cuda_pyramid_pack_levels() needs.
struct CudaPyramid {
  cuda::Pyramid pyramid;
  cuda::ImageMemory memory;

  [[nodiscard]] const PyramidPlan& plan() const { return pyramid.plan(); }
};

}  // namespace onepass::c_api

struct onepass_cuda_pyramid {
  onepass::c_api::CudaPyramid object;
};

/// `owner`: the plan of the pyramid that made it, which lives as long as the binding.
struct onepass_cuda_pyramid_binding {
  onepass::cuda::PyramidBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_cuda_image) == 32);

struct Settings {
  cuda::ImageMemory memory;
  cuda::PyramidTuning tuning;
};

Result<Settings> read_settings(const onepass_cuda_pyramid_memory* memory) {
  if (memory == nullptr) return Settings{};
  auto m = read_struct("memory", memory, onepass_cuda_pyramid_memory{});
  if (!m) return m.error();
  if (auto zero = require_zero(m->reserved, "memory.reserved"); !zero) return zero.error();
  auto source = read_channels("memory.source_channels", m->source_channels);
  if (!source) return source.error();
  auto target = read_channels("memory.target_channels", m->target_channels);
  if (!target) return target.error();
  auto launches = read_enum("memory.launches", m->launches, cuda::Launches::kOne);
  if (!launches) return launches.error();
  return Settings{.memory = {.source = *source, .target = *target}, .tuning = {.launches = *launches}};
}

}  // namespace

extern "C" {

void onepass_cuda_pyramid_memory_init(onepass_cuda_pyramid_memory* memory, size_t struct_size) {
  write_struct(memory, struct_size, onepass_cuda_pyramid_memory{});
}

onepass_code onepass_cuda_pyramid_create(const onepass_cuda_device* device, const onepass_pyramid_options* options,
                                         const onepass_cuda_pyramid_memory* memory, onepass_cuda_pyramid** pyramid,
                                         onepass_error* error) {
  return make_handle(pyramid, error, [&]() -> Result<CudaPyramid> {
    if (auto there = require(device, "device"); !there) return there.error();
    auto o = read_options(options);
    if (!o) return o.error();
    auto settings = read_settings(memory);
    if (!settings) return settings.error();
    auto made = cuda::Pyramid::create(device->object, *o, settings->memory, settings->tuning);
    if (!made) return made.error();
    return CudaPyramid{std::move(*made), settings->memory};
  });
}

void onepass_cuda_pyramid_destroy(onepass_cuda_pyramid* pyramid) { delete pyramid; }

onepass_code onepass_cuda_pyramid_get_plan(const onepass_cuda_pyramid* pyramid, onepass_cuda_pyramid_plan* plan,
                                           onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(pyramid, "pyramid"); !there) return there;
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    const PyramidDispatchPlan& p = pyramid->object.pyramid.dispatch_plan();
    write_result(plan, {.struct_size = 0,
                        .scratch_bytes = p.scratch_bytes,
                        .bytes_read = p.bytes_read,
                        .bytes_written = p.bytes_written,
                        .levels = p.plan.levels,
                        .launches = static_cast<uint32_t>(p.dispatches.size())});
    return {};
  });
}

onepass_code onepass_cuda_pyramid_pack_levels(const onepass_cuda_pyramid* pyramid, void* data,
                                              onepass_cuda_image* levels, size_t level_count, uint64_t* bytes,
                                              onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(pyramid, "pyramid"); !there) return there;
    if (auto there = require(bytes, "bytes"); !there) return there;
    const CudaPyramid& made = pyramid->object;
    auto packed = cuda::pack_levels(made.pyramid.options(), made.memory);
    if (!packed) return packed.error();
    *bytes = packed->bytes;
    const auto images = packed->images(data);
    if (level_count != images.size()) {
      return invalid("level_count: " + std::to_string(level_count) + ", but the pyramid makes " +
                     std::to_string(images.size()) + " levels");
    }
    if (level_count > 0) {
      if (auto there = require(levels, "levels"); !there) return there;
    }
    std::transform(images.begin(), images.end(), levels, [](const cuda::DeviceImage& image) {
      return onepass_cuda_image{image.data, image.row_stride, image.slice_stride, image.channel_stride};
    });
    return {};
  });
}

onepass_code onepass_cuda_pyramid_bind(const onepass_cuda_pyramid* pyramid, const onepass_cuda_image* source,
                                       const onepass_cuda_image* levels, size_t level_count, void* scratch,
                                       onepass_cuda_pyramid_binding** binding, onepass_error* error) {
  return make_binding(binding, error, pyramid, "pyramid", [&]() -> Result<cuda::PyramidBinding> {
    if (auto there = require(source, "source"); !there) return there.error();
    if (level_count > 0) {
      if (auto there = require(levels, "levels"); !there) return there.error();
    }
    cuda::PyramidImages images{.source = to_cpp(*source), .levels = {}, .scratch = scratch};
    std::transform(levels, levels + level_count, std::back_inserter(images.levels),
                   [](const onepass_cuda_image& image) { return to_cpp(image); });
    return pyramid->object.pyramid.bind(images);
  });
}

void onepass_cuda_pyramid_binding_destroy(onepass_cuda_pyramid_binding* binding) { delete binding; }

onepass_code onepass_cuda_pyramid_record_reset(const onepass_cuda_pyramid* pyramid, void* stream,
                                               const onepass_cuda_pyramid_binding* binding, onepass_error* error) {
  return record_in_cuda(pyramid, "pyramid", binding, error, [&] {
    return pyramid->object.pyramid.record_reset(static_cast<cuda::Stream>(stream), binding->object);
  });
}

onepass_code onepass_cuda_pyramid_record(const onepass_cuda_pyramid* pyramid, void* stream,
                                         const onepass_cuda_pyramid_binding* binding, onepass_error* error) {
  return record_in_cuda(pyramid, "pyramid", binding, error, [&] {
    return pyramid->object.pyramid.record(static_cast<cuda::Stream>(stream), binding->object);
  });
}

}  // extern "C"
