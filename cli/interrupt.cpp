// interrupt.cpp: signal handling. The handler calls only what POSIX lets a handler call.
#include "interrupt.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <random>

#include "onepass/files.hpp"

namespace onepass::cli {
namespace {

std::atomic<bool> g_bar_visible{false};

// The hidden directory of the current FileSet, for the handler: its files are named 0, 1, 2...
constexpr size_t kPathSize = 4096;
constexpr unsigned kMostFiles = 99;
std::array<char, kPathSize> g_stage{};
std::atomic<bool> g_stage_used{false};

void discard_stage() {
  if (!g_stage_used.load()) return;
  const int directory = ::open(g_stage.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  for (unsigned i = 0; i <= kMostFiles; ++i) {
    const std::array<char, 7> name{
        static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10), '.', 'p', 'n', 'g', 0};
    ::unlinkat(directory, name.data(), 0);
  }
  ::close(directory);
  ::rmdir(g_stage.data());
}

extern "C" void on_signal(int signal) {
  files::discard_pending_files();
  discard_stage();
  if (g_bar_visible.load()) {
    constexpr std::array<char, 4> kWipe{'\r', '\x1b', '[', 'K'};
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWipe.data(), kWipe.size());
  }
  ::_exit(128 + signal);
}

}  // namespace

void handle_signals() {
  static_assert(std::atomic<bool>::is_always_lock_free);
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before {};
    // A shell that starts a job in the background, or nohup, has some of these ignored: leave it so.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void set_bar_visible(bool visible) { g_bar_visible.store(visible); }

Result<FileSet> FileSet::create(const std::filesystem::path& directory) {
  constexpr int kMaxTries = 100;
  int number = EEXIST;
  std::random_device random;
  for (int i = 0; i < kMaxTries && number == EEXIST; ++i) {
    const std::string name = (directory.empty() ? "." : directory) / fmt::format(".onepass-{:08x}", random());
    if (name.size() >= kPathSize) {
      number = ENAMETOOLONG;
      break;
    }
    // The handler must know the name before the directory exists: a signal may come right after.
    std::memcpy(g_stage.data(), name.c_str(), name.size() + 1);
    g_stage_used.store(true);
    if (::mkdir(name.c_str(), 0777) == 0) return FileSet(name);
    number = errno;
    g_stage_used.store(false);
  }
  return Error{ErrorCode::kIo, std::string("cannot create a temporary directory: ") + std::strerror(number),
               directory.string()};
}

std::filesystem::path FileSet::staged(size_t index) const {
  std::string name = "00.png";
  name[0] = static_cast<char>('0' + index / 10);
  name[1] = static_cast<char>('0' + index % 10);
  return stage_ / name;
}

std::filesystem::path FileSet::add(const std::filesystem::path& target) {
  ONEPASS_ASSERT(targets_.size() < kMostFiles);
  targets_.push_back(target);
  return staged(targets_.size() - 1);
}

// As files::AtomicFile does it: a link stays and what it leads to is replaced, a file that may not be written is not,
// and permissions are kept.
Result<void> FileSet::commit() {
  std::vector<std::filesystem::path> places;
  for (size_t i = 0; i < targets_.size(); ++i) {  // refuse before the first move, not in the middle
    std::filesystem::path place = files::write_target(targets_[i]);
    const auto refuse = [&](std::string message) {
      return Error{ErrorCode::kIo, std::move(message), targets_[i].string()};
    };
    struct stat existing {};
    if (::stat(place.c_str(), &existing) != 0) {
      if (errno != ENOENT) return refuse(std::string("cannot create it: ") + std::strerror(errno));
    } else {
      if (!S_ISREG(existing.st_mode)) return refuse("is not a regular file");
      if (::access(place.c_str(), W_OK) != 0) return refuse(std::string("cannot replace it: ") + std::strerror(errno));
      (void)::chmod(staged(i).c_str(), existing.st_mode & 0777);
    }
    places.push_back(std::move(place));
  }
  for (size_t i = 0; i < targets_.size(); ++i) {
    std::error_code error;
    std::filesystem::rename(staged(i), places[i], error);
    if (error)
      return Error{ErrorCode::kIo, "cannot put the finished file in its place: " + error.message(),
                   targets_[i].string()};
  }
  return {};
}

FileSet::~FileSet() {
  if (stage_.empty()) return;
  discard_stage();
  g_stage_used.store(false);
}

}  // namespace onepass::cli
