// exr_read.cpp: reads OpenEXR files, by rows or as a whole: one part, up to four of its channels, all levels of a
// mip-map. Luminance and chroma become RGB (exr_chroma.cpp).
//
// OpenEXR throws; read_exr() turns exceptions into errors, except std::bad_alloc, which read_memory() catches.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfTileDescription.h>
#include <OpenEXR/ImfTiledInputPart.h>

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

#include "files/exr_attributes.hpp"
#include "files/exr_chroma.hpp"
#include "files/exr_limits.hpp"
#include "files/exr_scan.hpp"
#include "files/exr_select.hpp"
#include "files/exr_threads.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "files/row_reader.hpp"

namespace onepass::files {
namespace {

// Limit of the texels that are added to fill a display window.
constexpr uint64_t kMaxDisplayTexels = uint64_t{1} << 28;

// Lets OpenEXR read the file.
class SourceStream : public Imf::IStream {
 public:
  explicit SourceStream(const Source& source) : IStream("file"), source_(source) {}

  bool read(char target[], int count) override {
    const auto size = static_cast<size_t>(count);
    if (count < 0) throw std::runtime_error("truncated");
    read_error_ = source_.read_at(position_, {reinterpret_cast<std::byte*>(target), size});
    if (read_error_ != 0) throw std::runtime_error(read_error_ < 0 ? "truncated" : "cannot read it");
    position_ += size;
    return position_ < source_.size();
  }
  uint64_t tellg() override { return position_; }
  void seekg(uint64_t position) override { position_ = position; }
  void clear() override {}
  [[nodiscard]] int read_error() const { return read_error_; }  // an errno, or -1 at the end of the file

