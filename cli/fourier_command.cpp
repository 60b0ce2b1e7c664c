// fourier_command.cpp: a unit is read, converted to linear premultiplied light, changed by the command, and converted
// to the output's alpha and format, in this order: sums of texels are right in premultiplied light only.
#include "fourier_command.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>

#include "console.hpp"
#include "elapsed.hpp"
#include "option_group.hpp"
#include "option_names.hpp"
#include "path_of.hpp"
#include "unit_batch.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

// Peak of a unit's memory, with the image in floats and its spectrum, as a multiple of what reading the image takes.
constexpr uint32_t kFourierMemoryFactor = 12;

Json fourier_json(const FourierReport& report) {
  Json json;
  json["outputs"] = Json::array();
  for (const auto& output : report.outputs) json["outputs"].push_back(output.string());
  json["engine"] = report.engine;
  json["device"] = report.device.empty() ? Json(nullptr) : Json(report.device);
  if (!report.note.empty()) json["note"] = report.note;
  json["source_format"] = format_info(report.source).name;
  json["format"] = format_info(report.target).name;
  json["width"] = report.size.width;
  json["height"] = report.size.height;
  json["slices"] = report.slices;
  json["domain"] = {report.domain.width, report.domain.height};
  json["passes"] = report.passes;
  json["predicted_bytes_read"] = report.traffic.bytes_read;
  json["predicted_bytes_written"] = report.traffic.bytes_written;
  if (!report.plan.empty()) json["plan"] = report.plan;
  json["read_ms"] = report.read_ms;
  json["make_ms"] = report.make_ms;
  json["gpu_us"] = report.gpu_microseconds > 0 ? Json(report.gpu_microseconds) : Json(nullptr);
  json["write_ms"] = report.write_ms;
  return json;
}

std::string report_line(const Unit& unit, const FourierReport& report) {
  std::string outputs;
  for (const auto& output : report.outputs) outputs += (outputs.empty() ? "" : ", ") + output.string();
  std::string how = report.device.empty() ? report.engine : report.device;
  if (report.gpu_microseconds > 0) how += ", GPU " + time_text(report.gpu_microseconds / 1000);
  return fmt::format("{} -> {}: {}{} {} in {} ({})", unit.inputs.front(), outputs, size_text(report.size),
                     report.slices > 1 ? fmt::format("x{}", report.slices) : "", format_info(report.target).name,
                     time_text(report.make_ms), how);
}

// Powers of 2, 3, 5, 7 in `length`: "2^7 3 5". `rest`: product of the other factors.
std::string factors_text(uint32_t length, uint32_t& rest) {
  std::string text;
  rest = length;
  for (const uint32_t factor : {2U, 3U, 5U, 7U}) {
    uint32_t power = 0;
    for (; rest % factor == 0; rest /= factor) ++power;
    if (power == 0) continue;
    text += text.empty() ? "" : " ";
    text += power == 1 ? fmt::format("{}", factor) : fmt::format("{}^{}", factor, power);
  }
  return text.empty() ? "1" : text;
}

}  // namespace

void add_fourier_options(CLI::App& command, FourierRequest& request, const FourierOptionSet& set) {
  Request& files = request.files;
  files.kind = Request::Kind::kPicture;
  add_input_options(command, files, request.words);
  Group group(command, "Files");
  auto* output = group.add("-o,--output", files.output, "FILE", output_types_help());
  if (set.output_required) output->required();
  group
      .add("--format", request.words.format, "FORMAT",
           "Format of the result, as `onepass info` lists them (default the input's)")
      ->check(one_of(format_words(true)));
  if (set.slices) {
    group.flag("--cube", files.cube, "Six inputs are the faces +X -X +Y -Y +Z -Z of a cube map");
    group.flag("--array", files.array, "The inputs are the layers of one array");
    group.add("--zstd", request.words.zstd, "[LEVEL]",
              "Compress KTX2 with Zstandard: 1 to 22, 3 if no number is given");
  }
  add_picture_options(command, files.picture, request.words.picture, {.nonfinite = "refuse"});
  Group how(command, "Execution");
  how.choice("--engine", request.words.engine, kEngineNames,
             "auto: a GPU if there is one, else the CPU (default auto)");
  how.add("--device", files.device, "INDEX|NAME|all", kDeviceHelp);
  how.add("--tunings", files.tunings, "FILE", kTuningsHelp);
  how.add("--threads", files.threads, "N", kThreadsHelp)->check(silent(CLI::Range(1, 1024)));
  how.add("--shard", request.words.shard, "I/N|auto/N", kShardHelp);
  Group report(command, "Reports");
  report.flag("--explain", request.explain, "Also print the plan: passes, lines, lengths and their factors, bytes");
  report.flag("--json", files.json, "Print one JSON object: operations, sizes, times, bytes");
  report.flag("-q,--quiet", files.quiet, "Print errors only");
}

