// volume_shards.cpp: a shard makes a range of the base's blocks; the merge makes the levels above them from what the
// blocks have kept.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/shard_files.hpp"
#include "tiles/system.hpp"
#include "volume_files/volume_job.hpp"
#include "volume_files/zarr_paths.hpp"

namespace onepass::volumes {
namespace {

using tiles::text_of;

uint32_t volume_shard_count(const VolumeJob& job) {
  const VolumeFileOptions& o = job.layout.options;
  return o.merge > 0 ? o.merge : o.shard.count;
}

BlockRange range_of(const VolumeJob& job, uint32_t index, uint32_t count) {
  const uint64_t blocks = block_count(job.layout, job.passes[0]);
  return {static_cast<uint32_t>(blocks * index / count), static_cast<uint32_t>(blocks * (index + 1) / count)};
}

std::filesystem::path shard_folder(const VolumeJob& job, uint32_t index) {
  return job.layout.work / text_of("shard_", index);
}

// The contents of the file `shards`.
std::string shards_text(const VolumeJob& job) {
  std::string text = text_of("shard=", volume_shard_count(job), "\n");
  for (const auto& [field, value] : identity_fields(job.layout)) text += text_of(field, "=", value, "\n");
  for (const Pass& pass : job.passes) text += text_of("max_bytes=blocks of ", axes_text(pass.block), "\n");
  return text;
}

// The first field in which this run differs from the shards that are there.
Error other_shards(const VolumeJob& job, const std::string& mine, const std::string& theirs) {
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
  const size_t end = std::min(my_line.find('='), my_line.size());
  const std::string field = my_line.substr(0, end);
  const std::string again = "; delete " + job.layout.work.string() + " to start again";
  if (!their_line.starts_with(field + "=") || end == my_line.size()) {
    return {ErrorCode::kBadData, "is damaged" + again, (job.layout.work / "shards").string()};
  }
  if (field == "bytes" || field == "time") {
    return {ErrorCode::kInvalidArgument,
            text_of("input: ", job.source.name(), " has another size or time than when shards in ",
                    job.layout.work.string(), " were made", again),
            ""};
  }
  return {ErrorCode::kInvalidArgument,
          text_of(field == "shard" && job.layout.options.merge > 0 ? "merge" : field, ": '", my_line.substr(end + 1),
                  "', but ", job.layout.work.string(), " holds shards with '", their_line.substr(end + 1), "'", again),
          ""};
}

// Opens and locks the file `shards`, which is that of this input and these options.
Result<files::Handle> lock_shards(const VolumeJob& job, tiles::system::Lock lock) {
  const std::filesystem::path path = job.layout.work / "shards";
  // For writing, because NFS locks no other files.
  files::Handle file = tiles::system::open_file(path, tiles::system::Access::kReadWrite);
  if (!file.valid()) return files::file_error(path, ErrorCode::kIo, text_of("cannot open it: ", std::strerror(errno)));
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string mine = shards_text(job);
  if (text.str() != mine) return other_shards(job, mine, text.str());
  if (tiles::system::lock(file.number(), lock)) return file;
  return files::file_error(job.layout.work, ErrorCode::kIo,
                           lock == tiles::system::Lock::kShared
                               ? "is being merged by another process"
                               : "is in use: shards are being made or merged by other processes");
}

// Creates the working directory of all shards, unless it is there.
Result<void> create_shards(const VolumeJob& job) {
  const std::filesystem::path& work = job.layout.work;
  if (auto ours = tiles::check_unfinished(work); !ours) return ours;
  std::error_code error;
  std::filesystem::create_directory(work, error);
  if (error) return files::file_error(work, ErrorCode::kIo, text_of("cannot create it: ", error.message()));
  if (std::filesystem::exists(work / "journal", error)) {
    return files::file_error(work, ErrorCode::kInvalidArgument,
                             "is the unfinished output of a run without shards: resume continues it; delete this "
                             "directory to start again");
  }
  const int number = tiles::create_whole(work / "shards", shards_text(job));
  if (number != 0) return tiles::write_error(work / "shards", number);
  return {};
}

// Whether a shard has made all its blocks, and their files have the sizes that its journal states.
Result<bool> is_shard_complete(const VolumeJob& job, uint32_t index, const BlockRange& blocks) {
  if (blocks.begin == blocks.end) return true;
  const auto recorded = tiles::Journal::read(shard_folder(job, index), identity_of(job));
  if (!recorded && recorded.error().code == ErrorCode::kNotFound) return false;
  if (!recorded) return recorded.error();
  for (uint32_t number = blocks.begin; number < blocks.end; ++number) {
    const auto entry = recorded->find({0, number});
    if (entry == recorded->end()) return false;
    if (files_text(job.layout, job.passes[0], block_at(job.layout, job.passes[0], number)) == entry->second) continue;
    return files::file_error(job.layout.work, ErrorCode::kBadData,
                             text_of("shard ", index, "/", job.layout.options.merge, " is damaged: files of its block ",
                                     number, " are missing or have other sizes; run the shard again"));
  }
  return true;
}

}  // namespace

Result<VolumeFileReport> make_volume_shard(VolumeJob& job) {
  const VolumeShard shard = job.layout.options.shard;
  if (auto done = create_shards(job); !done) return done.error();
  auto lock = lock_shards(job, tiles::system::Lock::kShared);
  if (!lock) return lock.error();
  job.report.output = shard_folder(job, shard.index);
  auto journal = tiles::Journal::open(job.report.output, identity_of(job), tiles::Journal::Old::kResume);
  if (!journal) return journal.error();
  VolumeRun run(job.layout, job.passes, job.pool, **journal);
  const BlockRange blocks = range_of(job, shard.index, shard.count);
  if (auto done = make_passes(job, run, 0, 1, blocks); !done) return done.error();
  job.report.progress = run.progress();
  job.report.was_complete = run.progress().blocks == 0 && blocks.begin < blocks.end;
  return job.report;
}

Result<VolumeFileReport> make_volume_merge(VolumeJob& job) {
  const VolumeLayout& layout = job.layout;
  const uint32_t count = layout.options.merge;
  std::error_code none;
  if (!std::filesystem::exists(layout.work / "shards", none)) {
    return files::file_error(layout.work, ErrorCode::kNotFound, text_of("no shard of ", count, " is there"));
  }
  auto lock = lock_shards(job, tiles::system::Lock::kExclusive);
  if (!lock) return lock.error();
  std::vector<uint32_t> missing;
  for (uint32_t index = 0; index < count; ++index) {
    const auto complete = is_shard_complete(job, index, range_of(job, index, count));
    if (!complete) return complete.error();
    if (!*complete) missing.push_back(index);
  }
  if (!missing.empty()) {
    return files::file_error(layout.work, ErrorCode::kNotFound,
                             text_of(missing.size() == 1 ? "shard " : "shards ", tiles::list_text(missing), " of ",
                                     count, missing.size() == 1 ? " is" : " are", " missing or not complete"));
  }
  auto journal = tiles::Journal::open(layout.work / "merge", identity_of(job), tiles::Journal::Old::kResume);
  if (!journal) return journal.error();
  VolumeRun run(layout, job.passes, job.pool, **journal);
  auto done = make_passes(job, run, 1, static_cast<uint32_t>(job.passes.size()), {});
  if (done) done = finish_output(job);
  if (!done) return done.error();
  job.report.progress = run.progress();
  return job.report;
}

}  // namespace onepass::volumes
