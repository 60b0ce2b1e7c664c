// input.cpp: reads files, selects channels, checks depth, applies --nonfinite and --background, stacks slices.
#include "input.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "onepass/nonfinite.hpp"

namespace onepass::cli {
namespace {

Error failed(const std::string& path, ErrorCode code, std::string message) { return {code, std::move(message), path}; }

// The file's pixels; of EXR files the channels asked for, or Z for depth.
Result<files::ImageFile> read_file(const Request& request, const std::string& path) {
  const InputFile file(path, request.picture.max_memory);
  const PictureOptions& picture = request.picture;
  files::ReadOptions options{.color = request.color,
                             .assume_alpha = picture.input_alpha,
                             .assume_primaries = picture.input_primaries,
                             .max_bytes = picture.max_memory,
                             .threads = request.threads,
                             .before_allocation = request.before_allocation};
  if (!file.is_exr()) return file.read(options);
  options.window = picture.window.value_or(files::Window::kData);
  options.channels = request.channels;
  if (request.kind == Request::Kind::kHiz && request.channels.empty()) {
    options.channels = {"Z"};
    auto depth = file.read(options);
    if (depth || depth.error().code != ErrorCode::kNotFound) return depth;
    options.channels.clear();
  }
  return file.read(options);
}

// Operations that make an image upright.
struct Turn {
  bool swap = false;  // transpose, before the flips
  bool flip_x = false;
  bool flip_y = false;
};

Turn turn_of(const files::ImageFile& file) {
  if (file.type == files::Type::kKtx2)
    return {false, file.ktx_orientation.starts_with('l'), file.ktx_orientation.ends_with('u')};
  switch (file.exif_orientation) {
    case 2:
      return {.flip_x = true};
    case 3:
      return {.flip_x = true, .flip_y = true};
    case 4:
      return {.flip_y = true};
    case 5:
      return {.swap = true};
    case 6:
      return {.swap = true, .flip_x = true};
    case 7:
      return {.swap = true, .flip_x = true, .flip_y = true};
    case 8:
      return {.swap = true, .flip_y = true};
    default:
      return {};
  }
}

Result<Image> turned(const Image& image, Turn turn) {
  const Extent from = image.size();
  const Extent to = turn.swap ? Extent{from.height, from.width} : from;
  auto out = Image::create(image.format(), to, image.slices());
  if (!out) return out;
  const size_t texel = format_info(image.format()).bytes_per_texel;
  for (uint32_t slice = 0; slice < image.slices(); ++slice) {
    for (uint32_t y = 0; y < to.height; ++y) {
      std::byte* row = out->view().row(y, slice);
      const uint32_t v = turn.flip_y ? to.height - 1 - y : y;
      for (uint32_t x = 0; x < to.width; ++x) {
        const uint32_t u = turn.flip_x ? to.width - 1 - x : x;
        const std::byte* source = image.view().row(turn.swap ? u : v, slice);
        std::memcpy(row + x * texel, source + (turn.swap ? v : u) * texel, texel);
      }
    }
  }
  return out;
}

// The format with the type of `format` and another number of channels; kUndefined if there is none.
Format with_channels(Format format, uint32_t channels) {
  constexpr Format kFamilies[][3] = {
      {Format::kR8Unorm, Format::kRG8Unorm, Format::kRGBA8Unorm},
      {Format::kR16Unorm, Format::kRG16Unorm, Format::kRGBA16Unorm},
      {Format::kR16Sfloat, Format::kRG16Sfloat, Format::kRGBA16Sfloat},
      {Format::kR32Sfloat, Format::kRG32Sfloat, Format::kRGBA32Sfloat},
  };
  const size_t place = channels == 1 ? 0 : channels == 2 ? 1 : 2;
  for (const auto& family : kFamilies) {
    for (const Format member : family) {
      if (member == format) return family[place];
    }
  }
  const bool srgb = format_info(format).type == ChannelType::kSrgb;
  if (srgb && channels != 2) return channels == 1 ? Format::kR8Srgb : Format::kRGBA8Srgb;
  return with_channels(Format::kR32Sfloat, channels);
}

// Selects channels of a file that does not name them: R, G, B and A.
Result<Image> select_channels(const std::string& path, const Image& image, std::span<const std::string> names) {
  if (names.size() > 4) return failed(path, ErrorCode::kInvalidArgument, "--channel names more than four channels");
  const uint32_t available = format_info(image.format()).channels;
  std::vector<size_t> picks;
  for (const std::string& name : names) {
    const size_t index = name.size() == 1 ? std::string_view("RGBA").find(name) : std::string::npos;
    if (index == std::string::npos || index >= available) {
      const std::string_view known = std::string_view("R G B A").substr(0, 2 * available - 1);
      return failed(path, ErrorCode::kNotFound, fmt::format("has no channel '{}'; its channels are {}", name, known));
    }
    picks.push_back(index);
  }
  const auto count = static_cast<uint32_t>(picks.size());
  auto picked = Image::create(with_channels(image.format(), count), image.size(), image.slices());
  if (!picked) return picked.error();
  const uint32_t width = image.size().width;
  std::vector<float> from(size_t{4} * width);
  std::vector<float> to(from.size());
  for (uint32_t slice = 0; slice < image.slices(); ++slice) {
    for (uint32_t y = 0; y < image.size().height; ++y) {
      decode_row(image.format(), image.view().row(y, slice), width, from.data());
      for (size_t x = 0; x < width; ++x) {
        for (size_t c = 0; c < 4; ++c) to[4 * x + c] = c < count ? from[4 * x + picks[c]] : c == 3 ? 1.0F : 0.0F;
      }
      encode_row(picked->format(), to.data(), width, picked->view().row(y, slice));
    }
  }
  return picked;
}

// Refuses images with more channels than depth has: one, or two for min_max.
Result<void> check_depth(const Request& request, const std::string& path, const Image& image) {
  const FormatInfo& info = format_info(image.format());
  if (info.channels > request.depth_channels) {
    return failed(
        path, ErrorCode::kInvalidArgument,
        fmt::format("has {} channels; choose the depth with --channel, for example --channel R", info.channels));
  }
  return {};
}

// What --nonfinite zero writes for Inf: the largest value that the image and the target hold. Of floats a quarter of
// it, so that the sum of four, of which a mean is made, is finite.
float stand_in_for_infinity(Format format, Format target) {
  return std::min({largest_value(format, 2), largest_value(target, 2), std::numeric_limits<float>::max() / 4});
}

// NaN becomes 0, Inf the stand-in with its sign.
void replace_values(const MutableImageView& image, float stand_in) {
  std::vector<float> row(size_t{4} * image.size.width);
  for (uint32_t slice = 0; slice < image.slices; ++slice) {
    for (uint32_t y = 0; y < image.size.height; ++y) {
      decode_row(image.format, image.row(y, slice), image.size.width, row.data());
      bool changed = false;
      for (float& value : row) {
        if (std::isfinite(value)) continue;
        value = std::isnan(value) ? 0.0F : std::copysign(stand_in, value);
        changed = true;
      }
      if (changed) encode_row(image.format, row.data(), image.size.width, image.row(y, slice));
    }
  }
}

// Applies --nonfinite to an image.
Result<void> treat_nonfinite(const Request& request, const std::string& path, Base& base) {
  const NonFinitePolicy policy = request.picture.nonfinite;
  if (policy == NonFinitePolicy::kKeep) return {};
  const NonFiniteOptions options{.infinite = policy != NonFinitePolicy::kRefuseNan, .threads = request.threads};
  const auto found = find_nonfinite(base.image.view(), options);
  if (!found) return found.error();
  if (found->count() == 0) return {};
  // With kRefuseNan infinite texels were not counted.
  std::string counts = found->nan_count > 0 ? fmt::format("{} NaN ", found->nan_count) : "";
  if (options.infinite && found->infinite_count > 0) {
    counts += fmt::format("{}{} infinite ", counts.empty() ? "" : "and ", found->infinite_count);
  }
  counts += found->count() == 1 ? "texel" : "texels";
  if (policy == NonFinitePolicy::kZero) {
    const Format target = request.target != Format::kUndefined ? request.target : base.image.format();
    replace_values(base.image.view(), stand_in_for_infinity(base.image.format(), target));
    base.warnings.push_back(counts + " replaced (--nonfinite zero)");
    return {};
  }
  const NonFiniteTexel& first = found->first;
  const std::string slice = base.image.slices() > 1 ? fmt::format(" of slice {}", first.slice) : "";
  return failed(
      path, ErrorCode::kBadData,
      fmt::format(
          "texel ({}, {}){} is {}; {} in all; --nonfinite zero replaces them, --nonfinite keep leaves them unchanged",
          first.x, first.y, slice,
          std::isnan(first.value) ? "NaN"
          : first.value > 0       ? "Inf"
                                  : "-Inf",
          counts));
}

// Whether the fourth of the channels selected from RGBA is still alpha.
bool keeps_alpha(std::span<const std::string> channels) {
  return channels.empty() || (channels.size() == 4 && channels[3] == "A");
}

// The metadata of the file's image. Depth and normal maps have no alpha, whatever their fourth channel is called.
Base describe(const Request& request, files::ImageFile& file) {
  Base base;
  base.type = file.type;
  base.format = file.levels.front().format();
  base.info.cube = file.cube;
  base.info.array = file.array || file.volume;
  const bool picked = file.type != files::Type::kExr && !keeps_alpha(request.channels);
  if (!request.data && !picked) base.info.alpha = file.alpha;
  base.stored_alpha = base.info.alpha;
  base.info.primaries = file.primaries;
  base.info.says_primaries = file.says_primaries;
  base.warnings = std::move(file.warnings);
  if (file.volume) base.warnings.push_back("its planes are taken as the layers of an array: depth is not reduced");
  if (file.type == files::Type::kExr) {
    base.info.data_window = file.data_window;
    base.info.display_window = file.display_window;
    base.info.pixel_aspect_ratio = file.pixel_aspect_ratio;
    base.info.exr_attributes = file.exr_attributes;
  }
  const bool coded = file.type == files::Type::kPng || file.type == files::Type::kTiff;
  if (coded && file.stored_bits == 16 && format_info(base.format).type == ChannelType::kFloat &&
      request.kind == Request::Kind::kMips && request.target == Format::kUndefined) {
    base.hints.emplace_back("16-bit values are read as 32-bit floats; --format r16g16b16a16_sfloat halves the output");
  }
  return base;
}

Result<Base> load_one(const Request& request, const std::string& path) {
  auto file = read_file(request, path);
  if (!file) return file.error();
  Base base = describe(request, *file);
  base.image = std::move(file->levels.front());
  if (const Turn turn = turn_of(*file); turn.swap || turn.flip_x || turn.flip_y) {
    auto upright = turned(base.image, turn);
    if (!upright) return upright.error();
    base.image = std::move(*upright);
  }
  if (!request.channels.empty() && file->type != files::Type::kExr) {
    auto picked = select_channels(path, base.image, request.channels);
    if (!picked) return picked.error();
    base.image = std::move(*picked);
    base.format = base.image.format();
  }
  if (request.kind == Request::Kind::kHiz) {
    if (auto good = check_depth(request, path, base.image); !good) return good.error();
  }
  if (auto done = treat_nonfinite(request, path, base); !done) return done.error();
  if (request.picture.background) {
    if (auto done = put_on(base, *request.picture.background, request.threads); !done) return done.error();
  }
  return base;
}

// Converts a slice to the alpha association and the primaries of the first slice.
Result<void> agree(Base& one, Base& first, uint32_t threads) {
  if (first.info.alpha == AlphaAssociation::kNone) {
    first.info.alpha = first.stored_alpha = one.info.alpha;
  } else if (one.info.alpha != AlphaAssociation::kNone && one.info.alpha != first.info.alpha) {
    const ColorConversion conversion{.from = one.info.alpha, .to = first.info.alpha};
    const auto done = convert_colors(one.image.view(), one.image.view(), conversion, threads);
    if (!done) return done.error();
  }
  return convert_primaries(one, first.info.primaries, threads);
}

// Slices of one image have one format: a grey slice beside an RGBA one becomes RGBA.
Result<void> match_channels(Image& a, Image& b) {
  if (a.size() != b.size()) return {};
  if (rgba_format_of(a.format()) == b.format()) return grey_to_rgba(a);
  if (rgba_format_of(b.format()) == a.format()) return grey_to_rgba(b);
  return {};
}

Result<Base> stack(const Request& request, std::span<const std::string> inputs) {
  Base all;
  uint32_t slice = 0;
  for (const std::string& path : inputs) {
    auto one = load_one(request, path);
    if (!one) return one.error();
    Image& image = one->image;
    if (image.slices() != 1) {
      return failed(path, ErrorCode::kInvalidArgument,
                    fmt::format("has {} slices; each file must have one", image.slices()));
    }
    if (slice == 0) {
      auto created = Image::create(image.format(), image.size(), static_cast<uint32_t>(inputs.size()));
      if (!created) return created.error();
      all.image = std::move(*created);
      all.info.alpha = one->info.alpha;
      all.info.primaries = one->info.primaries;
      all.info.says_primaries = one->info.says_primaries;
      all.type = one->type;
      all.format = one->format;
      all.stored_alpha = one->stored_alpha;
    } else if (auto matched = match_channels(all.image, image); !matched) {
      return matched.error();
    } else if (image.format() != all.image.format() || image.size() != all.image.size()) {
      return failed(path, ErrorCode::kInvalidArgument,
                    fmt::format("is {} {}, but {} is {} {}", size_text(image.size()), format_info(image.format()).name,
                                inputs.front(), size_text(all.image.size()), format_info(all.image.format()).name));
    }
    if (auto same = agree(*one, all, request.threads); !same) return same.error();
    for (std::string& warning : one->warnings) all.warnings.push_back(path + ": " + warning);
    if (slice == 0) all.hints = std::move(one->hints);
    std::memcpy(all.image.view().row(0, slice++), image.data(), image.size_in_bytes());
  }
  return all;
}

}  // namespace

Result<Base> load_base(const Request& request, std::span<const std::string> inputs) {
  auto base = inputs.size() == 1 ? load_one(request, inputs.front()) : stack(request, inputs);
  if (!base) return base.error();
  const bool needs_rgba = format_info(request.target).channels > 2 || request.needs_alpha;
  const bool depth = request.kind == Request::Kind::kHiz;
  if (needs_rgba && !depth && rgba_format_of(base->image.format()) != Format::kUndefined) {
    if (auto widened = grey_to_rgba(base->image); !widened) return widened.error();
  }
  const Image& image = base->image;
  base->format = image.format();
  if (request.cube) {
    const std::string& path = inputs.front();
    if (image.slices() != 6) return failed(path, ErrorCode::kInvalidArgument, "--cube needs six inputs");
    if (image.size().width != image.size().height) {
      return failed(path, ErrorCode::kInvalidArgument,
                    fmt::format("is {}; the faces of a cube are square", size_text(image.size())));
    }
    base->info.cube = true;
  }
  if (request.array) base->info.array = true;
  return base;
}

Format rgba_format_of(Format grey) {
  switch (grey) {
    case Format::kR8Srgb:
      return Format::kRGBA8Srgb;
    case Format::kR8Unorm:
      return Format::kRGBA8Unorm;
    case Format::kR16Unorm:
      return Format::kRGBA16Unorm;
    case Format::kR16Sfloat:
      return Format::kRGBA16Sfloat;
    case Format::kR32Sfloat:
      return Format::kRGBA32Sfloat;
    default:
      return Format::kUndefined;
  }
}

Result<void> grey_to_rgba(Image& image) {
  const Format format = rgba_format_of(image.format());
  auto wide = Image::create(format, image.size(), image.slices());
  if (!wide) return wide.error();
  const std::array<float, 4> white{1, 1, 1, 1};
  std::array<std::byte, 16> opaque{};  // the bytes of a texel of ones, of which the last channel is used
  encode_row(format, white.data(), 1, opaque.data());
  const size_t channel = format_info(image.format()).bytes_per_texel;
  std::byte* texel = wide->data();
  for (size_t i = 0; i < image.size_in_bytes(); i += channel) {
    for (size_t c = 0; c < 4; ++c, texel += channel) {
      std::memcpy(texel, c < 3 ? image.data() + i : opaque.data(), channel);
    }
  }
  image = std::move(*wide);
  return {};
}

float largest_value(Format format, uint32_t channel) {
  const FormatInfo& info = format_info(format);
  if (info.type != ChannelType::kFloat) return std::numeric_limits<float>::infinity();
  if (info.packed && !info.depth) return channel == 2 ? 64512.0F : 65024.0F;
  return info.bytes_per_texel / info.channels == 2 ? 65504.0F : std::numeric_limits<float>::max();
}

Result<Image> convert(const ImageView& source, Format target, bool spread) {
  auto image = Image::create(target, source.size, source.slices);
  if (!image) return image.error();
  const uint32_t width = source.size.width;
  if (source.format == target) {
    const size_t bytes = size_t{width} * format_info(target).bytes_per_texel;
    for (uint32_t slice = 0; slice < source.slices; ++slice) {
      for (uint32_t y = 0; y < source.size.height; ++y)
        std::memcpy(image->view().row(y, slice), source.row(y, slice), bytes);
    }
    return image;
  }
  std::vector<float> row(size_t{4} * width);
  for (uint32_t slice = 0; slice < source.slices; ++slice) {
    for (uint32_t y = 0; y < source.size.height; ++y) {
      decode_row(source.format, source.row(y, slice), width, row.data());
      for (size_t x = 0; spread && x < width; ++x) row[4 * x + 1] = row[4 * x];
      encode_row(target, row.data(), width, image->view().row(y, slice));
    }
  }
  return image;
}

}  // namespace onepass::cli
