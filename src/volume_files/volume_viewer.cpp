// volume_viewer.cpp: fills in volume_viewer.html, which CMake embeds with its scripts. The page reads the metadata of
// the output itself, so it stays right when the output is made again.
#include "volume_files/volume_viewer.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "tiles/output_places.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/viewer.hpp"
#include "volume_viewer_html.hpp"

namespace onepass::volumes {

std::filesystem::path volume_viewer_path(const VolumeFileOptions& options) {
  return options.output.parent_path() / (options.output.stem().string() + ".html");
}

std::string volume_viewer_page(const VolumeFileOptions& options) {
  const std::pair<std::string, std::string> values[] = {
      {"@TITLE@", tiles::escaped_text(options.output.stem().string())},
      {"@PATH@", tiles::escaped_address(options.output.filename().string())},
      {"@DECODERS@", kVolumeViewerDecoders},
      {"@ZARR@", kVolumeViewerZarr},
      {"@SLICES@", kVolumeViewerSlices},
      {"@CONTROLS@", kVolumeViewerControls}};
  return tiles::filled_page(kVolumeViewerHtml, values);
}

Result<void> check_old_volume_viewer(const VolumeFileOptions& options) {
  const std::filesystem::path page = volume_viewer_path(options);
  if (auto fine = tiles::check_place(page, false); !fine) return fine;
  std::error_code none;
  if (!std::filesystem::exists(page, none)) return {};
  const std::string text = tiles::text_in(page);
  const std::string name = options.output.filename().string();
  const bool ours = text.find("// Shows an OME-Zarr volume.") != std::string::npos &&
                    text.find("path: \"" + tiles::escaped_address(name) + "\"") != std::string::npos;
  return ours ? Result<void>() : tiles::foreign_output(page, "it does not show " + name);
}

}  // namespace onepass::volumes
