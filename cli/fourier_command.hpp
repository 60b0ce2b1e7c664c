// fourier_command.hpp: what the commands on spectra share: options, the batch of units, the plan they explain.
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

inline constexpr Name<Boundary> kBoundaryNames[] = {
    {"zero", Boundary::kZero}, {"wrap", Boundary::kWrap}, {"clamp", Boundary::kClamp}, {"mirror", Boundary::kMirror}};

/// A subcommand that makes a picture of each input. `request.kind` is kPicture.
struct FourierRequest {
  Request files;
  RequestWords words;
  bool explain = false;
  EngineChoice engine;  ///< Chosen before the first unit.
};

/// Which of the shared options a command has.
struct FourierOptionSet {
  bool output_required = true;
  bool slices = true;  ///< Inputs may be stacked with --array or --cube.
};

/// Adds INPUT, --output, --channel, --color, --format, --engine, --device, --threads, --json, --quiet, --explain.
void add_fourier_options(CLI::App& command, FourierRequest& request, const FourierOptionSet& set = {});

/// Turns words into values. Errors: kInvalidArgument; a usage error.
[[nodiscard]] Result<void> finish_fourier_request(const CLI::App& command, FourierRequest& request);

/// What was made of a unit.
struct FourierReport {
  std::vector<std::filesystem::path> outputs;
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  Extent size;    ///< Of what was made.
  Extent domain;  ///< Texels transformed.
  uint32_t slices = 1;
  Traffic traffic;
  std::string engine = "cpu";  ///< Or "vulkan".
  std::string device;          ///< Name of the Vulkan device; empty for the CPU.
  std::string note;            ///< Why the CPU stood in for a device; mostly empty.
  double gpu_microseconds = 0;
  uint32_t passes = 0;
  std::vector<std::string> plan;  ///< Lines for --explain.
  double read_ms = 0;
  double make_ms = 0;
  double write_ms = 0;
  std::vector<std::string> warnings;
};

/// The two twins of an operation. On a device it returns the microseconds it took there.
struct EngineTwins {
  std::function<Result<double>(const vulkan::Device& device)> on_vulkan;
  std::function<Result<void>()> on_cpu;
};

/// Runs the one that the request's engine asks for and says so in the report. The CPU stands in for a device that the
/// program chose itself and that cannot do it.
[[nodiscard]] Result<void> run_on_engine(const FourierRequest& request, FourierReport& report,
                                         const EngineTwins& twins);

/// Makes one unit. Errors: whatever goes wrong; then no output of this unit has changed.
using FourierMaker = std::function<Result<FourierReport>(const FourierRequest& request, const Unit& unit)>;

/// The picture made of one, and how.
struct FourierPicture {
  Image image;
  FourierReport report;  ///< domain, traffic, passes, plan.
};

/// A maker that reads the image, changes it and writes it. The change sees premultiplied light and leaves such.
[[nodiscard]] FourierMaker picture_maker(
    std::function<Result<FourierPicture>(const FourierRequest& request, const Base& base)> change);

/// Runs `make` on every unit and reports. Returns the exit status.
int run_fourier(const CLI::App& command, FourierRequest& request, const FourierMaker& make);

/// Reports wrong usage. Returns its exit status.
int usage_error(const FourierRequest& request, const Error& error);

inline constexpr Name<AlphaPolicy> kAlphaPolicyNames[] = {{"pass", AlphaPolicy::kPass},
                                                          {"filter", AlphaPolicy::kFilter}};

/// Both twins of a convolution.
[[nodiscard]] EngineTwins convolution_twins(const FourierRequest& request, const ConvolutionOptions& options,
                                            const Image& kernel, const Image& source, Image& target);

/// Names the kernel's file where its weights are to blame.
[[nodiscard]] Error about_kernel(const std::string& path, const Error& error);

/// Names the file concerned, where the library named an option or nothing.
[[nodiscard]] Error about_file(const std::string& path, const Error& error);

/// The format to write: what was asked for, else the source's.
[[nodiscard]] Format target_format(const FourierRequest& request, Format source);

/// "1920 = 2^7 3 5", "97: Bluestein over 200 = 2^3 5^2".
[[nodiscard]] std::string length_text(uint32_t length);

/// The passes of a fused operation: their lines, lengths and bytes. `operation` is what happens to columns.
[[nodiscard]] std::vector<std::string> explain_fused(const TransformPlan& plan, const std::string& operation,
                                                     uint64_t operation_bytes);

/// A kernel image as the user means it.
[[nodiscard]] Result<Image> load_kernel(const FourierRequest& request, const std::string& path,
                                        const std::string& color);

/// X,Y. Errors: kInvalidArgument naming the option.
[[nodiscard]] Result<std::vector<double>> parse_numbers(const std::string& option, const std::string& text,
                                                        size_t least, size_t most);

}  // namespace onepass::cli
