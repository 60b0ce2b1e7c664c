// volume_metadata.cpp: OME-NGFF 0.4 over Zarr 2, and 0.5 over Zarr 3.
// Sources: "Next-generation file formats (NGFF)", versions 0.4, 2022, and 0.5, 2024; "Zarr core specification", version
// 3, 2024; "Sharding codec", version 1.0 (ZEP 2), 2023; "Zarr storage specification version 2", 2022.
#include "volume_files/volume_metadata.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tiles/file_io.hpp"
#include "tiles/output.hpp"
#include "volume_files/chunk_codec.hpp"
#include "volume_files/zarr_paths.hpp"

namespace onepass::volumes {
namespace {

using VolumeJson = nlohmann::ordered_json;

bool is_zarr_3(const VolumeLayout& layout) { return layout.options.zarr_version == 3; }

/// One value per axis of the output: those of times and channels where it has such axes, then z, y, x.
template <typename T>
VolumeJson per_output_axis(const VolumeLayout& layout, T time, T channel, T z, T y, T x) {
  VolumeJson values = VolumeJson::array();
  if (has_time_axis(layout)) values.push_back(time);
  if (has_channel_axis(layout)) values.push_back(channel);
  for (const T value : {z, y, x}) values.push_back(value);
  return values;
}

VolumeJson axis_values(const VolumeLayout& layout, uint32_t time, uint32_t channel, const VolumeSize& size) {
  return per_output_axis<uint32_t>(layout, time, channel, size.planes, size.height, size.width);
}

VolumeJson shape_of(const VolumeLayout& layout, uint32_t level) {
  return axis_values(layout, layout.header.set.times, layout.header.set.channels, layout.levels[level].size);
}

VolumeJson named_codec(const char* name, VolumeJson configuration) {
  return {{"name", name}, {"configuration", std::move(configuration)}};
}

/// The codecs of a chunk: its bytes, compressed.
VolumeJson chunk_codecs(const VolumeLayout& layout) {
  VolumeJson codecs = VolumeJson::array({named_codec("bytes", {{"endian", "little"}})});
  VolumeJson codec = codec_of_zarr_3(layout.options.compression, layout.voxel_bytes());
  if (!codec.is_null()) codecs.push_back(std::move(codec));
  return codecs;
}

VolumeJson array_3(const VolumeLayout& layout, uint32_t level) {
  const LevelLayout& grid = layout.levels[level];
  VolumeJson names = VolumeJson::array();
  if (has_time_axis(layout)) names.push_back("t");
  if (has_channel_axis(layout)) names.push_back("c");
  for (const char* name : {"z", "y", "x"}) names.push_back(name);
  VolumeJson codecs = chunk_codecs(layout);
  if (layout.has_shards()) {
    const VolumeJson index_codecs =
        VolumeJson::array({named_codec("bytes", {{"endian", "little"}}), VolumeJson{{"name", "crc32c"}}});
    codecs = VolumeJson::array({named_codec("sharding_indexed", {{"chunk_shape", axis_values(layout, 1, 1, grid.chunk)},
                                                                 {"codecs", codecs},
                                                                 {"index_codecs", index_codecs},
                                                                 {"index_location", "end"}})});
  }
  const bool is_float = layout.header.type == VoxelType::kFloat16 || layout.header.type == VoxelType::kFloat32;
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", shape_of(layout, level)},
          {"data_type", voxel_info(layout.header.type).name},
          {"chunk_grid", named_codec("regular", {{"chunk_shape", axis_values(layout, 1, 1, grid.shard)}})},
          {"chunk_key_encoding", named_codec("default", {{"separator", "/"}})},
          {"fill_value", is_float ? VolumeJson(0.0) : VolumeJson(0)},
          {"codecs", codecs},
          {"attributes", VolumeJson::object()},
          {"dimension_names", names}};
}

VolumeJson array_2(const VolumeLayout& layout, uint32_t level) {
  constexpr const char* kTypes[] = {"|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<f2", "<f4"};
  return {{"zarr_format", 2},
          {"shape", shape_of(layout, level)},
          {"chunks", axis_values(layout, 1, 1, layout.levels[level].chunk)},
          {"dtype", kTypes[static_cast<size_t>(layout.header.type)]},
          {"compressor", compressor_of_zarr_2(layout.options.compression)},
          {"fill_value", 0},
          {"filters", nullptr},
          {"order", "C"},
          {"dimension_separator", "/"}};
}

VolumeJson axes_of(const VolumeLayout& layout) {
  const VolumeMetadata& metadata = layout.header.metadata;
  VolumeJson axes = VolumeJson::array();
  if (has_time_axis(layout)) {
    axes.push_back({{"name", "t"}, {"type", "time"}});
    if (!metadata.time_unit.empty()) axes.back()["unit"] = metadata.time_unit;
  }
  if (has_channel_axis(layout)) axes.push_back({{"name", "c"}, {"type", "channel"}});
  for (const char* name : {"z", "y", "x"}) {
    axes.push_back({{"name", name}, {"type", "space"}});
    if (metadata.voxel && !metadata.unit.empty()) axes.back()["unit"] = metadata.unit;
  }
  return axes;
}

/// Where a level lies. A voxel stands for a box of voxels of the base; its centre is the box's.
VolumeJson dataset_of(const VolumeLayout& layout, uint32_t level) {
  const VolumeMetadata& metadata = layout.header.metadata;
  const VoxelSize voxel = metadata.voxel.value_or(VoxelSize{});
  const VoxelSize& origin = metadata.origin;
  const Factors& f = layout.levels[level].factors;
  const auto scale = [](double extent, uint64_t factor) { return extent * static_cast<double>(factor); };
  const auto shift = [](double begin, double extent, uint64_t factor) {
    return begin + extent * static_cast<double>(factor - 1) / 2;
  };
  const VolumeJson scales = per_output_axis<double>(layout, metadata.time_step, 1.0, scale(voxel.z, f.z),
                                                    scale(voxel.y, f.y), scale(voxel.x, f.x));
  const VolumeJson shifts = per_output_axis<double>(layout, 0.0, 0.0, shift(origin.z, voxel.z, f.z),
                                                    shift(origin.y, voxel.y, f.y), shift(origin.x, voxel.x, f.x));
  VolumeJson transforms = VolumeJson::array({{{"type", "scale"}, {"scale", scales}}});
  if (level > 0 || origin.x != 0 || origin.y != 0 || origin.z != 0) {
    transforms.push_back({{"type", "translation"}, {"translation", shifts}});
  }
  return {{"path", std::to_string(level)}, {"coordinateTransformations", transforms}};
}

/// Channels by name, in colours that viewers tell apart, with the range of the type.
VolumeJson channels_of(const VolumeLayout& layout) {
  constexpr const char* kColours[] = {"00FFFF", "FF00FF", "FFFF00", "FF0000", "00FF00", "0000FF"};
  const VoxelType type = layout.header.type;
  const int bits = static_cast<int>(8 * layout.voxel_bytes());
  const bool is_signed = type == VoxelType::kInt8 || type == VoxelType::kInt16 || type == VoxelType::kInt32;
  const bool is_float = type == VoxelType::kFloat16 || type == VoxelType::kFloat32;
  const double most = is_float ? 1 : std::ldexp(1.0, is_signed ? bits - 1 : bits) - 1;
  VolumeJson channels = VolumeJson::array();
  const std::vector<std::string>& names = layout.header.metadata.channel_names;
  for (size_t c = 0; c < names.size(); ++c) {
    channels.push_back({{"label", names[c]},
                        {"color", names.size() == 1 ? "FFFFFF" : kColours[c % std::size(kColours)]},
                        {"active", true},
                        {"coefficient", 1},
                        {"family", "linear"},
                        {"inverted", false},
                        {"window", {{"min", 0}, {"max", most}, {"start", 0}, {"end", most}}}});
  }
  return channels;
}

/// JSON that a source passes on, with the version that its place needs. Null: there is none.
VolumeJson passed_on(const VolumeLayout& layout, const std::string& text) {
  VolumeJson json = text.empty() ? VolumeJson() : VolumeJson::parse(text, nullptr, false);
  if (!json.is_object()) return nullptr;
  json.erase("version");
  if (!is_zarr_3(layout)) json["version"] = "0.4";
  return json;
}

/// multiscales, omero and image-label.
VolumeJson image_of(const VolumeLayout& layout) {
  const VolumeMetadata& metadata = layout.header.metadata;
  VolumeJson image = VolumeJson::object();
  VolumeJson multiscale = VolumeJson::object();
  if (is_zarr_3(layout)) {
    image["version"] = "0.5";
  } else {
    multiscale["version"] = "0.4";
  }
  multiscale["name"] = metadata.name.empty() ? layout.options.output.stem().string() : metadata.name;
  multiscale["axes"] = axes_of(layout);
  multiscale["datasets"] = VolumeJson::array();
  for (uint32_t level = 0; level < layout.levels.size(); ++level) {
    multiscale["datasets"].push_back(dataset_of(layout, level));
  }
  multiscale["type"] = tiles::reduction_name(layout.options.reduction);
  multiscale["metadata"] = {{"method", kVolumeMethod}, {"version", ONEPASS_VERSION}};
  image["multiscales"] = VolumeJson::array({multiscale});
  VolumeJson omero = passed_on(layout, metadata.omero);
  if (omero.is_null() && !metadata.channel_names.empty()) {
    omero = passed_on(layout, VolumeJson{{"channels", channels_of(layout)}}.dump(-1, ' ', false,
                                                                                 VolumeJson::error_handler_t::replace));
  }
  if (!omero.is_null()) image["omero"] = omero;
  if (VolumeJson label = passed_on(layout, metadata.image_label); !label.is_null()) image["image-label"] = label;
  return image;
}

Result<void> write_volume_json(const std::filesystem::path& path, const VolumeJson& json) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return tiles::write_error(path.parent_path(), error.value());
  const std::string text = json.dump(2, ' ', false, VolumeJson::error_handler_t::replace) + "\n";
  return tiles::write_file(path, tiles::bytes_of(text));
}

}  // namespace

Result<void> write_metadata(const VolumeLayout& layout) {
  for (uint32_t level = 0; level < layout.levels.size(); ++level) {
    const std::filesystem::path folder = layout.root / std::to_string(level);
    const Result<void> done = is_zarr_3(layout) ? write_volume_json(folder / "zarr.json", array_3(layout, level))
                                                : write_volume_json(folder / ".zarray", array_2(layout, level));
    if (!done) return done;
  }
  if (is_zarr_3(layout)) {
    return write_volume_json(layout.root / "zarr.json",
                             {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", {{"ome", image_of(layout)}}}});
  }
  if (auto done = write_volume_json(layout.root / ".zattrs", image_of(layout)); !done) return done;
  return write_volume_json(layout.root / ".zgroup", {{"zarr_format", 2}});
}

}  // namespace onepass::volumes
