// console.hpp: everything the program prints.
//
// Results and summaries go to stdout, errors, warnings and the progress bar to stderr. The bar appears only on a
// terminal.
#pragma once

#include <string>
#include <string_view>

#include "onepass/result.hpp"

namespace onepass::cli {

/// Exit statuses.
inline constexpr int kAllGood = 0;
inline constexpr int kSomeFailed = 1;
inline constexpr int kUsage = 2;

/// Limits to what is printed.
struct ConsoleOptions {
  bool quiet = false;  ///< Print errors only.
  bool json = false;   ///< stdout is reserved for one JSON object.
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

  /// Draws "[#####.....] 42 %  text" on a terminal, nothing elsewhere. `share`: 0 to 1.
  void bar(double share, std::string_view text);
  void clear_bar();

  /// Flushes stdout. Returns false, after an error on stderr, if anything written to stdout was lost.
  bool flush();

 private:
  ConsoleOptions options_;
  bool terminal_ = false;
  bool bar_drawn_ = false;
};

/// "12.3 KB", "4.56 MB": three significant digits, decimal prefixes.
[[nodiscard]] std::string bytes_text(double bytes);

/// "870 us", "12.3 ms", "4.56 s".
[[nodiscard]] std::string time_text(double milliseconds);

}  // namespace onepass::cli
