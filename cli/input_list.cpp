// input_list.cpp: expands each input in the order of the command line. A file that exists takes precedence over a list
// of the name behind @; lists are limited to 64 MiB.
#include "input_list.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "onepass/files.hpp"
#include "path_of.hpp"

namespace onepass::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = size_t{64} << 20;  // limit for a list

Result<void> add_directory(const std::string& directory, std::vector<std::string>& out) {
  std::error_code error;
  std::vector<std::string> found;
  for (auto it = fs::directory_iterator(path_of(directory), error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    const bool picture = files::type_of_extension(it->path()) != files::Type::kUnknown;
    std::error_code ignored;
    if (picture && !it->is_directory(ignored) && !it->path().filename().string().starts_with('.')) {
      found.push_back(it->path().string());
    }
  }
  if (error) return Error{ErrorCode::kIo, "cannot read the directory: " + error.message(), directory};
  if (found.empty()) return Error{ErrorCode::kInvalidArgument, "is a directory without image files", directory};
  std::sort(found.begin(), found.end());
  out.insert(out.end(), found.begin(), found.end());
  return {};
}

Result<void> add_list(const std::string& list, std::vector<std::string>& out) {
  std::ifstream file(path_of(list), std::ios::binary);
  if (!file) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return Error{code, std::string("cannot read the list: ") + std::strerror(errno), list};
  }
  const size_t before = out.size();
  size_t bytes = 0;
  size_t number = 0;  // of the line
  for (std::string line; std::getline(file, line);) {
    bytes += line.size() + 1;
    if (bytes > kMostBytes)
      return Error{ErrorCode::kInvalidArgument, "is not a list of files: longer than 64 MiB", list};
    if (line.ends_with('\r')) line.pop_back();
    ++number;
    if (line.find('\0') != std::string::npos) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("line {} contains a NUL byte, which no name of a file has", number), list};
    }
    if (!line.empty()) out.push_back(line);
  }
  if (out.size() == before) return Error{ErrorCode::kInvalidArgument, "is a list without lines", list};
  return {};
}

}  // namespace

Result<std::vector<std::string>> expand_inputs(const std::vector<std::string>& typed, std::vector<std::string>& lists) {
  std::vector<std::string> out;
  for (const std::string& input : typed) {
    std::error_code error;
    if (input == "-") {
      out.emplace_back("/dev/stdin");
    } else if (input.size() > 1 && input[0] == '@' && !fs::exists(path_of(input), error)) {
      if (auto done = add_list(input.substr(1), out); !done) return done.error();
      lists.push_back(input.substr(1));
    } else if (fs::is_directory(path_of(input), error)) {
      if (auto done = add_directory(input, out); !done) return done.error();
    } else {
      out.push_back(input);
    }
  }
  return out;
}

}  // namespace onepass::cli
