// console.cpp: lines, the progress bar, texts of sizes and times; see console.hpp.
#include "console.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "interrupt.hpp"
#include "system.hpp"

namespace onepass::cli {
namespace {

std::string three_digits(double value, std::string_view unit) {
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

// Replaces control characters, which file names may contain.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return line;
}

}  // namespace

Console::Console(ConsoleOptions options) : options_(options), terminal_(system::has_terminal()) {}

void Console::line(std::string_view text) {
  if (options_.quiet || options_.json) return;
  clear_bar();
  fmt::print(stdout, "{}\n", one_line(text));
  std::fflush(stdout);
}

void Console::error(std::string_view text) {
  clear_bar();
  fmt::print(stderr, "onepass: {}\n", one_line(text));
}

void Console::warning(std::string_view text) {
  if (options_.quiet) return;
  clear_bar();
  fmt::print(stderr, "onepass: warning: {}\n", one_line(text));
}

void Console::bar(double share, std::string_view text) {
  if (!terminal_ || options_.quiet) return;
  constexpr int kCells = 24;
  const double clamped = std::clamp(share, 0.0, 1.0);
  const int filled = static_cast<int>(clamped * kCells);
  std::string line = fmt::format("[{:#>{}}{:.>{}}] {:3.0f} %  ", "", filled, "", kCells - filled, clamped * 100);
  const int room = system::terminal_columns() - 1 - static_cast<int>(line.size());
  if (room > 0) line += one_line(text).substr(0, static_cast<size_t>(room));
  set_bar_visible(true);
  bar_drawn_ = true;
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

void Console::clear_bar() {
  if (!bar_drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  bar_drawn_ = false;
  set_bar_visible(false);
}

bool Console::flush() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
  return false;
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : three_digits(bytes, kUnits[unit]);
}

std::string time_text(double milliseconds) {
  if (milliseconds < 1) return fmt::format("{:.0f} us", milliseconds * 1000);
  if (milliseconds < 1000) return three_digits(milliseconds, "ms");
  return three_digits(milliseconds / 1000, "s");
}

}  // namespace onepass::cli
