// zarr_array.cpp: which blocks a box touches, how they are loaded, and where their elements go.
#include "volume_files/zarr_array.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <system_error>

#include "image/div_up.hpp"
#include "tiles/text.hpp"
#include "volume_files/json_metadata.hpp"
#include "volume_files/zarr_shards.hpp"

namespace onepass::zarr {
namespace {

constexpr uint64_t kMostRequestBytes = uint64_t{256} << 20;  // of decoders that wait for a server

/// The part of a block along one dimension that a box wants.
struct Part {
  uint32_t in_block = 0;  ///< First element, counted from the block's.
  uint32_t in_box = 0;    ///< The same, counted from the box's.
  uint32_t count = 0;
};

Part part_of(const Dimension& dimension, uint32_t block, uint32_t first, uint32_t size) {
  const uint64_t start = uint64_t{block} * dimension.block;
  const uint64_t begin = std::max<uint64_t>(start, first);
  const uint64_t end = std::min<uint64_t>(start + dimension.block, uint64_t{first} + size);
  return {static_cast<uint32_t>(begin - start), static_cast<uint32_t>(begin - first),
          static_cast<uint32_t>(end - begin)};
}

}  // namespace

// The blocks of a box are numbered shard by shard, so that a thread changes its shard rarely. Numbers at the edges of
// the box may stand for blocks outside.
struct ZarrArray::BlockPlan {
  struct Axis {
    uint32_t begin = 0, end = 0;  // blocks of the box along a dimension
    uint32_t first_shard = 0, shards = 1;
    uint32_t shift = 0, count = 1;  // numbers of blocks inside a shard
    uint32_t per_shard = 1;
  };
  std::vector<Axis> axes;
  uint64_t numbers = 1;

  // False: no block of the box.
  bool block(uint64_t number, Counts& out) const {
    bool is_inside = true;
    Counts inner{};
    for (size_t i = axes.size(); i-- > 0; number /= axes[i].count)
      inner[i] = static_cast<uint32_t>(number % axes[i].count);
    for (size_t i = axes.size(); i-- > 0;) {
      const Axis& axis = axes[i];
      const uint64_t shard = axis.first_shard + number % axis.shards;
      number /= axis.shards;
      const uint64_t position = shard * axis.per_shard + axis.shift + inner[i];
      is_inside = is_inside && position >= axis.begin && position < axis.end;
      out[i] = static_cast<uint32_t>(position);
    }
    return is_inside;
  }
};

// What a task keeps from one block to the next.
struct ZarrArray::Worker {
  BlockBuffers buffers;
  std::shared_ptr<Shard> shard;
  Counts chunk{};  // of the shard
};

ZarrArray::ZarrArray(ArrayMetadata metadata, tiles::WorkerPool& pool) : metadata_(std::move(metadata)), pool_(pool) {
  if (metadata_.shards) shards_ = std::make_unique<ShardCache>(metadata_);
  if (metadata_.site) {
    // As many requests at once as fit into a bound, but every thread has its own.
    const uint64_t most = std::min(kMostRequestBytes, metadata_.site->max_bytes / 8);
    const uint64_t fitting = most / (decoder_bytes(metadata_) + metadata_.most_stored_bytes());
    const uint64_t threads =
        std::clamp<uint64_t>(fitting, pool.threads(), std::max(pool.threads(), remote::kRequestsAtOnce));
    requests_ = std::make_unique<tiles::WorkerPool>(tiles::WaitingThreads{static_cast<uint32_t>(threads) - 1});
  }
}

ZarrArray::~ZarrArray() = default;

bool ZarrArray::has_chunks() const {
  if (metadata_.site) return true;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(metadata_.folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with('.') && name != "zarr.json") return true;
  }
  return static_cast<bool>(error);
}

ZarrArray::BlockPlan ZarrArray::plan(const ArrayBox& box) const {
  BlockPlan plan;
  for (size_t i = 0; i < metadata_.dimensions.size(); ++i) {
    const Dimension& dimension = metadata_.dimensions[i];
    BlockPlan::Axis axis;
    axis.begin = box.first[i] / dimension.block;
    axis.end = (box.first[i] + box.size[i] - 1) / dimension.block + 1;
    axis.per_shard = dimension.chunk / dimension.block;
    axis.first_shard = axis.begin / axis.per_shard;
    axis.shards = (axis.end - 1) / axis.per_shard - axis.first_shard + 1;
    axis.count = axis.per_shard;
    if (axis.shards == 1) {
      axis.shift = axis.begin - axis.first_shard * axis.per_shard;
      axis.count = axis.end - axis.begin;
    }
    plan.numbers *= uint64_t{axis.shards} * axis.count;
    plan.axes.push_back(axis);
  }
  return plan;
}

uint64_t ZarrArray::memory_bytes(const ArrayBox& box) const {
  const auto threads = static_cast<uint32_t>(std::min<uint64_t>(plan(box).numbers, readers().threads()));
  const uint64_t received = requests_ ? metadata_.most_stored_bytes() + remote::kConnectionBytes : 0;
  return threads * (decoder_bytes(metadata_) + received) + (shards_ ? shards_->memory_bytes(threads) : 0);
}

Counts ZarrArray::chunk_of(const Counts& block) const {
  Counts chunk{};
  for (size_t i = 0; i < metadata_.dimensions.size(); ++i) {
    chunk[i] = block[i] / (metadata_.dimensions[i].chunk / metadata_.dimensions[i].block);
  }
  return chunk;
}

