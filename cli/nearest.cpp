// nearest.cpp: nearest words by the restricted Damerau-Levenshtein distance.
#include "nearest.hpp"

#include <algorithm>
#include <vector>

namespace onepass::cli {
namespace {

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view text, std::span<const std::string> known) {
  constexpr size_t kShortestBeginning = 3;
  if (text.size() >= kShortestBeginning) {
    for (const std::string& word : known) {
      if (word.starts_with(text)) return word;
    }
  }
  std::string best;
  size_t least = std::max<size_t>(1, text.size() / 3) + 1;
  for (const std::string& word : known) {
    const size_t d = distance(text, word);
    if (d >= least) continue;
    least = d;
    best = word;
  }
  return best;
}

std::string did_you_mean(std::string_view text, std::span<const std::string> known) {
  const std::string word = nearest(text, known);
  return word.empty() ? "" : "; did you mean " + word + "?";
}

}  // namespace onepass::cli
