// system_windows.cpp: system.hpp on Windows.
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>  // before shellapi.h, which needs it

#include <fcntl.h>
#include <io.h>
#include <psapi.h>
#include <shellapi.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "path_of.hpp"
#include "system.hpp"

namespace onepass::cli::system {
namespace {

constexpr int kMostBytes = 1 << 30;  // of one call of _read or _write

void (*g_handler)(int) = nullptr;

/// Windows calls this in a thread of its own.
BOOL WINAPI on_control(DWORD event) {
  g_handler(event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT : SIGTERM);
  return TRUE;
}

std::string utf8(const wchar_t* text) {
  const int count = ::WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<size_t>(std::max(count, 1)), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text, -1, out.data(), count, nullptr, nullptr);
  out.pop_back();
  return out;
}

}  // namespace

/// The values of main() are in the code page of the system, which lacks most characters.
std::vector<std::string> arguments(int count, char** values) {
  int wide_count = 0;
  wchar_t** const wide = ::CommandLineToArgvW(::GetCommandLineW(), &wide_count);
  if (wide == nullptr) return {values, values + count};
  std::vector<std::string> all;
  for (int i = 0; i < wide_count; ++i) all.push_back(utf8(wide[i]));
  ::LocalFree(wide);
  ::SetConsoleOutputCP(CP_UTF8);
  return all;
}

std::string system_name() {
  // GetVersionEx tells the version that the program was built for.
  using Function = LONG(WINAPI*)(OSVERSIONINFOW*);
  const HMODULE library = ::GetModuleHandleW(L"ntdll.dll");
  const FARPROC found = library == nullptr ? nullptr : ::GetProcAddress(library, "RtlGetVersion");
  OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof(version);
  if (found == nullptr || reinterpret_cast<Function>(reinterpret_cast<void*>(found))(&version) != 0) return {};
  return "Windows " + std::to_string(version.dwMajorVersion) + "." + std::to_string(version.dwMinorVersion) + "." +
         std::to_string(version.dwBuildNumber) + " x86_64";
}

Input::Input(const std::string& path)
    : descriptor_(::_wopen(path_of(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT)) {
  struct _stat64 status {};
  if (descriptor_ < 0 || ::_fstat64(descriptor_, &status) != 0) return;
  kind_ = (status.st_mode & _S_IFMT) == _S_IFREG ? Kind::kRegular : Kind::kStream;
  if (kind_ == Kind::kRegular) size_ = static_cast<uint64_t>(status.st_size);
}

Input::~Input() {
  if (descriptor_ >= 0) ::_close(descriptor_);
}

ptrdiff_t Input::read(std::span<std::byte> bytes) const {
  size_t count = 0;
  while (count < bytes.size()) {
    const int got = ::_read(descriptor_, bytes.data() + count,
                            static_cast<unsigned>(std::min<size_t>(bytes.size() - count, kMostBytes)));
    if (got < 0) return -1;
    if (got == 0) break;
    count += static_cast<size_t>(got);
  }
  return static_cast<ptrdiff_t>(count);
}

void open_standard_streams() {}  // the C run-time library gives files no number of a standard stream

bool write_standard_output(std::span<const char> bytes) {
  constexpr int kStandardOutput = 1;
  ::_setmode(kStandardOutput, _O_BINARY);
  while (!bytes.empty()) {
    const int written =
        ::_write(kStandardOutput, bytes.data(), static_cast<unsigned>(std::min<size_t>(bytes.size(), kMostBytes)));
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

bool has_terminal() {
  const HANDLE console = ::GetStdHandle(STD_ERROR_HANDLE);
  DWORD mode = 0;
  return ::GetConsoleMode(console, &mode) != 0 &&
         ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

int terminal_columns() {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (::GetConsoleScreenBufferInfo(::GetStdHandle(STD_ERROR_HANDLE), &info) == 0) return 80;
  return info.srWindow.Right - info.srWindow.Left + 1;
}

std::optional<uint64_t> machine_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  if (::GlobalMemoryStatusEx(&status) == 0) return std::nullopt;
  return status.ullTotalPhys;
}

uint64_t peak_memory() {
  PROCESS_MEMORY_COUNTERS counters{};
  if (::K32GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof(counters)) == 0) return 0;
  return counters.PeakWorkingSetSize;
}

/// By a job that holds this process alone. Closing the job's handle would not end the limit; it stays open.
void limit_memory(uint64_t bytes) {
  static const HANDLE job = [] {
    const HANDLE created = ::CreateJobObjectW(nullptr, nullptr);
    if (created != nullptr && ::AssignProcessToJobObject(created, ::GetCurrentProcess()) == 0) {
      ::CloseHandle(created);
      return HANDLE{nullptr};
    }
    return created;
  }();
  if (job == nullptr) return;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  limits.ProcessMemoryLimit = static_cast<SIZE_T>(bytes);
  (void)::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof(limits));
}

void on_interrupts(void (*handler)(int signal)) {
  g_handler = handler;
  (void)::SetConsoleCtrlHandler(on_control, TRUE);
}

void write_in_handler(std::span<const char> bytes) {
  DWORD written = 0;
  (void)::WriteFile(::GetStdHandle(STD_ERROR_HANDLE), bytes.data(), static_cast<DWORD>(bytes.size()), &written,
                    nullptr);
}

void end_by_signal(int signal) { std::_Exit(128 + signal); }

}  // namespace onepass::cli::system
