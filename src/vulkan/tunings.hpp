// tunings.hpp: the choices that create() makes where a tuning struct leaves a field open (0, kAuto): rows of values
// with the cases to which they apply. Rows come from a text (docs/tuning.md), the caller's or that of the built-in
// table.
//
// Order of a field: the caller's struct; the caller's text; the built-in table; the rule of the technique.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "onepass/vulkan/fourier.hpp"
#include "onepass/vulkan/frame_tone_map.hpp"
#include "onepass/vulkan/luminance.hpp"
#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "onepass/vulkan/tone_map.hpp"
#include "onepass/vulkan/tunings.hpp"
#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// What a condition of a row asks: numbers, or numbers of enumerators.
enum class Property : uint32_t {
  kWidth,
  kHeight,
  kSlices,
  kTexels,    // of all slices
  kChannels,  // of the source
  kFormat,    // of the source
  kFootprint,
  kReduction,
  kPipelines,
  kFactor,
  kPrecision,
};
inline constexpr size_t kProperties = 11;
inline constexpr uint32_t kMostProcessors = 65535;

/// The values of the properties for the options of one technique.
using TuningCase = std::array<uint64_t, kProperties>;

struct TuningCondition {
  Property property = Property::kWidth;
  uint64_t least = 0;
  uint64_t most = 0;
};

/// The tuning of one technique where all conditions hold.
template <typename Tuning>
struct TuningRow {
  std::vector<TuningCondition> when;
  Tuning use{};  // fields that the row does not have are open
};

/// The rows of one device.
struct Tunings {
  std::string device;       // part of its name, in any case; empty: any device
  std::string driver;       // for the reader
  uint32_t processors = 0;  // 0: not stated
  std::tuple<std::vector<TuningRow<PyramidTuning>>, std::vector<TuningRow<TransformTuning>>,
             std::vector<TuningRow<MeterTuning>>, std::vector<TuningRow<TileReductionTuning>>,
             std::vector<TuningRow<ToneMapTuning>>, std::vector<TuningRow<FrameToneMapTuning>>>
      rows;

  template <typename Tuning>
  [[nodiscard]] const std::vector<TuningRow<Tuning>>& of() const {
    return std::get<std::vector<TuningRow<Tuning>>>(rows);
  }
};

// ---- The fields of rows

/// A field of a tuning struct that create() may choose. Numbers: `least` to `most`, powers of two if `powers`.
template <typename Tuning, typename Value>
struct TunedField {
  std::string_view name;
  Value Tuning::*member;
  uint32_t least = 0;
  uint32_t most = 0;
  bool powers = true;
};
template <typename Tuning, typename Value>
TunedField(std::string_view, Value Tuning::*, uint32_t = 0, uint32_t = 0, bool = true) -> TunedField<Tuning, Value>;

/// The options of a technique, its name in texts, and its fields, as a tuple.
template <typename Tuning>
struct Tuned;
template <>
struct Tuned<PyramidTuning> {
  using Options = PyramidOptions;
  static constexpr std::string_view kName = "pyramid";
  static constexpr std::tuple kFields{
      TunedField{"path", &PyramidTuning::path},         TunedField{"subgroup", &PyramidTuning::subgroup},
      TunedField{"sampling", &PyramidTuning::sampling}, TunedField{"last_to_start", &PyramidTuning::last_to_start},
      TunedField{"publish", &PyramidTuning::publish},   TunedField{"second_dispatch", &PyramidTuning::second_dispatch}};
};
template <>
struct Tuned<TransformTuning> {
  using Options = TransformOptions;
  static constexpr std::string_view kName = "transform";
  static constexpr std::tuple kFields{
      TunedField{"technique", &TransformTuning::technique},
      TunedField{"values_per_invocation", &TransformTuning::values_per_invocation, 4, 16},
      TunedField{"lines_of_rows", &TransformTuning::lines_of_rows, 1, 64, false},
      TunedField{"lines_of_columns", &TransformTuning::lines_of_columns, 1, 64, false}};
};
template <>
struct Tuned<MeterTuning> {
  using Options = MeterOptions;
  static constexpr std::string_view kName = "meter";
  static constexpr std::tuple kFields{TunedField{"groups", &MeterTuning::groups, 1, 65535, false},
                                      TunedField{"copies", &MeterTuning::copies, 1, 4},
                                      TunedField{"subgroup", &MeterTuning::subgroup},
                                      TunedField{"divergent_barriers", &MeterTuning::divergent_barriers}};
};
template <>
struct Tuned<TileReductionTuning> {
  using Options = TileReductionOptions;
  static constexpr std::string_view kName = "tile_reduction";
  static constexpr std::tuple kFields{TunedField{"strategy", &TileReductionTuning::strategy},
                                      TunedField{"gathers", &TileReductionTuning::gathers, 1, 16},
                                      TunedField{"workgroup_size", &TileReductionTuning::workgroup_size, 32, 512}};
};
template <>
struct Tuned<ToneMapTuning> {
  using Options = ToneMapOptions;
  static constexpr std::string_view kName = "tone_map";
  static constexpr std::tuple kFields{TunedField{"pixels", &ToneMapTuning::pixels, 1, 8},
                                      TunedField{"workgroup_size", &ToneMapTuning::workgroup_size, 64, 512},
                                      TunedField{"divergent_barriers", &ToneMapTuning::divergent_barriers}};
};
template <>
struct Tuned<FrameToneMapTuning> {
  using Options = FrameToneMapOptions;
  static constexpr std::string_view kName = "frame_tone_map";
  static constexpr std::tuple kFields{TunedField{"groups", &FrameToneMapTuning::groups, 1, 65535, false},
                                      TunedField{"copies", &FrameToneMapTuning::copies, 1, 4},
                                      TunedField{"subgroup", &FrameToneMapTuning::subgroup},
                                      TunedField{"divergent_barriers", &FrameToneMapTuning::divergent_barriers}};
};

