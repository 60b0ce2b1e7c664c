// replaced_vulkan.hpp: a loader whose entry points a test replaces by its own, so that the library sees other limits,
// failures or delays than the driver has. The library adopts an OwnDevice with this loader; the OwnDevice itself, and
// the validation layers, keep the driver's entry points.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/vulkan/own_device.hpp"

namespace onepass::testing {

/// The entry points that are replaced, by name. One test at a time.
inline std::map<std::string, PFN_vkVoidFunction>& replaced_functions() {
  static std::map<std::string, PFN_vkVoidFunction> functions;
  return functions;
}

namespace detail {

inline PFN_vkGetDeviceProcAddr real_get_device_proc_addr = nullptr;

inline VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char* name) {
  const auto found = replaced_functions().find(name);
  return found != replaced_functions().end() ? found->second : real_get_device_proc_addr(device, name);
}

inline VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* name) {
  const auto found = replaced_functions().find(name);
  if (found != replaced_functions().end()) return found->second;
  PFN_vkVoidFunction real = system_loader()(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") != 0) return real;
  real_get_device_proc_addr = reinterpret_cast<PFN_vkGetDeviceProcAddr>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(&get_device_proc_addr);
}

}  // namespace detail

/// Replaces an entry point, of an instance or of a device, for the devices that are adopted from now on.
template <typename Function>
void replace_function(const char* name, Function function) {
  replaced_functions()[name] = reinterpret_cast<PFN_vkVoidFunction>(function);
}

/// A device of the test, and functions through which replacements reach the driver.
class ReplacedVulkan : public ::testing::Test {
 protected:
  void SetUp() override {
    replaced_functions().clear();
    own = OwnDevice::create(system_loader());
    ASSERT_NE(own, nullptr);
  }
  void TearDown() override {
    if (own != nullptr) {
      EXPECT_EQ(own->validation_messages(), 0) << "see above";
    }
    own.reset();
    replaced_functions().clear();
  }

  static vulkan::DeviceHandles replaced_handles() {
    vulkan::DeviceHandles handles = own->handles();
    handles.get_instance_proc_addr = &detail::get_instance_proc_addr;
    return handles;
  }
  /// Adopts the device with the entry points that are replaced so far.
  static Result<vulkan::Device> adopt() { return vulkan::Device::adopt(replaced_handles()); }

  /// Changes the properties that the device reports. `change` gets the struct with its chain, filled by the driver.
  using Change = std::function<void(VkPhysicalDeviceProperties2&)>;
  static void change_properties(Change change) {
    change_ = std::move(change);
    replace_function(
        "vkGetPhysicalDeviceProperties2", +[](VkPhysicalDevice device, VkPhysicalDeviceProperties2* out) {
          own->vki.vkGetPhysicalDeviceProperties2(device, out);
          change_(*out);
        });
  }

  static inline std::unique_ptr<OwnDevice> own;

 private:
  static inline Change change_;
};

}  // namespace onepass::testing
