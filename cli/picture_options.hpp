// picture_options.hpp: the options of all commands on the contents of picture files: alpha, primaries, windows, NaN and
// infinite texels, memory.
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

class Group;

/// What happens to NaN and infinite texels of inputs.
enum class NonFinitePolicy {
  kRefuse,     ///< The input is refused, with the first such texel.
  kRefuseNan,  ///< The same for NaN only, because depth may be infinite.
  kZero,       ///< NaN becomes 0, infinity the largest finite value; a warning gives their number.
  kKeep,       ///< They are kept.
};

/// The options after parsing.
struct PictureOptions {
  std::optional<AlphaAssociation> input_alpha;     ///< Empty: as the file says.
  std::optional<AlphaAssociation> output_alpha;    ///< Empty: the default of the output's type.
  std::optional<Chromaticities> input_primaries;   ///< Empty: as the file says.
  std::optional<Chromaticities> output_primaries;  ///< Empty: see output_primaries_for().
  bool keep_primaries = false;                     ///< The output keeps the primaries of the input.
  std::optional<files::Window> window;             ///< Empty: the data window.
  std::optional<std::array<float, 3>> background;  ///< Linear BT.709 light behind the input.
  NonFinitePolicy nonfinite = NonFinitePolicy::kKeep;
  uint64_t max_memory = 0;    ///< Bytes.
  int quality = 90;           ///< Of JPEG.
  int png_level = 1;          ///< Of deflate.
  std::string output_format;  ///< An extension without its dot; empty: not given.
};

/// The options as typed.
struct PictureWords {
  std::string input_alpha, output_alpha, input_primaries, output_primaries, window, background, nonfinite, max_memory;
};

/// Which of the options a command offers. All offer --nonfinite and --max-memory.
struct PictureOptionSet {
  bool colour = true;              ///< Inputs are colours: alpha, primaries, background.
  bool output = true;              ///< The command writes pictures.
  bool output_primaries = true;    ///< The user may choose the primaries of the output.
  bool window = true;              ///< False if --window has another meaning in this command.
  const char* nonfinite = "keep";  ///< The default, for help.
};

void add_picture_options(CLI::App& command, PictureOptions& options, PictureWords& words,
                         const PictureOptionSet& set = {});

/// Converts the words to values; `nonfinite` is the policy without --nonfinite. Applies --max-memory to the whole
/// process. Errors: kInvalidArgument, a usage error.
[[nodiscard]] Result<void> finish_picture_options(const CLI::App& command, PictureOptions& options,
                                                  const PictureWords& words, NonFinitePolicy nonfinite);

/// The name of well-known primaries, or their eight numbers.
[[nodiscard]] std::string primaries_text(const Chromaticities& primaries);

/// Half of the machine's memory, or of the limit of the process's control group if that is smaller, in bytes.
[[nodiscard]] uint64_t usual_max_memory();

/// Parses the value of --max-memory, a number of bytes that K, M or G may follow.
/// Errors: kInvalidArgument.
[[nodiscard]] Result<uint64_t> parse_memory(const std::string& text);

/// Applies a limit of memory to the whole process.
void limit_process_memory(uint64_t bytes);

/// Adds --max-memory to a group.
void add_max_memory(Group& group, std::string& text);

/// "512 MiB": units of powers of 1024.
[[nodiscard]] std::string memory_text(uint64_t bytes);

}  // namespace onepass::cli
