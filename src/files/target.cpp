// target.cpp: follows links to the place of an output; see target.hpp.
//
// The last component is opened with O_PATH | O_NOFOLLOW, and owner and text of a link are read from that descriptor: if
// the link is replaced meanwhile, the one that was checked is followed.
// Source: Linux, Documentation/admin-guide/sysctl/fs.rst, protected_symlinks.
#include "files/target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "files/writers.hpp"

namespace onepass::files {
namespace {

constexpr int kMostLinks = 40;          // the limit of Linux
constexpr size_t kMostLinkText = 4096;  // PATH_MAX of Linux

// Opens for reading if permitted, because only such a descriptor can be synced.
Handle open_directory(int from, const std::filesystem::path& path) {
  const char* name = path.empty() ? "." : path.c_str();
  const int descriptor = ::openat(from, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0 || errno != EACCES) return Handle(descriptor);
  return Handle(::openat(from, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// Refuses a link that must not be followed.
Result<void> check_link(const Target& target, const struct stat& link) {
  struct stat directory {};
  if (::fstat(target.handle.number(), &directory) != 0) return target.error("cannot create it", errno);
  const bool shared = (directory.st_mode & S_ISVTX) != 0 && (directory.st_mode & S_IWOTH) != 0;
  if (!shared || link.st_uid == ::geteuid() || link.st_uid == directory.st_uid) return {};
  return file_error(target.path, ErrorCode::kIo,
                    "the symbolic link " + (target.directory / target.name).string() + " belongs to user " +
                        std::to_string(link.st_uid) +
                        ", in a directory that everybody may write to: it is not followed");
}

Result<void> is_directory(const Target& target) { return file_error(target.path, ErrorCode::kIo, "is a directory"); }

// Moves `target` to where the link leads.
Result<void> follow(Target& target, int link) {
  std::array<char, kMostLinkText> text{};
  const ssize_t length = ::readlinkat(link, "", text.data(), text.size());
  if (length < 0) return target.error("cannot create it", errno);
  if (static_cast<size_t>(length) == text.size()) return target.error("cannot create it", ENAMETOOLONG);
  const std::filesystem::path next(std::string_view(text.data(), static_cast<size_t>(length)));
  if (!next.has_filename()) return is_directory(target);
  Handle directory = open_directory(target.handle.number(), next.parent_path());
  if (!directory.valid()) return target.error("cannot create it", errno);
  target.handle = std::move(directory);
  target.directory /= next.parent_path();
  target.name = next.filename().string();
  return {};
}

}  // namespace

Handle::~Handle() {
  if (number_ >= 0) ::close(number_);
}

bool Handle::close() {
  const int number = number_;
  number_ = -1;
  return ::close(number) == 0;
}

Error Target::error(const char* what, int number) const {
  return file_error(path, ErrorCode::kIo, std::string(what) + ": " + std::strerror(number));
}

Result<Target> open_target(const std::filesystem::path& path) {
  Target target;
  target.path = path;
  if (path.empty()) return file_error(path, ErrorCode::kIo, "the name of the output is empty");
  if (!path.has_filename()) return is_directory(target).error();
  std::error_code ignored;
  target.directory = std::filesystem::absolute(path, ignored).parent_path();
  target.name = path.filename().string();
  target.handle = open_directory(AT_FDCWD, path.parent_path());
  if (!target.handle.valid()) return target.error("cannot create it", errno);
  for (int i = 0; i <= kMostLinks; ++i) {
    const Handle last(::openat(target.handle.number(), target.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!last.valid()) {
      if (errno == ENOENT) return target;
      return target.error("cannot create it", errno);
    }
    struct stat status {};
    if (::fstat(last.number(), &status) != 0) return target.error("cannot create it", errno);
    if (!S_ISLNK(status.st_mode)) return target;
    if (auto fine = check_link(target, status); !fine) return fine.error();
    if (auto done = follow(target, last.number()); !done) return done.error();
  }
  return target.error("cannot create it", ELOOP);
}

Result<std::optional<struct stat>> check_existing(const std::filesystem::path& path, int directory,
                                                  const std::string& name) {
  const auto refuse = [&](std::string message) { return file_error(path, ErrorCode::kIo, std::move(message)); };
  struct stat existing {};
  if (::fstatat(directory, name.c_str(), &existing, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::optional<struct stat>();
    return refuse(std::string("cannot create it: ") + std::strerror(errno));
  }
  if (S_ISDIR(existing.st_mode)) return refuse("is a directory");
  if (!S_ISREG(existing.st_mode)) return refuse("is not a regular file");
  if (::faccessat(directory, name.c_str(), W_OK, 0) != 0) {
    return refuse(std::string("cannot replace it: ") + std::strerror(errno));
  }
  return std::optional(existing);
}

bool sync_file(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

Result<void> sync_directory(const Target& target) {
  if (target.directory.filename().string().starts_with(".onepass-")) return {};  // temporary, of a FileSet
  if (sync_file(target.handle.number()) || errno == EBADF) return {};            // EBADF: opened by O_PATH
  return target.error("cannot write its directory", errno);
}

std::filesystem::path write_target(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(path, error);
  if (error) return path;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(place, error); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(place, error);
    if (error) break;
    place = place.parent_path() / next;  // `next` alone if it is absolute
  }
  return place;
}

}  // namespace onepass::files