Result<void> finish_fourier_request(const CLI::App& command, FourierRequest& request) {
  Request& files = request.files;
  if (auto good = finish_inputs(command, files, request.words, NonFinitePolicy::kRefuse); !good) return good;
  files.engine = value_of(kEngineNames, request.words.engine);
  if (!request.words.color.empty()) files.color = value_of<files::Color>(request.words.color);
  if (!request.words.format.empty()) files.target = format_of(request.words.format);
  if (command.get_option_no_throw("--zstd") != nullptr) {
    const auto zstd = parse_zstd(command, request.words.zstd);
    if (!zstd) return zstd.error();
    files.zstd = *zstd;
  }
  if (files.cube && files.array) return usage("--cube and --array exclude each other");
  if (files.cube && files.inputs.size() != 6 && files.inputs.size() != 1) {
    return usage(fmt::format("--cube needs six inputs, not {}", files.inputs.size()));
  }
  return finish_device_options(files);
}

Result<void> run_on_engine(const FourierRequest& request, FourierReport& report, const EngineVersions& versions) {
  const auto done = request.engine.with_fallback([&](const vulkan::Device* device) -> Result<EngineReport> {
    EngineReport made;
    if (device == nullptr) {
      if (auto good = versions.on_cpu(); !good) return good.error();
    } else {
      const auto microseconds = versions.on_vulkan(*device);
      if (!microseconds) return microseconds.error();
      made.gpu_microseconds = *microseconds;
    }
    return made;
  });
  if (!done) return done.error();
  report.engine = done->engine;
  report.device = done->device;
  report.note = done->note;
  report.gpu_microseconds = done->gpu_microseconds;
  return {};
}

EngineVersions convolution_versions(const FourierRequest& request, const ConvolutionOptions& options,
                                    const Image& kernel, const Image& source, Image& target) {
  return {.on_vulkan = [&](const vulkan::Device& device) -> Result<double> {
            const auto done = vulkan::convolve_image(device, options, {}, kernel.view(), source.view(), target.view());
            if (!done) return done.error();
            return done->gpu_microseconds;
          },
          .on_cpu = [&]() -> Result<void> {
            auto convolver = cpu::Convolver::create(options, {.threads = request.files.threads});
            if (!convolver) return convolver.error();
            if (auto set = convolver->set_kernel(kernel.view()); !set) return set;
            return convolver->convolve(source.view(), target.view());
          }};
}

Error about_kernel(const std::string& path, const Error& error) {
  return error.code == ErrorCode::kBadData ? about_file(path, error) : error;
}

int usage_error(const FourierRequest& request, const Error& error) {
  Console console({.quiet = request.files.quiet, .json = request.files.json});
  console.error(in_option_names(error).text());
  return status_of(error);
}

Error about_file(const std::string& path, const Error& library_error) {
  const Error error = in_option_names(library_error);
  return {error.code, error.context.empty() ? error.message : error.context + ": " + error.message, path};
}

Format target_format(const FourierRequest& request, Format source) {
  if (request.files.target != Format::kUndefined) return request.files.target;
  if (source == Format::kD16Unorm) return Format::kR16Unorm;
  return source == Format::kD32Sfloat ? Format::kR32Sfloat : source;
}

