// journal.cpp: see journal.hpp.
#include "tiles/journal.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/system.hpp"

namespace onepass::tiles {

namespace {

struct Contents {
  Journal::Rows rows;
  std::string text;  // whole lines
};

// The lines of a journal. A line without its end is left out.
Result<Contents> parse(const std::filesystem::path& work, const std::string& all, const std::string& identity) {
  const size_t end = all.rfind('\n');
  std::istringstream lines(end == std::string::npos ? std::string() : all.substr(0, end + 1));
  Contents contents;
  std::string line;
  if (std::getline(lines, line) && line != identity) {
    return files::file_error(work, ErrorCode::kInvalidArgument,
                             "cannot be continued: it was made from another input or with other options");
  }
  contents.text = line.empty() ? std::string() : line + "\n";
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    uint32_t level = 0;
    uint32_t row = 0;
    if (!(words >> level >> row)) {
      return files::file_error(work, ErrorCode::kBadData, "cannot be continued: its journal is damaged");
    }
    std::string entry;
    std::getline(words >> std::ws, entry);
    contents.rows[{level, row}] = entry;
    contents.text += line + "\n";
  }
  return contents;
}

std::string all_of(std::ifstream& file) {
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

}  // namespace

Result<Journal::Rows> Journal::read(const std::filesystem::path& work, const std::string& identity) {
  std::ifstream file(work / "journal", std::ios::binary);
  if (!file) return files::file_error(work, ErrorCode::kNotFound, "has no journal");
  auto contents = parse(work, all_of(file), identity);
  if (!contents) return contents.error();
  return std::move(contents->rows);
}

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& work, const std::string& identity,
                                               Old old) {
  const auto refuse = [&](ErrorCode code, const std::string& text) { return files::file_error(work, code, text); };
  std::error_code error;
  if (old != Old::kReplace) remove_leftovers(work);
  const bool exists = std::filesystem::exists(work, error);
  if (exists && std::filesystem::exists(work / "shards", error)) {
    return refuse(ErrorCode::kInvalidArgument,
                  "holds shards of the output: merge joins them; delete it to start again");
  }
  if (exists && old == Old::kRefuse) {
    return refuse(ErrorCode::kInvalidArgument,
                  "is the unfinished output of an earlier run: resume continues it; delete it to start again");
  }
  auto journal = std::make_unique<Journal>();
  journal->path_ = work / "journal";
  std::string rest;
  if (exists && old == Old::kResume) {
    std::ifstream file(journal->path_, std::ios::binary);
    if (!file && !std::filesystem::is_empty(work, error)) {  // empty: the process ended right after its creation
      return refuse(ErrorCode::kInvalidArgument, "cannot be continued: it has no journal");
    }
    auto contents = parse(work, all_of(file), identity);
    if (!contents) return contents.error();
    journal->complete_ = std::move(contents->rows);
    rest = std::move(contents->text);
  } else if (!exists) {
    std::filesystem::create_directory(work, error);
    if (error) return refuse(ErrorCode::kIo, "cannot create it: " + std::string(std::strerror(error.value())));
  }
  journal->file_ = system::open_file(journal->path_, system::Access::kAppend);
  if (!journal->file_.valid()) return write_error(journal->path_, errno);
  if (!system::lock(journal->file_.number(), system::Lock::kExclusive)) {
    return refuse(ErrorCode::kIo, "is being written by another process");
  }
  // Removes an incomplete line.
  if (!system::set_size(journal->file_.number(), rest.size())) return write_error(journal->path_, errno);
  if (rest.empty()) {
    const std::string line = identity + "\n";
    if (!files::system::write(journal->file_.number(), bytes_of(line))) return write_error(journal->path_, errno);
  }
  return journal;
}

Result<void> Journal::record(uint32_t level, uint32_t row, const std::string& entry) {
  const std::string line =
      std::to_string(level) + " " + std::to_string(row) + (entry.empty() ? "" : " " + entry) + "\n";
  const std::scoped_lock lock(mutex_);
  if (!files::system::write(file_.number(), bytes_of(line))) return write_error(path_, errno);
  return {};
}

}  // namespace onepass::tiles
