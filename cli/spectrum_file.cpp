// spectrum_file.cpp: spectra to and from OpenEXR files. Custom attributes hold size, norm, origin and format of the
// picture; a reader first looks for Y.re or R.re, then reads one channel's two parts after the other.
#include "spectrum_file.hpp"

#include <OpenEXR/ImfBoxAttribute.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfVecAttribute.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "exr_stream.hpp"
#include "input.hpp"
#include "path_of.hpp"

namespace onepass::cli {
namespace {

constexpr const char* kPictureSize = "onepassSize";
constexpr const char* kNorm = "onepassNorm";
constexpr const char* kOrigin = "onepassOrigin";
constexpr const char* kFormat = "onepassFormat";
constexpr const char* kAlpha = "onepassAlpha";
constexpr const char* kDataWindow = "onepassDataWindow";
constexpr const char* kDisplayWindow = "onepassDisplayWindow";

// Names of the channels: Y for one, else R, G, B, A.
std::vector<std::string> channel_names(uint32_t channels) {
  if (channels == 1) return {"Y"};
  std::vector<std::string> names{"R", "G", "B", "A"};
  names.resize(channels);
  return names;
}

// Writes alpha, primaries and windows of the picture.
void write_info(Imf::Header& header, const PictureInfo& info) {
  if (info.alpha != AlphaAssociation::kNone)
    header.insert(kAlpha, Imf::StringAttribute(std::string(word_of(info.alpha))));
  if (info.says_primaries) {
    const auto point = [](const std::array<double, 2>& p) {
      return Imath::V2f(static_cast<float>(p[0]), static_cast<float>(p[1]));
    };
    const Chromaticities& p = info.primaries;
    Imf::addChromaticities(header, Imf::Chromaticities(point(p.red), point(p.green), point(p.blue), point(p.white)));
  }
  const auto add_window = [&](const char* name, const std::optional<files::Box>& box) {
    if (box) header.insert(name, Imf::Box2iAttribute(Imath::Box2i({box->min_x, box->min_y}, {box->max_x, box->max_y})));
  };
  add_window(kDataWindow, info.data_window);
  add_window(kDisplayWindow, info.display_window);
  header.pixelAspectRatio() = info.pixel_aspect_ratio;
}

// Reads what write_info() wrote. Windows count only if the data window has the picture's size.
void read_info(const Imf::Header& header, const files::ImageFile& image, Extent size, PictureInfo& info) {
  const auto* alpha = header.findTypedAttribute<Imf::StringAttribute>(kAlpha);
  if (alpha != nullptr) info.alpha = value_of<AlphaAssociation>(alpha->value());
  info.primaries = image.primaries;
  info.says_primaries = image.says_primaries;
  info.pixel_aspect_ratio = image.pixel_aspect_ratio;
  const auto window = [&](const char* name) -> std::optional<files::Box> {
    const auto* attribute = header.findTypedAttribute<Imf::Box2iAttribute>(name);
    if (attribute == nullptr) return std::nullopt;
    const Imath::Box2i& box = attribute->value();
    return files::Box{box.min.x, box.min.y, box.max.x, box.max.y};
  };
  const auto data = window(kDataWindow);
  const bool fits = data && int64_t{data->max_x} - data->min_x + 1 == int64_t{size.width} &&
                    int64_t{data->max_y} - data->min_y + 1 == int64_t{size.height};
  if (!fits) return;
  info.data_window = data;
  info.display_window = window(kDisplayWindow);
}

void write_pixels(AtomicStream& stream, const TransformPlan& plan, const std::vector<std::byte>& spectrum,
                  const PictureInfo& info) {
  const auto width = static_cast<int>(plan.spectrum_size.width);
  const auto height = static_cast<int>(plan.spectrum_size.height);
  const TransformOptions& o = plan.options;
  Imf::Header header(width, height);
  header.compression() = Imf::ZIP_COMPRESSION;
  header.insert(kPictureSize, Imf::V2iAttribute({static_cast<int>(o.size.width), static_cast<int>(o.size.height)}));
  header.insert(kNorm, Imf::StringAttribute(std::string(word_of(o.norm))));
  header.insert(kOrigin, Imf::StringAttribute(std::string(word_of(o.origin))));
  header.insert(kFormat, Imf::StringAttribute(std::string(format_info(o.target).name)));
  write_info(header, info);
  Imf::FrameBuffer pixels;
  // OpenEXR reads through a pointer to non-const; it does not write.
  auto* data = reinterpret_cast<char*>(const_cast<std::byte*>(spectrum.data()));  // NOLINT
  const size_t texel = size_t{8} * plan.spectrum_channels;
  const auto names = channel_names(plan.spectrum_channels);
  for (size_t c = 0; c < names.size(); ++c) {
    for (size_t part = 0; part < 2; ++part) {
      const std::string name = names[c] + (part == 0 ? ".re" : ".im");
      header.channels().insert(name, Imf::Channel(Imf::FLOAT));
      pixels.insert(name, Imf::Slice(Imf::FLOAT, data + 8 * c + 4 * part, texel, texel * plan.spectrum_size.width));
    }
  }
  Imf::OutputFile file(stream, header);
  file.setFrameBuffer(pixels);
  file.writePixels(height);
}

// Reads the attributes of the part that `image` was read from. Uses the bytes that files::read_memory() has checked;
// the file itself may have been replaced.
Result<void> read_attributes(const InputFile& input, const files::ImageFile& image, TransformOptions& options,
                             PictureInfo& info) {
  try {
    const auto part = std::find(image.exr_parts.begin(), image.exr_parts.end(), image.exr_part);
    const auto number = part == image.exr_parts.end() ? 0 : static_cast<int>(part - image.exr_parts.begin());
    BytesStream stream(input.path(), input.bytes());
    const Imf::MultiPartInputFile file(stream, 0);
    const Imf::Header& header = file.header(number);
    if (const auto* size = header.findTypedAttribute<Imf::V2iAttribute>(kPictureSize)) {
      options.size = {static_cast<uint32_t>(size->value().x), static_cast<uint32_t>(size->value().y)};
    }
    const auto text = [&](const char* name) -> std::string {
      const auto* attribute = header.findTypedAttribute<Imf::StringAttribute>(name);
      return attribute == nullptr ? "" : attribute->value();
    };
    options.norm = value_of<Norm>(text(kNorm));
    options.origin = value_of<SpectrumOrigin>(text(kOrigin));
    options.target = format_of(text(kFormat));
    read_info(header, image, options.size, info);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory", input.path()};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kBadData, exception.what(), input.path()};
  }
  return {};
}

Format floats(uint32_t channels) {
  return channels == 1 ? Format::kR32Sfloat : channels == 2 ? Format::kRG32Sfloat : Format::kRGBA32Sfloat;
}

// Number of channels with both parts in the file, in the order of channel_names(); 0 if there are none.
uint32_t count_channels(const std::vector<std::string>& in_file) {
  const auto has = [&](const std::string& name) {
    return std::find(in_file.begin(), in_file.end(), name) != in_file.end();
  };
  for (const uint32_t count : {4U, 3U, 2U, 1U}) {
    const auto names = channel_names(count);
    if (std::all_of(names.begin(), names.end(), [&](const auto& n) { return has(n + ".re") && has(n + ".im"); })) {
      return count;
    }
  }
  return 0;
}

}  // namespace

Result<void> write_spectrum(const std::string& path, const TransformPlan& plan, const std::vector<std::byte>& spectrum,
                            const PictureInfo& info) {
  auto file = files::AtomicFile::create(path_of(path));
  if (!file) return file.error();
  AtomicStream stream(path, *file);
  try {
    write_pixels(stream, plan, spectrum, info);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory", path};
  } catch (const std::exception& exception) {
    return stream.state() ? Error{ErrorCode::kIo, exception.what(), path} : stream.state().error();
  }
  if (!stream.state()) return stream.state();  // the end of a file is written by a destructor, which cannot throw
  return file->commit();
}

Result<SpectrumFile> read_spectrum(const Request& request, const std::string& path) {
  const auto bad = [&](std::string message) { return Error{ErrorCode::kBadData, std::move(message), path}; };
  const uint64_t max_bytes = request.picture.max_memory;
  const InputFile input(path, max_bytes);
  files::ReadOptions options{.color = files::Color::kLinear,
                             .max_bytes = max_bytes,
                             .threads = request.threads,
                             .before_allocation = request.before_allocation};
  // Reads one channel; the list of all channel names comes with it.
  auto first = Result<files::ImageFile>(Error{});
  for (const char* name : {"Y.re", "R.re"}) {
    options.channels = {name};
    first = input.read(options);
    if (first || first.error().code != ErrorCode::kNotFound || first.error().message.find(name) == std::string::npos) {
      break;
    }
  }
  const bool other = !first && (first.error().code == ErrorCode::kNotFound && input.is_exr());
  if (!first && !other) return first.error();
  const uint32_t channels = other ? 0 : count_channels(first->exr_channels);
  if (channels == 0) return bad("is not a spectrum: it has no channels Y.re and Y.im, nor R.re, R.im and so on");
  const Extent stored = first->base().size;
  SpectrumFile file;
  // Half a spectrum does not tell odd widths from even ones: the even width, unless an attribute states the size.
  file.options.size = {2 * (stored.width - 1), stored.height};
  if (file.options.size.width == 0) file.options.size.width = 1;
  if (auto good = read_attributes(input, *first, file.options, file.info); !good) return good.error();
  if (file.options.target == Format::kUndefined || format_info(file.options.target).channels < channels) {
    file.options.target = floats(channels);
  }
  file.options.source = floats(channels);
  file.options.channels = channels;
  const auto plan = plan_transform(file.options);
  if (!plan) return bad(plan.error().message);
  if (plan->spectrum_size != stored) {
    return bad(fmt::format("is {}, but the spectrum of {} is {}", size_text(stored), size_text(file.options.size),
                           size_text(plan->spectrum_size)));
  }
  file.spectrum.resize(plan->spectrum_bytes);
  const auto names = channel_names(channels);
  for (uint32_t c = 0; c < channels; ++c) {
    options.channels = {names[c] + ".re", names[c] + ".im"};
    auto pair = input.read(options);
    if (!pair) return pair.error();
    const Image& image = pair->levels.front();
    std::vector<float> row(size_t{4} * stored.width);
    for (uint32_t y = 0; y < stored.height; ++y) {
      decode_row(image.format(), image.view().row(y), stored.width, row.data());
      for (uint32_t x = 0; x < stored.width; ++x) {
        std::memcpy(file.spectrum.data() + 8 * plan->index(x, y, c), &row[size_t{4} * x], 8);
      }
    }
  }
  return file;
}

}  // namespace onepass::cli