namespace {

// Converts to the output's primaries and to premultiplied colours, in which sums of texels are right.
Result<void> prepare_light(const FourierRequest& request, const Unit& unit, Base& base) {
  const files::Type type = files::type_of_extension(unit.output);
  const auto primaries = output_primaries_for(request.files.picture, base, type);
  if (auto done = convert_primaries(base, primaries, request.files.threads); !done) return done;
  return associate(base, AlphaAssociation::kPremultiplied, request.files.threads);
}

// Sets texels to 0 whose channels are all below 2^-20 of the largest value. Transforms leave rounding errors of about
// 1e-7 of the largest value in transparent texels, which the division by alpha would turn into colours.
Result<void> clear_noise(Image& image) try {
  constexpr float kNoise = 0x1p-20F;
  const ImageView view = image.view();
  const uint32_t width = view.size.width;
  std::vector<float> row(size_t{4} * width);
  const auto for_rows = [&](const auto& visit) {
    for (uint32_t slice = 0; slice < view.slices; ++slice) {
      for (uint32_t y = 0; y < view.size.height; ++y) {
        decode_row(view.format, view.row(y, slice), width, row.data());
        visit(y, slice);
      }
    }
  };
  float largest = 0;
  for_rows([&](uint32_t, uint32_t) {
    for (const float value : row) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  });
  for_rows([&](uint32_t y, uint32_t slice) {
    bool changed = false;
    for (size_t x = 0; x < row.size(); x += 4) {
      const auto is_noise = [&](float value) { return std::abs(value) <= kNoise * largest; };
      if (!std::all_of(&row[x], &row[x] + 4, is_noise)) continue;
      std::fill_n(&row[x], 4, 0.0F);
      changed = true;
    }
    if (changed) encode_row(view.format, row.data(), width, image.view().row(y, slice));
  });
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "out of memory for a row", ""};
}

// Converts the picture to `target` and to the file's alpha. Returns the number of texels whose light straight colours
// cannot hold.
Result<uint64_t> finish_light(Image& image, PictureInfo& info, AlphaAssociation stored_alpha, Format target,
                              uint32_t threads) {
  const bool divides = info.alpha == AlphaAssociation::kPremultiplied && stored_alpha == AlphaAssociation::kStraight &&
                       has_transparency(image.view());
  if (!divides && image.format() == target) return uint64_t{0};
  if (divides) {
    if (auto done = clear_noise(image); !done) return done.error();
  }
  const ColorConversion conversion{.from = info.alpha, .to = divides ? stored_alpha : info.alpha};
  auto out = Image::create(target, image.size(), image.slices());
  if (!out) return out.error();
  const auto report = convert_colors(image.view(), out->view(), conversion, threads);
  if (!report) return report.error();
  image = std::move(*out);
  if (divides) info.alpha = stored_alpha;
  return report->emissive_texels;
}

}  // namespace

FourierMaker picture_maker(std::function<Result<FourierPicture>(const FourierRequest&, const Base&)> change) {
  return [change = std::move(change)](const FourierRequest& request, const Unit& unit) -> Result<FourierReport> {
    const std::string& name = unit.inputs.front();
    auto start = Clock::now();
    auto base = load_base(request.files, unit.inputs);
    if (!base) return base.error().context.empty() ? about_file(name, base.error()) : base.error();
    const double read_ms = milliseconds_since(start);
    start = Clock::now();
    const AlphaAssociation stored_alpha =
        output_alpha_for(request.files.picture, *base, files::type_of_extension(unit.output));
    const Format target = target_format(request, base->format);
    if (auto done = prepare_light(request, unit, *base); !done) return about_file(name, done.error());
    // Quantised values that became floats are quantised again after the division by alpha, not before it.
    FourierRequest inner = request;
    if (base->format != base->image.format()) inner.files.target = base->image.format();
    auto made = change(inner, *base);
    if (!made) return about_file(name, made.error());
    FourierReport report = std::move(made->report);
    auto emissive = finish_light(made->image, base->info, stored_alpha, target, request.files.threads);
    if (!emissive) return about_file(name, emissive.error());
    report.warnings = std::move(base->warnings);
    if (*emissive > 0) report.warnings.push_back(emission_warning(*emissive));
    if (made->image.size() != base->image.size()) {
      base->info.data_window.reset();
      base->info.display_window.reset();
    }
    report.read_ms = read_ms;
    report.make_ms = milliseconds_since(start);
    report.source = base->image.format();
    report.target = made->image.format();
    report.size = made->image.size();
    report.slices = made->image.slices();
    if (!request.explain) report.plan.clear();
    start = Clock::now();
    auto written = write_picture(request.files, unit.output, made->image.view(), base->info, stored_alpha);
    if (!written) return written.error();
    report.outputs = {unit.output};
    report.write_ms = milliseconds_since(start);
    return report;
  };
}

