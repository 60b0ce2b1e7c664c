// cli_manual_test.cpp: the manual page and the bash completions list exactly the options that --help lists.
#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/cli_support.hpp"
#include "tests/support/shell_word.hpp"

namespace cli_test {
namespace {

using onepass::testing::shell_word;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// troff as rendered: without font changes and escapes.
std::string plain(std::string text) {
  for (const char* font : {"\\fB", "\\fI", "\\fR", "\\:", "\\&"}) text = replaced(text, font, "");
  return replaced(replaced(text, "\\-", "-"), "\\e", "\\");
}

/// Options in help or in the page: names with type, and description, both without white space.
using Entries = std::set<std::pair<std::string, std::string>>;

std::string squeezed(const std::string& text) { return std::regex_replace(text, std::regex("[ \n]+"), ""); }

/// Parses "  -o,--output FILE REQUIRED   What to write"; the description may be on the next line.
Entries entries_of_help(const std::string& help) {
  Entries entries;
  const std::vector<std::string> lines = lines_of(help);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch parts;
    if (!std::regex_match(lines[i], parts, std::regex("  (-\\S.*?)(?:  +(.*))?"))) continue;
    std::string what = parts[2];
    if (what.empty() && i + 1 < lines.size()) what = lines[i + 1];
    entries.emplace(squeezed(replaced(parts[1], " REQUIRED", "")), squeezed(what));
  }
  return entries;
}

/// Parses three lines: ".TP", names with type, description.
Entries entries_of_page(const std::vector<std::string>& lines) {
  Entries entries;
  for (size_t i = 0; i + 2 < lines.size(); ++i) {
    if (lines[i] != ".TP" || plain(lines[i + 1]).front() != '-') continue;
    entries.emplace(squeezed(replaced(plain(lines[i + 1]), " (required)", "")), squeezed(plain(lines[i + 2])));
  }
  return entries;
}

/// Lines of the page from the given heading to the next one.
std::vector<std::string> section(const std::string& page, const std::string& heading) {
  std::vector<std::string> lines;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with(".SH ")) inside = line == ".SH " + heading;
    if (inside) lines.push_back(line);
  }
  return lines;
}

/// Names of the subcommands, parsed from help.
std::vector<std::string> subcommands_of(const std::string& help) {
  std::vector<std::string> names;
  bool inside = false;
  for (const std::string& line : lines_of(help)) {
    if (line == "Subcommands:") inside = true;
    if (line.empty()) inside = false;
    std::smatch parts;
    if (inside && std::regex_match(line, parts, std::regex("  ([a-z]+) .*"))) names.push_back(parts[1]);
  }
  return names;
}

TEST_F(Cli, ManualHasTheOptionsOfHelp) {
  const std::string page = good({"--manual"}).out;
  const std::string help = good({"--help"}).out;
  EXPECT_EQ(entries_of_page(section(page, "OPTIONS")), entries_of_help(help));
  const auto names = subcommands_of(help);
  ASSERT_GE(names.size(), 12U);
  for (const std::string& name : names) {
    const std::string of_command = good({name, "--help"}).out;
    const Entries expected = entries_of_help(of_command);
    EXPECT_GE(expected.size(), name == "info" ? 1U : 5U) << name;
    EXPECT_EQ(entries_of_page(section(page, "\"onepass " + name + "\"")), expected) << name;
    // The examples at the end of help must be in the page, line by line.
    const size_t examples = of_command.find("Examples:");
    if (examples == std::string::npos) continue;
    EXPECT_NE(plain(page).find(of_command.substr(examples, of_command.size() - examples - 1)), std::string::npos)
        << name;
  }
}

TEST_F(Cli, ManualIsTroffThatGroffTakes) {
  if (std::system("command -v groff >/dev/null") != 0) GTEST_SKIP() << "no groff";
  const std::string page = path("onepass.1").string();
  ASSERT_EQ(std::system((shell_word(ONEPASS_PROGRAM) + " --manual > " + shell_word(page)).c_str()), 0);
  const std::string log = page + ".log";
  ASSERT_EQ(std::system(("groff -man -Tutf8 -ww -z " + shell_word(page) + " 2> " + shell_word(log)).c_str()), 0);
  EXPECT_EQ(std::filesystem::file_size(log), 0U) << "groff warns";
}

TEST_F(Cli, CompletionsOfBash) {
  if (std::system("command -v bash >/dev/null") != 0) GTEST_SKIP() << "no bash";
  const std::string script = path("completion").string();
  ASSERT_EQ(std::system((shell_word(ONEPASS_PROGRAM) + " --completion > " + shell_word(script)).c_str()), 0);
  // The completions offered for the last word.
  const auto offered = [&](const std::string& words) {
    const std::string out = path("offered").string();
    const std::string command = "source " + shell_word(script) + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _onepass; echo \"${COMPREPLY[*]}\"";
    EXPECT_EQ(std::system(("bash -c " + shell_word(command) + " > " + shell_word(out)).c_str()), 0) << words;
    return replaced(bytes("offered"), "\n", "");
  };
  EXPECT_EQ(offered("onepass mi"), "mips");
  EXPECT_EQ(offered("onepass --ver"), "--version");
  EXPECT_EQ(offered("onepass tonemap --ope"), "--operator");
  EXPECT_EQ(offered("onepass tonemap desk.exr --operator agx"), "agx_sobotka agx_blender");
  EXPECT_EQ(offered("onepass tonemap --engine ''"), "auto cpu vulkan");
  EXPECT_EQ(offered("onepass tonemap --exposure ''"), "auto") << "EV is a number";
  EXPECT_EQ(offered("onepass deconvolve --kernel ''"), "") << "files";
  EXPECT_EQ(offered("onepass deconvolve --iter"), "--iterations");
  EXPECT_EQ(offered("onepass mips --iter"), "");
  // Every option in help is offered.
  for (const std::string& name : subcommands_of(good({"--help"}).out)) {
    std::set<std::string> expected;
    for (const auto& [names, what] : entries_of_help(good({name, "--help"}).out)) {
      std::smatch parts;
      ASSERT_TRUE(std::regex_search(names, parts, std::regex("--[a-z0-9-]+")));
      expected.insert(parts[0]);
    }
    std::istringstream words(offered("onepass " + name + " --"));
    std::set<std::string> actual;
    for (std::string word; words >> word;) actual.insert(word);
    for (const std::string& word : actual) {
      const bool known =
          std::any_of(expected.begin(), expected.end(), [&](const std::string& e) { return e.starts_with(word); });
      EXPECT_TRUE(known) << name << " " << word;
    }
    EXPECT_EQ(actual.size(), expected.size()) << name;
  }
}

}  // namespace
}  // namespace cli_test
