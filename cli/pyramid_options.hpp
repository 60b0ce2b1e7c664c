// pyramid_options.hpp: what `mips` and `hiz` are asked to do.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "names.hpp"
#include "onepass/files.hpp"
#include "onepass/pyramid.hpp"
#include "picture_options.hpp"
#include "standard_output.hpp"

namespace CLI {
class App;
}

namespace onepass::cli {

/// The options of one run, after parsing.
struct Request {
  enum class Kind { kMips, kHiz, kPicture };  ///< kPicture: one image in, one image out.
  Kind kind = Kind::kMips;
  std::vector<std::string> inputs;
  std::vector<std::string> also_read;  ///< Kernels and masks: no output may overwrite them.
  std::string output;
  std::string sheet;                     ///< Empty: none.
  std::string sheet_option = "--sheet";  ///< As which the user knows it.
  bool sheet_svg = false;                ///< It may also be an .svg.
  std::string extension;  ///< Of outputs where only a directory is named; empty: what suits `kind` and input.
  bool cube = false;
  bool array = false;
  PyramidOptions pyramid;              ///< All but size, slices and formats.
  uint32_t factor = 0;                 ///< Side of the tiles of the one image to make; 0: a pyramid.
  Format target = Format::kUndefined;  ///< kUndefined: follows from the source.
  Engine engine = Engine::kAuto;
  std::string device;
  PyramidPath path = PyramidPath::kAuto;
  files::Color color = files::Color::kAuto;
  std::vector<std::string> channels;
  std::optional<Rect> region;
  std::string update;
  uint32_t threads = 0;
  int zstd = 0;
  bool reversed_z = false;
  bool json = false;
  bool quiet = false;
  PictureOptions picture;
  std::shared_ptr<StandardOutput> standard_output;  ///< Of -o -; then `output` is a file that will be copied.
};

/// Words as the parser fills them in.
struct RequestWords {
  std::string reduction;
  std::string footprint = "covering";
  std::string alpha = "independent";
  std::string engine = "auto";
  std::string path = "auto";
  std::string color;
  std::string format;
  std::string region;
  std::string zstd;
  bool normal_map = false;
  PictureWords picture;
};

/// Adds the options of `request.kind` to a subcommand.
void add_request_options(CLI::App& command, Request& request, RequestWords& words);

/// Adds INPUT, --channel and --color, alike in every command that reads pictures.
void add_input_options(CLI::App& command, Request& request, RequestWords& words, const char* color_default = "auto");

/// Expands the inputs and turns the words that add_input_options() and add_picture_options() added into values.
/// Errors: those of expand_inputs() and finish_picture_options().
[[nodiscard]] Result<void> finish_inputs(const CLI::App& command, Request& request, const RequestWords& words,
                                         NonFinitePolicy nonfinite);

/// Whether lines of reports may go to standard output.
[[nodiscard]] inline bool reports_lines(const Request& request) {
  return !request.json && request.output != "-" && request.standard_output == nullptr;
}

/// What an output's name means, for the end of help.
[[nodiscard]] const char* output_help();

/// What --output takes where one picture is written.
[[nodiscard]] const char* output_types_help();

/// The level of --zstd without a number, and of what --update writes in the place of a compressed file.
inline constexpr int kUsualZstd = 3;

/// The level that --zstd asks for, 0 for none. Errors: kInvalidArgument.
[[nodiscard]] Result<int> parse_zstd(const CLI::App& command, const std::string& text);

/// Turns words into values. Errors: kInvalidArgument for options that contradict each other; a usage error.
[[nodiscard]] Result<void> finish_request(const CLI::App& command, Request& request, const RequestWords& words);

}  // namespace onepass::cli
