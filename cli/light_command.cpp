// light_command.cpp: checks options, meters and reports for `meter` and `tonemap`. Frames of a sequence (--fps) adapt
// one after the other: each unit waits for the earlier ones before it meters.
#include "light_command.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "console.hpp"
#include "elapsed.hpp"
#include "fourier_command.hpp"
#include "option_group.hpp"
#include "option_names.hpp"
#include "path_of.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

// Peak of a unit's memory, with copies in floats, as a multiple of what reading the image takes.
constexpr uint32_t kLightMemoryFactor = 8;

/// Parses two numbers into two fields, times `scale`, if the option was given.
Result<void> take_pair(const char* option, const std::string& text, double scale, float& first, float& second) {
  if (text.empty()) return {};
  const auto numbers = parse_numbers(option, text, 2, 2);
  if (!numbers) return numbers.error();
  first = static_cast<float>((*numbers)[0] * scale);
  second = static_cast<float>((*numbers)[1] * scale);
  return {};
}

/// NaN and infinity, which JSON lacks, become null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json report_json(const LightReport& report) {
  Json json;
  json["outputs"] = Json::array();
  for (const auto& output : report.outputs) json["outputs"].push_back(output.string());
  json["engine"] = report.engine.engine;
  json["device"] = report.engine.device.empty() ? Json(nullptr) : Json(report.engine.device);
  if (!report.engine.note.empty()) json["note"] = report.engine.note;
  json["source_format"] = format_info(report.source).name;
  json["width"] = report.size.width;
  json["height"] = report.size.height;
  json["slices"] = report.slices;
  json.update(report.details);
  json["dispatches"] = report.engine.dispatches;
  json["predicted_bytes_read"] = report.engine.bytes_read;
  json["predicted_bytes_written"] = report.engine.bytes_written;
  json["read_ms"] = report.read_ms;
  json["make_ms"] = report.make_ms;
  json["write_ms"] = report.write_ms;
  json["gpu_us"] = report.engine.gpu_microseconds > 0 ? Json(report.engine.gpu_microseconds) : Json(nullptr);
  return json;
}

std::string report_line(const Unit& unit, const LightReport& report) {
  std::string outputs;
  for (const auto& output : report.outputs) outputs += (outputs.empty() ? "" : ", ") + output.string();
  std::string how = report.engine.device.empty() ? "cpu" : report.engine.device;
  if (report.engine.gpu_microseconds > 0) how += ", GPU " + time_text(report.engine.gpu_microseconds / 1000);
  return fmt::format("{}{}{}: {}{} in {} ({})", unit.inputs.front(), outputs.empty() ? "" : " -> ", outputs,
                     size_text(report.size), report.summary, time_text(report.make_ms), how);
}

/// Adds the unit's first input to an error that names no file.
Error about_unit(const Unit& unit, const Error& error) {
  const bool named = error.context == unit.output.string() || error.context == unit.sheet.string() ||
                     std::find(unit.inputs.begin(), unit.inputs.end(), error.context) != unit.inputs.end();
  return named && !error.context.empty() ? error : about_file(unit.inputs.front(), error);
}

Result<LightReport> run_unit(const LightRequest& request, const EngineChoice& engine, const Unit& unit,
                             UnitShare& share, const LightMaker& make) {
  auto start = Clock::now();
  auto base = load_base(request.files, unit.inputs);
  if (!base) return about_unit(unit, base.error());
  const double read_ms = milliseconds_since(start);
  start = Clock::now();
  const Format source = base->image.format();
  if (auto done = convert_primaries(*base, kRec709Chromaticities, request.files.threads); !done) {
    return about_unit(unit, done.error());
  }
  auto report = make(request, engine, unit, *base, share);
  if (!report) return about_unit(unit, report.error());
  report->warnings.insert(report->warnings.begin(), base->warnings.begin(), base->warnings.end());
  report->read_ms = read_ms;
  report->make_ms = milliseconds_since(start) - report->write_ms;
  report->source = source;
  report->size = base->image.size();
  report->slices = base->image.slices();
  return report;
}

/// Sets --metering and checks the options that depend on it.
Result<void> finish_metering(const CLI::App& command, LightRequest& request) {
  MeterOptions& meter = request.meter;
  meter.metering = value_of<Metering>(request.metering);
  if (!request.mask.empty()) {
    request.files.also_read.push_back(request.mask);
    if (command.count("--metering") > 0 && meter.metering != Metering::kMask) {
      return usage(fmt::format("--mask and --metering {} exclude each other", request.metering));
    }
    meter.metering = Metering::kMask;
  } else if (meter.metering == Metering::kMask) {
    return usage("--metering mask needs --mask FILE");
  }
  const bool shaped = meter.metering == Metering::kCentreWeighted || meter.metering == Metering::kSpot;
  for (const char* option : {"--centre", "--radius"}) {
    if (!shaped && command.count(option) > 0) {
      return usage(fmt::format("{} needs --metering centre_weighted or spot", option));
    }
  }
  return take_pair("--centre", request.centre, 1, meter.centre_x, meter.centre_y);
}

}  // namespace

