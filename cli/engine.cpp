// engine.cpp: choice of the engine, and pyramids and tile reductions on it. `auto` takes a hardware GPU that supports
// the request, else the CPU.
#include "engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "console.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tunings.hpp"
#include "path_of.hpp"

namespace onepass::cli {
namespace {

constexpr const char* kAllDevices = "all";

// The selectors of all GPUs that can be used; if there is none, of all software devices if they are `allowed`.
Result<std::vector<std::string>> every_device(bool allowed) {
  const auto devices = vulkan::list_devices();
  if (!devices) return devices.error();
  std::vector<std::string> gpus;
  std::vector<std::string> software;
  for (const vulkan::DeviceInfo& info : *devices) {
    if (info.usable) (info.software ? software : gpus).push_back(std::to_string(info.index));
  }
  if (gpus.empty() && allowed) gpus = std::move(software);
  if (!gpus.empty()) return gpus;
  return Error{ErrorCode::kNotFound,
               fmt::format("no GPU can be used{}", allowed ? "" : "; software devices need --engine vulkan"),
               "--device all"};
}

Result<EngineReport> reduce_on_vulkan(const vulkan::Device& device, const TileReductionOptions& options,
                                      const ImageView& source, const MutableImageView& target) {
  const auto made = vulkan::reduce_tiles(device, options, {}, source, target);
  if (!made) return made.error();
  EngineReport report;
  report.path = made->plan.strategy == vulkan::TileStrategy::kSubgroup ? "subgroup" : "tree";
  report.dispatches = 1;
  report.bytes_read = made->plan.plan.bytes_read;
  report.bytes_written = made->plan.plan.bytes_written;
  report.gpu_microseconds = made->gpu_microseconds;
  return report;
}

}  // namespace

Result<std::string> read_tunings(const std::string& name) {
  if (name.empty()) return std::string();
  std::ifstream file(path_of(name), std::ios::binary);
  // A byte more than a text may have: check_tunings() refuses it, and no other file is read whole.
  std::string text((size_t{1} << 20U) + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) return Error{ErrorCode::kIo, "cannot read", name};
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.empty()) return Error{ErrorCode::kInvalidArgument, "is empty", name};
  if (auto checked = vulkan::check_tunings(text); !checked) {
    Error error = checked.error();
    error.context = name;
    if (error.message.starts_with("tunings: ")) error.message.erase(0, error.message.find(' ') + 1);
    return error;
  }
  return text;
}

Result<EngineChoice> EngineChoice::choose(const Request& request, PyramidPath path) {
  EngineChoice choice;
  choice.path_ = path;
  choice.threads_ = request.threads;
  if (request.engine == Engine::kCpu) return choice;

  const bool asked = request.engine == Engine::kVulkan || !request.device.empty();
  if (!asked) {
    const auto devices = vulkan::list_devices();
    if (!devices) return choice;
    const auto real = [](const vulkan::DeviceInfo& info) { return info.usable && !info.software; };
    if (std::none_of(devices->begin(), devices->end(), real)) return choice;
    choice.may_fall_back_ = true;
  }
  auto selectors = request.device == kAllDevices ? every_device(request.engine == Engine::kVulkan)
                                                 : Result<std::vector<std::string>>({request.device});
  if (!selectors) return selectors.error();
  for (const std::string& selector : *selectors) {
    auto device = vulkan::Device::open({.selector = selector, .allow_software = asked, .tunings = request.tunings});
    if (!device && asked) return device.error();
    if (!device) continue;
    std::string name = device->info().name;
    if (!request.tunings.empty() && !request.quiet && !device->info().tunings.starts_with("caller's text")) {
      write_error({"warning: --tunings: the file has none for ", name});
    }
    if (request.device == kAllDevices) name += fmt::format(" [{}]", device->info().index);
    choice.gpus_.push_back(std::make_shared<Gpu>(std::move(*device), std::move(name)));
  }
  return choice;
}

EngineChoice EngineChoice::for_unit(size_t index) const {
  EngineChoice one = *this;
  if (gpus_.size() > 1) one.gpus_ = {gpus_[index % gpus_.size()]};
  return one;
}

std::string EngineChoice::name() const {
  std::string names;
  for (const auto& gpu : gpus_) names += (names.empty() ? "" : ", ") + gpu->name;
  return names;
}

Result<EngineReport> EngineChoice::make(const PyramidOptions& options, const ImageView& source,
                                        std::span<const MutableImageView> levels, std::optional<Rect> changed) const {
  return with_fallback([&](const vulkan::Device* device) {
    return device != nullptr ? make_on_vulkan(*device, options, source, levels, changed)
                             : make_on_cpu(options, source, levels, changed);
  });
}

Result<EngineReport> EngineChoice::reduce(const TileReductionOptions& options, const ImageView& source,
                                          const MutableImageView& target) const {
  return with_fallback([&](const vulkan::Device* device) {
    return device != nullptr ? reduce_on_vulkan(*device, options, source, target)
                             : reduce_on_cpu(options, source, target);
  });
}

Result<EngineReport> EngineChoice::make_on_cpu(const PyramidOptions& options, const ImageView& source,
                                               std::span<const MutableImageView> levels,
                                               std::optional<Rect> changed) const {
  auto pyramid = cpu::Pyramid::create(options, {.threads = threads_});
  if (!pyramid) return pyramid.error();
  const auto done = changed ? pyramid->update(source, levels, *changed) : pyramid->build(source, levels);
  if (!done) return done.error();
  EngineReport report;
  report.bytes_read = pyramid->plan().bytes_read;
  report.bytes_written = pyramid->plan().bytes_written;
  return report;
}

Result<EngineReport> EngineChoice::make_on_vulkan(const vulkan::Device& device, const PyramidOptions& options,
                                                  const ImageView& source, std::span<const MutableImageView> levels,
                                                  std::optional<Rect> changed) const {
  vulkan::PyramidTuning tuning;
  tuning.path = path_;
  const auto made = vulkan::make_pyramid(device, options, tuning, source, levels, changed);
  if (!made) return made.error();
  EngineReport report;
  // PyramidPath::kSingleDispatch, too, can make the coarse levels in a second dispatch.
  const bool two = made->plan.path == PyramidPath::kSingleDispatch && made->plan.dispatches.size() > 1;
  report.path = two ? "two_dispatches" : word_of(made->plan.path);
  report.dispatches = made->plan.dispatches.size();
  report.bytes_read = made->plan.bytes_read;
  report.bytes_written = made->plan.bytes_written;
  report.gpu_microseconds = made->gpu_microseconds;
  return report;
}

Result<EngineReport> EngineChoice::reduce_on_cpu(const TileReductionOptions& options, const ImageView& source,
                                                 const MutableImageView& target) const {
  auto tiles = cpu::TileReduction::create(options, {.threads = threads_});
  if (!tiles) return tiles.error();
  if (const auto done = tiles->reduce(source, target); !done) return done.error();
  EngineReport report;
  report.bytes_read = tiles->plan().bytes_read;
  report.bytes_written = tiles->plan().bytes_written;
  return report;
}

}  // namespace onepass::cli
