// job.hpp: makes one pyramid, from its input files to its output files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine.hpp"
#include "output.hpp"
#include "pyramid_options.hpp"

namespace onepass::cli {

/// Report of one unit.
struct UnitReport {
  std::vector<std::filesystem::path> outputs;
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  BlockFormat blocks = BlockFormat::kUndefined;  ///< What levels were compressed to.
  EngineReport block_engine;                     ///< What compressed them.
  uint32_t slices = 1;
  bool cube = false;
  std::vector<Extent> sizes;  ///< One per level.
  EngineReport engine;
  double read_ms = 0;
  double make_ms = 0;
  double write_ms = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> hints;
};

/// Reads, computes and writes one unit. On an error its outputs are unchanged.
[[nodiscard]] Result<UnitReport> run_unit(const PyramidRequest& request, const EngineChoice& engine, const Unit& unit);

}  // namespace onepass::cli
