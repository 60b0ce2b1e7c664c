// console.hpp: what the program says, and where.
//
// Results and summaries go to stdout, errors and the progress bar to stderr. The bar appears only on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "onepass/result.hpp"

namespace onepass::cli {

/// Exit statuses.
inline constexpr int kAllGood = 0;
inline constexpr int kSomeFailed = 1;
inline constexpr int kUsage = 2;

/// What may be said.
struct ConsoleOptions {
  bool quiet = false;  ///< Errors only.
  bool json = false;   ///< stdout is kept for one JSON object.
};

class Console {
 public:
  explicit Console(ConsoleOptions options);
  ~Console() { clear_bar(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// One line on stdout, unless quiet or JSON.
  void line(std::string_view text);

  /// One line on stderr: "onepass: text".
  void error(std::string_view text);

  /// One line on stderr, unless quiet: "onepass: warning: text".
  void warning(std::string_view text);

  /// Draws "text [#####.....] 42 %" on a terminal; nothing elsewhere. `share` is 0 to 1.
  void bar(double share, std::string_view text);
  void clear_bar();

  /// Did everything meant for stdout arrive? Reports on stderr if not.
  bool flush();

 private:
  ConsoleOptions options_;
  bool terminal_ = false;
  bool bar_drawn_ = false;
};

/// "12.3 KB", "4.56 MB": three digits, decimal prefixes.
[[nodiscard]] std::string bytes_text(double bytes);

/// "870 us", "12.3 ms", "4.56 s".
[[nodiscard]] std::string time_text(double milliseconds);

}  // namespace onepass::cli
