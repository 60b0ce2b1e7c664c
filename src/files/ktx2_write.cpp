// ktx2_write.cpp: writes KTX2 files: all levels of all slices, smallest level first.
//
// Levels are stored as in memory, or each compressed separately with Zstandard. Their order and alignment let a loader
// stream the small levels first and map uncompressed ones directly.
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <vector>

#include "files/ktx2_format.hpp"
#include "files/writers.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"
#include "onepass/blocks.hpp"

namespace onepass::files {
namespace {

static_assert(std::endian::native == std::endian::little, "texels are stored as they lie in memory");

// Levels of texels or of blocks, and what their header says of them.
struct StoredImage {
  std::vector<StoredLevel> levels;
  uint32_t vk_format = 0;
  uint32_t type_size = 1;
  uint32_t unit_bytes = 1;  // of a texel or a block
  ktx2::Bytes descriptor;
};

struct ContextDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// Compresses one level to a Zstandard frame.
Result<std::vector<std::byte>> compress(const std::filesystem::path& path, const StoredLevel& level, int zstd_level) {
  const auto failed = [&](size_t code) {
    return file_error(path, ErrorCode::kOutOfMemory, std::string("Zstandard: ") + ZSTD_getErrorName(code));
  };
  const std::unique_ptr<ZSTD_CCtx, ContextDeleter> context(ZSTD_createCCtx());
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, zstd_level);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), level.bytes());  // stored in the frame, so that readers can allocate
  std::vector<std::byte> result(ZSTD_compressBound(level.bytes()));
  ZSTD_outBuffer output{result.data(), result.size(), 0};
  const auto feed = [&](std::span<const std::byte> piece) -> Result<void> {
    ZSTD_inBuffer input{piece.data(), piece.size(), 0};
    while (input.pos < input.size) {
      const size_t code = ZSTD_compressStream2(context.get(), &output, &input, ZSTD_e_continue);
      if (ZSTD_isError(code) != 0) return failed(code);
    }
    return {};
  };
  for (uint32_t slice = 0; slice < level.slices; ++slice) {
    if (auto done = for_each_piece(level, slice, feed); !done) return done.error();
  }
  ZSTD_inBuffer nothing{nullptr, 0, 0};
  const size_t left = ZSTD_compressStream2(context.get(), &output, &nothing, ZSTD_e_end);
  if (ZSTD_isError(left) != 0) return failed(left);
  ONEPASS_ASSERT(left == 0);
  result.resize(output.pos);
  return result;
}

struct LevelPlace {
  uint64_t offset = 0;
  uint64_t length = 0;
};

// Position of each level: the smallest first, uncompressed ones aligned to whole texels or blocks and to 4 bytes.
std::vector<LevelPlace> place_levels(const StoredImage& image, std::span<const std::vector<std::byte>> compressed,
                                     uint64_t start) {
  const uint64_t alignment = compressed.empty() ? std::lcm(uint64_t{image.unit_bytes}, uint64_t{4}) : 1;
  std::vector<LevelPlace> places(image.levels.size());
  uint64_t offset = start;
  for (size_t n = image.levels.size(); n-- > 0;) {
    offset = round_up(offset, alignment);
    places[n] = {offset, compressed.empty() ? image.levels[n].bytes() : compressed[n].size()};
    offset += places[n].length;
  }
  return places;
}

// All bytes before the levels. `places` may be zeros if only the length is needed.
ktx2::Bytes header(const StoredImage& image, const Ktx2Options& options, std::span<const LevelPlace> places) {
  const StoredLevel& base = image.levels.front();
  const uint32_t faces = options.cube ? ktx2::kFaces : 1;
  const uint32_t layers = base.slices / faces;
  ktx2::Bytes key_values;
  ktx2::append_key_values(key_values, "onepass " ONEPASS_VERSION);

  ktx2::Bytes head;
  head.raw(ktx2::kIdentifier);
  const auto start = static_cast<uint32_t>(ktx2::kLevelIndex + ktx2::kLevelEntrySize * image.levels.size());
  head.u32(image.vk_format);
  head.u32(image.type_size);
  head.u32(base.size.width);
  head.u32(base.size.height);
  head.u32(0);  // depth: not a 3-D image
  head.u32(layers > 1 || options.array ? layers : 0);
  head.u32(faces);
  head.u32(static_cast<uint32_t>(image.levels.size()));
  head.u32(options.zstd_level > 0 ? ktx2::kZstd : ktx2::kNoSupercompression);
  head.u32(start);
  head.u32(static_cast<uint32_t>(image.descriptor.size()));
  head.u32(start + static_cast<uint32_t>(image.descriptor.size()));
  head.u32(static_cast<uint32_t>(key_values.size()));
  head.u64(0);  // no supercompression global data
  head.u64(0);
  for (size_t n = 0; n < image.levels.size(); ++n) {
    head.u64(places[n].offset);
    head.u64(places[n].length);
    head.u64(image.levels[n].bytes());
  }
  head.append(image.descriptor);
  head.append(key_values);
  return head;
}

