// input_list.hpp: inputs as typed to the files they stand for: directories, lists, standard input.
#pragma once

#include <string>
#include <vector>

#include "onepass/result.hpp"

namespace onepass::cli {

/// A directory stands for the picture files in it (by extension, not in folders below), in the order of their names;
/// @FILE for the lines of a text file, each an input, empty ones left out; - for standard input. Other names stay.
/// Errors: kInvalidArgument for a directory without pictures or a list without lines, kNotFound, kIo.
[[nodiscard]] Result<std::vector<std::string>> expand_inputs(const std::vector<std::string>& typed);

}  // namespace onepass::cli
