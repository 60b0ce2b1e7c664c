// output_zarr.cpp: OME-Zarr 0.4: a directory with one Zarr array (version 2) per level and metadata in JSON. Every
// channel has its own chunks, NAME/LEVEL/CHANNEL/ROW/COLUMN; pictures of one channel have no channel axis. Sources:
// "Next-generation file formats (NGFF)", version 0.4, 2022; "Zarr storage specification version 2", 2022.
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tiles/file_io.hpp"
#include "tiles/output.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

using Json = nlohmann::ordered_json;

class OmeZarr final : public Output {
 public:
  explicit OmeZarr(const OutputPlan& plan) : Output(plan), root_(plan.work / "image") {}

  Result<void> prepare() const;
  [[nodiscard]] uint32_t planes() const override { return plan_.header.layout.channels; }
  [[nodiscard]] bool ordered() const override { return false; }
  [[nodiscard]] Bytes encode(const Tile& tile) const override;
  [[nodiscard]] std::filesystem::path tile_path(const Tile& tile) const override {
    return chunk_directory(tile.level, tile.plane, tile.row) / std::to_string(tile.column);
  }
  Result<std::vector<std::filesystem::path>> finish() override;
  [[nodiscard]] std::string encoding_name() const override {
    return plan_.options.compression == TileCompression::kZstd      ? "zstd"
           : plan_.options.compression == TileCompression::kDeflate ? "deflate"
                                                                    : "none";
  }

 private:
  [[nodiscard]] bool has_channel_axis() const { return plan_.header.layout.channels > 1; }
  [[nodiscard]] std::filesystem::path chunk_directory(uint32_t level, uint32_t plane, uint32_t row) const {
    std::filesystem::path path = root_ / std::to_string(level);
    if (has_channel_axis()) path /= std::to_string(plane);
    return path / std::to_string(row);
  }
  [[nodiscard]] Json array(uint32_t level) const;
  [[nodiscard]] Json attributes() const;
  [[nodiscard]] Json channel(uint32_t number) const;

  std::filesystem::path root_;
};

Result<void> write_json(const std::filesystem::path& path, const Json& json) {
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return write_file(path, bytes_of(text));
}

Result<void> OmeZarr::prepare() const {
  for (uint32_t level = 0; level < plan_.grids.size(); ++level) {
    for (uint32_t plane = 0; plane < planes(); ++plane) {
      for (uint32_t row = plan_.rows.tiles[level].begin; row < plan_.rows.tiles[level].end; ++row) {
        std::error_code error;
        std::filesystem::create_directories(chunk_directory(level, plane, row), error);
        if (error) return write_error(chunk_directory(level, plane, row), error.value());
      }
    }
  }
  return {};
}

// One channel of a chunk of full size; chunks at the right and lower edges are filled up with zeros.
Bytes OmeZarr::encode(const Tile& tile) const {
  const size_t edge = plan_.options.tile_size;
  const size_t sample = sample_bytes(plan_.header.layout.sample);
  const size_t pixel = plan_.header.layout.pixel_bytes();
  Bytes chunk(edge * edge * sample);
  for (uint32_t y = 0; y < tile.pixels.size.height; ++y) {
    const std::byte* from = tile.pixels.row(y) + tile.plane * sample;
    std::byte* to = chunk.data() + y * edge * sample;
    if (pixel == sample) {
      std::memcpy(to, from, sample * tile.pixels.size.width);
      continue;
    }
    for (uint32_t x = 0; x < tile.pixels.size.width; ++x, from += pixel, to += sample) {
      if (sample == 1) {
        *to = *from;
      } else if (sample == 2) {
        std::memcpy(to, from, 2);
      } else {
        std::memcpy(to, from, 4);
      }
    }
  }
  if (plan_.options.compression == TileCompression::kZstd) return compress_zstd(chunk, kZstdLevel);
  if (plan_.options.compression == TileCompression::kDeflate) return compress_zlib(chunk, kDeflateLevel);
  return chunk;
}

Json OmeZarr::array(uint32_t level) const {
  constexpr const char* kTypes[] = {"|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<f2", "<f4"};
  const TileGrid& grid = plan_.grids[level];
  Json shape = Json::array();
  Json chunks = Json::array();
  if (has_channel_axis()) {
    shape.push_back(plan_.header.layout.channels);
    chunks.push_back(1);
  }
  for (const uint32_t size : {grid.size.height, grid.size.width}) {
    shape.push_back(size);
    chunks.push_back(plan_.options.tile_size);
  }
  Json compressor;  // null: none
  if (plan_.options.compression == TileCompression::kZstd) compressor = {{"id", "zstd"}, {"level", kZstdLevel}};
  if (plan_.options.compression == TileCompression::kDeflate) compressor = {{"id", "zlib"}, {"level", kDeflateLevel}};
  return {{"zarr_format", 2},          {"shape", shape},
          {"chunks", chunks},          {"dtype", kTypes[static_cast<size_t>(plan_.header.layout.sample)]},
          {"compressor", compressor},  {"fill_value", 0},
          {"filters", nullptr},        {"order", "C"},
          {"dimension_separator", "/"}};
}

