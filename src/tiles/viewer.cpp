// viewer.cpp: the web page of a DeepZoom pyramid: viewer.html, which CMake embeds, with the facts of the picture filled
// in. It needs no other file and no network. OpenSeadragon was weighed and left out: it would have to be packaged
// beside every output, and browsers refuse its requests for the descriptor in pages opened from a disk.
#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tiles/output.hpp"
#include "tiles/viewer.hpp"
#include "viewer_html.hpp"

namespace onepass::tiles {

std::string escaped_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string escaped_address(const std::string& text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
                       c == '-' || c == '.' || c == '/';
    if (plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

std::string filled_page(std::string_view html, std::span<const std::pair<std::string, std::string>> values) {
  std::string page;
  for (size_t at = 0; at < html.size();) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& value) { return html.substr(at).starts_with(value.first); });
    if (found == values.end()) {
      page += html[at++];
    } else {
      page += found->second;
      at += found->first.size();
    }
  }
  return page;
}

std::string viewer_page(const OutputPlan& plan, const std::string& title, const std::string& tiles_directory,
                        const std::string& extension) {
  const Extent base = plan.grids.front().size;
  const std::pair<std::string, std::string> values[] = {
      {"@TITLE@", escaped_text(title)},
      {"@WIDTH@", std::to_string(base.width)},
      {"@HEIGHT@", std::to_string(base.height)},
      {"@TILE@", std::to_string(plan.options.tile_size)},
      {"@OVERLAP@", std::to_string(plan.options.overlap)},
      {"@TOP@", std::to_string(std::bit_width(std::max(base.width, base.height) - 1))},
      {"@LEVELS@", std::to_string(plan.grids.size())},
      {"@PATH@", escaped_address(tiles_directory)},
      {"@EXTENSION@", extension}};
  return filled_page(kViewerHtml, values);
}

bool is_own_viewer(const std::string& page, const std::string& tiles_directory) {
  return page.find("// Shows a DeepZoom pyramid.") != std::string::npos &&
         page.find("path: \"" + escaped_address(tiles_directory) + "\"") != std::string::npos;
}

}  // namespace onepass::tiles
