// exr_select.cpp: finds parts and channels by name, and chooses them if none was requested.
#include "files/exr_select.hpp"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfPartType.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace onepass::files {
namespace {

bool is_deep(const Imf::Header& header) { return header.hasType() && Imf::isDeepData(header.type()); }

std::string joined(const std::vector<std::string>& names) {
  constexpr size_t kMaxListed = 16;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxListed); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMaxListed ? text + " and " + std::to_string(names.size() - kMaxListed) + " more" : text;
}

bool has(const Imf::Header& header, const std::string& name) { return header.channels().findChannel(name) != nullptr; }

// Names of red, green, blue and alpha: OpenEXR's, words, and OpenEXR's in a layer without a name, as renderers write.
constexpr std::array<std::array<const char*, 4>, 5> kColourNames = {{{"R", "G", "B", "A"},
                                                                     {"r", "g", "b", "a"},
                                                                     {"Red", "Green", "Blue", "Alpha"},
                                                                     {"red", "green", "blue", "alpha"},
                                                                     {".R", ".G", ".B", ".A"}}};

// The colour channels of a layer, R, G, B or luminance and chroma, with A if present; `prefix` is "" or "layer.".
Selection colour_channels(const Imf::Header& header, const std::string& prefix) {
  const auto all = [&](const auto& names) {
    return std::all_of(names.begin(), names.begin() + 3, [&](const auto& name) { return has(header, prefix + name); });
  };
  const auto take = [&](const auto& names, Content content) {
    Selection selection{.channels = {prefix + names[0], prefix + names[1], prefix + names[2]}, .content = content};
    if (has(header, prefix + names[3])) selection.channels.push_back(prefix + names[3]);
    return selection;
  };
  constexpr std::array<const char*, 4> kChroma = {"RY", "Y", "BY", "A"};
  if (all(kColourNames[0])) return take(kColourNames[0], Content::kChannels);
  if (all(kChroma)) return take(kChroma, Content::kLuminanceChroma);
  for (const auto& names : kColourNames) {
    if (all(names)) return take(names, Content::kChannels);
  }
  return {};
}

// The requested channels, if this part has them.
Selection named_channels(const Imf::Header& header, const std::vector<std::string>& wanted) {
  if (std::all_of(wanted.begin(), wanted.end(), [&](const auto& name) { return has(header, name); })) {
    return {.channels = wanted};
  }
  return wanted.size() == 1 ? colour_channels(header, wanted.front() + ".") : Selection{};
}

// The channels to read if none was requested. `preference`: 0 colour, 1 luminance, 2 the only channel of a part.
Selection default_channels(const Imf::Header& header, int preference) {
  if (preference == 0) return colour_channels(header, "");
  // Y beside X and Z is a coordinate, or one of three CIE XYZ values: no luminance to read alone.
  if (preference == 1 && has(header, "Y") && !(has(header, "X") && has(header, "Z"))) {
    if (has(header, "A")) return {.channels = {"Y", "A"}, .content = Content::kLuminanceAlpha};
    return {.channels = {"Y"}};
  }
  std::vector<std::string> all = channel_names(header);
  return preference == 2 && all.size() == 1 ? Selection{.channels = std::move(all)} : Selection{};
}

Result<void> check_wanted(const Source& source, const std::vector<std::string>& wanted) {
  if (wanted.size() > 4) {
    return source.error(ErrorCode::kInvalidArgument,
                        std::to_string(wanted.size()) + " channels were asked for; 1 to 4 are possible");
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].empty()) return source.error(ErrorCode::kInvalidArgument, "the name of a channel is empty");
    if (std::find(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(i), wanted[i]) !=
        wanted.begin() + static_cast<std::ptrdiff_t>(i)) {
      return source.error(ErrorCode::kInvalidArgument, "channel \"" + wanted[i] + "\" was asked for twice");
    }
  }
  return {};
}

// The parts to search: all, or the one given by name or number.
Result<std::vector<int>> candidate_parts(const Source& source, const Imf::MultiPartInputFile& file,
                                         const std::string& wanted) {
  std::vector<int> parts;
  std::vector<std::string> names;
  for (int n = 0; n < file.parts(); ++n) {
    names.push_back("\"" + part_name(file.header(n)) + "\"");
    if (wanted.empty() || part_name(file.header(n)) == wanted) parts.push_back(n);
  }
  if (!parts.empty()) return parts;
  int number = -1;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (error == std::errc() && end == wanted.data() + wanted.size() && number >= 0 && number < file.parts()) {
    return std::vector<int>{number};
  }
  return source.error(ErrorCode::kNotFound, "EXR: no part \"" + wanted + "\"; there are " +
                                                std::to_string(file.parts()) + ": " + joined(names));
}

}  // namespace

std::string part_name(const Imf::Header& header) { return header.hasName() ? header.name() : std::string(); }

std::vector<std::string> channel_names(const Imf::Header& header) {
  std::vector<std::string> names;
  for (auto it = header.channels().begin(); it != header.channels().end(); ++it) names.emplace_back(it.name());
  return names;
}

Result<Selection> select_channels(const Source& source, const Imf::MultiPartInputFile& file,
                                  const ReadOptions& options) {
  if (auto fine = check_wanted(source, options.channels); !fine) return fine.error();
  Result<std::vector<int>> parts = candidate_parts(source, file, options.part);
  if (!parts) return parts.error();
  const int preferences = options.channels.empty() ? 3 : 1;
  bool deep = false;
  std::vector<std::string> present;
  for (int preference = 0; preference < preferences; ++preference) {
    for (const int part : *parts) {
      const Imf::Header& header = file.header(part);
      Selection selection =
          options.channels.empty() ? default_channels(header, preference) : named_channels(header, options.channels);
      if (is_deep(header)) {
        deep = deep || !selection.channels.empty() || options.channels.empty();
      } else if (!selection.channels.empty()) {
        selection.part = part;
        return selection;
      }
      if (preference == 0) {
        for (std::string& name : channel_names(header)) present.push_back(std::move(name));
      }
    }
  }
  if (deep) return source.unsupported("EXR: the part is deep (many samples a pixel), which is not supported");
  if (!options.channels.empty()) {
    return source.error(ErrorCode::kNotFound,
                        "EXR: no part has the channel " + joined(options.channels) + "; there are " + joined(present));
  }
  return source.error(ErrorCode::kNotFound, "EXR: neither R, G, B nor Y; name a channel of " + joined(present));
}

size_t slot_of(const Selection& selection, size_t n) {
  return selection.content == Content::kLuminanceAlpha && n == 1 ? 3 : n;
}

bool reads_alpha(const Selection& selection) {
  if (selection.content == Content::kLuminanceAlpha) return true;
  if (selection.channels.size() != 4) return false;
  const std::string& name = selection.channels.back();
  return std::any_of(kColourNames.begin(), kColourNames.end(), [&](const auto& names) {
    return name == names[3] || name.ends_with(std::string(".") + names[3]);
  });
}

}  // namespace onepass::files
