#include "volume_files/imagej_description.hpp"

#include <charconv>

namespace onepass::volumes {
namespace {

template <typename T>
std::optional<T> imagej_number(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string length_unit_of(std::string_view text) {
  constexpr std::pair<std::string_view, const char*> kUnits[] = {{"um", "micrometer"},
                                                                 {"micron", "micrometer"},
                                                                 {"microns", "micrometer"},
                                                                 {"micrometer", "micrometer"},
                                                                 {"\xC2\xB5m", "micrometer"},
                                                                 {"\xCE\xBCm", "micrometer"},
                                                                 {"\xB5m", "micrometer"},
                                                                 {"\\u00B5m", "micrometer"},
                                                                 {"nm", "nanometer"},
                                                                 {"nanometer", "nanometer"},
                                                                 {"mm", "millimeter"},
                                                                 {"millimeter", "millimeter"},
                                                                 {"cm", "centimeter"},
                                                                 {"centimeter", "centimeter"},
                                                                 {"m", "meter"},
                                                                 {"meter", "meter"},
                                                                 {"pm", "picometer"},
                                                                 {"A", "angstrom"},
                                                                 {"km", "kilometer"},
                                                                 {"inch", "inch"}};
  for (const auto& [known, unit] : kUnits) {
    if (known == text) return unit;
  }
  return {};
}

std::optional<ImagejDescription> parse_imagej(std::string_view text) {
  if (!text.starts_with("ImageJ=")) return std::nullopt;
  ImagejDescription out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    constexpr std::pair<std::string_view, uint32_t ImagejDescription::*> kCounts[] = {
        {"images", &ImagejDescription::images},
        {"channels", &ImagejDescription::channels},
        {"slices", &ImagejDescription::slices},
        {"frames", &ImagejDescription::frames}};
    for (const auto& [name, member] : kCounts) {
      if (key == name) out.*member = imagej_number<uint32_t>(value).value_or(0);  // 0: wrong
    }
    if (key == "spacing") out.spacing = imagej_number<double>(value);
    if (key == "finterval") out.interval = imagej_number<double>(value);
    if (key == "unit") out.unit = length_unit_of(value);
  }
  return out;
}

}  // namespace onepass::volumes
