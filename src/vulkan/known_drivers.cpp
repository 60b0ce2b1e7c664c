// known_drivers.cpp: the table of drivers. A row allows more than the specification only where a driver has been
// run (docs/devices.md), and less where a driver is known to fall short of it. Each row has its reason.
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
    // Not run. Before version 3.2, Metal's language has no memory barrier alone: threadgroup_barrier takes its place,
    // which all invocations of a workgroup must reach.
    {VK_DRIVER_ID_MOLTENVK, {.divergent_barriers = false}},
};

}  // namespace

DriverProperties known_driver(VkDriverId id) {
  for (const KnownDriver& driver : kKnownDrivers) {
    if (driver.id == id) return driver.properties;
  }
  return {};
}

}  // namespace onepass::vulkan
