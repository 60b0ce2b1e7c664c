// source_tiff.cpp: volumes of OME-TIFF, ImageJ's TIFF and TIFF files of many pages. Uncompressed rows are read as they
// are; other pages strip by strip or tile by tile, each by a handle of libtiff that no other task uses at that time.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "files/tiff_blocks.hpp"
#include "files/tiff_tags.hpp"
#include "remote/address.hpp"
#include "tiles/file_io.hpp"
#include "volume_files/flat_voxels.hpp"
#include "volume_files/sample_types.hpp"
#include "volume_files/tiff_stack.hpp"
#include "volume_files/volume_source.hpp"
#include "volume_files/zarr_codecs.hpp"

namespace onepass::volumes {
namespace {

constexpr uint64_t kMostBlockBytes = uint64_t{1} << 30;    // of a strip or tile, decoded
constexpr uint64_t kMostLibraryBytes = uint64_t{2} << 30;  // of one allocation of libtiff

class TiffVolume final : public VolumeSource {
 public:
  TiffVolume(const std::filesystem::path& path, tiles::WorkerPool& pool) : pool_(pool) { name_ = path.string(); }

  Result<void> open(tiles::InputHandle file);

  [[nodiscard]] uint64_t memory_bytes(VolumeSize /*box*/) const override {
    const uint64_t cache = file_.cache ? file_.cache->memory_bytes() : 0;
    if (stack_.all_flat) return cache;
    // A block as it is stored and decoded, and libtiff's tables.
    return cache +
           pool_.threads() * (3 * stack_.page.block_bytes() + 16 * stack_.page.block_count() + (uint64_t{1} << 20));
  }
  Result<void> read(uint32_t index, const VolumeBox& box, std::byte* out, size_t row_stride,
                    size_t plane_stride) override;

 private:
  // The blocks of a page that a box touches.
  struct Blocks {
    uint32_t first_row = 0, rows = 1, first_column = 0, columns = 1;
  };
  struct Target {
    VolumeBox box;
    std::byte* out = nullptr;
    size_t row_stride = 0, plane_stride = 0;
  };
  // What a task keeps.
  struct Worker {
    std::unique_ptr<files::TiffFile> file;
    std::vector<std::byte> decoded;
    std::vector<std::byte> row;
  };

  Result<void> check_blocks() const;
  Result<void> read_block(uint32_t index, uint32_t z, uint32_t row, uint32_t column, const Target& target,
                          Worker& worker);
  void put(uint32_t sample, uint32_t z, uint32_t row, uint32_t column, bool is_stored, const Target& target,
           Worker& worker) const;
  [[nodiscard]] const StackPage& page_of(uint32_t index, uint32_t z) const {
    return stack_.find(index / stack_.channels, index % stack_.channels, z);
  }
  Result<void> run(uint64_t count, const std::function<Result<void>(uint64_t, Worker&)>& task);
  Result<std::unique_ptr<files::TiffFile>> take_file();

