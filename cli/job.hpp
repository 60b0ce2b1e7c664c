// job.hpp: one pyramid from input files to output files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine.hpp"
#include "output.hpp"

namespace onepass::cli {

/// What was done.
struct UnitReport {
  std::vector<std::filesystem::path> outputs;
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  uint32_t slices = 1;
  bool cube = false;
  std::vector<Extent> sizes;  ///< One a level.
  EngineReport engine;
  double read_ms = 0;
  double make_ms = 0;
  double write_ms = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> hints;
};

/// Reads, makes, writes. Errors: whatever goes wrong; then no output of this unit has changed.
[[nodiscard]] Result<UnitReport> run_unit(const Request& request, const EngineChoice& engine, const Unit& unit);

}  // namespace onepass::cli
