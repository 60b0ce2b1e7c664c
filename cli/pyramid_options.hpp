// pyramid_options.hpp: the options of `mips` and `hiz`.
#pragma once

#include <optional>
#include <string>

#include "onepass/blocks.hpp"
#include "onepass/pyramid.hpp"
#include "request.hpp"

namespace onepass::cli {

/// The options of `mips` and `hiz`, after parsing.
struct PyramidRequest : Request {
  PyramidOptions pyramid;  ///< Without size, slices and formats, which the input determines.
  uint32_t factor = 0;     ///< Side of the tiles of a tile reduction; 0: a pyramid.
  PyramidPath path = PyramidPath::kAuto;
  std::string update;  ///< Empty: none.
  std::optional<Rect> region;
  bool reversed_z = false;
  BlockOptions block_options;
};

/// Words of the options, as the parser stores them.
struct PyramidWords : RequestWords {
  std::string reduction;
  std::string footprint = "covering";
  std::string alpha = "independent";
  std::string filter = "box";
  std::string filter_input = "finer_level";
  std::string boundary = "clamp";
  std::string ringing = "keep";
  std::string path = "auto";
  std::string region;
  bool normal_map = false;
  std::string block = "none";
  std::string block_quality = "normal";
  std::string block_metric = "uniform";
};

/// Adds the options of `request.kind` to a subcommand.
void add_pyramid_options(CLI::App& command, PyramidRequest& request, PyramidWords& words);

/// Converts the words to values. Errors: kInvalidArgument, a usage error, for options that contradict each other.
[[nodiscard]] Result<void> finish_pyramid_request(const CLI::App& command, PyramidRequest& request,
                                                  const PyramidWords& words);

/// The end of the help text: the meaning of output names.
[[nodiscard]] const char* output_help();

}  // namespace onepass::cli
