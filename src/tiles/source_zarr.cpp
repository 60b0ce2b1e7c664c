// source_zarr.cpp: the base of an OME-Zarr picture by rows of chunks, which are decoded in parallel.
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>

#include "image/div_up.hpp"
#include "tiles/compress.hpp"
#include "tiles/decompress.hpp"
#include "tiles/file_io.hpp"
#include "tiles/row_source.hpp"
#include "tiles/text.hpp"
#include "tiles/zarr_array.hpp"

namespace onepass::tiles {
namespace {

using Axis = ZarrArray::Axis;

class ZarrRows final : public RowSource {
 public:
  ZarrRows(const std::filesystem::path& root, ZarrArray array, WorkerPool& pool)
      : array_(std::move(array)),
        pool_(pool),
        rows_(array_.dimension(Axis::kRow)),
        columns_(array_.dimension(Axis::kColumn)),
        channels_(array_.dimension(Axis::kChannel)) {
    name_ = root.string();
    header_ = array_.header;
    header_.size = {columns_.size, rows_.size};
    header_.colors.numbers = true;
    if (!header_.layout.colour) transfer_ = Transfer::kLinear;
  }

  [[nodiscard]] uint32_t block_rows() const override { return std::min(rows_.chunk, header_.size.height); }
  // Each thread holds a chunk as stored and as decoded; Blosc also needs up to three blocks of scratch memory.
  [[nodiscard]] uint64_t memory_bytes() const override {
    constexpr uint64_t kTooMuch = uint64_t{1} << 60;
    if (row_bytes() > kTooMuch / block_rows()) return kTooMuch;
    const uint64_t chunks = array_.codec == ZarrArray::Codec::kBlosc ? 5 : 2;
    return uint64_t{row_bytes()} * block_rows() + tasks() * chunks * array_.chunk_bytes();
  }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override;
  Result<void> skip(uint32_t rows) override {
    y_ += rows;
    return {};
  }

 private:
  [[nodiscard]] uint32_t chunks_across() const { return div_up(columns_.size, columns_.chunk); }
  [[nodiscard]] size_t chunks_of_row() const {
    return size_t{chunks_across()} * div_up(channels_.size, channels_.chunk);
  }
  [[nodiscard]] size_t tasks() const { return std::min<size_t>(chunks_of_row(), pool_.threads()); }
  Result<void> fill_buffer(uint32_t row_chunk);
  Result<bool> read_chunk(const std::filesystem::path& path, Bytes& stored, Bytes& chunk) const;
  void put(const Bytes& chunk, uint32_t channel_chunk, uint32_t row_chunk, uint32_t column_chunk);

