// json_metadata.hpp: JSON metadata that other programs have written: bounded, read without exceptions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "onepass/result.hpp"
#include "remote/site.hpp"

namespace onepass::zarr {

using Json = nlohmann::json;

/// kBadData and kUnsupported of a file.
Error bad(const std::filesystem::path& path, const std::string& text);
Error unsupported(const std::filesystem::path& path, const std::string& text);

/// Reads a JSON object of at most 4 MiB and 64 nested arrays and objects, of `site` unless that is null.
/// Errors: kNotFound, kIo, kBadData.
Result<Json> read_json(const std::filesystem::path& path, const remote::SitePtr& site);

/// The member of an object, the element of an array; null if there is none.
const Json& member(const Json& json, const char* name);
const Json& element(const Json& json, size_t number);
/// A member that is a text; empty if it is none.
std::string text_member(const Json& json, const char* name);
/// Whether a value is this text.
bool is(const Json& json, std::string_view text);
/// A whole number from 1 to `most`, as sizes are.
std::optional<uint32_t> size_of(const Json& json, uint32_t most);
/// The text of a value for a message, cut to 100 bytes.
std::string shown(const Json& json);

}  // namespace onepass::zarr
