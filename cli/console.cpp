// console.cpp: removes the progress bar before each line that it prints, and replaces control characters, which file
// names may contain. The first error of stdout is kept until flush().
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

// Writes to a stream of the C library and says whether that was possible.
bool put(std::FILE* stream, std::string_view text) noexcept {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size();
}

// Bytes of the control character at the beginning of `text`: 1 of C0 and DEL, 2 of C1 (U+0080 to U+009F in UTF-8), else
// 0.
size_t control_length(std::string_view text) noexcept {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  return byte(0) == 0xC2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) <= 0x9F ? 2 : 0;
}

// The same with control characters, which file names may contain, replaced.
void put_plain(std::FILE* stream, std::string_view text) noexcept {
  size_t plain = 0;  // bytes without control characters
  while (plain < text.size()) {
    const size_t length = control_length(text.substr(plain));
    if (length == 0) {
      ++plain;
      continue;
    }
    put(stream, text.substr(0, plain));
    put(stream, "?");
    text.remove_prefix(plain + length);
    plain = 0;
  }
  put(stream, text);
}

int g_output_error = 0;  // the first errno of a write to stdout that failed

void keep_output_error() noexcept {
  if (g_output_error == 0) g_output_error = errno != 0 ? errno : EIO;
}

}  // namespace

int status_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kIo:
    case ErrorCode::kOutOfMemory:
      return kSomeFailed;
    default:
      return kUsage;
  }
}

void write_output(std::string_view text) noexcept {
  errno = 0;
  if (!put(stdout, text)) keep_output_error();
}

void write_error(std::initializer_list<std::string_view> parts) noexcept {
  put(stderr, "onepass: ");
  for (const std::string_view part : parts) put_plain(stderr, part);
  put(stderr, "\n");
}

Console::Console(ConsoleOptions options) : options_(options), terminal_(system::has_terminal()) {}

void Console::line(std::string_view text) noexcept {
  if (options_.quiet || options_.json) return;
  clear_bar();
  errno = 0;
  put_plain(stdout, text);
  put(stdout, "\n");
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) keep_output_error();
}

void Console::error(std::string_view text) noexcept {
  clear_bar();
  write_error({text});
}

void Console::warning(std::string_view text) noexcept {
  if (options_.quiet) return;
  clear_bar();
  write_error({"warning: ", text});
}

void Console::bar(double share, std::string_view text) noexcept {
  if (!terminal_ || options_.quiet) return;
  constexpr size_t kCells = 24;
  const double clamped = std::clamp(share, 0.0, 1.0);
  std::array<char, kCells + 40> line{};
  std::array<char, kCells + 1> cells{};
  std::fill_n(cells.begin(), kCells, '.');
  std::fill_n(cells.begin(), static_cast<size_t>(clamped * kCells), '#');
  std::snprintf(line.data(), line.size(), "[%s] %3d %%  ", cells.data(), static_cast<int>(clamped * 100 + 0.5));
  const int room = system::terminal_columns() - 1 - static_cast<int>(std::strlen(line.data()));
  set_bar_visible(true);
  bar_drawn_ = true;
  put(stderr, "\r");
  put(stderr, line.data());
  if (room > 0) put_plain(stderr, text.substr(0, static_cast<size_t>(room)));
  put(stderr, "\x1b[K");
  std::fflush(stderr);
}

void Console::clear_bar() noexcept {
  if (!bar_drawn_) return;
  put(stderr, "\r\x1b[K");
  std::fflush(stderr);
  bar_drawn_ = false;
  set_bar_visible(false);
}

bool Console::flush() noexcept {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) keep_output_error();
  if (g_output_error == 0) return true;
  clear_bar();
  write_error({"standard output: cannot write: ", std::strerror(g_output_error)});
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
