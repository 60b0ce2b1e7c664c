// engine_light.cpp: the metering and tone mapping of EngineChoice: on the device, or on the CPU if the engine is the
// CPU or the device fails.
#include "engine.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/tone_map.hpp"

namespace onepass::cli {
namespace {

/// A report of bytes read and written, and GPU time. `device` is null for the CPU.
EngineReport report_of(const vulkan::Device* device, uint64_t read, uint64_t written, double microseconds) {
  EngineReport report;
  report.dispatches = device != nullptr ? 1 : 0;
  report.bytes_read = read;
  report.bytes_written = written;
  report.gpu_microseconds = microseconds;
  return report;
}

}  // namespace

Result<EngineReport> EngineChoice::meter(const MeterOptions& options, const ImageView& source,
                                         std::span<MeterResult> results, const MeterFrame& frame,
                                         const ImageView& mask) const {
  return with_fallback([&](const vulkan::Device* device) -> Result<EngineReport> {
    if (device != nullptr) {
      const auto made = vulkan::meter_image(*device, options, {}, source, results, frame, mask);
      if (!made) return made.error();
      return report_of(device, made->plan.plan.bytes_read, made->plan.plan.bytes_written, made->gpu_microseconds);
    }
    auto meter = cpu::Meter::create(options, {.threads = threads_});
    if (!meter) return meter.error();
    if (auto done = meter->measure(source, results, frame, mask); !done) return done.error();
    return report_of(nullptr, meter->plan().bytes_read, meter->plan().bytes_written, 0);
  });
}

Result<EngineReport> EngineChoice::map_tones(const ToneMapOptions& options, const ImageView& source,
                                             const MutableImageView& target, float exposure) const {
  return with_fallback([&](const vulkan::Device* device) -> Result<EngineReport> {
    if (device != nullptr) {
      const auto made = vulkan::map_tones(*device, options, {}, source, target, exposure);
      if (!made) return made.error();
      auto report =
          report_of(device, made->plan.plan.bytes_read, made->plan.plan.bytes_written, made->gpu_microseconds);
      report.dispatches = made->plan.dispatches;
      return report;
    }
    auto map = cpu::ToneMap::create(options, {.threads = threads_});
    if (!map) return map.error();
    if (auto done = map->apply(source, target, exposure); !done) return done.error();
    return report_of(nullptr, map->plan().bytes_read, map->plan().bytes_written, 0);
  });
}

}  // namespace onepass::cli
