// ome_xml.cpp: finds elements and attributes by text search. OME-XML needs no more: the attributes searched for have
// fixed names, and no element of interest is nested in itself.
#include "files/ome_xml.hpp"

#include <algorithm>
#include <charconv>

namespace onepass::files {
namespace {

// The start tag of the next element `name` from `at` on, without its brackets; `at` moves behind it.
std::optional<std::string_view> next_element(std::string_view text, std::string_view name, size_t& at) {
  while ((at = text.find('<', at)) != std::string_view::npos) {
    std::string_view rest = text.substr(++at);
    const size_t colon = rest.find_first_of(": />\t\r\n");
    if (colon != std::string_view::npos && rest[colon] == ':') rest.remove_prefix(colon + 1);  // a namespace
    if (!rest.starts_with(name) || rest.size() == name.size()) continue;
    const std::string_view follows(" />\t\r\n");
    if (follows.find(rest[name.size()]) == std::string_view::npos) continue;
    const size_t end = rest.find('>');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
  }
  return std::nullopt;
}

std::string unescaped(std::string_view text) {
  constexpr std::pair<std::string_view, char> kNames[] = {
      {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
  std::string out;
  while (!text.empty()) {
    bool found = false;
    for (const auto& [name, character] : kNames) {
      if (!text.starts_with(name)) continue;
      out += character;
      text.remove_prefix(name.size());
      found = true;
      break;
    }
    if (found) continue;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

std::string attribute(std::string_view tag, std::string_view name) {
  for (size_t at = 0; (at = tag.find(name, at)) != std::string_view::npos; at += name.size()) {
    const bool starts = at > 0 && (tag[at - 1] == ' ' || tag[at - 1] == '\n' || tag[at - 1] == '\t');
    std::string_view rest = tag.substr(at + name.size());
    if (!starts || rest.size() < 2 || rest[0] != '=' || (rest[1] != '"' && rest[1] != '\'')) continue;
    const size_t end = rest.find(rest[1], 2);
    if (end == std::string_view::npos) return {};
    return unescaped(rest.substr(2, end - 2));
  }
  return {};
}

template <typename T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A length in micrometres, the unit of OME if none is stated.
std::optional<double> length_um(std::string_view tag, const std::string& name) {
  const auto value = number<double>(attribute(tag, name));
  if (!value || !(*value > 0)) return std::nullopt;
  const std::string unit = attribute(tag, name + "Unit");
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},      {"µm", 1},   {"μm", 1},   {"um", 1},
                                                            {"nm", 1e-3}, {"mm", 1e3}, {"cm", 1e4}, {"m", 1e6}};
  for (const auto& [known, factor] : kUnits) {
    if (unit == known) return *value * factor;
  }
  return std::nullopt;
}

}  // namespace

uint32_t OmePixels::page_of(uint32_t c, uint32_t samples) const {
  uint64_t stride = 1;
  for (const char dimension : order) {
    if (dimension == 'C') break;
    if (dimension == 'Z') stride *= depth;
    if (dimension == 'T') stride *= times;
  }
  return static_cast<uint32_t>(c / samples * stride);
}

namespace {

// The TiffData elements of `text`, and whether they name more than one file.
void take_tiff_data(std::string_view text, OmePixels& out) {
  for (size_t at = 0; const auto tag = next_element(text, "TiffData", at);) {
    OmeTiffData data;
    const auto ifd = number<uint32_t>(attribute(*tag, "IFD"));
    data.has_ifd = ifd.has_value();
    data.ifd = ifd.value_or(0);
    data.z = number<uint32_t>(attribute(*tag, "FirstZ")).value_or(0);
    data.c = number<uint32_t>(attribute(*tag, "FirstC")).value_or(0);
    data.t = number<uint32_t>(attribute(*tag, "FirstT")).value_or(0);
    data.count = number<uint32_t>(attribute(*tag, "PlaneCount"));
    out.tiff_data.push_back(data);
  }
  std::string first;
  for (size_t at = 0; const auto tag = next_element(text, "UUID", at);) {
    const std::string name = attribute(*tag, "FileName");
    if (first.empty()) first = name;
    out.has_more_files = out.has_more_files || name != first;
  }
}

}  // namespace

std::optional<OmePixels> parse_ome(std::string_view text) {
  size_t at = 0;
  if (!next_element(text, "OME", at)) return std::nullopt;
  OmePixels out;
  for (size_t image = at; next_element(text, "Image", image);) ++out.images;
  const auto pixels = next_element(text, "Pixels", at);
  if (!pixels) return std::nullopt;
  out.channels = number<uint32_t>(attribute(*pixels, "SizeC")).value_or(1);
  out.depth = number<uint32_t>(attribute(*pixels, "SizeZ")).value_or(1);
  out.times = number<uint32_t>(attribute(*pixels, "SizeT")).value_or(1);
  out.order = attribute(*pixels, "DimensionOrder");
  out.pixel_width_um = length_um(*pixels, "PhysicalSizeX");
  out.pixel_height_um = length_um(*pixels, "PhysicalSizeY");
  out.voxel_depth_um = length_um(*pixels, "PhysicalSizeZ");
  out.time_step = number<double>(attribute(*pixels, "TimeIncrement"));
  out.time_unit = attribute(*pixels, "TimeIncrementUnit");
  if (out.time_unit.empty()) out.time_unit = "s";
  const size_t end = text.find("</Pixels", at);
  const std::string_view inside = text.substr(0, end);
  take_tiff_data(inside.substr(std::min(at, inside.size())), out);
  while (const auto channel = next_element(inside, "Channel", at)) {
    out.channel_names.push_back(attribute(*channel, "Name"));
  }
  return out;
}

}  // namespace onepass::files
