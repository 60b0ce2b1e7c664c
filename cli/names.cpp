// names.cpp: names of formats and sizes.
#include "names.hpp"

#include <fmt/core.h>

namespace onepass::cli {

std::vector<std::string> format_words(bool targets_only) {
  std::vector<std::string> names;
  for (const FormatInfo& info : all_formats()) {
    if (!targets_only || !info.depth) names.emplace_back(info.name);
  }
  return names;
}

Format format_of(std::string_view name) {
  for (const FormatInfo& info : all_formats()) {
    if (info.name == name) return info.format;
  }
  return Format::kUndefined;
}

std::string size_text(Extent size) { return fmt::format("{}x{}", size.width, size.height); }

}  // namespace onepass::cli
