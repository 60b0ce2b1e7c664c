// report.cpp: tables for readers and CSV rows for programs, one per share of visible particles, state of the caches and
// depth test.
#include "report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace samples::particles {
namespace {

// Names may hold commas and quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void add_rows(std::string& text, const std::string& scene, const SweepPoint& point, const char* caches,
              const Timings& times) {
  const std::string particles =
      fmt::format("{},{},{:.3f},{:.5f},{:.5f},{}", scene, point.particles, point.visible_requested,
                  point.summary.visible_share(), point.summary.proved_share(), caches);
  text += fmt::format("{},full_resolution,1.00000,{:.3f},{:.3f},{:.3f},,,,\n", particles, times.full.median,
                      times.full.least, times.full.most);
  text +=
      fmt::format("{},tile_first,{:.5f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.4f},{:.4f}\n", particles,
                  point.summary.read_share(), times.tile_first.median, times.tile_first.least, times.tile_first.most,
                  times.build.median, times.build_tile_first.median, times.gain(), times.gain_with_build());
}

}  // namespace

double Summary::share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Summary Summary::of(const std::vector<TexelCounts>& counts) {
  Summary sum;
  for (const TexelCounts& texel : counts) {
    sum.particles += texel.particles;
    sum.visible += texel.visible;
    sum.visible_read += texel.visible_read;
    sum.read += texel.read;
  }
  return sum;
}

void print_scene(const Renderer& renderer, const Options& options) {
  const auto& info = renderer.gpu().device().info();
  fmt::print("device     {} ({}){}\n", info.name, info.driver,
             info.software ? "; software: its times say nothing about GPUs" : "");
  fmt::print("depth      {}x{}, 32 bits, {} is near\n", renderer.size().width, renderer.size().height,
             options.reversed_z ? "1" : "0");
  fmt::print("tiles      {}x{}, the nearest depth of {}x{} texels each\n", renderer.tiles_size().width,
             renderer.tiles_size().height, options.factor, options.factor);
}

void print_summary(const Summary& summary, const Options& options) {
  fmt::print("particles  {}, of one texel, unsorted\n", summary.particles);
  fmt::print("visible    {:.2f} % (requested: {:.2f} %)\n", 100 * summary.visible_share(), 100 * options.visible);
  fmt::print("proved     {:.2f} % of the visible particles, by their tile alone\n", 100 * summary.proved_share());
  fmt::print("read       {:.2f} % of all particles read the depth buffer if tiles are tested first\n",
             100 * summary.read_share());
}

void print_timings(const Timings& warm, const Timings& cold, const Options& options) {
  const auto row = [](const char* what, const Times& a, const Times& b) {
    fmt::print("{:<44}{:>10.1f}{:>12.1f}\n", what, a.median, b.median);
  };
  const auto percent = [](const char* what, double a, double b) {
    fmt::print("{:<44}{:>8.1f} %{:>10.1f} %\n", what, 100 * a, 100 * b);
  };
  fmt::print("\n{:<44}{:>10}{:>12}\n", fmt::format("microseconds, median of {}", options.frames), "warm", "cold");
  row("(a) every particle reads the depth buffer", warm.full, cold.full);
  row("(b) tiles tested first", warm.tile_first, cold.tile_first);
  row("    making the tiles", warm.build, cold.build);
  row("    making the tiles, then (b)", warm.build_tile_first, cold.build_tile_first);
  percent("(b) saves, tiles given", warm.gain(), cold.gain());
  percent("(b) saves, tiles made for it", warm.gain_with_build(), cold.gain_with_build());
}

std::string csv_text(const Renderer& renderer, const Options& options, const std::vector<SweepPoint>& points) {
  const auto& info = renderer.gpu().device().info();
  std::string text =
      "device,driver,width,height,factor,reversed_z,band,particles,visible_requested,visible,proved_of_visible,caches,"
      "test,full_read_share,median_us,least_us,most_us,build_us,build_and_draw_us,gain,gain_with_build\n";
  const std::string scene =
      fmt::format("{},{},{},{},{},{},{:.3f}", quoted(info.name), quoted(info.driver), renderer.size().width,
                  renderer.size().height, options.factor, options.reversed_z ? 1 : 0, options.band);
  for (const SweepPoint& point : points) {
    add_rows(text, scene, point, "warm", point.warm);
    add_rows(text, scene, point, "cold", point.cold);
  }
  return text;
}

}  // namespace samples::particles
