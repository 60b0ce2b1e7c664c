// report.hpp: the part of `onepass info --report` about one Vulkan device.
#pragma once

#include "json_text.hpp"
#include "onepass/vulkan/device_report.hpp"

namespace onepass::cli {

/// Ids, driver, subgroups, limits, formats and extensions of a device, what the library assumes of its driver, and, if
/// it is usable, the kernels chosen for every technique. Takes the seconds that the driver needs to compile these.
[[nodiscard]] Json report_of(const vulkan::DeviceReport& device);

}  // namespace onepass::cli
