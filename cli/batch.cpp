// batch.cpp: one unit after the other; a failed one is reported and the work goes on.
#include "batch.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "console.hpp"
#include "job.hpp"

namespace onepass::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Unit& unit) {
  Json json;
  json["inputs"] = unit.inputs;
  return json;
}

Json to_json(const Request& request, const Unit& unit, const UnitReport& report) {
  Json json = to_json(unit);
  json["outputs"] = Json::array();
  for (const auto& output : report.outputs) json["outputs"].push_back(output.string());
  json["engine"] = report.engine.engine;
  json["device"] = report.engine.device.empty() ? Json(nullptr) : Json(report.engine.device);
  json["path"] = report.engine.path.empty() ? Json(nullptr) : Json(report.engine.path);
  if (!report.engine.note.empty()) json["note"] = report.engine.note;
  json["reduction"] = name_of(kReductionNames, request.pyramid.reduction);
  if (request.factor != 0) {
    json["factor"] = request.factor;
  } else {
    json["footprint"] = name_of(kFootprintNames, request.pyramid.footprint);
  }
  json["source_format"] = format_info(report.source).name;
  json["format"] = format_info(report.target).name;
  json["width"] = report.sizes.front().width;
  json["height"] = report.sizes.front().height;
  json["slices"] = report.slices;
  json["cube"] = report.cube;
  json["levels"] = report.sizes.size();
  json["sizes"] = Json::array();
  for (const Extent& size : report.sizes) json["sizes"].push_back({size.width, size.height});
  if (request.region) {
    json["region"] = {request.region->x, request.region->y, request.region->width, request.region->height};
  }
  json["dispatches"] = report.engine.dispatches;
  json["predicted_bytes_read"] = report.engine.bytes_read;
  json["predicted_bytes_written"] = report.engine.bytes_written;
  json["read_ms"] = report.read_ms;
  json["make_ms"] = report.make_ms;
  json["write_ms"] = report.write_ms;
  json["gpu_us"] = report.engine.gpu_microseconds > 0 ? Json(report.engine.gpu_microseconds) : Json(nullptr);
  return json;
}

std::string report_line(const Unit& unit, const UnitReport& report) {
  std::string inputs = unit.inputs.front();
  if (unit.inputs.size() > 1) inputs += fmt::format(" and {} more", unit.inputs.size() - 1);
  std::string outputs = report.outputs.front().string();
  if (report.outputs.size() > 1) outputs += fmt::format(" ... {}", report.outputs.back().string());
  std::string how =
      report.engine.engine == "cpu" ? "cpu" : fmt::format("{}, {}", report.engine.device, report.engine.path);
  if (report.engine.gpu_microseconds > 0) how += ", GPU " + time_text(report.engine.gpu_microseconds / 1000);
  return fmt::format("{} -> {}: {}{} {}, {} level{} in {} ({})", inputs, outputs, size_text(report.sizes.front()),
                     report.slices > 1 ? fmt::format("x{}", report.slices) : "", format_info(report.target).name,
                     report.sizes.size(), report.sizes.size() == 1 ? "" : "s", time_text(report.make_ms), how);
}

// A file name need not be UTF-8; JSON must be.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

int run_units(const Request& request, const std::vector<Unit>& units, const EngineChoice& engine, Console& console) {
  const auto start = std::chrono::steady_clock::now();
  Json results = Json::array();
  size_t failed = 0;
  for (size_t i = 0; i < units.size(); ++i) {
    const Unit& unit = units[i];
    if (units.size() > 1) console.bar(static_cast<double>(i) / static_cast<double>(units.size()), unit.inputs.front());
    const auto report = [&]() -> Result<UnitReport> {
      try {
        return run_unit(request, engine, unit);
      } catch (const std::bad_alloc&) {
        return Error{ErrorCode::kOutOfMemory, "out of memory", unit.inputs.front()};
      }
    }();
    if (report) {
      if (!report->engine.note.empty()) {
        console.line(fmt::format("{}: made on the CPU: {}", unit.inputs.front(), report->engine.note));
      }
      console.line(report_line(unit, *report));
      results.push_back(to_json(request, unit, *report));
    } else {
      ++failed;
      console.error(report.error().text());
      Json json = to_json(unit);
      json["error"] = report.error().text();
      results.push_back(std::move(json));
    }
  }
  console.clear_bar();
  const double total_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (units.size() > 1) {
    const std::string text = failed == 0 ? "" : fmt::format(", {} failed", failed);
    console.line(fmt::format("{} of {} done{} in {}", units.size() - failed, units.size(), text, time_text(total_ms)));
  }
  if (request.json) {
    Json all;
    all["onepass"] = ONEPASS_VERSION;
    all["command"] = request.kind == Request::Kind::kMips ? "mips" : "hiz";
    all["engine"] = engine.name();
    all["done"] = units.size() - failed;
    all["failed"] = failed;
    all["total_ms"] = total_ms;
    all["results"] = std::move(results);
    fmt::print("{}\n", dump(all));
  }
  return failed == 0 ? kAllGood : kSomeFailed;
}

}  // namespace

int run_request(const CLI::App& command, Request& request, const RequestWords& words) {
  Console console({.quiet = request.quiet, .json = request.json});
  if (auto good = finish_request(command, request, words); !good) {
    console.error(good.error().text());
    return kUsage;
  }
  const auto units = plan_units(request);
  if (!units) {
    console.error(units.error().text());
    return kUsage;
  }
  const auto engine = EngineChoice::choose(request);
  if (!engine) {
    console.error(engine.error().text());
    return kSomeFailed;
  }
  const int status = run_units(request, *units, *engine, console);
  return console.flush() ? status : kSomeFailed;
}

}  // namespace onepass::cli