 private:
  const Source& source_;
  uint64_t position_ = 0;
  int read_error_ = 0;
};

Box to_box(const Imath::Box2i& box) { return {box.min.x, box.min.y, box.max.x, box.max.y}; }

bool is_subsampled(const Imf::Channel& channel) { return channel.xSampling != 1 || channel.ySampling != 1; }

// A level while it is read.
struct Level {
  Image image;
  std::optional<Image> chroma{};  // RY and BY, if the file subsamples them
};

// Allocates a level that lies at `window`. All pixels as stored are allocated here and in expanded().
Result<Level> create_level(const Source& source, const Imf::Header& header, const Selection& selection, Format format,
                           const Imath::Box2i& window) {
  const Extent size{static_cast<uint32_t>(box_width(window)), static_cast<uint32_t>(box_height(window))};
  Result<Image> image = create_image(source, format, size);
  if (!image) return image.error();
  Level level{.image = std::move(*image)};
  if (selection.content == Content::kLuminanceChroma && is_subsampled(header.channels()[selection.channels.front()])) {
    Result<Image> chroma = create_image(source, Format::kRG16Sfloat, {size.width / 2, size.height / 2});
    if (!chroma) return chroma.error();
    level.chroma = std::move(*chroma);
  }
  return level;
}

// Tells OpenEXR to store the channels interleaved in the image, whose first pixel is `window.min`.
Imf::FrameBuffer frame_buffer(Level& level, const Imf::Header& header, const Selection& selection,
                              const Imath::Box2i& window) {
  const MutableImageView view = level.image.view();
  const FormatInfo& info = format_info(view.format);
  const size_t channel_bytes = info.bytes_per_texel / info.channels;
  Imf::FrameBuffer buffer;
  for (size_t n = 0; n < selection.channels.size(); ++n) {
    const std::string& name = selection.channels[n];
    const Imf::Channel& channel = header.channels()[name];
    if (is_subsampled(channel)) {
      const MutableImageView chroma = level.chroma->view();
      buffer.insert(name, Imf::Slice::Make(Imf::HALF, level.chroma->data() + (n == 0 ? 0 : 2), window, 4,
                                           chroma.row_stride, 2, 2));
      continue;
    }
    const Imf::PixelType type = channel.type == Imf::UINT ? Imf::UINT : (channel_bytes == 2 ? Imf::HALF : Imf::FLOAT);
    buffer.insert(name, Imf::Slice::Make(type, level.image.data() + slot_of(selection, n) * channel_bytes, window,
                                         info.bytes_per_texel, view.row_stride));
  }
  return buffer;
}

// Converts UINT channels, whose integers were read bit for bit into a float image, to floats.
Result<void> convert_integers(const Source& source, const Imf::Header& header, const Selection& selection, Image& image,
                              size_t level) {
  constexpr uint32_t kMost = uint32_t{1} << 24;  // above it not every integer is a float
  const MutableImageView view = image.view();
  const size_t channels = format_info(view.format).channels;
  for (size_t n = 0; n < selection.channels.size(); ++n) {
    const std::string& name = selection.channels[n];
    if (header.channels()[name].type != Imf::UINT) continue;
    for (uint32_t y = 0; y < view.size.height; ++y) {
      std::byte* at = view.row(y) + slot_of(selection, n) * sizeof(float);
      for (uint32_t x = 0; x < view.size.width; ++x, at += channels * sizeof(float)) {
        uint32_t value = 0;
        std::memcpy(&value, at, sizeof(value));
        if (value > kMost) {
          return source.unsupported("EXR: the uint channel " + name + " holds " + std::to_string(value) +
                                    " at texel (" + std::to_string(x) + ", " + std::to_string(y) + ")" +
                                    (level > 0 ? " of level " + std::to_string(level) : "") +
                                    "; only integers up to 16777216 are floats exactly: store larger ones as two "
                                    "channels, or choose other channels");
        }
        const auto number = static_cast<float>(value);
        std::memcpy(at, &number, sizeof(number));
      }
    }
  }
  return {};
}

// Fills the fourth channel with 1.
void fill_alpha(Image& image) {
  const size_t count = size_t{image.size().width} * image.size().height;
  if (format_info(image.format()).bytes_per_texel == 8) {
    auto* texels = reinterpret_cast<uint16_t*>(image.data());
    for (size_t i = 0; i < count; ++i) texels[4 * i + 3] = 0x3c00;
  } else {
    auto* texels = reinterpret_cast<float*>(image.data());
    for (size_t i = 0; i < count; ++i) texels[4 * i + 3] = 1.0F;
  }
}

// Copies the first channel to the second and third.
void spread_grey(Image& image) {
  const size_t channel_bytes = format_info(image.format()).bytes_per_texel / 4;
  const size_t count = size_t{image.size().width} * image.size().height;
  std::byte* at = image.data();
  for (size_t i = 0; i < count; ++i, at += 4 * channel_bytes) {
    std::memcpy(at + channel_bytes, at, channel_bytes);
    std::memcpy(at + 2 * channel_bytes, at, channel_bytes);
  }
}

// Converts the channels of a level to a picture. `number`: the level's.
Result<void> finish_level(const Source& source, const Imf::Header& header, const Selection& selection,
                          const Chromaticities& primaries, Level& level, size_t number) {
  if (auto done = convert_integers(source, header, selection, level.image, number); !done) return done;
  if (selection.channels.size() == 3) fill_alpha(level.image);
  if (selection.content == Content::kLuminanceAlpha) spread_grey(level.image);
  if (selection.content != Content::kLuminanceChroma) return {};
  return level.chroma ? colour_from_subsampled_chroma(source, level.image, *level.chroma, primaries)
                      : colour_from_chroma(source, level.image, primaries);
}

Error subsampled(const Source& source, const std::string& name, const Imf::Channel& channel) {
  return source.unsupported(
      "EXR: channel " + name + " is subsampled " +
      size_text(static_cast<uint32_t>(channel.xSampling), static_cast<uint32_t>(channel.ySampling)) +
      ", which is supported only of RY and BY beside Y, both 2x2, half or float");
}

// The statements of the header about the picture, but for its channels and its alpha.
void describe_picture(const Imf::Header& header, PictureHeader& out, ImageFile& primaries) {
  const Imath::Box2i window = header.dataWindow();
  out.size = {static_cast<uint32_t>(box_width(window)), static_cast<uint32_t>(box_height(window))};
  out.linear = true;
  describe_primaries(header, primaries);
  if (primaries.says_primaries) out.colors.primaries = primaries.primaries;
  out.warnings = primaries.warnings;
  const Imath::Box2i display = header.displayWindow();
  if (window != display) {
    const auto text = [](const Imath::Box2i& box) {
      return "(" + std::to_string(box.min.x) + ", " + std::to_string(box.min.y) + ")-(" + std::to_string(box.max.x) +
             ", " + std::to_string(box.max.y) + ")";
    };
    out.warnings.push_back("its dataWindow " + text(window) + " is read, not its displayWindow " + text(display));
  }
  if (Imf::hasXDensity(header)) {  // pixels per inch, by OpenEXR's definition
    const double x = Imf::xDensity(header);
    if (x > 0) out.resolution = Resolution{.x = x, .y = x * header.pixelAspectRatio(), .unit = 2};
  }
  out.pixel_aspect_ratio = header.pixelAspectRatio();
}

// A part without mip-map levels beyond the base, by rows: colours, luminance with or without alpha, or all channels.
class ExrReader final : public RowReader {
 public:
  ExrReader(const Source& source, const RowOptions& options)
      : source_(source),
        stream_(source_),
        threads_(use_exr_threads(options.threads)),
        file_(stream_, file_threads(threads_)) {}

