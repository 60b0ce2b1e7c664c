// journal.cpp: one line per row of tiles, each with its checksum, so that a torn line at the end is known.
#include "tiles/journal.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/compress.hpp"
#include "tiles/file_io.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/system.hpp"

namespace onepass::tiles {

namespace {

constexpr size_t kCheckLength = 10;  // " #5d2c01fe"

// `text` as a line of the journal.
std::string line_of(const std::string& text) {
  std::array<char, kCheckLength + 1> check{};
  std::snprintf(check.data(), check.size(), " #%08x", static_cast<unsigned>(crc32_of(0, bytes_of(text))));
  return text + check.data() + "\n";
}

// The text of a line without its end; none if the line is damaged.
std::optional<std::string> text_of_line(const std::string& line) {
  if (line.size() < kCheckLength) return std::nullopt;
  std::string text = line.substr(0, line.size() - kCheckLength);
  if (line_of(text) != line + "\n") return std::nullopt;
  return text;
}

struct Contents {
  Journal::Rows rows;
  size_t bytes = 0;  // of the lines that are whole
};

Result<Contents> parse(const std::filesystem::path& work, const std::string& all, const std::string& identity) {
  Contents contents;
  for (size_t end = 0; (end = all.find('\n', contents.bytes)) != std::string::npos; contents.bytes = end + 1) {
    const std::optional<std::string> text = text_of_line(all.substr(contents.bytes, end - contents.bytes));
    if (contents.bytes == 0) {
      if (!text) break;
      if (*text == identity) continue;
      return files::file_error(work, ErrorCode::kInvalidArgument,
                               "cannot be continued: it was made from another input or with other options");
    }
    if (!text) break;
    std::istringstream words(*text);
    uint32_t level = 0;
    uint32_t row = 0;
    if (!(words >> level >> row)) break;
    std::getline(words >> std::ws, contents.rows[{level, row}]);
  }
  if (contents.bytes == 0 && !all.empty()) {
    return files::file_error(work, ErrorCode::kBadData,
                             "cannot be continued: its journal is damaged; delete this directory to start again");
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
                  "holds shards of the output: merge joins them; delete this directory to start again");
  }
  if (exists && old == Old::kRefuse) {
    if (auto ours = check_unfinished(work); !ours) return ours.error();
    return refuse(
        ErrorCode::kInvalidArgument,
        "is the unfinished output of an earlier run: resume continues it; delete this directory to start again");
  }
  auto journal = std::make_unique<Journal>();
  journal->path_ = work / "journal";
  journal->grouped_ = old != Old::kReplace;
  size_t kept = 0;  // bytes of the old journal
  if (exists && old == Old::kResume) {
    std::ifstream file(journal->path_, std::ios::binary);
    if (!file && !std::filesystem::is_empty(work, error)) {  // empty: the process ended right after its creation
      return refuse(ErrorCode::kInvalidArgument, "cannot be continued: it has no journal");
    }
    auto contents = parse(work, all_of(file), identity);
    if (!contents) return contents.error();
    journal->complete_ = std::move(contents->rows);
    kept = contents->bytes;
  } else if (!exists) {
    std::filesystem::create_directory(work, error);
    if (error) return refuse(ErrorCode::kIo, "cannot create it: " + std::string(std::strerror(error.value())));
  }
  journal->file_ = system::open_file(journal->path_, system::Access::kAppend);
  if (!journal->file_.valid()) return write_error(journal->path_, errno);
  if (!system::lock(journal->file_.number(), system::Lock::kExclusive)) {
    return refuse(ErrorCode::kIo, "is being written by another process");
  }
  // Removes what follows the last whole line.
  if (!system::set_size(journal->file_.number(), kept)) return write_error(journal->path_, errno);
  if (kept > 0) return journal;
  if (!files::system::write(journal->file_.number(), bytes_of(line_of(identity))) ||
      !files::system::sync(journal->file_.number())) {
    return write_error(journal->path_, errno);
  }
  return journal;
}

bool Journal::add(uint32_t level, uint32_t row, const std::string& entry, uint64_t bytes) {
  const std::string line = line_of(std::to_string(level) + " " + std::to_string(row) + " " + entry);
  const std::scoped_lock lock(mutex_);
  if (lines_.empty()) first_ = Clock::now();
  lines_ += line;
  bytes_ += bytes;
  const bool due =
      grouped_ && !announced_ && (bytes_ >= group_limits.bytes || Clock::now() - first_ >= group_limits.time);
  announced_ = announced_ || due;
  return due;
}

Result<void> Journal::flush(const Sync& sync) {
  const std::scoped_lock writing(writing_);
  std::string lines;
  {
    const std::scoped_lock lock(mutex_);
    lines.swap(lines_);
    bytes_ = 0;
    announced_ = false;
  }
  if (lines.empty()) return {};
  if (auto done = sync(); !done) return done;
  if (!files::system::write(file_.number(), bytes_of(lines))) return write_error(path_, errno);
  return {};
}

}  // namespace onepass::tiles
