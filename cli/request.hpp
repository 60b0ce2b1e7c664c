// request.hpp: the part of a command line that all commands for pictures share: inputs, outputs, engine, reports.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "names.hpp"
#include "onepass/files.hpp"
#include "picture_options.hpp"
#include "shard.hpp"
#include "standard_output.hpp"

namespace CLI {
class App;
}

namespace onepass::cli {

/// The options that commands share, after parsing.
struct Request {
  enum class Kind { kMips, kHiz, kPicture };  ///< kPicture: one image in, one image out.
  Kind kind = Kind::kMips;
  std::vector<std::string> inputs;
  std::vector<std::string> also_read;  ///< Kernels, masks and lists: no output may overwrite them.
  std::string output;
  std::string sheet;                     ///< Empty: none.
  std::string sheet_option = "--sheet";  ///< The name of its option.
  bool sheet_svg = false;                ///< The sheet may also be an .svg.
  std::string extension;  ///< Of outputs for which only a directory is given; empty: chosen by `kind` and input.
  bool cube = false;
  bool array = false;
  Format target = Format::kUndefined;  ///< kUndefined: derived from the source.
  Engine engine = Engine::kAuto;
  std::string device;
  std::string tunings;  ///< The file of --tunings, and after finish_device_options() its text; empty: none.
  files::Color color = files::Color::kAuto;
  std::vector<std::string> channels;
  Shard shard;
  uint32_t threads = 0;
  std::function<void(uint64_t bytes)> before_allocation;  ///< Passed to the readers of inputs.
  int zstd = 0;
  files::DdsHeader dds_header = files::DdsHeader::kDx10;
  Block block = Block::kNone;  ///< Format of the blocks that levels are compressed to.
  bool json = false;
  bool quiet = false;
  PictureOptions picture;
  std::shared_ptr<StandardOutput> standard_output;  ///< For -o -: `output` is then a file that is copied to stdout.

  // What the command's own options mean for its files.
  bool data = false;            ///< Texels are numbers, not colours: depth, normal maps. They have no alpha.
  bool needs_alpha = false;     ///< Grey images get four channels.
  bool one_level = false;       ///< kHiz: one image instead of levels, whose PNG is one file.
  uint32_t depth_channels = 1;  ///< kHiz: an input has at most so many channels.
};

/// Words of the shared options, as the parser stores them.
struct RequestWords {
  std::string engine = "auto";
  std::string color;
  std::string format;
  std::string zstd;
  std::string dds_header = "dx10";
  std::string shard;
  PictureWords picture;
};

/// Adds INPUT, --channel and --color.
void add_input_options(CLI::App& command, Request& request, RequestWords& words, const char* color_default = "auto");

/// Expands the inputs and converts the words of add_input_options(), add_picture_options() and --shard to values.
/// Errors: those of expand_inputs(), finish_picture_options() and parse_shard().
[[nodiscard]] Result<void> finish_inputs(const CLI::App& command, Request& request, const RequestWords& words,
                                         NonFinitePolicy nonfinite);

/// Whether report lines may go to standard output.
[[nodiscard]] inline bool reports_lines(const Request& request) {
  return !request.json && request.output != "-" && request.standard_output == nullptr;
}

/// Help texts of --device, --tunings, --threads and --shard in commands that take several inputs.
inline constexpr const char* kDeviceHelp =
    "Vulkan device, also a software device, see `onepass info`; all: the inputs are shared among all GPUs";
inline constexpr const char* kTuningsHelp = "Tunings of Vulkan devices, as `onepass tune` writes them";
inline constexpr const char* kThreadsHelp =
    "CPU threads, also the most inputs at once (default those that the process may use)";
inline constexpr const char* kShardHelp =
    "Make only every N-th unit of the inputs, beginning with number I, from 0; auto/N: I is the index of the array job";

/// Reads the file of --tunings; refuses options of devices with --engine cpu. Errors: those of read_tunings(),
/// kInvalidArgument.
[[nodiscard]] Result<void> finish_device_options(Request& request);

/// Help text of --output in commands that write one picture per input.
[[nodiscard]] const char* output_types_help();

/// The level of --zstd without a number, and of --update if the file it updates was compressed.
inline constexpr int kUsualZstd = 3;

/// The level given with --zstd; 0 without --zstd. Errors: kInvalidArgument.
[[nodiscard]] Result<int> parse_zstd(const CLI::App& command, const std::string& text);

}  // namespace onepass::cli