  // False: this kind of file is not read by rows.
  Result<bool> open(const RowOptions& options) {
    Result<Selection> selection = select_channels(source_, file_, {});
    const bool named = selection.ok();
    if (!named) {
      if (selection.error().code != ErrorCode::kNotFound) return selection.error();
      selection = Selection{.channels = channel_names(file_.header(0))};
    }
    const Imf::Header& header = file_.header(selection->part);
    if (selection->content == Content::kLuminanceChroma) return false;
    if (header.hasType() && Imf::isDeepData(header.type())) {
      return source_.unsupported("EXR: the part is deep (many samples a pixel), which is not supported");
    }
    if (auto fine = check_part(source_, header); !fine) return fine.error();
    bool half = true;
    for (const std::string& name : selection->channels) {
      const Imf::Channel& channel = header.channels()[name];
      if (channel.type == Imf::UINT && named) return false;
      if (channel.type == Imf::UINT) {
        return source_.unsupported("EXR: channel " + name + " is uint, which is not read beside other channels");
      }
      if (is_subsampled(channel)) return subsampled(source_, name, channel);
      half = half && channel.type == Imf::HALF;
    }
    channels_ = selection->channels;
    window_ = header.dataWindow();
    ImageFile primaries;
    describe_picture(header, header_, primaries);
    header_.layout.sample = half ? Sample::kF16 : Sample::kF32;
    header_.layout.channels = static_cast<uint32_t>(channels_.size());
    header_.layout.colour = named && channels_.size() >= 3;
    if (named && reads_alpha(*selection)) header_.layout.alpha = AlphaAssociation::kPremultiplied;
    if (!header_.layout.colour && !header_.layout.has_alpha()) header_.channel_names = channels_;
    header_.stored_channels = header_.layout.channels;
    header_.stored_bits = half ? 16 : 32;
    if (!named && channels_.size() > 1) {
      header_.warnings.emplace_back("has neither R, G, B nor Y: its channels are kept by name, as numbers");
    }
    if (file_.parts() > 1) {
      header_.warnings.push_back("one of its " + std::to_string(file_.parts()) + " parts is read" +
                                 (header.hasName() ? ", " + header.name() : ""));
    }
    block_rows_ = is_tiled(header) ? std::min(header.tileDescription().ySize, header_.size.height) : 32;
    memory_ = decoder_bytes(header, threads_) + row_bytes() * block_rows_;
    if (auto fine = check_memory(source_, {.max_bytes = options.max_bytes}, memory_,
                                 "EXR: rows of " + size_text(header_.size.width, header_.size.height) + " pixels");
        !fine) {
      return fine.error();
    }
    part_.emplace(file_, selection->part);
    return true;
  }

