// files.cpp: image files and tiled pyramids.
#include "onepass/files.hpp"

#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "onepass/tiles.hpp"
#include "watch.hpp"

namespace onepass::python {
namespace {

void read_association(Options& options, const char* name, std::optional<AlphaAssociation>& field) {
  AlphaAssociation value{};
  const py::object word = options.take(name);
  if (word.is_none()) return;
  py::dict one;
  one[name] = word;
  Options(one).choice(name, value);
  field = value;
}

void read_primaries(Options& options, const char* name, std::optional<Chromaticities>& field) {
  const py::object value = options.take(name);
  if (value.is_none()) return;
  if (py::isinstance<py::str>(value)) {
    static constexpr std::string_view kNames[] = {"rec709", "rec2020", "display_p3", "acescg", "aces2065", "xyz"};
    static constexpr Chromaticities kKnown[] = {kRec709Chromaticities,    kRec2020Chromaticities,
                                                kDisplayP3Chromaticities, kAcesCgChromaticities,
                                                kAces2065Chromaticities,  kXyzChromaticities};
    py::dict one;
    one[name] = value;
    field = kKnown[*Options(one).index_of(name, kNames)];
    return;
  }
  std::array<float, 8> xy{};
  read_floats(value, xy.data(), xy.size(), name);
  field = Chromaticities{{xy[0], xy[1]}, {xy[2], xy[3]}, {xy[4], xy[5]}, {xy[6], xy[7]}};
}

py::tuple xy_of(const Chromaticities& c) {
  return py::make_tuple(c.red[0], c.red[1], c.green[0], c.green[1], c.blue[0], c.blue[1], c.white[0], c.white[1]);
}

// The image as 8-, 16- or 32-bit channels in the order red, green, blue, alpha.
Result<Image> plain(Image image) {
  const FormatInfo info = texel_info(image.format());
  const MutableImageView view = image.view();
  if (info.blue_first && !info.packed) {
    std::byte* bytes = image.data();
    for (size_t i = 0; i + 3 < image.size_in_bytes(); i += 4) std::swap(bytes[i], bytes[i + 2]);
    return image;
  }
  const bool depth24 = image.format() == Format::kX8D24Unorm || image.format() == Format::kD24UnormS8;
  if (!info.packed && !depth24) return image;
  auto decoded = Image::create(Format::kRGBA32Sfloat, view.size, view.slices);
  if (!decoded) return decoded;
  for (uint32_t slice = 0; slice < view.slices; ++slice) {
    for (uint32_t y = 0; y < view.size.height; ++y) {
      decode_row(view.format, view.row(y, slice), view.size.width,
                 reinterpret_cast<float*>(decoded->view().row(y, slice)));
    }
  }
  return decoded;
}

// An array that owns the image. `channels`: 3 leaves out the alpha of four channels, in place.
py::array array_of(Image image, uint32_t channels) {
  const FormatInfo info = texel_info(image.format());
  const size_t item = info.depth ? info.bytes_per_texel : info.bytes_per_texel / info.channels;
  const char* type = item == 1 ? "u1" : item == 2 ? (info.type == ChannelType::kFloat ? "f2" : "u2") : "f4";
  uint32_t stored = info.channels;
  if (channels == 3 && stored == 4) {
    std::byte* out = image.data();
    for (size_t i = 0; i < image.size_in_bytes(); i += item * 4, out += item * 3) {
      std::memmove(out, image.data() + i, item * 3);
    }
    stored = 3;
  }
  const auto [width, height] = image.size();
  std::vector<size_t> shape;
  if (image.slices() > 1) shape.push_back(image.slices());
  shape.push_back(height);
  shape.push_back(width);
  if (stored > 1) shape.push_back(stored);
  auto* owner = new Image(std::move(image));
  const py::capsule keep(owner, [](void* pixels) { delete static_cast<Image*>(pixels); });
  return {py::dtype(type), shape, owner->data(), keep};
}

py::dict read(const std::filesystem::path& path, const py::object& content, py::dict values) {
  files::ReadOptions o;
  Options options(std::move(values));
  options.choice("color", o.color);
  options.text("part", o.part);
  if (const py::object channels = options.take("channels"); !channels.is_none()) {
    if (!py::isinstance<py::list>(channels)) fail(ErrorCode::kInvalidArgument, "must be a list", "channels");
    for (const py::handle name : channels) {
      if (!py::isinstance<py::str>(name)) fail(ErrorCode::kInvalidArgument, "must hold strings", "channels");
      o.channels.push_back(name.cast<std::string>());
    }
  }
  read_association(options, "alpha", o.alpha);
  read_association(options, "assume_alpha", o.assume_alpha);
  read_primaries(options, "primaries", o.primaries);
  read_primaries(options, "assume_primaries", o.assume_primaries);
  options.number("max_bytes", o.max_bytes);
  options.choice("window", o.window);
  options.number("fill", o.fill);
  options.number("threads", o.threads);
  options.finish();

  files::ImageFile file;
  bool srgb = false;
  Watch watch;
  const py::buffer_info bytes =
      content.is_none() ? py::buffer_info() : py::reinterpret_borrow<py::buffer>(content).request();
  watch.run(content.is_none() ? UINT64_MAX : 0, py::none(), [&]() -> Result<void> {
    auto found = content.is_none() ? files::read(path, o)
                                   : files::read_memory({static_cast<const std::byte*>(bytes.ptr),
                                                         static_cast<size_t>(bytes.size * bytes.itemsize)},
                                                        path.string(), o);
    if (!found) return found.error();
    file = std::move(*found);
    srgb = texel_info(file.levels.front().format()).type == ChannelType::kSrgb;
    for (Image& level : file.levels) {
      auto image = plain(std::move(level));
      if (!image) return image.error();
      level = std::move(*image);
    }
    return {};
  });

  const bool colours = file.stored_channels == 3 && file.alpha == AlphaAssociation::kNone;
  py::list levels;
  for (Image& level : file.levels) levels.append(array_of(std::move(level), colours ? 3 : 0));
  py::dict result;
  result["levels"] = levels;
  result["color"] = srgb ? "srgb" : "linear";
  result["type"] = std::string(files::type_name(file.type));
  result["alpha"] = std::string(word_of(file.alpha));
  result["primaries"] = xy_of(file.primaries);
  result["says_primaries"] = file.says_primaries;
  result["transfer"] = file.transfer;
  result["stored_channels"] = file.stored_channels;
  result["stored_bits"] = file.stored_bits;
  result["orientation"] = file.exif_orientation;
  result["cube"] = file.cube;
  py::list warnings;
  for (const std::string& warning : file.warnings) warnings.append(warning);
  result["warnings"] = warnings;
  return result;
}

void write(const std::filesystem::path& path, const py::list& levels, const std::string& type, py::dict values) {
  files::WriteOptions o;
  files::Color color = files::Color::kAuto;
  Options options(std::move(values));
  options.choice("color", color, {files::Color::kAuto});
  read_association(options, "alpha", o.alpha);
  std::optional<Chromaticities> primaries;
  read_primaries(options, "primaries", primaries);
  options.choice("encoding", o.png.color);
  int32_t quality = o.jpeg.quality;
  options.number("quality", quality);
  o.jpeg.quality = quality;
  int32_t effort = o.png.effort;
  options.number("effort", effort);
  o.png.effort = effort;
  int32_t zstd = 0;
  options.number("zstd_level", zstd);
  o.ktx2.zstd_level = zstd;
  options.flag("cube", o.ktx2.cube);
  options.number("bits", o.png.bits);
  options.choice("compression", o.exr.compression);
  uint32_t threads = 0;
  options.number("threads", threads);
  o.exr.threads = o.png.threads = o.tiff.threads = threads;
  options.finish();
  if (primaries) {
    o.png.primaries = primaries;
    o.tiff.primaries = primaries;
    const Chromaticities& c = *primaries;
    o.exr.chromaticities = std::array<float, 8>{static_cast<float>(c.red[0]),   static_cast<float>(c.red[1]),
                                                static_cast<float>(c.green[0]), static_cast<float>(c.green[1]),
                                                static_cast<float>(c.blue[0]),  static_cast<float>(c.blue[1]),
                                                static_cast<float>(c.white[0]), static_cast<float>(c.white[1])};
  }

  // 16 bits have no sRGB format: the file's statement says what they are.
  constexpr uint8_t kLinearCode = 8;
  constexpr uint8_t kSrgbCode = 13;
  const bool wide = type == "H";
  const files::Type file_type = files::type_of_extension(path);
  if (wide && color == files::Color::kSrgb && file_type != files::Type::kPng && file_type != files::Type::kTiff &&
      file_type != files::Type::kJpeg) {
    fail(ErrorCode::kInvalidArgument, "must be uint8 with color='srgb' but in PNG, TIFF and JPEG files", "a");
  }
  if (wide && color != files::Color::kAuto) {
    o.png.code_points = {1, color == files::Color::kSrgb ? kSrgbCode : kLinearCode};
    o.tiff.color = color;
  }
  const Numbers numbers = color == files::Color::kSrgb && !wide ? Numbers::kSrgb : Numbers::kLinear;
  std::vector<Padding> paddings(levels.size());
  std::vector<Layout> layouts;
  std::vector<ImageView> views;
  for (const py::handle level : levels) {
    if (!py::isinstance<py::array>(level)) fail(ErrorCode::kInvalidArgument, "must hold arrays", "a");
    const auto array = py::reinterpret_borrow<py::array>(level);
    const Layout layout = layout_of(array.attr("shape"), type, "a");
    layouts.push_back(layout);
    views.push_back(source_view(array, layout, format_of(Padding::padded(layout), numbers, "a"), "a"));
  }
  Watch watch;
  watch.run(UINT64_MAX, py::none(), [&]() -> Result<void> {
    for (size_t i = 0; i < views.size(); ++i) views[i] = paddings[i].source(views[i], layouts[i], views[i].format);
    return files::write(path, views, o);
  });
}

py::dict tiles(py::dict values, const py::object& report) {
  tiles::TileOptions o;
  Options options(std::move(values));
  std::string input, output;
  options.text("input", input);
  options.text("output", output);
  o.input.path = input;
  o.output = output;
  options.text("raw", o.input.raw);
  options.text("grid", o.input.grid);
  options.number("max_bytes", o.input.max_bytes);
  options.number("levels", o.levels);
  options.number("tile_size", o.tile_size);
  options.number("overlap", o.overlap);
  options.choice("reduction", o.reduction, {Reduction::kMinMax});
  options.choice("color", o.color);
  options.choice("tile_format", o.tile_format);
  options.choice("compression", o.compression);
  int32_t quality = o.quality;
  options.number("quality", quality);
  o.quality = quality;
  options.flag("cog", o.cog);
  options.flag("viewer", o.viewer);
  options.flag("resume", o.resume);
  options.number("threads", o.threads);
  options.finish();

  Watch watch;
  const Progress progress = watch.progress();
  o.progress = [&](const tiles::TileProgress& state) {
    return progress(state.height == 0 ? 0.0 : static_cast<double>(state.rows) / static_cast<double>(state.height));
  };
  tiles::TileReport made;
  watch.run(UINT64_MAX, report, [&]() -> Result<void> {
    auto result = tiles::make_tiles(o);
    if (!result) return result.error();
    made = std::move(*result);
    return {};
  });
  py::list outputs, sizes, warnings;
  for (const auto& path : made.outputs) outputs.append(py::bytes(path.string()));
  for (const Extent& size : made.sizes) sizes.append(py::make_tuple(size.height, size.width));
  for (const std::string& warning : made.warnings) warnings.append(warning);
  py::dict result;
  result["outputs"] = outputs;
  result["sizes"] = sizes;
  result["channels"] = made.channels;
  result["sample"] = made.sample;
  result["srgb"] = made.srgb;
  result["tile_size"] = made.tile_size;
  result["encoding"] = made.encoding;
  result["tiles"] = made.progress.tiles;
  result["bytes_written"] = made.progress.bytes_written;
  result["seconds"] = made.progress.seconds;
  result["warnings"] = warnings;
  return result;
}

}  // namespace

void add_files(py::module_& module) {
  module.def("read", [](const std::string& path, const py::object& content, py::dict values) {
    return read(path, content, std::move(values));
  });
  module.def("write", [](const std::string& path, const py::list& levels, const std::string& type, py::dict values) {
    write(path, levels, type, std::move(values));
  });
  module.def("tiles", &tiles);
}

}  // namespace onepass::python
