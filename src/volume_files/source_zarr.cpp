// source_zarr.cpp: volumes of OME-Zarr and of plain Zarr arrays.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "tiles/text.hpp"
#include "volume_files/ome_metadata.hpp"
#include "volume_files/volume_source.hpp"
#include "volume_files/zarr_array.hpp"

namespace onepass::volumes {
namespace {

using zarr::OmeAxis;
using zarr::OmeImage;
using Kind = OmeAxis::Kind;

// The dimension of an array that is an axis of the volume; none: the volume has one element along it.
using Place = std::optional<size_t>;
struct Places {
  Place x, y, z, channel, time;
};

Error refused(const OmeImage& image, const std::string& text) {
  return zarr::unsupported(image.array.file, "axes are " + image.axis_names() + text);
}

// By their names x, y and z, in any order; axes of other names in the order z, y, x.
Result<void> place_space(const OmeImage& image, const std::vector<size_t>& space, Places& places) {
  const std::array<Place*, 3> wanted = {&places.z, &places.y, &places.x};
  if (space.size() < 2 || space.size() > 3) return refused(image, "; two or three of space are read");
  constexpr std::string_view kNames = "zyx";
  bool are_named = true;
  for (const size_t i : space) {
    const std::string& name = image.axes[i].name;
    const size_t at = name.size() == 1 ? kNames.find(name[0]) : std::string_view::npos;
    are_named = are_named && at != std::string_view::npos && !*wanted[at];
    if (are_named) *wanted[at] = i;
  }
  if (are_named && places.x && places.y) return {};
  for (size_t i = 0; i < 3; ++i) {
    const size_t skipped = 3 - space.size();
    *wanted[i] = i < skipped ? Place() : space[i - skipped];
  }
  return {};
}

Result<Places> place_axes(const OmeImage& image) {
  Places places;
  std::vector<size_t> space;
  for (size_t i = 0; i < image.axes.size(); ++i) {
    const OmeAxis& axis = image.axes[i];
    if (axis.kind == Kind::kSpace) {
      space.push_back(i);
    } else if (axis.kind == Kind::kOther) {
      const uint32_t size = image.array.dimensions[i].size;
      if (size != 1) return refused(image, tiles::text_of("; ", axis.name, " has ", size, " elements"));
    } else {
      Place& place = axis.kind == Kind::kTime ? places.time : places.channel;
      if (place) return refused(image, "; one of time and one of channels are read");
      place = i;
    }
  }
  if (auto done = place_space(image, space, places); !done) return done.error();
  return places;
}

// Lengths in the unit of x. Without a common unit none are stated.
void take_lengths(const OmeImage& image, const Places& places, VolumeMetadata& out) {
  out.unit = image.axes[*places.x].unit;
  if (!image.has_scale) return;
  VoxelSize voxel;
  VoxelSize origin{.x = 0, .y = 0, .z = 0};
  const std::tuple<Place, double*, double*> kAxes[] = {
      {places.x, &voxel.x, &origin.x}, {places.y, &voxel.y, &origin.y}, {places.z, &voxel.z, &origin.z}};
  for (const auto& [place, length, start] : kAxes) {
    if (!place) continue;
    const OmeAxis& axis = image.axes[*place];
    double factor = 1;
    if (axis.unit != out.unit) {
      const auto from = zarr::micrometres(axis.unit);
      const auto to = zarr::micrometres(out.unit);
      if (!from || !to) return out.unit.clear();
      factor = *from / *to;
    }
    *length = axis.scale * factor;
    *start = axis.translation * factor;
  }
  out.voxel = voxel;
  out.origin = origin;
}

void take_metadata(const OmeImage& image, const Places& places, uint32_t channels, VolumeMetadata& out) {
  take_lengths(image, places, out);
  out.name = image.name;
  if (places.time) {
    out.time_step = image.axes[*places.time].scale;
    out.time_unit = image.axes[*places.time].unit;
  }
  if (image.channel_names.size() == channels) out.channel_names = image.channel_names;
  const auto text = [](const zarr::Json& json) {
    return json.is_null() ? std::string() : json.dump(-1, ' ', false, zarr::Json::error_handler_t::replace);
  };
  out.omero = text(image.omero);
  out.image_label = text(image.image_label);
}

class ZarrVolume final : public VolumeSource {
 public:
  ZarrVolume(const std::filesystem::path& root, const OmeImage& image, const Places& places, tiles::WorkerPool& pool)
      : places_(places), array_(image.array, pool) {
    name_ = root.string();
    const auto dimension = [&](const Place& place) {
      return place ? array_.metadata().dimensions[*place] : zarr::Dimension();
    };
    header_.size = {dimension(places.x).size, dimension(places.y).size, dimension(places.z).size};
    const auto block = [&](const Place& place) { return std::min(dimension(place).block, dimension(place).size); };
    header_.block = {block(places.x), block(places.y), block(places.z)};
    header_.type = array_.metadata().type;
    header_.set = {.times = dimension(places.time).size,
                   .channels = dimension(places.channel).size,
                   .has_time_axis = places.time.has_value(),
                   .has_channel_axis = places.channel.has_value()};
    take_metadata(image, places, header_.set.channels, header_.metadata);
  }

  [[nodiscard]] uint64_t memory_bytes(VolumeSize box) const override {
    return array_.memory_bytes(array_box(0, {.size = box}));
  }

  Result<void> read(uint32_t index, const VolumeBox& box, std::byte* out, size_t row_stride,
                    size_t plane_stride) override {
    zarr::Strides strides{};
    strides[*places_.x] = voxel_info(header_.type).bytes;
    strides[*places_.y] = row_stride;
    if (places_.z) strides[*places_.z] = plane_stride;
    return array_.read(array_box(index, box), out, strides);
  }

 private:
  [[nodiscard]] zarr::ArrayBox array_box(uint32_t index, const VolumeBox& box) const {
    zarr::ArrayBox out;
    out.size.fill(1);
    const auto set = [&](const Place& place, uint32_t first, uint32_t size) {
      if (!place) return;
      out.first[*place] = first;
      out.size[*place] = size;
    };
    set(places_.x, box.x, box.size.width);
    set(places_.y, box.y, box.size.height);
    set(places_.z, box.z, box.size.planes);
    set(places_.channel, index % header_.set.channels, 1);
    set(places_.time, index / header_.set.channels, 1);
    return out;
  }

  Places places_;
  zarr::ZarrArray array_;
};

}  // namespace

Result<VolumeSourcePtr> open_zarr_volume(const std::filesystem::path& root, tiles::WorkerPool& pool,
                                         const remote::SitePtr& site) {
  auto image = zarr::read_ome_image(root, site);
  if (!image) return image.error();
  const auto places = place_axes(*image);
  if (!places) return places.error();
  uint64_t volumes = 1;
  for (const Place& place : {places->time, places->channel}) {
    if (place) volumes *= image->array.dimensions[*place].size;
  }
  if (volumes > UINT32_MAX) return refused(*image, tiles::text_of("; they hold ", volumes, " volumes"));
  return VolumeSourcePtr(std::make_unique<ZarrVolume>(root, *image, *places, pool));
}

}  // namespace onepass::volumes
