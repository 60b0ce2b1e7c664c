// report.cpp: every technique is created with usual options, as an application would, so that the
// report shows the variants that the library chooses on the device, and the error where a technique does not work on
// it.
#include "report.hpp"

#include <fmt/core.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "elapsed.hpp"
#include "names.hpp"
#include "onepass/vulkan/bloom.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/fourier_convolution.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"
#include "onepass/vulkan/fourier_deconvolution.hpp"
#include "onepass/vulkan/fourier_filter.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"

namespace onepass::cli {
namespace {

using vulkan::Device;

constexpr Extent kSize{1920, 1080};

const char* type_name(uint32_t type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "CPU";
    default:
      return "other";
  }
}

const char* technique_name(FourierTechnique technique) {
  switch (technique) {
    case FourierTechnique::kSharedMemory:
      return "shared_memory";
    case FourierTechnique::kFourStep:
      return "four_step";
    default:
      return "ping_pong";
  }
}

const char* strategy_name(vulkan::TileStrategy strategy) {
  return strategy == vulkan::TileStrategy::kTree ? "tree" : "subgroup";
}

Json stages_json(const std::vector<vulkan::StagePlan>& stages) {
  Json out = Json::array();
  for (const vulkan::StagePlan& stage : stages) {
    Json one;
    one["axis"] = stage.axis == Axis::kX ? "x" : "y";
    one["technique"] = technique_name(stage.technique);
    one["radices"] = Json::array();
    for (uint32_t i = 0; i < stage.passes; ++i) one["radices"].push_back(stage.radices[i]);
    one["dispatches"] = stage.dispatches;
    out.push_back(one);
  }
  return out;
}

// A technique with the options of the report. `create` fills in what its plan says, and keeps the technique until its
// kernels have been listed.
struct Trial {
  const char* technique;
  std::string options;
  std::function<std::optional<Error>(const Device&, Json&, std::shared_ptr<void>&)> create;
};

// The trial of a technique T. `describe` adds what its plan says.
template <typename T, typename Options, typename Describe>
Trial trial(const char* technique, std::string options_text, const Options& options, const Describe& describe) {
  return {technique, std::move(options_text),
          [=](const Device& device, Json& json, std::shared_ptr<void>& keeps) -> std::optional<Error> {
            auto created = T::create(device, options);
            if (!created) return created.error();
            describe(*created, json);
            keeps = std::make_shared<T>(std::move(*created));
            return std::nullopt;
          }};
}

void describe_pyramid(const vulkan::Pyramid& pyramid, Json& json) {
  const bool two =
      pyramid.dispatch_plan().path == PyramidPath::kSingleDispatch && pyramid.dispatch_plan().dispatches.size() > 1;
  json["path"] = two ? "two_dispatches" : word_of(pyramid.dispatch_plan().path);
  json["dispatches"] = pyramid.dispatch_plan().dispatches.size();
  json["scratch_bytes"] = pyramid.dispatch_plan().scratch_bytes;
}

void describe_tone_map(const vulkan::ToneMap& map, Json& json) {
  json["dispatches"] = map.dispatch_plan().dispatches;
  json["scratch_bytes"] = map.dispatch_plan().scratch_bytes;
}

void describe_bloom(const vulkan::Bloom& bloom, Json& json) { json["dispatches"] = bloom.dispatch_plan().dispatches; }

void describe_nothing(const auto&, Json&) {}

std::vector<Trial> all_trials() {
  const PyramidOptions mips{.size = kSize, .source = Format::kRGBA8Srgb, .target = Format::kRGBA8Srgb};
  const PyramidOptions depth{
      .size = kSize, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat, .reduction = Reduction::kMax};
  const TileReductionOptions tiles{.size = kSize, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat};
  const TransformOptions transform{.size = {1024, 1024}, .source = Format::kRGBA32Sfloat};
  const ConvolutionOptions convolution{
      .size = {512, 512}, .source = Format::kRGBA16Sfloat, .kernel_size = {31, 31}, .kernel = Format::kR32Sfloat};
  const FilterOptions filter{.size = {512, 512}, .source = Format::kRGBA16Sfloat, .cutoff = 0.1F};
  const CorrelationOptions correlation{.size = {512, 512}, .first = Format::kRGBA16Sfloat};
  const DeconvolutionOptions deconvolution{
      .size = {512, 512}, .source = Format::kRGBA16Sfloat, .kernel_size = {31, 31}, .kernel = Format::kR32Sfloat};
  const BloomOptions glare{.size = {512, 512}, .source = Format::kRGBA16Sfloat};
  const BloomOptions chain{.size = kSize, .source = Format::kRGBA16Sfloat, .method = BloomMethod::kMipChain};
  const MeterOptions meter{.size = kSize, .source = Format::kRGBA16Sfloat};
  ToneMapOptions tone{.size = kSize, .source = Format::kRGBA16Sfloat, .target = Format::kRGBA8Unorm};
  const FrameToneMapOptions frame{.meter = meter, .tone = tone};
  ToneMapOptions local = tone;
  local.local.highlights = 0.6F;
  const std::string large = fmt::format("{}x{}", kSize.width, kSize.height);
  return {
      trial<vulkan::Pyramid>("pyramid", large + " r8g8b8a8_srgb, mean", mips, describe_pyramid),
      trial<vulkan::Pyramid>("pyramid", large + " r32_sfloat, max", depth, describe_pyramid),
      trial<vulkan::TileReduction>("tile_reduction", large + " r32_sfloat, min, factor 16", tiles,
                                   [](const vulkan::TileReduction& reduction, Json& json) {
                                     json["strategy"] = strategy_name(reduction.dispatch_plan().strategy);
                                   }),
      trial<vulkan::Transform>("fourier", "1024x1024 r32g32b32a32_sfloat, both directions", transform,
                               [](const vulkan::Transform& made, Json& json) {
                                 json["forward"] = stages_json(made.dispatch_plan().forward);
                                 json["inverse"] = stages_json(made.dispatch_plan().inverse);
                               }),
      trial<vulkan::Convolver>("fourier_convolution", "512x512 r16g16b16a16_sfloat, kernel 31x31", convolution,
                               describe_nothing<vulkan::Convolver>),
      trial<vulkan::Filter>("fourier_filter", "512x512 r16g16b16a16_sfloat", filter, describe_nothing<vulkan::Filter>),
      trial<vulkan::Correlator>("fourier_correlation", "512x512 r16g16b16a16_sfloat", correlation,
                                describe_nothing<vulkan::Correlator>),
      trial<vulkan::Deconvolver>("fourier_deconvolution", "512x512 r16g16b16a16_sfloat, kernel 31x31", deconvolution,
                                 describe_nothing<vulkan::Deconvolver>),
      trial<vulkan::Bloom>("bloom", "512x512 r16g16b16a16_sfloat, convolution", glare, describe_bloom),
      trial<vulkan::Bloom>("bloom", large + " r16g16b16a16_sfloat, mip_chain", chain, describe_bloom),
      trial<vulkan::Meter>(
          "luminance", large + " r16g16b16a16_sfloat", meter,
          [](const vulkan::Meter& made, Json& json) { json["dispatches"] = made.dispatch_plan().dispatches; }),
      trial<vulkan::ToneMap>("tone_map", large + " r16g16b16a16_sfloat to r8g8b8a8_unorm", tone, describe_tone_map),
      trial<vulkan::ToneMap>("local_exposure", large + " r16g16b16a16_sfloat to r8g8b8a8_unorm", local,
                             describe_tone_map),
      trial<vulkan::FrameToneMap>("frame_tone_map", large + " r16g16b16a16_sfloat to r8g8b8a8_unorm", frame,
                                  describe_nothing<vulkan::FrameToneMap>),
  };
}

Json run_trial(const Device& device, const Trial& trial) {
  device.trim();  // the kernels of the trial before
  Json json;
  json["technique"] = trial.technique;
  json["options"] = trial.options;
  std::shared_ptr<void> keeps;
  const auto start = Clock::now();
  const auto error = trial.create(device, json, keeps);
  json["creation_ms"] = milliseconds_since(start);
  if (error) {
    json["error"] = error->text();
  } else {
    json["kernels"] = vulkan::kernel_names(device);
  }
  return json;
}

Json trials_json(const vulkan::DeviceReport& report) {
  Json out = Json::array();
  if (!report.info.usable) return out;
  auto device = Device::open({.selector = std::to_string(report.info.index)});
  if (!device) {
    out.push_back({{"error", device.error().text()}});
    return out;
  }
  for (const Trial& trial : all_trials()) out.push_back(run_trial(*device, trial));
  return out;
}

}  // namespace

