// fourier_command.hpp: shared by fft, filter, convolve, bloom, align and deconvolve: options, the batch of units,
// choice of engine, plans for --explain.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine.hpp"
#include "input.hpp"
#include "onepass/fourier.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "output.hpp"

namespace onepass::cli {

/// A subcommand that makes a picture of each input. `request.kind` is kPicture.
struct FourierRequest {
  Request files;
  RequestWords words;
  bool explain = false;
  EngineChoice engine;  ///< Chosen before the first unit.
};

/// Which of the shared options a command offers.
struct FourierOptionSet {
  bool output_required = true;
  bool slices = true;  ///< Inputs may be stacked with --array or --cube.
};

/// Adds INPUT, --output, --channel, --color, --format, --engine, --device, --threads, --shard,
/// --json, --quiet, --explain.
void add_fourier_options(CLI::App& command, FourierRequest& request, const FourierOptionSet& set = {});

/// Converts words to values. Errors: kInvalidArgument, a usage error.
[[nodiscard]] Result<void> finish_fourier_request(const CLI::App& command, FourierRequest& request);

/// Report of one unit.
struct FourierReport {
  std::vector<std::filesystem::path> outputs;
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  Extent size;    ///< Of the result.
  Extent domain;  ///< Texels transformed.
  uint32_t slices = 1;
  Traffic traffic;
  std::string engine = "cpu";  ///< Or "vulkan".
  std::string device;          ///< Name of the Vulkan device; empty for the CPU.
  std::string note;            ///< Why the CPU replaced the device; empty if it did not.
  double gpu_microseconds = 0;
  uint32_t passes = 0;
  std::vector<std::string> plan;  ///< Lines for --explain.
  double read_ms = 0;
  double make_ms = 0;
  double write_ms = 0;
  std::vector<std::string> warnings;
};

/// The Vulkan and the CPU version of an operation; the former returns its GPU time in microseconds.
struct EngineVersions {
  std::function<Result<double>(const vulkan::Device& device)> on_vulkan;
  std::function<Result<void>()> on_cpu;
};

/// Runs the version for the request's engine and reports it. The CPU replaces a device that the program itself chose
/// and that cannot do the work.
[[nodiscard]] Result<void> run_on_engine(const FourierRequest& request, FourierReport& report,
                                         const EngineVersions& versions);

/// Computes and writes one unit. On an error its outputs are unchanged. `request` is the unit's own. Called from
/// several threads at once.
using FourierMaker = std::function<Result<FourierReport>(const FourierRequest& request, const Unit& unit)>;

/// The result of an operation, and its report.
struct FourierPicture {
  Image image;
  FourierReport report;  ///< domain, traffic, passes, plan.
};

/// A maker that reads the image, applies `change` and writes the result. `change` receives and returns premultiplied
/// colours.
[[nodiscard]] FourierMaker picture_maker(
    std::function<Result<FourierPicture>(const FourierRequest& request, const Base& base)> change);

/// Runs `make` on every unit and reports. Returns the exit status.
int run_fourier(const CLI::App& command, FourierRequest& request, const FourierMaker& make);

/// Reports wrong usage. Returns its exit status.
int usage_error(const FourierRequest& request, const Error& error);

/// The treatment of alpha in `base`: as --alpha says; without the option `automatic`, or a copy if `base` has no alpha.
[[nodiscard]] inline AlphaPolicy alpha_policy(const std::string& word, AlphaPolicy automatic, const Base& base) {
  if (!word.empty()) return value_of<AlphaPolicy>(word);
  return base.info.alpha == AlphaAssociation::kNone ? AlphaPolicy::kPass : automatic;
}

/// Both versions of a convolution. The references must outlive the result.
[[nodiscard]] EngineVersions convolution_versions(const FourierRequest& request, const ConvolutionOptions& options,
                                                  const Image& kernel, const Image& source, Image& target);

/// Names the kernel's file if its weights caused the error (kBadData).
[[nodiscard]] Error about_kernel(const std::string& path, const Error& error);

/// Adds the file's name to an error in which the library named an option or nothing.
[[nodiscard]] Error about_file(const std::string& path, const Error& error);

/// The format to write: --format, else the source's, for depth the colour format of its width.
[[nodiscard]] Format target_format(const FourierRequest& request, Format source);

/// "1920 = 2^7 3 5", "97: Bluestein, it has the factor 97".
[[nodiscard]] std::string length_text(uint32_t length);

/// The passes of a fused operation: lines, lengths, bytes. `operation` is the step between the two transforms of
/// columns; it reads `operation_bytes`.
[[nodiscard]] std::vector<std::string> explain_fused(const TransformPlan& plan, const std::string& operation,
                                                     uint64_t operation_bytes);

/// Reads a kernel image of one slice. `color`: a word of files::Color, empty for auto.
[[nodiscard]] Result<Image> load_kernel(const FourierRequest& request, const std::string& path,
                                        const std::string& color);

/// Parses `least` to `most` finite numbers separated by commas. Errors: kInvalidArgument naming the option.
[[nodiscard]] Result<std::vector<double>> parse_numbers(const std::string& option, const std::string& text,
                                                        size_t least, size_t most);

}  // namespace onepass::cli
