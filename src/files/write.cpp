// write.cpp: calls the writer for a file's extension; also the checks that all writers share.
#include <algorithm>
#include <cctype>

#include "blocks/views.hpp"
#include "files/writers.hpp"
#include "image/error.hpp"

namespace onepass::files {
namespace {

Error bad_level(const std::filesystem::path& path, size_t level, const std::string& what) {
  return file_error(path, ErrorCode::kInvalidArgument, "level " + std::to_string(level) + " " + what);
}

// Checks one level by itself.
Result<void> check_level(const std::filesystem::path& path, size_t number, const ImageView& level) {
  const FormatInfo& info = format_info(level.format);
  if (info.channels == 0) {
    return bad_level(path, number, "has the unknown format " + std::to_string(static_cast<uint32_t>(level.format)));
  }
  if (level.size.width == 0 || level.size.height == 0 || level.slices == 0) {
    return bad_level(path, number,
                     "has size " + size_text(level.size) + ", " + std::to_string(level.slices) + " slices");
  }
  if (level.size.width > kMaxSize || level.size.height > kMaxSize || level.slices > kMaxSlices) {
    return bad_level(path, number, "is larger than 65535 texels or slices: " + size_text(level.size));
  }
  if (level.data == nullptr) return bad_level(path, number, "has no pixels");
  const size_t row = size_t{level.size.width} * info.bytes_per_texel;
  if (level.row_stride < row) {
    return bad_level(path, number,
                     "has row_stride " + std::to_string(level.row_stride) + ", less than " + std::to_string(row));
  }
  return {};
}

// Writes file types that hold one level.
Result<void> write_single(const std::filesystem::path& path, std::span<const ImageView> levels,
                          const WriteOptions& options) {
  const Type type = type_of_extension(path);
  if (levels.size() != 1) {
    return file_error(
        path, ErrorCode::kInvalidArgument,
        "a " + std::string(type_name(type)) + " file holds one level, not " + std::to_string(levels.size()));
  }
  const AlphaAssociation alpha = options.alpha.value_or(AlphaAssociation::kNone);
  if (type == Type::kHdr) return write_hdr(path, levels.front(), alpha);
  if (type == Type::kPfm) return write_pfm(path, levels.front(), alpha);
  if (type == Type::kTiff) {
    TiffOptions tiff = options.tiff;
    tiff.alpha = options.alpha.value_or(tiff.alpha);
    return write_tiff(path, levels.front(), tiff);
  }
  if (type == Type::kJpeg) {
    JpegOptions jpeg = options.jpeg;
    jpeg.alpha = options.alpha.value_or(jpeg.alpha);
    return write_jpeg(path, levels.front(), jpeg);
  }
  if (type == Type::kPnm) {
    PnmOptions pnm = options.pnm;
    pnm.alpha = options.alpha.value_or(pnm.alpha);
    return write_pnm(path, levels.front(), pnm);
  }
  PngOptions png = options.png;
  png.alpha = options.alpha.value_or(png.alpha);
  return write_png(path, levels.front(), png);
}

}  // namespace

Error file_error(const std::filesystem::path& path, ErrorCode code, std::string message) {
  return {code, std::move(message), path.string()};
}

Result<void> check_levels(const std::filesystem::path& path, std::span<const ImageView> levels) {
  if (levels.empty()) return file_error(path, ErrorCode::kInvalidArgument, "there is no level to write");
  const ImageView& base = levels.front();
  for (size_t n = 0; n < levels.size(); ++n) {
    if (auto fine = check_level(path, n, levels[n]); !fine) return fine;
    if (levels[n].format != base.format || levels[n].slices != base.slices) {
      return bad_level(path, n, "differs from the base in format or slices");
    }
    if (n > 0 && (levels[n - 1].size == Extent{1, 1})) return bad_level(path, n, "comes after the 1x1 level");
    const Extent expected{std::max(1U, base.size.width >> n), std::max(1U, base.size.height >> n)};
    if (levels[n].size != expected) {
      return bad_level(path, n, "has size " + size_text(levels[n].size) + " instead of " + size_text(expected));
    }
  }
  return {};
}

Result<void> check_levels(const std::filesystem::path& path, std::span<const BlockView> levels) {
  if (levels.empty()) return file_error(path, ErrorCode::kInvalidArgument, "there is no level to write");
  const BlockView& base = levels.front();
  for (size_t n = 0; n < levels.size(); ++n) {
    if (auto fine = blocks::check_blocks("level " + std::to_string(n), levels[n]); !fine) {
      return file_error(path, fine.error().code, fine.error().message);
    }
    if (levels[n].format != base.format || levels[n].slices != base.slices) {
      return bad_level(path, n, "differs from the base in format or slices");
    }
    if (n > 0 && levels[n - 1].size == Extent{1, 1}) return bad_level(path, n, "comes after the 1x1 level");
    const Extent expected{std::max(1U, base.size.width >> n), std::max(1U, base.size.height >> n)};
    if (levels[n].size != expected) {
      return bad_level(path, n, "has size " + size_text(levels[n].size) + " instead of " + size_text(expected));
    }
  }
  return {};
}

StoredLevel stored_level(const ImageView& level) {
  const size_t row = size_t{level.size.width} * format_info(level.format).bytes_per_texel;
  const auto* const data = static_cast<const std::byte*>(level.data);
  return {data, level.size, level.size.height, level.slices, row, level.row_stride, level.slice_stride};
}

StoredLevel stored_level(const BlockView& level) {
  const Extent count = size_in_blocks(level.format, level.size);
  const size_t row = size_t{count.width} * block_format_info(level.format).bytes_per_block;
  const auto* const data = static_cast<const std::byte*>(level.data);
  return {data, level.size, count.height, level.slices, row, level.row_stride, level.slice_stride};
}

Result<void> associate(const std::filesystem::path& path, std::vector<ImageView>& levels, AlphaAssociation given,
                       AlphaAssociation stored_alpha, std::vector<Image>& copies) {
  const AlphaAssociation stored =
      stored_alpha == AlphaAssociation::kPremultiplied ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight;
  if (given == AlphaAssociation::kNone || given == stored) return {};
  if (format_info(levels.front().format).channels != 4) return {};
  for (ImageView& level : levels) {
    auto copy = Image::create(level.format, level.size, level.slices);
    if (!copy) return file_error(path, copy.error().code, copy.error().message);
    const auto done = convert_colors(level, copy->view(), {.from = given, .to = stored});
    if (!done) return file_error(path, done.error().code, done.error().message);
    copies.push_back(std::move(*copy));
    level = copies.back().view();
  }
  return {};
}

Type type_of_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".png") return Type::kPng;
  if (extension == ".jpg" || extension == ".jpeg") return Type::kJpeg;
  if (extension == ".exr") return Type::kExr;
  if (extension == ".hdr") return Type::kHdr;
  if (extension == ".pfm") return Type::kPfm;
  if (extension == ".ktx2") return Type::kKtx2;
  if (extension == ".dds") return Type::kDds;
  if (extension == ".tif" || extension == ".tiff") return Type::kTiff;
  if (extension == ".webp") return Type::kWebp;
  if (extension == ".tga") return Type::kTga;
  for (const char* pnm : {".pnm", ".pbm", ".pgm", ".ppm", ".pam"}) {
    if (extension == pnm) return Type::kPnm;
  }
  return Type::kUnknown;
}

