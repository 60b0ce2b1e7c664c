// cli_memory_test.cpp: memory limits for endless inputs and small files of much data; inputs are opened once.
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "input_file.hpp"
#include "tests/cli/cli_support.hpp"
#include "tests/files/files_bombs.hpp"

namespace cli_test {
namespace {

using onepass::ErrorCode;
using onepass::cli::InputFile;

constexpr uint64_t kMiB = uint64_t{1} << 20;
// More than the program needs to refuse a file. The address sanitizer takes 370 MB for itself.
#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kLittleMemory = 512 * kMiB;
#else
constexpr uint64_t kLittleMemory = 64 * kMiB;
#endif

class CliMemory : public Cli {
 protected:
  // A child process that writes `start` and then zeros into a pipe until the reader closes it.
  class EndlessPipe {
   public:
    EndlessPipe(const std::filesystem::path& path, std::string_view start) {
      EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
      child_ = ::fork();
      if (child_ != 0) return;
      ::signal(SIGPIPE, SIG_DFL);
      std::FILE* pipe = std::fopen(path.c_str(), "wb");
      std::fwrite(start.data(), 1, start.size(), pipe);
      const std::vector<char> zeros(65536);
      while (std::fwrite(zeros.data(), 1, zeros.size(), pipe) > 0) {
      }
      ::_exit(0);
    }
    EndlessPipe(const EndlessPipe&) = delete;
    EndlessPipe& operator=(const EndlessPipe&) = delete;
    ~EndlessPipe() {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }

   private:
    pid_t child_ = 0;
  };
};

TEST_F(CliMemory, EndlessDeviceIsRefusedByItsBeginning) {
  const Outcome outcome = run({"mips", "/dev/zero", "-o", "x.ktx2", "--engine", "cpu"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("/dev/zero: is not a PNG"), std::string::npos) << outcome.err;
  EXPECT_LT(outcome.most_memory, kLittleMemory);
  EXPECT_TRUE(listing().empty());
}

TEST_F(CliMemory, EndlessPipeThatIsNoImageIsRefusedByItsBeginning) {
  const EndlessPipe pipe(path("pipe"), "hello");
  const Outcome outcome = run({"mips", "pipe", "-o", "x.ktx2", "--engine", "cpu"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("pipe: is not a PNG"), std::string::npos) << outcome.err;
  EXPECT_LT(outcome.most_memory, kLittleMemory);
}

TEST_F(CliMemory, EndlessPipeOfAnImageEndsAtTheLimit) {
  const EndlessPipe pipe(path("pipe"), "\x89PNG\r\n\x1a\n");
  const InputFile input(path("pipe"), 2 * kMiB);
  EXPECT_LE(input.bytes().size(), 2 * kMiB + 1);
  const auto file = input.read({});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(file.error().text(), path("pipe").string() + ": is longer than the limit of 2 MiB");
}

TEST_F(CliMemory, BytesOfAPipeCountWithTheImage) {
  files_test::Bytes png = files_test::png_bomb(512, 512);
  png.resize(900000);  // padding behind the last chunk
  const std::string name = path("pipe").string();
  const auto read_piped = [&](uint64_t limit) {
    EXPECT_EQ(::mkfifo(name.c_str(), 0600), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      files_test::save(name, png);
      ::_exit(0);
    }
    auto file = InputFile(name, limit).read({.color = onepass::files::Color::kLinear});
    ::waitpid(child, nullptr, 0);
    ::unlink(name.c_str());
    return file;
  };
  const auto fits = read_piped(2 * kMiB);
  EXPECT_TRUE(fits) << fits.error().text();
  const auto file = read_piped(kMiB);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kOutOfMemory) << file.error().text();
  EXPECT_NE(file.error().message.find("the file itself takes"), std::string::npos) << file.error().text();
}

TEST_F(CliMemory, FileThatIsKeptIsNoLongerThanTheLimit) {
  files_test::save(path("x.png"), files_test::png_bomb(64, 64));
  ASSERT_EQ(::truncate(path("x.png").c_str(), off_t{1} << 40), 0);
  const auto file = InputFile(path("x.png"), kMiB).read({});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kOutOfMemory) << file.error().text();
}

TEST_F(CliMemory, MissingAndDirectoryAreReportedAsByTheLibrary) {
  EXPECT_EQ(InputFile(path("none"), kMiB).read({}).error().text(), path("none").string() + ": no such file");
  EXPECT_EQ(InputFile(directory_, kMiB).read({}).error().message, "is a directory");
}

// A file of 462 KB whose text chunks libpng would inflate to 480 MB.
TEST_F(CliMemory, TextOfPngIsNotInflated) {
  files_test::save(path("bomb.png"), files_test::png_text_bomb(60, 8 * kMiB));
  const Outcome outcome = run({"mips", "bomb.png", "-o", "x.ktx2", "--engine", "cpu"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(outcome.most_memory, kLittleMemory);
}

// Counts by inotify how often the file is opened.
TEST_F(CliMemory, InputsAreOpenedOnce) {
  make("a.png", Format::kRGBA8Srgb, {12, 10}, pattern);
  make("light.exr", Format::kRGBA32Sfloat, {12, 10}, pattern);
  make("c.png", Format::kRGBA8Srgb, {12, 10}, pattern);
  make("kernel.exr", Format::kR32Sfloat, {3, 3}, [](uint32_t, uint32_t, uint32_t) { return 0.125F; });
  good({"fft", "a.png", "-o", "spectrum.exr", "--engine", "cpu"});
  const std::vector<Args> commands = {{"mips", "a.png", "-o", "b.ktx2"},
                                      {"mips", "light.exr", "-o", "b.ktx2"},
                                      {"hiz", "light.exr", "--channel", "R", "-o", "b.ktx2"},
                                      {"filter", "a.png", "--lowpass", "0.2", "-o", "b.png"},
                                      {"meter", "light.exr"},
                                      {"tonemap", "light.exr", "-o", "b.png"},
                                      {"bloom", "light.exr", "-o", "b.exr"},
                                      {"fft", "a.png", "-o", "b.exr"},
                                      {"fft", "spectrum.exr", "--inverse", "-o", "back.png"},
                                      {"convolve", "a.png", "--kernel", "kernel.exr", "-o", "b.png"},
                                      {"deconvolve", "a.png", "--kernel", "kernel.exr", "-o", "b.png"},
                                      {"align", "a.png", "c.png"},
                                      {"tiles", "a.png", "-o", "b.dzi"},
                                      {"tiles", "light.exr", "-o", "b.tif"}};
  for (const Args& command : commands) {
    SCOPED_TRACE(command[0] + " " + command[1]);
    Args arguments = command;
    if (command[0] != "tiles") arguments.insert(arguments.end(), {"--engine", "cpu"});
    const int watch = ::inotify_init1(IN_NONBLOCK);
    ASSERT_GE(watch, 0);
    ASSERT_GE(::inotify_add_watch(watch, path(command[1]).c_str(), IN_OPEN | IN_CLOSE_NOWRITE), 0);
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    alignas(inotify_event) std::array<char, 4096> events{};
    const ssize_t size = ::read(watch, events.data(), events.size());
    ::close(watch);
    int opened = 0;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
      if ((event->mask & IN_OPEN) != 0) ++opened;
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    EXPECT_EQ(opened, 1);
  }
  EXPECT_EQ(value(read("back.png").levels[0], 3, 4), value(read("a.png").levels[0], 3, 4));
}

}  // namespace
}  // namespace cli_test