void add_light_files(CLI::App& command, LightRequest& request) {
  Request& files = request.files;
  files.kind = Request::Kind::kPicture;
  add_input_options(command, files, request.words);
}

void add_meter_options(CLI::App& command, LightRequest& request) {
  MeterOptions& m = request.meter;
  Group what(command, "Exposure");
  what.add("--key", m.key, "GREY", "Value that the metered luminance is mapped to (default 0.18)");
  what.choice<ExposureRule>(
      "--rule", request.rule,
      "key, or saturation: the luminance that saturates a sensor at this EV100 becomes 1 (default key)");
  what.add("--compensation", m.compensation, "EV", "Exposure compensation in stops; positive is brighter (default 0)");
  what.choice<Metering>("--metering", request.metering, "Weighting of the pixels (default average)");
  what.add("--centre", request.centre, "X,Y",
           "Position of centre_weighted and spot, in fractions of the image's size (default 0.5,0.5)");
  what.add("--radius", m.radius, "R",
           "Radius of centre_weighted, in half widths and heights (default 1.41); of spot, in half the shorter side "
           "(default 0.1)");
  what.add("--mask", request.mask, "FILE",
           "Weights: the first channel of an image of the same size; implies --metering mask");
  what.choice<MeterStatistic>("--statistic", request.statistic,
                              "Statistic that is the metered luminance (default log_average)");
  what.add("--percentiles", request.clip, "LOW,HIGH",
           "Meter only pixels between these percentiles; implies --statistic percentiles (default 10,90)");
  what.add("--ev-range", request.ev_range, "LOW,HIGH", "Limits of the metered EV100 (default -32,32)");
  what.add("--delta", m.delta, "L",
           "Added to luminance before its logarithm; limits the weight of black (default 1e-4)");
  what.add("--calibration", m.calibration, "K",
           "Calibration constant of reflected-light meters, for EV100 (default 12.5)");
  Group time(command, "Sequences");
  time.add("--fps", request.fps, "F",
           "Inputs are frames of a sequence, F per second: exposure adapts from frame to frame");
  time.add("--adapt-up", m.adaptation.up_stops_per_second, "S",
           "Adaptation to brighter frames, stops per second (default 3)");
  time.add("--adapt-down", m.adaptation.down_stops_per_second, "S",
           "Adaptation to darker frames, stops per second (default 1)");
}

void add_light_engine(CLI::App& command, LightRequest& request) {
  Request& files = request.files;
  Group how(command, "Execution");
  how.choice("--engine", request.words.engine, kEngineNames,
             "auto: a GPU if there is one, else the CPU (default auto)");
  how.add("--device", files.device, "INDEX|NAME|all", kDeviceHelp);
  how.add("--tunings", files.tunings, "FILE", kTuningsHelp);
  how.add("--threads", files.threads, "N", kThreadsHelp)->check(silent(CLI::Range(1, 1024)));
  how.add("--shard", request.words.shard, "I/N|auto/N", kShardHelp);
  Group report(command, "Reports");
  report.flag("--json", files.json, "Print one JSON object: metered values, operations, sizes, times, bytes");
  report.flag("-q,--quiet", files.quiet, "Print errors only");
}

