// known_drivers.cpp: the table of drivers. A row allows more than the specification only where a driver has been
// run (docs/devices.md), and less where a driver is known to fall short of it. Each row has its reason.
#include "vulkan/known_drivers.hpp"

#include <algorithm>
#include <iterator>

namespace onepass::vulkan {
namespace {

constexpr KnownDriver kKnownDrivers[] = {
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY,
     "NVIDIA's proprietary driver",
     "Run on an H200 with driver 580.159.04. Subgroups are scheduled independently, and volatile loads bypass the L1 "
     "cache.",
     {.forward_progress = true, .unfenced_stores = true, .half_rounds_to_nearest = true}},
    {VK_DRIVER_ID_MESA_LLVMPIPE,
     "lavapipe",
     "Run with Mesa 22.3. The caches of the CPU are coherent. The loops of an invocation end after 65535 iterations in "
     "all, some milliseconds of polling, which is less than a busy machine may stop the thread of another workgroup.",
     {.unfenced_stores = true}},
    {VK_DRIVER_ID_GOOGLE_SWIFTSHADER,
     "SwiftShader",
     "Run with SwiftShader of Chromium 156. Its compiler ends the process if the local variables of a kernel exceed "
     "1 MB, counted for 4 invocations at once after all calls are inlined, and takes 20 s and more for kernels that "
     "transform whole lines.",
     {.compiles_whole_lines = false}},
    {VK_DRIVER_ID_MOLTENVK,
     "MoltenVK",
     "Not run. Before version 3.2, Metal's language has no memory barrier alone: threadgroup_barrier takes its place, "
     "which all invocations of a workgroup must reach.",
     {.divergent_barriers = false}},
};

}  // namespace

const KnownDriver* find_known_driver(VkDriverId id) {
  const auto* found = std::find_if(std::begin(kKnownDrivers), std::end(kKnownDrivers),
                                   [id](const KnownDriver& driver) { return driver.id == id; });
  return found != std::end(kKnownDrivers) ? found : nullptr;
}

DriverProperties known_driver(VkDriverId id) {
  const KnownDriver* found = find_known_driver(id);
  return found != nullptr ? found->properties : DriverProperties{};
}

}  // namespace onepass::vulkan
