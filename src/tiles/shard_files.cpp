// shard_files.cpp: writes and checks the files of a shard. A file `complete` with a checksum vouches for all others.
#include "tiles/shard_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/compress.hpp"
#include "tiles/file_io.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/system.hpp"
#include "tiles/text.hpp"
#include "tiles/tile_options.hpp"

namespace onepass::tiles {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;  // fits into the L2 cache

std::filesystem::path shard_path(const std::filesystem::path& work, uint32_t index) {
  return work / text_of("shard_", index);
}

uint32_t shard_count(const OutputPlan& plan) {
  return plan.role == Role::kMerge ? plan.options.merge : plan.options.shard.count;
}

// The contents of the file `shards`.
std::string fields_text(const OutputPlan& plan) {
  std::string text = text_of("shards=", shard_count(plan), "\n");
  for (const auto& [field, value] : identity_fields(plan)) text += text_of(field, "=", value, "\n");
  return text;
}

// The first field in which this run differs from the shards that are there.
Error difference(const OutputPlan& plan, const std::string& mine, const std::string& theirs) {
  std::istringstream my_lines(mine);
  std::istringstream their_lines(theirs);
  std::string my_line;
  std::string their_line;
  do {
    my_line.clear();
    their_line.clear();
    std::getline(my_lines, my_line);
    std::getline(their_lines, their_line);
  } while (my_line == their_line && my_lines && their_lines);
  const std::string field = my_line.substr(0, my_line.find('='));
  const auto value = [](const std::string& line) { return line.substr(std::min(line.find('='), line.size() - 1) + 1); };
  const std::string place = plan.work.string();
  const std::string again = "; delete " + place + " to start again";
  const auto usage = [](const std::string& text) { return Error{ErrorCode::kInvalidArgument, text, ""}; };
  if (their_line.empty() || !their_line.starts_with(field + "=")) {
    return Error{ErrorCode::kBadData, "is damaged" + again, (plan.work / "shards").string()};
  }
  if (field == "shards") {
    return usage(text_of(plan.role == Role::kMerge ? "merge: " : "shard: ", value(my_line), " shards, but ", place,
                         " holds shards of ", value(their_line), again));
  }
  if (field == "bytes" || field == "time" || field == "grid") {
    const TileInput& input = plan.options.input;
    return usage(text_of("input: ", input.grid.empty() ? input.path.string() : input.grid,
                         " has another size or time than when shards in ", place, " were made", again));
  }
  const bool picture = field == "size" || field == "pixels";
  return usage(text_of(picture ? "input: " : field + ": ", "'", value(my_line), "', but ", place,
                       " holds shards with '", value(their_line), "'", again));
}

// Opens and locks the file `shards`, which is that of this input and these options.
Result<files::Handle> open_shards(const OutputPlan& plan, system::Lock lock) {
  const std::filesystem::path path = plan.work / "shards";
  // For writing, because NFS locks no other files.
  files::Handle file = system::open_file(path, system::Access::kReadWrite);
  if (!file.valid()) return files::file_error(path, ErrorCode::kIo, text_of("cannot open it: ", std::strerror(errno)));
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string mine = fields_text(plan);
  if (text.str() != mine) return difference(plan, mine, text.str());
  if (!system::lock(file.number(), lock)) {
    return files::file_error(plan.work, ErrorCode::kIo,
                             lock == system::Lock::kShared
                                 ? "is being merged by another process"
                                 : "is in use: shards are being made or merged by other processes");
  }
  return file;
}

// The files of a shard that its file `complete` vouches for. The journal vouches for all tiles.
constexpr const char* kVouched[] = {"journal", "rows"};

// "NAME BYTES CRC", one per line, and "end 0 CRC" of these lines.
std::string complete_text(std::span<const std::pair<std::string, TileRecord>> files) {
  std::string text;
  for (const auto& [name, record] : files) text += text_of(name, " ", record.bytes, " ", record.crc, "\n");
  return text_of(text, "end 0 ", crc32_of(0, bytes_of(text)), "\n");
}

Result<TileRecord> record_of(const std::filesystem::path& path) {
  auto file = open_input(path);
  if (!file) return file.error();
  const auto crc = crc_of(path, file->handle, 0, file->size);
  if (!crc) return crc.error();
  if (!*crc) return files::file_error(path, ErrorCode::kIo, "was cut while it was read");
  return TileRecord{file->size, **crc};
}

}  // namespace

