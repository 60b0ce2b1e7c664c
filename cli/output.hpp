// output.hpp: which files a run will write, and writing them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base.hpp"

namespace onepass::cli {

/// One pyramid or picture to make.
struct Unit {
  std::vector<std::string> inputs;
  std::filesystem::path output;
  std::filesystem::path sheet;   ///< Empty: none.
  bool makes_directory = false;  ///< Of the output, where there is none.
};

/// Refuses an output in a directory that neither is there nor will be made: before anything is read. Errors: kIo.
[[nodiscard]] Result<void> check_directory(const Unit& unit);

/// Works out the names of all outputs and refuses what would collide: an output that is an input, two pyramids with the
/// same output. Nothing is touched yet.
/// Errors: kInvalidArgument; a usage error.
[[nodiscard]] Result<std::vector<Unit>> plan_units(const Request& request);

/// Makes the directory of `output`, which stands for `name`, if that ends in '/'; other names need none. Errors: kIo.
[[nodiscard]] Result<void> make_directory(const std::string& name, const std::filesystem::path& output);

/// Writes one image as the extension of `output` says; `stored_alpha`: see output_alpha_for(). Errors: those of
/// files::write.
[[nodiscard]] Result<void> write_picture(const Request& request, const std::filesystem::path& output,
                                         const ImageView& image, const PictureInfo& info,
                                         AlphaAssociation stored_alpha);

/// The file of one level: "%d", "%02d"... in the file name is replaced by the level; without it the level goes before
/// the extension.
[[nodiscard]] std::filesystem::path level_path(const std::filesystem::path& pattern, uint32_t level);

/// Writes the levels as the extension of `output` says, into `set`, and returns the files that they will be. Nothing is
/// in place before the set is committed.
[[nodiscard]] Result<std::vector<std::filesystem::path>> write_levels(files::FileSet& set, const Request& request,
                                                                      const std::filesystem::path& output,
                                                                      std::span<const ImageView> levels,
                                                                      const PictureInfo& info,
                                                                      AlphaAssociation stored_alpha);

}  // namespace onepass::cli
