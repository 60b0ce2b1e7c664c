// source_exr.cpp: OpenEXR by rows, scanlines or tiles. Channels R, G, B and A, or Y, or all channels in the order of
// the file (by name). Values are half only if all channels are half.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfTestFile.h>
#include <OpenEXR/ImfTileDescriptionAttribute.h>

#include <algorithm>
#include <exception>

#include "files/readers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {
namespace {

std::vector<std::string> chosen_channels(const Imf::ChannelList& list, PixelLayout& layout) {
  const auto has = [&](const char* name) { return list.findChannel(name) != nullptr; };
  if (has("R") && has("G") && has("B")) {
    layout.colour = true;
    if (!has("A")) return {"R", "G", "B"};
    layout.alpha = AlphaAssociation::kPremultiplied;
    return {"R", "G", "B", "A"};
  }
  if (has("Y") && has("RY")) return {};
  if (has("Y")) return {"Y"};
  std::vector<std::string> names;
  for (auto channel = list.begin(); channel != list.end(); ++channel) names.emplace_back(channel.name());
  return names;
}

class ExrRows final : public RowSource {
 public:
  ExrRows(const std::filesystem::path& path, uint32_t threads) : file_(path.c_str(), files::use_exr_threads(threads)) {
    name_ = path.string();
  }

  Result<void> open() {
    const Imf::Header& header = file_.header();
    const Imath::Box2i window = header.dataWindow();
    const int64_t width = int64_t{window.max.x} - window.min.x + 1;
    const int64_t height = int64_t{window.max.y} - window.min.y + 1;
    if (width < 1 || height < 1 || width > kMaxEdge || height > kMaxEdge) {
      return error(ErrorCode::kBadData, "OpenEXR: dataWindow is empty or too large");
    }
    size_ = {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
    first_row_ = window.min.y;
    first_column_ = window.min.x;
    names_ = chosen_channels(header.channels(), layout_);
    if (names_.empty()) {
      return error(ErrorCode::kUnsupported,
                   "OpenEXR: channels of luminance and chroma are not read by rows; `onepass mips` reads them");
    }
    layout_.channels = static_cast<uint32_t>(names_.size());
    layout_.sample = Sample::kF16;
    for (const std::string& name : names_) {
      const Imf::Channel& channel = header.channels()[name.c_str()];
      if (channel.xSampling != 1 || channel.ySampling != 1) {
        return error(ErrorCode::kUnsupported, "OpenEXR: channel " + name + " is subsampled, which is not read by rows");
      }
      if (channel.type == Imf::UINT) {
        return error(ErrorCode::kUnsupported, "OpenEXR: channel " + name + " is uint, which is not read by rows");
      }
      if (channel.type != Imf::HALF) layout_.sample = Sample::kF32;
    }
    if (!layout_.colour) tags_.channel_names = names_;
    encoding_ = Encoding::kLinear;
    rows_ = header.hasTileDescription() ? std::min(header.tileDescription().ySize, size_.height) : 32;
    return {};
  }

  [[nodiscard]] uint32_t block_rows() const override { return rows_; }
  // OpenEXR keeps the tiles of one row of them, or some scanlines per thread.
  [[nodiscard]] uint64_t memory_bytes() const override { return row_bytes() * rows_; }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    try {
      Imf::FrameBuffer frame;
      const Imf::PixelType type = layout_.sample == Sample::kF16 ? Imf::HALF : Imf::FLOAT;
      const auto pixel = static_cast<ptrdiff_t>(layout_.pixel_bytes());
      const int first = first_row_ + static_cast<int>(y_);
      for (size_t c = 0; c < names_.size(); ++c) {
        // OpenEXR adds the coordinates of pixels to the base pointer.
        char* base = reinterpret_cast<char*>(out) + static_cast<ptrdiff_t>(c * sample_bytes(layout_.sample)) -
                     ptrdiff_t{first_column_} * pixel - ptrdiff_t{first} * static_cast<ptrdiff_t>(stride);
        frame.insert(names_[c].c_str(), Imf::Slice(type, base, static_cast<size_t>(pixel), stride));
      }
      file_.setFrameBuffer(frame);
      file_.readPixels(first, first + static_cast<int>(rows) - 1);
      y_ += rows;
      return {};
    } catch (const std::bad_alloc&) {
      return error(ErrorCode::kOutOfMemory, "out of memory");
    } catch (const std::exception& exception) {
      return error(ErrorCode::kBadData, std::string("OpenEXR: ") + exception.what());
    }
  }

  Result<void> skip(uint32_t rows) override {
    y_ += rows;
    return {};
  }

 private:
  Imf::InputFile file_;
  std::vector<std::string> names_;
  int first_row_ = 0;
  int first_column_ = 0;
  uint32_t rows_ = 1;
  uint32_t y_ = 0;
};

}  // namespace

Result<SourcePtr> open_exr_rows(const std::filesystem::path& path, uint32_t threads) {
  try {
    if (!Imf::isOpenExrFile(path.c_str())) return Error{ErrorCode::kBadData, "OpenEXR: damaged header", path.string()};
    auto source = std::make_unique<ExrRows>(path, threads);
    if (auto done = source->open(); !done) return done.error();
    return SourcePtr(std::move(source));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory", path.string()};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kBadData, std::string("OpenEXR: ") + exception.what(), path.string()};
  }
}

}  // namespace onepass::tiles
