// system_windows.cpp: system.hpp on Windows. Files are descriptors of the C run-time library. A directory, of which
// that library has no descriptors, is a number of the table below; names in it are appended to its absolute path.
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <random>
#include <system_error>
#include <vector>

#include "files/target.hpp"
#include "files/writers.hpp"

namespace onepass::files {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstDirectory = 1 << 24;  // no descriptor is as large
constexpr int kMostBytes = 1 << 30;       // of one call of _read or _write

/// Open directories. A closed one leaves an empty path, which the next one takes.
struct Directories {
  std::mutex mutex;
  std::vector<fs::path> paths;
};

Directories& directories() {
  static auto& all = *new Directories;  // never destroyed: a handler of interrupts may run until the process ends
  return all;
}

int add_directory(fs::path path) {
  Directories& all = directories();
  const std::lock_guard lock(all.mutex);
  auto place = std::find(all.paths.begin(), all.paths.end(), fs::path());
  if (place == all.paths.end()) place = all.paths.emplace(place);
  *place = std::move(path);
  return kFirstDirectory + static_cast<int>(place - all.paths.begin());
}

fs::path directory_path(int directory) {
  Directories& all = directories();
  const std::lock_guard lock(all.mutex);
  return all.paths[static_cast<size_t>(directory - kFirstDirectory)];
}

/// `name` is UTF-8.
fs::path path_in(int directory, const char* name) {
  return directory_path(directory) / reinterpret_cast<const char8_t*>(name);
}

/// Sets errno by the error of the last call of Windows; returns false.
bool failed() {
  switch (::GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_BAD_PATHNAME:
      errno = ENOENT;
      break;
    case ERROR_DIRECTORY:
      errno = ENOTDIR;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_WRITE_PROTECT:
      errno = EACCES;
      break;
    case ERROR_TOO_MANY_OPEN_FILES:
      errno = EMFILE;
      break;
    case ERROR_NOT_ENOUGH_MEMORY:
      errno = ENOMEM;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_INVALID_NAME:
      errno = EINVAL;
      break;
    case ERROR_FILENAME_EXCED_RANGE:
      errno = ENAMETOOLONG;
      break;
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION:
      errno = ENOTSUP;
      break;
    default:
      errno = EIO;
  }
  return false;
}

/// A descriptor of a file that others may rename and delete while it is open, as on POSIX; _wopen forbids it. Invalid,
/// with errno set, if that fails.
Handle open(const fs::path& path, DWORD access, DWORD creation) {
  const HANDLE file = ::CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                    nullptr, creation, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    failed();
    return {};
  }
  const int flags = (access == GENERIC_READ ? _O_RDONLY : 0) | _O_BINARY | _O_NOINHERIT;
  const int descriptor = ::_open_osfhandle(reinterpret_cast<intptr_t>(file), flags);
  if (descriptor < 0) ::CloseHandle(file);
  return Handle(descriptor);
}

}  // namespace

bool Handle::close() {
  const int number = number_;
  number_ = -1;
  if (number < kFirstDirectory) return ::_close(number) == 0;
  Directories& all = directories();
  const std::lock_guard lock(all.mutex);
  all.paths[static_cast<size_t>(number - kFirstDirectory)].clear();
  return true;
}

