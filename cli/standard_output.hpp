// standard_output.hpp: `-o -`: the output is written to a temporary file and copied to standard output when it is
// complete.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "onepass/files.hpp"

namespace onepass::cli {

class StandardOutput {
 public:
  /// Reserves a file with this extension (".png", ...) in the directory for temporary files. It is deleted at the end,
  /// also after an interrupt. Errors: kIo.
  static Result<std::shared_ptr<StandardOutput>> create(const std::string& extension);

  /// The file to write.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Copies the file, if it was written, to standard output. Errors: kIo.
  [[nodiscard]] Result<void> copy() const;

 private:
  files::FileSet set_;  // never committed; its destructor deletes the file
  std::filesystem::path path_;
};

}  // namespace onepass::cli