  [[nodiscard]] uint32_t block_rows() const override { return block_rows_; }
  [[nodiscard]] uint64_t memory_bytes() const override { return memory_; }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    try {
      Imf::FrameBuffer frame;
      const Sample sample = header_.layout.sample;
      const auto pixel = static_cast<ptrdiff_t>(header_.layout.pixel_bytes());
      const int first = window_.min.y + static_cast<int>(y_);
      for (size_t c = 0; c < channels_.size(); ++c) {
        // OpenEXR adds the coordinates of pixels to the base pointer.
        char* base = reinterpret_cast<char*>(out) + static_cast<ptrdiff_t>(c * sample_bytes(sample)) -
                     ptrdiff_t{window_.min.x} * pixel - ptrdiff_t{first} * static_cast<ptrdiff_t>(stride);
        frame.insert(channels_[c], Imf::Slice(sample == Sample::kF16 ? Imf::HALF : Imf::FLOAT, base,
                                              static_cast<size_t>(pixel), stride));
      }
      part_->setFrameBuffer(frame);
      part_->readPixels(first, first + static_cast<int>(rows) - 1);
      y_ += rows;
      return {};
    } catch (const std::bad_alloc&) {
      return source_.error(ErrorCode::kOutOfMemory, "out of memory");
    } catch (const std::exception& exception) {
      if (stream_.read_error() > 0) {
        return source_.unreadable(stream_.read_error());
      }
      return source_.bad(std::string("EXR: ") + exception.what());
    }
  }

  bool skip(uint32_t rows) override {
    y_ += rows;
    return true;
  }

