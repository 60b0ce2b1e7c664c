// files_atomic_posix_test.cpp: output files on POSIX systems: permissions, links, full disks and signals.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::files::AtomicFile;

using Names = std::vector<std::string>;

TEST(FilesAtomicPosix, PermissionsAreThoseOfANewFileOrOfTheOldOne) {
  const TempDirectory directory;
  const mode_t old_mask = ::umask(022);
  struct stat status {};
  const auto write = [&] {
    auto file = AtomicFile::create(directory / "out");
    return file && file->write("x") && file->commit() && ::stat((directory / "out").c_str(), &status) == 0;
  };
  ASSERT_TRUE(write());
  EXPECT_EQ(status.st_mode & 0777, 0644U);
  ASSERT_EQ(::chmod((directory / "out").c_str(), 0600), 0);
  ASSERT_TRUE(write());
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ::umask(old_mask);
}

TEST(FilesAtomicPosix, SymbolicLinkStaysALink) {
  const TempDirectory directory;
  std::filesystem::create_directory(directory / "real");
  save(directory / "real/file", bytes_of("old"));
  std::filesystem::create_symlink("real/file", directory / "link");
  auto file = AtomicFile::create(directory / "link");
  ASSERT_TRUE(file && file->write("new") && file->commit());
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_EQ(load(directory / "real/file"), bytes_of("new"));
}

TEST(FilesAtomicPosix, LinksToNowhereLeadToNewFiles) {
  const TempDirectory directory;
  std::filesystem::create_directory(directory / "real");
  std::filesystem::create_symlink("real/second", directory / "first");
  std::filesystem::create_symlink(directory / "real/file", directory / "real/second");
  auto file = AtomicFile::create(directory / "first");
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_TRUE(file->write("new") && file->commit());
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "real/second"));
  EXPECT_EQ(load(directory / "real/file"), bytes_of("new"));
  std::filesystem::create_symlink("loop", directory / "loop");
  const auto looped = AtomicFile::create(directory / "loop");
  ASSERT_FALSE(looped);
  EXPECT_NE(looped.error().message.find("symbolic links"), std::string::npos) << looped.error().text();
}

TEST(FilesAtomicPosix, RefusesTargetsThatCannotBeReplaced) {
  const TempDirectory directory;
  const auto code_of = [](const std::filesystem::path& path) {
    const auto file = AtomicFile::create(path);
    return file ? std::string("created") : file.error().message;
  };
  EXPECT_EQ(code_of(directory.path()), "is a directory");
  EXPECT_EQ(code_of(directory.path() / ""), "is a directory");
  EXPECT_EQ(code_of("/dev/null"), "is not a regular file");
  EXPECT_NE(code_of(directory / "missing/out").find("No such file or directory"), std::string::npos);
  save(directory / "file", bytes_of("x"));
  EXPECT_NE(code_of(directory / "file/out").find("Not a directory"), std::string::npos);
  EXPECT_NE(code_of(""), "created");
  EXPECT_EQ(directory.entries(), Names{"file"});
}

TEST(FilesAtomicPosix, WriteProtectionIsRespected) {
  const TempDirectory directory;
  save(directory / "out", bytes_of("old"));
  ASSERT_EQ(::chmod((directory / "out").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(directory.path().c_str(), 0777), 0);
  EXPECT_EQ(as_ordinary_user([&] { return AtomicFile::create(directory / "out") ? 1 : 0; }), 0);
  ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
  EXPECT_EQ(as_ordinary_user([&] { return AtomicFile::create(directory / "new") ? 1 : 0; }), 0);
  ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
  EXPECT_EQ(directory.entries(), Names{"out"});
}

// A file size limit simulates a full disk: write() fails half-way in the same manner.
TEST(FilesAtomicPosix, FullDiskIsReportedAndNothingStays) {
  const TempDirectory directory;
  save(directory / "out.png", bytes_of("old"));
  const auto image = random_image(onepass::Format::kRGBA8Unorm, {256, 256}, 1, 1);
  const auto attempt = [&](const std::string& name, const std::function<onepass::Result<void>()>& write) {
    const int status = in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{40000, 40000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const auto done = write();
      if (done) return 1;
      if (done.error().code != ErrorCode::kIo) return 2;
      if (done.error().text().find("File too large") == std::string::npos) return 3;
      return done.error().context == (directory / name) ? 0 : 4;
    });
    EXPECT_EQ(status, 0) << name;
  };
  const onepass::ImageView view = image.view();
  attempt("out.png", [&] { return onepass::files::write_png(directory / "out.png", view); });
  attempt("out.jpg", [&] { return onepass::files::write_jpeg(directory / "out.jpg", view, {.quality = 100}); });
#ifdef ONEPASS_HAS_TIFF
  attempt("out.tif", [&] { return onepass::files::write_tiff(directory / "out.tif", view); });
#endif
  attempt("out.ktx2", [&] { return onepass::files::write_ktx2(directory / "out.ktx2", {&view, 1}); });
  attempt("out.exr", [&] { return onepass::files::write_exr(directory / "out.exr", {&view, 1}, {.threads = 1}); });
  attempt("out.txt", [&]() -> onepass::Result<void> {
    auto file = AtomicFile::create(directory / "out.txt");
    if (!file) return file.error();
    if (auto done = file->write(std::string(50000, 'x')); !done) return done;
    return file->commit();
  });
  EXPECT_EQ(directory.entries(), Names{"out.png"});
  EXPECT_EQ(load(directory / "out.png"), bytes_of("old"));
}

TEST(FilesAtomicPosix, SignalHandlerDiscardsEverythingPending) {
  const TempDirectory directory;
  save(directory / "a", bytes_of("old"));
  const int status = in_child([&] {
    ::signal(SIGINT, [](int) {
      onepass::files::discard_pending_files();
      ::_exit(42);
    });
    auto first = AtomicFile::create(directory / "a");
    auto second = AtomicFile::create(directory / "b");
    auto third = AtomicFile::create(directory / "c");
    if (!first || !second || !third || !third->write("c") || !third->commit()) return 1;
    if (!first->write(std::string(1 << 20, 'x'))) return 2;
    if (directory.entries().size() != 4) return 3;
    ::raise(SIGINT);
    return 4;
  });
  EXPECT_EQ(status, 42);
  EXPECT_EQ(directory.entries(), (Names{"a", "c"}));
  EXPECT_EQ(load(directory / "a"), bytes_of("old"));
}

}  // namespace
