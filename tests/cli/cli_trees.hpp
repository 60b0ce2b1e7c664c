// cli_trees.hpp: outputs of many files, compared as a whole, for the tests of `tiles` and `volume`.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tests/cli/cli_support.hpp"

namespace cli_test {

/// Tests whose outputs are directories of files.
class CliTrees : public Cli {
 protected:
  /// All entries below the test's directory, or below one in it, with the bytes of files.
  [[nodiscard]] std::map<std::string, std::string> tree(const std::string& below = "") const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_ / below)) {
      const std::string name = std::filesystem::relative(entry, directory_);
      all[name] = entry.is_regular_file() ? bytes(name) : "";
    }
    return all;
  }

  void make_noise(const std::string& name, size_t size) const {
    std::string noise(size, '\0');
    uint32_t state = 1;
    for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    write_bytes(name, noise);
  }
};

}  // namespace cli_test
