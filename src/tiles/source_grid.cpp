// source_grid.cpp: a grid of files as one picture. The files of one row of the grid are open at a time.
//
//     tile_0_0.png  tile_1_0.png  tile_2_0.png     one height per row of the grid
//     tile_0_1.png  tile_1_1.png  tile_2_1.png     one width per column
#include <algorithm>
#include <mutex>
#include <optional>
#include <system_error>

#include "tiles/row_source.hpp"

namespace onepass::tiles {

std::string grid_name(const std::string& pattern, uint32_t x, uint32_t y) {
  std::string name = pattern;
  for (const auto& [word, number] : {std::pair{"{x}", x}, std::pair{"{y}", y}}) {
    for (size_t at = 0; (at = name.find(word, at)) != std::string::npos;) name.replace(at, 3, std::to_string(number));
  }
  return name;
}

namespace {

class GridRows final : public RowSource {
 public:
  GridRows(const TileInput& input, WorkerPool& pool, files::Color color) : input_(input), pool_(pool), color_(color) {
    name_ = input.grid;
  }

  Result<void> open();
  [[nodiscard]] uint64_t memory_bytes() const override {
    uint64_t sum = 0;
    for (const SourcePtr& file : row_) sum += file->memory_bytes();
    return sum;
  }
  [[nodiscard]] uint32_t block_rows() const override { return row_.front()->block_rows(); }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override;
  Result<void> skip(uint32_t rows) override;

 private:
  Result<SourcePtr> open_file(uint32_t x, uint32_t y);
  Result<void> open_row(uint32_t y);

