// output.hpp: determines and checks the names of the output files, and writes them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base.hpp"

namespace onepass::cli {

/// One pyramid or picture to make.
struct Unit {
  std::vector<std::string> inputs;
  std::filesystem::path output;
  std::filesystem::path sheet;   ///< Empty: none.
  bool makes_directory = false;  ///< The output's directory is created if missing.
  size_t index = 0;              ///< Its number among all units of the command.
};

/// A word in braces in the name of an output, and what it stands for.
struct NameMark {
  std::string_view mark;  ///< "{name}"
  std::string value;
};

/// {name}, {ext} and {dir} for an input: its name without extension, that extension, its directory.
[[nodiscard]] std::vector<NameMark> marks_of(const std::string& input);

/// `text` with the values of the marks.
[[nodiscard]] std::string with_marks(std::string_view text, std::span<const NameMark> marks);

/// Refuses lower-case words in braces that are no marks. Errors: kInvalidArgument; a usage error.
[[nodiscard]] Result<void> check_marks(const std::string& text, std::span<const std::string_view> marks);

/// Does `text` contain one of the marks?
[[nodiscard]] bool has_mark(std::string_view text, std::span<const std::string_view> marks);

/// Does `text` name a directory: one that exists, or a name with / at the end?
[[nodiscard]] bool is_directory_name(const std::string& text);

/// Refuses an output whose directory neither exists nor will be created. Called before anything is read. Errors: kIo.
[[nodiscard]] Result<void> check_directory(const Unit& unit);

/// Determines the names of all outputs and refuses collisions: an output that is an input, two units with the same
/// output. Changes no file.
/// Errors: kInvalidArgument; a usage error.
[[nodiscard]] Result<std::vector<Unit>> plan_units(const Request& request);

/// The units of plan_units() that request.shard makes: those whose index modulo the number of shards is the shard's.
[[nodiscard]] Result<std::vector<Unit>> units_of_shard(const Request& request);

/// Creates the directory of `output` if `name`, from which `output` was expanded, ends in '/'. Errors: kIo.
[[nodiscard]] Result<void> make_directory(const std::string& name, const std::filesystem::path& output);

/// Does a PNM file of this name store a grey image as grey? Readers take 16-bit grey as linear, colours as sRGB.
[[nodiscard]] bool stores_grey(const std::filesystem::path& pnm);

/// Writes one image in the file type of `output`'s extension; `stored_alpha`: see output_alpha_for(). Errors: those of
/// files::write.
[[nodiscard]] Result<void> write_picture(const Request& request, const std::filesystem::path& output,
                                         const ImageView& image, const PictureInfo& info,
                                         AlphaAssociation stored_alpha);

/// The file of one level: replaces "%d", "%02d", ... in the file name by the level; without such a mark the level is
/// inserted before the extension.
[[nodiscard]] std::filesystem::path level_path(const std::filesystem::path& pattern, uint32_t level);

/// Writes the levels into `set`, in the file type of `output`'s extension, and returns the final names. The files
/// appear when the set is committed.
[[nodiscard]] Result<std::vector<std::filesystem::path>> write_levels(files::FileSet& set, const Request& request,
                                                                      const std::filesystem::path& output,
                                                                      std::span<const ImageView> levels,
                                                                      const PictureInfo& info,
                                                                      AlphaAssociation stored_alpha);

}  // namespace onepass::cli
