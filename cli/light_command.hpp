// light_command.hpp: shared code of `meter` and `tonemap`: options, metering, the batch of units, reports.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine.hpp"
#include "input.hpp"
#include "onepass/luminance.hpp"
#include "onepass/tone_map.hpp"
#include "output.hpp"
#include "unit_batch.hpp"

namespace onepass::cli {

/// Options of both commands. `files.kind` is kPicture.
struct LightRequest {
  Request files;
  RequestWords words;
  MeterOptions meter;  ///< All but size, slices, source and mask.
  std::string metering = "average";
  std::string statistic = "log_average";
  std::string rule = "key";
  std::string clip;
  std::string centre;
  std::string ev_range;
  std::string range;
  std::string mask;
  std::string tone_operator = "agx_blender";
  float fps = 0;  ///< Above 0: the inputs are frames of a sequence.
};

/// Adds INPUT, --channel, --color.
void add_light_files(CLI::App& command, LightRequest& request);
/// Adds --metering and the other options that determine the exposure.
void add_meter_options(CLI::App& command, LightRequest& request);
/// Adds --engine, --device, --threads, --shard, --json, --quiet.
void add_light_engine(CLI::App& command, LightRequest& request);

/// Converts words to values. Errors: kInvalidArgument, a usage error.
[[nodiscard]] Result<void> finish_light_request(const CLI::App& command, LightRequest& request);

/// Result of metering one image.
struct Metered {
  MeterOptions options;
  std::vector<MeterResult> results;  ///< One per slice.
  float exposure = 1;                ///< For all slices: the geometric mean of their exposures.
  EngineReport engine;
};

/// A copy with premultiplied colours, the light that reaches a meter. Empty if `base` needs no conversion.
[[nodiscard]] Result<std::optional<Image>> premultiplied_copy(const Base& base, uint32_t threads);

/// Meters images. Those of a sequence (fps above 0) adapt from one to the next.
/// Threads: any number of calls at once. Images of a sequence wait for each other.
class SequenceMeter {
 public:
  /// `index`: the image's number among all inputs. The time of failed images of a sequence counts too.
  /// Errors: those of the meter, of UnitShare::wait_for_earlier(), and of reading the mask, naming the file.
  Result<Metered> meter(const LightRequest& request, const EngineChoice& engine, const ImageView& image, size_t index,
                        UnitShare& share);

 private:
  Result<void> adapt(const LightRequest& request, const EngineChoice& engine, const ImageView& image,
                     const ImageView& mask, size_t index, Metered& out);

  std::map<size_t, Metered> recent_;  // of a sequence, by index: the last one is the state from which exposure adapts
};

/// A warning if the exposure is 1 because no pixel of a slice that is not black is brighter than MeterOptions::delta.
/// Else empty.
[[nodiscard]] std::string dark_warning(const Metered& metered);

/// The share of a slice's weight that is brighter than `luminance`, 0 to 1, to the precision of the histogram's bins.
[[nodiscard]] double share_above(const MeterResult& result, double luminance);

/// A slice's statistics. `histogram`: with all 256 weights.
[[nodiscard]] Json meter_json(const MeterOptions& options, const MeterResult& result, bool histogram);

/// Report of one unit.
struct LightReport {
  std::vector<std::filesystem::path> outputs;
  Format source = Format::kUndefined;
  Extent size;
  uint32_t slices = 1;
  EngineReport engine;
  std::string summary;               ///< Printed after "INPUT -> OUTPUTS: SIZE".
  std::vector<std::string> lines;    ///< Printed below that line.
  std::vector<std::string> remarks;  ///< The same, once per batch.
  Json details;                      ///< More members for --json.
  double read_ms = 0;
  double make_ms = 0;
  double write_ms = 0;
  std::vector<std::string> warnings;
};

/// Makes the outputs of a unit from its image, whose primaries are BT.709. On an error they are unchanged. `request`
/// and `engine` are the unit's own. Called from several threads at once.
using LightMaker = std::function<Result<LightReport>(const LightRequest& request, const EngineChoice& engine,
                                                     const Unit& unit, Base& base, UnitShare& share)>;

/// Reads, makes and reports all units. Returns the exit status.
int run_light(const CLI::App& command, LightRequest& request, const LightMaker& make);

/// Reports wrong usage. Returns its exit status.
int usage_error(const LightRequest& request, const Error& error);

}  // namespace onepass::cli
