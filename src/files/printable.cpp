// printable.cpp: text from files for messages: nothing that a terminal obeys, and nothing that is not UTF-8.
#include <array>

#include "files/readers.hpp"

namespace onepass::files {
namespace {

/// Bytes of the UTF-8 character at the start of `text` that may be shown; 0 if there is none.
size_t shown_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  uint32_t code = first & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0xa0, 0x800, 0x10000};  // below U+00A0: control characters
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= kLeast[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

}  // namespace

std::string printable(std::string_view text, size_t most) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  size_t at = 0;
  while (at < text.size() && at < most) {
    if (const size_t length = shown_bytes(text.substr(at)); length > 0) {
      out += text.substr(at, length);
      at += length;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[at++]);
    out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return at < text.size() ? out + "..." : out;
}

}  // namespace onepass::files