int create_whole(const std::filesystem::path& path, const std::string& text) {
  std::error_code none;
  if (std::filesystem::exists(path, none)) return 0;
  const std::filesystem::path part = text_of(path.string(), ".", system::process_name());
  if (auto done = write_synced_file(part, bytes_of(text)); !done) return errno != 0 ? errno : EIO;
  const int number = system::rename_to_new(part, path) ? 0 : errno;
  std::filesystem::remove(part, none);
  return number == EEXIST ? 0 : number;
}

std::string list_text(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += text_of(numbers[i]);
    if (end - i > 1) text += text_of(end - i > 2 ? " to " : ", ", numbers[end - 1]);
    i = end;
  }
  return text;
}

Result<std::unique_ptr<ShardWriter>> ShardWriter::open(const OutputPlan& plan) {
  const TileShard shard = plan.options.shard;
  auto writer = std::make_unique<ShardWriter>();
  writer->work_ = plan.work;
  writer->path_ = shard_path(plan.work, shard.index);
  const auto make = [](const std::filesystem::path& path) -> Result<void> {
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (!error) return {};
    return files::file_error(path, ErrorCode::kIo, text_of("cannot create it: ", std::strerror(error.value())));
  };
  std::error_code none;
  if (auto ours = check_unfinished(plan.work); !ours) return ours.error();
  if (auto done = make(plan.work); !done) return done.error();
  if (std::filesystem::exists(plan.work / "journal", none)) {
    return files::file_error(
        plan.work, ErrorCode::kInvalidArgument,
        "is the unfinished output of a run without shards: resume continues it; delete this directory "
        "to start again");
  }
  if (const int number = create_whole(plan.work / "shards", fields_text(plan)); number != 0) {
    return write_error(plan.work / "shards", number);
  }
  auto shards = open_shards(plan, system::Lock::kShared);
  if (!shards) return shards.error();
  writer->shards_ = std::move(*shards);
  if (auto done = make(writer->path_); !done) return done.error();
  const std::filesystem::path lock = writer->path_ / "lock";
  writer->lock_ = system::open_file(lock, system::Access::kCreate);
  if (!writer->lock_.valid()) return write_error(lock, errno);
  if (!system::lock(writer->lock_.number(), system::Lock::kExclusive)) {
    return files::file_error(plan.work, ErrorCode::kIo,
                             text_of("shard ", shard.index, "/", shard.count, " is being made by another process"));
  }
  // Under the lock: a complete shard is kept, the files of an interrupted one are removed and made again.
  writer->was_complete_ = std::filesystem::exists(writer->path_ / "complete", none);
  if (writer->was_complete_) return writer;
  for (const auto& entry : std::filesystem::directory_iterator(writer->path_, none)) {
    if (entry.path().filename() != "lock") std::filesystem::remove(entry, none);
  }
  auto journal = Journal::open(writer->path_, identity_of(plan), Journal::Old::kReplace);
  if (!journal) return journal.error();
  writer->journal_ = std::move(*journal);
  const std::filesystem::path rows = writer->path_ / "rows";
  writer->rows_ = system::open_file(rows, system::Access::kReplace);
  if (!writer->rows_.valid()) return write_error(rows, errno);
  return writer;
}

Result<void> ShardWriter::flush() {
  if (const int number = write_fully(rows_.number(), buffer_, end_); number != 0) {
    return write_error(path_ / "rows", number);
  }
  end_ += buffer_.size();
  buffer_.clear();
  return {};
}