 private:
  Source source_;
  SourceStream stream_;  // refers to source_
  int threads_;
  Imf::MultiPartInputFile file_;
  std::optional<Imf::InputPart> part_;
  std::vector<std::string> channels_;
  Imath::Box2i window_;
  uint32_t block_rows_ = 1;
  uint64_t memory_ = 0;
  uint32_t y_ = 0;
};

// Reads the base and, unless `base_only`, all levels of a chain that rounds down, the only kind that ImageFile holds.
Result<std::vector<Image>> read_levels(const Source& source, Imf::MultiPartInputFile& file, const Selection& selection,
                                       Format format, const Chromaticities& primaries, bool base_only) {
  const Imf::Header& header = file.header(selection.part);
  std::vector<Image> levels;
  // Adds the level at `window`; `read` reads its pixels from the file.
  const auto add = [&](const Imath::Box2i& window, const auto& read) -> Result<void> {
    Result<Level> level = create_level(source, header, selection, format, window);
    if (!level) return level.error();
    read(frame_buffer(*level, header, selection, window));
    if (auto done = finish_level(source, header, selection, primaries, *level, levels.size()); !done) return done;
    levels.push_back(std::move(level->image));
    return {};
  };
  if (!is_tiled(header)) {
    const Imath::Box2i window = header.dataWindow();
    Imf::InputPart part(file, selection.part);
    const auto read = [&](const Imf::FrameBuffer& buffer) {
      part.setFrameBuffer(buffer);
      part.readPixels(window.min.y, window.max.y);
    };
    if (auto done = add(window, read); !done) return done.error();
    return levels;
  }
  Imf::TiledInputPart part(file, selection.part);
  const Imf::TileDescription& tile = header.tileDescription();
  const bool chain = !base_only && tile.mode == Imf::MIPMAP_LEVELS && tile.roundingMode == Imf::ROUND_DOWN;
  const int count = chain ? part.numLevels() : 1;
  for (int n = 0; n < count; ++n) {
    const auto read = [&](const Imf::FrameBuffer& buffer) {
      part.setFrameBuffer(buffer);
      part.readTiles(0, part.numXTiles(n) - 1, 0, part.numYTiles(n) - 1, n, n);
    };
    if (auto done = add(part.dataWindowForLevel(n), read); !done) return done.error();
  }
  return levels;
}

// A copy of `image`, which lies at `data`, that covers `display`, with `fill` elsewhere.
Result<Image> expanded(const Source& source, const Image& image, const Imath::Box2i& data, const Imath::Box2i& display,
                       float fill) {
  const uint64_t width = box_width(display);
  const uint64_t height = box_height(display);
  if (auto fine = check_size(source, width, height); !fine) return fine.error();
  if (width * height > kMaxDisplayTexels + box_width(data) * box_height(data)) {
    return source.unsupported("EXR: the display window of " + size_text(width, height) + " is too large to fill");
  }
  Result<Image> result =
      create_image(source, image.format(), {static_cast<uint32_t>(width), static_cast<uint32_t>(height)});
  if (!result) return result;
  const size_t texel = format_info(image.format()).bytes_per_texel;
  const std::vector<float> filler(4 * width, fill);
  std::vector<std::byte> filler_row(width * texel);
  encode_row(image.format(), filler.data(), static_cast<uint32_t>(width), filler_row.data());
  const int64_t first = std::max(data.min.x, display.min.x);
  const int64_t last = std::min(data.max.x, display.max.x);
  for (uint32_t row = 0; row < height; ++row) {
    std::byte* target = result->view().row(row);
    std::memcpy(target, filler_row.data(), filler_row.size());
    const int64_t y = int64_t{display.min.y} + row;
    if (y < data.min.y || y > data.max.y || first > last) continue;
    std::memcpy(
        target + static_cast<size_t>(first - display.min.x) * texel,
        image.view().row(static_cast<uint32_t>(y - data.min.y)) + static_cast<size_t>(first - data.min.x) * texel,
        static_cast<size_t>(last - first + 1) * texel);
  }
  return result;
}

// The image's format: half only if all channels are half.
Result<Format> choose_format(const Source& source, const Imf::Header& header, const Selection& selection) {
  bool half = true;
  for (size_t n = 0; n < selection.channels.size(); ++n) {
    const std::string& name = selection.channels[n];
    const Imf::Channel& channel = header.channels()[name];
    half = half && channel.type == Imf::HALF;
    const bool chroma = selection.content == Content::kLuminanceChroma && (n == 0 || n == 2);
    if (chroma) {
      const Imf::Channel& other = header.channels()[selection.channels[2 - n]];
      const bool quarter = channel.xSampling == 2 && channel.ySampling == 2 && is_subsampled(other);
      if (is_subsampled(channel) && (!quarter || channel.type == Imf::UINT)) return subsampled(source, name, channel);
    } else if (is_subsampled(channel)) {
      return subsampled(source, name, channel);
    }
  }
  const auto count =
      selection.content == Content::kChannels ? static_cast<uint32_t>(selection.channels.size()) : uint32_t{4};
  return half ? half_format(count) : float_format(count);
}

// Metadata of the file and of the selected part.
ImageFile describe(const Imf::MultiPartInputFile& file, const Selection& selection) {
  const Imf::Header& header = file.header(selection.part);
  ImageFile result;
  result.type = Type::kExr;
  result.alpha = reads_alpha(selection) ? AlphaAssociation::kPremultiplied : AlphaAssociation::kNone;
  describe_primaries(header, result);
  result.stored_channels = static_cast<uint32_t>(selection.channels.size());
  result.exr_part = part_name(header);
  for (int n = 0; n < file.parts(); ++n) result.exr_parts.push_back(part_name(file.header(n)));
  result.exr_channels = channel_names(header);
  result.data_window = to_box(header.dataWindow());
  result.display_window = to_box(header.displayWindow());
  result.pixel_aspect_ratio = header.pixelAspectRatio();
  result.exr_attributes = std::make_shared<const ExrAttributes>(header);
  return result;
}

Result<ImageFile> read_selection(const Source& source, Imf::MultiPartInputFile& file, const Selection& selection,
                                 const ReadOptions& options, int threads) {
  const Imf::Header& header = file.header(selection.part);
  if (auto fine = check_part(source, header); !fine) return fine.error();
  Result<Format> format = choose_format(source, header, selection);
  if (!format) return format.error();
  ImageFile result = describe(file, selection);
  result.stored_bits = 8 * format_info(*format).bytes_per_texel / format_info(*format).channels;
  if (auto fine = check_exr_memory(source, options, header, selection, *format, threads); !fine) return fine.error();
  // Coarser levels cover the data window only, so they are left out for the display window.
  const bool to_display = options.window == Window::kDisplay && header.dataWindow() != header.displayWindow();
  Result<std::vector<Image>> levels = read_levels(source, file, selection, *format, result.primaries, to_display);
  if (!levels) return levels.error();
  result.levels = std::move(*levels);

  if (to_display) {
    Result<Image> whole =
        expanded(source, result.levels.front(), header.dataWindow(), header.displayWindow(), options.fill);
    if (!whole) return whole.error();
    result.levels.front() = std::move(*whole);
    result.data_window = result.display_window;
  }
  if (options.color == Color::kSrgb) {
    for (Image& level : result.levels) {
      Result<Image> decoded = decoded_from_srgb(level.view());
      if (!decoded) return source.error(decoded.error().code, decoded.error().message);
      level = std::move(*decoded);
    }
  }
  return result;
}

Result<ImageFile> read_with_threads(const Source& source, const ReadOptions& options, int threads) {
  SourceStream stream(source);
  Imf::MultiPartInputFile file(stream, file_threads(threads));
  Result<Selection> selection = select_channels(source, file, options);
  if (!selection) return selection.error();
  return read_selection(source, file, *selection, options, threads);
}

// Checks the headers of an open file, of which as much is loaded as they take.
Result<void> check_open_headers(const Source& source, uint64_t max_bytes) {
  const ReadOptions options{.max_bytes = max_bytes};
  if (source.in_memory()) return check_exr_headers(source, options);
  for (uint64_t length = uint64_t{1} << 16;; length *= 8) {
    std::vector<std::byte> start(static_cast<size_t>(std::min(length, source.size())));
    if (const int number = source.read_at(0, start); number != 0) {
      return source.unreadable(number);
    }
    Source beginning = source;
    beginning.bytes = start;
    auto fine = check_exr_headers(beginning, options);
    if (fine || start.size() == source.size() || length * 8 > max_bytes) return fine;
  }
}

}  // namespace

Result<std::unique_ptr<RowReader>> open_exr_rows(const Source& source, const RowOptions& options) {
  if (auto fine = check_open_headers(source, options.max_bytes); !fine) return fine.error();
  try {
    auto reader = std::make_unique<ExrReader>(source, options);
    const auto opened = reader->open(options);
    if (!opened) return opened.error();
    if (!*opened) return std::unique_ptr<RowReader>();
    return std::unique_ptr<RowReader>(std::move(reader));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return source.bad(std::string("EXR: ") + exception.what());
  }
}

Result<ImageFile> read_exr(const Source& source, const ReadOptions& options) {
  if (auto fine = check_exr_headers(source, options); !fine) return fine.error();
  try {
    const int threads = use_exr_threads(options.threads);
    Result<ImageFile> file = read_with_threads(source, options, threads);
    // Each thread needs buffers of its own: without threads the memory limit may suffice.
    const bool retry = !file && file.error().code == ErrorCode::kOutOfMemory && threads > 0;
    return retry ? read_with_threads(source, options, 0) : std::move(file);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    return source.bad(std::string("EXR: ") + exception.what());
  }
}

}  // namespace onepass::files