int run_fourier(const CLI::App& command, FourierRequest& request, const FourierMaker& make) {
  Console console({.quiet = request.files.quiet, .json = !reports_lines(request.files)});
  const auto refuse = [&](const Error& error, int status) {
    console.error(error.text());
    return status;
  };
  if (auto good = finish_fourier_request(command, request); !good) {
    return refuse(good.error(), status_of(good.error()));
  }
  const auto units = units_of_shard(request.files);
  if (!units) return refuse(units.error(), kUsage);
  auto engine = EngineChoice::choose(request.files);
  if (!engine) return refuse(engine.error(), kSomeFailed);
  request.engine = std::move(*engine);
  request.files.inputs.clear();  // the units hold them
  const auto make_unit = [&](const Unit& unit, UnitShare& share) -> Result<UnitOutcome> {
    FourierRequest own = request;
    own.engine = request.engine.for_unit(unit.index);
    use_share(share, own.files, own.engine);
    const auto report = make(own, unit);
    if (!report) return report.error();
    return UnitOutcome{
        report->note, report_line(unit, *report), report->plan, report->warnings, {}, fourier_json(*report), {}};
  };
  const BatchOptions options{command.get_name(), request.engine.name(), kFourierMemoryFactor};
  const int status = run_batch(options, request.files, *units, make_unit, console);
  return finish_run(request.files, console, status);
}

std::string length_text(uint32_t length) {
  uint32_t rest = 0;
  const std::string factors = factors_text(length, rest);
  if (rest == 1) return fmt::format("{} = {}", length, factors);
  return fmt::format("{}: Bluestein's algorithm, because of the factor {}", length, rest);
}

std::vector<std::string> explain_fused(const TransformPlan& plan, const std::string& operation,
                                       uint64_t operation_bytes) {
  const TransformOptions& o = plan.options;
  const uint64_t pair = 8;
  const uint64_t row = pair * plan.spectrum_size.width * plan.spectrum_channels * o.slices;
  const auto bytes = [](uint64_t count) { return bytes_text(static_cast<double>(count)); };
  const uint64_t rows_in = row * o.crop.height, rows_out = row * o.result.height;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("domain {} for {} texels at ({}, {}), boundary {}", size_text(o.size),
                              size_text({o.crop.width, o.crop.height}), o.placement.x, o.placement.y,
                              word_of(o.boundary)));
  lines.push_back(fmt::format("pass 1, rows: {} lines of {}, {} channels; reads {}, writes {}", o.crop.height,
                              length_text(o.size.width), o.channels, bytes(plan.forward.bytes_read - rows_in),
                              bytes(rows_in)));
  lines.push_back(fmt::format("pass 2, columns: {} lines of {}; forward, {}, inverse; reads {}, writes {}",
                              plan.spectrum_size.width, length_text(o.size.height), operation,
                              bytes(rows_in + operation_bytes), bytes(rows_out)));
  lines.push_back(fmt::format("pass 3, rows: {} lines of {}; reads {}, writes {}", o.result.height,
                              length_text(o.size.width), bytes(rows_out),
                              bytes(plan.inverse.bytes_written - rows_out)));
  return lines;
}

Result<Image> load_kernel(const FourierRequest& request, const std::string& path, const std::string& color) {
  files::ReadOptions options{.color = color.empty() ? files::Color::kAuto : value_of<files::Color>(color),
                             .max_bytes = request.files.picture.max_memory,
                             .threads = request.files.threads};
  auto file = files::read(path_of(path), options);
  if (!file) return file.error();
  Image& image = file->levels.front();
  if (image.slices() != 1) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("has {} slices; a kernel has one", image.slices()), path};
  }
  return std::move(image);
}

Result<std::vector<double>> parse_numbers(const std::string& option, const std::string& text, size_t least,
                                          size_t most) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more;) {
    double number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || !std::isfinite(number)) break;
    numbers.push_back(number);
    at = next;
    more = at != end && *at == ',';
    if (more) ++at;
  }
  if (at == end && !text.ends_with(',') && numbers.size() >= least && numbers.size() <= most) return numbers;
  const std::string wanted = least == most ? fmt::format("{}", least) : fmt::format("{} or {}", least, most);
  return usage(
      fmt::format("{}: '{}' is not {} number{} separated by commas", option, text, wanted, most == 1 ? "" : "s"));
}

}  // namespace onepass::cli
