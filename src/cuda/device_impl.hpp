// device_impl.hpp: the internal description of a CUDA device, its context as a scope, and memory of the library's own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "cuda/driver.hpp"
#include "onepass/cuda/device.hpp"
#include "vulkan/shared_objects.hpp"

namespace onepass::cuda {

struct ONEPASS_INTERNAL Device::Impl {
  const Driver& driver;
  Context context = nullptr;
  DeviceInfo info;
  int device = 0;           // CUdevice
  bool is_primary = false;  // the context is the primary one, retained
  mutable vulkan::SharedObjects shared;

  explicit Impl(const Driver& table) : driver(table) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  /// Device::create(), adopt() and list() with any driver.
  static Result<Device> create(const Driver& driver, uint32_t ordinal);
  static Result<Device> adopt(const Driver& driver);
  static Result<std::vector<DeviceInfo>> list(const Driver& driver);

  /// kDevice or kOutOfMemory if `status` is not success.
  [[nodiscard]] Result<void> check(const char* call, int status) const;
};

/// Makes the device's context current on the calling thread until the end of the scope.
class CurrentContext {
 public:
  explicit CurrentContext(const Device::Impl& device) : device_(device) {
    status_ = device.driver.context_push(device.context);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    Context popped = nullptr;
    if (status_ == kSuccess) device_.driver.context_pop(&popped);
  }
  [[nodiscard]] int status() const { return status_; }

 private:
  const Device::Impl& device_;
  int status_ = kSuccess;
};

/// Device memory that the library has allocated.
class OwnMemory {
 public:
  /// Allocates `bytes`, at least 1, and clears them.
  /// Errors: kOutOfMemory, kDevice.
  static Result<OwnMemory> create_clear(const Device& device, size_t bytes);
  /// Allocates memory for these bytes, at least one, and copies them.
  /// Errors: as create_clear().
  static Result<OwnMemory> create_copy(const Device& device, std::span<const std::byte> bytes);

  OwnMemory(OwnMemory&& other) noexcept : device_(std::move(other.device_)), address_(other.address_) {
    other.address_ = 0;
  }
  OwnMemory& operator=(OwnMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    return *this;
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  ~OwnMemory();

  [[nodiscard]] DeviceAddress address() const { return address_; }

 private:
  /// Allocates, calls fill(driver, address), which is one of its functions, and waits.
  template <typename Fill>
  static Result<OwnMemory> create(const Device& device, size_t bytes, const char* call, const Fill& fill);
  OwnMemory(const Device& device, DeviceAddress address) : device_(device), address_(address) {}
  Device device_;
  DeviceAddress address_ = 0;
};

}  // namespace onepass::cuda
