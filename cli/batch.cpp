// batch.cpp: the batch of `mips` and `hiz`: engine, units, and the report of each unit as a line of text or as JSON.
#include "batch.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "console.hpp"
#include "job.hpp"
#include "path_of.hpp"
#include "unit_batch.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

// Peak of a unit's memory: base, levels, one conversion and the output, as a multiple of what reading the base takes.
constexpr uint32_t kPyramidMemoryFactor = 4;

Json pyramid_json(const PyramidRequest& request, const UnitReport& report) {
  Json json;
  json["outputs"] = Json::array();
  for (const auto& output : report.outputs) json["outputs"].push_back(output.string());
  json["engine"] = report.engine.engine;
  json["device"] = report.engine.device.empty() ? Json(nullptr) : Json(report.engine.device);
  json["path"] = report.engine.path.empty() ? Json(nullptr) : Json(report.engine.path);
  if (!report.engine.note.empty()) json["note"] = report.engine.note;
  json["reduction"] = word_of(request.pyramid.reduction);
  if (request.factor != 0) {
    json["factor"] = request.factor;
  } else {
    json["footprint"] = word_of(request.pyramid.footprint);
    if (request.pyramid.reduction == Reduction::kMean) json["filter"] = word_of(request.pyramid.filter.kind);
  }
  json["source_format"] = format_info(report.source).name;
  json["format"] = format_info(report.target).name;
  if (report.blocks != BlockFormat::kUndefined) {
    json["block_format"] = block_format_info(report.blocks).name;
    json["block_engine"] = report.block_engine.engine;
    if (!report.block_engine.note.empty()) json["block_note"] = report.block_engine.note;
  }
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

// Refuses a sheet that would overwrite the file to update.
Result<void> check_sheets(const PyramidRequest& request, std::span<const Unit> units) {
  if (request.update.empty()) return {};
  std::vector<files::OutputPlace> sheets;
  for (const Unit& unit : units) {
    if (!unit.sheet.empty()) sheets.push_back({unit.sheet});
  }
  const std::filesystem::path update = path_of(request.update);
  if (const auto conflict = files::find_output_conflict(std::span(&update, 1), sheets)) {
    return usage(
        fmt::format("{}: the sheet would overwrite the file to update", sheets[conflict->output].path.string()));
  }
  return {};
}

}  // namespace

int run_pyramids(const CLI::App& command, PyramidRequest& request, const PyramidWords& words) {
  Console console({.quiet = request.quiet, .json = !reports_lines(request)});
  if (auto good = finish_pyramid_request(command, request, words); !good) {
    console.error(good.error().text());
    return status_of(good.error());
  }
  const auto units = units_of_shard(request);
  if (!units) {
    console.error(units.error().text());
    return kUsage;
  }
  if (auto good = check_sheets(request, *units); !good) {
    console.error(good.error().text());
    return kUsage;
  }
  const auto engine = EngineChoice::choose(request, request.path);
  if (!engine) {
    console.error(engine.error().text());
    return kSomeFailed;
  }
  request.inputs.clear();  // the units hold them
  const auto make = [&](const Unit& unit, UnitShare& share) -> Result<UnitOutcome> {
    PyramidRequest own = request;
    EngineChoice own_engine = engine->for_unit(unit.index);
    use_share(share, own, own_engine);
    const auto report = run_unit(own, own_engine, unit);
    if (!report) return report.error();
    return UnitOutcome{report->engine.note, report_line(unit, *report),     {}, report->warnings,
                       report->hints,       pyramid_json(request, *report), {}};
  };
  const char* command_name = request.kind == Request::Kind::kMips ? "mips" : "hiz";
  const BatchOptions options{command_name, engine->name(), kPyramidMemoryFactor};
  const int status = run_batch(options, request, *units, make, console);
  return finish_run(request, console, status);
}

}  // namespace onepass::cli
