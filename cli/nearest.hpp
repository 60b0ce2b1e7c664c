// nearest.hpp: the known word that a mistyped one is most like.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onepass::cli {

/// The word of `known` that differs least from `text`: one that `text` begins, else the one with the fewest letters
/// inserted, removed, exchanged or swapped. Empty if none is near.
[[nodiscard]] std::string nearest(std::string_view text, std::span<const std::string> known);

/// "; did you mean WORD?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view text, std::span<const std::string> known);

}  // namespace onepass::cli
