// tone_map_docs_test.cpp: the tables of values in docs/tone_map.md and its pictures of curves. Oracle: the
// double-precision definitions. ONEPASS_WRITE_DOCS=1 updates tables and pictures.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/tone_map/tone_map_oracle.hpp"

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
    // The published values of Hejl and Sobotka are encoded; Blender's are light.
    const bool encoded = oracle_decode_exponent(tone_operator) == 2.2;
    text += "| " + std::string(word_of(tone_operator)) + (encoded ? ", encoded |" : " |");
    for (const double x : kLights) {
      std::snprintf(number, sizeof number, " %.7f |", encoded ? encoded_grey(options, x) : linear_grey(options, x));
      text += number;
    }
    text += "\n";
  }
  return text;
}

/// Curves of all operators for light from 2^-10 to 2^5; the light axis is in stops.
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
                  40 + 22 * index, hue, index % 2 == 0 ? 40 : 55, 44 + 22 * index, word_of(tone_operator).data());
    svg += line;
    ++index;
  }
  static_assert(kWidth == 900 && kHeight == 420);
  return svg + "</svg>\n";
}

// ---- Headroom

constexpr double kPaperWhite = 203, kPeak = 1000;
constexpr std::array kHeadroomLights = {0.18, 1.0, 4.0, 16.0, 64.0, 1000.0};
// For greys, kReinhardLuminance equals kReinhardExtended.
constexpr std::array kWithHeadroom = {ToneOperator::kExposure, ToneOperator::kReinhard, ToneOperator::kReinhardExtended,
                                      ToneOperator::kAgxBlender};

/// The luminance in cd/m^2 that a display of `peak` shows for a grey. A peak at paper white means no headroom.
double shown_grey(ToneOperator tone_operator, double peak, double x) {
  const ToneMapOptions options{.tone_operator = tone_operator,
                               .white = 16,
                               .transfer = Transfer::kPq,
                               .peak_nits = static_cast<float>(peak),
                               .paper_white_nits = static_cast<float>(kPaperWhite)};
  return kPaperWhite * std::min(linear_grey(options, x), oracle_headroom(options));
}

std::string headroom_table() {
  std::string text = "| x |";
  char number[32];
  for (const double x : kHeadroomLights) {
    std::snprintf(number, sizeof number, " %g |", x);
    text += number;
  }
  text += "\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const ToneOperator tone_operator : kWithHeadroom) {
    for (const double peak : {kPaperWhite, kPeak}) {
      text += "| " + std::string(word_of(tone_operator)) + (peak == kPeak ? ", to 1000 |" : ", to 203 |");
      for (const double x : kHeadroomLights) {
        std::snprintf(number, sizeof number, " %.2f |", shown_grey(tone_operator, peak, x));
        text += number;
      }
      text += "\n";
    }
  }
  return text;
}

/// Curves of operators with headroom for light from 2^-6 to 2^10. Both axes are in stops; display light goes from 2 to
/// 1024 cd/m^2.
std::string headroom_picture() {
  constexpr int kLeft = 50, kBottom = 380, kPlot = 640;
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 420\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"900\" height=\"420\" fill=\"white\"/>\n";
  char line[256];
  const auto y_of = [](double nits) { return kBottom - 40 * (std::log2(std::max(2.0, nits)) - 1); };
  for (int stop = -6; stop <= 10; ++stop) {
    const double x = kLeft + kPlot * (stop + 6) / 16.0;
    std::snprintf(
        line, sizeof line,
        "<path d=\"M%.1f 20V380\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"398\" text-anchor=\"middle\">%d</text>\n", x, x,
        stop);
    svg += line;
  }
  for (const int nits : {2, 10, 50, 203, 1000}) {
    std::snprintf(line, sizeof line,
                  "<path d=\"M50 %.1fH690\" stroke=\"#ddd\"/><text x=\"44\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
                  y_of(nits), y_of(nits) + 4, nits);
    svg += line;
  }
  int index = 0;
  for (const ToneOperator tone_operator : kWithHeadroom) {
    for (const double peak : {kPeak, kPaperWhite}) {
      std::snprintf(line, sizeof line, "<path fill=\"none\" stroke-width=\"2\"%s stroke=\"hsl(%d,75%%,40%%)\" d=\"M",
                    peak == kPeak ? "" : " stroke-dasharray=\"4 4\"", index * 90);
      svg += line;
      for (int i = 0; i <= 160; ++i) {
        const double nits = shown_grey(tone_operator, peak, std::exp2(-6 + i / 10.0));
        std::snprintf(line, sizeof line, "%s%.1f %.1f", i == 0 ? "" : " ", kLeft + kPlot * i / 160.0, y_of(nits));
        svg += line;
      }
      svg += "\"/>\n";
    }
    std::snprintf(line, sizeof line,
                  "<path d=\"M705 %dh25\" stroke-width=\"2\" stroke=\"hsl(%d,75%%,40%%)\"/><text x=\"736\" "
                  "y=\"%d\">%s</text>\n",
                  40 + 22 * index, index * 90, 44 + 22 * index, word_of(tone_operator).data());
    svg += line;
    ++index;
  }
  return svg + "</svg>\n";
}

/// Replaces or compares the text between two comments of the page.
void check_table(const std::string& name, const std::string& wanted, bool writes) {
  const std::string page = std::string(ONEPASS_DOCS) + "/tone_map.md";
  const std::string begin = "<!-- " + name + " -->\n";
  const std::string end = "<!-- /" + name + " -->\n";
  std::string text = read_text(page);
  const size_t from = text.find(begin);
  ASSERT_NE(from, std::string::npos) << name;
  const size_t to = text.find(end, from);
  ASSERT_NE(to, std::string::npos) << name;
  if (writes) {
    std::ofstream(page, std::ios::binary) << text.substr(0, from) + begin + wanted + text.substr(to);
    return;
  }
  EXPECT_EQ(text.substr(from + begin.size(), to - from - begin.size()), wanted) << name;
}

void check_picture(const std::string& name, const std::string& wanted, bool writes) {
  const std::string image = std::string(ONEPASS_DOCS) + "/images/" + name;
  if (writes) std::ofstream(image, std::ios::binary) << wanted;
  EXPECT_EQ(read_text(image), wanted) << name;
}

TEST(ToneMapDocs, TablesAndPicturesAreThoseOfTheDefinitions) {
  const char* write = std::getenv("ONEPASS_WRITE_DOCS");
  const bool writes = write != nullptr && std::string(write) == "1";
  check_table("values", table(), writes);
  check_table("headroom", headroom_table(), writes);
  check_picture("tone_map_curves.svg", picture(), writes);
  check_picture("tone_map_headroom.svg", headroom_picture(), writes);
}

}  // namespace
}  // namespace onepass::testing
