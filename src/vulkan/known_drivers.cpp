// known_drivers.cpp: the table of drivers. A row is added when a driver has been run (docs/devices.md), with its
// reason.
#include "vulkan/known_drivers.hpp"

namespace onepass::vulkan {
namespace {

struct KnownDriver {
  VkDriverId id;
  DriverProperties properties;
};

constexpr KnownDriver kKnownDrivers[] = {
    // Run: H200, driver 580.159.04. Subgroups are scheduled independently, and volatile loads bypass the L1 cache.
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY,
     {.forward_progress = true, .unfenced_stores = true, .half_rounds_to_nearest = true}},
    // Run: lavapipe of Mesa 22.3. One thread executes a workgroup from its start to its end, and caches are coherent.
    {VK_DRIVER_ID_MESA_LLVMPIPE, {.forward_progress = true, .unfenced_stores = true}},
};

}  // namespace

DriverProperties known_driver(VkDriverId id) {
  for (const KnownDriver& driver : kKnownDrivers) {
    if (driver.id == id) return driver.properties;
  }
  return {};
}

}  // namespace onepass::vulkan
