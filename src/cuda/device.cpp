// device.cpp: CUDA devices and their contexts.
#include "cuda/device_impl.hpp"
#include "image/error.hpp"

namespace onepass::cuda {
namespace {

constexpr uint32_t kLeastMajor = 7;  // of the PTX: --cuda-gpu-arch in cmake/CudaKernels.cmake
constexpr uint32_t kLeastMinor = 5;

std::string number_of(uint32_t ordinal) { return "CUDA device " + std::to_string(ordinal); }

Result<DeviceInfo> describe(const Driver& driver, int device, uint32_t ordinal) {
  DeviceInfo info;
  info.ordinal = ordinal;
  char name[256] = {};
  int major = 0;
  int minor = 0;
  int multiprocessors = 0;
  int version = 0;
  size_t memory = 0;
  const auto attribute = [&](int* value, Attribute which) { return driver.device_attribute(value, which, device); };
  int status = driver.device_name(name, sizeof(name), device);
  if (status == kSuccess) status = attribute(&major, kComputeMajor);
  if (status == kSuccess) status = attribute(&minor, kComputeMinor);
  if (status == kSuccess) status = attribute(&multiprocessors, kMultiprocessors);
  if (status == kSuccess) status = driver.device_memory(&memory, device);
  if (status == kSuccess) status = driver.driver_version(&version);
  if (status != kSuccess) return driver_error(driver, "cuDeviceGetAttribute", status, number_of(ordinal));
  info.name = name;
  info.compute_major = static_cast<uint32_t>(major);
  info.compute_minor = static_cast<uint32_t>(minor);
  info.multiprocessors = static_cast<uint32_t>(multiprocessors);
  info.memory_bytes = memory;
  info.driver_version = static_cast<uint32_t>(version);
  return info;
}

Result<int> count_devices(const Driver& driver) {
  int count = 0;
  const int status = driver.device_count(&count);
  if (status != kSuccess) return driver_error(driver, "cuDeviceGetCount", status, {});
  return count;
}

Result<void> check_capability(const DeviceInfo& info) {
  if (info.compute_major > kLeastMajor || (info.compute_major == kLeastMajor && info.compute_minor >= kLeastMinor)) {
    return {};
  }
  return unsupported("compute capability " + std::to_string(info.compute_major) + "." +
                         std::to_string(info.compute_minor) + " is below 7.5",
                     info.name);
}

// The ordinal of a device that the driver knows by its handle.
Result<uint32_t> ordinal_of(const Driver& driver, int device) {
  auto count = count_devices(driver);
  if (!count) return count.error();
  for (int i = 0; i < *count; ++i) {
    int candidate = 0;
    if (driver.device_get(&candidate, i) == kSuccess && candidate == device) return static_cast<uint32_t>(i);
  }
  return Error{ErrorCode::kNotFound, "the current context has no device", {}};
}

}  // namespace

Device::Impl::~Impl() {
  {
    const CurrentContext current(*this);
    shared.clear();  // nothing that uses a kernel is left
  }
  if (is_primary) driver.primary_release(device);
}

Result<void> Device::Impl::check(const char* call, int status) const {
  if (status == kSuccess) return {};
  return driver_error(driver, call, status, info.name);
}

Result<Device> Device::Impl::create(const Driver& driver, uint32_t ordinal) {
  auto count = count_devices(driver);
  if (!count) return count.error();
  if (ordinal >= static_cast<uint32_t>(*count)) {
    return Error{ErrorCode::kNotFound,
                 "ordinal: " + std::to_string(ordinal) + ", but there are " + std::to_string(*count) + " CUDA devices",
                 {}};
  }
  auto impl = std::make_shared<Impl>(driver);
  int status = driver.device_get(&impl->device, static_cast<int>(ordinal));
  if (status != kSuccess) return driver_error(driver, "cuDeviceGet", status, number_of(ordinal));
  auto info = describe(driver, impl->device, ordinal);
  if (!info) return info.error();
  if (auto checked = check_capability(*info); !checked) return checked.error();
  impl->info = std::move(*info);
  status = driver.primary_retain(&impl->context, impl->device);
  if (status != kSuccess) return driver_error(driver, "cuDevicePrimaryCtxRetain", status, impl->info.name);
  impl->is_primary = true;
  return Device(std::move(impl));
}

Result<Device> Device::Impl::adopt(const Driver& driver) {
  auto impl = std::make_shared<Impl>(driver);
  int status = driver.context_current(&impl->context);
  if (status != kSuccess) return driver_error(driver, "cuCtxGetCurrent", status, {});
  if (impl->context == nullptr) return invalid("the calling thread has no current CUDA context");
  status = driver.context_device(&impl->device);
  if (status != kSuccess) return driver_error(driver, "cuCtxGetDevice", status, {});
  auto ordinal = ordinal_of(driver, impl->device);
  if (!ordinal) return ordinal.error();
  auto info = describe(driver, impl->device, *ordinal);
  if (!info) return info.error();
  if (auto checked = check_capability(*info); !checked) return checked.error();
  impl->info = std::move(*info);
  return Device(std::move(impl));
}

Result<std::vector<DeviceInfo>> Device::Impl::list(const Driver& driver) {
  auto count = count_devices(driver);
  if (!count) return count.error();
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < *count; ++i) {
    int device = 0;
    const auto ordinal = static_cast<uint32_t>(i);
    const int status = driver.device_get(&device, i);
    if (status != kSuccess) return driver_error(driver, "cuDeviceGet", status, number_of(ordinal));
    auto info = describe(driver, device, ordinal);
    if (!info) return info.error();
    devices.push_back(std::move(*info));
  }
  return devices;
}

