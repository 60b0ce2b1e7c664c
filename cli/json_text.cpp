// json_text.cpp: marks bytes that are not UTF-8 by a Unicode noncharacter, lets the JSON library write the text, and
// turns the marks into escapes, because the library itself refuses such bytes.
#include "json_text.hpp"

#include <fmt/core.h>

#include <string_view>

namespace onepass::cli {
namespace {

// Precedes the two hex digits that replace a byte until dump() is done. Unicode reserves this noncharacter for such
// use.
constexpr std::string_view kMark = "\xEF\xB7\x90";  // U+FDD0
constexpr std::string_view kMarkItself = "==";      // behind it: the character itself, which a file name may hold

// Length of the UTF-8 character at the beginning of `text`; 0 if there is no valid one.
size_t character_length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = at(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
  const bool surrogate = first == 0xED && at(1) >= 0xA0;
  const bool beyond = first == 0xF4 && at(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::string marked(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = character_length(text);
    if (length == 0) {
      out += fmt::format("{}{:02x}", kMark, static_cast<unsigned char>(text[0]));
    } else {
      out += text.substr(0, length);
      if (text.starts_with(kMark)) out += kMarkItself;
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

void mark_all(Json& json) {
  if (json.is_string()) json = marked(json.get<std::string>());
  if (!json.is_structured()) return;
  for (auto& member : json) mark_all(member);
}

}  // namespace

std::string json_text(Json json) {
  mark_all(json);
  std::string text = json.dump(2);
  for (size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at)) {
    const bool itself = text.compare(at + kMark.size(), kMarkItself.size(), kMarkItself) == 0;
    if (itself) {
      text.replace(at, kMark.size() + kMarkItself.size(), "\\ufdd0");
    } else {
      text.replace(at, kMark.size(), "\\udc");
    }
  }
  return text;
}

}  // namespace onepass::cli
