// manual.hpp: the manual page and the bash completion, generated from the options and their help texts.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace onepass::cli {

/// The program with all its subcommands as a page for man(1).
std::string manual_page(const CLI::App& app);

/// A bash script that completes subcommands, options, the words of options with a fixed choice, and files.
std::string bash_completion(const CLI::App& app);

}  // namespace onepass::cli
