// unit_batch.hpp: the loop of every command that makes outputs of inputs: one unit after the other, a failed one is
// reported and the work goes on.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "console.hpp"
#include "json_text.hpp"
#include "output.hpp"

namespace onepass::cli {

/// What is said of a unit that was done.
struct UnitOutcome {
  std::string note;                   ///< Why it was made on the CPU; may be empty.
  std::string line;                   ///< For people,
  std::vector<std::string> lines;     ///< and more of them, indented.
  std::vector<std::string> warnings;  ///< A line each on stderr.
  std::vector<std::string> hints;     ///< A line each, once a run.
  Json json;                          ///< For programs; inputs are put before.
};

/// Makes unit `index`.
using UnitMaker = std::function<Result<UnitOutcome>(const Unit& unit, size_t index)>;

struct BatchWords {
  std::string command;  ///< As typed.
  std::string engine;
  bool json = false;
};

/// The end of a run whose units ended with `status`: what was meant for standard output goes there. Returns the exit
/// status.
int finish_run(const Request& request, Console& console, int status);

/// Exit status: kAllGood or kSomeFailed.
int run_batch(const BatchWords& words, std::span<const Unit> units, const UnitMaker& make, Console& console);

}  // namespace onepass::cli
