// names.hpp: the words that stand for the library's enum values on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onepass/files.hpp"
#include "onepass/pyramid.hpp"

namespace onepass::cli {

/// A word and the value it names.
template <typename T>
struct Name {
  std::string_view text;
  T value;
};

/// The engine the user asked for.
enum class Engine { kAuto, kCpu, kVulkan };

inline constexpr Name<Engine> kEngineNames[] = {
    {"auto", Engine::kAuto}, {"cpu", Engine::kCpu}, {"vulkan", Engine::kVulkan}};
inline constexpr Name<Reduction> kReductionNames[] = {
    {"mean", Reduction::kMean}, {"min", Reduction::kMin}, {"max", Reduction::kMax}, {"min_max", Reduction::kMinMax}};
inline constexpr Name<Footprint> kFootprintNames[] = {{"aligned", Footprint::kAligned},
                                                      {"covering", Footprint::kCovering},
                                                      {"tight", Footprint::kTight},
                                                      {"edge", Footprint::kEdge},
                                                      {"ceil", Footprint::kCeil}};
inline constexpr Name<Alpha> kAlphaNames[] = {
    {"independent", Alpha::kIndependent}, {"weighted", Alpha::kWeighted}, {"coverage", Alpha::kCoverage}};
inline constexpr Name<PyramidPath> kPathNames[] = {{"auto", PyramidPath::kAuto},
                                                   {"single_dispatch", PyramidPath::kSingleDispatch},
                                                   {"per_level", PyramidPath::kPerLevel}};
inline constexpr Name<files::Color> kColorNames[] = {
    {"auto", files::Color::kAuto}, {"srgb", files::Color::kSrgb}, {"linear", files::Color::kLinear}};

/// A word that is accepted and not listed, and the word that it stands for where an option has that word: the C++, C
/// and Python APIs and JavaScript have the second.
struct Alias {
  std::string_view text;
  std::string_view word;
};
inline constexpr Alias kAliases[] = {{"agx", "agx_blender"},        {"hejl", "hejl_burgess_dawson"},
                                     {"centre", "centre_weighted"}, {"p3", "display_p3"},
                                     {"unit", "unit_sum"},          {"unit_per_channel", "unit_sum_per_channel"}};

/// The word that `text` stands for, if it is an alias; otherwise `text`.
[[nodiscard]] inline std::string_view unaliased(std::string_view text) {
  for (const Alias& alias : kAliases) {
    if (alias.text == text) return alias.word;
  }
  return text;
}

/// The word for `value`.
template <typename T, size_t N>
[[nodiscard]] std::string_view name_of(const Name<T> (&names)[N], T value) {
  for (const Name<T>& name : names) {
    if (name.value == value) return name.text;
  }
  return "?";
}

/// The value that `text` names; the first one for an unknown text.
template <typename T, size_t N>
[[nodiscard]] T value_of(const Name<T> (&names)[N], std::string_view text) {
  for (const Name<T>& name : names) {
    if (name.text == text) return name.value;
  }
  return names[0].value;
}

/// All words of a table.
template <typename T, size_t N>
[[nodiscard]] std::vector<std::string> words(const Name<T> (&names)[N]) {
  std::vector<std::string> all;
  for (const Name<T>& name : names) all.emplace_back(name.text);
  return all;
}

/// Names of all formats; `targets_only`: without depth formats.
[[nodiscard]] std::vector<std::string> format_words(bool targets_only);

/// The format of this name; kUndefined if there is none.
[[nodiscard]] Format format_of(std::string_view name);

/// "1920x1080".
[[nodiscard]] std::string size_text(Extent size);

}  // namespace onepass::cli
