// known_drivers.hpp: what the library assumes of drivers beyond the Vulkan specification: docs/devices.md.
#pragma once

#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Properties that no query of Vulkan returns. The defaults are those of the specification, for drivers not in the
/// table.
struct DriverProperties {
  /// A workgroup that has started makes progress while another one polls, and polls last long enough for it.
  /// Last-to-start mode needs it.
  bool forward_progress = false;
  /// Relaxed device-scope atomic stores, and stores to coherent volatile memory, become visible to other workgroups in
  /// finite time without a fence. Self-validating words need it: those of one and two components are atomics, those of
  /// four are volatile.
  bool unfenced_stores = false;
  /// A memory barrier in the control flow of one invocation is no barrier of the workgroup's control flow. The exchange
  /// between workgroups of one dispatch needs it: single-dispatch pyramids and meters, frames, local exposure.
  bool divergent_barriers = true;
  /// packHalf2x16 rounds to nearest.
  bool half_rounds_to_nearest = false;
  /// The compiler takes kernels in which an invocation transforms up to 16 values of a line, in all passes. Without it,
  /// Fourier transforms are ping-pong, with one pass in a kernel.
  bool compiles_whole_lines = true;
};

/// A row of the table.
struct KnownDriver {
  VkDriverId id;
  const char* name;
  const char* reason;  ///< The devices or versions that ran, and the reasons of the properties: sentences for a report.
  DriverProperties properties;
};

/// The row of a driver; null if it has none.
const KnownDriver* find_known_driver(VkDriverId id);

/// The properties of a driver; the defaults if it has no row.
DriverProperties known_driver(VkDriverId id);

/// The value of a switch, which kAuto leaves to the driver.
constexpr bool is_on(Switch wanted, bool of_driver) {
  return wanted == Switch::kAuto ? of_driver : wanted == Switch::kOn;
}

}  // namespace onepass::vulkan
