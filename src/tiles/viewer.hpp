// viewer.hpp: parts of the pages that show outputs: of tiles here, of volumes in volume_files/volume_viewer.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace onepass::tiles {

/// Text as HTML shows it.
std::string escaped_text(const std::string& text);

/// A path as a part of an address inside a string of JavaScript.
std::string escaped_address(const std::string& text);

/// A page whose placeholders are replaced by values, in one pass: what a value contains is not replaced again.
std::string filled_page(std::string_view html, std::span<const std::pair<std::string, std::string>> values);

}  // namespace onepass::tiles
