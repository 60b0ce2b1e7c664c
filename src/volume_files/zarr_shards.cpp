// zarr_shards.cpp: reads and checks the index of a shard once.
#include "volume_files/zarr_shards.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "tiles/text.hpp"
#include "volume_files/crc32c.hpp"
#include "volume_files/json_metadata.hpp"
#include "volume_files/zarr_codecs.hpp"

namespace onepass::zarr {
namespace {

constexpr size_t kMostShards = 64;                     // files that are kept open
constexpr uint64_t kMostIndexes = uint64_t{64} << 20;  // bytes
constexpr uint64_t kMostKept = uint64_t{64} << 20;     // bytes of files from servers without ranges

}  // namespace

// The lock is not held while the file is opened: of a server that takes as long as the server does, and the thread that
// learns that the run was cancelled may be among those that wait.
Result<bool> Shard::open(const ArrayMetadata& array) {
  std::unique_lock lock(mutex_);
  while (state_ == State::kOpening) {
    changed_.wait_for(lock, std::chrono::milliseconds(100));
    if (!array.site) continue;
    lock.unlock();
    array.site->poll();
    lock.lock();
  }
  if (state_ == State::kNew) {
    state_ = State::kOpening;
    lock.unlock();
    Result<State> found = Error{ErrorCode::kOutOfMemory, "out of memory", ""};
    try {
      found = open_file(array);
    } catch (const std::bad_alloc&) {  // the error above
    }
    lock.lock();
    state_ = found ? *found : State::kFailed;
    if (!found) failure_ = found.error();
    changed_.notify_all();
  }
  if (state_ == State::kFailed) return failure_;
  return state_ == State::kOpen;
}

Result<Shard::State> Shard::open_file(const ArrayMetadata& array) {
  // Of a server the request for the index is the first one.
  const remote::Wanted index{.kind = array.shards->at_end ? remote::Wanted::Kind::kEnd : remote::Wanted::Kind::kPart,
                             .count = array.shards->bytes()};
  auto file = tiles::open_input(path_, array.site, index);
  if (!file && file.error().code == ErrorCode::kNotFound) return State::kMissing;
  if (!file) return file.error();
  file_ = std::move(*file);
  if (file_.remote) kept_bytes_ = file_.remote->kept_bytes();
  if (auto done = read_index(array); !done) return done.error();
  return State::kOpen;
}

Result<void> Shard::read_index(const ArrayMetadata& array) {
  const ShardIndex& how = *array.shards;
  const uint64_t bytes = how.bytes();
  if (file_.size < bytes) {
    return bad(path_, tiles::text_of("has ", file_.size, " bytes, fewer than the ", bytes, " of a shard's index"));
  }
  const uint64_t offset = how.at_end ? file_.size - bytes : 0;
  std::vector<std::byte> stored(bytes);
  if (auto done = file_.read(path_.string(), offset, stored); !done) return done;
  if (how.has_crc) {
    const std::span<const std::byte> crc = std::span(stored).last(4);
    uint32_t wanted = 0;
    for (size_t i = 4; i-- > 0;) wanted = wanted << 8 | std::to_integer<uint32_t>(crc[i]);
    if (volumes::crc32c_of(std::span(stored).first(bytes - 4)) != wanted) {
      return bad(path_, "is damaged: the checksum of the shard's index differs");
    }
  }
  index_.resize(how.blocks);
  copy_elements(stored.data(), 8, reinterpret_cast<std::byte*>(index_.data()), 8, 2 * how.blocks, 8, how.swapped);
  return check_ranges(array, offset);
}

// Ranges lie inside the file, outside the index, and do not overlap; equal blocks may be stored once.
Result<void> Shard::check_ranges(const ArrayMetadata& array, uint64_t index_offset) const {
  const uint64_t most = array.most_stored_bytes();
  const uint64_t index_bytes = array.shards->bytes();
  std::vector<Range> sorted;
  for (size_t i = 0; i < index_.size(); ++i) {
    const Range& range = index_[i];
    if (!range.is_stored()) continue;
    const bool inside = range.offset <= file_.size && range.bytes <= file_.size - range.offset;
    const bool on_index =
        inside && range.offset < index_offset + index_bytes && index_offset < range.offset + range.bytes;
    if (!inside || on_index || range.bytes > most) {
      return bad(path_, tiles::text_of("is damaged: entry ", i, " of the shard's index names ", range.bytes,
                                       " bytes at ", range.offset, ", of ", file_.size,
                                       !inside    ? ""
                                       : on_index ? ", in the index itself"
                                                  : ", more than a chunk has"));
    }
    sorted.push_back(range);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Range& a, const Range& b) { return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes); });
  for (size_t i = 1; i < sorted.size(); ++i) {
    const Range& before = sorted[i - 1];
    const Range& range = sorted[i];
    const bool same = before.offset == range.offset && before.bytes == range.bytes;
    if (!same && before.offset + before.bytes > range.offset) {
      return bad(path_, tiles::text_of("is damaged: chunks of the shard overlap at byte ", range.offset));
    }
  }
  return {};
}

ShardCache::ShardCache(const ArrayMetadata& array)
    : index_bytes_(3 * array.shards->bytes()),  // as stored, as numbers and sorted
      most_(static_cast<size_t>(std::clamp<uint64_t>(kMostIndexes / index_bytes_, 1, kMostShards))) {}

std::shared_ptr<Shard> ShardCache::shard(const ArrayMetadata& array, const Counts& chunk) {
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::find_if(shards_.rbegin(), shards_.rend(), [&](const auto& known) { return known.first == chunk; });
  if (found != shards_.rend()) {
    std::rotate(found.base() - 1, found.base(), shards_.end());
  } else {
    if (shards_.size() == most_) shards_.erase(shards_.begin());
    shards_.emplace_back(chunk, std::make_shared<Shard>(array.chunk_path(chunk)));
  }
  const auto kept_bytes = [&] {
    uint64_t bytes = 0;
    for (const auto& known : shards_) bytes += known.second->kept_bytes();
    return bytes;
  };
  while (shards_.size() > 1 && kept_bytes() > kMostKept) shards_.erase(shards_.begin());
  return shards_.back().second;
}

}  // namespace onepass::zarr
