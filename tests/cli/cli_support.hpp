// cli_support.hpp: runs the program as a process in a temporary directory and makes input files for it.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "onepass/files.hpp"

namespace cli_test {

using Args = std::vector<std::string>;
using onepass::Extent;
using onepass::Format;
using onepass::Image;

/// Exit state and output of a process.
struct Outcome {
  int status = -1;  ///< Exit status; -1 if a signal ended it.
  int signal = 0;   ///< The signal that ended it, or 0.
  std::string out;
  std::string err;           ///< For a terminal run: the text shown on the terminal.
  uint64_t most_memory = 0;  ///< Peak resident memory in bytes.
};

/// Settings of a run.
struct RunOptions {
  bool terminal = false;           ///< stderr is a pseudo-terminal.
  uint64_t file_limit = 0;         ///< RLIMIT_FSIZE in bytes; 0 = none.
  int kill_signal = 0;             ///< Signal sent when a temporary file appears in the test's directory...
  int kill_delay_ms = 0;           ///< ...or, if not 0, this long after the start...
  bool kill_when_handled = false;  ///< ...or after the program has installed its handler, however long that takes.
  std::string stdout_to{};         ///< File that receives stdout instead of a pipe.
  std::string stderr_to{};         ///< The same of stderr.
  /// Numbers of standard streams that are closed, or are pipes without a reader.
  std::vector<int> closed{}, broken{};
  bool ignore_broken_pipes = false;  ///< SIGPIPE is ignored from the start; else it has its default action.
};

/// A variable of the environment that the program inherits; has its former value again at the end.
class WithVariable {
 public:
  WithVariable(const char* name, const std::string& value);
  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;
  ~WithVariable();

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Value of a channel at a texel.
using Texel = std::function<float(uint32_t x, uint32_t y, uint32_t channel)>;

/// Each test runs in a new directory, which is removed at the end.
class Cli : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Runs the program with the test's directory as working directory.
  [[nodiscard]] Outcome run(const Args& arguments, const RunOptions& options = {}) const;

  /// Runs the program and expects success.
  Outcome good(const Args& arguments) const;

  /// Runs the program and expects `status`, empty stdout and exactly one line on stderr that contains all of `words`.
  void bad(int status, const Args& arguments, const std::vector<std::string>& words) const;

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return directory_ / name; }
  [[nodiscard]] std::string bytes(const std::string& name) const;
  void write_bytes(const std::string& name, const std::string& bytes) const;

  /// Names of all entries of the directory, sorted.
  [[nodiscard]] std::vector<std::string> listing() const;

  [[nodiscard]] static Image image(Format format, Extent size, const Texel& texel);

  /// Writes an image; the extension of `name` selects the file type.
  void make(const std::string& name, Format format, Extent size, const Texel& texel) const;
  void make(const std::string& name, const Image& image) const;
  void make_jpeg(const std::string& name, Extent size, const Texel& texel) const;
  void make_hdr(const std::string& name, Extent size, const Texel& texel) const;

  /// Reads an output.
  [[nodiscard]] onepass::files::ImageFile read(const std::string& name,
                                               const onepass::files::ReadOptions& options = {}) const;

  /// Value of one channel of a texel.
  [[nodiscard]] static float value(const Image& image, uint32_t x, uint32_t y, uint32_t channel = 0,
                                   uint32_t slice = 0);

  /// Whether there is a Vulkan device, hardware or software.
  [[nodiscard]] static bool has_vulkan();

  std::filesystem::path directory_;
};

/// A test image whose colours differ from texel to texel.
float pattern(uint32_t x, uint32_t y, uint32_t channel);

}  // namespace cli_test
