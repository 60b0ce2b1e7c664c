// source_zarr.cpp: the base of an OME-Zarr picture by rows of blocks, which are decoded in parallel.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>

#include "tiles/row_source.hpp"
#include "tiles/text.hpp"
#include "volume_files/ome_metadata.hpp"
#include "volume_files/zarr_array.hpp"

namespace onepass::tiles {
namespace {

using zarr::OmeAxis;
using zarr::OmeImage;
using Kind = OmeAxis::Kind;

constexpr uint32_t kMostChannels = 4096;

std::optional<Sample> sample_of(VoxelType type) {
  switch (type) {
    case VoxelType::kUint8:
      return Sample::kU8;
    case VoxelType::kInt8:
      return Sample::kI8;
    case VoxelType::kUint16:
      return Sample::kU16;
    case VoxelType::kInt16:
      return Sample::kI16;
    case VoxelType::kUint32:
      return Sample::kU32;
    case VoxelType::kInt32:
      return Sample::kI32;
    case VoxelType::kFloat16:
      return Sample::kF16;
    case VoxelType::kFloat32:
      return Sample::kF32;
    case VoxelType::kUint64:
      break;
  }
  return std::nullopt;
}

// Names of channels; colours, if they are named red, green, blue and, as a fourth one, alpha.
void take_channels(const OmeImage& image, PictureHeader& header) {
  const std::vector<std::string>& names = image.channel_names;
  if (names.size() != header.layout.channels) return;
  const auto is_named = [&](size_t number, std::string_view wanted) {
    return std::equal(wanted.begin(), wanted.end(), names[number].begin(), names[number].end(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  };
  const bool three = names.size() >= 3 && is_named(0, "red") && is_named(1, "green") && is_named(2, "blue");
  header.layout.colour = three && (names.size() == 3 || (names.size() == 4 && is_named(3, "alpha")));
  if (header.layout.colour && names.size() == 4) header.layout.alpha = AlphaAssociation::kStraight;
  header.channel_names = names;
}

class ZarrRows final : public RowSource {
 public:
  ZarrRows(const std::filesystem::path& root, const OmeImage& image, WorkerPool& pool)
      : array_(image.array, pool), row_(image.axes.size() - 2), column_(image.axes.size() - 1) {
    name_ = root.string();
    header_.colors.numbers = true;
  }

  Result<void> open(const OmeImage& image);

  [[nodiscard]] uint32_t block_rows() const override {
    return std::min(array_.metadata().dimensions[row_].block, header_.size.height);
  }
  [[nodiscard]] uint64_t memory_bytes() const override {
    constexpr uint64_t kTooMuch = uint64_t{1} << 60;
    if (row_bytes() > kTooMuch / block_rows()) return kTooMuch;
    return uint64_t{row_bytes()} * block_rows() + array_.memory_bytes(box(0, block_rows()));
  }
  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override;
  Result<void> skip(uint32_t rows) override {
    y_ += rows;
    return {};
  }

 private:
  Result<void> check_axes(const OmeImage& image);
  // Whole rows with all channels.
  [[nodiscard]] zarr::ArrayBox box(uint32_t y, uint32_t rows) const;
  Result<void> read_rows(uint32_t y, uint32_t rows, std::byte* out, size_t stride);

  zarr::ZarrArray array_;
  size_t row_;  // dimensions of the array
  size_t column_;
  std::optional<size_t> channel_;
  uint32_t y_ = 0;                    // next row of read()
  std::optional<uint32_t> buffered_;  // first row in buffer_
  std::vector<std::byte> buffer_;
};

// Planes of y and x, and at most one axis of channels; all other axes have one element.
Result<void> ZarrRows::check_axes(const OmeImage& image) {
  const auto refused = [&](const std::string& text) { return zarr::unsupported(image.array.file, text); };
  const std::string names = "axes are " + image.axis_names();
  const OmeAxis& row = image.axes[row_];
  const OmeAxis& column = image.axes[column_];
  const auto is_plane = [](const OmeAxis& axis) { return axis.kind == Kind::kSpace || axis.kind == Kind::kOther; };
  if (!is_plane(row) || !is_plane(column) || row.name == "x" || column.name == "y") {
    return refused(names + "; pictures whose last axes are y and x are read");
  }
  for (size_t i = 0; i < row_; ++i) {
    const uint32_t size = image.array.dimensions[i].size;
    if (image.axes[i].kind == Kind::kChannel) {
      if (channel_) return refused(names + ", two of them of channels");
      if (size > kMostChannels) return refused(text_of("has ", size, " channels, more than ", kMostChannels));
      channel_ = i;
    } else if (size != 1) {
      return refused(text_of("axis ", image.axes[i].name, " has ", size,
                             " elements; tiles are made of one plane, with channels, and onepass volume takes stacks"));
    }
  }
  return {};
}

Result<void> ZarrRows::open(const OmeImage& image) {
  if (auto done = check_axes(image); !done) return done;
  const auto sample = sample_of(image.array.type);
  const std::string type(voxel_info(image.array.type).name);
  if (!sample)
    return zarr::unsupported(image.array.file, "elements are " + type + "; pictures of up to 32 bits are read");
  header_.layout.sample = *sample;
  header_.size = {image.array.dimensions[column_].size, image.array.dimensions[row_].size};
  if (header_.size.width > kMaxEdge || header_.size.height > kMaxEdge) {
    return zarr::unsupported(image.array.file, "has more than 2^31 - 1 columns or rows");
  }
  header_.layout.channels = channel_ ? image.array.dimensions[*channel_].size : 1;
  take_channels(image, header_);
  const auto pixel_size = [&](const OmeAxis& axis) {
    const auto unit = zarr::micrometres(axis.unit);
    return unit ? std::optional(axis.scale * *unit) : std::nullopt;
  };
  header_.pixel_width_um = pixel_size(image.axes[column_]);
  header_.pixel_height_um = pixel_size(image.axes[row_]);
  if (!array_.has_chunks()) {
    header_.warnings.push_back(image.array.folder.string() + " holds no chunk: all texels have its fill_value");
  }
  if (!header_.layout.colour) transfer_ = Transfer::kLinear;
  return {};
}

zarr::ArrayBox ZarrRows::box(uint32_t y, uint32_t rows) const {
  zarr::ArrayBox box;
  box.size.fill(1);
  box.first[row_] = y;
  box.size[row_] = rows;
  box.size[column_] = header_.size.width;
  if (channel_) box.size[*channel_] = header_.layout.channels;
  return box;
}

Result<void> ZarrRows::read_rows(uint32_t y, uint32_t rows, std::byte* out, size_t stride) {
  zarr::Strides strides{};
  strides[row_] = stride;
  strides[column_] = header_.layout.pixel_bytes();
  if (channel_) strides[*channel_] = sample_bytes(header_.layout.sample);
  return array_.read(box(y, rows), out, strides);
}

Result<void> ZarrRows::read(uint32_t rows, std::byte* out, size_t stride) {
  const uint32_t block = block_rows();
  while (rows > 0) {
    const uint32_t first = y_ - y_ % block;
    const uint32_t rows_of_block = std::min(block, header_.size.height - first);
    const uint32_t count = std::min(rows, rows_of_block - (y_ - first));
    if (count == rows_of_block) {  // without the buffer
      if (auto done = read_rows(first, count, out, stride); !done) return done;
    } else {
      if (buffered_ != first) {
        buffered_.reset();
        buffer_.resize(row_bytes() * block);
        if (auto done = read_rows(first, rows_of_block, buffer_.data(), row_bytes()); !done) return done;
        buffered_ = first;
      }
      for (uint32_t i = 0; i < count; ++i) {
        std::memcpy(out + i * stride, buffer_.data() + (y_ - first + i) * row_bytes(), row_bytes());
      }
    }
    y_ += count;
    rows -= count;
    out += count * stride;
  }
  return {};
}

}  // namespace

Result<SourcePtr> open_zarr_rows(const std::filesystem::path& root, WorkerPool& pool, const remote::SitePtr& site) {
  const auto image = zarr::read_ome_image(root, site);
  if (!image) return image.error();
  if (image->axes.size() < 2) return zarr::unsupported(image->array.file, "has one dimension; pictures have two");
  auto source = std::make_unique<ZarrRows>(root, *image, pool);
  if (auto done = source->open(*image); !done) return done.error();
  return SourcePtr(std::move(source));
}

}  // namespace onepass::tiles
