// journal.cpp: see journal.hpp.
#include "tiles/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/put_in_place.hpp"

namespace onepass::tiles {

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& work, const std::string& identity,
                                               bool resume) {
  const auto refuse = [&](ErrorCode code, const std::string& text) { return files::file_error(work, code, text); };
  std::error_code error;
  remove_leftovers(work);
  const bool old = std::filesystem::exists(work, error);
  if (old && !resume) {
    return refuse(ErrorCode::kInvalidArgument,
                  "is the unfinished output of an earlier run: resume continues it; delete it to start again");
  }
  auto journal = std::make_unique<Journal>();
  journal->path_ = work / "journal";
  std::string rest;
  if (old) {
    std::ifstream file(journal->path_, std::ios::binary);
    if (!file && !std::filesystem::is_empty(work, error)) {  // empty: the process ended right after its creation
      return refuse(ErrorCode::kInvalidArgument, "cannot be continued: it has no journal");
    }
    std::stringstream all;
    all << file.rdbuf();
    const std::string text = all.str();
    const size_t end = text.rfind('\n');
    std::istringstream lines(end == std::string::npos ? std::string() : text.substr(0, end + 1));
    std::string line;
    if (std::getline(lines, line) && line != identity) {
      return refuse(ErrorCode::kInvalidArgument,
                    "cannot be continued: it was made from another input or with other options");
    }
    rest = line.empty() ? std::string() : line + "\n";
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      uint32_t level = 0;
      uint32_t row = 0;
      if (!(words >> level >> row)) return refuse(ErrorCode::kBadData, "cannot be continued: its journal is damaged");
      std::string entry;
      std::getline(words >> std::ws, entry);
      journal->complete_[{level, row}] = entry;
      rest += line + "\n";
    }
  } else {
    std::filesystem::create_directory(work, error);
    if (error) return refuse(ErrorCode::kIo, "cannot create it: " + std::string(std::strerror(error.value())));
  }
  journal->file_ = files::Handle(::open(journal->path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!journal->file_.valid()) return write_error(journal->path_, errno);
  if (::flock(journal->file_.number(), LOCK_EX | LOCK_NB) != 0) {
    return refuse(ErrorCode::kIo, "is being written by another process");
  }
  // Removes an incomplete line.
  if (::ftruncate(journal->file_.number(), static_cast<off_t>(rest.size())) != 0) {
    return write_error(journal->path_, errno);
  }
  if (rest.empty()) {
    const std::string line = identity + "\n";
    const ssize_t n = ::write(journal->file_.number(), line.data(), line.size());
    if (n != static_cast<ssize_t>(line.size())) return write_error(journal->path_, n < 0 ? errno : ENOSPC);
  }
  return journal;
}

Result<void> Journal::record(uint32_t level, uint32_t row, const std::string& entry) {
  const std::string line =
      std::to_string(level) + " " + std::to_string(row) + (entry.empty() ? "" : " " + entry) + "\n";
  const std::scoped_lock lock(mutex_);
  const ssize_t n = ::write(file_.number(), line.data(), line.size());
  if (n != static_cast<ssize_t>(line.size())) return write_error(path_, n < 0 ? errno : ENOSPC);
  return {};
}

}  // namespace onepass::tiles
