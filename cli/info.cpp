// info.cpp: `onepass info`: prints the engines, devices, limits and file formats of this build on this machine.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "commit.hpp"
#include "console.hpp"
#include "engine.hpp"
#include "json_text.hpp"
#include "names.hpp"
#include "onepass/process_limits.hpp"
#include "onepass/tiles.hpp"
#include "onepass/vulkan/device.hpp"
#include "report.hpp"
#include "system.hpp"

namespace onepass::cli {
namespace {

#ifdef ONEPASS_HAS_TIFF
constexpr bool kHasTiff = true;
#else
constexpr bool kHasTiff = false;
#endif
#ifdef ONEPASS_HAS_WEBP
constexpr bool kHasWebp = true;
#else
constexpr bool kHasWebp = false;
#endif

std::string read_types() {
  return fmt::format("PNG, JPEG, OpenEXR, Radiance HDR, PFM, KTX2, {}{}TGA, PNM (PBM, PGM, PPM, PAM)",
                     kHasTiff ? "TIFF, " : "", kHasWebp ? "WebP, " : "");
}

std::string written_types() {
  return fmt::format("KTX2, OpenEXR (mip-mapped), PNG; one level only: {}JPEG, Radiance HDR, PFM, PPM, PGM, PAM",
                     kHasTiff ? "TIFF, " : "");
}

std::string vulkan_version(uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

std::vector<std::string> feature_names(const vulkan::EnabledFeatures& features) {
  std::vector<std::string> names;
  const auto add = [&](bool has, const char* name) {
    if (has) names.emplace_back(name);
  };
  add(features.storage_image_write_without_format, "shaderStorageImageWriteWithoutFormat");
  add(features.storage_image_read_without_format, "shaderStorageImageReadWithoutFormat");
  add(features.storage_image_array_dynamic_indexing, "shaderStorageImageArrayDynamicIndexing");
  add(features.compute_full_subgroups, "computeFullSubgroups");
  add(features.subgroup_size_control, "subgroupSizeControl");
  add(features.sampler_filter_minmax, "samplerFilterMinmax");
  add(features.subgroup_uniform_control_flow, "shaderSubgroupUniformControlFlow");
  add(features.maximal_reconvergence, "shaderMaximalReconvergence");
  return names;
}

std::vector<std::string> names_of(const std::vector<Format>& formats) {
  std::vector<std::string> names;
  for (const Format format : formats) names.emplace_back(format_info(format).name);
  return names;
}

Json device_json(const vulkan::DeviceInfo& device) {
  Json json;
  json["index"] = device.index;
  json["name"] = device.name;
  json["driver"] = device.driver;
  json["api_version"] = vulkan_version(device.api_version);
  json["software"] = device.software;
  json["usable"] = device.usable;
  if (!device.usable) json["reason"] = device.unusable_reason;
  json["subgroup_size"] = device.subgroup_size;
  json["shared_memory_bytes"] = device.shared_memory_bytes;
  json["max_image_size"] = device.max_image_size;
  json["max_slices"] = device.max_slices;
  json["memory_bytes"] = device.memory_bytes;
  json["processors"] = device.processors;
  json["tunings"] = device.tunings;
  json["features"] = feature_names(device.features);
  json["sources"] = names_of(device.sources);
  json["targets"] = names_of(device.targets);
  return json;
}

std::string compiler_text() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

Json collect(const Result<std::vector<vulkan::DeviceInfo>>& devices) {
  Json json;
  json["onepass"] = ONEPASS_VERSION;
  json["cpu"] = {{"threads", usable_threads()},
                 {"max_image_size", files::kMaxSize},
                 {"sources", format_words(false)},
                 {"targets", format_words(true)}};
  json["files"] = {{"read", {"png", "jpeg", "exr", "hdr", "pfm", "ktx2", "tiff", "webp", "tga", "pnm"}},
                   {"write", {"ktx2", "exr", "png", "tiff", "jpeg", "hdr", "pfm", "pnm"}}};
  json["vulkan"] = Json::array();
  if (devices) {
    for (const auto& device : *devices) json["vulkan"].push_back(device_json(device));
  } else {
    json["vulkan_error"] = devices.error().text();
  }
  return json;
}

// The object of --report: that of --json, with the system, and for each device what report_of() adds.
Json collect_report(const Result<std::vector<vulkan::DeviceReport>>& reports) {
  Result<std::vector<vulkan::DeviceInfo>> devices = std::vector<vulkan::DeviceInfo>{};
  if (!reports) {
    devices = reports.error();
  } else {
    for (const vulkan::DeviceReport& report : *reports) devices->push_back(report.info);
  }
  Json json = collect(devices);
  json["engines"] = {"cpu", "vulkan"};
  json["compiler"] = compiler_text();
  json["system"] = system::system_name();
  if (!reports) return json;
  for (size_t i = 0; i < reports->size(); ++i) json["vulkan"][i].update(report_of((*reports)[i]));
  return json;
}

int print_json(const Json& json) {
  print_output("{}\n", json_text(json));
  return Console({}).flush() ? kAllGood : kSomeFailed;
}

void print_device(const vulkan::DeviceInfo& device) {
  print_output("  [{}] {}{}\n", device.index, device.name, device.software ? " (software)" : "");
  print_output("      Vulkan {}, {}\n", vulkan_version(device.api_version), device.driver);
  if (!device.usable) print_output("      not usable: {}\n", device.unusable_reason);
  print_output("      images up to {0}x{0}, {1} slices; {2} of memory\n", device.max_image_size, device.max_slices,
               bytes_text(static_cast<double>(device.memory_bytes)));
  print_output("      subgroups of {}, {} of shared memory\n", device.subgroup_size,
               bytes_text(device.shared_memory_bytes));
  print_output("      tunings: {}, for {} processors\n",
               device.tunings.empty() ? "rules for unknown devices" : device.tunings, device.processors);
  print_output("      features: {}\n", fmt::join(feature_names(device.features), " "));
  print_output("      sources:  {}\n", fmt::join(names_of(device.sources), " "));
  print_output("      targets:  {}\n", fmt::join(names_of(device.targets), " "));
}

// list_devices(), with the tunings of a text where they are for the device.
Result<std::vector<vulkan::DeviceInfo>> list_with(const std::string& tunings) {
  auto devices = vulkan::list_devices();
  if (!devices || tunings.empty()) return devices;
  for (vulkan::DeviceInfo& info : *devices) {
    if (!info.usable) continue;
    const auto device = vulkan::Device::open({.selector = std::to_string(info.index), .tunings = tunings});
    if (!device) return device.error();
    info.tunings = device->info().tunings;
    info.processors = device->info().processors;
  }
  return devices;
}

int print_info(const Result<std::vector<vulkan::DeviceInfo>>& devices) {
  print_output("onepass {}\n\nCPU engine\n", ONEPASS_VERSION);
  print_output("  {} threads, images up to {}x{}\n", usable_threads(), files::kMaxSize, files::kMaxSize);
  print_output("  sources: {}\n", fmt::join(format_words(false), " "));
  print_output("  targets: {}\n", fmt::join(format_words(true), " "));
  print_output("\nVulkan engine\n");
  if (!devices) {
    print_output("  not available: {}\n", devices.error().text());
  } else if (devices->empty()) {
    print_output("  no device: no Vulkan loader or driver on this machine\n");
  } else {
    for (const auto& device : *devices) print_device(device);
  }
  print_output("\nFiles\n  read:  {}\n  write: {}\n", read_types(), written_types());
#if defined(__linux__) && !defined(__ANDROID__)  // as in cli/CMakeLists.txt
  if (const std::string version = tiles::openslide_version(); !version.empty()) {
    print_output("  tiles also read SVS, NDPI, SCN, MRXS, VMS, VMU and BIF by OpenSlide {}\n", version);
  }
#endif
  return Console({}).flush() ? kAllGood : kSomeFailed;
}

}  // namespace

std::string version_text() {
  return fmt::format("onepass {}{}\nengines: CPU, Vulkan\nread:    {}\nwrite:   {}", ONEPASS_VERSION, kCommitText,
                     read_types(), written_types());
}

Command add_info(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "Show engines, devices, limits and formats");
  auto json = std::make_shared<bool>(false);
  auto report = std::make_shared<bool>(false);
  auto tunings = std::make_shared<std::string>();
  command->add_flag("--json", *json, "Print one JSON object");
  command->add_flag("--report", *report,
                    "Print one JSON object for a report about a device: driver, limits, formats, assumptions, and the "
                    "kernels of every technique, which are compiled for it");
  command->add_option("--tunings", *tunings, "Say for which devices this file has tunings")->type_name("FILE");
  return [=] {
    if (*report && !tunings->empty()) {
      write_error({"--report and --tunings exclude each other"});
      return kUsage;
    }
    if (*report) return print_json(collect_report(vulkan::report_devices()));
    if (command->count("--tunings") > 0 && tunings->empty()) {
      write_error({"--tunings: is empty"});
      return kUsage;
    }
    const auto text = read_tunings(*tunings);
    if (!text) {
      write_error({text.error().text()});
      return status_of(text.error());
    }
    const auto devices = list_with(*text);
    return *json ? print_json(collect(devices)) : print_info(devices);
  };
}

}  // namespace onepass::cli
