// cli_support.hpp: runs the program as a process, in a directory of its own, and makes input files for it.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "onepass/files.hpp"

namespace cli_test {

using Args = std::vector<std::string>;
using onepass::Extent;
using onepass::Format;
using onepass::Image;

/// How a process ended and what it said.
struct Outcome {
  int status = -1;  ///< Exit status; -1 if a signal ended it.
  int signal = 0;   ///< That signal.
  std::string out;
  std::string err;           ///< Of a terminal run: what appeared on the terminal.
  uint64_t most_memory = 0;  ///< Resident bytes at the worst moment.
};

/// How to run.
struct RunOptions {
  bool terminal = false;    ///< stderr is a terminal.
  uint64_t file_limit = 0;  ///< RLIMIT_FSIZE in bytes; 0 = none.
  int kill_signal = 0;      ///< Sent as soon as a temporary file has appeared in the test's directory...
  int kill_delay_ms = 0;    ///< ...or, if not 0, so long after the start.
  std::string stdout_to{};  ///< A file instead of a pipe.
};

/// The value of each channel at a texel.
using Texel = std::function<float(uint32_t x, uint32_t y, uint32_t channel)>;

/// Every test runs in a new directory that is removed at the end.
class Cli : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Runs the program with the test's directory as working directory.
  [[nodiscard]] Outcome run(const Args& arguments, const RunOptions& options = {}) const;

  /// Runs it and expects success.
  Outcome good(const Args& arguments) const;

  /// Runs it, expects `status`, nothing on stdout and exactly one line on stderr that contains all of `words`.
  void bad(int status, const Args& arguments, const std::vector<std::string>& words) const;

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return directory_ / name; }
  [[nodiscard]] std::string bytes(const std::string& name) const;
  void write_bytes(const std::string& name, const std::string& bytes) const;

  /// Names of everything in the directory, sorted.
  [[nodiscard]] std::vector<std::string> listing() const;

  [[nodiscard]] static Image image(Format format, Extent size, const Texel& texel);

  /// Writes an image as the type its name says.
  void make(const std::string& name, Format format, Extent size, const Texel& texel) const;
  void make(const std::string& name, const Image& image) const;
  void make_jpeg(const std::string& name, Extent size, const Texel& texel) const;
  void make_hdr(const std::string& name, Extent size, const Texel& texel) const;

  /// Reads an output.
  [[nodiscard]] onepass::files::ImageFile read(const std::string& name,
                                               const onepass::files::ReadOptions& options = {}) const;

  /// A channel of a texel of an image.
  [[nodiscard]] static float value(const Image& image, uint32_t x, uint32_t y, uint32_t channel = 0,
                                   uint32_t slice = 0);

  /// Is there a Vulkan device, software or not?
  [[nodiscard]] static bool has_vulkan();

  std::filesystem::path directory_;
};

/// Some colours that differ from texel to texel.
float pattern(uint32_t x, uint32_t y, uint32_t channel);

}  // namespace cli_test