// Checks what levels of texels and of blocks have in common.
Result<void> check_shape(const std::filesystem::path& path, const StoredLevel& base, const Ktx2Options& options) {
  const auto invalid = [&](std::string message) {
    return file_error(path, ErrorCode::kInvalidArgument, std::move(message));
  };
  if (options.zstd_level < 0 || options.zstd_level > 22) {
    return invalid("zstd_level is " + std::to_string(options.zstd_level) + ", not 0 to 22");
  }
  if (!options.cube) return {};
  if (base.slices % ktx2::kFaces != 0) {
    return invalid("a cube needs 6 slices a layer, not " + std::to_string(base.slices) + " in all");
  }
  if (base.size.width != base.size.height) {
    return invalid("a cube needs square faces, not " + size_text(base.size));
  }
  return {};
}

Error bad_code_points(const std::filesystem::path& path, std::string_view name, const Ktx2Options& options) {
  return file_error(path, ErrorCode::kInvalidArgument,
                    "code_points " + std::to_string(options.code_points[0]) + ", " +
                        std::to_string(options.code_points[1]) + " cannot be said of " + std::string(name));
}

Result<void> write_image(const std::filesystem::path& path, const StoredImage& image, const Ktx2Options& options) {
  if (auto fine = check_shape(path, image.levels.front(), options); !fine) return fine;
  std::vector<std::vector<std::byte>> compressed;
  for (size_t n = 0; options.zstd_level > 0 && n < image.levels.size(); ++n) {
    auto frame = compress(path, image.levels[n], options.zstd_level);
    if (!frame) return frame.error();
    compressed.push_back(std::move(*frame));
  }
  const size_t start = header(image, options, std::vector<LevelPlace>(image.levels.size())).size();
  const std::vector<LevelPlace> places = place_levels(image, compressed, start);

  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  if (auto done = file->write(header(image, options, places).bytes()); !done) return done;
  const auto write = [&](std::span<const std::byte> piece) { return file->write(piece); };
  for (size_t n = image.levels.size(); n-- > 0;) {
    const std::vector<std::byte> padding(places[n].offset - file->position());
    if (auto done = file->write(padding); !done) return done;
    if (!compressed.empty()) {
      if (auto done = write(compressed[n]); !done) return done;
      continue;
    }
    for (uint32_t slice = 0; slice < image.levels[n].slices; ++slice) {
      if (auto done = for_each_piece(image.levels[n], slice, write); !done) return done;
    }
  }
  return file->commit();
}

}  // namespace

Result<void> write_ktx2(const std::filesystem::path& path, std::span<const ImageView> levels,
                        const Ktx2Options& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, levels); !fine) return fine;
    const Format format = levels.front().format;
    const FormatInfo& info = format_info(format);
    auto color = ktx2::descriptor_color(format, options.code_points);
    if (!color) return bad_code_points(path, info.name, options);
    if (!ktx2::has_file_form(info)) {
      return file_error(path, ErrorCode::kUnsupported, std::string(info.name) + " is not written to KTX2");
    }
    StoredImage image{.vk_format = static_cast<uint32_t>(format),
                      .type_size = ktx2::type_size(format),
                      .unit_bytes = info.bytes_per_texel};
    color->premultiplied = options.stored_alpha == AlphaAssociation::kPremultiplied && info.channels == 4;
    ktx2::append_descriptor(image.descriptor, format, *color);
    std::vector<Image> converted;
    std::vector<ImageView> views(levels.begin(), levels.end());
    if (auto done = associate(path, views, options.alpha, options.stored_alpha, converted); !done) return done;
    for (const ImageView& level : views) image.levels.push_back(stored_level(level));
    return write_image(path, image, options);
  });
}

Result<void> write_ktx2(const std::filesystem::path& path, std::span<const BlockView> levels,
                        const Ktx2Options& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, levels); !fine) return fine;
    const BlockFormatInfo& info = block_format_info(levels.front().format);
    auto color = ktx2::descriptor_color(info.texels, options.code_points);
    if (!color) return bad_code_points(path, info.name, options);
    color->premultiplied = options.stored_alpha == AlphaAssociation::kPremultiplied && info.channels == 4;
    StoredImage image{.vk_format = static_cast<uint32_t>(info.format), .unit_bytes = info.bytes_per_block};
    ktx2::append_descriptor(image.descriptor, info.format, *color);
    for (const BlockView& level : levels) image.levels.push_back(stored_level(level));
    return write_image(path, image, options);
  });
}

}  // namespace onepass::files
