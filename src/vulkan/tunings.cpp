// tunings.cpp: the built-in table of tunings, the cases of techniques, and the number of processors of a device.
#include "vulkan/tunings.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace onepass::vulkan {
namespace {

// Multiprocessors of an H100 and an H200, for which the constants of the techniques were measured. Devices that do not
// tell their number count as such.
constexpr uint32_t kUsualProcessors = 132;

struct KnownTunings {
  VkDriverId driver;
  std::string_view device;  // part of its name, in any case
  std::string_view text;
};

// Driver 580.159.04, docs/benchmarks/nvidia_h200_tunings.csv.
constexpr std::string_view kH200 = R"({"onepass_tunings": 1, "device": "H200", "processors": 132,
"transform": [
  {"when": {"texels": {"at_least": 131073, "at_most": 524288}, "channels": 1, "slices": 1},
   "use": {"values_per_invocation": 8, "lines_of_columns": 2}},
  {"when": {"texels": {"at_least": 1474561, "at_most": 2949120}, "channels": 1, "slices": 1},
   "use": {"lines_of_rows": 2, "lines_of_columns": 4}},
  {"when": {"texels": {"at_least": 2949121, "at_most": 8388608}, "channels": 1, "slices": 1},
   "use": {"values_per_invocation": 16, "lines_of_columns": 2}},
  {"when": {"texels": {"at_least": 524289, "at_most": 2949120}, "format": "r16g16b16a16_sfloat", "slices": 1},
   "use": {"lines_of_columns": 2}}],
"tile_reduction": [
  {"when": {"texels": {"at_least": 4147201, "at_most": 16588800}, "channels": 1, "factor": 8, "slices": 1},
   "use": {"gathers": 2}}]})";

// The devices on which tunings were measured, in the form that `onepass tune` writes. A device of the table keeps the
// choices of its measurements when the rule for unknown devices changes.
constexpr KnownTunings kKnownTunings[] = {
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, "H100", R"({"onepass_tunings": 1, "device": "H100", "processors": 132})"},
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, "H200", kH200},
    {VK_DRIVER_ID_MESA_LLVMPIPE, "llvmpipe",
     R"({"onepass_tunings": 1, "device": "llvmpipe", "pyramid": [{"use": {"second_dispatch": "on"}}]})"},
    {VK_DRIVER_ID_GOOGLE_SWIFTSHADER, "SwiftShader",
     R"({"onepass_tunings": 1, "device": "SwiftShader", "pyramid": [{"use": {"second_dispatch": "on"}}]})"},
};

template <typename Options>
TuningCase case_of_images(const Options& options) {
  TuningCase out{};
  const auto set = [&out](Property property, uint64_t value) { out[static_cast<size_t>(property)] = value; };
  set(Property::kWidth, options.size.width);
  set(Property::kHeight, options.size.height);
  set(Property::kSlices, options.slices);
  set(Property::kTexels, uint64_t{options.size.width} * options.size.height * options.slices);
  set(Property::kChannels, format_info(options.source).channels);
  set(Property::kFormat, static_cast<uint64_t>(options.source));
  return out;
}

template <typename Enum>
void set(TuningCase& of, Property property, Enum value) {
  of[static_cast<size_t>(property)] = static_cast<uint64_t>(value);
}

constexpr uint64_t kMostExtent = 65535;  // of an image, a domain or a tile reduction
constexpr uint32_t kPyramidBit = 1U << 0;
constexpr uint32_t kTransformBit = 1U << 1;
constexpr uint32_t kTileReductionBit = 1U << 3;
constexpr uint32_t kAllBits = (1U << 6) - 1;

constexpr PropertyInfo kPropertyInfos[] = {
    {"width", kAllBits, 1, kMostExtent}, {"height", kAllBits, 1, kMostExtent},
    {"slices", kAllBits, 1, UINT32_MAX}, {"texels", kAllBits, 1, UINT64_MAX},
    {"channels", kAllBits, 1, 4},        {"format", kAllBits, 0, 0},
    {"footprint", kPyramidBit, 0, 0},    {"reduction", kPyramidBit | kTileReductionBit, 0, 0},
    {"pipelines", kPyramidBit, 0, 0},    {"factor", kTileReductionBit, 2, 64},
    {"precision", kTransformBit, 0, 0},
};
static_assert(std::size(kPropertyInfos) == kProperties);

