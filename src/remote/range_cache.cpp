// range_cache.cpp: a block is requested once, by the first thread that needs it or by one that reads ahead.
#include "remote/range_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

namespace onepass::remote {
namespace {

constexpr uint64_t kBlockBytes = uint64_t{512} << 10;
constexpr uint64_t kAhead = 16;  // blocks
constexpr auto kWait = std::chrono::milliseconds(100);

}  // namespace

RangeCache::RangeCache(RemoteFilePtr file)
    : file_(std::move(file)),
      most_(static_cast<size_t>(std::clamp<uint64_t>(file_->site()->max_bytes / 16 / kBlockBytes, 8, 64))),
      pool_(std::make_unique<tiles::WorkerPool>(tiles::WaitingThreads{kRequestsAtOnce})) {}

RangeCache::~RangeCache() {
  file_->site()->stop();
  pool_.reset();
}

uint64_t RangeCache::memory_bytes() const {
  return most_ * kBlockBytes + kRequestsAtOnce * (kBlockBytes + kConnectionBytes);
}

Error RangeCache::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_.value_or(Error{ErrorCode::kIo, "cannot read it", file_->name()});
}

bool RangeCache::has_failed() const {
  const std::scoped_lock lock(mutex_);
  return failure_.has_value();
}

// add(), make_room() and read_ahead() are called with the lock held.
RangeCache::BlockPtr RangeCache::add(uint64_t number) {
  make_room();
  auto block = std::make_shared<Block>();
  block->number = number;
  block->last_use = ++uses_;
  blocks_[number] = block;
  return block;
}

void RangeCache::make_room() {
  while (blocks_.size() >= most_) {
    auto oldest = blocks_.end();
    for (auto entry = blocks_.begin(); entry != blocks_.end(); ++entry) {
      const Block& block = *entry->second;
      if (block.is_ready && (oldest == blocks_.end() || block.last_use < oldest->second->last_use)) oldest = entry;
    }
    if (oldest == blocks_.end()) return;  // all are on their way
    if (!oldest->second->was_read) --unread_;
    blocks_.erase(oldest);
  }
}

void RangeCache::read_ahead(uint64_t number) {
  if (pool_->threads() < 2) return;  // no thread to do it
  const uint64_t blocks = (file_->size() + kBlockBytes - 1) / kBlockBytes;
  for (uint64_t next = number + 1; next < std::min(number + 1 + kAhead, blocks) && unread_ < most_ / 2; ++next) {
    if (blocks_.contains(next)) continue;
    try {
      const BlockPtr block = add(next);
      pool_->submit([this, block] { load(block); });
    } catch (const std::bad_alloc&) {
      blocks_.erase(next);
      return;
    }
    ++unread_;
  }
}

void RangeCache::load(const BlockPtr& block) {
  Result<void> done;
  try {
    const uint64_t offset = block->number * kBlockBytes;
    block->bytes.resize(std::min(kBlockBytes, file_->size() - offset));
    done = file_->read(offset, block->bytes);
  } catch (const std::bad_alloc&) {
    done = Error{ErrorCode::kOutOfMemory, "out of memory", file_->name()};
  }
  const std::scoped_lock lock(mutex_);
  block->is_ready = true;
  if (!done && !failure_) failure_ = done.error();
  changed_.notify_all();
}

// `is_next`: the block before belongs to the same read.
Result<RangeCache::BlockPtr> RangeCache::find(uint64_t number, bool is_next) {
  std::unique_lock lock(mutex_);
  if (failure_) return *failure_;
  const auto found = blocks_.find(number);
  const bool is_new = found == blocks_.end();
  BlockPtr block = is_new ? add(number) : found->second;
  if (!is_new && !block->was_read) --unread_;
  block->was_read = true;
  block->last_use = ++uses_;
  const auto before = number > 0 ? blocks_.find(number - 1) : blocks_.end();
  if (is_next || before != blocks_.end()) read_ahead(number);
  if (is_new) {
    lock.unlock();
    load(block);
    lock.lock();
  }
  while (!block->is_ready && !failure_) {
    changed_.wait_for(lock, kWait);
    lock.unlock();
    file_->site()->poll();
    lock.lock();
  }
  if (failure_) return *failure_;
  return block;
}

// libtiff calls it from C, so nothing may throw.
Result<void> RangeCache::read(uint64_t offset, std::span<std::byte> out) try {
  if (offset > file_->size() || out.size() > file_->size() - offset) {
    return Error{ErrorCode::kBadData, "is truncated", file_->name()};
  }
  for (bool is_next = false; !out.empty(); is_next = true) {
    const uint64_t number = offset / kBlockBytes;
    const auto block = find(number, is_next);
    if (!block) return block.error();
    const uint64_t inside = offset - number * kBlockBytes;
    const auto count = static_cast<size_t>(std::min<uint64_t>(out.size(), (*block)->bytes.size() - inside));
    std::memcpy(out.data(), (*block)->bytes.data() + inside, count);
    out = out.subspan(count);
    offset += count;
  }
  return {};
} catch (const std::bad_alloc&) {
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = Error{ErrorCode::kOutOfMemory, "out of memory", ""};
  changed_.notify_all();
  return *failure_;
}

}  // namespace onepass::remote