Result<void> ShardWriter::keep(std::span<const std::byte> row) {
  buffer_.insert(buffer_.end(), row.begin(), row.end());
  if (buffer_.size() < kBuffer) return {};
  return flush();
}

Result<void> ShardWriter::finish() {
  if (auto done = flush(); !done) return done;
  if (auto done = journal_->flush([]() -> Result<void> { return {}; }); !done) return done;  // `complete` comes later
  if (!rows_.close()) return write_error(path_ / "rows", errno);
  const auto sync = [&]() -> Result<void> {
    if (system::sync_file_system(path_)) return {};
    return files::file_error(path_, ErrorCode::kIo, text_of("cannot write it to disk: ", std::strerror(errno)));
  };
  std::vector<std::pair<std::string, TileRecord>> vouched;
  for (const char* name : kVouched) {
    const auto record = record_of(path_ / name);
    if (!record) return record.error();
    vouched.emplace_back(name, *record);
  }
  if (auto done = sync(); !done) return done;
  const std::filesystem::path part = path_ / "complete.part";
  if (auto done = write_file(part, bytes_of(complete_text(vouched))); !done) return done;
  if (auto done = sync(); !done) return done;
  std::error_code error;
  std::filesystem::rename(part, path_ / "complete", error);
  if (error) return write_error(path_ / "complete", error.value());
  return {};
}

std::filesystem::path ShardReader::directory(uint32_t index) const { return shard_path(plan_.work, index); }

Error ShardReader::error(uint32_t index, ErrorCode code, const std::string& text) const {
  return files::file_error(plan_.work, code, text_of("shard ", index, "/", count_, " ", text));
}

Error ShardReader::damaged(uint32_t index, const std::string& what) const {
  return error(index, ErrorCode::kBadData,
               text_of("is damaged: ", what, "; delete ", directory(index).string(), " and run the shard again"));
}

// False: the shard is not complete.
Result<bool> ShardReader::check(uint32_t index) const {
  std::ifstream file(directory(index) / "complete", std::ios::binary);
  if (!file) return false;
  std::stringstream text;
  text << file.rdbuf();
  std::vector<std::pair<std::string, TileRecord>> vouched;
  std::string name;
  TileRecord record;
  while (text >> name >> record.bytes >> record.crc && name != "end") vouched.emplace_back(name, record);
  if (text.str() != complete_text(vouched)) return damaged(index, "its file complete has changed");
  for (const auto& [part, wanted] : vouched) {
    const std::filesystem::path path = directory(index) / part;
    std::error_code missing;
    const uint64_t found = std::filesystem::file_size(path, missing);
    if (missing || found != wanted.bytes) {
      return damaged(index, text_of("its file ", part, " has ", missing ? 0 : found, " bytes, not ", wanted.bytes));
    }
    const auto intact = has_checksum(path, 0, wanted.bytes, wanted.crc, true);
    if (!intact) return intact.error();
    if (!*intact) return damaged(index, text_of("its file ", part, " has changed"));
  }
  return true;
}

Result<void> ShardReader::check_tiles(const Output& output, WorkerPool& pool) const {
  for (uint32_t index = 0; index < count_; ++index) {
    const RowPlan plan = plan_shard(plan_.grids, index, count_);
    if (plan.is_empty()) continue;
    const auto rows = Journal::read(directory(index), identity_of(plan_));
    if (!rows) return rows.error();
    std::vector<TileOrder::Place> places;
    for (uint32_t level = 0; level < plan.tiles.size(); ++level) {
      for (uint32_t row = plan.tiles[level].begin; row < plan.tiles[level].end; ++row) places.push_back({level, row});
    }
    std::vector<Result<bool>> intact(places.size(), false);
    pool.run(places.size(), [&](size_t i) {
      const auto entry = rows->find({places[i].level, places[i].row});
      if (entry == rows->end()) return;
      intact[i] = output.is_intact(places[i].level, places[i].row, directory(index), entry->second);
    });
    for (size_t i = 0; i < places.size(); ++i) {
      if (!intact[i]) return intact[i].error();
      if (*intact[i]) continue;
      return damaged(
          index, text_of("row ", places[i].row, " of tiles of level ", places[i].level, " is missing or has changed"));
    }
  }
  return {};
}

