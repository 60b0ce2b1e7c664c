// volume_dump.cpp: opens a volume, prints its header as JSON, and writes its voxels to a file, volume after volume.
// Voxels are read in boxes whose sizes have nothing to do with how they are stored.
//
// usage: volume_dump PATH OUTPUT      PATH with {z}: numbered planes
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "volume_files/volume_source.hpp"

namespace {

using namespace onepass;
using namespace onepass::volumes;

nlohmann::json json_of(const VolumeHeader& header) {
  const auto& [name, voxel, origin, unit, time_step, time_unit, channel_names, omero, image_label] = header.metadata;
  nlohmann::json json = {
      {"size", {header.size.width, header.size.height, header.size.planes}},
      {"block", {header.block.width, header.block.height, header.block.planes}},
      {"type", voxel_info(header.type).name},
      {"times", header.set.times},
      {"channels", header.set.channels},
      {"axes", std::string(header.set.has_time_axis ? "t" : "") + (header.set.has_channel_axis ? "c" : "") + "zyx"},
      {"name", name},
      {"origin", {origin.x, origin.y, origin.z}},
      {"unit", unit},
      {"time_step", time_step},
      {"time_unit", time_unit},
      {"channel_names", channel_names}};
  if (voxel) json["voxel"] = {voxel->x, voxel->y, voxel->z};
  return json;
}

Result<void> dump(VolumeSource& source, std::ofstream& file) {
  const VolumeHeader& header = source.header();
  const size_t bytes = voxel_info(header.type).bytes;
  const size_t row = bytes * header.size.width;
  const size_t plane = row * header.size.height;
  std::vector<std::byte> volume(plane * header.size.planes);
  constexpr VolumeSize kStep{37, 23, 5};
  for (uint32_t index = 0; index < header.set.count(); ++index) {
    for (uint32_t z = 0; z < header.size.planes; z += kStep.planes) {
      for (uint32_t y = 0; y < header.size.height; y += kStep.height) {
        for (uint32_t x = 0; x < header.size.width; x += kStep.width) {
          const VolumeBox box{
              x,
              y,
              z,
              {std::min(kStep.width, header.size.width - x), std::min(kStep.height, header.size.height - y),
               std::min(kStep.planes, header.size.planes - z)}};
          auto done = source.read(index, box, volume.data() + z * plane + y * row + x * bytes, row, plane);
          if (!done) return done;
        }
      }
    }
    file.write(reinterpret_cast<const char*>(volume.data()), static_cast<std::streamsize>(volume.size()));
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::string path = arguments[1];
  tiles::WorkerPool pool(2);
  VolumeInput input;
  if (path.find("{z}") != std::string::npos) {
    input.planes = path;
  } else {
    input.path = path;
  }
  auto source = open_volume(input, pool);
  std::ofstream file(arguments[2], std::ios::binary);
  const Result<void> done = source ? dump(**source, file) : Result<void>(source.error());
  if (!done) {
    std::fprintf(stderr, "%s\n", done.error().text().c_str());
    return 1;
  }
  std::printf("%s\n", json_of((*source)->header()).dump().c_str());
  return 0;
}
