// cases.cpp: the tables of cases. Sizes and formats match measurements of other libraries; the sizes between them are
// for the chart of cost against texels.
#include "cases.hpp"

#include <array>

namespace onepass::bench {
namespace {

constexpr Format kDepth32 = Format::kD32Sfloat;
constexpr Format kR32 = Format::kR32Sfloat;
constexpr Format kRG32 = Format::kRG32Sfloat;
constexpr Format kRGBA8 = Format::kRGBA8Unorm;
constexpr Format kSrgb8 = Format::kRGBA8Srgb;
constexpr Format kRGBA16 = Format::kRGBA16Sfloat;
constexpr Format kRGBA32 = Format::kRGBA32Sfloat;

constexpr Extent kHD = {1920, 1080};
constexpr Extent kUHD = {3840, 2160};
constexpr Extent kEye = {1648, 1776};  // of a head-mounted display: two slices
constexpr Extent square(uint32_t side) { return {side, side}; }

constexpr PyramidCase make_case(Format format, Extent size, Reduction reduction, Footprint footprint,
                                Run run = Run::kAlways) {
  return {.source = format,
          .target = reduction == Reduction::kMinMax ? kRG32 : format,
          .size = size,
          .reduction = reduction,
          .footprint = footprint,
          .run = run};
}

constexpr PyramidCase mean(Format format, Extent size, Run run = Run::kAlways) {
  return make_case(format, size, Reduction::kMean, Footprint::kAligned, run);
}
constexpr PyramidCase covering_mean(Format format, Extent size) {
  return make_case(format, size, Reduction::kMean, Footprint::kCovering);
}
constexpr PyramidCase filtered(Format format, Extent size, MipFilter filter) {
  PyramidCase out = covering_mean(format, size);
  out.filter = filter;
  return out;
}
constexpr PyramidCase least(Extent size, Footprint footprint = Footprint::kCovering, Run run = Run::kAlways) {
  return make_case(kR32, size, Reduction::kMin, footprint, run);
}
constexpr PyramidCase depth(Extent size) {
  PyramidCase out = least(size);
  out.source = kDepth32;
  return out;
}
constexpr PyramidCase min_max(Extent size, Footprint footprint) {
  return make_case(kR32, size, Reduction::kMinMax, footprint);
}
constexpr PyramidCase sliced(Extent size, uint32_t slices) {
  PyramidCase out = mean(kRGBA16, size);
  out.slices = slices;
  return out;
}

constexpr PyramidCase pair_of(PyramidCase one) {
  one.slices = 2;
  return one;
}

constexpr PyramidCase kVulkanCases[] = {
    mean(kRGBA8, square(64)),
    filtered(kRGBA8, square(64), MipFilter::kKaiser),
    mean(kRGBA8, square(256)),
    mean(kRGBA8, square(512)),
    mean(kRGBA8, square(1024)),
    mean(kRGBA8, kHD),
    covering_mean(kRGBA8, kHD),
    mean(kRGBA8, square(2048)),
    mean(kRGBA8, kUHD),
    covering_mean(kRGBA8, kUHD),
    covering_mean(kRGBA8, square(4095)),
    mean(kRGBA8, square(4096)),
    mean(kRGBA8, square(8192), Run::kAll),
    covering_mean(kSrgb8, kHD),
    filtered(kSrgb8, kHD, MipFilter::kKaiser),
    covering_mean(kSrgb8, kUHD),
    covering_mean(kSrgb8, square(4095)),
    filtered(kSrgb8, square(4095), MipFilter::kKaiser),
    mean(kSrgb8, square(2048)),
    filtered(kSrgb8, square(2048), MipFilter::kKaiser),
    mean(kSrgb8, square(4096)),
    filtered(kSrgb8, square(4096), MipFilter::kKaiser),
    filtered(kSrgb8, square(4096), MipFilter::kMitchell),
    least(square(64)),
    least(square(256)),
    least(square(512)),
    least(square(1024)),
    mean(kR32, kHD),
    least(kHD),
    least(kHD, Footprint::kEdge),
    least(kHD, Footprint::kTight),
    least(square(2048)),
    mean(kR32, kUHD),
    least(kUHD),
    pair_of(least(kEye)),
    depth(square(64)),
    depth(kHD),
    depth(kUHD),
    pair_of(depth(kEye)),
    covering_mean(kR32, square(4095)),
    least(square(4095)),
    mean(kR32, square(4096)),
    filtered(kR32, square(4096), MipFilter::kKaiser),
    least(square(8192), Footprint::kCovering, Run::kAll),
    mean(kR32, square(16384), Run::kAll),
    least(square(16384), Footprint::kAligned, Run::kAll),
    min_max(kHD, Footprint::kCovering),
    min_max(kHD, Footprint::kAligned),
    min_max(square(4096), Footprint::kAligned),
    mean(kRG32, square(64)),
    mean(kRG32, square(4096)),
    sliced(square(512), 6),
    sliced(square(256), 64),
    mean(kRGBA16, kHD),
    covering_mean(kRGBA16, kHD),
    mean(kRGBA16, kUHD),
    covering_mean(kRGBA16, kUHD),
    covering_mean(kRGBA16, square(4095)),
    mean(kRGBA16, square(4096)),
    filtered(kRGBA16, square(4096), MipFilter::kKaiser),
    mean(kRGBA32, kHD),
    mean(kRGBA32, kUHD),
    covering_mean(kRGBA32, square(4095)),
    mean(kRGBA32, square(4096)),
    filtered(kRGBA32, square(4096), MipFilter::kKaiser),
};

constexpr PyramidCase kTileCases[] = {
    least(square(64)), least(kHD), pair_of(least(kEye)), least(kUHD), least(square(4096)),
    depth(square(64)), depth(kHD), pair_of(depth(kEye)), depth(kUHD),
};

constexpr Extent kOdd = {4095, 4093};
constexpr PyramidCase kCpuCases[] = {
    mean(kRGBA8, square(4096)),
    mean(kSrgb8, square(4096)),
    filtered(kSrgb8, square(4096), MipFilter::kKaiser),
    filtered(kSrgb8, square(4096), MipFilter::kLanczos),
    mean(kRGBA32, square(4096)),
    filtered(kRGBA32, square(4096), MipFilter::kKaiser),
    mean(kR32, square(4096)),
    filtered(kR32, square(4096), MipFilter::kKaiser),
    least(square(4096), Footprint::kAligned),
    mean(kRGBA8, kUHD),
    covering_mean(kRGBA8, kHD),
    covering_mean(kSrgb8, kHD),
    filtered(kSrgb8, kHD, MipFilter::kKaiser),
    covering_mean(kRGBA8, kOdd),
    covering_mean(kSrgb8, kOdd),
    covering_mean(kRGBA32, kOdd),
    covering_mean(kR32, kOdd),
    least(kHD, Footprint::kAligned),
    least(kUHD, Footprint::kAligned),
    min_max(square(4096), Footprint::kAligned),
};

}  // namespace

std::span<const PyramidCase> vulkan_cases() { return kVulkanCases; }
std::span<const PyramidCase> tile_cases() { return kTileCases; }
std::span<const PyramidCase> cpu_cases() { return kCpuCases; }

TileReductionOptions tile_options(const PyramidCase& pyramid) {
  return {.size = pyramid.size,
          .slices = pyramid.slices,
          .source = pyramid.source,
          .target = pyramid.target,
          .reduction = pyramid.reduction,
          .factor = kTileFactor};
}

bool same_images(const PyramidCase& a, const PyramidCase& b) {
  return a.source == b.source && a.target == b.target && a.size == b.size && a.slices == b.slices;
}

bool same_levels(const PyramidOptions& a, const PyramidOptions& b) {
  return a.size == b.size && a.slices == b.slices && a.levels == b.levels && a.source == b.source &&
         a.target == b.target && a.reduction == b.reduction && a.footprint == b.footprint &&
         a.filter.kind == b.filter.kind;
}

std::string_view mode_word(Mode mode) {
  static constexpr std::array<std::string_view, 3> kWords = {"throughput", "isolated", "warm"};
  return kWords[static_cast<size_t>(mode)];
}

std::string_view mode_description(Mode mode) {
  static constexpr std::array<std::string_view, 3> kWords = {"cold throughput", "cold isolated", "warm throughput"};
  return kWords[static_cast<size_t>(mode)];
}

std::string_view format_word(Format format) {
  switch (format) {
    case kDepth32:
      return "d32f";
    case kR32:
      return "r32f";
    case kRG32:
      return "rg32f";
    case kRGBA8:
      return "rgba8";
    case kSrgb8:
      return "rgba8_srgb";
    case kRGBA16:
      return "rgba16f";
    case kRGBA32:
      return "rgba32f";
    default:
      return format_info(format).name;
  }
}

std::string format_word(const PyramidCase& pyramid) {
  std::string word(format_word(pyramid.source));
  return pyramid.source == pyramid.target ? word : word + "_" + std::string(format_word(pyramid.target));
}

std::string size_word(const PyramidCase& pyramid) {
  std::string word = std::to_string(pyramid.size.width) + "x" + std::to_string(pyramid.size.height);
  return pyramid.slices == 1 ? word : word + "x" + std::to_string(pyramid.slices);
}

}  // namespace onepass::bench
