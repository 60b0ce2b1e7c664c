// align.cpp: `onepass align`: estimates the shift between two images by correlation of their spectra.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "elapsed.hpp"
#include "fourier_command.hpp"
#include "json_text.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "option_group.hpp"

namespace onepass::cli {
namespace {

struct AlignRequest {
  FourierRequest common;
  std::string kind = "phase", window = "hann", refinement = "fourier", engine = "auto";
};

struct Aligned {
  ShiftEstimate shift;
  CorrelationPlan plan;
  FourierReport report;  ///< Engine and times.
};

Result<Aligned> align(const AlignRequest& request, std::vector<std::string>& warnings) {
  const Request& files = request.common.files;
  Base bases[2];
  for (size_t i = 0; i < 2; ++i) {
    auto base = load_base(files, std::span(&files.inputs[i], 1));
    if (!base) return base.error().context.empty() ? about_file(files.inputs[i], base.error()) : base.error();
    if (base->image.slices() != 1) {
      return Error{ErrorCode::kUnsupported, fmt::format("has {} slices, not one", base->image.slices()),
                   files.inputs[i]};
    }
    if (auto done = associate(*base, AlphaAssociation::kPremultiplied, files.threads); !done) {
      return about_file(files.inputs[i], done.error());
    }
    for (const std::string& warning : base->warnings) warnings.push_back(files.inputs[i] + ": " + warning);
    bases[i] = std::move(*base);
  }
  const Image& first = bases[0].image;
  const Image& second = bases[1].image;
  if (first.size() != second.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("is {}, but {} is {}", size_text(second.size()), files.inputs[0], size_text(first.size())),
                 files.inputs[1]};
  }
  const auto start = Clock::now();
  const CorrelationOptions options{.size = first.size(),
                                   .first = first.format(),
                                   .second = second.format(),
                                   .kind = value_of<CorrelationKind>(request.kind),
                                   .window = value_of<CorrelationWindow>(request.window),
                                   .refinement = value_of<PeakRefinement>(request.refinement)};
  const auto plan = plan_correlation(options);
  if (!plan) return plan.error();
  Aligned aligned{.shift = {}, .plan = *plan, .report = {}};
  const auto on_vulkan = [&](const vulkan::Device& device) -> Result<double> {
    const auto found = vulkan::estimate_shift(device, options, {}, first.view(), second.view());
    if (!found) return found.error();
    aligned.shift = found->shift;
    return found->gpu_microseconds;
  };
  const auto on_cpu = [&]() -> Result<void> {
    auto correlator = cpu::Correlator::create(options, {.threads = files.threads});
    if (!correlator) return correlator.error();
    const auto found = correlator->estimate(first.view(), second.view());
    if (!found) return found.error();
    aligned.shift = *found;
    return {};
  };
  if (auto done = run_on_engine(request.common, aligned.report, {on_vulkan, on_cpu}); !done) {
    const Error& error = done.error();
    if (error.code != ErrorCode::kBadData) return error;
    return Error{error.code, error.message, files.inputs[error.context == "second" ? 1 : 0]};
  }
  aligned.report.make_ms = milliseconds_since(start);
  return aligned;
}

int run(const CLI::App& command, AlignRequest& request) {
  Request& files = request.common.files;
  files.kind = Request::Kind::kPicture;
  Console console({.quiet = false, .json = files.json});  // no --quiet: the shift is the result
  const auto refuse = [&](const Error& error, int status) {
    console.error(error.text());
    return status;
  };
  if (auto good = finish_fourier_request(command, request.common); !good) {
    return refuse(good.error(), status_of(good.error()));
  }
  if (files.inputs.size() != 2) {
    return refuse({ErrorCode::kInvalidArgument, fmt::format("align needs two images, not {}", files.inputs.size()), ""},
                  kUsage);
  }
  auto engine = EngineChoice::choose(files);
  if (!engine) return refuse(engine.error(), kSomeFailed);
  request.common.engine = std::move(*engine);
  std::vector<std::string> warnings;
  const auto aligned = align(request, warnings);
  for (const std::string& warning : warnings) console.warning(warning);
  if (!aligned) return refuse(aligned.error(), kSomeFailed);
  const ShiftEstimate& shift = aligned->shift;
  if (files.json) {
    Json json;
    json["onepass"] = ONEPASS_VERSION;
    json["command"] = "align";
    json["engine"] = aligned->report.engine;
    json["device"] = nullptr;
    if (!aligned->report.device.empty()) json["device"] = aligned->report.device;
    if (!aligned->report.note.empty()) json["note"] = aligned->report.note;
    json["inputs"] = files.inputs;
    json["shift"] = {shift.x, shift.y};
    json["confidence"] = shift.confidence;
    json["make_ms"] = aligned->report.make_ms;
    json["predicted_bytes_read"] = aligned->plan.traffic.bytes_read;
    json["predicted_bytes_written"] = aligned->plan.traffic.bytes_written;
    print_output("{}\n", json_text(json));
  } else {
    console.line(fmt::format("{:.4f} {:.4f} confidence {:.3f}", shift.x, shift.y, shift.confidence));
    if (request.common.explain) {
      const Extent size = aligned->plan.options.size;
      console.line(fmt::format("  rows of {}, columns of {}; two channels forward, one back; reads {}, writes {}",
                               length_text(size.width), length_text(size.height),
                               bytes_text(static_cast<double>(aligned->plan.traffic.bytes_read)),
                               bytes_text(static_cast<double>(aligned->plan.traffic.bytes_written))));
    }
  }
  return console.flush() ? kAllGood : kSomeFailed;
}

}  // namespace

Command add_align(CLI::App& app) {
  CLI::App* command = app.add_subcommand("align", "Estimate the shift between two images");
  command->footer(
      "Prints X Y and a confidence from 0 to 1: moved X texels to the right and Y down, the second image lies on the\n"
      "first.\n"
      "Examples:\n"
      "  onepass align frame1.png frame2.png\n"
      "  onepass align stars1.exr stars2.exr --kind cross --json");
  auto request = std::make_shared<AlignRequest>();
  FourierRequest& common = request->common;
  add_input_options(*command, common.files, common.words);
  Group what(*command, "Computation");
  what.choice<CorrelationKind>("--kind", request->kind,
                               "phase: a sharp peak; cross: for smooth and noisy images (default phase)");
  what.choice<CorrelationWindow>("--window", request->window,
                                 "Window that fades the edges; none for images that wrap around (default hann)");
  what.choice<PeakRefinement>("--refine", request->refinement,
                              "Method that estimates fractions of a texel (default fourier)");
  add_picture_options(*command, common.files.picture, common.words.picture,
                      {.output = false, .window = false, .nonfinite = "refuse"});
  Group how(*command, "Execution");
  how.choice("--engine", common.words.engine, kEngineNames, "auto: a GPU if there is one, else the CPU (default auto)");
  how.add("--device", common.files.device, "INDEX|NAME", "Vulkan device; see `onepass info`");
  how.add("--tunings", common.files.tunings, "FILE", kTuningsHelp);
  how.add("--threads", common.files.threads, "N", "CPU threads (default those that the process may use)")
      ->check(silent(CLI::Range(1, 1024)));
  Group report(*command, "Reports");
  report.flag("--explain", common.explain, "Also print the plan: lengths, their factors, bytes");
  report.flag("--json", common.files.json, "Print one JSON object");
  return [=] { return run(*command, *request); };
}

}  // namespace onepass::cli
