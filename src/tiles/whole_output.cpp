// whole_output.cpp: reads all rows into an image, makes its pyramid, and writes it with the writers of files.
#include "tiles/whole_output.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "files/pixels.hpp"
#include "files/writers.hpp"
#include "image/error.hpp"
#include "onepass/pyramid.hpp"

namespace onepass::tiles {
namespace {

Error unsupported(const RowSource& source, std::string text) {
  return {ErrorCode::kUnsupported, std::move(text), source.name()};
}

Result<Format> format_for(const OutputPlan& plan, const RowSource& source) {
  const PixelLayout& layout = plan.header.layout;
  const std::string pixels =
      std::to_string(layout.channels) + " channels of " + std::string(sample_name(layout.sample));
  if (layout.channels > 4) return unsupported(source, "KTX2 and OpenEXR outputs hold 1 to 4 channels, not " + pixels);
  switch (layout.sample) {
    case Sample::kU8:
      if (layout.channels == 2) return plan.srgb ? Format::kUndefined : Format::kRG8Unorm;
      return files::unorm8_format(layout.channels == 1, !plan.srgb);
    case Sample::kU16:
      if (plan.srgb) break;
      return files::unorm16_format(layout.channels);
    case Sample::kF16:
      return files::half_format(layout.channels);
    case Sample::kF32:
      return files::float_format(layout.channels);
    default:
      break;
  }
  return unsupported(source, "KTX2 and OpenEXR outputs cannot hold " + pixels + (plan.srgb ? " in sRGB" : "") +
                                 "; write .tif or .zarr");
}

// Calls TileOptions::progress while rows are read, and once more before the file is written.
class RowReports {
 public:
  RowReports(const OutputPlan& plan, const Extent& size) : options_(plan.options), size_(size) {}

  [[nodiscard]] TileProgress state() const {
    return {.rows = rows_,
            .height = size_.height,
            .texels = uint64_t{size_.width} * rows_,
            .seconds = std::chrono::duration<double>(Clock::now() - start_).count()};
  }
  Result<void> add_row() {
    ++rows_;
    return Clock::now() - reported_ >= kReportEvery ? report() : Result<void>();
  }
  Result<void> report() {
    reported_ = Clock::now();
    if (!options_.progress || options_.progress(state())) return {};
    return files::file_error(options_.output, ErrorCode::kCancelled, "interrupted; nothing was written");
  }

 private:
  using Clock = std::chrono::steady_clock;

  const TileOptions& options_;
  Extent size_;
  uint64_t rows_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point reported_ = start_ - kReportEvery;  // the first row is reported
};

// Copies a row whose pixels may lack the fourth channel.
void widen_row(const PixelLayout& layout, const std::byte* from, uint32_t count, const FormatInfo& info,
               std::byte* to) {
  const size_t pixel = layout.pixel_bytes();
  if (pixel == info.bytes_per_texel) {
    std::memcpy(to, from, pixel * count);
    return;
  }
  const uint8_t one8 = 0xFF;
  const uint16_t one16 = layout.sample == Sample::kF16 ? 0x3C00 : 0xFFFF;
  const float one32 = 1;
  const size_t sample = sample_bytes(layout.sample);
  const void* one = sample == 1   ? static_cast<const void*>(&one8)
                    : sample == 2 ? &one16
                                  : static_cast<const void*>(&one32);
  for (uint32_t x = 0; x < count; ++x, from += pixel, to += info.bytes_per_texel) {
    std::memcpy(to, from, pixel);
    std::memcpy(to + pixel, one, sample);
  }
}

}  // namespace

Result<TileReport> make_whole(const OutputPlan& plan, RowSource& source) {
  const Extent size = source.size();
  RowReports reports(plan, size);
  if (size.width > files::kMaxSize || size.height > files::kMaxSize) {
    return unsupported(source, "KTX2 and OpenEXR outputs have at most 65535 columns and rows, not " + size_text(size));
  }
  const auto format = format_for(plan, source);
  if (!format) return format.error();
  if (*format == Format::kUndefined) return unsupported(source, "KTX2 cannot hold grey and alpha in sRGB");
  const FormatInfo& info = format_info(*format);
  // 4 / 3: all levels together, 1 + 1/4 + 1/16 and so on.
  const uint64_t needed =
      uint64_t{size.width} * size.height * info.bytes_per_texel * 4 / 3 + source.memory_bytes() + source.row_bytes();
  if (needed > plan.options.input.max_bytes) {
    return Error{ErrorCode::kOutOfMemory,
                 "source and levels need " + std::to_string(needed) + " bytes, more than the limit of " +
                     std::to_string(plan.options.input.max_bytes) + "; .dzi, .tif and .zarr need a part of that",
                 source.name()};
  }
  const PyramidOptions options{.size = size,
                               .levels = plan.options.levels,
                               .source = *format,
                               .target = *format,
                               .reduction = plan.options.reduction,
                               .alpha = plan.header.layout.alpha == AlphaAssociation::kStraight && info.channels == 4 &&
                                                plan.options.reduction == Reduction::kMean
                                            ? Alpha::kWeighted
                                            : Alpha::kIndependent};
  const auto chain = plan_pyramid(options);
  if (!chain) return chain.error();
  std::vector<Image> levels;
  std::vector<MutableImageView> coarser;
  for (uint32_t n = 0; n < chain->levels; ++n) {
    auto image = Image::create(*format, chain->sizes[n]);
    if (!image) return image.error();
    levels.push_back(std::move(*image));
    if (n > 0) coarser.push_back(levels.back().view());
  }
  {
    const remote::PollScope polls(plan.site, [&] { return reports.report(); });
    Bytes row(source.row_bytes());
    for (uint32_t y = 0; y < size.height; ++y) {
      if (auto done = source.read(1, row.data(), row.size()); !done) return done.error();
      widen_row(plan.header.layout, row.data(), size.width, info, levels[0].view().row(y));
      if (auto done = reports.add_row(); !done) return done.error();
    }
  }
  auto pyramid = cpu::Pyramid::create(options, {.threads = plan.threads});
  if (!pyramid) return pyramid.error();
  if (auto done = pyramid->build(levels[0].view(), coarser); !done) return done.error();
  if (auto done = reports.report(); !done) return done.error();
  std::vector<ImageView> views;
  TileReport report;
  for (const Image& level : levels) {
    views.push_back(level.view());
    report.sizes.push_back(level.size());
  }
  files::WriteOptions writing;
  writing.alpha = plan.header.layout.alpha;
  writing.ktx2.stored_alpha = plan.header.layout.alpha;
  if (const auto& p = plan.header.colors.primaries) {
    std::array<float, 8> corners{};
    const std::array<std::array<double, 2>, 4> points = {p->red, p->green, p->blue, p->white};
    for (size_t i = 0; i < corners.size(); ++i) corners[i] = static_cast<float>(points[i / 2][i % 2]);
    writing.exr.chromaticities = corners;
  }
  if (auto done = files::write(plan.options.output, views, writing); !done) return done.error();
  report.outputs = {plan.options.output};
  report.channels = plan.header.layout.channels;
  report.sample = sample_name(plan.header.layout.sample);
  report.srgb = plan.srgb;
  report.encoding = output_type(plan.options.output) == OutputType::kKtx2 ? "ktx2" : "exr";
  report.warnings = plan.header.warnings;
  report.progress = reports.state();
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(plan.options.output, unknown);
  if (!unknown) report.progress.bytes_written = bytes;
  return report;
}

}  // namespace onepass::tiles
