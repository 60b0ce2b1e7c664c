// tunings_text_test.cpp: texts of tunings: what they say, what is refused and how, which row applies. No device.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "vulkan/json_reader.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::testing {
namespace {

using vulkan::MeterTuning;
using vulkan::PyramidTuning;
using vulkan::Switch;
using vulkan::TransformTuning;
using vulkan::Tunings;

constexpr std::string_view kEverything = R"({
  "onepass_tunings": 1,
  "device": "Some \"GPU\"",
  "driver": "Driver 1.2",
  "processors": 60,
  "pyramid": [
    {"when": {"width": 1920, "height": {"at_most": 1080}, "format": "r8g8b8a8_srgb", "footprint": "covering", "reduction": "max", "pipelines": "own"}, "use": {"path": "per_level", "subgroup": "off", "sampling": "fetch", "last_to_start": "off", "publish": "on", "second_dispatch": "off"}},
    {"use": {}}
  ],
  "transform": [
    {"when": {"texels": {"at_least": 100, "at_most": 200}, "channels": 4, "precision": "half"}, "use": {"technique": "four_step", "values_per_invocation": 8, "lines_of_rows": 3, "lines_of_columns": 64}}
  ],
  "meter": [
    {"when": {"slices": {"at_least": 2}}, "use": {"groups": 65535, "copies": 4, "subgroup": "on", "divergent_barriers": "on"}}
  ],
  "tile_reduction": [
    {"when": {"reduction": "min_max", "factor": 16}, "use": {"strategy": "tree", "gathers": 16, "workgroup_size": 512}}
  ],
  "tone_map": [
    {"use": {"pixels": 8, "workgroup_size": 64, "divergent_barriers": "off"}}
  ],
  "frame_tone_map": [
    {"use": {"groups": 7, "copies": 1, "subgroup": "off", "divergent_barriers": "on"}}
  ]
}
)";

Tunings parsed(std::string_view text) {
  auto all = vulkan::parse_tunings(text);
  EXPECT_TRUE(all) << all.error().text();
  return all && all->size() == 1 ? all->front() : Tunings{};
}

TEST(TuningsText, HasEveryFieldAndIsWrittenAsItWasRead) {
  const Tunings tunings = parsed(kEverything);
  EXPECT_EQ(tunings.device, "Some \"GPU\"");
  EXPECT_EQ(tunings.driver, "Driver 1.2");
  EXPECT_EQ(tunings.processors, 60U);
  const PyramidTuning& pyramid = tunings.of<PyramidTuning>().at(0).use;
  EXPECT_EQ(pyramid.path, PyramidPath::kPerLevel);
  EXPECT_EQ(pyramid.sampling, vulkan::Sampling::kFetch);
  EXPECT_EQ(pyramid.publish, Switch::kOn);
  const TransformTuning& transform = tunings.of<TransformTuning>().at(0).use;
  EXPECT_EQ(transform.technique, FourierTechnique::kFourStep);
  EXPECT_EQ(transform.lines_of_rows, 3U);
  EXPECT_EQ(tunings.of<MeterTuning>().at(0).use.groups, 65535U);
  EXPECT_EQ(tunings.of<vulkan::TileReductionTuning>().at(0).use.strategy, vulkan::TileStrategy::kTree);
  EXPECT_EQ(tunings.of<vulkan::ToneMapTuning>().at(0).use.pixels, 8U);
  EXPECT_EQ(tunings.of<vulkan::FrameToneMapTuning>().at(0).use.groups, 7U);
  EXPECT_EQ(vulkan::tunings_text({tunings}), kEverything);
}

TEST(TuningsText, SpaceOrderAndEscapesDoNotMatter) {
  const Tunings tunings = parsed(
      "\t{ \"meter\" :\r\n[ "
      "{\"use\":{\"groups\":5}}],\"device\":\"\\u0041\\u00e9\\uD83D\\uDE00\\/\\n\",\"onepass_tunings\":1 } \n");
  EXPECT_EQ(tunings.device, "A\xC3\xA9\xF0\x9F\x98\x80/\n");
  EXPECT_EQ(tunings.of<MeterTuning>().at(0).use.groups, 5U);
}

TEST(TuningsText, ArraysHaveOneObjectPerDevice) {
  const std::string text = vulkan::tunings_text({parsed(kEverything), parsed(R"({"onepass_tunings": 1})")});
  const auto all = vulkan::parse_tunings(text);
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(vulkan::tunings_text(*all), text);
  EXPECT_TRUE(vulkan::check_tunings("[]"));
  EXPECT_TRUE(vulkan::check_tunings(""));
}