Result<void> write(const std::filesystem::path& path, std::span<const ImageView> levels, const WriteOptions& options) {
  switch (type_of_extension(path)) {
    case Type::kKtx2: {
      Ktx2Options ktx2 = options.ktx2;
      ktx2.alpha = options.alpha.value_or(ktx2.alpha);
      return write_ktx2(path, levels, ktx2);
    }
    case Type::kDds: {
      DdsOptions dds = options.dds;
      dds.alpha = options.alpha.value_or(dds.alpha);
      return write_dds(path, levels, dds);
    }
    case Type::kExr: {
      ExrOptions exr = options.exr;
      exr.alpha = options.alpha.value_or(exr.alpha);
      return write_exr(path, levels, exr);
    }
    case Type::kPng:
    case Type::kHdr:
    case Type::kPfm:
    case Type::kJpeg:
    case Type::kTiff:
    case Type::kPnm:
      return write_single(path, levels, options);
    case Type::kWebp:
    case Type::kTga:
    case Type::kUnknown:
      break;
  }
  return file_error(path, ErrorCode::kUnsupported,
                    "cannot write files with the extension \"" + path.extension().string() +
                        "\"; .ktx2, .dds, .exr, .png, .tif, .jpg, .hdr, .pfm, .ppm, .pgm and .pam are possible");
}

Result<void> write(const std::filesystem::path& path, std::span<const BlockView> levels, const WriteOptions& options) {
  const Type type = type_of_extension(path);
  if (type == Type::kKtx2) return write_ktx2(path, levels, options.ktx2);
  if (type == Type::kDds) return write_dds(path, levels, options.dds);
  return file_error(path, ErrorCode::kUnsupported,
                    "cannot write blocks to files with the extension \"" + path.extension().string() +
                        "\"; .ktx2 and .dds are possible");
}

}  // namespace onepass::files
