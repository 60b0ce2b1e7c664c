// option_names.cpp: the table of fields and options. A message of the library begins with the field's name and a colon:
// only this prefix is replaced.
#include "option_names.hpp"

#include <fmt/core.h>

#include <string_view>

namespace onepass::cli {
namespace {

struct OptionName {
  std::string_view field;
  std::string_view option;
};

constexpr OptionName kOptionNames[] = {
    {"target", "--format"},
    {"levels", "--levels"},
    {"alpha_threshold", "--alpha-threshold"},
    {"filter.kind", "--filter"},
    {"filter.ringing", "--ringing"},
    {"filter.kaiser_width", "--kaiser-width"},
    {"filter.kaiser_alpha", "--kaiser-alpha"},
    {"factor", "--factor"},
    // tiles
    {"output", "-o"},
    {"raw", "--raw"},
    {"grid", "--grid"},
    {"grid_overlap", "--grid-overlap"},
    {"grid_fill", "--fill"},
    {"tile_size", "--tile-size"},
    {"overlap", "--overlap"},
    {"reduction", "--reduction"},
    {"tile_format", "--tile-format"},
    {"compression", "--compression"},
    {"quality", "--quality"},
    {"color", "--color"},
    {"cog", "--cog"},
    {"viewer", "--viewer"},
    {"resume", "--resume"},
    {"shard", "--shard"},
    {"merge", "--merge"},
    // volume
    {"planes", "--planes"},
    {"steps", "--steps"},
    {"chunk", "--chunk"},
    {"shard_size", "--shard-size"},
    {"zarr_version", "--zarr"},
    // meter
    {"key", "--key"},
    {"compensation", "--compensation"},
    {"centre_x", "--centre"},
    {"centre_y", "--centre"},
    {"radius", "--radius"},
    {"lowest_ev100", "--ev-range"},
    {"highest_ev100", "--ev-range"},
    {"clip_low", "--percentiles"},
    {"clip_high", "--percentiles"},
    {"delta", "--delta"},
    {"calibration", "--calibration"},
    {"histogram_low", "--range"},
    {"histogram_high", "--range"},
    {"adaptation.up_stops_per_second", "--adapt-up"},
    {"adaptation.down_stops_per_second", "--adapt-down"},
    // tonemap
    {"white", "--white"},
    {"gamma", "--gamma"},
    {"peak_nits", "--peak-nits"},
    {"paper_white_nits", "--paper-white"},
    {"look", "--look"},
    {"transfer", "--transfer"},
    {"dither", "--dither"},
    {"drago.bias", "--bias"},
    {"drago.white", "--white"},
    {"local.highlights", "--highlight-contrast"},
    {"local.shadows", "--shadow-contrast"},
    {"local.detail", "--detail"},
    {"local.region", "--region"},
    {"local.grey", "--key"},
    // spectra
    {"norm", "--norm"},
    {"boundary", "--boundary"},
    {"cutoff", "--lowpass, --highpass, --bandpass, --bandstop or --blur"},
    {"upper_cutoff", "--bandpass or --bandstop"},
    {"order", "--order"},
    {"stop_gain", "--gains"},
    {"pass_gain", "--gains"},
    {"log_offset", "--log-offset"},
    {"margin", "--margin"},
    {"notches", "--notch"},
    {"kernel_origin", "--origin"},
    {"mode", "--mode"},
    {"kernel", "--kernel"},
    {"kernel_size", "--kernel"},
    {"noise", "--noise"},
    {"iterations", "--iterations"},
    {"deconvolution", "--deconvolve"},
    {"background", "--background"},
    {"edges", "--edges"},
    {"mix", "--scatter"},
};

}  // namespace

Error in_option_names(const Error& error) {
  if (error.code != ErrorCode::kInvalidArgument && error.code != ErrorCode::kUnsupported) return error;
  Error out = error;
  const std::string_view message = error.message;
  const size_t colon = message.find(": ");
  for (const OptionName& name : kOptionNames) {
    if (colon == std::string_view::npos || message.substr(0, colon) != name.field) continue;
    out.message = std::string(name.option) + std::string(message.substr(colon));
    break;
  }
  if (message.starts_with("target: ") && message.find(" but source ") != std::string_view::npos) {
    // "target: NAME has 2 channels, but source NAME has 4": the numbers are single digits.
    constexpr std::string_view kHas = " has ";
    const size_t first = message.find(kHas);
    const size_t last = message.rfind(kHas);
    if (first != last && last + kHas.size() < message.size()) {
      const char wanted = message[first + kHas.size()];
      if (wanted < message[last + kHas.size()]) {
        out.message += fmt::format("; choose {} with --channel {}", wanted == '1' ? "one channel" : "channels",
                                   wanted == '1'   ? "R"
                                   : wanted == '2' ? "R,G"
                                                   : "R,G,B");
      }
    }
  }
  return out;
}

}  // namespace onepass::cli
