// tuning_bench.hpp: how far the default tunings of a device are from the best candidates.
#pragma once

#include "onepass/vulkan/device.hpp"
#include "report.hpp"

namespace onepass::bench {

/// Measures the tunings of all techniques for `seconds`. Adds a row for each case, "tuning/vulkan/TECHNIQUE/CASE": the
/// time is that of the default, the reference that of the best candidate, and `path` has its fields. Prints a table.
/// Errors: those of vulkan::measure_tunings().
Result<void> report_tunings(const vulkan::Device& device, double seconds, Report& report);

}  // namespace onepass::bench