  tiles::WorkerPool& pool_;
  tiles::InputHandle file_;
  std::vector<std::byte> start_;
  files::Source source_;  // refers to name_ and start_
  TiffStack stack_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<files::TiffFile>> idle_;
};

Result<void> TiffVolume::open(tiles::InputHandle file) {
  file_ = std::move(file);
  constexpr uint64_t kStart = 4096;
  start_.resize(std::min(file_.size, kStart));
  source_ = {.bytes = start_,
             .name = name_,
             .file = file_.handle.number(),
             .file_size = file_.size,
             .max_edge = 0x7FFFFFFF,
             .ranges = file_.cache.get()};
  if (const int number = source_.read_at(0, start_); number != 0) return source_.unreadable(number);
  if (auto fine = files::check_tiff_tags(source_); !fine) return fine;
  auto tiff = files::TiffFile::open(source_, kMostLibraryBytes);
  if (!tiff) return tiff.error();
  auto stack = read_tiff_stack(source_, **tiff);
  if (!stack) return stack.error();
  stack_ = std::move(*stack);
  idle_.push_back(std::move(*tiff));
  if (auto fine = check_blocks(); !fine) return fine;
  const files::TiffPage& page = stack_.page;
  header_.size = {page.size.width, page.size.height, stack_.planes};
  header_.type = voxel_type(page.sample);
  header_.set = {.times = stack_.times,
                 .channels = stack_.channels,
                 .has_time_axis = stack_.has_time_axis,
                 .has_channel_axis = stack_.has_channel_axis};
  header_.block = {page.tiled ? page.block_width : page.size.width, std::min(page.block_height, page.size.height), 1};
  if (stack_.all_flat) header_.block.height = 1;
  header_.metadata = stack_.metadata;
  std::filesystem::path stem = std::filesystem::path(file_.remote ? remote::decoded_name(name_) : name_).stem();
  if (stem.extension() == ".ome") stem = stem.stem();
  header_.metadata.name = stem.string();
  return {};
}

// A few stored bytes must not claim memory without bound.
Result<void> TiffVolume::check_blocks() const {
  constexpr uint64_t kBestRatio = 65536;  // of any compression
  const uint64_t block = stack_.page.block_bytes();
  if (stack_.all_flat) return {};
  if (block / kBestRatio <= source_.size()) {
    if (block <= kMostBlockBytes) return {};
    return source_.unsupported("TIFF: strips or tiles have " + std::to_string(block) + " bytes, more than 1 GiB");
  }
  return source_.bad("TIFF: a strip or tile of " + std::to_string(block) + " bytes cannot fit in " +
                     std::to_string(source_.size()) + " bytes: truncated or damaged");
}

Result<std::unique_ptr<files::TiffFile>> TiffVolume::take_file() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto file = std::move(idle_.back());
      idle_.pop_back();
      return file;
    }
  }
  return files::TiffFile::open(source_, kMostLibraryBytes);
}

// Copies what the box has of a decoded block. A block that is not stored is zero.
void TiffVolume::put(uint32_t sample, uint32_t z, uint32_t row, uint32_t column, bool is_stored, const Target& target,
                     Worker& worker) const {
  const files::TiffPage& page = stack_.page;
  const VolumeBox& box = target.box;
  const size_t voxel = voxel_info(header_.type).bytes;
  const uint32_t block_x = column * page.block_width;
  const uint32_t block_y = row * page.block_height;
  const uint32_t x0 = std::max(block_x, box.x);
  const uint32_t x1 = std::min<uint32_t>(std::min(block_x + page.block_width, page.size.width), box.x + box.size.width);
  const uint32_t y0 = std::max(block_y, box.y);
  const uint32_t y1 = std::min<uint32_t>(block_y + page.block_height, box.y + box.size.height);
  const uint32_t samples = page.block_samples();
  const size_t pixel = samples * voxel;
  for (uint32_t y = y0; y < y1; ++y) {
    std::byte* to =
        target.out + (z - box.z) * target.plane_stride + (y - box.y) * target.row_stride + (x0 - box.x) * voxel;
    if (!is_stored) {
      std::memset(to, 0, (x1 - x0) * voxel);
      continue;
    }
    const std::byte* from = worker.decoded.data() + (y - block_y) * page.block_row_bytes();
    if (!page.verbatim()) {
      worker.row.resize(size_t{page.block_width} * pixel);
      files::unpack_tiff_pixels(page, from, x1 - block_x, worker.row.data(), pixel, page.planes ? sample : 0);
      from = worker.row.data();
    }
    from += (x0 - block_x) * pixel + (page.planes ? 0 : sample * voxel);
    zarr::copy_elements(from, pixel, to, voxel, x1 - x0, voxel, false);
  }
}

