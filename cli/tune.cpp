// tune.cpp: `onepass tune`: measures tunings on a Vulkan device, prints what they gain, and writes them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>

#include "commands.hpp"
#include "console.hpp"
#include "json_text.hpp"
#include "onepass/files.hpp"
#include "onepass/vulkan/tunings.hpp"
#include "option_group.hpp"
#include "path_of.hpp"

namespace onepass::cli {
namespace {

struct TuneRequest {
  std::vector<std::string> techniques;
  std::string device;
  std::string output;
  double seconds = 150;
  bool json = false;
  bool quiet = false;
};

Result<vulkan::Device> open_device(const std::string& selector) {
  auto device = vulkan::Device::open({.selector = selector, .allow_software = true});
  if (device || device.error().code != ErrorCode::kNotFound) return device;
  Error error = device.error();
  error.message += "; tunings are those of Vulkan devices, the CPU engine has none";
  return error;
}

std::string gain_text(const vulkan::MeasuredCase& one) {
  if (one.use.empty()) return "-";
  return fmt::format("{:.1f} %", 100 * (1 - one.best_microseconds / one.default_microseconds));
}

void print_table(const vulkan::MeasuredTunings& measured, Console& console) {
  size_t width = std::string_view("case").size();
  for (const auto& one : measured.cases) width = std::max(width, one.technique.size() + 1 + one.name.size());
  console.line(fmt::format("{:<{}}{:>12}{:>12}{:>9}  {}", "case", width, "default us", "best us", "gain", "tuning"));
  for (const auto& one : measured.cases) {
    console.line(fmt::format("{:<{}}{:>12.1f}{:>12.1f}{:>9}  {}", one.technique + " " + one.name, width,
                             one.default_microseconds, one.best_microseconds, gain_text(one),
                             one.use.empty() ? "default" : one.use));
  }
}

Json json_of(const TuneRequest& request, const vulkan::DeviceInfo& device, const vulkan::MeasuredTunings& measured) {
  Json json;
  json["onepass"] = ONEPASS_VERSION;
  json["command"] = "tune";
  json["device"] = device.name;
  json["driver"] = device.driver;
  json["output"] = request.output.empty() ? Json(nullptr) : Json(request.output);
  json["cases"] = Json::array();
  for (const auto& one : measured.cases) {
    json["cases"].push_back({{"technique", one.technique},
                             {"case", one.name},
                             {"default_us", one.default_microseconds},
                             {"best_us", one.best_microseconds},
                             {"use", Json::parse(one.use.empty() ? "{}" : one.use)}});
  }
  json["notes"] = measured.notes;
  json["tunings"] = Json::parse(measured.text);
  return json;
}

Result<void> write_text(const std::string& output, std::string_view text) {
  auto file = files::AtomicFile::create(path_of(output));
  if (!file) return file.error();
  if (auto written = file->write(text); !written) return written;
  return file->commit();
}

Result<void> tune(const TuneRequest& request, Console& console) {
  // An output that cannot be written is reported before the measurement, not after it.
  if (!request.output.empty()) {
    if (auto probe = files::AtomicFile::create(path_of(request.output)); !probe) return probe.error();
  }
  auto device = open_device(request.device);
  if (!device) return device.error();
  console.line(fmt::format("{}, {}", device->info().name, device->info().driver));
  auto measured = vulkan::measure_tunings(
      *device, {.techniques = request.techniques,
                .seconds = request.seconds,
                .progress = [&](double share, std::string_view what) { console.bar(share, what); }});
  console.clear_bar();
  if (!measured) return measured.error();
  print_table(*measured, console);
  for (const std::string& note : measured->notes) console.line(note);
  if (!request.output.empty()) {
    if (auto written = write_text(request.output, measured->text); !written) return written;
    console.line(fmt::format("{} written; --tunings {} uses it", request.output, request.output));
  }
  if (request.json) print_output("{}\n", json_text(json_of(request, device->info(), *measured)));
  return {};
}

}  // namespace

Command add_tune(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tune", "Measure the tunings of a Vulkan device");
  auto request = std::make_shared<TuneRequest>();
  Group what(*command, "Measurement");
  what.add("--technique", request->techniques, "NAME",
           "Only these techniques, separated by commas: pyramid, transform, meter, tile_reduction, tone_map, "
           "frame_tone_map (default all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(one_of({"pyramid", "transform", "meter", "tile_reduction", "tone_map", "frame_tone_map"}));
  what.add("--device", request->device, "INDEX|NAME",
           "Vulkan device, see `onepass info` (default the first GPU, without one a software device)");
  what.add("--seconds", request->seconds, "S", "Time of the measurement, divided among the techniques (default 150)")
      ->check(silent(CLI::Range(0.1, 86400.0)));
  what.add("-o,--output", request->output, "FILE.json",
           "The file of tunings to write, for --tunings of other commands");
  Group report(*command, "Reports");
  report.flag("--json", request->json, "Print one JSON object: cases, times, tunings");
  report.flag("-q,--quiet", request->quiet, "Print errors only");
  command->footer(
      "Each candidate is timed in rounds that alternate with the default. It is taken if its results are those of the\n"
      "default within the rounding contract and it is faster by more than 2 % beyond the spread of the rounds.\n"
      "Other work on the device falsifies the times. The CPU engine has no tunings.\n"
      "Example:\n"
      "  onepass tune -o tunings.json && onepass mips photo.png -o photo.ktx2 --tunings tunings.json");
  return [=] {
    Console console({.quiet = request->quiet, .json = request->json});
    if (auto done = tune(*request, console); !done) {
      console.error(done.error().text());
      return done.error().code == ErrorCode::kDeviceLost ? kSomeFailed : status_of(done.error());
    }
    return console.flush() ? kAllGood : kSomeFailed;
  };
}

}  // namespace onepass::cli
