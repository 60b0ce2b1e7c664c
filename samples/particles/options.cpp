// options.cpp: the command line by CLI11, with ranges that also refuse NaN, which CLI::Range accepts.
#include "options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

namespace samples::particles {
namespace {

constexpr int kUsage = 2;
constexpr uint32_t kMostParticles = 256'000'000;

constexpr const char* kFooter =
    "Times of a software device say nothing about GPUs.\n"
    "Examples:\n"
    "  particles\n"
    "  particles --size 3840x2160 --particles 8000000 --visible 0.95\n"
    "  particles --csv sweep.csv\n"
    "Exit status: 0 all good, 1 something failed or the two pictures differ, 2 wrong usage.";

bool read_number(std::string_view text, uint32_t& number) {
  if (text.empty() || text.size() > 5 || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  number = static_cast<uint32_t>(std::stoul(std::string(text)));
  return number >= 1 && number <= 16384;
}

// "1920x1080".
bool read_size(const std::string& text, onepass::Extent& size) {
  const size_t cross = text.find('x');
  return cross != std::string::npos && read_number(std::string_view(text).substr(0, cross), size.width) &&
         read_number(std::string_view(text).substr(cross + 1), size.height);
}

// Replaces CLI::Range, which accepts NaN.
CLI::Validator from_to(double least, double most) {
  const auto complaint = [=](std::string& text) {
    double value = 0;
    const bool good = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return good ? std::string() : fmt::format("'{}' is not a number from {} to {}", text, least, most);
  };
  return {complaint, fmt::format("[{} - {}]", least, most)};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::optional<int> parse_options(int argc, char** argv, Options& options) {
  CLI::App app{"Draws particles with and without a first test against tiles of nearest depths, and times both",
               "particles"};
  app.footer(kFooter);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::string size = "1920x1080";
  app.add_option("--size", size, "Size of the depth buffer, WxH, up to 16384 each way")->capture_default_str();
  app.add_option("--particles", options.particles, "Number of particles")
      ->check(CLI::Range(1U, kMostParticles))
      ->capture_default_str();
  app.add_option("--visible", options.visible, "Fraction of the particles that is visible, 0 to 1")
      ->check(from_to(0, 1))
      ->capture_default_str();
  app.add_option("--band", options.band,
                 "Largest distance of a particle from a surface, as a fraction of the surface's distance")
      ->check(from_to(0.01, 0.95))
      ->capture_default_str();
  app.add_option("--factor", options.factor, "Texels per side of a tile: 2, 4, 8, 16, 32 or 64")
      ->check(CLI::IsMember({2U, 4U, 8U, 16U, 32U, 64U}))
      ->capture_default_str();
  app.add_flag("--reversed-z", options.reversed_z, "Depth 1 is near");
  app.add_option("--frames", options.frames, "Number of timings per median")
      ->check(CLI::Range(1U, 10'000U))
      ->capture_default_str();
  app.add_option("--csv", options.csv,
                 "Sweep the visible fraction for three numbers of particles and write the times to this CSV file");
  app.add_option("--steps", options.steps, "Steps of the visible fraction in the sweep")
      ->check(CLI::Range(1U, 100U))
      ->capture_default_str();
  app.add_option("--output", options.output, "Folder for pictures")->capture_default_str();
  app.add_option("--device", options.device,
                 "Index or part of the name of a Vulkan device; default: a GPU, or else software");
  app.add_flag("--validation", options.validation, "Run with the Vulkan validation layers; any message is a failure");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "particles: {} (see particles --help)\n", first_line(error.what()));
    return kUsage;
  }
  if (!read_size(size, options.size)) {
    fmt::print(stderr, "particles: --size: '{}' is not WIDTHxHEIGHT, 1 to 16384 each (see particles --help)\n", size);
    return kUsage;
  }
  return std::nullopt;
}

}  // namespace samples::particles
