// commands.hpp: the subcommands. Each function adds one to the command line; the returned function runs it after
// parsing and yields the exit status.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace onepass::cli {

using Command = std::function<int()>;

Command add_mips(CLI::App& app);
Command add_hiz(CLI::App& app);
Command add_fft(CLI::App& app);
Command add_filter(CLI::App& app);
Command add_convolve(CLI::App& app);
Command add_bloom(CLI::App& app);
Command add_align(CLI::App& app);
Command add_deconvolve(CLI::App& app);
Command add_meter(CLI::App& app);
Command add_tonemap(CLI::App& app);
Command add_textures(CLI::App& app);
Command add_tiles(CLI::App& app);
Command add_volume(CLI::App& app);
Command add_tune(CLI::App& app);
Command add_info(CLI::App& app);
Command add_scene(CLI::App& app);

/// Version and commit of this build, its engines and file formats, one line each.
std::string version_text();

}  // namespace onepass::cli
