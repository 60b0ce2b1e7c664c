// put_in_place.hpp: the end of a run: finished files and directories replace old ones.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "onepass/result.hpp"

namespace onepass::tiles {

/// A finished file or directory and its final place, in the same file system.
struct Move {
  std::filesystem::path from;
  std::filesystem::path to;
};

/// Syncs the working directory to disk, then renames everything in the given order, and removes the working directory
/// with the old outputs in it. A file replaces an old one in one step; a directory is exchanged with the old one in one
/// step where the file system can do that (renameat2). If one rename fails, those before it are undone. A record of the
/// moves stands in the working directory before the first of them, so that continue_moves() can complete them. The
/// record stays if continue_moves() fails after moves of an earlier process, which are not undone.
/// Errors: kIo; the working directory then holds the new files as before.
Result<void> put_in_place(const std::filesystem::path& work, std::span<const Move> moves);

/// Renames a directory that is no longer needed to `.NAME.old` in one step, then removes it. A process that is killed
/// leaves `.NAME.old`.
void remove_directory(const std::filesystem::path& directory);

/// `.NAME.old`.
std::filesystem::path leftovers_of(const std::filesystem::path& directory);

/// Removes `.NAME.old`, if it is a working directory: empty, with a journal or shards, or with a lock alone.
void remove_leftovers(const std::filesystem::path& directory);

/// True if `.NAME.old` holds a record of moves: put_in_place() had made all of them.
bool has_placed_leftovers(const std::filesystem::path& directory);

/// Refuses a working directory that a user has made: a file, or a directory of other files without a journal and
/// shards. Fine if nothing is there. Errors: kIo.
Result<void> check_unfinished(const std::filesystem::path& work);

/// Completes the moves of a process that ended between two of them. False if there are none.
Result<bool> continue_moves(const std::filesystem::path& work);

/// Refuses targets that put_in_place() could not replace: a directory where a file is made and the reverse, links, a
/// missing or read-only directory. `directory`: `target` will be a directory. Errors: kIo.
Result<void> check_place(const std::filesystem::path& target, bool directory);

}  // namespace onepass::tiles
