// nearest.hpp: finds the known word that is most similar to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onepass::cli {

/// The word of `known` closest to `text`: one that starts with `text` (3 characters or more), else the one with the
/// fewest letters inserted, removed, replaced or swapped, at most a third of `text` (or one). Empty if there is none.
[[nodiscard]] std::string nearest(std::string_view text, std::span<const std::string> known);

/// "; did you mean WORD?", or an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view text, std::span<const std::string> known);

}  // namespace onepass::cli
