// atomic_file.cpp: output that appears whole or not at all, and what a signal handler needs to tidy up.
//
// Bytes go through a buffer into "<directory>/.onepass-<random>.tmp"; commit() renames that over the target, which
// POSIX makes one step. Every temporary file's name is kept in a registry that is safe to walk from a signal handler: a
// linked list of slots that only ever grows at its head, each with a state that says whether its name may be used. A
// slot is entered before the file is created and left after it is gone, so that no moment leaves a file unregistered.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <system_error>

#include "files/writers.hpp"

namespace onepass::files {
namespace {

constexpr size_t kBufferSize = size_t{1} << 18;
constexpr size_t kPathSize = 4096;  // PATH_MAX of Linux, terminator included
constexpr int kMaxTries = 100;      // for a random name that is not taken

// One pending temporary file. Slots are reused, never freed: a signal handler may be looking at any of them.
struct Slot {
  enum State : int { kFree, kBusy, kPending };
  std::atomic<int> state{kFree};
  std::array<char, kPathSize> path{};
  Slot* next = nullptr;
};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<Slot*>::is_always_lock_free);

std::atomic<Slot*> g_slots{nullptr};

// Takes a free slot or adds one, in state kBusy.
Slot* take_slot() {
  for (Slot* slot = g_slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    int expected = Slot::kFree;
    if (slot->state.compare_exchange_strong(expected, Slot::kBusy, std::memory_order_acq_rel)) return slot;
  }
  Slot* slot = new (std::nothrow) Slot;
  if (slot == nullptr) return nullptr;
  slot->state.store(Slot::kBusy, std::memory_order_relaxed);
  slot->next = g_slots.load(std::memory_order_relaxed);
  while (!g_slots.compare_exchange_weak(slot->next, slot, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return slot;
}

void leave_slot(Slot* slot) { slot->state.store(Slot::kFree, std::memory_order_release); }

std::string reason(const char* what, int error) { return std::string(what) + ": " + std::strerror(error); }

std::string random_name() {
  static constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device device;
  std::string name = ".onepass-";
  for (int i = 0; i < 12; ++i) name += kDigits[device() % kDigits.size()];
  return name + ".tmp";
}

}  // namespace

std::filesystem::path write_target(const std::filesystem::path& path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(path, error);
  if (error) return path;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(place, error); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(place, error);
    if (error) break;
    place = place.parent_path() / next;  // `next` alone where it is absolute
  }
  return place;
}

struct ONEPASS_INTERNAL AtomicFile::State {
  std::filesystem::path target;    // as the caller wrote it, for messages
  std::filesystem::path resolved;  // absolute, links followed
  Slot* slot = nullptr;            // holds the temporary name
  int descriptor = -1;
  uint64_t flushed = 0;  // file position of the start of the buffer
  size_t filled = 0;
  std::unique_ptr<std::byte[]> buffer;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { discard(); }

  [[nodiscard]] Error error(const char* what, int number) const {
    return file_error(target, ErrorCode::kIo, reason(what, number));
  }

  void discard() {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
    if (slot != nullptr) {
      ::unlink(slot->path.data());
      leave_slot(slot);
    }
    slot = nullptr;
  }

  // Creates the temporary file in the target's directory, readable as any new file is.
  Result<void> open() {
    const std::filesystem::path directory = resolved.parent_path();
    for (int tries = 0; tries < kMaxTries; ++tries) {
      const std::string name = (directory / random_name()).string();
      if (name.size() + 1 > kPathSize) return error("cannot create a temporary file", ENAMETOOLONG);
      slot->state.store(Slot::kBusy, std::memory_order_relaxed);
      std::memcpy(slot->path.data(), name.c_str(), name.size() + 1);
      slot->state.store(Slot::kPending, std::memory_order_release);
      descriptor = ::open(slot->path.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) return {};
      if (errno != EEXIST) break;
    }
    const int number = errno;
    leave_slot(slot);  // nothing was created, so nothing may be deleted
    slot = nullptr;
    return error("cannot create a temporary file in its directory", number);
  }

