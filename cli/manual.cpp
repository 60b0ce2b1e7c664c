// manual.cpp: the page is troff with the macros of man(7).
#include "manual.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace onepass::cli {
namespace {

/// Text escaped for troff: it cannot begin a request, and hyphens stay ASCII so that commands can be copied to a shell.
std::string escaped(std::string_view text) {
  std::string out;
  if (!text.empty() && (text.front() == '.' || text.front() == '\'')) out += "\\&";
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }

/// A type in italics; lines may break after each '|' of a choice.
std::string italic(const std::string& text) {
  std::string out = "\\fI";
  for (const char c : text) {
    out += escaped(std::string_view(&c, 1));
    if (c == '|') out += "\\:";
  }
  return out + "\\fR";
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// Name of an option's argument; empty for a flag.
std::string type_of(const CLI::Option& option) {
  return option.get_expected_max() == 0 || option.get_type_size_max() == 0 ? "" : option.get_type_name();
}

/// One option or positional argument: names and type, then the description.
std::string entry(const CLI::Option& option) {
  std::string tag;
  for (const std::string& name : names_of(option)) tag += (tag.empty() ? "" : ", ") + bold(name);
  if (option.get_positional()) tag = bold(option.get_name(true));
  const std::string type = type_of(option);
  if (!type.empty())
    tag += " " + italic(option.get_expected_min() == 0 && !option.get_positional() ? "[" + type + "]" : type);
  if (option.get_expected_max() > 1) tag += " ...";
  if (option.get_required()) tag += " (required)";
  return ".TP\n" + tag + "\n" + escaped(option.get_description()) + "\n";
}

/// The options of a command, in the groups and the order of its help.
std::string entries(const CLI::App& command) {
  std::string page;
  std::vector<std::string> groups;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) page += entry(*option);
    const std::string& group = option->get_group();
    if (!group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  for (const std::string& group : groups) {
    const auto in_group = [&](const CLI::Option* o) { return o->get_group() == group && !o->get_positional(); };
    const auto options = command.get_options(in_group);
    if (options.empty()) continue;
    page += ".SS " + escaped(group) + "\n";
    for (const CLI::Option* option : options) page += entry(*option);
  }
  return page;
}

/// Text with its line breaks kept.
std::string verbatim(const std::string& text) {
  std::string page = ".PP\n.nf\n";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) page += escaped(line) + "\n";
  return page + ".fi\n";
}

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

/// The words of a type like auto|cpu|vulkan. Parts in capitals are placeholders and are left out. Empty if the type is
/// no choice.
std::string choices(const CLI::Option& option) {
  std::string words;
  std::istringstream parts(type_of(option));
  size_t count = 0;
  for (std::string part; std::getline(parts, part, '|'); ++count) {
    const bool word = !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
    });
    if (word) words += (words.empty() ? "" : " ") + part;
  }
  return count > 1 ? words : "";
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  const std::string about = app.get_description();
  std::string page =
      fmt::format(".TH ONEPASS 1 \"\" \"onepass {}\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\nonepass \\- {}\n",
                  ONEPASS_VERSION, escaped(about.substr(about.find(": ") + 2)));
  page +=
      ".SH SYNOPSIS\n\\fBonepass\\fR \\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR]\n.br\n\\fBonepass\\fR [\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\nThe type of an input is recognised by its content, that of an output by its extension. Outputs "
      "appear complete or not at all, "
      "also\n"
      "when the program is interrupted or the disk is full.\n.SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options()) page += entry(*option);
  page += ".SH SUBCOMMANDS\n";
  for (const CLI::App* command : subcommands(app))
    page += ".TP\n" + bold(command->get_name()) + "\n" + escaped(command->get_description()) + "\n";
  for (const CLI::App* command : subcommands(app)) {
    page += fmt::format(".SH \"onepass {}\"\n{}.\n", command->get_name(), escaped(command->get_description()));
    page += entries(*command) + verbatim(command->get_footer());
  }
  page += ".SH EXIT STATUS\n";
  const std::pair<const char*, const char*> codes[] = {
      {"0", "Success."},
      {"1", "At least one failure; each is one line on standard error: onepass: FILE: reason."},
      {"2", "Wrong usage."},
      {"130, 143", "Interrupted by SIGINT or SIGTERM."}};
  for (const auto& [code, meaning] : codes) page += fmt::format(".TP\n{}\n{}\n", bold(code), escaped(meaning));
  return page + ".SH EXAMPLES" + verbatim(app.get_footer()).insert(0, "\n");
}

std::string bash_completion(const CLI::App& app) {
  std::string commands, top, options, words;
  const auto add = [](std::string& list, const std::string& word) { list += (list.empty() ? "" : " ") + word; };
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : names_of(*option)) add(top, name);
  }
  for (const CLI::App* command : subcommands(app)) {
    add(commands, command->get_name());
    std::string names;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : names_of(*option)) {
        add(names, name);
        const std::string chosen = choices(*option);
        if (!chosen.empty()) words += fmt::format("    '{} {}') words='{}' ;;\n", command->get_name(), name, chosen);
      }
    }
    options += fmt::format("    {}) words='{}' ;;\n", command->get_name(), names);
  }
  return fmt::format(
      R"(# bash completion of onepass {0}: subcommands, options, words that an option chooses from, files.
_onepass() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{1} {2}' -- "$current"))
    return
  fi
  case "$command $before" in
{3}  esac
  if [[ -z $words && $current == -* ]]; then
    case $command in
{4}    esac
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o default 2>/dev/null
  fi
}}
complete -F _onepass onepass)",
      ONEPASS_VERSION, commands, top, words, options);
}

}  // namespace onepass::cli