// Streaming multiprocessors or compute units, if an extension tells their number; else 0.
uint32_t count_processors(const InstanceFunctions& vk, VkPhysicalDevice physical) {
  const std::vector<std::string> extensions = extensions_of(vk, physical);
  const auto has = [&](const char* name) { return std::binary_search(extensions.begin(), extensions.end(), name); };
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{};
  nvidia.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
  VkPhysicalDeviceShaderCorePropertiesAMD amd{};
  amd.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  if (has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
    properties.pNext = &nvidia;
  } else if (has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
    properties.pNext = &amd;
  } else {
    return 0;
  }
  vk.vkGetPhysicalDeviceProperties2(physical, &properties);
  return nvidia.shaderSMCount + amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
}

}  // namespace

const PropertyInfo& property_info(Property property) { return kPropertyInfos[static_cast<size_t>(property)]; }

TuningCase tuning_case(const PyramidOptions& options, const PyramidTuning& asked) {
  TuningCase out = case_of_images(options);
  set(out, Property::kFootprint, options.footprint);
  set(out, Property::kReduction, options.reduction);
  set(out, Property::kPipelines, asked.pipelines);
  return out;
}

TuningCase tuning_case(const TransformOptions& options) {
  TuningCase out = case_of_images(options);
  set(out, Property::kChannels, options.channels);
  set(out, Property::kPrecision, options.precision);
  return out;
}

TuningCase tuning_case(const MeterOptions& options) { return case_of_images(options); }

TuningCase tuning_case(const TileReductionOptions& options) {
  TuningCase out = case_of_images(options);
  set(out, Property::kReduction, options.reduction);
  set(out, Property::kFactor, options.factor);
  return out;
}

TuningCase tuning_case(const ToneMapOptions& options) { return case_of_images(options); }

bool all_hold(const std::vector<TuningCondition>& when, const TuningCase& of) {
  return std::all_of(when.begin(), when.end(), [&](const TuningCondition& condition) {
    const uint64_t value = of[static_cast<size_t>(condition.property)];
    return value >= condition.least && value <= condition.most;
  });
}

bool contains(std::string_view text, std::string_view part) {
  const auto equal = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), equal) != text.end();
}

std::string_view known_tunings_text(VkDriverId driver, std::string_view device) {
  const auto* known = std::find_if(
      std::begin(kKnownTunings), std::end(kKnownTunings),
      [&](const KnownTunings& candidate) { return candidate.driver == driver && contains(device, candidate.device); });
  return known != std::end(kKnownTunings) ? known->text : std::string_view();
}

void find_known_tunings(const InstanceFunctions& vk, VkPhysicalDevice physical, VkDriverId driver, Device::Impl& out) {
  DeviceInfo& info = out.info;
  info.processors = 0;
  info.tunings.clear();
  if (const std::string_view text = known_tunings_text(driver, info.name); !text.empty()) {
    auto known = parse_tunings(text);
    ONEPASS_ASSERT(known);  // a test parses every text of the table
    out.known_tunings = std::make_shared<const Tunings>(std::move(known->front()));
    info.processors = out.known_tunings->processors;
    info.tunings = "built-in table: " + out.known_tunings->device;
  }
  if (info.processors == 0) info.processors = std::min(count_processors(vk, physical), kMostProcessors);
  if (info.processors == 0) info.processors = kUsualProcessors;
}

Result<void> use_tunings(std::string_view text, Device::Impl& out) {
  if (text.empty()) return {};
  auto all = parse_tunings(text);
  if (!all) return all.error();
  DeviceInfo& info = out.info;
  const auto mine = std::find_if(all->begin(), all->end(),
                                 [&](const Tunings& tunings) { return contains(info.name, tunings.device); });
  if (mine == all->end()) return {};
  if (mine->processors != 0) info.processors = mine->processors;
  info.tunings = "caller's text: " + (mine->device.empty() ? "any device" : mine->device) +
                 (info.tunings.empty() ? "" : "; " + info.tunings);
  out.tunings = std::make_shared<const Tunings>(std::move(*mine));
  return {};
}

Result<void> check_tunings(std::string_view text) {
  if (text.empty()) return {};
  auto all = parse_tunings(text);
  if (!all) return all.error();
  return {};
}

}  // namespace onepass::vulkan
