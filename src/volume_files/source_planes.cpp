// source_planes.cpp: a volume whose planes are pictures in numbered files, each read by the row reader of its type.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>

#include "files/row_reader.hpp"
#include "tiles/file_io.hpp"
#include "tiles/text.hpp"
#include "volume_files/sample_types.hpp"
#include "volume_files/volume_source.hpp"

namespace onepass::volumes {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostPlaneBytes = uint64_t{8} << 30;  // that a row reader may need

/// A file that is read by rows.
class PlaneFile {
 public:
  static Result<std::unique_ptr<PlaneFile>> open(const fs::path& path) {
    auto file = tiles::open_input(path);
    if (!file) return file.error();
    std::unique_ptr<PlaneFile> plane(new PlaneFile(path, std::move(*file)));
    constexpr uint64_t kStart = 4096;  // bytes that tell the type
    plane->start_.resize(std::min(plane->file_.size, kStart));
    const files::Source source{.bytes = plane->start_,
                               .name = plane->name_,
                               .file = plane->file_.handle.number(),
                               .file_size = plane->file_.size,
                               .max_edge = 0x7FFFFFFF};
    if (const int number = source.read_at(0, plane->start_); number != 0) return source.unreadable(number);
    auto rows = files::open_rows(source, {.max_bytes = kMostPlaneBytes, .threads = 1});
    if (!rows) return rows.error();
    plane->rows_ = std::move(*rows);
    if (const auto& layout = plane->rows_->header().layout; layout.channels != 1) {
      return Error{ErrorCode::kUnsupported,
                   tiles::text_of("has ", layout.channels, " channels; planes of one are read"), path.string()};
    }
    return plane;
  }

  [[nodiscard]] files::RowReader& rows() { return *rows_; }

 private:
  PlaneFile(const fs::path& path, tiles::InputHandle file) : name_(path.string()), file_(std::move(file)) {}

  std::string name_;
  tiles::InputHandle file_;
  std::vector<std::byte> start_;
  std::unique_ptr<files::RowReader> rows_;  // refers to the others
};

/// The files of a pattern by their numbers. Errors: kInvalidArgument, kNotFound.
Result<std::map<uint64_t, fs::path>> find_planes(const std::string& pattern) {
  constexpr std::string_view kNumber = "{z}";
  const fs::path path(pattern);
  const std::string name = path.filename().string();
  const size_t at = name.find(kNumber);
  if (at == std::string::npos || pattern.find(kNumber) != pattern.rfind(kNumber)) {
    return Error{ErrorCode::kInvalidArgument, "planes: '" + pattern + "' has not one {z} in the name of the file", ""};
  }
  const std::string_view before = std::string_view(name).substr(0, at);
  const std::string_view behind = std::string_view(name).substr(at + kNumber.size());
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::map<uint64_t, fs::path> planes;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string found = entry->path().filename().string();
    if (found.size() <= before.size() + behind.size() || !found.starts_with(before) || !found.ends_with(behind))
      continue;
    const char* first = found.data() + before.size();
    const char* last = found.data() + found.size() - behind.size();
    uint64_t number = 0;
    if (const auto [stop, code] = std::from_chars(first, last, number); code != std::errc() || stop != last) continue;
    const auto [other, is_new] = planes.emplace(number, folder / found);
    if (!is_new) {
      return Error{ErrorCode::kBadData, "has the number of " + other->second.string(), (folder / found).string()};
    }
  }
  if (error) return Error{ErrorCode::kNotFound, "cannot list the directory: " + error.message(), folder.string()};
  if (planes.empty()) return Error{ErrorCode::kNotFound, "no file has such a name", pattern};
  return planes;
}

class PlaneFiles final : public VolumeSource {
 public:
  PlaneFiles(const std::string& pattern, tiles::WorkerPool& pool) : pool_(pool) { name_ = pattern; }

  Result<void> open();

  [[nodiscard]] uint64_t memory_bytes(VolumeSize box) const override {
    return std::min<uint64_t>(box.planes, pool_.threads()) * (reader_bytes_ + row_bytes());
  }
  Result<void> read(uint32_t index, const VolumeBox& box, std::byte* out, size_t row_stride,
                    size_t plane_stride) override;