Json report_of(const vulkan::DeviceReport& device) {
  Json json;
  json["type"] = type_name(device.type);
  json["vendor_id"] = fmt::format("{:#06x}", device.vendor_id);
  json["device_id"] = fmt::format("{:#06x}", device.device_id);
  json["driver_id"] = device.driver_id;
  json["driver_name"] = device.driver_name;
  json["driver_info"] = device.driver_info;
  json["driver_version"] = device.driver_version;
  json["conformance"] = device.conformance;
  json["subgroups"] = {{"size", device.info.subgroup_size},
                       {"least_size", device.least_subgroup_size},
                       {"most_size", device.most_subgroup_size},
                       {"required_size", device.required_subgroup_size},
                       {"operations", device.subgroup_operations}};
  for (const vulkan::DeviceLimit& limit : device.limits) json["limits"][limit.name] = limit.value;
  for (const vulkan::FormatSupport& format : device.formats) {
    json["formats"][std::string(format_info(format.format).name)] = {
        {"sampled", format.sampled}, {"filtered", format.filtered}, {"stored", format.stored}};
  }
  Json& known = json["known_driver"];
  known["row"] = device.known_driver.empty() ? Json() : Json(device.known_driver);
  known["reason"] =
      device.known_driver.empty() ? "No row: the guarantees of the specification." : device.known_driver_reason;
  for (const vulkan::DriverAssumption& one : device.assumptions) {
    known["assumptions"][one.name] = {{"holds", one.holds}, {"decides", one.decides}};
  }
  json["variants"] = trials_json(device);
  json["extensions"] = device.extensions;
  return json;
}

}  // namespace onepass::cli
