// mips.cpp: `onepass mips`: makes mip chains of images.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "batch.hpp"
#include "commands.hpp"
#include "pyramid_options.hpp"

namespace onepass::cli {

Command add_mips(CLI::App& app) {
  CLI::App* command = app.add_subcommand("mips", "Make mip chains of images");
  command->footer(std::string(output_help()) +
                  "Examples:\n"
                  "  onepass mips photo.jpg -o photo.ktx2 --sheet photo_levels.png\n"
                  "  onepass mips leaves.png -o leaves.ktx2 --alpha coverage --alpha-threshold 0.4 --zstd\n"
                  "  onepass mips bricks.png -o bricks.ktx2 --filter kaiser --boundary wrap\n"
                  "  onepass mips normals.png -o normals.ktx2 --normal-map\n"
                  "  onepass mips right.png left.png up.png down.png front.png back.png --cube -o sky.ktx2\n"
                  "  onepass mips textures/*.png -o textures/{name}.ktx2\n"
                  "  onepass mips photo.png -o photo.dds --block bc7\n"
                  "  onepass mips normals.png -o normals.dds --normal-map --block bc5\n"
                  "  onepass mips changed.png --update atlas.ktx2 --region 256,0,64,64 -o atlas.ktx2");
  auto request = std::make_shared<PyramidRequest>();
  auto words = std::make_shared<PyramidWords>();
  request->kind = Request::Kind::kMips;
  add_pyramid_options(*command, *request, *words);
  return [=] { return run_pyramids(*command, *request, *words); };
}

}  // namespace onepass::cli
