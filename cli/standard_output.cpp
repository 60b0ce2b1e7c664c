// standard_output.cpp: writes the output of `-o -` to a temporary file of a FileSet, then copies it in blocks of 256
// KB: writers need a file in which they can seek.
#include "standard_output.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "system.hpp"

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
    if (!system::write_standard_output({block.data(), static_cast<size_t>(file.gcount())})) {
      return Error{ErrorCode::kIo, std::string("cannot write: ") + std::strerror(errno), "standard output"};
    }
  }
  return {};
}

}  // namespace onepass::cli
