// files_errors_posix_test.cpp: inputs that only POSIX systems have: pipes, devices, files without permission.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;

TEST(FilesErrorsPosix, UnreadableFile) {
  const TempDirectory directory;
  save(directory / "x.png", make_png({.samples = {7}}));
  ASSERT_EQ(::chmod((directory / "x.png").c_str(), 0), 0);
  ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
  const int status = as_ordinary_user([&] {
    const auto file = onepass::files::read(directory / "x.png");
    if (file) return 2;
    const onepass::Error& error = file.error();
    return error.code == ErrorCode::kIo && error.message.find("Permission denied") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST(FilesErrorsPosix, PipesAreRead) {
  const TempDirectory directory;
  const std::filesystem::path path = directory / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::vector<uint32_t> samples(size_t{500} * 400);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<uint32_t>(i * i % 65536);
  const Bytes bytes = make_png({.width = 500, .height = 400, .bits = 16, .samples = samples});
  ASSERT_GT(bytes.size(), 100000U);
  std::thread writer([&] { save(path, bytes); });
  const auto file = onepass::files::read(path);
  writer.join();
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->base().size, (onepass::Extent{500, 400}));
}

TEST(FilesErrorsPosix, EndlessDevices) {
  const auto file = onepass::files::read("/dev/zero");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kBadData);  // its first bytes are no signature
}

}  // namespace
