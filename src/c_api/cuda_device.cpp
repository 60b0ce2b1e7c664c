// cuda_device.cpp: C functions for CUDA devices and their images.
#include <algorithm>
#include <string>

#include "c_api/cuda_abi.hpp"

using namespace onepass;
using namespace onepass::c_api;

namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_cuda_device_info) == 296);

onepass_cuda_device_info to_c(const cuda::DeviceInfo& info) {
  onepass_cuda_device_info out{.struct_size = 0,
                               .name = {},
                               .memory_bytes = info.memory_bytes,
                               .ordinal = info.ordinal,
                               .compute_major = info.compute_major,
                               .compute_minor = info.compute_minor,
                               .multiprocessors = info.multiprocessors,
                               .driver_version = info.driver_version,
                               .reserved = 0};
  std::copy_n(info.name.data(), std::min(info.name.size(), sizeof out.name - 1), out.name);
  return out;
}

}  // namespace

extern "C" {

onepass_code onepass_cuda_count_devices(uint32_t* count, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(count, "count"); !there) return there;
    *count = 0;
    auto devices = cuda::Device::list();
    if (!devices) return devices.error();
    *count = static_cast<uint32_t>(devices->size());
    return {};
  });
}

onepass_code onepass_cuda_describe_device(uint32_t ordinal, onepass_cuda_device_info* info, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto checked = check_result_struct("info", info); !checked) return checked;
    auto devices = cuda::Device::list();
    if (!devices) return devices.error();
    if (ordinal >= devices->size()) {
      return Error{ErrorCode::kNotFound,
                   "no CUDA device " + std::to_string(ordinal) + ": there are " + std::to_string(devices->size()),
                   {}};
    }
    write_result(info, to_c((*devices)[ordinal]));
    return {};
  });
}

onepass_code onepass_cuda_device_open(uint32_t ordinal, onepass_cuda_device** device, onepass_error* error) {
  return make_handle(device, error, [&] { return cuda::Device::create(ordinal); });
}

onepass_code onepass_cuda_device_adopt(onepass_cuda_device** device, onepass_error* error) {
  return make_handle(device, error, [] { return cuda::Device::adopt(); });
}

void onepass_cuda_device_destroy(onepass_cuda_device* device) { delete device; }

size_t onepass_cuda_device_trim(const onepass_cuda_device* device) {
  return device == nullptr ? 0 : device->object.trim();
}

void onepass_cuda_image_memory_init(onepass_cuda_image_memory* memory, size_t struct_size) {
  write_struct(memory, struct_size, onepass_cuda_image_memory{});
}

}  // extern "C"
