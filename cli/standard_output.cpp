// standard_output.cpp: the temporary file of `-o -`; see standard_output.hpp.
#include "standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

namespace onepass::cli {

Result<std::shared_ptr<StandardOutput>> StandardOutput::create(const std::string& extension) {
  auto out = std::make_shared<StandardOutput>();
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(error);
  if (error) return Error{ErrorCode::kIo, "no directory for temporary files: " + error.message(), "standard output"};
  auto path = out->set_.add(directory / ("onepass-output" + extension));
  if (!path) return path.error();
  out->path_ = std::move(*path);
  return out;
}

Result<void> StandardOutput::copy() const {
  std::ifstream file(path_, std::ios::binary);
  std::vector<char> block(size_t{1} << 18);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const char* at = block.data();
    for (auto left = static_cast<size_t>(file.gcount()); left > 0;) {
      const ssize_t written = ::write(STDOUT_FILENO, at, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        return Error{ErrorCode::kIo, std::string("cannot write: ") + std::strerror(errno), "standard output"};
      }
      at += written;
      left -= static_cast<size_t>(written);
    }
  }
  return {};
}

}  // namespace onepass::cli
