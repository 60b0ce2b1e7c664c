// json_text.hpp: the text of JSON reports, also for file names that are not UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace onepass::cli {

using Json = nlohmann::ordered_json;

/// The text of `json`. File names need not be UTF-8, but JSON must be: a byte 0xNN that is no part of a character
/// becomes the escape \udcNN, as in Python's "surrogateescape": os.fsencode(json.loads(text)["..."]) is the name.
[[nodiscard]] std::string json_text(Json json);

}  // namespace onepass::cli
