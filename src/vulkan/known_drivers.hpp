// known_drivers.hpp: what the library assumes of drivers beyond the Vulkan specification: docs/devices.md.
#pragma once

#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Properties that no query of Vulkan returns. The defaults are those of the specification, for drivers not in the
/// table.
struct DriverProperties {
  /// A workgroup that has started makes progress while another one polls. Last-to-start mode needs it.
  bool forward_progress = false;
  /// Stores to coherent volatile memory become visible to other workgroups in finite time without a fence.
  /// Self-validating words need it.
  bool unfenced_stores = false;
  /// A memory barrier in the control flow of one invocation is no barrier of the workgroup's control flow. The exchange
  /// between workgroups of one dispatch needs it: single-dispatch pyramids and meters, frames, local exposure.
  bool divergent_barriers = true;
  /// packHalf2x16 rounds to nearest.
  bool half_rounds_to_nearest = false;
};

/// The row of the table for a driver; the defaults if it has none.
DriverProperties known_driver(VkDriverId id);

/// The value of a switch, which kAuto leaves to the driver.
constexpr bool is_on(Switch wanted, bool of_driver) {
  return wanted == Switch::kAuto ? of_driver : wanted == Switch::kOn;
}

}  // namespace onepass::vulkan