 private:
  [[nodiscard]] size_t row_bytes() const { return size_t{header_.size.width} * voxel_info(header_.type).bytes; }
  Result<void> check(const fs::path& path, const files::PictureHeader& picture) const;
  Result<void> read_plane(const fs::path& path, const VolumeBox& box, std::byte* out, size_t row_stride) const;

  tiles::WorkerPool& pool_;
  std::vector<fs::path> planes_;
  uint64_t reader_bytes_ = 0;  // of the row reader of a plane
};

Result<void> PlaneFiles::check(const fs::path& path, const files::PictureHeader& picture) const {
  const VolumeSize& size = header_.size;
  if (picture.size.width == size.width && picture.size.height == size.height &&
      voxel_type(picture.layout.sample) == header_.type) {
    return {};
  }
  return Error{ErrorCode::kBadData,
               tiles::text_of("is ", picture.size.width, "x", picture.size.height, " of ",
                              files::sample_name(picture.layout.sample), ", but ", planes_.front().string(), " is ",
                              size.width, "x", size.height, " of ", voxel_info(header_.type).name),
               path.string()};
}

Result<void> PlaneFiles::open() {
  auto planes = find_planes(name_);
  if (!planes) return planes.error();
  uint64_t expected = planes->begin()->first;
  for (auto& [number, path] : *planes) {
    if (number != expected) {
      return Error{ErrorCode::kNotFound, tiles::text_of("there is no file of number ", expected), name_};
    }
    planes_.push_back(std::move(path));
    ++expected;
  }
  for (const fs::path& path : planes_) {
    const auto file = PlaneFile::open(path);
    if (!file) return file.error();
    const files::PictureHeader& picture = (*file)->rows().header();
    if (header_.size.planes == 0) {
      header_.size = {picture.size.width, picture.size.height, static_cast<uint32_t>(planes_.size())};
      header_.type = voxel_type(picture.layout.sample);
    }
    reader_bytes_ = std::max(reader_bytes_, (*file)->rows().memory_bytes());
    if (auto fine = check(path, picture); !fine) return fine;
  }
  header_.block = {header_.size.width, header_.size.height, 1};  // rows are decoded from the first one on
  return {};
}

Result<void> PlaneFiles::read_plane(const fs::path& path, const VolumeBox& box, std::byte* out,
                                    size_t row_stride) const {
  auto file = PlaneFile::open(path);
  if (!file) return file.error();
  files::RowReader& rows = (*file)->rows();
  if (auto fine = check(path, rows.header()); !fine) return fine;  // the file may have changed
  std::vector<std::byte> row(row_bytes());
  if (box.y > 0 && !rows.skip(box.y)) {
    for (uint32_t y = 0; y < box.y; ++y) {
      if (auto done = rows.read(1, row.data(), row.size()); !done) return done;
    }
  }
  if (box.size.width == header_.size.width) return rows.read(box.size.height, out, row_stride);
  const size_t voxel = voxel_info(header_.type).bytes;
  for (uint32_t y = 0; y < box.size.height; ++y, out += row_stride) {
    if (auto done = rows.read(1, row.data(), row.size()); !done) return done;
    std::memcpy(out, row.data() + box.x * voxel, box.size.width * voxel);
  }
  return {};
}

Result<void> PlaneFiles::read(uint32_t /*index*/, const VolumeBox& box, std::byte* out, size_t row_stride,
                              size_t plane_stride) {
  std::mutex mutex;
  std::optional<Error> failure;
  size_t failed = SIZE_MAX;
  pool_.run(box.size.planes, [&](size_t plane) {
    const auto done = read_plane(planes_[box.z + plane], box, out + plane * plane_stride, row_stride);
    if (done) return;
    const std::scoped_lock lock(mutex);
    if (plane < failed) failure = done.error();
    failed = std::min(failed, plane);
  });
  if (failure) return *failure;
  return {};
}

}  // namespace

Result<VolumeSourcePtr> open_plane_files(const std::string& pattern, tiles::WorkerPool& pool) {
  auto source = std::make_unique<PlaneFiles>(pattern, pool);
  if (auto done = source->open(); !done) return done.error();
  return VolumeSourcePtr(std::move(source));
}

}  // namespace onepass::volumes
