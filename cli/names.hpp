// names.hpp: words on the command line: those of the library's enumerations (onepass/words.hpp) and the program's own.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/files.hpp"
#include "onepass/words.hpp"

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

/// Block-compressed formats on the command line; alpha and sRGB follow from the picture.
enum class Block {
  kNone,
  kBc1,
  kBc3,
  kBc4,
  kBc4Signed,
  kBc5,
  kBc5Signed,
  kBc6h,
  kBc6hSigned,
  kBc7,
  kAstc4x4,  ///< Those of ASTC follow in the order of BlockFormat.
  kAstc5x4,
  kAstc5x5,
  kAstc6x5,
  kAstc6x6,
  kAstc8x5,
  kAstc8x6,
  kAstc8x8,
  kAstc10x5,
  kAstc10x6,
  kAstc10x8,
  kAstc10x10,
  kAstc12x10,
  kAstc12x12,
};

inline constexpr Name<Block> kBlockNames[] = {{"none", Block::kNone},
                                              {"bc1", Block::kBc1},
                                              {"bc3", Block::kBc3},
                                              {"bc4", Block::kBc4},
                                              {"bc4_signed", Block::kBc4Signed},
                                              {"bc5", Block::kBc5},
                                              {"bc5_signed", Block::kBc5Signed},
                                              {"bc6h", Block::kBc6h},
                                              {"bc6h_signed", Block::kBc6hSigned},
                                              {"bc7", Block::kBc7},
                                              {"astc_4x4", Block::kAstc4x4},
                                              {"astc_5x4", Block::kAstc5x4},
                                              {"astc_5x5", Block::kAstc5x5},
                                              {"astc_6x5", Block::kAstc6x5},
                                              {"astc_6x6", Block::kAstc6x6},
                                              {"astc_8x5", Block::kAstc8x5},
                                              {"astc_8x6", Block::kAstc8x6},
                                              {"astc_8x8", Block::kAstc8x8},
                                              {"astc_10x5", Block::kAstc10x5},
                                              {"astc_10x6", Block::kAstc10x6},
                                              {"astc_10x8", Block::kAstc10x8},
                                              {"astc_10x10", Block::kAstc10x10},
                                              {"astc_12x10", Block::kAstc12x10},
                                              {"astc_12x12", Block::kAstc12x12}};

/// A word that is accepted and not listed, and the word that it stands for where an option has that word: the C++, C
/// and Python APIs and JavaScript have the second.
struct Alias {
  std::string_view text;
  std::string_view word;
};
inline constexpr Alias kAliases[] = {{"agx", "agx_blender"},
                                     {"hejl", "hejl_burgess_dawson"},
                                     {"centre", "centre_weighted"},
                                     {"p3", "display_p3"},
                                     {"mips", "mip_chain"},
                                     {"unit", "unit_sum"},
                                     {"unit_per_channel", "unit_sum_per_channel"}};

/// The word that `text` stands for, if it is an alias; otherwise `text`.
[[nodiscard]] inline std::string_view unaliased(std::string_view text) {
  for (const Alias& alias : kAliases) {
    if (alias.text == text) return alias.word;
  }
  return text;
}

/// The enumerator that `text` names; the first one for an unknown text.
template <typename T>
[[nodiscard]] T value_of(std::string_view text) {
  return from_word<T>(text).value_or(T{});
}

/// The same for words of the program's own.
template <typename T, size_t N>
[[nodiscard]] T value_of(const Name<T> (&names)[N], std::string_view text) {
  for (const Name<T>& name : names) {
    if (name.text == text) return name.value;
  }
  return names[0].value;
}

/// The words of an enumeration, except those that the command does not take.
template <typename T>
[[nodiscard]] std::vector<std::string> words_without(std::initializer_list<T> left_out) {
  std::vector<std::string> all;
  for (const std::string_view word : words<T>()) {
    if (std::find(left_out.begin(), left_out.end(), *from_word<T>(word)) == left_out.end()) all.emplace_back(word);
  }
  return all;
}

/// All words of a table of the program's own.
template <typename T, size_t N>
[[nodiscard]] std::vector<std::string> words_of(const Name<T> (&names)[N]) {
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