Result<void> finish_light_request(const CLI::App& command, LightRequest& request) {
  Request& files = request.files;
  if (auto good = finish_inputs(command, files, request.words, NonFinitePolicy::kKeep); !good) return good;
  MeterOptions& meter = request.meter;
  files.engine = value_of(kEngineNames, request.words.engine);
  if (!request.words.color.empty()) files.color = value_of<files::Color>(request.words.color);
  if (auto good = finish_device_options(files); !good) return good;
  meter.rule = value_of<ExposureRule>(request.rule);
  meter.statistic = value_of<MeterStatistic>(request.statistic);
  if (auto good = finish_metering(command, request); !good) return good;
  if (!request.clip.empty()) {
    if (command.count("--statistic") > 0 && meter.statistic != MeterStatistic::kPercentiles) {
      return usage(fmt::format("--percentiles and --statistic {} exclude each other", request.statistic));
    }
    meter.statistic = MeterStatistic::kPercentiles;
  }
  if (auto good = take_pair("--percentiles", request.clip, 0.01, meter.clip_low, meter.clip_high); !good) return good;
  if (meter.clip_low < 0 || meter.clip_high > 1 || !(meter.clip_low < meter.clip_high)) {
    return usage(fmt::format("--percentiles: '{}' is not two ascending numbers from 0 to 100", request.clip));
  }
  auto good = take_pair("--ev-range", request.ev_range, 1, meter.lowest_ev100, meter.highest_ev100);
  if (good && !request.ev_range.empty() && !(meter.lowest_ev100 < meter.highest_ev100)) {
    return usage(fmt::format("--ev-range: '{}' is not two ascending numbers", request.ev_range));
  }
  if (good) good = take_pair("--range", request.range, 1, meter.histogram_low, meter.histogram_high);
  if (good && !request.range.empty() && !(meter.histogram_low < meter.histogram_high)) {
    return usage(fmt::format("--range: '{}' is not two ascending numbers", request.range));
  }
  if (!good) return good;
  if (command.count("--fps") > 0 && !(request.fps > 0 && request.fps <= 100000)) {
    return usage(fmt::format("--fps: {} is not above 0 and at most 100000", request.fps));
  }
  if (request.fps > 0 && files.shard.count > 1) {
    return usage("--fps and --shard exclude each other: exposure adapts from every frame to the next");
  }
  for (const char* option : {"--adapt-up", "--adapt-down"}) {
    if (request.fps == 0 && command.count(option) > 0) return usage(fmt::format("{} needs --fps", option));
  }
  // Only ranges of numbers are left to check: the library does it, and names the field.
  MeterOptions sample = meter;
  sample.size = {1, 1};
  sample.source = sample.mask = Format::kRGBA32Sfloat;
  if (sample.metering != Metering::kMask) sample.mask = Format::kUndefined;
  if (const auto plan = plan_meter(sample); !plan) return usage(plan.error().message);
  return {};
}

Result<std::optional<Image>> premultiplied_copy(const Base& base, uint32_t threads) {
  if (base.info.alpha != AlphaAssociation::kStraight || !has_transparency(base.image.view())) {
    return std::optional<Image>();
  }
  auto copy = Image::create(Format::kRGBA32Sfloat, base.image.size(), base.image.slices());
  if (!copy) return copy.error();
  const ColorConversion conversion{.from = AlphaAssociation::kStraight, .to = AlphaAssociation::kPremultiplied};
  if (auto done = convert_colors(base.image.view(), copy->view(), conversion, threads); !done) return done.error();
  return std::optional<Image>(std::move(*copy));
}

// Meters `image`; of a sequence, adapts from the last image before it.
Result<void> SequenceMeter::adapt(const LightRequest& request, const EngineChoice& engine, const ImageView& image,
                                  const ImageView& mask, size_t index, Metered& out) {
  out.results.assign(image.slices, {});
  MeterFrame frame;
  if (!recent_.empty()) {
    const auto& [last, before] = *recent_.rbegin();
    if (before.results.size() == image.slices) {
      out.results = before.results;
      frame = {.seconds = static_cast<float>(index - last) / request.fps, .cut = false};
    }
  }
  auto made = engine.meter(out.options, image, out.results, frame, mask);
  if (!made) return made.error();
  out.engine = std::move(*made);
  double stops = 0;
  for (const MeterResult& result : out.results) stops += std::log2(double{usable_exposure(result.exposure)});
  out.exposure = static_cast<float>(std::exp2(stops / static_cast<double>(out.results.size())));
  return {};
}

Result<Metered> SequenceMeter::meter(const LightRequest& request, const EngineChoice& engine, const ImageView& image,
                                     size_t index, UnitShare& share) {
  Metered out;
  out.options = request.meter;
  out.options.size = image.size;
  out.options.slices = image.slices;
  out.options.source = image.format;
  files::ImageFile mask;
  ImageView mask_view;
  if (!request.mask.empty()) {
    auto file = files::read(path_of(request.mask), {.color = files::Color::kLinear,
                                                    .max_bytes = request.files.picture.max_memory,
                                                    .threads = request.files.threads});
    if (!file) return file.error();
    mask = std::move(*file);
    mask_view = mask.base();
    if (mask_view.size != image.size) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("mask: {} is {}, but the image is {}", request.mask, size_text(mask_view.size),
                               size_text(image.size)),
                   ""};
    }
    mask_view.slices = 1;
    out.options.mask = mask_view.format;
  }
  if (request.fps == 0) {
    if (auto done = adapt(request, engine, image, mask_view, index, out); !done) return done.error();
    return out;
  }
  if (auto first = share.wait_for_earlier(); !first) return first.error();
  if (const auto made = recent_.find(index); made != recent_.end()) return made->second;  // the unit is repeated
  if (auto done = adapt(request, engine, image, mask_view, index, out); !done) return done.error();
  recent_.emplace(index, out);
  constexpr size_t kMostAtOnce = 1024;  // the limit of --threads
  if (recent_.size() > kMostAtOnce) recent_.erase(recent_.begin());
  share.let_later_pass();
  return out;
}

