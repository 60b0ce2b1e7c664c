// system.hpp: all that the program needs of the operating system beyond C++. system_posix.cpp and system_windows.cpp
// implement it; no other source of the program calls the system. Functions that fail set errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace onepass::cli::system {

/// The arguments of main() in UTF-8.
std::vector<std::string> arguments(int count, char** values);

/// Name, version and processor of the operating system: "Linux 6.1.0-18-amd64 x86_64". Empty if unknown.
std::string system_name();

/// ---- Inputs

/// A file, pipe or device that is open for reading.
class Input {
 public:
  explicit Input(const std::string& path);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  enum class Kind { kUnknown, kDirectory, kRegular, kStream };
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] uint64_t size() const { return size_; }  ///< Of a regular file.

  /// Reads up to bytes.size() bytes, fewer only at the end of the input. The number of bytes read, or -1.
  [[nodiscard]] ptrdiff_t read(std::span<std::byte> bytes) const;

 private:
  int descriptor_ = -1;
  Kind kind_ = Kind::kUnknown;
  uint64_t size_ = 0;
};

/// ---- Standard output and terminal

/// Occupies the numbers of standard streams that are closed, so that no file gets one of them and receives messages.
/// A write to a closed standard output is still an error.
void open_standard_streams();

/// Writes all bytes to standard output as they are.
bool write_standard_output(std::span<const char> bytes);

/// Whether stderr is a terminal that understands escape sequences.
bool has_terminal();

/// Width of that terminal in columns; 80 if unknown.
int terminal_columns();

/// ---- Processors and memory

/// Memory of the machine in bytes; empty if unknown.
std::optional<uint64_t> machine_memory();

/// The largest amount of memory that the process has had so far, in bytes; 0 if unknown.
uint64_t peak_memory();

/// Limits the memory that the process allocates, but not mappings of devices or files. Does nothing where the system
/// has no such limit.
void limit_memory(uint64_t bytes);

/// ---- Interrupts

/// Makes every interrupt call `handler` with its number: SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGXCPU, unless they are
/// ignored; on Windows Ctrl+C, Ctrl+Break and the end of console or session. A broken pipe and reaching a limit of file
/// sizes become ordinary write errors.
void on_interrupts(void (*handler)(int signal));

/// Writes to stderr; may be called by the handler.
void write_in_handler(std::span<const char> bytes);

/// Ends the process at once with status 128 + signal; may be called by the handler.
[[noreturn]] void end_by_signal(int signal);

}  // namespace onepass::cli::system
