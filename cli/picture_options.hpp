// picture_options.hpp: the options on what the numbers of picture files mean, alike in every command: alpha, primaries,
// windows, texels that are not finite, memory.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "onepass/color.hpp"
#include "onepass/files.hpp"
#include "onepass/result.hpp"

namespace CLI {
class App;
}

namespace onepass::cli {

/// What happens to NaN and infinite texels of inputs.
enum class NonFinitePolicy {
  kRefuse,     ///< The input is refused, naming the first of them.
  kRefuseNan,  ///< The same for NaN alone: depth may be infinite.
  kZero,       ///< NaN becomes 0, infinity the largest finite value; how many is reported.
  kKeep,       ///< They stay.
};

/// The options after parsing.
struct PictureOptions {
  std::optional<AlphaAssociation> input_alpha;     ///< None: as the file says.
  std::optional<AlphaAssociation> output_alpha;    ///< None: as the output's type usually means.
  std::optional<Chromaticities> input_primaries;   ///< None: as the file says.
  std::optional<Chromaticities> output_primaries;  ///< None: see output_primaries_for().
  bool keep_primaries = false;                     ///< Of the input, in the output.
  std::optional<files::Window> window;             ///< None: the data window.
  std::optional<std::array<float, 3>> background;  ///< Linear BT.709 light behind the input.
  NonFinitePolicy nonfinite = NonFinitePolicy::kKeep;
  uint64_t max_memory = 0;    ///< Bytes.
  int quality = 90;           ///< Of JPEG.
  int png_level = 1;          ///< Of deflate.
  std::string output_format;  ///< An extension without its dot; empty: none was named.
};

/// The options as typed.
struct PictureWords {
  std::string input_alpha, output_alpha, input_primaries, output_primaries, window, background, nonfinite, max_memory;
};

/// Which of the options a command has. --nonfinite and --max-memory are in all.
struct PictureOptionSet {
  bool colour = true;              ///< Inputs are colours: alpha, primaries and a background mean something.
  bool output = true;              ///< The command writes pictures of them.
  bool output_primaries = true;    ///< Whose primaries the user may choose here.
  bool window = true;              ///< --window is not another thing here.
  const char* nonfinite = "keep";  ///< The default, for help.
};

void add_picture_options(CLI::App& command, PictureOptions& options, PictureWords& words,
                         const PictureOptionSet& set = {});

/// Turns words into values; `nonfinite` is the policy without --nonfinite. Applies --max-memory to the whole process.
/// Errors: kInvalidArgument; a usage error.
[[nodiscard]] Result<void> finish_picture_options(const CLI::App& command, PictureOptions& options,
                                                  const PictureWords& words, NonFinitePolicy nonfinite);

/// The name of well-known primaries, or their eight numbers.
[[nodiscard]] std::string primaries_text(const Chromaticities& primaries);

/// Half of the smaller of this machine's memory and what a control group leaves the process, in bytes.
[[nodiscard]] uint64_t usual_max_memory();

/// "512 MiB", in powers of 1024.
[[nodiscard]] std::string memory_text(uint64_t bytes);

}  // namespace onepass::cli
