// picture_options.cpp: adds, parses and applies the options of picture_options.hpp.
#include "picture_options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include "nearest.hpp"
#include "onepass/process_limits.hpp"
#include "option_group.hpp"
#include "system.hpp"
#include "usage.hpp"

namespace onepass::cli {
namespace {

constexpr Name<NonFinitePolicy> kNonFiniteNames[] = {
    {"refuse", NonFinitePolicy::kRefuse}, {"zero", NonFinitePolicy::kZero}, {"keep", NonFinitePolicy::kKeep}};

constexpr Name<files::Type> kOutputFormats[] = {
    {"png", files::Type::kPng},   {"exr", files::Type::kExr},   {"ktx2", files::Type::kKtx2},
    {"tif", files::Type::kTiff},  {"tiff", files::Type::kTiff}, {"jpg", files::Type::kJpeg},
    {"jpeg", files::Type::kJpeg}, {"hdr", files::Type::kHdr},   {"pfm", files::Type::kPfm},
    {"ppm", files::Type::kPnm},   {"pgm", files::Type::kPnm},   {"pnm", files::Type::kPnm},
    {"pam", files::Type::kPnm},   {"dds", files::Type::kDds}};

struct KnownPrimaries {
  std::string_view name;
  Chromaticities primaries;
};
constexpr KnownPrimaries kKnownPrimaries[] = {
    {"rec709", kRec709Chromaticities}, {"rec2020", kRec2020Chromaticities},   {"display_p3", kDisplayP3Chromaticities},
    {"acescg", kAcesCgChromaticities}, {"aces2065", kAces2065Chromaticities}, {"xyz", kXyzChromaticities}};

constexpr uint64_t kLeastMemory = uint64_t{16} << 20;  // 16 MiB

/// Parses exactly N finite numbers separated by commas.
template <size_t N>
bool parse_list(const std::string& text, std::array<double, N>& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (size_t i = 0; i < N; ++i) {
    const auto [next, error] = std::from_chars(at, end, out[i]);
    if (error != std::errc() || !std::isfinite(out[i])) return false;
    if (i + 1 < N && (next == end || *next != ',')) return false;
    at = i + 1 < N ? next + 1 : next;
  }
  return at == end;
}

Result<Chromaticities> parse_primaries(const char* option, const std::string& text) {
  std::vector<std::string> names;
  for (const KnownPrimaries& known : kKnownPrimaries) {
    if (known.name == unaliased(text)) return known.primaries;
    names.emplace_back(known.name);
  }
  std::array<double, 8> n{};
  if (!parse_list(text, n)) {
    return usage(fmt::format(
        "{}: '{}' is neither rec709, rec2020, display_p3, acescg, aces2065 or xyz nor eight numbers, x,y of red, "
        "green, blue and white{}",
        option, text, did_you_mean(text, names)));
  }
  const Chromaticities primaries{{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, {n[6], n[7]}};
  if (!xyz_matrix(primaries))
    return usage(fmt::format("{}: '{}' are not usable primaries and white point", option, text));
  return primaries;
}

double decode_srgb(double code) { return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4); }

/// Parses #RRGGBB, black, white, or R,G,B.
Result<std::array<float, 3>> parse_background(const std::string& text) {
  if (text == "black") return std::array<float, 3>{};
  if (text == "white") return std::array<float, 3>{1, 1, 1};
  if (text.size() == 7 && text[0] == '#') {
    uint32_t codes = 0;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 7, codes, 16);
    if (error == std::errc() && end == text.data() + 7) {
      std::array<float, 3> light{};
      for (size_t c = 0; c < 3; ++c) light[c] = static_cast<float>(decode_srgb((codes >> (16 - 8 * c) & 255) / 255.0));
      return light;
    }
  }
  std::array<double, 3> numbers{};
  if (parse_list(text, numbers)) {
    return std::array<float, 3>{static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
                                static_cast<float>(numbers[2])};
  }
  return usage(fmt::format("--background: '{}' is neither black, white, #RRGGBB nor R,G,B of linear light", text));
}

/// The number in a file of a control group; empty if there is no limit.
// Sanitizers map terabytes of private memory, so that a limit would end the process.
#if defined(__has_feature)
#define ONEPASS_HAS_FEATURE(name) __has_feature(name)
#else
#define ONEPASS_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || ONEPASS_HAS_FEATURE(address_sanitizer) || \
    ONEPASS_HAS_FEATURE(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/// The enumerator of a word; none for an option that was not given.
template <typename T>
std::optional<T> chosen(const std::string& word) {
  if (word.empty()) return std::nullopt;
  return from_word<T>(word);
}

}  // namespace

void add_picture_options(CLI::App& command, PictureOptions& options, PictureWords& words, const PictureOptionSet& set) {
  Group group(command, "Contents of files");
  if (set.colour) {
    group.choice<AlphaAssociation>(
        "--input-alpha", words.input_alpha,
        "Association of alpha in inputs (default as the file states: EXR premultiplied, PNG straight...)",
        {AlphaAssociation::kNone});
    if (set.output) {
      group.choice<AlphaAssociation>("--output-alpha", words.output_alpha,
                                     "Association of alpha in KTX2 and TIFF outputs (default as usual for the type)",
                                     {AlphaAssociation::kNone});
    }
    group.add(
        "--input-primaries", words.input_primaries, "NAME|X,Y,...",
        "Primaries of inputs: rec709, rec2020, display_p3, acescg, aces2065, xyz, or x,y of red, green, blue and white "
        "(default as the file states)");
    if (set.output && set.output_primaries) {
      group.add("--output-primaries", words.output_primaries, "NAME|keep",
                "Primaries of the output (default those of the input in EXR, TIFF and files of the input's type, else "
                "rec709)");
    }
    group.add("--background", words.background, "COLOR",
              "Background behind transparent inputs: black, white, #RRGGBB or R,G,B of linear light; removes alpha");
  }
  if (set.window) group.choice<files::Window>("--window", words.window, "EXR: window to read (default data)");
  group.choice(
      "--nonfinite", words.nonfinite, kNonFiniteNames,
      fmt::format(
          "NaN and infinity in inputs: zero replaces them by 0 and the largest number of the output (default {})",
          set.nonfinite));
  if (set.output) {
    group.choice("--output-format", options.output_format, kOutputFormats,
                 "File type for -o - (standard output) and where the output is a directory");
  }
  if (set.colour && set.output) {
    group.add("--quality", options.quality, "Q", "JPEG quality, 1 to 100 (default 90)")
        ->check(silent(CLI::Range(1, 100)));
    group.add("--png-level", options.png_level, "N", "Deflate level of PNG, 0 to 9 (default 1: fast)")
        ->check(silent(CLI::Range(0, 9)));
  }
  add_max_memory(group, words.max_memory);
}

Result<void> finish_picture_options(const CLI::App& command, PictureOptions& options, const PictureWords& words,
                                    NonFinitePolicy nonfinite) {
  options.input_alpha = chosen<AlphaAssociation>(words.input_alpha);
  options.output_alpha = chosen<AlphaAssociation>(words.output_alpha);
  options.window = chosen<files::Window>(words.window);
  options.nonfinite = words.nonfinite.empty() ? nonfinite : value_of(kNonFiniteNames, words.nonfinite);
  if (nonfinite == NonFinitePolicy::kRefuseNan && options.nonfinite == NonFinitePolicy::kRefuse) {
    options.nonfinite = nonfinite;
  }
  if (!words.input_primaries.empty()) {
    auto primaries = parse_primaries("--input-primaries", words.input_primaries);
    if (!primaries) return primaries.error();
    options.input_primaries = *primaries;
  }
  options.keep_primaries = words.output_primaries == "keep";
  if (!words.output_primaries.empty() && !options.keep_primaries) {
    auto primaries = parse_primaries("--output-primaries", words.output_primaries);
    if (!primaries) return primaries.error();
    options.output_primaries = *primaries;
  }
  if (!words.background.empty()) {
    auto background = parse_background(words.background);
    if (!background) return background.error();
    options.background = *background;
  }
  if (options.background && command.get_option_no_throw("--normal-map") != nullptr &&
      command.count("--normal-map") > 0) {
    return usage("--background and --normal-map exclude each other");
  }
  options.max_memory = usual_max_memory();
  if (!words.max_memory.empty()) {
    auto memory = parse_memory(words.max_memory);
    if (!memory) return memory.error();
    options.max_memory = *memory;
  }
  limit_process_memory(options.max_memory);
  return {};
}

void limit_process_memory(uint64_t bytes) {
  if (!kSanitized) system::limit_memory(bytes);
}

std::string primaries_text(const Chromaticities& primaries) {
  for (const KnownPrimaries& known : kKnownPrimaries) {
    if (same_chromaticities(known.primaries, primaries)) return std::string(known.name);
  }
  const auto& p = primaries;
  return fmt::format("{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g},{:.4g}", p.red[0], p.red[1], p.green[0],
                     p.green[1], p.blue[0], p.blue[1], p.white[0], p.white[1]);
}

Result<uint64_t> parse_memory(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, number);
  int shift = -1;
  if (next == end) shift = 0;
  if (end - next == 1) {
    const size_t unit = std::string_view("KMG").find(static_cast<char>(*next & ~0x20));
    if (unit != std::string_view::npos) shift = 10 * (static_cast<int>(unit) + 1);
  }
  if (error != std::errc() || shift < 0 || !(number > 0 && number < 1e15)) {
    return usage(fmt::format("--max-memory: '{}' is not a number of bytes such as 512M or 4G", text));
  }
  const double bytes = std::ldexp(number, shift);
  if (bytes < static_cast<double>(kLeastMemory) || bytes > 0x1p62) {
    return usage(fmt::format("--max-memory: {} is not between {} and 2^62 bytes", text, memory_text(kLeastMemory)));
  }
  return static_cast<uint64_t>(bytes);
}

void add_max_memory(Group& group, std::string& text) {
  group.add("--max-memory", text, "BYTES",
            "Limit for the memory of the whole process; K, M, G are powers of 1024 (default half of the machine's)");
}

uint64_t usual_max_memory() {
  constexpr uint64_t kUnknownMachine = uint64_t{1} << 33;  // 8 GiB, if the system does not say
  const uint64_t machine = system::machine_memory().value_or(kUnknownMachine);
  return std::max(std::min(machine, memory_limit().value_or(machine)) / 2, kLeastMemory);
}

std::string memory_text(uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits{"bytes", "KiB", "MiB", "GiB"};
  double number = static_cast<double>(bytes);
  size_t unit = 0;
  for (; number >= 1024 && unit + 1 < kUnits.size(); ++unit) number /= 1024;
  return fmt::format("{:.4g} {}", number, kUnits[unit]);
}

}  // namespace onepass::cli