  ZarrArray array_;
  WorkerPool& pool_;
  ZarrArray::Dimension rows_;
  ZarrArray::Dimension columns_;
  ZarrArray::Dimension channels_;
  uint32_t y_ = 0;                    // next row of read()
  std::optional<uint32_t> buffered_;  // row of chunks in buffer_
  Bytes buffer_;
};

// Decodes a chunk; false if it is not stored.
Result<bool> ZarrRows::read_chunk(const std::filesystem::path& path, Bytes& stored, Bytes& chunk) const {
  auto file = open_input(path);
  if (!file && file.error().code == ErrorCode::kNotFound) return false;
  if (!file) return file.error();
  chunk.resize(array_.chunk_bytes());
  const bool verbatim = array_.codec == ZarrArray::Codec::kNone;
  Bytes& target = verbatim ? chunk : stored;
  // No codec makes a chunk longer than by a thousandth and a header.
  const uint64_t most = verbatim ? chunk.size() : chunk.size() + chunk.size() / 100 + 4096;
  if (file->size > most || (verbatim && file->size != most)) {
    return Error{ErrorCode::kBadData, text_of("has ", file->size, " bytes, a chunk ", chunk.size()), path.string()};
  }
  target.resize(file->size);
  const int number = read_fully(file->handle.number(), target.data(), target.size(), 0);
  if (number < 0) return Error{ErrorCode::kBadData, "is truncated", path.string()};
  if (number > 0) return Error{ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(number), path.string()};
  bool fine = true;
  switch (array_.codec) {
    case ZarrArray::Codec::kNone:
      break;
    case ZarrArray::Codec::kZlib:
      fine = decompress_zlib(stored, chunk);
      break;
    case ZarrArray::Codec::kZstd:
      fine = decompress_zstd(stored, chunk);
      break;
    case ZarrArray::Codec::kBlosc:
#ifdef ONEPASS_HAS_BLOSC
      fine = decompress_blosc(stored, chunk);
#endif
      break;
  }
  if (!fine) {
    return Error{ErrorCode::kBadData, text_of("is damaged: it holds no chunk of ", chunk.size(), " bytes"),
                 path.string()};
  }
  return true;
}

template <typename T>
void copy_samples(const std::byte* from, size_t count, std::byte* to, size_t step, bool swap) {
  for (size_t i = 0; i < count; ++i, from += sizeof(T), to += step) {
    std::byte value[sizeof(T)];
    std::memcpy(value, from, sizeof(T));
    if (swap) std::reverse(value, value + sizeof(T));
    std::memcpy(to, value, sizeof(T));
  }
}

// Copies what the picture has of a chunk to its channels in buffer_. An empty chunk stands for the fill value.
void ZarrRows::put(const Bytes& chunk, uint32_t channel_chunk, uint32_t row_chunk, uint32_t column_chunk) {
  const size_t sample = sample_bytes(header_.layout.sample);
  const size_t pixel = header_.layout.pixel_bytes();
  const uint32_t channel = channel_chunk * channels_.chunk;
  const uint32_t x = column_chunk * columns_.chunk;
  const uint32_t width = std::min(columns_.chunk, columns_.size - x);
  const uint32_t height = std::min(rows_.chunk, rows_.size - row_chunk * rows_.chunk);
  const uint32_t channels = std::min(channels_.chunk, channels_.size - channel);
  for (uint32_t c = 0; c < channels; ++c) {
    for (uint32_t y = 0; y < height; ++y) {
      std::byte* to = buffer_.data() + y * row_bytes() + x * pixel + (channel + c) * sample;
      if (chunk.empty()) {
        for (uint32_t i = 0; i < width; ++i) std::memcpy(to + i * pixel, array_.fill.data(), sample);
        continue;
      }
      const std::byte* from = chunk.data() + (c * channels_.stride + y * rows_.stride) * sample;
      if (pixel == sample && !array_.swapped) {
        std::memcpy(to, from, width * sample);
      } else if (sample == 1) {
        copy_samples<uint8_t>(from, width, to, pixel, false);
      } else if (sample == 2) {
        copy_samples<uint16_t>(from, width, to, pixel, array_.swapped);
      } else {
        copy_samples<uint32_t>(from, width, to, pixel, array_.swapped);
      }
    }
  }
}

Result<void> ZarrRows::fill_buffer(uint32_t row_chunk) {
  buffer_.resize(row_bytes() * block_rows());
  const uint32_t across = chunks_across();
  const size_t chunks = chunks_of_row();
  const size_t tasks = this->tasks();
  std::mutex mutex;
  std::optional<Error> failure;
  pool_.run(tasks, [&](size_t task) {
    Bytes stored;
    Bytes chunk;
    for (size_t i = chunks * task / tasks; i < chunks * (task + 1) / tasks; ++i) {
      const auto column = static_cast<uint32_t>(i % across);
      const auto channel = static_cast<uint32_t>(i / across);
      const auto found = read_chunk(array_.chunk_path(channel, row_chunk, column), stored, chunk);
      if (!found) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = found.error();
        return;
      }
      if (!*found) chunk.clear();
      put(chunk, channel, row_chunk, column);
    }
  });
  if (failure) return *failure;
  buffered_ = row_chunk;
  return {};
}

Result<void> ZarrRows::read(uint32_t rows, std::byte* out, size_t stride) {
  for (; rows > 0; --rows, ++y_, out += stride) {
    const uint32_t row_chunk = y_ / rows_.chunk;
    if (buffered_ != row_chunk) {
      buffered_.reset();
      if (auto done = fill_buffer(row_chunk); !done) return done;
    }
    std::memcpy(out, buffer_.data() + (y_ - row_chunk * rows_.chunk) * row_bytes(), row_bytes());
  }
  return {};
}

}  // namespace

Result<SourcePtr> open_zarr_rows(const std::filesystem::path& root, WorkerPool& pool) {
  auto array = read_zarr_array(root);
  if (!array) return array.error();
  return SourcePtr(std::make_unique<ZarrRows>(root, std::move(*array), pool));
}

}  // namespace onepass::tiles