Json OmeZarr::channel(uint32_t number) const {
  constexpr const char* kColours[] = {"FF0000", "00FF00", "0000FF", "FFFFFF"};
  const uint32_t channels = plan_.header.layout.channels;
  std::string label = std::to_string(number);
  if (number < plan_.header.channel_names.size() && !plan_.header.channel_names[number].empty()) {
    label = plan_.header.channel_names[number];
  } else if (plan_.header.layout.colour && number < 4) {
    constexpr const char* kNames[] = {"Red", "Green", "Blue", "Alpha"};
    label = kNames[number];
  }
  const Sample sample = plan_.header.layout.sample;
  const double most = sample == Sample::kU8    ? 255
                      : sample == Sample::kU16 ? 65535
                      : sample == Sample::kU32 ? 4294967295.0
                      : is_float(sample)       ? 1
                                               : std::ldexp(1.0, static_cast<int>(8 * sample_bytes(sample)) - 1) - 1;
  const bool alpha = plan_.header.layout.has_alpha() && number + 1 == channels;
  return {{"label", label},
          {"color", channels == 1 || !(plan_.header.layout.colour || channels <= 3) ? "FFFFFF" : kColours[number % 4]},
          {"active", !alpha},
          {"coefficient", 1},
          {"family", "linear"},
          {"inverted", false},
          {"window", {{"min", 0}, {"max", most}, {"start", 0}, {"end", most}}}};
}

Json OmeZarr::attributes() const {
  const bool known = plan_.header.pixel_width_um && plan_.header.pixel_height_um;
  const double width = plan_.header.pixel_width_um.value_or(1);
  const double height = plan_.header.pixel_height_um.value_or(1);
  Json axes = Json::array();
  if (has_channel_axis()) axes.push_back({{"name", "c"}, {"type", "channel"}});
  for (const char* name : {"y", "x"}) {
    Json axis = {{"name", name}, {"type", "space"}};
    if (known) axis["unit"] = "micrometer";
    axes.push_back(axis);
  }
  Json datasets = Json::array();
  for (size_t level = 0; level < plan_.grids.size(); ++level) {
    // A texel stands for a block of factor x factor texels of the base; its centre is the block's.
    const double factor = std::ldexp(1.0, static_cast<int>(level));
    Json scale = Json::array();
    Json translation = Json::array();
    if (has_channel_axis()) {
      scale.push_back(1.0);
      translation.push_back(0.0);
    }
    for (const double size : {height, width}) {
      scale.push_back(size * factor);
      translation.push_back(size * (factor - 1) / 2);
    }
    Json transforms = Json::array({{{"type", "scale"}, {"scale", scale}}});
    if (level > 0) transforms.push_back({{"type", "translation"}, {"translation", translation}});
    datasets.push_back({{"path", std::to_string(level)}, {"coordinateTransformations", transforms}});
  }
  Json multiscale = {{"version", "0.4"},
                     {"name", plan_.options.output.stem().string()},
                     {"axes", axes},
                     {"datasets", datasets},
                     {"type", reduction_name(plan_.options.reduction)},
                     {"metadata", {{"method", kZarrMethod}, {"version", ONEPASS_VERSION}}}};
  Json channels = Json::array();
  for (uint32_t c = 0; c < plan_.header.layout.channels; ++c) channels.push_back(channel(c));
  const bool grey = plan_.header.layout.channels == 1;
  return {
      {"multiscales", Json::array({multiscale})},
      {"omero", {{"version", "0.4"}, {"channels", channels}, {"rdefs", {{"model", grey ? "greyscale" : "color"}}}}}};
}

Result<std::vector<std::filesystem::path>> OmeZarr::finish() {
  for (uint32_t level = 0; level < plan_.grids.size(); ++level) {
    if (auto done = write_json(root_ / std::to_string(level) / ".zarray", array(level)); !done) return done.error();
  }
  if (auto done = write_json(root_ / ".zattrs", attributes()); !done) return done.error();
  if (auto done = write_json(root_ / ".zgroup", {{"zarr_format", 2}}); !done) return done.error();
  const Move move{root_, plan_.options.output};
  if (auto done = put_in_place(plan_.work, std::span(&move, 1)); !done) return done.error();
  return std::vector{plan_.options.output};
}

}  // namespace

Result<OutputPtr> make_zarr(const OutputPlan& plan) {
  auto output = std::make_unique<OmeZarr>(plan);
  if (auto done = output->prepare(); !done) return done.error();
  return OutputPtr(std::move(output));
}

}  // namespace onepass::tiles
