// integration_docs_test.cpp: the code in docs/integration.md equals parts of programs that the tests build and run. A
// comment before each block names file and part:
//     <!-- samples/integration/first_dispatch.cpp: record -->
// ONEPASS_WRITE_DOCS=1 updates the blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace onepass::testing {
namespace {

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The lines between [part] and [/part], without the indentation that they share.
std::vector<std::string> part_of(const std::string& path, const std::string& part) {
  const auto lines = read_lines(path);
  const auto holds = [](const std::string& text) {
    return [text](const std::string& line) { return line.find(text) != std::string::npos; };
  };
  const auto begin = std::find_if(lines.begin(), lines.end(), holds("[" + part + "]"));
  const auto end = std::find_if(begin, lines.end(), holds("[/" + part + "]"));
  EXPECT_NE(end, lines.end()) << path << " has no part " << part;
  if (end == lines.end()) return {};
  std::vector<std::string> out(begin + 1, end);
  size_t indent = std::string::npos;
  for (const std::string& line : out) {
    if (!line.empty()) indent = std::min(indent, line.find_first_not_of(' '));
  }
  for (std::string& line : out) line = line.empty() ? line : line.substr(indent);
  return out;
}

TEST(IntegrationDocs, ShowTheLinesOfTheSample) {
  const std::string root = ONEPASS_ROOT;
  const std::string page = root + "/docs/integration.md";
  const auto lines = read_lines(page);
  const bool write = std::getenv("ONEPASS_WRITE_DOCS") != nullptr;
  std::vector<std::string> renewed;
  int blocks = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    renewed.push_back(lines[i]);
    const size_t colon = lines[i].find(": ");
    if (lines[i].rfind("<!-- ", 0) != 0 || colon == std::string::npos) continue;
    const std::string file = lines[i].substr(5, colon - 5);
    const std::string part = lines[i].substr(colon + 2, lines[i].find(" -->") - colon - 2);
    ASSERT_LT(i + 1, lines.size());
    ASSERT_EQ(lines[i + 1].rfind("```", 0), 0U) << "no block after " << lines[i];
    const auto close = std::find(lines.begin() + static_cast<std::ptrdiff_t>(i) + 2, lines.end(), "```");
    ASSERT_NE(close, lines.end());
    const std::vector<std::string> shown(lines.begin() + static_cast<std::ptrdiff_t>(i) + 2, close);
    const auto code = part_of(root + "/" + file, part);
    if (!write) {
      EXPECT_EQ(shown, code) << file << ", " << part;
    }
    if (part == "hiz") {
      EXPECT_LE(code.size(), 40U) << "the C example fits a screen";
    }
    renewed.push_back(lines[i + 1]);
    renewed.insert(renewed.end(), code.begin(), code.end());
    i = static_cast<size_t>(close - lines.begin()) - 1;
    ++blocks;
  }
  EXPECT_GE(blocks, 9);
  if (!write) return;
  std::ofstream file(page);
  for (const std::string& line : renewed) file << line << "\n";
}

}  // namespace
}  // namespace onepass::testing
