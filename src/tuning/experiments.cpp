// experiments.cpp: the tables of cases and candidates. Sizes and formats are those of frames in games.
#include "tuning/experiments.hpp"

namespace onepass::vulkan {
namespace {

constexpr Extent kFullHd{1920, 1080};
constexpr Extent kUltraHd{3840, 2160};
constexpr Extent kOddSquare{4095, 4095};

constexpr OutputTolerance kExact{};
constexpr OutputTolerance kOneCode{.codes = 1};
constexpr OutputTolerance kSums{.codes = 1, .relative = 2e-6};
constexpr OutputTolerance kSpectra{.norm = 1e-6};

template <typename Value>
TuningCondition is(Property property, Value value) {
  return {property, static_cast<uint64_t>(value), static_cast<uint64_t>(value)};
}

std::string text_of(Extent size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }
std::string text_of(Format format) { return std::string(format_info(format).name); }

// Of the one kind of image with which light is measured.
std::vector<TuningCondition> of_halves() {
  return {is(Property::kFormat, Format::kRGBA16Sfloat), is(Property::kSlices, 1)};
}

}  // namespace

// ---- Pyramids

template <>
std::vector<Experiment<PyramidTuning>> experiments() {
  struct Kind {
    Format format;
    Reduction reduction;
    TuningCondition of;
    OutputTolerance tolerance;
  };
  const Kind kinds[] = {{Format::kRGBA8Unorm, Reduction::kMean, is(Property::kFormat, Format::kRGBA8Unorm), kOneCode},
                        {Format::kR32Sfloat, Reduction::kMax, is(Property::kChannels, 1), kExact},
                        {Format::kRGBA8Srgb, Reduction::kMean, is(Property::kFormat, Format::kRGBA8Srgb), kOneCode}};
  std::vector<Experiment<PyramidTuning>> out;
  const auto add = [&](Extent size, Footprint footprint, Pipelines pipelines) {
    for (const Kind& kind : kinds) {
      Experiment<PyramidTuning>& one = out.emplace_back();
      one.label = text_of(size) + " " + text_of(kind.format) + " " + std::string(word_of(kind.reduction)) + " " +
                  std::string(word_of(footprint)) + " " + std::string(word_of(pipelines));
      one.options = {.size = size,
                     .source = kind.format,
                     .target = kind.format,
                     .reduction = kind.reduction,
                     .footprint = footprint};
      one.when = {kind.of, is(Property::kFootprint, footprint), is(Property::kPipelines, pipelines),
                  is(Property::kSlices, 1)};
      one.tolerance = kind.tolerance;
      one.asked.pipelines = pipelines;
    }
  };
  for (const Extent size : {kUltraHd, kFullHd, kOddSquare}) {
    for (const Pipelines pipelines : {Pipelines::kShared, Pipelines::kOwn}) add(size, Footprint::kCovering, pipelines);
  }
  for (const Extent size : {kUltraHd, kFullHd}) add(size, Footprint::kAligned, Pipelines::kShared);
  return out;
}

template <>
std::vector<std::vector<PyramidTuning>> candidates(const Device::Impl& device,
                                                   const Experiment<PyramidTuning>& experiment) {
  std::vector<std::vector<PyramidTuning>> axes{{{.path = PyramidPath::kPerLevel}}, {{.subgroup = Switch::kOff}}};
  // With shared pipelines one dispatch would need pipelines of each size: the caller asked for the opposite.
  if (experiment.asked.pipelines == Pipelines::kOwn) {
    axes.push_back({{.second_dispatch = Switch::kOn}, {.second_dispatch = Switch::kOff}});
  }
  if (!device.info.software) axes.push_back({{.sampling = Sampling::kFetch}});
  if (device.driver.unfenced_stores) axes.push_back({{.publish = Switch::kOff}});
  if (device.driver.forward_progress) axes.push_back({{.last_to_start = Switch::kOff}});
  return axes;
}

// ---- Transforms

template <>
std::vector<Experiment<TransformTuning>> experiments() {
  std::vector<Experiment<TransformTuning>> out;
  const auto add = [&out](Extent size, Format source, Format target) {
    const uint32_t channels = format_info(source).channels;
    Experiment<TransformTuning>& one = out.emplace_back();
    one.label = text_of(size) + " " + text_of(source);
    one.options = {.size = size, .source = source, .target = target};
    one.when = {is(Property::kChannels, channels), is(Property::kSlices, 1)};
    one.tolerance = kSpectra;
  };
  for (const Extent size : {Extent{512, 512}, Extent{256, 256}, Extent{1024, 1024}, kFullHd, Extent{128, 128},
                            Extent{64, 64}, Extent{2048, 2048}, kUltraHd}) {
    add(size, Format::kRGBA16Sfloat, Format::kRGBA32Sfloat);
    if (size.width <= 2048) add(size, Format::kR32Sfloat, Format::kR32Sfloat);
  }
  return out;
}

template <>
std::vector<std::vector<TransformTuning>> candidates(const Device::Impl& device, const Experiment<TransformTuning>&) {
  if (!device.driver.compiles_whole_lines) return {};
  return {{{.values_per_invocation = 4}, {.values_per_invocation = 8}, {.values_per_invocation = 16}},
          {{.lines_of_rows = 1}, {.lines_of_rows = 2}, {.lines_of_rows = 4}, {.lines_of_rows = 8}},
          {{.lines_of_columns = 1}, {.lines_of_columns = 2}, {.lines_of_columns = 4}, {.lines_of_columns = 8}},
          {{.technique = FourierTechnique::kFourStep}}};
}

// ---- Meters, tone maps, both

template <>
std::vector<Experiment<MeterTuning>> experiments() {
  std::vector<Experiment<MeterTuning>> out;
  for (const Extent size : {kUltraHd, kFullHd}) {
    Experiment<MeterTuning>& one = out.emplace_back();
    one.label = text_of(size) + " " + text_of(Format::kRGBA16Sfloat);
    one.options = {.size = size, .source = Format::kRGBA16Sfloat};
    one.when = of_halves();
    one.tolerance = kSums;
  }
  return out;
}

template <>
std::vector<std::vector<MeterTuning>> candidates(const Device::Impl& device, const Experiment<MeterTuning>&) {
  const uint32_t groups = filling_groups(device);
  return {{{.groups = groups / 4 + 1}, {.groups = groups / 2}, {.groups = 2 * groups}, {.groups = 4 * groups}},
          {{.copies = 1}, {.copies = 2}, {.copies = 4}},
          {{.subgroup = Switch::kOff}}};
}

template <>
std::vector<Experiment<ToneMapTuning>> experiments() {
  std::vector<Experiment<ToneMapTuning>> out;
  for (const Extent size : {kUltraHd, kFullHd}) {
    Experiment<ToneMapTuning>& one = out.emplace_back();
    one.label = text_of(size) + " " + text_of(Format::kRGBA16Sfloat) + " to " + text_of(Format::kRGBA8Srgb);
    one.options = {.size = size, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Srgb};
    one.when = of_halves();
    one.tolerance = kOneCode;
  }
  return out;
}

template <>
std::vector<std::vector<ToneMapTuning>> candidates(const Device::Impl&, const Experiment<ToneMapTuning>&) {
  return {{{.pixels = 1}, {.pixels = 2}, {.pixels = 4}, {.pixels = 8}},
          {{.workgroup_size = 64}, {.workgroup_size = 128}, {.workgroup_size = 256}, {.workgroup_size = 512}}};
}

template <>
std::vector<Experiment<FrameToneMapTuning>> experiments() {
  std::vector<Experiment<FrameToneMapTuning>> out;
  for (const Extent size : {kUltraHd, kFullHd}) {
    Experiment<FrameToneMapTuning>& one = out.emplace_back();
    one.label = text_of(size) + " " + text_of(Format::kRGBA16Sfloat) + " to " + text_of(Format::kRGBA8Srgb);
    one.options.meter = {.size = size, .source = Format::kRGBA16Sfloat};
    one.options.tone = {.size = size, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Srgb};
    one.when = of_halves();
    one.tolerance = kSums;
  }
  return out;
}

template <>
std::vector<std::vector<FrameToneMapTuning>> candidates(const Device::Impl& device,
                                                        const Experiment<FrameToneMapTuning>&) {
  const uint32_t groups = filling_groups(device);
  return {{{.groups = groups / 2}, {.groups = 2 * groups}, {.groups = 4 * groups}},
          {{.copies = 1}, {.copies = 2}, {.copies = 4}},
          {{.subgroup = Switch::kOff}}};
}

// ---- Tile reductions

template <>
std::vector<Experiment<TileReductionTuning>> experiments() {
  std::vector<Experiment<TileReductionTuning>> out;
  for (const Extent size : {kUltraHd, kFullHd}) {
    for (const uint32_t factor : {8U, 16U}) {
      Experiment<TileReductionTuning>& one = out.emplace_back();
      one.label = text_of(size) + " " + text_of(Format::kR32Sfloat) + " max " + std::to_string(factor);
      one.options = {.size = size,
                     .source = Format::kR32Sfloat,
                     .target = Format::kR32Sfloat,
                     .reduction = Reduction::kMax,
                     .factor = factor};
      one.when = {is(Property::kChannels, 1), is(Property::kFactor, factor), is(Property::kSlices, 1)};
      one.tolerance = kExact;
    }
  }
  return out;
}

template <>
std::vector<std::vector<TileReductionTuning>> candidates(const Device::Impl&, const Experiment<TileReductionTuning>&) {
  return {{{.strategy = TileStrategy::kTree}},
          {{.gathers = 1}, {.gathers = 2}, {.gathers = 4}, {.gathers = 8}, {.gathers = 16}},
          {{.workgroup_size = 64}, {.workgroup_size = 128}, {.workgroup_size = 256}, {.workgroup_size = 512}}};
}

}  // namespace onepass::vulkan
