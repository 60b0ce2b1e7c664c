// atomic_file.cpp: an output file that appears complete or not at all.
//
// Bytes go through a buffer into ".onepass-<random>.tmp" in the target's directory. commit() syncs the file to disk,
// renames it over the target, which POSIX guarantees to be atomic, and syncs the directory.
#include <cerrno>
#include <cstring>
#include <new>

#include "files/pending.hpp"
#include "files/target.hpp"
#include "files/writers.hpp"

namespace onepass::files {
namespace {

constexpr size_t kBufferSize = size_t{1} << 18;
constexpr int kMaxTries = 100;  // attempts to find an unused random name

}  // namespace

struct ONEPASS_INTERNAL AtomicFile::State {
  Target target;
  PendingName temporary{PendingName::Kind::kFile};
  Handle file;
  uint64_t flushed = 0;  // file position of the start of the buffer
  size_t filled = 0;
  std::unique_ptr<std::byte[]> buffer;

  explicit State(Target place) : target(std::move(place)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (file.valid()) (void)file.close();  // Windows removes no open file
    temporary.remove();
  }

  [[nodiscard]] Error error(const char* what, int number) const { return target.error(what, number); }

  // Creates the temporary file in the target's directory, with the permissions of any new file.
  Result<void> open() {
    for (int tries = 0; tries < kMaxTries; ++tries) {
      if (!temporary.set(target.handle.number(), random_name(".tmp"))) {
        return file_error(target.path, ErrorCode::kOutOfMemory, "out of memory");
      }
      const Creation creation;
      file = system::create_file(target.handle.number(), temporary.name());
      if (file.valid()) return {};
      if (errno != EEXIST) break;
    }
    const int number = errno;
    temporary.clear();  // nothing was created, so nothing may be deleted
    return error("cannot create a temporary file in its directory", number);
  }

  Result<void> write_through(std::span<const std::byte> bytes) {
    if (!system::write(file.number(), bytes)) return error("cannot write", errno);
    flushed += bytes.size();
    return {};
  }

  Result<void> flush() {
    const size_t count = filled;
    filled = 0;
    return write_through({buffer.get(), count});
  }
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target) try {
  Result<Target> place = open_target(target);
  if (!place) return place.error();
  const auto existing = check_existing(target, place->handle.number(), place->name);
  if (!existing) return existing.error();
  auto state = std::make_unique<State>(std::move(*place));
  state->buffer = std::make_unique<std::byte[]>(kBufferSize);
  if (auto opened = state->open(); !opened) return opened.error();
  if (existing->kind == system::Existing::kFile) {
    system::set_permissions(state->file.number(), existing->permissions);
  }
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
    if (bytes.size() >= kBufferSize) return state_->write_through(bytes);
  }
  if (!bytes.empty()) std::memcpy(state_->buffer.get() + state_->filled, bytes.data(), bytes.size());
  state_->filled += bytes.size();
  return {};
}

Result<void> AtomicFile::write(std::string_view text) { return write(std::as_bytes(std::span(text))); }

Result<void> AtomicFile::seek(uint64_t position) {
  ONEPASS_ASSERT(state_ != nullptr);
  if (auto done = state_->flush(); !done) return done;
  if (!system::seek(state_->file.number(), position)) return state_->error("cannot seek", errno);
  state_->flushed = position;
  return {};
}

uint64_t AtomicFile::position() const { return state_->flushed + state_->filled; }

Result<void> AtomicFile::commit() {
  ONEPASS_ASSERT(state_ != nullptr);
  const std::unique_ptr<State> state = std::move(state_);  // deletes the temporary file on every path
  if (auto done = state->flush(); !done) return done;
  if (!system::sync(state->file.number())) return state->error("cannot write", errno);
  if (!state->file.close()) return state->error("cannot write", errno);
  const int directory = state->target.handle.number();
  // The name that the file gets may be a registered one, too: of a file in the temporary directory of a FileSet.
  const Creation creation;
  if (!system::rename(directory, state->temporary.name(), directory, state->target.name.c_str())) {
    return state->error("cannot put the finished file in its place", errno);
  }
  state->temporary.clear();
  return sync_directory(state->target);
}

}  // namespace onepass::files
