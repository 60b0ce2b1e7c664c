// source_mosaic.cpp: files at positions of a table as one picture. A file is open while its rows pass.
//
//     +--------+             row of the picture       | file 0 | 0 and 1 | file 1 | fill |
//     | file 0 |------+      runs of one set of files
//     |     +--|-----+|      each is copied from its first file, averaged or filled
//     +-----|--+  1  |+
//           +--------+
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <system_error>

#include "image/error.hpp"
#include "image/small_float.hpp"
#include "tiles/grid_table.hpp"
#include "tiles/row_source.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

constexpr uint32_t kBatchRows = 32;  // that are decoded before they are put together

struct MosaicFile {
  PlacedFile place;
  Extent size;
  uint64_t memory = 0;  ///< Of its reader.
  SourcePtr source;     ///< While its rows pass.
  uint32_t next = 0;    ///< The row that `source` reads next.
  std::vector<std::byte> rows;
  [[nodiscard]] uint64_t right() const { return uint64_t{place.x} + size.width; }
  [[nodiscard]] uint64_t bottom() const { return uint64_t{place.y} + size.height; }
};

/// Pixels of a row, [begin, end), that the same files cover: indexes, in the order of the table.
struct Run {
  uint64_t begin = 0, end = 0;
  std::vector<size_t> files;
};

/// Rows [begin, end) that the same files cover.
struct Band {
  uint64_t begin = 0, end = 0;
  std::vector<size_t> files;  ///< In the order of the table.
};

/// The bands of a mosaic, from top to bottom.
class Bands {
 public:
  explicit Bands(const std::vector<MosaicFile>& files) : files_(files), order_(files.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return files[a].place.y < files[b].place.y; });
    for (const MosaicFile& file : files) {
      edges_.push_back(file.place.y);
      edges_.push_back(file.bottom());
    }
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    (void)next();
  }

  [[nodiscard]] const Band& band() const { return band_; }

  /// Goes to the next band; false behind the last one.
  [[nodiscard]] bool next() {
    if (edge_ + 1 >= edges_.size()) return false;
    band_.begin = edges_[edge_];
    band_.end = edges_[++edge_];
    std::erase_if(band_.files, [&](size_t f) { return files_[f].bottom() <= band_.begin; });
    while (begun_ < order_.size() && files_[order_[begun_]].place.y <= band_.begin) {
      const size_t file = order_[begun_++];
      band_.files.insert(std::upper_bound(band_.files.begin(), band_.files.end(), file), file);
    }
    return true;
  }

 private:
  const std::vector<MosaicFile>& files_;
  std::vector<size_t> order_;    // by y
  std::vector<uint64_t> edges_;  // of bands
  size_t edge_ = 0;
  size_t begun_ = 0;  // of order_
  Band band_;
};

class MosaicRows final : public RowSource {
 public:
  MosaicRows(const TileInput& input, WorkerPool& pool, files::Color color) : input_(input), pool_(pool), color_(color) {
    name_ = input.grid;
  }

  Result<void> open();
  [[nodiscard]] uint64_t memory_bytes() const override { return memory_; }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override;
  Result<void> skip(uint32_t rows) override {
    y_ += rows;
    return {};
  }

 private:
  Result<SourcePtr> open_file(const MosaicFile& file) const;
  Result<void> measure(MosaicFile& file, bool is_first);
  Result<void> set_fill();
  Result<void> check_bands();
  [[nodiscard]] std::vector<Run> runs_of(const std::vector<size_t>& files) const;
  Result<void> reopen(MosaicFile& file) const;
  Result<void> load(MosaicFile& file, uint32_t count) const;
  Result<void> load_all(const std::vector<size_t>& files, uint32_t count);
  [[nodiscard]] const std::byte* pixels_at(size_t file, uint64_t x, uint64_t y) const;
  void close_passed();
  void put(const Run& run, uint64_t y, std::byte* row) const;
  void average(const Run& run, uint64_t y, std::byte* out) const;

