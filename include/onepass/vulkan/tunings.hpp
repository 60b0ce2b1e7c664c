// vulkan/tunings.hpp: tunings that were measured on a device, as a JSON text.
//
// A field of a tuning struct that its caller leaves open (0, kAuto) is chosen by the text that the device was adopted
// or opened with, else by the library's table of known devices, else by a rule. docs/tuning.md has the text's form:
//
//     const std::string text = R"({"onepass_tunings": 1, "device": "llvmpipe", "transform": [
//       {"when": {"texels": {"at_most": 16384}, "channels": 4}, "use": {"values_per_invocation": 8}}]})";
//     auto device = onepass::vulkan::Device::open({.tunings = text});
//
// The command `onepass tune` measures on a device and writes the text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/export.h"
#include "onepass/result.hpp"
#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// Checks a text of tunings. An empty text is valid and has none.
/// Errors: kInvalidArgument, naming the line, the path of the field, and the value:
/// "tunings: line 2: transform[0].use.values_per_invocation: 5 is not a power of two from 4 to 16".
/// Threads: any number of calls at once.
[[nodiscard]] ONEPASS_API Result<void> check_tunings(std::string_view text);

/// Options of measure_tunings().
struct MeasureOptions {
  /// Names as in the text: "pyramid", "transform", "meter", "tile_reduction", "tone_map", "frame_tone_map". None: all.
  std::vector<std::string> techniques{};
  double seconds = 150;  ///< Time in all, divided among the techniques: above 0, at most 86400. The last case is
                         ///< measured to its end: it compiles a pipeline at least, and runs seven rounds of the best.
  std::function<void(double share, std::string_view what)> progress{};  ///< Called before each case; 1 at the end.
};

/// A case that was measured. Times are of one recording, by GPU timestamps, or by the host's clock if the queue has
/// none.
struct MeasuredCase {
  std::string technique;
  std::string name;                 ///< Size, formats and options: "3840x2160 r8g8b8a8_unorm mean covering shared".
  double default_microseconds = 0;  ///< Median of all rounds.
  double best_microseconds = 0;     ///< The default's, times the median ratio of a round; the default's if no candidate
                                    ///< is faster.
  std::string use;                  ///< The fields of the best candidate, as in the text; empty: the default.
};

/// Result of measure_tunings().
struct MeasuredTunings {
  std::string text;  ///< For DeviceRequest::tunings and DeviceHandles::tunings.
  std::vector<MeasuredCase> cases;
  std::vector<std::string> notes;  ///< Candidates whose results differ from the default's, and cases that were not
                                   ///< measured, with the reason.
};

/// Measures tunings on a device: for sizes and formats of each technique, candidates in paired rounds with the default.
/// A candidate is taken if its results are the same within the rounding contract and it is faster by more than 2 %
/// beyond the spread of the rounds. It stands for sizes from half to twice the measured one. In builds with all
/// techniques. Cost: up to 1 GB of device memory and as much of the host's (transforms of 3840x2160), and all the
/// device's time. Errors: kInvalidArgument for the options, an adopted device, or one with a text of tunings;
/// kDeviceLost. Other errors end a case: notes. Threads: as Device::run().
ONEPASS_API Result<MeasuredTunings> measure_tunings(const Device& device, const MeasureOptions& options = {});

}  // namespace onepass::vulkan
