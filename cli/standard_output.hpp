// standard_output.hpp: `-o -`: the output is made in a file, as any other, and copied to standard output when it is
// whole.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "onepass/files.hpp"

namespace onepass::cli {

class StandardOutput {
 public:
  /// Makes room for a file with the extension ".png" and so on in the directory for temporary files; an interrupt
  /// leaves nothing there. Errors: kIo.
  static Result<std::shared_ptr<StandardOutput>> create(const std::string& extension);

  /// Where to write.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Copies the file, if it was written, to standard output. Errors: kIo.
  [[nodiscard]] Result<void> copy() const;

 private:
  files::FileSet set_;  // never committed: it takes the file away at the end
  std::filesystem::path path_;
};

}  // namespace onepass::cli