  TileInput input_;
  WorkerPool& pool_;
  files::Color color_;
  std::vector<MosaicFile> files_;
  std::optional<Bands> bands_;
  std::vector<std::byte> fill_;  // a pixel
  uint64_t memory_ = 0;
  uint64_t y_ = 0;
  uint64_t loaded_ = 0;  // the first row of the batch in MosaicFile::rows
};

Result<SourcePtr> MosaicRows::open_file(const MosaicFile& file) const {
  TileInput input = input_;
  input.path = file.place.path;
  input.grid.clear();
  std::error_code none;
  if (std::filesystem::is_directory(input.path, none)) {
    return Error{ErrorCode::kUnsupported, "is a directory; a mosaic is made of files", input.path.string()};
  }
  return open_source(input, pool_, color_);
}

/// Opens a file for its size and type.
Result<void> MosaicRows::measure(MosaicFile& file, bool is_first) {
  const auto source = open_file(file);
  if (!source) return source.error();
  const RowSource& s = **source;
  file.size = s.size();
  file.memory = s.memory_bytes() + uint64_t{kBatchRows} * s.row_bytes();
  if (is_first) {
    transfer_ = s.transfer();
    header_ = s.header();
    header_.geo.clear();  // they state the position of the first file alone
    return {};
  }
  const auto text = [](const PixelLayout& layout) {
    return text_of(layout.channels, " channel", layout.channels == 1 ? "" : "s", " of ", sample_name(layout.sample),
                   layout.has_alpha() ? " with alpha" : "");
  };
  if (!(s.layout() == header_.layout)) {
    return Error{
        ErrorCode::kBadData,
        text_of("has ", text(s.layout()), ", but ", files_.front().place.path.string(), " has ", text(header_.layout)),
        s.name()};
  }
  if (s.transfer() == transfer_) return {};
  return Error{ErrorCode::kBadData,
               "states another transfer curve than " + files_.front().place.path.string() + "; color decides for all",
               s.name()};
}

/// The bytes of a pixel of gaps.
Result<void> MosaicRows::set_fill() {
  if (!input_.grid_fill) return {};
  const double value = *input_.grid_fill;
  const auto put = [&]<typename T>(T number) {
    for (uint32_t c = 0; c < header_.layout.channels; ++c) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&number);
      fill_.insert(fill_.end(), bytes, bytes + sizeof(T));
    }
  };
  const auto put_integer = [&]<typename T>(T /*type*/) -> Result<void> {
    if (value == std::floor(value) && value >= double{std::numeric_limits<T>::min()} &&
        value <= double{std::numeric_limits<T>::max()}) {
      put(static_cast<T>(value));
      return {};
    }
    return Error{
        ErrorCode::kInvalidArgument,
        text_of("grid_fill: ", number_text(static_cast<float>(value)), " is no ", sample_name(header_.layout.sample)),
        ""};
  };
  switch (header_.layout.sample) {
    case Sample::kU8:
      return put_integer(uint8_t{});
    case Sample::kI8:
      return put_integer(int8_t{});
    case Sample::kU16:
      return put_integer(uint16_t{});
    case Sample::kI16:
      return put_integer(int16_t{});
    case Sample::kU32:
      return put_integer(uint32_t{});
    case Sample::kI32:
      return put_integer(int32_t{});
    case Sample::kF16:
      put(encode_half(static_cast<float>(value)));
      return {};
    case Sample::kF32:
      put(static_cast<float>(value));
      return {};
  }
  return {};
}

/// Divides a row into runs.
std::vector<Run> MosaicRows::runs_of(const std::vector<size_t>& files) const {
  struct Edge {
    uint64_t x;
    bool begins;
    size_t file;
  };
  std::vector<Edge> edges;
  for (const size_t f : files) {
    edges.push_back({files_[f].place.x, true, f});
    edges.push_back({files_[f].right(), false, f});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.x < b.x; });
  std::vector<Run> runs;
  std::set<size_t> covering;
  uint64_t x = 0;
  const auto run_up_to = [&](uint64_t end) {
    if (end > x) runs.push_back({x, end, {covering.begin(), covering.end()}});
    x = end;
  };
  for (const Edge& edge : edges) {
    run_up_to(edge.x);
    if (edge.begins) covering.insert(edge.file);
    if (!edge.begins) covering.erase(edge.file);
  }
  run_up_to(header_.size.width);
  return runs;
}