std::string dark_warning(const Metered& metered) {
  for (const MeterResult& result : metered.results) {
    if (result.valid != 0 && result.has_history == 0 && result.max_luminance > 0) {
      return fmt::format("no pixel is brighter than --delta {:.3g} (the brightest is {:.3g}): exposure 1",
                         metered.options.delta, result.max_luminance);
    }
  }
  return {};
}

double share_above(const MeterResult& result, double luminance) {
  if (result.total_weight == 0 || !(luminance > 0)) return 0;
  const size_t bins = result.histogram.size();
  const double width = (double{result.histogram_high} - result.histogram_low) / static_cast<double>(bins);
  const double place = (std::log2(luminance) - result.histogram_low) / width;
  double above = 0;
  for (size_t i = 0; i < bins; ++i) {
    const double part = std::clamp(static_cast<double>(i) + 1 - place, 0.0, 1.0);
    above += part * static_cast<double>(result.histogram[i]);
  }
  // The last bin also counts luminance above the range; the maximum is exact.
  if (luminance >= double{result.max_luminance}) return 0;
  return above / static_cast<double>(result.total_weight);
}

Json meter_json(const MeterOptions& options, const MeterResult& result, bool histogram) {
  Json json;
  json["valid"] = result.valid != 0;
  json["exposure"] = number(result.exposure);
  json["exposure_ev"] = number(std::log2(result.exposure));
  json["ev100"] = number(result.ev100);
  json["metered_luminance"] = number(result.metered_luminance);
  json["adapted_luminance"] = number(result.adapted_luminance);
  json["log_average"] = number(result.log_average);
  json["mean_luminance"] = number(result.mean_luminance);
  json["min_luminance"] = number(result.min_luminance);
  json["max_luminance"] = number(result.max_luminance);
  json["mean_colour"] = Json::array();
  for (const float channel : result.mean_colour) json["mean_colour"].push_back(number(channel));
  json["percentiles"] = Json::array();
  for (size_t i = 0; i < options.percentiles.size(); ++i) {
    const double percent = std::round(1e4 * double{options.percentiles[i]}) / 100;
    json["percentiles"].push_back({{"percent", percent}, {"luminance", number(result.percentiles[i])}});
  }
  json["above_white"] = share_above(result, 1 / double{usable_exposure(result.exposure)});
  json["finite"] = result.finite_count;
  json["nan"] = result.nan_count;
  json["infinite"] = result.infinite_count;
  json["negative"] = result.negative_count;
  json["black"] = result.zero_count;
  json["total_weight"] = result.total_weight;
  json["zero_weight"] = result.zero_weight;
  if (histogram) {
    json["histogram"] = {{"log2_low", result.histogram_low}, {"log2_high", result.histogram_high}};
    json["histogram"]["weights"] = result.histogram;
  }
  return json;
}

int run_light(const CLI::App& command, LightRequest& request, const LightMaker& make) {
  Console console({.quiet = request.files.quiet, .json = !reports_lines(request.files)});
  const auto units = units_of_shard(request.files);
  if (!units) {
    console.error(units.error().text());
    return kUsage;
  }
  const auto engine = EngineChoice::choose(request.files);
  if (!engine) {
    console.error(engine.error().text());
    return kSomeFailed;
  }
  request.files.inputs.clear();  // the units hold them
  const auto make_unit = [&](const Unit& unit, UnitShare& share) -> Result<UnitOutcome> {
    LightRequest own = request;
    EngineChoice own_engine = engine->for_unit(unit.index);
    use_share(share, own.files, own_engine);
    const auto report = run_unit(own, own_engine, unit, share, make);
    if (!report) return report.error();
    return UnitOutcome{
        report->engine.note, report_line(unit, *report), report->lines, report->warnings, {}, report_json(*report),
        report->remarks};
  };
  const BatchOptions options{command.get_name(), engine->name(), kLightMemoryFactor};
  const int status = run_batch(options, request.files, *units, make_unit, console);
  return finish_run(request.files, console, status);
}

int usage_error(const LightRequest& request, const Error& error) {
  Console console({.quiet = request.files.quiet, .json = request.files.json});
  console.error(in_option_names(error).text());
  return status_of(error);
}

}  // namespace onepass::cli
