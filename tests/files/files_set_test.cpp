// files_set_test.cpp: several outputs appear together or not at all, and are on disk before they appear. Functions
// defined here replace renameat(), linkat() and fsync() of the C library: they record calls and can fail.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "tests/files/files_support.hpp"

namespace {

std::vector<std::string> g_calls;
bool g_record = false;
int g_fail_rename = 0;  // number of the renameat() call that fails; 0: none
bool g_no_links = false;
int g_sync_error = 0;

}  // namespace

extern "C" {

int renameat(int from, const char* old, int to, const char* name) {
  if (g_record) g_calls.emplace_back("rename");
  if (g_fail_rename > 0 && --g_fail_rename == 0) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_renameat2, from, old, to, name, 0));
}

int linkat(int from, const char* old, int to, const char* name, int flags) {
  if (g_no_links) {
    errno = EPERM;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_linkat, from, old, to, name, flags));
}

int fsync(int descriptor) {
  struct stat status {};
  if (g_record && ::fstat(descriptor, &status) == 0) {
    g_calls.emplace_back(S_ISDIR(status.st_mode) ? "sync directory" : "sync " + std::to_string(status.st_size));
  }
  if (g_sync_error != 0) {
    errno = g_sync_error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
}

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::Result;
using onepass::files::AtomicFile;
using onepass::files::FileSet;

using Names = std::vector<std::string>;

Result<void> stage(FileSet& set, const std::filesystem::path& target, const std::string& text) {
  return set.write(target, [&](const std::filesystem::path& path) -> Result<void> {
    auto file = AtomicFile::create(path);
    if (!file) return file.error();
    if (auto done = file->write(text); !done) return done;
    return file->commit();
  });
}

/// Two directories with one old file each.
class FilesSet : public ::testing::Test {
 protected:
  void SetUp() override {
    g_calls.clear();
    std::filesystem::create_directory(directory_ / "one");
    std::filesystem::create_directory(directory_ / "two");
    save(directory_ / "one/a.png", bytes_of("old a"));
    save(directory_ / "two/c.exr", bytes_of("old c"));
  }
  void TearDown() override {
    g_record = g_no_links = false;
    g_fail_rename = g_sync_error = 0;
  }

  // Stages four outputs; the first and the last replace old files.
  void stage_all(FileSet& set) const {
    for (const std::string name : {"one/a.png", "one/b.ktx2", "two/d", "two/c.exr"}) {
      const auto done = stage(set, directory_ / name, "new " + name);
      ASSERT_TRUE(done) << done.error().text();
    }
  }

  [[nodiscard]] Names names() const {
    Names all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
      if (!entry.is_directory() || entry.path().filename().string().starts_with('.')) {
        all.push_back(entry.path().lexically_relative(directory_.path()));
      }
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  void expect_old() const {
    EXPECT_EQ(names(), (Names{"one/a.png", "two/c.exr"}));
    EXPECT_EQ(load(directory_ / "one/a.png"), bytes_of("old a"));
    EXPECT_EQ(load(directory_ / "two/c.exr"), bytes_of("old c"));
  }

  void expect_new() const {
    EXPECT_EQ(names(), (Names{"one/a.png", "one/b.ktx2", "two/c.exr", "two/d"}));
    for (const std::string& name : names()) EXPECT_EQ(load(directory_ / name), bytes_of("new " + name));
  }

  TempDirectory directory_;
};

TEST_F(FilesSet, AllAppearOnCommit) {
  FileSet set;
  stage_all(set);
  EXPECT_EQ(load(directory_ / "one/a.png"), bytes_of("old a"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "one/b.ktx2"));
  const auto done = set.commit();
  ASSERT_TRUE(done) << done.error().text();
  expect_new();
}

TEST_F(FilesSet, NothingAppearsWithoutCommit) {
  {
    FileSet set;
    stage_all(set);
    EXPECT_EQ(names().size(), 2U + 2 + 4);  // old files, hidden directories, staged files
  }
  expect_old();
}

TEST_F(FilesSet, NothingToCommitIsFine) { EXPECT_TRUE(FileSet().commit()); }

// Every rename fails once, with and without hard links for the old files.
TEST_F(FilesSet, FailureInTheMiddleRestoresEverything) {
  for (const bool no_links : {false, true}) {
    for (int number = 1; number <= (no_links ? 6 : 4); ++number) {
      FileSet set;
      stage_all(set);
      g_no_links = no_links;
      g_fail_rename = number;
      const auto done = set.commit();
      g_fail_rename = 0;
      ASSERT_FALSE(done) << number;
      EXPECT_EQ(done.error().code, ErrorCode::kIo);
      EXPECT_TRUE(done.error().context.starts_with(directory_.path().string())) << done.error().text();
      EXPECT_EQ(done.error().context.find(".onepass-"), std::string::npos) << done.error().text();
      expect_old();
    }
  }
  FileSet set;
  stage_all(set);
  EXPECT_TRUE(set.commit());
  expect_new();
}

TEST_F(FilesSet, DirectoryThatBecomesWriteProtectedIsLikeAFailingDisk) {
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0777), 0);
  for (const char* name : {"one", "two"}) ASSERT_EQ(::chmod((directory_ / name).c_str(), 0777), 0);
  for (const char* name : {"one/a.png", "two/c.exr"}) ASSERT_EQ(::chmod((directory_ / name).c_str(), 0666), 0);
  const uid_t owner = ::geteuid() == 0 ? 65534 : ::geteuid();
  ASSERT_EQ(::chown((directory_ / "two").c_str(), owner, static_cast<gid_t>(-1)), 0);
  const int status = as_ordinary_user([&] {
    FileSet set;
    stage_all(set);
    if (::chmod((directory_ / "two").c_str(), 0555) != 0) return 2;
    const bool done = static_cast<bool>(set.commit());
    if (::chmod((directory_ / "two").c_str(), 0777) != 0) return 3;
    return done ? 1 : 0;
  });
  EXPECT_EQ(status, 0);
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "two")) {
    // Removes leftovers that commit() could not delete from the write-protected directory.
    if (entry.path().filename().string().starts_with(".onepass-")) std::filesystem::remove_all(entry.path());
  }
  expect_old();
}