Result<Device> Device::create(uint32_t ordinal) {
  auto driver = load_driver();
  if (!driver) return driver.error();
  return Impl::create(**driver, ordinal);
}

Result<Device> Device::adopt() {
  auto driver = load_driver();
  if (!driver) return driver.error();
  return Impl::adopt(**driver);
}

Result<std::vector<DeviceInfo>> Device::list() {
  auto driver = load_driver();
  if (!driver) return driver.error();
  return Impl::list(**driver);
}

const DeviceInfo& Device::info() const { return impl_->info; }
::CUctx_st* Device::context() const { return impl_->context; }

size_t Device::trim() const {
  const CurrentContext current(*impl_);
  return impl_->shared.trim();
}

template <typename Fill>
Result<OwnMemory> OwnMemory::create(const Device& device, size_t bytes, const char* call, const Fill& fill) {
  const Device::Impl& d = device.impl();
  const CurrentContext current(d);
  if (auto checked = d.check("cuCtxPushCurrent", current.status()); !checked) return checked.error();
  DeviceAddress address = 0;
  if (auto checked = d.check("cuMemAlloc", d.driver.memory_allocate(&address, bytes)); !checked) return checked.error();
  OwnMemory memory(device, address);
  if (auto checked = d.check(call, fill(d.driver, address)); !checked) return checked.error();
  // The call is over on the host's side only; a stream that does not wait for the default stream could start first.
  if (auto checked = d.check("cuCtxSynchronize", d.driver.context_synchronize()); !checked) return checked.error();
  return memory;
}

Result<OwnMemory> OwnMemory::create_clear(const Device& device, size_t bytes) {
  return create(device, bytes, "cuMemsetD8",
                [&](const Driver& driver, DeviceAddress address) { return driver.memory_clear(address, 0, bytes); });
}

Result<OwnMemory> OwnMemory::create_copy(const Device& device, std::span<const std::byte> bytes) {
  return create(device, bytes.size(), "cuMemcpyHtoD", [&](const Driver& driver, DeviceAddress address) {
    return driver.copy_to_device(address, bytes.data(), bytes.size());
  });
}

OwnMemory::~OwnMemory() {
  if (address_ == 0) return;
  const Device::Impl& d = device_.impl();
  const CurrentContext current(d);
  d.driver.memory_free(address_);
}

}  // namespace onepass::cuda
