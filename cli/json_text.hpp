// json_text.hpp: reports for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace onepass::cli {

using Json = nlohmann::ordered_json;

/// The text of `json`. A file name need not be UTF-8, but JSON must be: a byte 0xNN that is no part of a character
/// becomes the escape \udcNN, as Python's "surrogateescape" has it: os.fsencode(json.loads(text)["..."]) is the name.
[[nodiscard]] std::string json_text(Json json);

}  // namespace onepass::cli
