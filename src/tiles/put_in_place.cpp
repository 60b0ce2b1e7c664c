// put_in_place.cpp: see put_in_place.hpp.
#include "tiles/put_in_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "files/target.hpp"
#include "files/writers.hpp"
#include "tiles/file_io.hpp"

namespace onepass::tiles {
namespace {

bool is_there(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// Renames; an existing target moves to the place of the source in the same step, or is replaced if that is a file.
bool exchange_or_rename(const std::filesystem::path& from, const std::filesystem::path& to, bool& exchanged) {
  exchanged = false;
  if (!is_there(to)) return ::rename(from.c_str(), to.c_str()) == 0;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    exchanged = true;
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return false;
  // Without exchange in this file system: the old output is renamed first.
  const std::filesystem::path old = from.string() + ".old";
  if (::rename(to.c_str(), old.c_str()) != 0) return false;
  if (::rename(from.c_str(), to.c_str()) != 0) {
    const int number = errno;
    ::rename(old.c_str(), to.c_str());
    errno = number;
    return false;
  }
  exchanged = ::rename(old.c_str(), from.c_str()) == 0;
  return true;
}

// The name of a directory while its contents are removed.
std::filesystem::path hidden_path(const std::filesystem::path& directory) {
  return directory.parent_path() / ("." + directory.filename().string() + ".old");
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
    struct stat status {};
    if (::stat(move.to.c_str(), &status) == 0) {
      if (status.st_ino == inode) {
        earlier = true;
        continue;
      }
      // An output whose old permissions cannot be kept is put in place all the same.
      if (S_ISREG(status.st_mode)) (void)::chmod(move.from.c_str(), status.st_mode & 0777);
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
        ::rename(undo.to.c_str(), undo.from.c_str());
      }
    }
    if (!earlier) ::unlink(record_path(work).c_str());
    return files::file_error(move.to, ErrorCode::kIo,
                             std::string("cannot put the finished output in its place: ") + std::strerror(number));
  }
  remove_directory(work);
  return {};
}

}  // namespace

void remove_leftovers(const std::filesystem::path& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(hidden_path(directory), ignored);
}

bool has_placed_leftovers(const std::filesystem::path& directory) {
  return is_there(record_path(hidden_path(directory)));
}

void remove_directory(const std::filesystem::path& directory) {
  remove_leftovers(directory);
  const std::filesystem::path hidden = hidden_path(directory);
  std::error_code ignored;
  std::filesystem::rename(directory, hidden, ignored);
  std::filesystem::remove_all(ignored ? directory : hidden, ignored);
}

Result<void> put_in_place(const std::filesystem::path& work, std::span<const Move> moves) {
  std::vector<Recorded> recorded;
  std::string text;
  for (const Move& move : moves) {
    struct stat status {};
    if (::stat(move.from.c_str(), &status) != 0) return write_error(move.from, errno);
    recorded.push_back({{std::filesystem::absolute(move.from), std::filesystem::absolute(move.to)}, status.st_ino});
    const Recorded& last = recorded.back();
    text += std::to_string(last.inode) + "\n" + last.move.from.string() + "\n" + last.move.to.string() + "\n";
  }
  text += "end\n";
  if (auto written = write_file(record_path(work), bytes_of(text)); !written) return written;
  const files::Handle directory(::open(work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid() || ::syncfs(directory.number()) != 0) {
    return files::file_error(work, ErrorCode::kIo, std::string("cannot write it to disk: ") + std::strerror(errno));
  }
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
  struct stat status {};
  if (::stat(parent.c_str(), &status) != 0) return refuse(std::string("cannot create it: ") + std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return refuse("cannot create it: " + parent.string() + " is no directory");
  if (::access(parent.c_str(), W_OK) != 0) return refuse(std::string("cannot create it: ") + std::strerror(errno));
  if (::lstat(target.c_str(), &status) != 0) return {};
  if (S_ISLNK(status.st_mode)) return refuse("is a symbolic link; name the place that it leads to");
  if (directory && !S_ISDIR(status.st_mode)) return refuse("is a file, but the output is a directory");
  if (!directory && S_ISDIR(status.st_mode)) return refuse("is a directory");
  if (!directory && !S_ISREG(status.st_mode)) return refuse("is not a regular file");
  return {};
}

}  // namespace onepass::tiles