/// Finds gaps, and the memory of the band with the most.
Result<void> MosaicRows::check_bands() {
  Bands bands(files_);
  do {
    const Band& band = bands.band();
    uint64_t bytes = 0;
    for (const size_t f : band.files) bytes += files_[f].memory;
    memory_ = std::max(memory_, bytes);
    if (!fill_.empty()) continue;
    for (const Run& run : runs_of(band.files)) {
      if (!run.files.empty()) continue;
      return Error{
          ErrorCode::kBadData,
          text_of("no file covers pixel (", run.begin, ", ", band.begin, "); a value for gaps (fill) is not given"),
          name_};
    }
  } while (bands.next());
  bands_.emplace(files_);
  return {};
}

Result<void> MosaicRows::open() {
  auto table = read_grid_table(input_.grid);
  if (!table) return table.error();
  for (PlacedFile& place : *table) files_.push_back({.place = std::move(place)});
  uint64_t width = 0;
  uint64_t height = 0;
  for (MosaicFile& file : files_) {
    if (auto done = measure(file, &file == files_.data()); !done) return done;
    width = std::max(width, file.right());
    height = std::max(height, file.bottom());
  }
  if (std::max(width, height) > kMaxEdge) {
    return Error{ErrorCode::kUnsupported, "makes a picture of more than 2^31 - 1 columns or rows", name_};
  }
  header_.size = {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
  if (auto done = set_fill(); !done) return done;
  return check_bands();
}

/// Opens a file again whose rows begin to pass.
Result<void> MosaicRows::reopen(MosaicFile& file) const {
  if (file.source) return {};
  auto source = open_file(file);
  if (!source) return source.error();
  if (!((*source)->size() == file.size) || !((*source)->layout() == header_.layout)) {
    return Error{ErrorCode::kBadData, "has changed while it was read", file.place.path.string()};
  }
  file.source = std::move(*source);
  file.next = file.place.y;
  file.rows.resize(file.source->row_bytes() * kBatchRows);
  return {};
}

/// Reads the next `count` rows of the picture that the file has.
Result<void> MosaicRows::load(MosaicFile& file, uint32_t count) const {
  const auto first = static_cast<uint32_t>(y_);
  if (first > file.next) {  // rows that were left out
    if (auto done = file.source->skip(first - file.next); !done) return done;
  }
  auto done = file.source->read(count, file.rows.data(), file.source->row_bytes());
  file.next = first + count;
  file.source->release_handles();  // a handle per file and thread could be more than the process may open
  return done;
}

/// Reads the next `count` rows, which are in one band.
Result<void> MosaicRows::load_all(const std::vector<size_t>& files, uint32_t count) {
  for (const size_t f : files) {
    if (auto done = reopen(files_[f]); !done) return done;
  }
  // Files that decode several rows together may use the pool themselves: one after the other. Else one file per task.
  const bool nested =
      std::any_of(files.begin(), files.end(), [&](size_t f) { return files_[f].source->block_rows() > 1; });
  std::mutex mutex;
  std::optional<Error> failure;
  const auto load_one = [&](size_t i) {
    const auto done = load(files_[files[i]], count);
    const std::scoped_lock lock(mutex);
    if (!done && !failure) failure = done.error();
  };
  if (nested) {
    for (size_t i = 0; i < files.size() && !failure; ++i) load_one(i);
  } else {
    pool_.run(files.size(), load_one);
  }
  if (failure) return *failure;
  loaded_ = y_;
  return {};
}

const std::byte* MosaicRows::pixels_at(size_t file, uint64_t x, uint64_t y) const {
  const MosaicFile& f = files_[file];
  const size_t pixel = header_.layout.pixel_bytes();
  return f.rows.data() + (y - loaded_) * f.size.width * pixel + (x - f.place.x) * pixel;
}

template <typename T>
double number_of(T sample) {
  return static_cast<double>(sample);
}
template <typename T>
T sample_of(double number) {
  return static_cast<T>(number);
}
struct Half {
  uint16_t bits;
};
template <>
double number_of(Half sample) {
  return decode_half(sample.bits);
}
template <>
Half sample_of(double number) {
  return {encode_half(static_cast<float>(number))};
}

/// Means of the same samples of all rows: of integers rounded to nearest, of two equally near to the even one.
template <typename T>
void average_rows(const std::vector<const std::byte*>& rows, size_t count, std::byte* out) {
  for (size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (const std::byte* row : rows) {
      T sample;
      std::memcpy(&sample, row + i * sizeof(T), sizeof(T));
      sum += number_of(sample);
    }
    double mean = sum / static_cast<double>(rows.size());
    if constexpr (std::is_integral_v<T>) mean = std::nearbyint(mean);
    const T sample = sample_of<T>(mean);
    std::memcpy(out + i * sizeof(T), &sample, sizeof(T));
  }
}

void MosaicRows::average(const Run& run, uint64_t y, std::byte* out) const {
  std::vector<const std::byte*> rows;
  for (const size_t f : run.files) rows.push_back(pixels_at(f, run.begin, y));
  const size_t count = static_cast<size_t>(run.end - run.begin) * header_.layout.channels;
  switch (header_.layout.sample) {
    case Sample::kU8:
      return average_rows<uint8_t>(rows, count, out);
    case Sample::kI8:
      return average_rows<int8_t>(rows, count, out);
    case Sample::kU16:
      return average_rows<uint16_t>(rows, count, out);
    case Sample::kI16:
      return average_rows<int16_t>(rows, count, out);
    case Sample::kU32:
      return average_rows<uint32_t>(rows, count, out);
    case Sample::kI32:
      return average_rows<int32_t>(rows, count, out);
    case Sample::kF16:
      return average_rows<Half>(rows, count, out);
    case Sample::kF32:
      return average_rows<float>(rows, count, out);
  }
}

void MosaicRows::put(const Run& run, uint64_t y, std::byte* row) const {
  const size_t pixel = header_.layout.pixel_bytes();
  std::byte* const out = row + run.begin * pixel;
  if (run.files.empty()) {
    for (uint64_t x = run.begin; x < run.end; ++x) std::memcpy(row + x * pixel, fill_.data(), pixel);
  } else if (run.files.size() == 1 || input_.grid_overlap == GridOverlap::kFirst) {
    std::memcpy(out, pixels_at(run.files.front(), run.begin, y), (run.end - run.begin) * pixel);
  } else {
    average(run, y, out);
  }
}

/// Closes the files above the next row.
void MosaicRows::close_passed() {
  for (MosaicFile& file : files_) {
    if (!file.source || file.bottom() > y_) continue;
    file.source.reset();
    file.rows = {};
  }
}

Result<void> MosaicRows::read(uint32_t rows, std::byte* out, size_t stride) {
  for (const uint64_t end = y_ + rows; y_ < end;) {
    close_passed();
    while (bands_->band().end <= y_ && bands_->next()) {
    }
    const Band& band = bands_->band();
    const std::vector<Run> runs = runs_of(band.files);
    for (const uint64_t last = std::min(end, band.end); y_ < last;) {
      const auto count = static_cast<uint32_t>(std::min<uint64_t>(kBatchRows, last - y_));
      if (auto done = load_all(band.files, count); !done) return done;
      for (uint32_t i = 0; i < count; ++i, out += stride) {
        for (const Run& run : runs) put(run, y_ + i, out);
      }
      y_ += count;
    }
  }
  return {};
}

}  // namespace

Result<SourcePtr> open_mosaic_rows(const TileInput& input, WorkerPool& pool, files::Color color) {
  auto source = std::make_unique<MosaicRows>(input, pool, color);
  if (auto done = source->open(); !done) return done.error();
  return SourcePtr(std::move(source));
}

}  // namespace onepass::tiles