TEST(TuningsText, ErrorsNameLinePathAndValue) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {" ", "line 1: the end of the text is not an object"},
      {"5", "line 1: '5' is not an object"},
      {"\"a b\"", "line 1: '\"a b\"' is not an object"},
      {"{", "line 1: the end of the text is not a string"},
      {"{}", "line 1: has no onepass_tunings"},
      {R"({"onepass_tunings": 2})", "onepass_tunings: 2, but this version of the library reads 1"},
      {R"({"onepass_tunings": "1"})", "onepass_tunings: '\"1\"' is not a whole number"},
      {R"({"onepass_tunings": 1.0})", "'1.0' is not a whole number"},
      {R"({"onepass_tunings": 01})", "'01' is not a whole number"},
      {R"({"onepass_tunings": -1})", "'-1' is not a whole number"},
      {R"({"onepass_tunings": 18446744073709551616})", "is not a whole number"},
      {R"({"onepass_tunings": 1} x)", "text after the end"},
      {R"({"onepass_tunings": 1, })", "a comma before '}'"},
      {R"({"onepass_tunings": 1 "device": ""})", "',' expected, not '\"device\"'"},
      {R"({"onepass_tunings": 1, "onepass_tunings": 1})", "onepass_tunings: stands twice in one object"},
      {"{\"onepass_tunings\": 1,\n\n\"pyramids\": []}",
       "line 3: pyramids: is none of onepass_tunings, device, driver, "
       "processors, pyramid, transform"},
      {R"({"onepass_tunings": 1, "device": 5})", "device: '5' is not a string"},
      {"{\"onepass_tunings\": 1, \"device\": \"a\nb\"}", "device: a control character in a string"},
      {R"({"onepass_tunings": 1, "device": "a)", "device: a string without an end"},
      {R"({"onepass_tunings": 1, "device": "\x"})", "device: an unknown escape in a string"},
      {R"({"onepass_tunings": 1, "device": "\u12g4"})", "device: \\u without four hexadecimal digits"},
      {R"({"onepass_tunings": 1, "device": "\ud800"})", "device: half of a surrogate pair"},
      {R"({"onepass_tunings": 1, "device": "\udc00"})", "device: half of a surrogate pair"},
      {R"({"onepass_tunings": 1, "device": "\ud800\u0041"})", "device: half of a surrogate pair"},
      {R"({"onepass_tunings": 1, "processors": 0})", "processors: 0 is not from 1 to 65535"},
      {R"({"onepass_tunings": 1, "processors": 65536})", "processors: 65536 is not from 1 to 65535"},
      {R"({"onepass_tunings": 1, "meter": {}})", "meter: '{' is not an array"},
      {R"({"onepass_tunings": 1, "meter": [5]})", "meter[0]: '5' is not an object"},
      {R"({"onepass_tunings": 1, "meter": [{"use": {}}, {}]})", "meter[1]: has no use"},
      {R"({"onepass_tunings": 1, "meter": [{"if": {}}]})", "meter[0].if: is none of when, use"},
      {R"({"onepass_tunings": 1, "meter": [{"use": {"group": 1}}]})",
       "meter[0].use.group: is none of groups, copies, subgroup, divergent_barriers"},
      {R"({"onepass_tunings": 1, "meter": [{"use": {"groups": 0}}]})", "meter[0].use.groups: 0 is not from 1 to 65535"},
      {R"({"onepass_tunings": 1, "meter": [{"use": {"copies": 3}}]})",
       "meter[0].use.copies: 3 is not a power of two from 1 to 4"},
      {R"({"onepass_tunings": 1, "meter": [{"use": {"subgroup": "auto"}}]})",
       "meter[0].use.subgroup: 'auto' is not one of off, on"},
      {R"({"onepass_tunings": 1, "meter": [{"use": {"subgroup": true}}]})",
       "meter[0].use.subgroup: 'true' is not a string"},
      {R"({"onepass_tunings": 1, "meter": [{"when": {"footprint": "tight"}, "use": {}}]})",
       "meter[0].when.footprint: is none of width, height, slices, texels, channels, format"},
      {R"({"onepass_tunings": 1, "pyramid": [{"when": {"footprint": "wide"}, "use": {}}]})",
       "pyramid[0].when.footprint: 'wide' is not one of aligned, covering, tight, edge, ceil"},
      {R"({"onepass_tunings": 1, "pyramid": [{"when": {"format": "rgba8"}, "use": {}}]})",
       "pyramid[0].when.format: 'rgba8' is not the name of a format"},
      {R"({"onepass_tunings": 1, "pyramid": [{"when": {"width": {"more": 1}}, "use": {}}]})",
       "pyramid[0].when.width.more: is none of at_least, at_most"},
      {R"({"onepass_tunings": 1, "pyramid": [{"when": {"width": {"at_least": 2, "at_most": 1}}, "use": {}}]})",
       "pyramid[0].when.width: at_least 2 is more than at_most 1"},
      {R"({"onepass_tunings": 1, "meter": [{"when": {"channels": 5}, "use": {}}]})",
       "meter[0].when.channels: 5 is never met: numbers are from 1 to 4"},
      {R"({"onepass_tunings": 1, "meter": [{"when": {"texels": 0}, "use": {}}]})",
       "meter[0].when.texels: 0 is never met: numbers are at least 1"},
      {R"({"onepass_tunings": 1, "meter": [{"when": {"width": {"at_least": 65536}}, "use": {}}]})",
       "meter[0].when.width: 65536 is never met: numbers are from 1 to 65535"},
      {R"({"onepass_tunings": 1, "meter": [{"when": {"slices": {"at_most": 0}}, "use": {}}]})",
       "meter[0].when.slices: 0 is never met: numbers are at least 1"},
  };
  for (const auto& each : cases) {
    const auto checked = vulkan::check_tunings(each.text);
    ASSERT_FALSE(checked) << each.text;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(checked.error().message.starts_with("tunings: line ")) << checked.error().message;
    EXPECT_NE(checked.error().message.find(each.message), std::string::npos)
        << each.text << "\n  " << checked.error().message;
  }
  const std::string exact = std::string("{\"onepass_tunings\": 1, \"meter\": [\n") + "{\"use\": {\"groups\": 70000}}]}";
  EXPECT_EQ(vulkan::check_tunings(exact).error().message,
            "tunings: line 2: meter[0].use.groups: 70000 is not from 1 to 65535");
}

