// files_atomic_test.cpp: an output file appears complete or not at all.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::files::AtomicFile;

using Names = std::vector<std::string>;

TEST(FilesAtomic, AppearsOnCommitOnly) {
  const TempDirectory directory;
  auto file = AtomicFile::create(directory / "out");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("hello"));
  EXPECT_FALSE(std::filesystem::exists(directory / "out"));
  EXPECT_EQ(directory.entries().size(), 1U);  // the temporary file
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(directory.entries(), Names{"out"});
  EXPECT_EQ(load(directory / "out"), bytes_of("hello"));
}

TEST(FilesAtomic, AbandonedFileLeavesTheOldOneWhole) {
  const TempDirectory directory;
  save(directory / "out", bytes_of("old"));
  {
    auto file = AtomicFile::create(directory / "out");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(std::string(1000000, 'x')));
  }
  EXPECT_EQ(directory.entries(), Names{"out"});
  EXPECT_EQ(load(directory / "out"), bytes_of("old"));
}

TEST(FilesAtomic, SeekOverwritesInPlace) {
  const TempDirectory directory;
  auto file = AtomicFile::create(directory / "out");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(std::string(300000, 'a')));
  EXPECT_EQ(file->position(), 300000U);
  ASSERT_TRUE(file->seek(2));
  ASSERT_TRUE(file->write("bc"));
  EXPECT_EQ(file->position(), 4U);
  ASSERT_TRUE(file->commit());
  const Bytes bytes = load(directory / "out");
  ASSERT_EQ(bytes.size(), 300000U);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 6), bytes_of("aabcaa"));
}

TEST(FilesAtomic, NamesAreUtf8) {
  const TempDirectory directory;
  const std::filesystem::path folder = directory.path() / u8"снимки";
  std::filesystem::create_directory(folder);
  const std::filesystem::path path = folder / u8"größe 画像 🙂.png";
  const auto image = random_image(onepass::Format::kRGBA8Unorm, {5, 3}, 1, 1);
  for (int i = 0; i < 2; ++i) {  // the second output replaces the first one
    const auto done = onepass::files::write_png(path, image.view());
    ASSERT_TRUE(done) << done.error().text();
  }
  const auto file = onepass::files::read(path);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->base().size, (onepass::Extent{5, 3}));
  const auto missing = onepass::files::read(folder / u8"größe.png");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().text().find("größe.png: no such file"), std::string::npos) << missing.error().text();
}

TEST(FilesAtomic, CommitAfterDiscardFails) {
  const TempDirectory directory;
  auto file = AtomicFile::create(directory / "out");
  ASSERT_TRUE(file && file->write("x"));
  onepass::files::discard_pending_files();
  const auto done = file->commit();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kIo);
  EXPECT_TRUE(directory.entries().empty());
}

TEST(FilesAtomic, ManyThreadsAtOnce) {
  const TempDirectory directory;
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        auto file = AtomicFile::create(directory / ("f" + std::to_string(t) + "-" + std::to_string(i % 5)));
        const bool keep = i % 3 != 0;
        if (!file || !file->write("thread " + std::to_string(t)) || (keep && !file->commit())) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  const Names names = directory.entries();
  EXPECT_EQ(names.size(), 40U);
  for (const std::string& name : names) EXPECT_EQ(load(directory / name), bytes_of("thread " + name.substr(1, 1)));
}

}  // namespace
