// files_links_test.cpp: symbolic links of another user in a directory that all users can write to. Expectations follow
// the kernel's rule (protected_symlinks), which is the oracle where it is enabled.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::files::AtomicFile;

constexpr uid_t kNobody = 65534;  // the user of as_ordinary_user()
constexpr uid_t kSomebody = 65533;

bool kernel_protects() {
  int value = 0;
  std::ifstream("/proc/sys/fs/protected_symlinks") >> value;
  return value == 1;
}

// The file "precious" in a directory that all users can write to, and a sticky directory for links.
class FilesLinks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "two users are needed, and only the superuser can be both";
    ASSERT_EQ(::chmod(directory_.path().c_str(), 0755), 0);
    make_directory("real", 0777);
    make_directory("links", 01777);
    save(directory_ / "real/precious", bytes_of("precious"));
    ASSERT_EQ(::chmod((directory_ / "real/precious").c_str(), 0666), 0);
  }

  void make_directory(const std::string& name, mode_t mode) {
    std::filesystem::create_directory(directory_ / name);
    ASSERT_EQ(::chmod((directory_ / name).c_str(), mode), 0);
  }

  [[nodiscard]] std::filesystem::path link(const std::string& name, const std::string& target, uid_t owner) const {
    std::filesystem::create_symlink(directory_ / target, directory_ / name);
    EXPECT_EQ(::lchown((directory_ / name).c_str(), owner, owner), 0);
    return directory_ / name;
  }

  // Returns 0 if writing through the link succeeds as `expected`: by the kernel, AtomicFile, FileSet and a writer.
  static int compare(const std::filesystem::path& path, bool expected) {
    if (kernel_protects()) {
      const int descriptor = ::open(path.c_str(), O_WRONLY);
      if ((descriptor >= 0) != expected) return 1;
      if (descriptor >= 0) ::close(descriptor);
    }
    auto file = AtomicFile::create(path);
    if (static_cast<bool>(file) != expected) return 2;
    if (!file && file.error().code != ErrorCode::kIo) return 3;
    if (!file && file.error().message.find("it is not followed") == std::string::npos) return 4;
    onepass::files::FileSet set;
    if (static_cast<bool>(set.add(path)) != expected) return 5;
    const auto image = random_image(onepass::Format::kR32Sfloat, {2, 2}, 1, 1);
    if (expected) return 0;
    return onepass::files::write_pfm(path, image.view()) ? 6 : 0;
  }

  void expect_follows(const std::filesystem::path& path, bool expected) {
    EXPECT_EQ(compare(path, expected), 0) << "as superuser: " << path;
    EXPECT_EQ(load(directory_ / "real/precious"), bytes_of("precious"));
    EXPECT_EQ(std::filesystem::is_symlink(path), true);
  }

  TempDirectory directory_;
};

TEST_F(FilesLinks, AnotherUsersLinkInAStickyDirectoryIsRefused) {
  const auto path = link("links/out.pfm", "real/precious", kNobody);
  expect_follows(path, false);
  const auto file = AtomicFile::create(path);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().text(), path.string() + ": the symbolic link " + path.string() +
                                     " belongs to user 65534, in a directory that everybody may write to: it is not "
                                     "followed");
}

TEST_F(FilesLinks, ALinkToNowhereIsNoBetter) {
  expect_follows(link("links/out.pfm", "real/precious", kNobody), false);
  const auto path = link("links/new.pfm", "real/new", kNobody);
  EXPECT_FALSE(AtomicFile::create(path));
  EXPECT_FALSE(std::filesystem::exists(directory_ / "real/new"));
}

TEST_F(FilesLinks, OwnLinksAndThoseOfTheDirectorysOwnerAreFollowed) {
  expect_follows(link("links/own.pfm", "real/precious", 0), true);
  const auto owners = link("links/owners.pfm", "real/precious", 0);
  EXPECT_EQ(as_ordinary_user([&] { return compare(owners, true); }), 0);
  const auto own = link("links/nobodys.pfm", "real/precious", kNobody);
  EXPECT_EQ(as_ordinary_user([&] { return compare(own, true); }), 0);
  const auto others = link("links/somebodys.pfm", "real/precious", kSomebody);
  EXPECT_EQ(as_ordinary_user([&] { return compare(others, false); }), 0);
}

TEST_F(FilesLinks, OtherDirectoriesAreNotShared) {
  make_directory("open", 0777);    // not sticky
  make_directory("group", 01775);  // not writable for all users
  make_directory("private", 01755);
  for (const std::string name : {"open", "group", "private"}) {
    expect_follows(link(name + "/out.pfm", "real/precious", kNobody), true);
  }
}

TEST_F(FilesLinks, EveryLinkOfAChainIsChecked) {
  const auto foreign = link("links/second", "real/precious", kNobody);
  expect_follows(link("links/first", "links/second", 0), false);
  make_directory("private", 0755);
  expect_follows(link("private/first", "links/second", 0), false);
}

TEST_F(FilesLinks, LinksBeforeTheLastPlaceAreTheKernelsBusiness) {
  const auto directory = link("links/directory", "real", kNobody);
  EXPECT_EQ(compare(directory / "precious", true), 0);
}

}  // namespace
