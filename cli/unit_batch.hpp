// unit_batch.hpp: the loop over all units of a command. A failed unit is reported, and the loop continues.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "console.hpp"
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
};

/// Makes unit `index`.
using UnitMaker = std::function<Result<UnitOutcome>(const Unit& unit, size_t index)>;

struct BatchWords {
  std::string command;  ///< As typed.
  std::string engine;
  bool json = false;
};

/// Ends a command with the batch's `status`; copies -o - to stdout. Returns the exit status.
int finish_run(const Request& request, Console& console, int status);

/// Makes all units and prints their reports. Returns kAllGood or kSomeFailed.
int run_batch(const BatchWords& words, std::span<const Unit> units, const UnitMaker& make, Console& console);

}  // namespace onepass::cli
