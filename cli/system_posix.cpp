// system_posix.cpp: system.hpp on Linux and other systems with POSIX.1-2008.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "system.hpp"

namespace onepass::cli::system {
std::vector<std::string> arguments(int count, char** values) { return {values, values + count}; }

std::string system_name() {
  struct utsname name {};
  if (::uname(&name) != 0) return {};
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

Input::Input(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) return;
  kind_ = S_ISDIR(status.st_mode) ? Kind::kDirectory : S_ISREG(status.st_mode) ? Kind::kRegular : Kind::kStream;
  if (kind_ == Kind::kRegular) size_ = static_cast<uint64_t>(status.st_size);
}

Input::~Input() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

ptrdiff_t Input::read(std::span<std::byte> bytes) const {
  size_t count = 0;
  while (count < bytes.size()) {
    const ssize_t got = ::read(descriptor_, bytes.data() + count, bytes.size() - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    count += static_cast<size_t>(got);
  }
  return static_cast<ptrdiff_t>(count);
}

void open_standard_streams() {
  // The lowest number that is free is the one that open() takes. Streams that are opened the wrong way round fail.
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", kModes[stream]);
  }
}

bool write_standard_output(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

bool has_terminal() { return ::isatty(STDERR_FILENO) == 1; }

int terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::optional<uint64_t> machine_memory() {
  std::optional<uint64_t> bytes;
  const auto pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) bytes = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page);
  return bytes;
}

uint64_t peak_memory() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

/// Private writable memory.
void limit_memory(uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  (void)::setrlimit(RLIMIT_DATA, &limit);
}

void on_interrupts(void (*handler)(int signal)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGXCPU}) {
    struct sigaction before {};
    // nohup, and shells that start a background job, set some of these to be ignored; they stay ignored.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

void write_in_handler(std::span<const char> bytes) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, bytes.data(), bytes.size());
}

void end_by_signal(int signal) { ::_exit(128 + signal); }

}  // namespace onepass::cli::system