namespace system {

Handle open_input(const fs::path& path) {
  Handle file = open(path, GENERIC_READ, OPEN_EXISTING);
  std::error_code ignored;
  if (!file.valid() && errno == EACCES && fs::is_directory(path, ignored)) errno = EISDIR;
  return file;
}

std::optional<Input> status(int file) {
  struct _stat64 found {};
  if (::_fstat64(file, &found) != 0) return std::nullopt;
  Input input{.directory = (found.st_mode & _S_IFMT) == _S_IFDIR, .regular = (found.st_mode & _S_IFMT) == _S_IFREG};
  if (input.regular) input.size = static_cast<size_t>(std::max<int64_t>(found.st_size, 0));
  return input;
}

ptrdiff_t read(int file, std::span<std::byte> bytes) {
  size_t count = 0;
  while (count < bytes.size()) {
    const int got =
        ::_read(file, bytes.data() + count, static_cast<unsigned>(std::min<size_t>(bytes.size() - count, kMostBytes)));
    if (got < 0) return -1;
    if (got == 0) break;
    count += static_cast<size_t>(got);
  }
  return static_cast<ptrdiff_t>(count);
}

ptrdiff_t read_at(int file, std::span<std::byte> bytes, uint64_t position) {
  static std::mutex position_is_moved;  // by one thread at a time: threads decode the blocks of one TIFF file
  const std::lock_guard lock(position_is_moved);
  const int64_t before = ::_telli64(file);
  if (::_lseeki64(file, static_cast<int64_t>(position), SEEK_SET) < 0) return -1;
  const ptrdiff_t got = read(file, bytes);
  return ::_lseeki64(file, before, SEEK_SET) < 0 ? -1 : got;
}

/// Links are followed by their whole path: Windows creates them for administrators only.
Result<void> find_target(Target& target) {
  std::error_code error;
  const fs::path asked = target.directory / target.path.filename();
  if (fs::is_symlink(asked, error)) {
    const fs::path place = fs::weakly_canonical(asked, error);
    if (error || fs::is_symlink(place, error)) return target.error("cannot create it", ELOOP);
    target.directory = place.parent_path();
    target.name = place.filename().string();
  }
  if (!fs::is_directory(target.directory, error)) {
    return target.error("cannot create it", fs::exists(target.directory, error) ? ENOTDIR : ENOENT);
  }
  target.handle = Handle(add_directory(target.directory));
  return {};
}

ExistingFile existing(int directory, const char* name) {
  const fs::path path = path_in(directory, name);
  std::error_code error;
  switch (fs::symlink_status(path, error).type()) {
    case fs::file_type::not_found:
      return {Existing::kNone};
    case fs::file_type::none:
      errno = EIO;
      return {Existing::kUnknown};
    case fs::file_type::directory:
      return {Existing::kDirectory};
    case fs::file_type::regular:
      break;
    default:
      return {Existing::kOther};
  }
  constexpr int kWrite = 2;
  return {::_waccess(path.c_str(), kWrite) == 0 ? Existing::kFile : Existing::kProtected};
}

Handle create_file(int directory, const char* name) {
  return open(path_in(directory, name), GENERIC_READ | GENERIC_WRITE, CREATE_NEW);
}

// For writing too: a file that is open for reading only cannot be synced.
Handle open_file(int directory, const char* name) {
  return open(path_in(directory, name), GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING);
}

bool create_directory(int directory, const char* name) {
  return ::CreateDirectoryW(path_in(directory, name).c_str(), nullptr) != 0 || failed();
}

Handle open_directory(int directory, const char* name) {
  fs::path path = path_in(directory, name);
  std::error_code error;
  if (fs::is_directory(path, error)) return Handle(add_directory(std::move(path)));
  errno = ENOENT;
  return {};
}

std::optional<std::pair<uint64_t, uint64_t>> identity(int directory) { return identity(directory_path(directory)); }

std::optional<std::pair<uint64_t, uint64_t>> identity(const std::filesystem::path& path) {
  const HANDLE handle = ::CreateFileW(path.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                      OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  BY_HANDLE_FILE_INFORMATION found{};
  const bool fine = handle != INVALID_HANDLE_VALUE && ::GetFileInformationByHandle(handle, &found) != 0;
  if (!fine) failed();
  if (handle != INVALID_HANDLE_VALUE) ::CloseHandle(handle);
  if (!fine) return std::nullopt;
  return std::pair<uint64_t, uint64_t>(found.dwVolumeSerialNumber,
                                       uint64_t{found.nFileIndexHigh} << 32 | found.nFileIndexLow);
}

bool write(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const int written = ::_write(file, bytes.data(), static_cast<unsigned>(std::min<size_t>(bytes.size(), kMostBytes)));
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

bool seek(int file, uint64_t position) { return ::_lseeki64(file, static_cast<int64_t>(position), SEEK_SET) >= 0; }

// A new file has the rights that its directory gives. A file that is replaced was writable, and so is the new one.
void set_permissions(int /*file*/, uint32_t /*permissions*/) {}

bool sync(int file) { return ::_commit(file) == 0 || errno == EINVAL; }

bool sync_directory(int /*directory*/) { return true; }  // rename() waits until the change is on disk

bool rename(int directory, const char* name, int new_directory, const char* new_name) {
  return ::MoveFileExW(path_in(directory, name).c_str(), path_in(new_directory, new_name).c_str(),
                       MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0 ||
         failed();
}

bool link(int directory, const char* name, const char* second_name) {
  return ::CreateHardLinkW(path_in(directory, second_name).c_str(), path_in(directory, name).c_str(), nullptr) != 0 ||
         failed();
}

void remove(int directory, const char* name, bool is_directory) {
  const fs::path path = path_in(directory, name);
  if (is_directory) {
    (void)::RemoveDirectoryW(path.c_str());
  } else {
    (void)::DeleteFileW(path.c_str());
  }
}

void random(std::span<std::byte> bytes) {
  std::random_device device;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(device());
}

}  // namespace system
}  // namespace onepass::files