  Result<void> write_through(const std::byte* bytes, size_t count) {
    while (count > 0) {
      const ssize_t written = ::write(descriptor, bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return error("cannot write", written < 0 ? errno : ENOSPC);
      bytes += written;
      count -= static_cast<size_t>(written);
      flushed += static_cast<uint64_t>(written);
    }
    return {};
  }

  Result<void> flush() {
    const size_t count = filled;
    filled = 0;
    return write_through(buffer.get(), count);
  }
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target) try {
  auto state = std::make_unique<State>();
  state->target = target;
  state->resolved = write_target(target);
  if (!state->resolved.has_filename()) {
    return file_error(target, ErrorCode::kIo, target.empty() ? "the name of the output is empty" : "is a directory");
  }

  struct stat existing {};
  const bool exists = ::stat(state->resolved.c_str(), &existing) == 0;
  if (exists) {
    if (S_ISDIR(existing.st_mode)) return file_error(target, ErrorCode::kIo, "is a directory");
    if (!S_ISREG(existing.st_mode)) return file_error(target, ErrorCode::kIo, "is not a regular file");
    if (::access(state->resolved.c_str(), W_OK) != 0) return state->error("cannot replace it", errno);
  } else if (errno != ENOENT) {
    return state->error("cannot create it", errno);
  }

  state->buffer = std::make_unique<std::byte[]>(kBufferSize);
  state->slot = take_slot();
  if (state->slot == nullptr) return file_error(target, ErrorCode::kOutOfMemory, "out of memory");
  if (auto opened = state->open(); !opened) return opened.error();
  // Failing to carry the old permissions over is no reason to refuse the output.
  if (exists && ::fchmod(state->descriptor, existing.st_mode & 0777) != 0) errno = 0;
  return AtomicFile(std::move(state));
} catch (const std::bad_alloc&) {
  return file_error(target, ErrorCode::kOutOfMemory, "out of memory");
} catch (const std::exception& exception) {
  return file_error(target, ErrorCode::kIo, exception.what());
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes) {
  ONEPASS_ASSERT(state_ != nullptr);
  if (bytes.size() > kBufferSize - state_->filled) {
    if (auto done = state_->flush(); !done) return done;
    if (bytes.size() >= kBufferSize) return state_->write_through(bytes.data(), bytes.size());
  }
  if (!bytes.empty()) std::memcpy(state_->buffer.get() + state_->filled, bytes.data(), bytes.size());
  state_->filled += bytes.size();
  return {};
}

Result<void> AtomicFile::write(std::string_view text) { return write(std::as_bytes(std::span(text))); }

Result<void> AtomicFile::seek(uint64_t position) {
  ONEPASS_ASSERT(state_ != nullptr);
  if (auto done = state_->flush(); !done) return done;
  if (::lseek(state_->descriptor, static_cast<off_t>(position), SEEK_SET) < 0) {
    return state_->error("cannot seek", errno);
  }
  state_->flushed = position;
  return {};
}

uint64_t AtomicFile::position() const { return state_->flushed + state_->filled; }

Result<void> AtomicFile::commit() {
  ONEPASS_ASSERT(state_ != nullptr);
  const std::unique_ptr<State> state = std::move(state_);  // whatever happens, this is the end of the temporary file
  if (auto done = state->flush(); !done) return done;
  const int descriptor = state->descriptor;
  state->descriptor = -1;
  if (::close(descriptor) != 0) return state->error("cannot write", errno);
  if (::rename(state->slot->path.data(), state->resolved.c_str()) != 0) {
    return state->error("cannot put the finished file in its place", errno);
  }
  leave_slot(state->slot);
  state->slot = nullptr;
  return {};
}

void discard_pending_files() noexcept {
  const int saved = errno;
  for (const Slot* slot = g_slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    if (slot->state.load(std::memory_order_acquire) == Slot::kPending) ::unlink(slot->path.data());
  }
  errno = saved;
}

}  // namespace onepass::files
