// grid_table.cpp: one pass over the text of a table.
#include "tiles/grid_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "files/readers.hpp"
#include "files/url.hpp"
#include "tiles/file_io.hpp"
#include "tiles/picture_header.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

constexpr uint64_t kMostTableBytes = uint64_t{64} << 20;
constexpr std::array<std::string_view, 3> kColumns = {"file", "x", "y"};

/// Takes the fields of the next line off the front of `text`; none if a quote is not closed.
std::optional<std::vector<std::string>> take_line(std::string_view& text, size_t& lines) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  size_t at = 0;
  ++lines;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      lines += c == '\n' ? 1 : 0;
      if (c != '"') {
        fields.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        fields.back() += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  if (quoted) return std::nullopt;
  return fields;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<int64_t> position_of(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(std::fabs(value) < 0x1p31)) return std::nullopt;
  return std::llround(value);
}

/// The number of each column in the table; none if the first line lacks one.
std::optional<std::array<size_t, 3>> columns_of(const std::vector<std::string>& names) {
  std::array<size_t, 3> columns{};
  for (size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
      name = trimmed(name);
      return std::equal(name.begin(), name.end(), kColumns[i].begin(), kColumns[i].end(),
                        [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    });
    if (found == names.end()) return std::nullopt;
    columns[i] = static_cast<size_t>(found - names.begin());
  }
  return columns;
}

Result<std::string> text_of_table(const std::filesystem::path& path) {
  auto file = open_input(path);
  if (!file) return file.error();
  if (file->size > kMostTableBytes) {
    return Error{ErrorCode::kUnsupported, text_of("has ", file->size, " bytes; tables have up to ", kMostTableBytes),
                 path.string()};
  }
  std::string text(static_cast<size_t>(file->size), '\0');
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(text));
  if (auto done = file->read(path.string(), 0, bytes); !done) return done.error();
  return text;
}

}  // namespace

bool is_grid_table(const std::string& grid) {
  constexpr std::string_view kEnd = ".csv";
  return grid.size() > kEnd.size() &&
         std::equal(kEnd.begin(), kEnd.end(), grid.end() - static_cast<ptrdiff_t>(kEnd.size()),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

Result<std::vector<PlacedFile>> read_grid_table(const std::filesystem::path& path) {
  const auto whole = text_of_table(path);
  if (!whole) return whole.error();
  std::string_view text = *whole;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a mark of UTF-8
  size_t next = 0;
  const auto bad = [&](size_t line, const std::string& what) {
    return Error{ErrorCode::kBadData, text_of("line ", line, ": ", what), path.string()};
  };
  const auto names = take_line(text, next);
  const auto columns = names ? columns_of(*names) : std::nullopt;
  if (!columns) return bad(1, "does not name the columns file, x and y");
  struct Position {
    int64_t x, y;
  };
  std::vector<PlacedFile> files;
  std::vector<Position> positions;
  std::map<std::filesystem::path, size_t> lines;
  while (!text.empty()) {
    const size_t line = next + 1;
    const auto fields = take_line(text, next);
    if (!fields) return bad(line, "a quote is not closed");
    if (fields->size() == 1 && trimmed(fields->front()).empty()) continue;
    const auto field = [&](size_t i) {
      const size_t column = (*columns)[i];
      return column < fields->size() ? trimmed((*fields)[column]) : std::string_view();
    };
    if (field(0).empty()) return bad(line, "names no file");
    if (files::is_url(field(0))) return bad(line, files::url_error(field(0)).text());
    std::array<int64_t, 2> at{};
    for (size_t i = 0; i < 2; ++i) {
      const auto position = position_of(field(i + 1));
      if (!position) {
        return bad(line,
                   text_of("'", files::printable(field(i + 1)), "' is no position ", kColumns[i + 1], " in pixels"));
      }
      at[i] = *position;
    }
    const std::filesystem::path file = (path.parent_path() / field(0)).lexically_normal();
    if (const auto [old, is_new] = lines.try_emplace(file, line); !is_new) {
      return bad(line, text_of("'", files::printable(field(0), 200), "' is also in line ", old->second));
    }
    files.push_back({.path = file});
    positions.push_back({at[0], at[1]});
  }
  if (files.empty()) return bad(next, "names no file");
  int64_t left = positions.front().x;
  int64_t top = positions.front().y;
  for (const Position& p : positions) {
    left = std::min(left, p.x);
    top = std::min(top, p.y);
  }
  for (size_t i = 0; i < files.size(); ++i) {
    if (std::max(positions[i].x - left, positions[i].y - top) >= int64_t{kMaxEdge}) {
      return Error{ErrorCode::kUnsupported, "positions are more than 2^31 - 2 pixels apart", path.string()};
    }
    files[i].x = static_cast<uint32_t>(positions[i].x - left);
    files[i].y = static_cast<uint32_t>(positions[i].y - top);
  }
  return files;
}

}  // namespace onepass::tiles
