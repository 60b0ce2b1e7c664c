// shell_word.hpp: paths in command lines of the shell; the build's and TMPDIR's may have spaces.
#pragma once

#include <string>

namespace onepass::testing {

/// `text` as one word of a POSIX shell.
inline std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace onepass::testing
