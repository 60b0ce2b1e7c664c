// output_dzi.cpp: DeepZoom: a directory per level with files COLUMN_ROW.EXT, and a descriptor. Its levels count from
// the 1x1 level, 0, to the base: onepass's level n is in the directory ceil(log2(largest edge)) - n. Source: Microsoft,
// "Deep Zoom File Format Overview", 2011.
#include <bit>
#include <system_error>

#include "files/encoding.hpp"
#include "tiles/file_io.hpp"
#include "tiles/output.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

const char* extension_of(TileFormat format) {
  return format == TileFormat::kPng ? "png" : format == TileFormat::kWebp ? "webp" : "jpg";
}

class DeepZoom final : public Output {
 public:
  explicit DeepZoom(const OutputPlan& plan) : plan_(plan) {
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
    switch (plan_.options.tile_format) {
      case TileFormat::kPng:
        return encode_png(tile.pixels, plan_.srgb, profile_);
#ifdef ONEPASS_HAS_WEBP
      case TileFormat::kWebp:
        return encode_webp(tile.pixels, plan_.options.quality);
#endif
      default:
        return encode_jpeg(tile.pixels, plan_.options.quality, plan_.srgb, profile_, JpegStream::kFile);
    }
  }

  Result<void> store(const Tile& tile, std::span<const std::byte> bytes) override {
    return write_file(
        directory(tile.level) / text_of(tile.column, "_", tile.row, ".", extension_of(plan_.options.tile_format)),
        bytes);
  }

  Result<std::vector<std::filesystem::path>> finish() override {
    const Extent base = plan_.grids.front().size;
    const char* extension = extension_of(plan_.options.tile_format);
    const std::string descriptor = text_of(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Image xmlns=\"http://schemas.microsoft.com/deepzoom/2008\" "
        "Format=\"",
        extension, "\" Overlap=\"", plan_.options.overlap, "\" TileSize=\"", plan_.options.tile_size,
        "\">\n  <Size Width=\"", base.width, "\" Height=\"", base.height, "\"/>\n</Image>\n");
    const std::filesystem::path target = plan_.options.output;
    const std::filesystem::path tiles = target.parent_path() / (stem_ + "_files");
    if (auto done = write_file(plan_.work / "descriptor", bytes_of(descriptor)); !done) return done.error();
    std::vector<Move> moves{{plan_.work / "tiles", tiles}};
    if (plan_.options.viewer) {
      const std::string page = viewer_page(plan_, stem_, stem_ + "_files", extension);
      if (auto done = write_file(plan_.work / "viewer", bytes_of(page)); !done) return done.error();
      moves.push_back({plan_.work / "viewer", target.parent_path() / (stem_ + ".html")});
    }
    moves.push_back({plan_.work / "descriptor", target});
    if (auto done = put_in_place(plan_.work, moves); !done) return done.error();
    std::vector<std::filesystem::path> made{target, tiles};
    if (plan_.options.viewer) made.push_back(target.parent_path() / (stem_ + ".html"));
    return made;
  }

 private:
  [[nodiscard]] std::filesystem::path directory(uint32_t level) const {
    return plan_.work / "tiles" / std::to_string(top_ - level);
  }

  OutputPlan plan_;
  uint32_t top_ = 0;
  std::string stem_;
  Bytes profile_;
};

}  // namespace

std::span<const std::byte> web_profile(const OutputPlan& plan) {
  if (plan.tags.icc.empty()) return {};
  const bool grey = !plan.layout.colour;
  const files::Encoding meaning = files::encoding_of({.icc = plan.tags.icc}, {}, grey);
  const bool plain = meaning.srgb && meaning.warnings.empty() &&
                     (grey || same_chromaticities(meaning.primaries, kRec709Chromaticities));
  if (plain) return {};
  return plan.tags.icc;
}

Result<OutputPtr> make_deep_zoom(const OutputPlan& plan) {
  auto output = std::make_unique<DeepZoom>(plan);
  if (auto done = output->prepare(); !done) return done.error();
  return OutputPtr(std::move(output));
}

}  // namespace onepass::tiles
