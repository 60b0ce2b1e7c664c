// main.cpp: the onepass program: parses the command line, runs the subcommand, turns failures into one line on stderr
// and an exit status.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <clocale>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "console.hpp"
#include "interrupt.hpp"
#include "manual.hpp"
#include "nearest.hpp"
#include "path_of.hpp"
#include "system.hpp"

namespace {

using onepass::cli::Command;

constexpr const char* kFooter =
    "Examples:\n"
    "  onepass scene -o scene.exr\n"
    "  onepass mips photo.jpg -o photo.ktx2 --sheet photo_levels.png\n"
    "  onepass hiz scene.exr -o scene_hiz.ktx2 --sheet scene_hiz.png\n"
    "  onepass info\n"
    "  onepass tonemap scene.exr -o scene.png\n"
    "`onepass SUBCOMMAND --help` lists the options of a subcommand.\n"
    "Exit status: 0 success, 1 at least one failure, 2 wrong usage.";

// The parser's message without the advice on its further lines.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The long names of a command's options.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Advice about unknown options: the most similar one, or, for the name of a file, how to pass it.
std::string advice(const CLI::App& command, const std::vector<std::string>& unknown) {
  for (const std::string& word : unknown) {
    if (!word.starts_with('-')) continue;
    const std::string name = word.substr(0, word.find('='));
    if (const std::string near = onepass::cli::did_you_mean(name, option_names(command)); !near.empty()) return near;
    if (std::filesystem::exists(onepass::cli::path_of(word))) return "; files that begin with - go after --";
  }
  return {};
}

// The arguments in the order the parser wants, last first. "--zstd" may stand without a number: it takes the next
// argument only if that is a number, never an input file.
std::vector<std::string> arguments(std::vector<std::string> all) {
  if (!all.empty()) all.erase(all.begin());  // the program's name
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] != "--zstd") continue;
    const bool number =
        i + 1 < all.size() && !all[i + 1].empty() && all[i + 1].find_first_not_of("0123456789") == std::string::npos;
    if (!number) all[i] = "--zstd=3";
  }
  std::reverse(all.begin(), all.end());
  return all;
}

int run(const std::vector<std::string>& words) {
  CLI::App app{
      "onepass: mip chains, depth pyramids, Fourier transforms and filters, exposure and tone mapping of image files",
      "onepass"};
  app.set_version_flag("--version", onepass::cli::version_text,
                       "Print version, commit, engines and file formats, and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // "/tmp/picture.png" is a name
  namespace cli = onepass::cli;
  std::vector<std::pair<const char*, Command>> commands{
      {"mips", cli::add_mips(app)},         {"hiz", cli::add_hiz(app)},
      {"fft", cli::add_fft(app)},           {"filter", cli::add_filter(app)},
      {"convolve", cli::add_convolve(app)}, {"bloom", cli::add_bloom(app)},
      {"align", cli::add_align(app)},       {"deconvolve", cli::add_deconvolve(app)},
      {"meter", cli::add_meter(app)},       {"tonemap", cli::add_tonemap(app)},
      {"textures", cli::add_textures(app)}};
#if defined(__linux__) && !defined(__ANDROID__)  // as in cli/CMakeLists.txt
  commands.emplace_back("tiles", cli::add_tiles(app));
  commands.emplace_back("volume", cli::add_volume(app));
#endif
  commands.emplace_back("scene", cli::add_scene(app));
  commands.emplace_back("tune", cli::add_tune(app));
  commands.emplace_back("info", cli::add_info(app));
  // Both texts list the subcommands added above.
  const auto print = [&app](const char* option, std::string (*made)(const CLI::App&), const char* help) {
    app.add_flag_callback(
        option, [&app, made] { throw CLI::CallForVersion(made(app), 0); }, help);
  };
  print("--manual", cli::manual_page, "Print the manual page: onepass --manual | man -l -");
  print("--completion", cli::bash_completion, "Print completions for bash: source <(onepass --completion)");
  try {
    app.parse(arguments(words));
  } catch (const CLI::Success& success) {
    app.exit(success);
    std::cout.flush();
    if (std::cout) return onepass::cli::kAllGood;
    onepass::cli::write_error({"standard output: cannot write"});
    return onepass::cli::kSomeFailed;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty() && words.size() > 1 && !words[1].starts_with('-')) {
      std::vector<std::string> names;
      for (const auto& command : commands) names.emplace_back(command.first);
      onepass::cli::write_error({"'", words[1], "' is not a subcommand", onepass::cli::did_you_mean(words[1], names),
                                 " (see onepass --help)"});
      return onepass::cli::kUsage;
    }
    const std::string help = chosen.empty() ? "onepass --help" : "onepass " + chosen.front()->get_name() + " --help";
    const std::string more = chosen.empty() ? "" : advice(*chosen.front(), chosen.front()->remaining());
    onepass::cli::write_error({first_line(error.what()), more, " (see ", help, ")"});
    return onepass::cli::kUsage;
  }
  const auto is_chosen = [&](const auto& command) { return app.got_subcommand(command.first); };
  return std::find_if(commands.begin(), commands.end(), is_chosen)->second();
}

}  // namespace

int main(int argc, char** argv) {
  onepass::cli::system::open_standard_streams();
  onepass::cli::handle_signals();
  try {
    return run(onepass::cli::system::arguments(argc, argv));
  } catch (const std::bad_alloc&) {
    onepass::cli::write_error({"out of memory"});
  } catch (const std::exception& exception) {
    onepass::cli::write_error({exception.what()});
  }
  return onepass::cli::kSomeFailed;
}
