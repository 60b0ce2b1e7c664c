// cli_interrupt_test.cpp: a signal during writing leaves the old output intact and no other file.
#include <csignal>

#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

class CliInterrupt : public Cli {
 protected:
  // Slow to compress, so that the signal arrives while the file is being written.
  void SetUp() override {
    Cli::SetUp();
    make("a.exr", Format::kRGBA32Sfloat, {1024, 1024}, [](uint32_t x, uint32_t y, uint32_t c) {
      return static_cast<float>((x * 2654435761U) ^ (y * 40503U) ^ (c * 977U));
    });
    write_bytes("out.ktx2", "precious");
    write_bytes("out.exr", "precious");
    write_bytes("out0.png", "precious");
  }

  // The signal is sent when the first temporary file appears or, if `delay_ms` is not 0, that long after the program
  // has installed its handlers.
  void interrupted(int signal, const Args& arguments, int delay_ms = 0) {
    const auto before = listing();
    const Outcome outcome =
        run(arguments, {.kill_signal = signal, .kill_delay_ms = delay_ms, .kill_when_handled = delay_ms > 0});
    EXPECT_EQ(outcome.status, 128 + signal) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.signal, 0);
    EXPECT_EQ(listing(), before);
    for (const char* name : {"out.ktx2", "out.exr", "out0.png"}) EXPECT_TRUE(bytes(name) == "precious") << name;
  }
};

TEST_F(CliInterrupt, InterruptWhileWritingExr) { interrupted(SIGINT, {"mips", "a.exr", "-o", "out.exr"}); }

TEST_F(CliInterrupt, TerminateWhileWritingExr) { interrupted(SIGTERM, {"mips", "a.exr", "-o", "out.exr"}); }

TEST_F(CliInterrupt, QuitWhileWritingExr) { interrupted(SIGQUIT, {"mips", "a.exr", "-o", "out.exr"}); }

TEST_F(CliInterrupt, LimitOfProcessorTimeWhileWritingExr) { interrupted(SIGXCPU, {"mips", "a.exr", "-o", "out.exr"}); }

TEST_F(CliInterrupt, InterruptWhileWritingSeveralFiles) { interrupted(SIGINT, {"mips", "a.exr", "-o", "out%d.png"}); }

TEST_F(CliInterrupt, HangUpWhileWritingSeveralFiles) { interrupted(SIGHUP, {"mips", "a.exr", "-o", "out%d.png"}); }

// 22 MB of noise at Zstandard level 22 take many seconds.
TEST_F(CliInterrupt, InterruptWhileCompressingKtx2) {
  interrupted(SIGINT, {"mips", "a.exr", "-o", "out.ktx2", "--zstd=22"}, 1500);
}

// Signals at many times of the run, also between renames: either all files are old or all are new.
TEST_F(CliInterrupt, SeveralFilesAreAllOldOrAllNew) {
  make("small.png", Format::kRGBA8Unorm, {64, 64}, pattern);
  write_bytes("sheet.png", "precious");
  std::vector<std::string> outputs{"sheet.png"};
  for (int level = 0; level < 7; ++level) {
    outputs.push_back("out" + std::to_string(level) + ".png");
    write_bytes(outputs.back(), "precious");
  }
  const auto before = listing();
  int old = 0;
  for (int delay = 1; delay < 120; delay += 4) {
    const Outcome outcome = run({"mips", "small.png", "-o", "out%d.png", "--sheet", "sheet.png", "--engine", "cpu"},
                                {.kill_signal = SIGTERM, .kill_delay_ms = delay});
    ASSERT_TRUE(outcome.status == 128 + SIGTERM || outcome.status == 0 || outcome.signal == SIGTERM) << outcome.err;
    EXPECT_EQ(listing(), before);
    int changed = 0;
    for (const std::string& name : outputs) changed += bytes(name) == "precious" ? 0 : 1;
    ASSERT_TRUE(changed == 0 || changed == static_cast<int>(outputs.size())) << changed << " after " << delay << " ms";
    if (changed == 0) ++old;
    for (const std::string& name : outputs) write_bytes(name, "precious");
  }
  EXPECT_GT(old, 0);
}

TEST_F(CliInterrupt, InterruptWhileRendering) {
  interrupted(SIGTERM, {"scene", "-o", "out.exr", "--size", "3840x2160"}, 500);
}

}  // namespace
}  // namespace cli_test
