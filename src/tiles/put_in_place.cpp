// put_in_place.cpp: records the moves, makes them, and can continue them after an interruption.
#include "tiles/put_in_place.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/system.hpp"

namespace onepass::tiles {
namespace {

bool is_there(const std::filesystem::path& path) { return system::link_status(path).has_value(); }

// Renames; an existing file is replaced. False, with errno set, if that fails.
bool move_path(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) errno = error.value();
  return !error;
}

// Renames; an existing target moves to the place of the source in the same step, or is replaced if that is a file.
bool exchange_or_rename(const std::filesystem::path& from, const std::filesystem::path& to, bool& exchanged) {
  exchanged = false;
  if (!is_there(to)) return move_path(from, to);
  if (system::exchange(from, to)) {
    exchanged = true;
    return true;
  }
  if (errno != ENOTSUP) return false;
  // Without exchange in this file system: the old output is renamed first.
  const std::filesystem::path old = from.string() + ".old";
  if (!move_path(to, old)) return false;
  if (!move_path(from, to)) {
    const int number = errno;
    move_path(old, to);
    errno = number;
    return false;
  }
  exchanged = move_path(old, from);
  return true;
}

// Files by which a working directory is known. One of them is there from its beginning to its end.
constexpr const char* kWitnesses[] = {"journal", "shards", "lock"};

bool is_witness(const std::filesystem::path& path) {
  return std::find(std::begin(kWitnesses), std::end(kWitnesses), path.filename()) != std::end(kWitnesses);
}

// Removes a working directory, its witnesses last, so that what a killed process leaves is still known.
void remove_work(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> entries;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) entries.push_back(entry.path());
  std::stable_partition(entries.begin(), entries.end(), [](const auto& path) { return !is_witness(path); });
  for (const auto& path : entries) std::filesystem::remove_all(path, error);
  std::filesystem::remove(directory, error);
}

// Syncs the directory of a file or directory that was renamed.
bool sync_parent(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  const files::Handle directory = system::open_file(parent, system::Access::kRead);
  return directory.valid() && files::system::sync_directory(directory.number());
}

// The record of the moves to make: what to move where, and the inode by which a move that has been made is recognised.
std::filesystem::path record_path(const std::filesystem::path& work) { return work / "moves"; }

struct Recorded {
  Move move;
  uint64_t inode = 0;
};

Result<std::vector<Recorded>> read_record(const std::filesystem::path& work) {
  std::vector<Recorded> moves;
  std::ifstream file(record_path(work));
  bool whole = false;
  for (std::string inode, from, to; std::getline(file, inode);) {
    whole = inode == "end";
    if (whole || !std::getline(file, from) || !std::getline(file, to)) break;
    Recorded one{{from, to}};
    std::from_chars(inode.data(), inode.data() + inode.size(), one.inode);
    moves.push_back(std::move(one));
  }
  if (!whole) moves.clear();  // the process ended before the first move
  return moves;
}

Result<void> make_moves(const std::filesystem::path& work, std::span<const Recorded> moves) {
  struct Done {
    const Move* move;
    bool exchanged;
  };
  std::vector<Done> done;
  bool earlier = false;  // the process before this one has made moves, which are not undone: the record stays
  for (const auto& [move, inode] : moves) {
    if (const auto status = system::status(move.to)) {
      if (status->inode == inode) {
        earlier = true;
        continue;
      }
      // An output whose old permissions cannot be kept is put in place all the same.
      std::error_code ignored;
      if (status->kind == system::Kind::kFile) {
        std::filesystem::permissions(move.from, std::filesystem::status(move.to, ignored).permissions(), ignored);
      }
    }
    bool exchanged = false;
    if (exchange_or_rename(move.from, move.to, exchanged)) {
      done.push_back({&move, exchanged});
      continue;
    }
    const int number = errno;
    for (; !done.empty(); done.pop_back()) {  // undo, last first
      const Move& undo = *done.back().move;
      bool ignored = false;
      if (done.back().exchanged) {
        exchange_or_rename(undo.from, undo.to, ignored);
      } else {
        move_path(undo.to, undo.from);
      }
    }
    std::error_code ignored;
    if (!earlier) std::filesystem::remove(record_path(work), ignored);
    return files::file_error(move.to, ErrorCode::kIo,
                             std::string("cannot put the finished output in its place: ") + std::strerror(number));
  }
  for (const auto& [move, inode] : moves) {  // before old outputs are removed
    if (!sync_parent(move.to)) return write_error(move.to.parent_path(), errno);
  }
  remove_directory(work);
  return {};
}

}  // namespace

