// output_dzi.cpp: DeepZoom: a directory per level with files COLUMN_ROW.EXT, and a descriptor. Its levels count from
// the 1x1 level, 0, to the base: onepass's level n is in the directory ceil(log2(largest edge)) - n. Source: Microsoft,
// "Deep Zoom File Format Overview", 2011.
#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "files/encoding.hpp"
#include "files/pixels.hpp"
#include "tiles/check_places.hpp"
#include "tiles/file_io.hpp"
#include "tiles/output.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

std::string descriptor_text(std::string_view extension, uint32_t overlap, uint32_t tile_size, Extent size) {
  return text_of(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Image xmlns=\"http://schemas.microsoft.com/deepzoom/2008\" "
      "Format=\"",
      extension, "\" Overlap=\"", overlap, "\" TileSize=\"", tile_size, "\">\n  <Size Width=\"", size.width,
      "\" Height=\"", size.height, "\"/>\n</Image>\n");
}

const char* extension_of(TileFormat format) {
  return format == TileFormat::kPng ? "png" : format == TileFormat::kWebp ? "webp" : "jpg";
}

/// The pixels of a tile with colours divided by alpha, without space between rows. The light is divided if `srgb`, else
/// the stored value. Colours with alpha 0 stay as they are, quotients end at the largest value.
template <typename T>
Bytes straight_pixels(const TilePixels& tile, bool srgb) {
  constexpr double kMost = std::numeric_limits<T>::max();
  const uint32_t channels = tile.layout.channels;
  const size_t row_bytes = tile.layout.pixel_bytes() * tile.size.width;
  std::vector<T> row(size_t{channels} * tile.size.width);
  Bytes out;
  out.reserve(row_bytes * tile.size.height);
  for (uint32_t y = 0; y < tile.size.height; ++y) {
    std::memcpy(row.data(), tile.row(y), row_bytes);
    for (size_t i = 0; i < row.size(); i += channels) {
      const double alpha = row[i + channels - 1] / kMost;
      if (alpha == 0 || alpha == 1) continue;
      for (size_t c = i; c < i + channels - 1; ++c) {
        double value = row[c] / kMost;
        value = srgb ? files::linear_to_srgb(files::srgb_to_linear(value) / alpha) : value / alpha;
        row[c] = static_cast<T>(std::min(value, 1.0) * kMost + 0.5);
      }
    }
    const auto bytes = std::as_bytes(std::span(row));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

class DeepZoom final : public Output {
 public:
  explicit DeepZoom(const OutputPlan& plan) : Output(plan) {
    const Extent base = plan_.grids.front().size;
    top_ = static_cast<uint32_t>(std::bit_width(std::max(base.width, base.height) - 1));
    stem_ = plan_.options.output.stem().string();
    const auto profile = web_profile(plan_);
    profile_.assign(profile.begin(), profile.end());
  }

  Result<void> prepare() const {
    for (uint32_t level = 0; level < plan_.grids.size(); ++level) {
      std::error_code error;
      std::filesystem::create_directories(directory(level), error);
      if (error) return write_error(directory(level), error.value());
    }
    return {};
  }

  [[nodiscard]] bool ordered() const override { return false; }
  [[nodiscard]] std::string encoding_name() const override {
    return plan_.options.tile_format == TileFormat::kJpeg ? "jpeg" : extension_of(plan_.options.tile_format);
  }

  [[nodiscard]] Bytes encode(const Tile& tile) const override {
    TilePixels pixels = tile.pixels;
    Bytes straight;
    if (pixels.layout.alpha == AlphaAssociation::kPremultiplied && plan_.options.tile_format != TileFormat::kJpeg) {
      straight = pixels.layout.sample == Sample::kU8 ? straight_pixels<uint8_t>(pixels, plan_.srgb)
                                                     : straight_pixels<uint16_t>(pixels, plan_.srgb);
      pixels.data = straight.data();
      pixels.stride = pixels.layout.pixel_bytes() * pixels.size.width;
      pixels.layout.alpha = AlphaAssociation::kStraight;
    }
    switch (plan_.options.tile_format) {
      case TileFormat::kPng:
        return encode_png(pixels, plan_.srgb, profile_);
#ifdef ONEPASS_HAS_WEBP
      case TileFormat::kWebp:
        return encode_webp(pixels, plan_.options.quality);
#endif
      default:
        return encode_jpeg(pixels, plan_.options.quality, plan_.srgb, profile_, JpegStream::kFile);
    }
  }

  [[nodiscard]] std::filesystem::path tile_path(const Tile& tile) const override {
    return directory(tile.level) / text_of(tile.column, "_", tile.row, ".", extension_of(plan_.options.tile_format));
  }

  Result<std::vector<std::filesystem::path>> finish() override {
    const char* extension = extension_of(plan_.options.tile_format);
    const std::string descriptor = descriptor_text(extension, static_cast<uint32_t>(plan_.options.overlap),
                                                   plan_.options.tile_size, plan_.grids.front().size);
    const std::filesystem::path target = plan_.options.output;
    const std::filesystem::path tiles = tiles_directory(plan_.options);
    if (auto done = write_file(plan_.work / "descriptor", bytes_of(descriptor)); !done) return done.error();
    std::vector<Move> moves{{plan_.work / "tiles", tiles}};
    if (plan_.options.viewer) {
      const std::string page = viewer_page(plan_, stem_, stem_ + "_files", extension);
      if (auto done = write_file(plan_.work / "viewer", bytes_of(page)); !done) return done.error();
      moves.push_back({plan_.work / "viewer", viewer_path(plan_.options)});
    }
    moves.push_back({plan_.work / "descriptor", target});
    if (auto done = put_in_place(plan_.work, moves); !done) return done.error();
    std::vector<std::filesystem::path> made{target, tiles};
    if (plan_.options.viewer) made.push_back(viewer_path(plan_.options));
    return made;
  }

 private:
  [[nodiscard]] std::filesystem::path directory(uint32_t level) const {
    return plan_.work / "tiles" / std::to_string(top_ - level);
  }

  uint32_t top_ = 0;
  std::string stem_;
  Bytes profile_;
};

}  // namespace

bool is_own_descriptor(const std::string& text) {
  std::array<char, 8> extension{};
  uint32_t overlap = 0;
  uint32_t tile_size = 0;
  Extent size;
  const int found =
      std::sscanf(text.c_str(),
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?> <Image "
                  "xmlns=\"http://schemas.microsoft.com/deepzoom/2008\" Format=\"%7[a-z]\" "
                  "Overlap=\"%" SCNu32 "\" TileSize=\"%" SCNu32 "\"> <Size Width=\"%" SCNu32 "\" Height=\"%" SCNu32,
                  extension.data(), &overlap, &tile_size, &size.width, &size.height);
  return found == 5 && text == descriptor_text(extension.data(), overlap, tile_size, size);
}

std::span<const std::byte> web_profile(const OutputPlan& plan) {
  if (plan.header.colors.icc.empty()) return {};
  const bool grey = !plan.header.layout.colour;
  const files::Encoding meaning = files::encoding_of({.icc = plan.header.colors.icc}, {}, grey);
  const bool plain = meaning.srgb && meaning.warnings.empty() &&
                     (grey || same_chromaticities(meaning.primaries, kRec709Chromaticities));
  if (plain) return {};
  return plan.header.colors.icc;
}

Result<OutputPtr> make_deep_zoom(const OutputPlan& plan) {
  auto output = std::make_unique<DeepZoom>(plan);
  if (auto done = output->prepare(); !done) return done.error();
  return OutputPtr(std::move(output));
}

}  // namespace onepass::tiles