Error ZarrArray::damaged(const Counts& block, const std::string& text) const {
  std::string where;
  if (metadata_.shards) {
    for (size_t i = 0; i < metadata_.dimensions.size(); ++i) where += (i > 0 ? ", " : "") + std::to_string(block[i]);
    where = "chunk " + where + " ";
  }
  return bad(metadata_.chunk_path(chunk_of(block)), where + text);
}

Result<bool> ZarrArray::load_chunk(const Counts& block, Worker& worker) const {
  const auto path = metadata_.chunk_path(block);
  auto file = tiles::open_input(path, metadata_.site, {.most = metadata_.most_stored_bytes()});
  if (!file && file.error().code == ErrorCode::kNotFound) return false;
  if (!file) return file.error();
  if (file->size > metadata_.most_stored_bytes()) {
    return damaged(block, tiles::text_of("has ", file->size, " bytes, a chunk ", metadata_.block_bytes()));
  }
  worker.buffers.stored.resize(file->size);
  if (auto done = file->read(path.string(), 0, worker.buffers.stored); !done) return done.error();
  return true;
}

Result<bool> ZarrArray::load_block(const Counts& block, Worker& worker) {
  if (!shards_) return load_chunk(block, worker);
  const Counts chunk = chunk_of(block);
  if (!worker.shard || worker.chunk != chunk) {
    worker.shard = shards_->shard(metadata_, chunk);
    worker.chunk = chunk;
  }
  Shard& shard = *worker.shard;
  const auto opened = shard.open(metadata_);
  if (!opened || !*opened) return opened;
  uint64_t entry = 0;
  for (size_t i = 0; i < metadata_.dimensions.size(); ++i) {
    const Dimension& dimension = metadata_.dimensions[i];
    entry += block[i] % (dimension.chunk / dimension.block) * dimension.index_stride;
  }
  const Shard::Range range = shard.range(entry);
  if (!range.is_stored()) return false;
  worker.buffers.stored.resize(range.bytes);
  if (auto done = shard.read(range, worker.buffers.stored); !done) {
    return done.error().code == ErrorCode::kBadData ? damaged(block, done.error().message) : done.error();
  }
  return true;
}

// Copies what the box has of a block. No elements stand for the fill value.
void ZarrArray::put(std::span<const std::byte> elements, const Counts& block, const ArrayBox& box, std::byte* out,
                    const Strides& strides) const {
  struct Loop {
    Part part;
    size_t from = 0, to = 0;  // bytes between two neighbours
  };
  const size_t bytes = metadata_.element_bytes();
  std::vector<Loop> loops;
  for (size_t i = 0; i < metadata_.dimensions.size(); ++i) {
    const Dimension& dimension = metadata_.dimensions[i];
    const Part part = part_of(dimension, block[i], box.first[i], box.size[i]);
    out += part.in_box * strides[i];
    if (!elements.empty()) elements = elements.subspan(part.in_block * dimension.block_stride * bytes);
    if (part.count > 1) loops.push_back({part, dimension.block_stride * bytes, strides[i]});
  }
  if (loops.empty()) loops.push_back({{.count = 1}, bytes, bytes});
  // The innermost loop reads neighbours.
  std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.from > b.from; });
  const Loop inner = loops.back();
  loops.pop_back();
  const std::byte* from = elements.empty() ? metadata_.fill.data() : elements.data();
  const auto copy = [&](auto&& self, size_t level, const std::byte* source, std::byte* target) -> void {
    if (level == loops.size()) {
      // The fill value is in the machine's order already.
      copy_elements(source, elements.empty() ? 0 : inner.from, target, inner.to, inner.part.count, bytes,
                    metadata_.swapped && !elements.empty());
      return;
    }
    for (uint32_t i = 0; i < loops[level].part.count; ++i) {
      self(self, level + 1, source, target);
      source += elements.empty() ? 0 : loops[level].from;
      target += loops[level].to;
    }
  };
  copy(copy, 0, from, out);
}

Result<void> ZarrArray::read_block(const Counts& block, const ArrayBox& box, std::byte* out, const Strides& strides,
                                   Worker& worker) {
  const auto stored = load_block(block, worker);
  if (!stored) return stored.error();
  std::span<const std::byte> elements;
  if (*stored) {
    elements = decode_block(metadata_, worker.buffers);
    if (elements.empty()) {
      return damaged(block, tiles::text_of("is damaged: it holds no chunk of ", metadata_.block_bytes(), " bytes"));
    }
  }
  put(elements, block, box, out, strides);
  return {};
}

Result<void> ZarrArray::read(const ArrayBox& box, std::byte* out, const Strides& strides) {
  const BlockPlan plan = this->plan(box);
  const auto tasks = static_cast<size_t>(std::min<uint64_t>(plan.numbers, readers().threads()));
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  std::optional<Error> failure;
  // The lowest number of a block that failed. Numbers below it are still tried: the error does not depend on threads.
  std::atomic<uint64_t> failed = UINT64_MAX;
  const auto work = [&](size_t) {
    Worker worker;
    for (uint64_t number = next++; number < std::min<uint64_t>(plan.numbers, failed); number = next++) {
      Counts block{};
      if (!plan.block(number, block)) continue;
      const auto done = read_block(block, box, out, strides, worker);
      if (done) continue;
      const std::scoped_lock lock(mutex);
      if (number < failed) {
        failed = number;
        failure = done.error();
      }
      return;
    }
  };
  if (tasks == 1) {
    work(0);
  } else {
    readers().run(tasks, work, [this] {
      if (metadata_.site) metadata_.site->poll();
    });
  }
  if (failure) return *failure;
  return {};
}

}  // namespace onepass::zarr