TEST_F(FilesSet, AFileThatWasNotWrittenIsAnError) {
  FileSet set;
  stage_all(set);
  ASSERT_TRUE(set.add(directory_ / "one/e.png"));
  const auto done = set.commit();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().context, (directory_ / "one/e.png").string());
  expect_old();
}

TEST_F(FilesSet, ErrorsOfWritersNameTheTarget) {
  FileSet set;
  const auto image = random_image(onepass::Format::kRGBA8Unorm, {2, 2}, 2, 1);
  const auto done = set.write(directory_ / "one/a.png", [&](const auto& path) {
    EXPECT_EQ(path.extension(), ".png");
    return onepass::files::write_png(path, image.view());
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().text(), (directory_ / "one/a.png").string() + ": a PNG file holds one slice, not 2");
}

TEST_F(FilesSet, TargetsThatCannotBeReplacedAreRefusedAtOnce) {
  FileSet set;
  EXPECT_EQ(set.add(directory_ / "one").error().message, "is a directory");
  EXPECT_EQ(set.add("/dev/null").error().message, "is not a regular file");
  EXPECT_NE(set.add(directory_ / "none/x.png").error().message.find("No such file"), std::string::npos);
  EXPECT_FALSE(set.add(""));
}

TEST_F(FilesSet, LinksStayAndPermissionsAreKept) {
  ASSERT_EQ(::chmod((directory_ / "two/c.exr").c_str(), 0640), 0);
  std::filesystem::create_symlink("../two/c.exr", directory_ / "one/link.exr");
  FileSet set;
  ASSERT_TRUE(stage(set, directory_ / "one/link.exr", "new c"));
  ASSERT_TRUE(set.commit());
  EXPECT_TRUE(std::filesystem::is_symlink(directory_ / "one/link.exr"));
  EXPECT_EQ(load(directory_ / "two/c.exr"), bytes_of("new c"));
  struct stat status {};
  ASSERT_EQ(::stat((directory_ / "two/c.exr").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST_F(FilesSet, HundredsOfFilesAreDiscardedByASignal) {
  const int status = in_child([&] {
    ::signal(SIGTERM, [](int) {
      onepass::files::discard_pending_files();
      ::_exit(42);
    });
    g_sync_error = EINVAL;  // as on a file system without fsync(); saves time
    FileSet set;
    for (int i = 0; i < 250; ++i) {
      if (!stage(set, directory_ / ((i % 2 == 0 ? "one/" : "two/") + std::to_string(i) + ".hdr"), "x")) return 1;
    }
    auto growing = AtomicFile::create(directory_ / "one/a.png");
    ::raise(SIGTERM);
    return 2;
  });
  EXPECT_EQ(status, 42);
  expect_old();
}

TEST_F(FilesSet, ContentsAreOnTheDiskBeforeTheirName) {
  g_record = true;
  auto file = AtomicFile::create(directory_ / "one/a.png");
  ASSERT_TRUE(file && file->write("12345") && file->commit());
  EXPECT_EQ(g_calls, (Names{"sync 5", "rename", "sync directory"}));
  g_record = false;

  FileSet set;
  ASSERT_TRUE(stage(set, directory_ / "one/a.png", "123") && stage(set, directory_ / "two/d", "4567"));
  g_calls.clear();
  g_record = true;
  ASSERT_TRUE(set.commit());
  EXPECT_EQ(g_calls, (Names{"sync 3", "sync 4", "rename", "rename", "sync directory", "sync directory"}));
}

TEST_F(FilesSet, DiskThatFailsToStoreIsReported) {
  g_sync_error = EIO;
  auto file = AtomicFile::create(directory_ / "one/a.png");
  ASSERT_TRUE(file && file->write("12345"));
  EXPECT_EQ(file->commit().error().text(), (directory_ / "one/a.png").string() + ": cannot write: Input/output error");
  expect_old();
  g_sync_error = EINVAL;  // a file system without fsync()
  auto other = AtomicFile::create(directory_ / "one/a.png");
  ASSERT_TRUE(other && other->write("12345"));
  EXPECT_TRUE(other->commit());
}

}  // namespace