TEST(TuningsText, LongAndDeepTextsAreRefused) {
  const std::string longest(size_t{1} << 20, ' ');
  EXPECT_NE(vulkan::check_tunings(longest + " ").error().message.find("1048577 bytes, at most 1048576"),
            std::string::npos);
  EXPECT_FALSE(vulkan::check_tunings(std::string(1000000, '[')));
  std::string nested = R"({"onepass_tunings": 1, "meter": )";
  EXPECT_FALSE(vulkan::check_tunings(nested + std::string(900000, '[')));
  // What a text says is shortened in messages, and has no control characters there.
  const std::string word(1000, 'x');
  const std::string message = vulkan::check_tunings("{\"" + word + "\\u0007\": 1}").error().message;
  EXPECT_LT(message.size(), 300U);
  EXPECT_EQ(JsonReader::shown("a\x07"), "'a?'");
}

TEST(TuningsText, EveryBeginningOfATextIsRefused) {
  const std::string_view text = kEverything.substr(0, kEverything.size() - 1);
  ASSERT_TRUE(vulkan::check_tunings(text));
  for (size_t length = 1; length < text.size(); ++length) {
    EXPECT_FALSE(vulkan::check_tunings(text.substr(0, length))) << length;
  }
}

// Texts with changed bytes are read or refused; what is read is written and read again.
TEST(TuningsText, ChangedBytesDoNoHarm) {
  std::minstd_rand random(20);  // NOLINT: the same texts in every run
  constexpr std::string_view kBytes = "{}[]\",:0123456789abcdefu\\ \n\xff";
  size_t read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text(kEverything);
    for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
      text[random() % text.size()] = kBytes[random() % kBytes.size()];
    }
    const auto all = vulkan::parse_tunings(text);
    if (!all) continue;
    ++read;
    const std::string written = vulkan::tunings_text(*all);
    const auto again = vulkan::parse_tunings(written);
    ASSERT_TRUE(again) << again.error().text() << "\n" << written;
    EXPECT_EQ(vulkan::tunings_text(*again), written);
  }
  EXPECT_GT(read, 100U);
}

