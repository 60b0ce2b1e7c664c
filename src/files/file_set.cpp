// file_set.cpp: several output files that appear together or not at all.
//
//     out/.onepass-<random>/0.png, 1.png     staged: the new contents, each written completely by the caller
//     out/.onepass-<random>.old              a second name (hard link) of a file that will be replaced
//     out/a.0.png, out/a.1.png               replaced by renames, one after the other; undone if one fails
//
// Each target's directory gets one staging directory, in the same file system, so that a rename never copies.
#include <cerrno>
#include <deque>
#include <memory>
#include <string>

#include "files/pending.hpp"
#include "files/target.hpp"
#include "files/writers.hpp"

namespace onepass::files {
namespace {

constexpr int kMaxNames = 100;  // attempts to find an unused random name

// A name in UTF-8. On Windows a path made of a std::string takes it for text in the code page of the system.
std::filesystem::path utf8_path(const std::string& name) { return std::u8string(name.begin(), name.end()); }

// A directory that contains targets, with the hidden directory for their new contents.
struct StagingDirectory {
  std::pair<uint64_t, uint64_t> identity;
  Target place;      // handle and path of the directory; no file name
  std::string name;  // of the hidden directory
  Handle handle;     // the hidden directory
  PendingName pending{PendingName::Kind::kDirectory};
};

struct Entry {
  StagingDirectory* staging = nullptr;
  std::filesystem::path path;  // as the caller wrote it, for messages
  std::string target;          // the name in staging->place
  PendingName staged{PendingName::Kind::kFile};
  PendingName old{PendingName::Kind::kFile};  // hard link to the file that is replaced
  std::string moved_old;                      // its new name, if hard links are not supported
  bool existed = false;
  bool replaced = false;

  [[nodiscard]] Error error(const char* what, int number) const { return output_error(path, what, number); }
  [[nodiscard]] int directory() const { return staging->place.handle.number(); }
};

}  // namespace

struct ONEPASS_INTERNAL FileSet::State {
  std::deque<StagingDirectory> stagings;  // entries point into stagings, signal slots into both: elements must not move
  std::deque<Entry> entries;

  ~State() {
    for (Entry& entry : entries) entry.staged.remove();
    for (Entry& entry : entries) entry.old.remove();
    for (StagingDirectory& staging : stagings) staging.pending.remove();
  }