std::filesystem::path leftovers_of(const std::filesystem::path& directory) {
  return directory.parent_path() / ("." + directory.filename().string() + ".old");
}

void remove_leftovers(const std::filesystem::path& directory) {
  const std::filesystem::path old = leftovers_of(directory);
  const auto status = system::link_status(old);
  if (!status || status->kind != system::Kind::kDirectory) return;
  bool ours = is_there(old / "journal") || is_there(old / "shards");
  if (!ours) {
    // A process that is killed in remove_work() may leave the lock alone, or nothing.
    std::error_code error;
    const std::filesystem::directory_iterator entries(old, error);
    ours = !error && std::all_of(begin(entries), end(entries),
                                 [](const auto& entry) { return entry.path().filename() == "lock"; });
  }
  if (ours) remove_work(old);
}

Result<void> check_unfinished(const std::filesystem::path& work) {
  const auto refuse = [&](const std::string& what) {
    return files::file_error(
        work, ErrorCode::kIo,
        "is no unfinished output of onepass: it " + what + "; move it away, delete it or choose another output");
  };
  const auto status = system::status(work);
  if (!status) return {};
  if (status->kind != system::Kind::kDirectory) return refuse("is no directory");
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(work, none)) {
    const std::string name = entry.path().filename().string();
    // Another shard may be creating its first files.
    if (name.starts_with("shards") || is_there(work / "shards") || is_there(work / "journal")) continue;
    return refuse("holds " + name);
  }
  return {};
}

bool has_placed_leftovers(const std::filesystem::path& directory) {
  return is_there(record_path(leftovers_of(directory)));
}

void remove_directory(const std::filesystem::path& directory) {
  remove_leftovers(directory);
  const std::filesystem::path hidden = leftovers_of(directory);
  std::error_code ignored;
  std::filesystem::rename(directory, hidden, ignored);
  remove_work(ignored ? directory : hidden);
}

Result<void> put_in_place(const std::filesystem::path& work, std::span<const Move> moves) {
  std::vector<Recorded> recorded;
  std::string text;
  for (const Move& move : moves) {
    const auto status = system::status(move.from);
    if (!status) return write_error(move.from, errno);
    recorded.push_back({{std::filesystem::absolute(move.from), std::filesystem::absolute(move.to)}, status->inode});
    const Recorded& last = recorded.back();
    text += std::to_string(last.inode) + "\n" + last.move.from.string() + "\n" + last.move.to.string() + "\n";
  }
  text += "end\n";
  // The outputs are on disk before the record is there, and the record before the first move.
  if (!system::sync_file_system(work)) {
    return files::file_error(work, ErrorCode::kIo, std::string("cannot write it to disk: ") + std::strerror(errno));
  }
  const std::filesystem::path part = record_path(work).string() + ".part";
  if (auto written = write_synced_file(part, bytes_of(text)); !written) return written;
  if (!move_path(part, record_path(work))) return write_error(record_path(work), errno);
  return make_moves(work, recorded);
}

Result<bool> continue_moves(const std::filesystem::path& work) {
  const auto moves = read_record(work);
  if (!moves) return moves.error();
  if (moves->empty()) return false;
  if (auto done = make_moves(work, *moves); !done) return done.error();
  return true;
}

Result<void> check_place(const std::filesystem::path& target, bool directory) {
  const auto refuse = [&](const std::string& text) { return files::file_error(target, ErrorCode::kIo, text); };
  if (!target.has_filename()) return refuse("is a directory");
  const std::filesystem::path parent = target.has_parent_path() ? target.parent_path() : ".";
  const auto place = system::status(parent);
  if (!place) return refuse(std::string("cannot create it: ") + std::strerror(errno));
  if (place->kind != system::Kind::kDirectory) {
    return refuse("cannot create it: " + parent.string() + " is no directory");
  }
  if (!system::is_writable(parent)) return refuse(std::string("cannot create it: ") + std::strerror(errno));
  const auto old = system::link_status(target);
  if (!old) return {};
  if (old->kind == system::Kind::kLink) return refuse("is a symbolic link; name the place that it leads to");
  const bool is_directory = old->kind == system::Kind::kDirectory;
  if (directory && !is_directory) return refuse("is a file, but the output is a directory");
  if (!directory && is_directory) return refuse("is a directory");
  if (!directory && old->kind != system::Kind::kFile) return refuse("is not a regular file");
  return {};
}

}  // namespace onepass::tiles
