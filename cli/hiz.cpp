// hiz.cpp: `onepass hiz`: makes hierarchical depth buffers of depth images.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "batch.hpp"
#include "commands.hpp"
#include "pyramid_options.hpp"

namespace onepass::cli {

Command add_hiz(CLI::App& app) {
  CLI::App* command = app.add_subcommand("hiz", "Make hierarchical depth buffers of depth images");
  command->footer(std::string(output_help()) +
                  "Reads channel Z of EXR files that have one, otherwise the only channel; --channel selects another.\n"
                  "Depths that are NaN are refused.\n"
                  "Examples:\n"
                  "  onepass hiz scene.exr -o scene_hiz.ktx2 --sheet scene_hiz.png\n"
                  "  onepass hiz frame.exr -o frame.exr.ktx2 --reversed-z\n"
                  "  onepass hiz depth.png -o depth.ktx2 --reduction min_max --footprint tight\n"
                  "  onepass hiz scene.exr -o tiles.ktx2 --factor 16   (texel (x, y) is in texel (x/16, y/16))\n"
                  "  onepass hiz render.exr --channel depth.Y -o 'levels/depth_%d.png'");
  auto request = std::make_shared<PyramidRequest>();
  auto words = std::make_shared<PyramidWords>();
  request->kind = Request::Kind::kHiz;
  add_pyramid_options(*command, *request, *words);
  return [=] { return run_pyramids(*command, *request, *words); };
}

}  // namespace onepass::cli
