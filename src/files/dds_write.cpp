// dds_write.cpp: writes DDS files: all levels of a slice, then those of the next one.
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "files/dds_format.hpp"
#include "files/ktx2_format.hpp"
#include "files/writers.hpp"
#include "image/error.hpp"
#include "onepass/blocks.hpp"

namespace onepass::files {
namespace {

struct StoredImage {
  std::vector<StoredLevel> levels;
  uint32_t slices = 1;
  uint32_t dxgi = 0;  ///< 0: the legacy header.
  dds::PixelFormat pixel_format{};
  bool blocks = false;
  uint32_t alpha_mode = 0;
};

ktx2::Bytes header_of(const StoredImage& image, const DdsOptions& options) {
  const StoredLevel& base = image.levels.front();
  const auto levels = static_cast<uint32_t>(image.levels.size());
  ktx2::Bytes head;
  head.u32(dds::kMagic);
  head.u32(dds::kHeaderSize);
  head.u32(dds::kFlagCaps | dds::kFlagHeight | dds::kFlagWidth | dds::kFlagPixelFormat |
           (levels > 1 ? dds::kFlagLevels : 0) | (image.blocks ? dds::kFlagLinearSize : dds::kFlagPitch));
  head.u32(base.size.height);
  head.u32(base.size.width);
  head.u32(static_cast<uint32_t>(image.blocks ? base.row_bytes * base.rows : base.row_bytes));
  head.u32(1);  // depth
  head.u32(levels);
  for (int i = 0; i < 11; ++i) head.u32(0);
  head.u32(dds::kPixelFormatSize);
  head.u32(image.pixel_format.flags);
  head.u32(image.pixel_format.four_cc);
  head.u32(image.pixel_format.bits);
  for (const uint32_t mask : image.pixel_format.masks) head.u32(mask);
  const bool complex = levels > 1 || image.slices > 1;
  head.u32(dds::kCapsTexture | (complex ? dds::kCapsComplex : 0) | (levels > 1 ? dds::kCapsMipmap : 0));
  head.u32(options.cube ? dds::kCaps2Cube | dds::kCaps2AllFaces : 0);
  for (int i = 0; i < 3; ++i) head.u32(0);
  if (image.dxgi == 0) return head;
  head.u32(image.dxgi);
  head.u32(dds::kDimension2d);
  head.u32(options.cube ? dds::kMiscCube : 0);
  head.u32(options.cube ? image.slices / dds::kFaces : image.slices);
  head.u32(image.alpha_mode);
  return head;
}

Result<void> write_slices(AtomicFile& file, const StoredImage& image) {
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    for (const StoredLevel& level : image.levels) {
      const auto write = [&](std::span<const std::byte> bytes) { return file.write(bytes); };
      if (auto done = for_each_piece(level, slice, write); !done) return done;
    }
  }
  return {};
}

Result<void> check_cube(const std::filesystem::path& path, Extent size, uint32_t slices, const DdsOptions& options) {
  const auto refuse = [&](std::string message) {
    return file_error(path, ErrorCode::kInvalidArgument, std::move(message));
  };
  if (!options.cube) return {};
  if (slices % dds::kFaces != 0) {
    return refuse("a cube needs 6 slices a layer, not " + std::to_string(slices) + " in all");
  }
  if (size.width != size.height) return refuse("a cube needs square faces, not " + size_text(size));
  return {};
}

Result<void> write_image(const std::filesystem::path& path, const StoredImage& image, const DdsOptions& options) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  if (auto done = file->write(header_of(image, options).bytes()); !done) return done;
  if (auto done = write_slices(*file, image); !done) return done;
  return file->commit();
}

/// Sets the header's statement of the format of texels or blocks.
template <typename AnyFormat>
Result<void> state_format(const std::filesystem::path& path, const DdsOptions& options, AnyFormat format,
                          std::string_view name, StoredImage& image) {
  const auto refuse = [&](const std::string& message) { return file_error(path, ErrorCode::kUnsupported, message); };
  if (options.header == DdsHeader::kDx10) {
    image.dxgi = dds::dxgi_of(format);
    if (image.dxgi == 0) return refuse(std::string(name) + " has no form in DDS; KTX2 has all");
    image.pixel_format.four_cc = dds::four_cc("DX10");
    return {};
  }
  std::optional<dds::PixelFormat> pixel_format;
  if constexpr (std::is_same_v<AnyFormat, BlockFormat>) {
    pixel_format = dds::legacy_of(format, options.stored_alpha);
  } else {
    pixel_format = dds::legacy_of(format);
  }
  if (!pixel_format) return refuse(std::string(name) + " has no form in the legacy header of DDS; that of DX10 has it");
  const uint32_t slices = options.cube ? dds::kFaces : 1;
  if (image.slices != slices) {
    return refuse("the legacy header of DDS holds one " + std::string(options.cube ? "cube" : "image") + ", not " +
                  std::to_string(image.slices) + " slices");
  }
  image.pixel_format = *pixel_format;
  return {};
}

uint32_t alpha_mode(bool has_alpha, AlphaAssociation stored_alpha) {
  if (!has_alpha) return dds::kAlphaOpaque;
  return stored_alpha == AlphaAssociation::kPremultiplied ? dds::kAlphaPremultiplied : dds::kAlphaStraight;
}

}  // namespace

Result<void> write_dds(const std::filesystem::path& path, std::span<const ImageView> levels,
                       const DdsOptions& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, levels); !fine) return fine;
    const ImageView& base = levels.front();
    if (auto fine = check_cube(path, base.size, base.slices, options); !fine) return fine;
    const FormatInfo& info = format_info(base.format);
    StoredImage image{.slices = base.slices};
    if (auto fine = state_format(path, options, base.format, info.name, image); !fine) return fine;
    image.alpha_mode = alpha_mode(info.channels == 4, options.stored_alpha);
    std::vector<Image> converted;
    std::vector<ImageView> views(levels.begin(), levels.end());
    if (auto done = associate(path, views, options.alpha, options.stored_alpha, converted); !done) return done;
    for (const ImageView& level : views) image.levels.push_back(stored_level(level));
    return write_image(path, image, options);
  });
}

Result<void> write_dds(const std::filesystem::path& path, std::span<const BlockView> levels,
                       const DdsOptions& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, levels); !fine) return fine;
    const BlockView& base = levels.front();
    if (auto fine = check_cube(path, base.size, base.slices, options); !fine) return fine;
    const BlockFormatInfo& info = block_format_info(base.format);
    StoredImage image{.slices = base.slices, .blocks = true};
    if (auto fine = state_format(path, options, base.format, info.name, image); !fine) return fine;
    image.alpha_mode = alpha_mode(info.channels == 4, options.stored_alpha);
    for (const BlockView& level : levels) image.levels.push_back(stored_level(level));
    return write_image(path, image, options);
  });
}

}  // namespace onepass::files
