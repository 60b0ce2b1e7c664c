// input_list.hpp: expands the inputs on the command line (directories, lists, standard input) to file names.
#pragma once

#include <string>
#include <vector>

#include "onepass/result.hpp"

namespace onepass::cli {

/// Expands a directory to the image files in it (by extension, without subdirectories and hidden files, sorted by
/// name), @FILE to the non-empty lines of that text file, and - to /dev/stdin. Other inputs stay as they are.
/// Errors: kInvalidArgument for a directory without pictures or a list without lines, kNotFound, kIo.
/// Lists that were read are added to `lists`.
[[nodiscard]] Result<std::vector<std::string>> expand_inputs(const std::vector<std::string>& typed,
                                                             std::vector<std::string>& lists);

}  // namespace onepass::cli
