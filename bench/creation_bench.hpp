// creation_bench.hpp: host time of the create() functions of the Vulkan engine, registered with Google Benchmark.
#pragma once

#include "report.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// Turns off the drivers' own caches of compiled kernels on disk. Call it before a device is opened.
void disable_driver_caches();

/// Registers the benchmarks. Register them before all others: a driver may also keep what it has compiled in this
/// process. With a null runner they can only be listed.
void register_creation_vulkan(VulkanRunner* runner, Report& report);

}  // namespace onepass::bench