TEST(TuningsTable, EveryTextIsValidAndOfItsDevice) {
  const struct {
    VkDriverId driver;
    const char* device;
    uint32_t processors;
  } known[] = {
      {VK_DRIVER_ID_NVIDIA_PROPRIETARY, "NVIDIA H100 80GB HBM3", 132},
      {VK_DRIVER_ID_NVIDIA_PROPRIETARY, "NVIDIA H200", 132},
      {VK_DRIVER_ID_MESA_LLVMPIPE, "llvmpipe (LLVM 15.0.6, 256 bits)", 0},
      {VK_DRIVER_ID_GOOGLE_SWIFTSHADER, "SwiftShader Device (Subzero)", 0},
  };
  for (const auto& each : known) {
    const Tunings tunings = parsed(vulkan::known_tunings_text(each.driver, each.device));
    EXPECT_TRUE(vulkan::contains(each.device, tunings.device)) << each.device;
    EXPECT_FALSE(tunings.device.empty());
    EXPECT_EQ(tunings.processors, each.processors);
  }
  EXPECT_EQ(vulkan::known_tunings_text(VK_DRIVER_ID_MESA_NVK, "NVIDIA H200"), "");
  EXPECT_EQ(vulkan::known_tunings_text(VK_DRIVER_ID_NVIDIA_PROPRIETARY, "NVIDIA A100"), "");
}

// ---- Choice

TransformTuning chosen(std::string_view text, const TransformOptions& options, TransformTuning tuning = {}) {
  vulkan::fill_open_fields(tuning, parsed(text), vulkan::tuning_case(options));
  return tuning;
}

TEST(TuningsChoice, TheFirstRowThatAppliesSetsTheOpenFields) {
  constexpr std::string_view kText = R"({"onepass_tunings": 1, "transform": [
    {"when": {"width": 64, "channels": 4}, "use": {"values_per_invocation": 8}},
    {"when": {"width": 64}, "use": {"values_per_invocation": 4, "lines_of_rows": 2}},
    {"use": {"lines_of_columns": 9}}]})";
  TransformOptions options{.size = {64, 32}, .channels = 4};
  TransformTuning tuning = chosen(kText, options);
  EXPECT_EQ(tuning.values_per_invocation, 8U);
  EXPECT_EQ(tuning.lines_of_rows, 0U) << "rows are not mixed";
  options.channels = 1;
  tuning = chosen(kText, options);
  EXPECT_EQ(tuning.values_per_invocation, 4U);
  EXPECT_EQ(tuning.lines_of_rows, 2U);
  EXPECT_EQ(tuning.lines_of_columns, 0U);
  tuning = chosen(kText, options, {.values_per_invocation = 16});
  EXPECT_EQ(tuning.values_per_invocation, 16U) << "the caller's";
  EXPECT_EQ(tuning.lines_of_rows, 2U);
  options.size.width = 65;
  EXPECT_EQ(chosen(kText, options).lines_of_columns, 9U);
}

TEST(TuningsChoice, ConditionsAskTheOptions) {
  const PyramidOptions options{.size = {100, 50},
                               .slices = 3,
                               .source = Format::kRGBA8Srgb,
                               .reduction = Reduction::kMax,
                               .footprint = Footprint::kEdge};
  const auto applies = [&](const std::string& when) {
    PyramidTuning tuning;
    vulkan::fill_open_fields(
        tuning, parsed(R"({"onepass_tunings": 1, "pyramid": [{"when": {)" + when + R"(}, "use": {"publish": "on"}}]})"),
        vulkan::tuning_case(options, {.pipelines = vulkan::Pipelines::kOwn}));
    return tuning.publish == Switch::kOn;
  };
  for (const char* holds :
       {"", R"("width": 100)", R"("height": {"at_least": 50})", R"("height": {"at_most": 50})", R"("slices": 3)",
        R"("texels": {"at_least": 15000, "at_most": 15000})", R"("channels": 4)", R"("format": "r8g8b8a8_srgb")",
        R"("footprint": "edge")", R"("reduction": "max")", R"("pipelines": "own")", R"("width": 100, "height": 50)"}) {
    EXPECT_TRUE(applies(holds)) << holds;
  }
  for (const char* fails : {R"("width": 101)", R"("height": {"at_least": 51})", R"("height": {"at_most": 49})",
                            R"("slices": 1)", R"("texels": {"at_most": 14999})", R"("channels": 1)",
                            R"("format": "r8g8b8a8_unorm")", R"("footprint": "aligned")", R"("reduction": "mean")",
                            R"("pipelines": "shared")", R"("width": 100, "height": 51)"}) {
    EXPECT_FALSE(applies(fails)) << fails;
  }
}

}  // namespace
}  // namespace onepass::testing
