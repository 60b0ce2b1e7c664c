// manual.hpp: the manual page and the completion of shells, made from the options themselves: they say what help says.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace onepass::cli {

/// The program with all its subcommands as a page for man(1).
std::string manual_page(const CLI::App& app);

/// A script for bash that completes subcommands, their options, and words that an option chooses from; else files.
std::string bash_completion(const CLI::App& app);

}  // namespace onepass::cli