Result<void> TiffVolume::read_block(uint32_t index, uint32_t z, uint32_t row, uint32_t column, const Target& target,
                                    Worker& worker) {
  if (!worker.file) {
    auto file = take_file();
    if (!file) return file.error();
    worker.file = std::move(*file);
  }
  const files::TiffPage& page = stack_.page;
  worker.file->messages().clear();
  if (!worker.file->select_at(page_of(index, z).directory)) return worker.file->failed();
  TIFF* tiff = worker.file->tiff();
  const uint32_t sample = index % stack_.channels % page.samples;
  const auto plane = static_cast<uint16_t>(page.planes ? sample : 0);
  const uint32_t y = row * page.block_height;
  const uint32_t number =
      page.tiled ? TIFFComputeTile(tiff, column * page.block_width, y, 0, plane) : TIFFComputeStrip(tiff, y, plane);
  const uint32_t rows = page.tiled ? page.block_height : std::min(page.block_height, page.size.height - y);
  const size_t bytes = page.block_row_bytes() * rows;
  const auto is_stored = files::decode_tiff_block(source_, *worker.file, page, number, bytes, worker.decoded);
  if (!is_stored) return is_stored.error();
  put(sample, z, row, column, *is_stored, target, worker);
  return {};
}

// Runs tasks on the pool. Of several errors, that of the first task.
Result<void> TiffVolume::run(uint64_t count, const std::function<Result<void>(uint64_t, Worker&)>& task) {
  std::atomic<uint64_t> next = 0;
  std::optional<Error> failure;
  uint64_t failed = UINT64_MAX;
  pool_.run(
      std::min<uint64_t>(count, pool_.threads()),
      [&](size_t) {
        Worker worker;
        Result<void> done;
        uint64_t number = next++;
        while (number < count && (done = task(number, worker))) number = next++;
        const std::scoped_lock lock(mutex_);
        if (!done && number < failed) {
          failure = done.error();
          failed = number;
        }
        if (worker.file) idle_.push_back(std::move(worker.file));
      },
      [this] {
        if (file_.remote) file_.remote->site()->poll();
      });
  if (failure) return file_.cause_of(*failure);
  return {};
}

Result<void> TiffVolume::read(uint32_t index, const VolumeBox& box, std::byte* out, size_t row_stride,
                              size_t plane_stride) {
  const Target target{box, out, row_stride, plane_stride};
  const files::TiffPage& page = stack_.page;
  const Blocks blocks{.first_row = box.y / page.block_height,
                      .rows = (box.y + box.size.height - 1) / page.block_height - box.y / page.block_height + 1,
                      .first_column = box.x / page.block_width,
                      .columns = (box.x + box.size.width - 1) / page.block_width - box.x / page.block_width + 1};
  const uint64_t per_plane = uint64_t{blocks.rows} * blocks.columns;
  return run(box.size.planes * per_plane, [&](uint64_t number, Worker& worker) -> Result<void> {
    const uint32_t z = box.z + static_cast<uint32_t>(number / per_plane);
    const auto inside = static_cast<uint32_t>(number % per_plane);
    if (const auto flat = page_of(index, z).flat) {
      if (inside > 0) return {};  // the first task reads all rows
      const VolumeBox plane{.x = box.x, .y = box.y, .z = 0, .size = {box.size.width, box.size.height, 1}};
      return read_flat_voxels(name_, file_, *flat, header_, stack_.swapped, plane, out + (z - box.z) * plane_stride,
                              row_stride, 0);
    }
    return read_block(index, z, blocks.first_row + inside / blocks.columns,
                      blocks.first_column + inside % blocks.columns, target, worker);
  });
}

}  // namespace

Result<VolumeSourcePtr> open_tiff_volume(const std::filesystem::path& path, tiles::InputHandle file,
                                         tiles::WorkerPool& pool) {
  auto source = std::make_unique<TiffVolume>(path, pool);
  const tiles::InputHandle kept{.size = file.size, .remote = file.remote, .cache = file.cache};
  if (auto done = source->open(std::move(file)); !done) return kept.cause_of(done.error());
  // libtiff leaves out tags that it could not read.
  if (kept.cache && kept.cache->has_failed()) return kept.cache->failure();
  return VolumeSourcePtr(std::move(source));
}

}  // namespace onepass::volumes
