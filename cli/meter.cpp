// meter.cpp: `onepass meter`: luminance statistics and exposure of images as a table or JSON, and histograms.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "elapsed.hpp"
#include "histogram.hpp"
#include "light_command.hpp"
#include "option_group.hpp"
#include "path_of.hpp"

namespace onepass::cli {
namespace {

// A table line: a name, a luminance, and its log2 in stops.
std::string value_line(const std::string& name, double value) {
  const std::string stops = value > 0 ? fmt::format("{:+10.2f}", std::log2(value)) : fmt::format("{:>10}", "-");
  return fmt::format("{:<14}{:>12.6g}{}", name, value, stops);
}

std::string percent_text(double share) { return fmt::format("{:.3g} %", 100 * share); }

// The table of one slice.
void add_table(const MeterOptions& options, const MeterResult& r, std::vector<std::string>& lines) {
  if (r.valid == 0) {
    lines.push_back(fmt::format("no pixels to meter: {} NaN, {} infinite; the exposure remains {:.6g}", r.nan_count,
                                r.infinite_count, r.exposure));
    return;
  }
  lines.push_back(fmt::format("{:<14}{:>12}{:>10}", "", "luminance", "stops"));
  lines.push_back(value_line("min", r.min_luminance));
  for (size_t i = 0; i < options.percentiles.size(); ++i) {
    lines.push_back(value_line(fmt::format("{:.4g} %", 100 * double{options.percentiles[i]}), r.percentiles[i]));
  }
  lines.push_back(value_line("max", r.max_luminance));
  lines.push_back(value_line("mean", r.mean_luminance));
  lines.push_back(value_line("log-average", r.log_average));
  if (options.statistic == MeterStatistic::kPercentiles) {
    lines.push_back(value_line(fmt::format("{:.4g}..{:.4g} %", 100 * options.clip_low, 100 * options.clip_high),
                               r.metered_luminance));
  }
  lines.push_back(value_line("adapted to", r.adapted_luminance));
  lines.push_back(fmt::format("{:<14}{:>12.6g} {:.6g} {:.6g}", "mean colour", r.mean_colour[0], r.mean_colour[1],
                              r.mean_colour[2]));
  lines.push_back(fmt::format("{:<14}{:>12.6g}{:>+10.2f}", "exposure", r.exposure, std::log2(r.exposure)));
  lines.push_back(fmt::format("{:<14}{:>12.4f}", "EV100", r.ev100));
  lines.push_back(fmt::format("{:<14}{:>12}", "above white", percent_text(share_above(r, 1 / double{r.exposure}))));
  lines.push_back(fmt::format("{:<14}{:>12} metered: {} black, {} negative; not metered: {} NaN, {} infinite", "pixels",
                              r.finite_count, r.zero_count, r.negative_count, r.nan_count, r.infinite_count));
}

struct MeterCommand {
  LightRequest request;
  SequenceMeter sequence;
};

Result<LightReport> meter_unit(MeterCommand& command, const LightRequest& request, const EngineChoice& engine,
                               const Unit& unit, const Base& base, UnitShare& share) {
  const auto copy = premultiplied_copy(base, request.files.threads);
  if (!copy) return copy.error();
  auto metered =
      command.sequence.meter(request, engine, *copy ? (**copy).view() : base.image.view(), unit.index, share);
  if (!metered) return metered.error();
  LightReport report;
  report.engine = metered->engine;
  report.summary = fmt::format("{} {}, metered", base.image.slices() > 1 ? fmt::format("x{}", base.image.slices()) : "",
                               format_info(base.image.format()).name);
  Json slices = Json::array();
  for (size_t slice = 0; slice < metered->results.size(); ++slice) {
    const MeterResult& result = metered->results[slice];
    if (metered->results.size() > 1) report.lines.push_back(fmt::format("slice {}", slice));
    add_table(metered->options, result, report.lines);
    slices.push_back(meter_json(metered->options, result, true));
  }
  if (std::string warning = dark_warning(*metered); !warning.empty()) report.warnings.push_back(std::move(warning));
  report.details["metering"] = word_of(metered->options.metering);
  report.details["statistic"] = word_of(metered->options.statistic);
  report.details["exposure"] = metered->exposure;
  report.details["meter"] = std::move(slices);
  if (unit.sheet.empty()) return report;
  const auto start = Clock::now();
  if (auto made = make_directory(request.files.sheet, unit.sheet); !made) return made.error();
  const HistogramText text{
      .title = path_of(unit.inputs.front()).filename().string(),
      .size = base.image.size(),
      .metering = std::string(word_of(metered->options.metering)),
      .tone_operator = value_of<ToneOperator>(request.tone_operator),
      .operator_name = request.tone_operator,
  };
  if (auto done = write_histogram(unit.sheet, metered->options, metered->results.front(), text); !done) {
    return done.error();
  }
  report.outputs.push_back(unit.sheet);
  report.write_ms = milliseconds_since(start);
  return report;
}

}  // namespace

Command add_meter(CLI::App& app) {
  CLI::App* command = app.add_subcommand("meter", "Meter luminance: statistics, histogram, exposure");
  command->footer(
      "Examples:\n"
      "  onepass meter desk.exr\n"
      "  onepass meter desk.exr --percentiles 10,90 --histogram desk.svg\n"
      "  onepass meter shots/*.exr --json --histogram charts/\n"
      "Of an image with several slices the histogram of the first is drawn.");
  auto state = std::make_shared<MeterCommand>();
  LightRequest& request = state->request;
  add_light_files(*command, request);
  request.files.sheet_option = "--histogram";
  request.files.sheet_svg = true;
  Group chart(*command, "Files");
  chart.add("--histogram", request.files.sheet, "FILE",
            "Draw the histogram: .svg or .png; for several inputs a directory (.png) or a name with {name}");
  add_picture_options(*command, request.files.picture, request.words.picture, {.output = false});
  add_meter_options(*command, request);
  Group what(*command, "Exposure");
  what.add("--range", request.range, "LOW,HIGH",
           "log2 of the luminances that the 256 bins cover (default: the range of the pixels)");
  Group curve(*command, "Histogram");
  curve.choice<ToneOperator>("--operator", request.tone_operator,
                             "Operator whose tone curve is drawn (default agx_blender)");
  add_light_engine(*command, request);
  return [=] {
    LightRequest& r = state->request;
    if (auto good = finish_light_request(*command, r); !good) return usage_error(r, good.error());
    if (r.files.sheet.empty() && command->count("--operator") > 0) {
      return usage_error(r, {ErrorCode::kInvalidArgument, "--operator needs --histogram", ""});
    }
    return run_light(*command, r,
                     [&](const LightRequest& own, const EngineChoice& engine, const Unit& unit, Base& base,
                         UnitShare& share) { return meter_unit(*state, own, engine, unit, base, share); });
  };
}

}  // namespace onepass::cli
