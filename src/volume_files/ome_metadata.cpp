// ome_metadata.cpp: .zattrs of OME-Zarr up to 0.4, attributes.ome of zarr.json from 0.5 on.
#include "volume_files/ome_metadata.hpp"

#include <algorithm>
#include <cmath>

#include "remote/address.hpp"
#include "tiles/text.hpp"

namespace onepass::zarr {
namespace {

namespace fs = std::filesystem;
using Kind = OmeAxis::Kind;

constexpr size_t kMostName = 100;  // bytes of a name in a message

/// Metadata of OME in `file`; null for an array without.
struct Attributes {
  fs::path file;
  Json ome;
};

Result<Attributes> read_attributes(const fs::path& root, const remote::SitePtr& site) {
  const fs::path file = root / "zarr.json";
  if (auto json = read_json(file, site)) {
    const Json& attributes = member(*json, "attributes");
    const Json& ome = member(attributes, "ome");
    return Attributes{file, ome.is_null() ? attributes : ome};
  } else if (json.error().code != ErrorCode::kNotFound) {
    return json.error();
  }
  const fs::path old_file = root / ".zattrs";
  if (auto json = read_json(old_file, site)) {
    return Attributes{old_file, std::move(*json)};
  } else if (json.error().code != ErrorCode::kNotFound) {
    return json.error();
  }
  if (is_array(root, site)) return Attributes{root / ".zarray", Json()};
  if (site)
    return Error{ErrorCode::kNotFound,
                 "is neither a TIFF file nor a directory with zarr.json, .zattrs or .zarray; over HTTP TIFF and "
                 "OME-Zarr are read",
                 root.string()};
  return unsupported(root, "is a directory without the metadata of OME-Zarr (.zattrs or zarr.json)");
}

// A level lies below the image's directory.
bool is_inside(const fs::path& path) {
  return !path.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

Kind kind_of(const std::string& name, const std::string& type) {
  if (type == "time" || (type.empty() && name == "t")) return Kind::kTime;
  if (type == "channel" || (type.empty() && name == "c")) return Kind::kChannel;
  if (type == "space" || (type.empty() && (name == "z" || name == "y" || name == "x"))) return Kind::kSpace;
  return Kind::kOther;
}

OmeAxis axis_of(const std::string& name, const std::string& type = {}, const std::string& unit = {}) {
  return {.name = name, .kind = kind_of(name, type), .unit = unit};
}

// The last of t, c, z, y, x: of OME-Zarr 0.1 and 0.2, and of arrays.
std::vector<OmeAxis> usual_axes(size_t count) {
  std::vector<OmeAxis> axes;
  constexpr const char* kNames[] = {"t", "c", "z", "y", "x"};
  for (size_t i = count < 5 ? 5 - count : 0; i < 5; ++i) axes.push_back(axis_of(kNames[i]));
  return axes;
}

// The names of version 3, if each is one of the usual ones.
std::vector<OmeAxis> array_axes(const ArrayMetadata& array) {
  std::vector<OmeAxis> axes;
  for (const Dimension& dimension : array.dimensions) {
    axes.push_back(axis_of(dimension.name));
    if (axes.back().kind == Kind::kOther) return usual_axes(array.dimensions.size());
  }
  return axes;
}

// A name, or of 0.6 an object with a name.
std::string system_name(const Json& json) {
  return json.is_string() ? json.get<std::string>() : text_member(json, "name");
}

// The axes of 0.3 to 0.5; of 0.6 those of the coordinate system that the base is transformed to.
const Json& listed_axes(const Json& multiscale, const Json& dataset) {
  const Json& systems = member(multiscale, "coordinateSystems");
  if (systems.is_null()) return member(multiscale, "axes");
  const Json& transform = element(member(dataset, "coordinateTransformations"), 0);
  const std::string wanted = system_name(member(transform, "output"));
  for (size_t i = 0; systems.is_array() && i < systems.size(); ++i) {
    if (text_member(systems[i], "name") == wanted) return member(systems[i], "axes");
  }
  return member(element(systems, 0), "axes");
}

std::vector<OmeAxis> named_axes(const Json& listed, size_t count) {
  if (listed.is_null()) return usual_axes(count);  // versions 0.1 and 0.2
  std::vector<OmeAxis> axes;
  for (size_t i = 0; listed.is_array() && i < listed.size(); ++i) {
    const Json& axis = listed[i];
    axes.push_back(axis.is_string()
                       ? axis_of(axis.get<std::string>())  // version 0.3
                       : axis_of(text_member(axis, "name"), text_member(axis, "type"), text_member(axis, "unit")));
  }
  return axes;
}

// Applies scales and translations in their order.
Result<void> transform(const fs::path& file, const Json& transforms, OmeImage& image) {
  for (size_t i = 0; transforms.is_array() && i < transforms.size(); ++i) {
    const std::string type = text_member(transforms[i], "type");
    if (type == "identity") continue;
    if (type == "sequence") {
      if (auto done = transform(file, member(transforms[i], "transformations"), image); !done) return done;
      continue;
    }
    const bool is_scale = type == "scale";
    if (!is_scale && type != "translation") {
      return unsupported(file, "coordinateTransformations: type is " + shown(member(transforms[i], "type")) +
                                   "; scale, translation, identity and sequences of them are read");
    }
    const Json& numbers = member(transforms[i], type.c_str());
    const auto wrong = [&] {
      return bad(file, tiles::text_of("coordinateTransformations: ", type, " is ", shown(numbers), " for ",
                                      image.axes.size(), " axes"));
    };
    if (!numbers.is_array() || numbers.size() != image.axes.size()) return wrong();
    for (size_t k = 0; k < numbers.size(); ++k) {
      const double number = numbers[k].is_number() ? numbers[k].get<double>() : std::nan("");
      if (!std::isfinite(number) || (is_scale && number <= 0)) return wrong();
      OmeAxis& axis = image.axes[k];
      axis.scale *= is_scale ? number : 1;
      axis.translation = is_scale ? axis.translation * number : axis.translation + number;
    }
    image.has_scale = image.has_scale || is_scale;
  }
  return {};
}

void take_descriptions(const Json& ome, const Json& multiscale, OmeImage& image) {
  image.name = text_member(multiscale, "name");
  image.omero = member(ome, "omero");
  image.image_label = member(ome, "image-label");
  const Json& channels = member(image.omero, "channels");
  for (size_t i = 0; channels.is_array() && i < channels.size(); ++i) {
    image.channel_names.push_back(text_member(channels[i], "label"));
  }
}

Result<OmeImage> read_multiscale(const fs::path& root, const remote::SitePtr& site, const Attributes& attributes,
                                 const Json& multiscale) {
  const Json& dataset = element(member(multiscale, "datasets"), 0);
  const fs::path level(text_member(dataset, "path"));
  if (!is_inside(level)) return bad(attributes.file, "names no level of an image (multiscales, datasets, path)");
  OmeImage image;
  auto array = read_array_metadata(root / (site ? fs::path(remote::encode_name(level.string())) : level), site);
  if (!array) return array.error();
  image.array = std::move(*array);
  const size_t dimensions = image.array.dimensions.size();
  image.axes = named_axes(listed_axes(multiscale, dataset), dimensions);
  if (image.axes.size() != dimensions) {
    return bad(image.array.file,
               tiles::text_of("shape has ", dimensions, " axes, but OME-Zarr's metadata name ", image.axes.size()));
  }
  if (auto done = transform(attributes.file, member(dataset, "coordinateTransformations"), image); !done) {
    return done.error();
  }
  // Those of 0.6 lead to further coordinate systems.
  if (!multiscale.contains("coordinateSystems")) {
    if (auto done = transform(attributes.file, member(multiscale, "coordinateTransformations"), image); !done) {
      return done.error();
    }
  }
  take_descriptions(attributes.ome, multiscale, image);
  return image;
}

}  // namespace

std::string OmeImage::axis_names() const {
  std::string names;
  for (const OmeAxis& axis : axes) names += (names.empty() ? "" : ", ") + axis.name.substr(0, kMostName);
  return names;
}

std::optional<double> micrometres(std::string_view unit) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"angstrom", 1e-4},  {"picometer", 1e-6}, {"nanometer", 1e-3}, {"micrometer", 1},
      {"millimeter", 1e3}, {"centimeter", 1e4}, {"meter", 1e6},      {"kilometer", 1e9}};
  for (const auto& [name, factor] : kUnits) {
    if (name == unit) return factor;
  }
  return std::nullopt;
}

Result<OmeImage> read_ome_image(const fs::path& root, const remote::SitePtr& site) {
  const auto attributes = read_attributes(root, site);
  if (!attributes) return attributes.error();
  const Json& ome = attributes->ome;
  if (ome.contains("plate")) return unsupported(root, "is a plate of OME-Zarr: name one field of a well");
  const Json& multiscale = element(member(ome, "multiscales"), 0);
  if (!multiscale.is_null()) return read_multiscale(root, site, *attributes, multiscale);
  if (ome.contains("bioformats2raw.layout")) {
    return unsupported(root, "is a collection of images: name one of them, " + (root / "0").string());
  }
  if (!is_array(root, site)) return bad(attributes->file, "names no level of an image (multiscales, datasets, path)");
  OmeImage image;
  auto array = read_array_metadata(root, site);
  if (!array) return array.error();
  image.array = std::move(*array);
  image.axes = array_axes(image.array);
  if (image.axes.size() != image.array.dimensions.size()) {
    return unsupported(image.array.file, tiles::text_of("shape has ", image.array.dimensions.size(),
                                                        " dimensions, but nothing names its axes"));
  }
  return image;
}

}  // namespace onepass::zarr
