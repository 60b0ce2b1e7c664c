// text.hpp: messages from parts.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace onepass::tiles {

inline void append_text(std::string& out, std::string_view part) { out += part; }
template <typename Number>
requires std::is_arithmetic_v<Number>
void append_text(std::string& out, Number part) { out += std::to_string(part); }

/// All parts, texts and numbers, one after the other.
template <typename... Parts>
std::string text_of(const Parts&... parts) {
  std::string out;
  (append_text(out, parts), ...);
  return out;
}

}  // namespace onepass::tiles
