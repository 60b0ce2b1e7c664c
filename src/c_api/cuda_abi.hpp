// cuda_abi.hpp: shared parts of the CUDA half of the C interface: handles, images, recording.
#pragma once

#include <string>

#include "c_api/bindings.hpp"
#include "c_api/options.hpp"
#include "onepass/cuda/device.hpp"
#include "onepass/cuda/image.hpp"
#include "onepass/onepass_cuda.h"

struct onepass_cuda_device {
  onepass::cuda::Device object;
};

namespace onepass::c_api {

inline cuda::DeviceImage to_cpp(const onepass_cuda_image& image) {
  return {image.data, image.row_stride, image.slice_stride, image.channel_stride};
}

template <typename Enum>
Result<Enum> read_enum(const char* field, uint32_t value, Enum last) {
  if (value > number(last)) return invalid(std::string(field) + ": " + std::to_string(value) + " is unknown");
  return static_cast<Enum>(value);
}

inline Result<cuda::Channels> read_channels(const char* field, onepass_cuda_channels value) {
  return read_enum(field, value, cuda::Channels::kPlanar);
}

/// Null means interleaved channels.
inline Result<cuda::ImageMemory> read_memory(const onepass_cuda_image_memory* memory) {
  if (memory == nullptr) return cuda::ImageMemory{};
  auto m = read_struct("memory", memory, onepass_cuda_image_memory{});
  if (!m) return m.error();
  auto source = read_channels("memory.source_channels", m->source_channels);
  if (!source) return source.error();
  auto target = read_channels("memory.target_channels", m->target_channels);
  if (!target) return target.error();
  return cuda::ImageMemory{.source = *source, .target = *target};
}

/// Creates a technique from options and what `read` makes of `memory`.
template <typename Object, typename Options, typename Memory, typename Read, typename Handle>
onepass_code create_in_cuda(const onepass_cuda_device* device, const Options* options, const Memory* memory,
                            const Read& read, Handle** handle, onepass_error* error) noexcept {
  return make_handle(handle, error, [&]() -> Result<Object> {
    if (auto there = require(device, "device"); !there) return there.error();
    auto o = read_options(options);
    if (!o) return o.error();
    auto m = read(memory);
    if (!m) return m.error();
    return Object::create(device->object, *o, *m);
  });
}

/// Runs `record` if the binding is one of this technique, which `name` names.
template <typename Technique, typename Handle, typename Record>
onepass_code record_in_cuda(const Technique* technique, const char* name, const Handle* binding, onepass_error* error,
                            const Record& record) noexcept {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(technique, name); !there) return there;
    if (auto there = require(binding, "binding"); !there) return there;
    if (binding->owner != identity(*technique)) return invalid(std::string("binding: belongs to another ") + name);
    return record();
  });
}

}  // namespace onepass::c_api
