// report.hpp: prints counts and times as tables, and formats them as CSV.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stopwatch.hpp"

namespace samples::particles {

/// Counts of one drawing with DepthTest::kTileFirst.
struct Summary {
  uint64_t particles = 0;
  uint64_t visible = 0;
  uint64_t visible_read = 0;  ///< Visible particles that their tile does not prove visible.
  uint64_t read = 0;          ///< Particles that read the depth buffer.

  static Summary of(const std::vector<TexelCounts>& counts);
  [[nodiscard]] double visible_share() const { return share(visible, particles); }
  [[nodiscard]] double read_share() const { return share(read, particles); }
  /// Share of the visible particles that their tile proves visible.
  [[nodiscard]] double proved_share() const { return share(visible - visible_read, visible); }

 private:
  static double share(uint64_t part, uint64_t whole);
};

void print_scene(const Renderer& renderer, const Options& options);
void print_summary(const Summary& summary, const Options& options);
void print_timings(const Timings& warm, const Timings& cold, const Options& options);

/// One point of the sweep.
struct SweepPoint {
  uint32_t particles = 0;
  double visible_requested = 0;
  Summary summary;
  Timings warm;
  Timings cold;
};

/// Rows of a CSV file: for every point, warm and cold caches, (a) and (b).
std::string csv_text(const Renderer& renderer, const Options& options, const std::vector<SweepPoint>& points);

}  // namespace samples::particles
