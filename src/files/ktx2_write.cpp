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

namespace onepass::files {
namespace {

static_assert(std::endian::native == std::endian::little, "texels are stored as they lie in memory");

size_t row_bytes(const ImageView& level) {
  return size_t{level.size.width} * format_info(level.format).bytes_per_texel;
}

uint64_t level_bytes(const ImageView& level) { return uint64_t{row_bytes(level)} * level.size.height * level.slices; }

// Calls `take` with the bytes of the level in file order, in pieces as large as the strides allow.
template <typename Take>
Result<void> for_each_piece(const ImageView& level, Take&& take) {
  const size_t row = row_bytes(level);
  const bool packed = level.row_stride == row || level.size.height == 1;
  const uint32_t rows_at_once = packed ? level.size.height : 1;
  for (uint32_t slice = 0; slice < level.slices; ++slice) {
    for (uint32_t y = 0; y < level.size.height; y += rows_at_once) {
      if (Result<void> done = take(std::span(level.row(y, slice), row * rows_at_once)); !done) return done;
    }
  }
  return {};
}

struct ContextDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

// Compresses one level to a Zstandard frame.
Result<std::vector<std::byte>> compress(const std::filesystem::path& path, const ImageView& level, int zstd_level) {
  const auto failed = [&](size_t code) {
    return file_error(path, ErrorCode::kOutOfMemory, std::string("Zstandard: ") + ZSTD_getErrorName(code));
  };
  const std::unique_ptr<ZSTD_CCtx, ContextDeleter> context(ZSTD_createCCtx());
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, zstd_level);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), level_bytes(level));  // stored in the frame, so that readers can allocate
  std::vector<std::byte> result(ZSTD_compressBound(level_bytes(level)));
  ZSTD_outBuffer output{result.data(), result.size(), 0};
  Result<void> done = for_each_piece(level, [&](std::span<const std::byte> piece) -> Result<void> {
    ZSTD_inBuffer input{piece.data(), piece.size(), 0};
    while (input.pos < input.size) {
      const size_t code = ZSTD_compressStream2(context.get(), &output, &input, ZSTD_e_continue);
      if (ZSTD_isError(code) != 0) return failed(code);
    }
    return {};
  });
  if (!done) return done.error();
  ZSTD_inBuffer nothing{nullptr, 0, 0};
  const size_t left = ZSTD_compressStream2(context.get(), &output, &nothing, ZSTD_e_end);
  if (ZSTD_isError(left) != 0) return failed(left);
  ONEPASS_ASSERT(left == 0);
  result.resize(output.pos);
  return result;
}

uint32_t channels_of(Format format) { return format_info(format).channels; }

struct LevelPlace {
  uint64_t offset = 0;
  uint64_t length = 0;
};

// Position of each level: the smallest first, uncompressed ones aligned to whole texels and to 4 bytes.
std::vector<LevelPlace> place_levels(std::span<const ImageView> levels,
                                     std::span<const std::vector<std::byte>> compressed, uint64_t start) {
  const uint64_t texel = format_info(levels.front().format).bytes_per_texel;
  const uint64_t alignment = compressed.empty() ? std::lcm(texel, uint64_t{4}) : 1;
  std::vector<LevelPlace> places(levels.size());
  uint64_t offset = start;
  for (size_t n = levels.size(); n-- > 0;) {
    offset = round_up(offset, alignment);
    places[n] = {offset, compressed.empty() ? level_bytes(levels[n]) : compressed[n].size()};
    offset += places[n].length;
  }
  return places;
}

