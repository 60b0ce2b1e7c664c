// target.cpp: refuses places where no regular file can be written, with a message that says why: an empty name, a NUL
// byte, a directory, a URL, a device. system::find_target() follows the links and opens the directory.
#include "files/target.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include "files/url.hpp"
#include "files/writers.hpp"

namespace onepass::files {

Error output_error(const std::filesystem::path& path, const char* what, int number) {
  return file_error(path, ErrorCode::kIo, std::string(what) + ": " + std::strerror(number));
}

Error Target::error(const char* what, int number) const { return output_error(path, what, number); }

Result<Target> open_target(const std::filesystem::path& path) {
  Target target;
  target.path = path;
  if (path.empty()) return file_error(path, ErrorCode::kIo, "the name of the output is empty");
  if (path.native().find(std::filesystem::path::value_type()) != std::filesystem::path::string_type::npos) {
    return file_error(path, ErrorCode::kIo, "the name contains a NUL byte, where the system would cut it off");
  }
  if (!path.has_filename()) return file_error(path, ErrorCode::kIo, "is a directory");
  std::error_code ignored;
  target.directory = std::filesystem::absolute(path, ignored).parent_path();
  target.name = path.filename().string();
  if (auto found = system::find_target(target); !found) {
    const std::string name = path.string();
    return is_url(name) ? file_error(path, ErrorCode::kIo, "onepass writes files, not URLs") : found.error();
  }
  return target;
}

Result<system::ExistingFile> check_existing(const std::filesystem::path& path, int directory, const std::string& name) {
  const system::ExistingFile existing = system::existing(directory, name.c_str());
  switch (existing.kind) {
    case system::Existing::kNone:
    case system::Existing::kFile:
      break;
    case system::Existing::kDirectory:
      return file_error(path, ErrorCode::kIo, "is a directory");
    case system::Existing::kOther:
      return file_error(path, ErrorCode::kIo, "is not a regular file");
    case system::Existing::kProtected:
      return output_error(path, "cannot replace it", errno);
    case system::Existing::kUnknown:
      return output_error(path, "cannot create it", errno);
  }
  return existing;
}

Result<void> sync_directory(const Target& target) {
  if (target.directory.filename().string().starts_with(".onepass-")) return {};  // temporary, of a FileSet
  if (system::sync_directory(target.handle.number())) return {};
  return target.error("cannot write its directory", errno);
}

std::filesystem::path write_target(const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;  // the limit of Linux
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