/// Calls visit(field) for each field.
template <typename Tuning, typename Visit>
void for_each_field(const Visit& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Tuned<Tuning>::kFields);
}

/// The properties that conditions of a technique may have, and how texts call them.
struct PropertyInfo {
  std::string_view name;
  uint32_t techniques;  // a bit for each element of Tunings::rows
  uint64_t least;       // possible numbers; words and formats have none
  uint64_t most;
};
[[nodiscard]] const PropertyInfo& property_info(Property property);

// ---- Choice

/// The case of a technique's options. `asked`: the caller's struct.
[[nodiscard]] TuningCase tuning_case(const PyramidOptions& options, const PyramidTuning& asked = {});
[[nodiscard]] TuningCase tuning_case(const TransformOptions& options);  // resolved, of a plan
[[nodiscard]] TuningCase tuning_case(const MeterOptions& options);
[[nodiscard]] TuningCase tuning_case(const TileReductionOptions& options);
[[nodiscard]] TuningCase tuning_case(const ToneMapOptions& options);

[[nodiscard]] bool all_hold(const std::vector<TuningCondition>& when, const TuningCase& of);

/// Sets the fields of `tuning` that are open to those of the first row that applies.
template <typename Tuning>
void fill_open_fields(Tuning& tuning, const Tunings& tunings, const TuningCase& of) {
  for (const TuningRow<Tuning>& row : tunings.of<Tuning>()) {
    if (!all_hold(row.when, of)) continue;
    for_each_field<Tuning>([&](const auto& field) {
      auto& value = tuning.*field.member;
      if (value == std::decay_t<decltype(value)>{}) value = row.use.*field.member;
    });
    return;
  }
}

/// The caller's struct with the fields that the tunings of the device choose.
template <typename Tuning>
[[nodiscard]] Tuning resolve(const Device::Impl& device, Tuning tuning, const TuningCase& of) {
  if (device.tunings) fill_open_fields(tuning, *device.tunings, of);
  if (device.known_tunings) fill_open_fields(tuning, *device.known_tunings, of);
  return tuning;
}

/// Calls create(tuning) with the resolved struct. If the technique or the device refuses it, with the caller's: no row
/// makes a technique fail.
template <typename Tuning, typename Create>
auto create_tuned(const Device::Impl& device, const Tuning& asked, const TuningCase& of, const Create& create) {
  auto made = create(resolve(device, asked, of));
  if (made || (!device.tunings && !device.known_tunings)) return made;
  const ErrorCode code = made.error().code;
  if (code != ErrorCode::kInvalidArgument && code != ErrorCode::kUnsupported) return made;
  return create(asked);
}

// ---- Texts

/// Reads a text: an object, or an array of objects, one per device. Errors: kInvalidArgument, naming the line, the path
/// of the field, and the value.
Result<std::vector<Tunings>> parse_tunings(std::string_view text);

/// The text of `all`, in the form that parse_tunings() reads.
std::string tunings_text(const std::vector<Tunings>& all);

/// The members of a row's `use`: {"path": "per_level"}.
template <typename Tuning>
std::string use_text(const Tuning& use);

/// The built-in table's text for a device; empty for devices that it does not have.
std::string_view known_tunings_text(VkDriverId driver, std::string_view device);

/// Whether `text` contains `part`, in any case.
bool contains(std::string_view text, std::string_view part);

// ---- Devices

/// Sets the device's tunings from the built-in table and its processors from an extension.
void find_known_tunings(const InstanceFunctions& vk, VkPhysicalDevice physical, VkDriverId driver, Device::Impl& out);

/// Sets the device's tunings from the caller's text; an empty text has none. Errors: those of parse_tunings().
Result<void> use_tunings(std::string_view text, Device::Impl& out);

/// Workgroups of 256 invocations that fill a device: two for each processor.
inline uint32_t filling_groups(const Device::Impl& device) { return 2 * device.info.processors; }

}  // namespace onepass::vulkan