  TileInput input_;
  WorkerPool& pool_;
  files::Color color_;
  uint32_t columns_ = 0;
  std::vector<uint32_t> heights_;  // of the rows of the grid
  std::vector<uint32_t> widths_;   // of its columns
  uint32_t grid_y_ = 0;
  uint32_t left_ = 0;  // rows of pixels that the open files still hold
  std::vector<SourcePtr> row_;
};

Result<SourcePtr> GridRows::open_file(uint32_t x, uint32_t y) {
  TileInput file = input_;
  file.path = grid_name(input_.grid, x, y);
  file.grid.clear();
  std::error_code none;
  if (std::filesystem::is_directory(file.path, none)) {
    return Error{ErrorCode::kUnsupported, "is a directory; a grid is made of files", file.path.string()};
  }
  return open_source(file, pool_, color_);
}

Result<void> GridRows::open_row(uint32_t y) {
  row_.clear();
  for (uint32_t x = 0; x < columns_; ++x) {
    auto file = open_file(x, y);
    if (!file) return file.error();
    const auto differs = [&](const std::string& what) { return Error{ErrorCode::kBadData, what, (*file)->name()}; };
    if (x < widths_.size() && (*file)->size().width != widths_[x]) {
      return differs("is " + std::to_string((*file)->size().width) + " pixels wide, but column " + std::to_string(x) +
                     " of the grid is " + std::to_string(widths_[x]));
    }
    const uint32_t height = y < heights_.size() ? heights_[y]
                            : row_.empty()      ? (*file)->size().height
                                                : row_.front()->size().height;
    if ((*file)->size().height != height) {
      return differs("is " + std::to_string((*file)->size().height) + " pixels high, but row " + std::to_string(y) +
                     " of the grid is " + std::to_string(height));
    }
    if (x + y > 0 && !((*file)->layout() == header_.layout)) {
      return differs("has " + std::to_string((*file)->layout().channels) + " channels of " +
                     std::string(sample_name((*file)->layout().sample)) + ", but the first file has " +
                     std::to_string(header_.layout.channels) + " of " +
                     std::string(sample_name(header_.layout.sample)));
    }
    if (x + y == 0) {
      transfer_ = (*file)->transfer();
      const Extent whole = header_.size;
      header_ = (*file)->header();
      header_.size = whole;
      header_.geo.clear();  // they state the position of the first file alone
    }
    row_.push_back(std::move(*file));
  }
  left_ = row_.front()->size().height;
  return {};
}

Result<void> GridRows::open() {
  const auto usage = [&](const std::string& text) { return Error{ErrorCode::kInvalidArgument, "grid: " + text, ""}; };
  if (name_.find("{x}") == std::string::npos || name_.find("{y}") == std::string::npos) {
    return usage("'" + name_ + "' does not contain {x} and {y}");
  }
  const auto exists = [&](uint32_t x, uint32_t y) {
    std::error_code none;
    return std::filesystem::exists(grid_name(name_, x, y), none);
  };
  constexpr uint32_t kMostFiles = 1U << 20;
  while (columns_ < kMostFiles && exists(columns_, 0)) ++columns_;
  uint32_t lines = 0;
  while (lines < kMostFiles && exists(0, lines)) ++lines;
  if (columns_ == 0 || lines == 0) {
    return Error{ErrorCode::kNotFound, "no such file, the first of the grid " + name_, grid_name(name_, 0, 0)};
  }
  for (uint32_t y = 0; y < lines; ++y) {
    for (uint32_t x = 0; x < columns_; ++x) {
      if (!exists(x, y)) {
        return Error{ErrorCode::kNotFound,
                     "no such file in the grid of " + std::to_string(columns_) + "x" + std::to_string(lines) + " files",
                     grid_name(name_, x, y)};
      }
    }
  }
  // Files of the first column tell the heights, those of the first row the widths.
  uint64_t height = 0;
  for (uint32_t y = 0; y < lines; ++y) {
    auto file = open_file(0, y);
    if (!file) return file.error();
    heights_.push_back((*file)->size().height);
    height += heights_.back();
  }
  if (auto done = open_row(0); !done) return done;
  uint64_t width = 0;
  for (const SourcePtr& file : row_) {
    widths_.push_back(file->size().width);
    width += widths_.back();
  }
  if (width > kMaxEdge || height > kMaxEdge) return usage("the picture has more than 2^31 - 1 columns or rows");
  header_.size = {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
  return {};
}

// Files of rows of the grid that are left out are not opened.
Result<void> GridRows::skip(uint32_t rows) {
  if (rows >= left_) {
    rows -= left_;
    left_ = 0;
    while (rows > 0 && rows >= heights_[grid_y_ + 1]) rows -= heights_[++grid_y_];
    if (rows == 0) return {};
    if (auto done = open_row(++grid_y_); !done) return done;
  }
  for (const SourcePtr& file : row_) {
    if (auto done = file->skip(rows); !done) return done;
  }
  left_ -= rows;
  return {};
}

Result<void> GridRows::read(uint32_t rows, std::byte* out, size_t stride) {
  while (rows > 0) {
    if (left_ == 0) {
      if (auto done = open_row(++grid_y_); !done) return done;
    }
    const uint32_t count = std::min(rows, left_);
    std::vector<size_t> offsets;
    size_t offset = 0;
    for (const uint32_t width : widths_) {
      offsets.push_back(offset);
      offset += width * header_.layout.pixel_bytes();
    }
    // Files that decode several rows together may use the pool themselves: one after the other. Else one file per task.
    const bool nested =
        std::any_of(row_.begin(), row_.end(), [](const SourcePtr& file) { return file->block_rows() > 1; });
    std::mutex mutex;
    std::optional<Error> failure;
    const auto read_one = [&](size_t x) {
      const auto done = row_[x]->read(count, out + offsets[x], stride);
      row_[x]->release_handles();  // a handle per file and thread could be more than the process may open
      const std::scoped_lock lock(mutex);
      if (!done && !failure) failure = done.error();
    };
    if (nested) {
      for (size_t x = 0; x < row_.size() && !failure; ++x) read_one(x);
    } else {
      pool_.run(row_.size(), read_one);
    }
    if (failure) return *failure;
    out += count * stride;
    rows -= count;
    left_ -= count;
  }
  return {};
}

}  // namespace

Result<SourcePtr> open_grid_rows(const TileInput& input, WorkerPool& pool, files::Color color) {
  auto source = std::make_unique<GridRows>(input, pool, color);
  if (auto done = source->open(); !done) return done.error();
  return SourcePtr(std::move(source));
}

}  // namespace onepass::tiles
