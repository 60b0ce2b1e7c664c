// json_metadata.cpp: checks size and nesting before the parser sees a text, whose destructors are recursive.
#include "volume_files/json_metadata.hpp"

#include <span>

#include "tiles/file_io.hpp"
#include "tiles/text.hpp"

namespace onepass::zarr {
namespace {

constexpr uint64_t kMostMetadata = uint64_t{4} << 20;  // bytes of a file
constexpr int kMostNesting = 64;
constexpr size_t kMostShown = 100;  // bytes of a value in a message

bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth > kMostNesting) return true;
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

const Json& none() {
  static const Json null;
  return null;
}

}  // namespace

Error bad(const std::filesystem::path& path, const std::string& text) {
  return {ErrorCode::kBadData, text, path.string()};
}
Error unsupported(const std::filesystem::path& path, const std::string& text) {
  return {ErrorCode::kUnsupported, text, path.string()};
}

Result<Json> read_json(const std::filesystem::path& path, const remote::SitePtr& site) {
  auto file = tiles::open_input(path, site, {.most = kMostMetadata, .refused_is_missing = true});
  if (!file) return file.error();
  if (file->size > kMostMetadata) {
    return bad(path, tiles::text_of("has ", file->size, " bytes, too many for metadata"));
  }
  std::string text(file->size, '\0');
  if (auto done = file->read(path.string(), 0, std::as_writable_bytes(std::span(text))); !done) return done.error();
  // Of all metadata that is read, so that a change of any of them is one of the input.
  if (file->remote) site->identity.add(file->size, file->remote->version());
  if (nests_too_deep(text)) return bad(path, "is JSON of more than 64 nested arrays and objects");
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return bad(path, "is not a JSON object");
  return json;
}

const Json& member(const Json& json, const char* name) {
  if (!json.is_object()) return none();
  const auto found = json.find(name);
  return found == json.end() ? none() : *found;
}

const Json& element(const Json& json, size_t number) {
  return json.is_array() && number < json.size() ? json[number] : none();
}

std::string text_member(const Json& json, const char* name) {
  const Json& value = member(json, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Json's operator== ends the process if memory for its operand is lacking.
bool is(const Json& json, std::string_view text) {
  return json.is_string() && json.get_ref<const std::string&>() == text;
}

std::optional<uint32_t> size_of(const Json& json, uint32_t most) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() ? json.get<uint64_t>() > most : json.get<int64_t>() < 0) return std::nullopt;
  const auto size = json.get<uint32_t>();
  return size == 0 ? std::nullopt : std::optional(size);
}

std::string shown(const Json& json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return text;
}

}  // namespace onepass::zarr
