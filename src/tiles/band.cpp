// band.cpp: copies rows to the bands of a level; memory of bands is reused.
#include "tiles/band.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cpu/large_pages.hpp"

namespace onepass::tiles {
namespace {

constexpr std::align_val_t kLargePage{size_t{2} << 20};
constexpr size_t kMostUnused = 2;  // at most two bands of the finest level wait for encoders while another one fills

// The range of texels of tile `i` along one axis: first and number.
std::pair<uint32_t, uint32_t> span_of(uint32_t i, uint32_t tile_size, uint32_t overlap, uint32_t size) {
  const uint64_t start = uint64_t{i} * tile_size;
  const uint64_t first = i == 0 ? 0 : start - overlap;
  const uint64_t end = std::min<uint64_t>(start + tile_size + overlap, size);
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(end - first)};
}

}  // namespace

BandMemory::Block BandMemory::take(const std::shared_ptr<BandMemory>& memory) {
  const std::scoped_lock lock(memory->mutex_);
  auto& unused = memory->unused_;
  std::byte* block = nullptr;
  if (!unused.empty()) {
    block = unused.back().release();
    unused.pop_back();
  } else {
    unused.reserve(kMostUnused);  // so that give_back() does not allocate
    block = static_cast<std::byte*>(::operator new(memory->bytes_, kLargePage));
    if (memory->bytes_ >= static_cast<size_t>(kLargePage)) cpu::advise_large_pages(block, memory->bytes_);
  }
  return {block, Give{memory}};
}

void BandMemory::give_back(std::byte* block) {
  std::unique_ptr<std::byte, Free> back(block);
  const std::scoped_lock lock(mutex_);
  if (unused_.size() < kMostUnused) unused_.push_back(std::move(back));
}

void BandMemory::Free::operator()(std::byte* block) const { ::operator delete(block, kLargePage); }

Rect TileGrid::tile(uint32_t column, uint32_t row) const {
  const auto [x, width] = span_of(column, tile_size, overlap, size.width);
  const auto [y, height] = span_of(row, tile_size, overlap, size.height);
  return {x, y, width, height};
}

BandBuilder::BandBuilder(uint32_t level, const TileGrid& grid, size_t pixel_bytes, RowRange tiles, RowRange texels)
    : level_(level), grid_(grid), pixel_bytes_(pixel_bytes), tiles_(tiles), texels_(texels), y_(texels.begin) {}

uint64_t BandBuilder::band_bytes() const {
  const uint64_t first = grid_.tile(0, tiles_.begin).y;
  const Rect last = grid_.tile(0, tiles_.end - 1);
  const uint64_t above = first - texels_.begin;
  const uint64_t below = texels_.end - (last.y + last.height);
  const uint64_t unused = tiles_.count() == 1 ? above + below : std::max(above, below);
  const uint64_t rows = std::min<uint64_t>(uint64_t{grid_.tile_size} + 2 * grid_.overlap + unused, texels_.count());
  return rows * grid_.size.width * pixel_bytes_;
}

BandPtr BandBuilder::start(uint32_t row) {
  auto band = std::make_shared<Band>();
  const Rect rect = grid_.tile(0, row);
  band->level = level_;
  band->row = row;
  band->first_y = row == tiles_.begin ? texels_.begin : rect.y;
  band->rows = (row + 1 == tiles_.end ? texels_.end : rect.y + rect.height) - band->first_y;
  band->stride = grid_.size.width * pixel_bytes_;
  if (!memory_) memory_ = std::make_shared<BandMemory>(band_bytes());
  band->pixels = BandMemory::take(memory_);
  return band;
}

BandBuilder::Space BandBuilder::space() {
  if (!band_) band_ = start(tiles_.begin);
  return {band_->at(y_), band_->stride, band_->first_y + band_->rows - y_};
}

std::vector<BandPtr> BandBuilder::advance(uint32_t rows) {
  std::vector<BandPtr> complete;
  y_ += rows;
  while (band_ && y_ == band_->first_y + band_->rows) {
    BandPtr next;
    if (band_->row + 1 < tiles_.end) {
      next = start(band_->row + 1);
      // Rows that both bands have.
      const uint32_t shared = y_ - next->first_y;
      std::memcpy(next->pixels.get(), band_->at(next->first_y), shared * next->stride);
    }
    complete.push_back(std::move(band_));
    band_ = std::move(next);
  }
  return complete;
}

}  // namespace onepass::tiles