Result<std::unique_ptr<ShardReader>> ShardReader::open(const OutputPlan& plan) {
  std::unique_ptr<ShardReader> reader(new ShardReader(plan));
  std::error_code none;
  const uint32_t count = reader->count_;
  if (!std::filesystem::exists(plan.work / "shards", none)) {
    return files::file_error(plan.work, ErrorCode::kNotFound, text_of("no shard of ", count, " is there"));
  }
  auto shards = open_shards(plan, system::Lock::kExclusive);
  if (!shards) return shards.error();
  reader->shards_ = std::move(*shards);
  std::vector<uint32_t> missing;
  std::vector<uint32_t> partial;
  for (uint32_t index = 0; index < count; ++index) {
    const auto complete = reader->check(index);
    if (!complete) return complete.error();
    if (*complete) continue;
    (std::filesystem::exists(reader->directory(index), none) ? partial : missing).push_back(index);
  }
  if (missing.empty() && partial.empty()) return reader;
  std::string text;
  const auto tell = [&](const std::vector<uint32_t>& numbers, const char* one, const char* many) {
    if (numbers.empty()) return;
    text += text_of(text.empty() ? "" : "; ", numbers.size() == 1 ? "shard " : "shards ", list_text(numbers),
                    text.empty() ? text_of(" of ", count) : "", " ", numbers.size() == 1 ? one : many);
  };
  tell(missing, "is missing", "are missing");
  tell(partial, "is not complete", "are not complete");
  return files::file_error(plan.work, ErrorCode::kNotFound, text);
}

Result<void> ShardReader::read_row(std::span<std::byte> row) {
  while (rows_left_ == 0) {
    const RowPlan plan = plan_shard(plan_.grids, row_shard_, count_);
    rows_left_ = plan.kept.count();
    ++row_shard_;
    if (rows_left_ == 0) continue;
    const std::filesystem::path path = directory(row_shard_ - 1) / "rows";
    rows_ = system::open_file(path, system::Access::kRead);
    if (!rows_.valid())
      return files::file_error(path, ErrorCode::kIo, text_of("cannot open it: ", std::strerror(errno)));
    offset_ = 0;
    const auto status = system::status(rows_.number());
    const uint64_t wanted = uint64_t{rows_left_} * row.size();
    if (!status) {
      return files::file_error(path, ErrorCode::kIo, text_of("cannot read it: ", std::strerror(errno)));
    }
    if (status->size != wanted) {
      return damaged(row_shard_ - 1, text_of("its file rows has ", status->size, " bytes, not ", wanted));
    }
  }
  const int number = read_fully(rows_.number(), row.data(), row.size(), offset_);
  if (number < 0) return damaged(row_shard_ - 1, "its file rows is too short");
  if (number > 0) return error(row_shard_ - 1, ErrorCode::kIo, text_of("cannot be read: ", std::strerror(number)));
  offset_ += row.size();
  --rows_left_;
  return {};
}

Result<ShardReader::Entry> ShardReader::entry(TileOrder::Place place) {
  while (entry_plan_.tiles.empty() || !entry_plan_.tiles[place.level].contains(place.row)) {
    // Shards follow each other in the order of the tiles.
    if (!entry_plan_.tiles.empty()) ++entry_shard_;
    entry_plan_ = plan_shard(plan_.grids, entry_shard_, count_);
    entries_.clear();
    if (entry_plan_.is_empty()) continue;
    auto rows = Journal::read(directory(entry_shard_), identity_of(plan_));
    if (!rows) return rows.error();
    entries_ = std::move(*rows);
  }
  const auto found = entries_.find({place.level, place.row});
  if (found == entries_.end()) {
    return damaged(entry_shard_, text_of("it lacks row ", place.row, " of tiles of level ", place.level));
  }
  return Entry{directory(entry_shard_), found->second};
}

}  // namespace onepass::tiles