// All bytes before the levels. `places` may be zeros if only the length is needed.
ktx2::Bytes header(std::span<const ImageView> levels, const Ktx2Options& options, std::span<const LevelPlace> places) {
  const ImageView& base = levels.front();
  const uint32_t faces = options.cube ? ktx2::kFaces : 1;
  const uint32_t layers = base.slices / faces;
  ktx2::Bytes descriptor;
  auto color = ktx2::descriptor_color(base.format, options.code_points);
  ONEPASS_ASSERT(color.has_value());  // ensured by check_options()
  color->premultiplied = options.stored_alpha == AlphaAssociation::kPremultiplied && channels_of(base.format) == 4;
  ktx2::append_descriptor(descriptor, base.format, *color);
  ktx2::Bytes key_values;
  ktx2::append_key_values(key_values, "onepass " ONEPASS_VERSION);

  ktx2::Bytes head;
  head.raw(ktx2::kIdentifier);
  const auto start = static_cast<uint32_t>(ktx2::kLevelIndex + ktx2::kLevelEntrySize * levels.size());
  head.u32(static_cast<uint32_t>(base.format));
  head.u32(ktx2::type_size(base.format));
  head.u32(base.size.width);
  head.u32(base.size.height);
  head.u32(0);  // depth: not a 3-D image
  head.u32(layers > 1 || options.array ? layers : 0);
  head.u32(faces);
  head.u32(static_cast<uint32_t>(levels.size()));
  head.u32(options.zstd_level > 0 ? ktx2::kZstd : ktx2::kNoSupercompression);
  head.u32(start);
  head.u32(static_cast<uint32_t>(descriptor.size()));
  head.u32(start + static_cast<uint32_t>(descriptor.size()));
  head.u32(static_cast<uint32_t>(key_values.size()));
  head.u64(0);  // no supercompression global data
  head.u64(0);
  for (size_t n = 0; n < levels.size(); ++n) {
    head.u64(places[n].offset);
    head.u64(places[n].length);
    head.u64(level_bytes(levels[n]));
  }
  head.append(descriptor);
  head.append(key_values);
  return head;
}

Result<void> check_options(const std::filesystem::path& path, const ImageView& base, const Ktx2Options& options) {
  const auto invalid = [&](std::string message) {
    return file_error(path, ErrorCode::kInvalidArgument, std::move(message));
  };
  if (!ktx2::descriptor_color(base.format, options.code_points)) {
    return invalid("code_points " + std::to_string(options.code_points[0]) + ", " +
                   std::to_string(options.code_points[1]) + " cannot be said of " +
                   std::string(format_info(base.format).name));
  }
  if (!ktx2::has_file_form(format_info(base.format))) {
    return file_error(path, ErrorCode::kUnsupported,
                      std::string(format_info(base.format).name) + " is not written to KTX2");
  }
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

}  // namespace

Result<void> write_ktx2(const std::filesystem::path& path, std::span<const ImageView> levels,
                        const Ktx2Options& options) {
  return guarded(path, [&]() -> Result<void> {
    if (auto fine = check_levels(path, levels); !fine) return fine;
    if (auto fine = check_options(path, levels.front(), options); !fine) return fine;
    std::vector<Image> converted;
    std::vector<ImageView> stored(levels.begin(), levels.end());
    if (auto done = associate(path, stored, options.alpha, options.stored_alpha, converted); !done) return done;
    levels = stored;
    std::vector<std::vector<std::byte>> compressed;
    if (options.zstd_level > 0) {
      for (const ImageView& level : levels) {
        auto frame = compress(path, level, options.zstd_level);
        if (!frame) return frame.error();
        compressed.push_back(std::move(*frame));
      }
    }
    const size_t start = header(levels, options, std::vector<LevelPlace>(levels.size())).size();
    const std::vector<LevelPlace> places = place_levels(levels, compressed, start);

    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    if (auto done = file->write(header(levels, options, places).bytes()); !done) return done;
    const auto write = [&](std::span<const std::byte> piece) { return file->write(piece); };
    for (size_t n = levels.size(); n-- > 0;) {
      const std::vector<std::byte> padding(places[n].offset - file->position());
      if (auto done = file->write(padding); !done) return done;
      if (auto done = compressed.empty() ? for_each_piece(levels[n], write) : write(compressed[n]); !done) return done;
    }
    return file->commit();
  });
}

}  // namespace onepass::files
