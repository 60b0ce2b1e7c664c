// unit_batch.hpp: makes all units of a command, several at once, and prints their reports in the order of the units. A
// failed unit is reported, and the others continue.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "admission.hpp"
#include "console.hpp"
#include "engine.hpp"
#include "json_text.hpp"
#include "output.hpp"

namespace onepass::cli {

/// Output about a finished unit.
struct UnitOutcome {
  std::string note;                   ///< Why the CPU replaced the device, if it did.
  std::string line;                   ///< Report for people.
  std::vector<std::string> lines;     ///< More of it, indented.
  std::vector<std::string> warnings;  ///< One line each on stderr.
  std::vector<std::string> hints;     ///< One line each, printed once per batch.
  Json json;                          ///< Report for programs; the inputs are added in front.
  std::vector<std::string> remarks;   ///< As `lines`, printed once per batch.
};

/// Makes a unit with its share of threads and memory. Called from several threads at once.
using UnitMaker = std::function<Result<UnitOutcome>(const Unit& unit, UnitShare& share)>;

struct BatchOptions {
  std::string command;         ///< As typed.
  std::string device;          ///< Names of the Vulkan devices; empty for the CPU.
  uint32_t memory_factor = 1;  ///< See AdmissionLimits.
};

/// Lets a unit's own copies of the request and of the engine use its share. All three must outlive the unit's work.
void use_share(UnitShare& share, Request& request, EngineChoice& engine);

/// The same for a command without engines.
void use_share(UnitShare& share, Request& request);

/// Ends a command with the batch's `status`; copies -o - to stdout. Returns the exit status.
int finish_run(const Request& request, Console& console, int status);

/// Makes all units and prints their reports. Returns kAllGood or kSomeFailed.
int run_batch(const BatchOptions& options, const Request& request, std::span<const Unit> units, const UnitMaker& make,
              Console& console);

}  // namespace onepass::cli
