// tone_map_docs_test.cpp: the table of values in docs/tone_map.md and its picture of curves are those of the
// definitions. ONEPASS_WRITE_DOCS=1 writes them anew.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tone_map_oracle.hpp"

namespace onepass::testing {
namespace {

constexpr std::array kLights = {0.01, 0.18, 0.5, 1.0, 4.0, 16.0};

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

double encoded_grey(const ToneMapOptions& options, double x) { return oracle_operator(options, {x, x, x})[1]; }

double linear_grey(const ToneMapOptions& options, double x) {
  return std::pow(std::max(0.0, encoded_grey(options, x)), oracle_decode_exponent(options.tone_operator));
}

std::string table() {
  std::string text = "| x |";
  char number[32];
  for (const double x : kLights) {
    std::snprintf(number, sizeof number, " %g |", x);
    text += number;
  }
  text += "\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const ToneOperator tone_operator : kAllOperators) {
    const ToneMapOptions options{.tone_operator = tone_operator};
    // Hejl's and Sobotka's are published as encoded, Blender's as light.
    const bool encoded = oracle_decode_exponent(tone_operator) == 2.2;
    text += "| " + std::string(name_of(tone_operator)) + (encoded ? ", encoded |" : " |");
    for (const double x : kLights) {
      std::snprintf(number, sizeof number, " %.7f |", encoded ? encoded_grey(options, x) : linear_grey(options, x));
      text += number;
    }
    text += "\n";
  }
  return text;
}

/// Light from 2^-10 to 2^5 of all operators, in stops.
std::string picture() {
  constexpr int kWidth = 900, kHeight = 420, kLeft = 50, kBottom = 380, kPlot = 640;
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 420\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"900\" height=\"420\" fill=\"white\"/>\n";
  char line[256];
  for (int stop = -10; stop <= 5; ++stop) {
    const double x = kLeft + kPlot * (stop + 10) / 15.0;
    std::snprintf(
        line, sizeof line,
        "<path d=\"M%.1f 20V380\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"398\" text-anchor=\"middle\">%d</text>\n", x, x,
        stop);
    svg += line;
  }
  for (int tenth = 0; tenth <= 12; tenth += 2) {
    const double y = kBottom - 300.0 * tenth / 10;
    std::snprintf(
        line, sizeof line,
        "<path d=\"M50 %.1fH690\" stroke=\"#ddd\"/><text x=\"44\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n", y,
        y + 4, tenth / 10.0);
    svg += line;
  }
  int index = 0;
  for (const ToneOperator tone_operator : kAllOperators) {
    const ToneMapOptions options{.tone_operator = tone_operator};
    const int hue = index * 360 / static_cast<int>(kAllOperators.size());
    std::snprintf(line, sizeof line, "<path fill=\"none\" stroke-width=\"2\" stroke=\"hsl(%d,75%%,%d%%)\" d=\"M", hue,
                  index % 2 == 0 ? 40 : 55);
    svg += line;
    for (int i = 0; i <= 150; ++i) {
      const double value = std::min(1.2, linear_grey(options, std::exp2(-10 + i / 10.0)));
      std::snprintf(line, sizeof line, "%s%.1f %.1f", i == 0 ? "" : " ", kLeft + kPlot * i / 150.0,
                    kBottom - 300 * value);
      svg += line;
    }
    std::snprintf(line, sizeof line,
                  "\"/><path d=\"M705 %dh25\" stroke-width=\"2\" stroke=\"hsl(%d,75%%,%d%%)\"/><text x=\"736\" "
                  "y=\"%d\">%s</text>\n",
                  40 + 22 * index, hue, index % 2 == 0 ? 40 : 55, 44 + 22 * index, name_of(tone_operator));
    svg += line;
    ++index;
  }
  static_assert(kWidth == 900 && kHeight == 420);
  return svg + "</svg>\n";
}

TEST(ToneMapDocs, TableAndPictureAreThoseOfTheDefinitions) {
  const std::string page = std::string(ONEPASS_DOCS) + "/tone_map.md";
  const std::string image = std::string(ONEPASS_DOCS) + "/images/tone_map_curves.svg";
  const std::string begin = "<!-- values -->\n";
  const std::string end = "<!-- /values -->\n";
  std::string text = read_text(page);
  const size_t from = text.find(begin);
  ASSERT_NE(from, std::string::npos);
  const size_t to = text.find(end, from);
  if (const char* write = std::getenv("ONEPASS_WRITE_DOCS"); write != nullptr && std::string(write) == "1") {
    const size_t rest = to == std::string::npos ? from + begin.size() : to + end.size();
    text = text.substr(0, from) + begin + table() + end + text.substr(rest);
    std::ofstream(page, std::ios::binary) << text;
    std::ofstream(image, std::ios::binary) << picture();
    return;
  }
  ASSERT_NE(to, std::string::npos);
  EXPECT_EQ(text.substr(from + begin.size(), to - from - begin.size()), table());
  EXPECT_EQ(read_text(image), picture());
}

}  // namespace
}  // namespace onepass::testing
