// console.hpp: everything the program prints.
//
// Results and summaries go to stdout, errors, warnings and the progress bar to stderr. The bar appears only on a
// terminal. Nothing here throws for a stream that is full, closed or a broken pipe. A lost message on stderr is
// ignored. A lost result on stdout gives exit status 1 at the end.
#pragma once

#include <fmt/core.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "onepass/result.hpp"

namespace onepass::cli {

/// Exit statuses.
inline constexpr int kAllGood = 0;
inline constexpr int kSomeFailed = 1;
inline constexpr int kUsage = 2;

/// The exit status for an error of the command line's evaluation: kSomeFailed for a failed read or write or a lack of
/// memory, kUsage for all else.
[[nodiscard]] int status_of(const Error& error);

/// Writes a text to stdout as it is. Text that is lost makes Console::flush() fail.
void write_output(std::string_view text) noexcept;

/// Formats by the rules of fmt and writes to stdout.
template <typename... Values>
void print_output(fmt::format_string<Values...> format, Values&&... values) {
  write_output(fmt::format(format, std::forward<Values>(values)...));
}

/// Writes one line to stderr: "onepass: " and the parts. Allocates nothing. A line that cannot be written is lost:
/// neither results nor the exit status depend on it.
void write_error(std::initializer_list<std::string_view> parts) noexcept;

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
  void line(std::string_view text) noexcept;

  /// One line on stderr: "onepass: text".
  void error(std::string_view text) noexcept;

  /// One line on stderr, unless quiet: "onepass: warning: text".
  void warning(std::string_view text) noexcept;

  /// Draws "[#####.....] 42 %  text" on a terminal, nothing elsewhere. `share`: 0 to 1.
  void bar(double share, std::string_view text) noexcept;
  void clear_bar() noexcept;

  /// Flushes stdout. Returns false, after an error on stderr, if anything written to stdout was lost.
  bool flush() noexcept;

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