  Result<StagingDirectory*> staging_for(Target& target);
  Result<void> prepare(Entry& entry);
  Result<void> keep_old(Entry& entry);
  Result<void> replace(Entry& entry);
  void restore(Error& error);
};

// The staging directory of the target's directory. A new one takes over the target's directory handle.
Result<StagingDirectory*> FileSet::State::staging_for(Target& target) {
  const auto identity = system::identity(target.handle.number());
  if (!identity) return target.error("cannot create it", errno);
  for (StagingDirectory& staging : stagings) {
    if (staging.identity == *identity) return &staging;
  }
  StagingDirectory& staging = stagings.emplace_back();
  staging.identity = *identity;
  staging.place.path = target.path;
  staging.place.directory = target.directory;
  staging.place.handle = std::move(target.handle);
  const int directory = staging.place.handle.number();
  int number = EEXIST;
  for (int i = 0; i < kMaxNames && number == EEXIST; ++i) {
    staging.name = random_name("");
    // Registered before the directory exists, because a signal may arrive right after its creation.
    if (!staging.pending.set(directory, staging.name)) {
      number = ENOMEM;
      break;
    }
    const Creation creation;
    number = system::create_directory(directory, staging.name.c_str()) ? 0 : errno;
  }
  if (number == 0) {
    staging.handle = system::open_directory(directory, staging.name.c_str());
    if (staging.handle.valid()) return &staging;
    number = errno;
    staging.pending.remove();
  }
  staging.pending.clear();
  const Error error = staging.place.error("cannot create a temporary directory beside it", number);
  stagings.pop_back();
  return error;
}

// Finds foreseeable failures before the first rename, and syncs contents and permissions to disk.
Result<void> FileSet::State::prepare(Entry& entry) {
  const Handle file = system::open_file(entry.staging->handle.number(), entry.staged.name());
  if (!file.valid()) return entry.error("its new contents cannot be opened", errno);
  const auto existing = check_existing(entry.path, entry.directory(), entry.target);
  if (!existing) return existing.error();
  entry.existed = existing->kind == system::Existing::kFile;
  if (entry.existed) system::set_permissions(file.number(), existing->permissions);
  if (!system::sync(file.number())) return entry.error("cannot write", errno);
  return {};
}

// Creates a hard link to the file that will be replaced. Without hard links, replace() renames that file first.
Result<void> FileSet::State::keep_old(Entry& entry) {
  for (int i = 0; i < kMaxNames; ++i) {
    const std::string name = random_name(".old");
    if (!entry.old.set(entry.directory(), name))
      return file_error(entry.path, ErrorCode::kOutOfMemory, "out of memory");
    if (system::link(entry.directory(), entry.target.c_str(), name.c_str())) return {};
    entry.old.clear();
    if (errno == EEXIST) continue;
    entry.moved_old = name;
    return {};
  }
  return entry.error("cannot keep the old file", EEXIST);
}

Result<void> FileSet::State::replace(Entry& entry) {
  const int directory = entry.directory();
  const char* target = entry.target.c_str();
  if (!entry.moved_old.empty() && !system::rename(directory, target, directory, entry.moved_old.c_str())) {
    entry.moved_old.clear();
    return entry.error("cannot replace it", errno);
  }
  if (!system::rename(entry.staging->handle.number(), entry.staged.name(), directory, target)) {
    const int number = errno;
    if (!entry.moved_old.empty()) (void)system::rename(directory, entry.moved_old.c_str(), directory, target);
    return entry.error("cannot put the finished file in its place", number);
  }
  entry.staged.clear();
  entry.replaced = true;
  return {};
}

// Restores old files and deletes new ones. A file that cannot be restored keeps its hidden name, which `error` states.
void FileSet::State::restore(Error& error) {
  for (Entry& entry : entries) {
    if (!entry.replaced) continue;
    if (!entry.existed) {
      system::remove(entry.directory(), entry.target.c_str(), false);
      continue;
    }
    const std::string old = entry.old.is_set() ? entry.old.name() : entry.moved_old;
    entry.old.clear();
    if (!system::rename(entry.directory(), old.c_str(), entry.directory(), entry.target.c_str())) {
      error.message +=
          "; what " + entry.path.string() + " was is in " + (entry.staging->place.directory / utf8_path(old)).string();
    }
  }
}

FileSet::FileSet() = default;
FileSet::FileSet(FileSet&&) noexcept = default;
FileSet& FileSet::operator=(FileSet&&) noexcept = default;
FileSet::~FileSet() = default;

Result<std::filesystem::path> FileSet::add(const std::filesystem::path& target) try {
  if (state_ == nullptr) state_ = std::make_unique<State>();
  Result<Target> place = open_target(target);
  if (!place) return place.error();
  if (const auto existing = check_existing(target, place->handle.number(), place->name); !existing)
    return existing.error();
  Result<StagingDirectory*> staging = state_->staging_for(*place);
  if (!staging) return staging.error();
  const std::string name = std::to_string(state_->entries.size()) + target.extension().string();
  Entry& entry = state_->entries.emplace_back();
  entry.staging = *staging;
  entry.path = target;
  entry.target = std::move(place->name);
  if (!entry.staged.set((*staging)->handle.number(), name)) {
    state_->entries.pop_back();
    return file_error(target, ErrorCode::kOutOfMemory, "out of memory");
  }
  return (*staging)->place.directory / utf8_path((*staging)->name) / utf8_path(name);
} catch (const std::bad_alloc&) {
  return file_error(target, ErrorCode::kOutOfMemory, "out of memory");
} catch (const std::exception& exception) {
  return file_error(target, ErrorCode::kIo, exception.what());
}

Result<void> FileSet::write(const std::filesystem::path& target,
                            const std::function<Result<void>(const std::filesystem::path&)>& writer) {
  const Result<std::filesystem::path> place = add(target);
  if (!place) return place.error();
  Result<void> done = writer(*place);
  if (done || done.error().context != place->string()) return done;
  return file_error(target, done.error().code, done.error().message);
}

Result<void> FileSet::commit() {
  const std::unique_ptr<State> state = std::move(state_);  // deletes what is staged on every path
  if (state == nullptr) return {};
  return guarded({}, [&]() -> Result<void> {
    for (Entry& entry : state->entries) {
      if (auto done = state->prepare(entry); !done) return done;
    }
    for (Entry& entry : state->entries) {
      if (!entry.existed) continue;
      if (auto done = state->keep_old(entry); !done) return done;
    }
    for (Entry& entry : state->entries) {
      if (auto done = state->replace(entry); !done) {
        Error error = done.error();
        state->restore(error);
        return error;
      }
    }
    for (Entry& entry : state->entries) {
      if (!entry.moved_old.empty()) system::remove(entry.directory(), entry.moved_old.c_str(), false);
      entry.old.remove();
    }
    for (StagingDirectory& staging : state->stagings) {
      staging.pending.remove();
      if (auto done = sync_directory(staging.place); !done) return done;
    }
    return {};
  });
}

}  // namespace onepass::files
