// source_file.cpp: rows of a file through the reader of its type (files/row_reader.hpp), which also serves whole
// images.
#include "files/row_reader.hpp"
#include "tiles/file_io.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {
namespace {

// Whether the values are those of PQ or HLG.
bool holds_hdr_signal(const files::PictureHeader& header) {
  constexpr uint8_t kPq = 16;  // transfer characteristics of ITU-T H.273
  constexpr uint8_t kHlg = 18;
  const auto& points = header.colors.code_points;
  return points && ((*points)[1] == kPq || (*points)[1] == kHlg);
}

class FileRows final : public RowSource {
 public:
  FileRows(const std::filesystem::path& path, InputHandle file) : file_(std::move(file)) { name_ = path.string(); }

  Result<void> open(WorkerPool& pool, uint64_t max_bytes, files::Color color) {
    constexpr uint64_t kStart = 4096;
    start_.resize(static_cast<size_t>(std::min(file_.size, kStart)));
    const files::Source source{.bytes = start_,
                               .name = name_,
                               .file = file_.handle.number(),
                               .file_size = file_.size,
                               .max_edge = kMaxEdge,
                               .ranges = file_.cache.get()};
    if (const int number = source.read_at(0, start_); number != 0) return source.unreadable(number);
    const auto run = [&pool, this](size_t count, const std::function<void(size_t)>& task) {
      pool.run(count, task, [this] {
        if (file_.remote) file_.remote->site()->poll();
      });
    };
    const files::RowOptions options{.max_bytes = max_bytes, .threads = pool.threads(), .run = run};
    auto reader = files::open_rows(source, options);
    if (!reader) return file_.cause_of(reader.error());
    if (color == files::Color::kAuto && holds_hdr_signal((*reader)->header())) {  // whose light exceeds integers
      reader->reset();
      reader = files::open_whole_rows(source, options);
      if (!reader) return file_.cause_of(reader.error());
    }
    // libtiff leaves out tags that it could not read.
    if (file_.cache && file_.cache->has_failed()) return file_.cache->failure();
    reader_ = std::move(*reader);
    header_ = reader_->header();
    if (header_.pixel_aspect_ratio != 1) {
      header_.warnings.push_back("its pixel aspect ratio is " + std::to_string(header_.pixel_aspect_ratio) +
                                 ", which is not passed on");
    }
    if (header_.linear) transfer_ = Transfer::kLinear;
    if (header_.decoded) file_.handle = {};  // the rows are in memory
    if (header_.decoded && !header_.linear) transfer_ = Transfer::kSrgb;
    return {};
  }

  [[nodiscard]] uint32_t block_rows() const override { return reader_->block_rows(); }
  [[nodiscard]] uint64_t memory_bytes() const override {
    return reader_->memory_bytes() + (file_.cache ? file_.cache->memory_bytes() : 0);
  }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    auto done = reader_->read(rows, out, stride);
    y_ += rows;
    if (done) return done;
    if (file_.cache && file_.cache->has_failed()) return file_.cache->failure();
    if (done.error().code != ErrorCode::kBadData) return done;
    return error(ErrorCode::kBadData, done.error().message + ", at row " + std::to_string(y_ - rows));
  }
  Result<void> skip(uint32_t rows) override {
    if (!reader_->skip(rows)) return RowSource::skip(rows);
    y_ += rows;
    return {};
  }
  void release_handles() override { reader_->release(); }

 private:
  InputHandle file_;
  std::vector<std::byte> start_;
  std::unique_ptr<files::RowReader> reader_;  // refers to name_, file_ and start_
  uint32_t y_ = 0;
};

}  // namespace

Result<SourcePtr> open_file_rows(const std::filesystem::path& path, InputHandle file, WorkerPool& pool,
                                 uint64_t max_bytes, files::Color color) {
  auto source = std::make_unique<FileRows>(path, std::move(file));
  if (auto opened = source->open(pool, max_bytes, color); !opened) return opened.error();
  return SourcePtr(std::move(source));
}

}  // namespace onepass::tiles
