// open_volume.cpp: finds the type of an input by its content and opens it.
#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "files/url.hpp"
#include "tiles/file_io.hpp"
#include "volume_files/volume_source.hpp"

namespace onepass::volumes {
namespace {

// The first bytes of TIFF and BigTIFF, in both byte orders.
constexpr std::array<std::string_view, 4> kTiffStarts = {std::string_view("II*\0", 4), std::string_view("MM\0*", 4),
                                                         std::string_view("II+\0", 4), std::string_view("MM\0+", 4)};
// Of NIfTI: the size of its header as a number of 32 bits, 348 or 540; of gzip: its two bytes.
constexpr std::array<std::string_view, 5> kNiftiStarts = {
    std::string_view("\x5C\x01\0\0", 4), std::string_view("\0\0\x01\x5C", 4), std::string_view("\x1C\x02\0\0", 4),
    std::string_view("\0\0\x02\x1C", 4), std::string_view("\x1F\x8B", 2)};

template <size_t N>
bool starts_with_one(std::string_view text, const std::array<std::string_view, N>& starts) {
  for (const std::string_view start : starts) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

}  // namespace

#ifndef ONEPASS_HAS_TIFF
Result<VolumeSourcePtr> open_tiff_volume(const std::filesystem::path& path, tiles::InputHandle /*file*/,
                                         tiles::WorkerPool& /*pool*/) {
  return Error{ErrorCode::kUnsupported, "is TIFF, and onepass was built without libtiff", path.string()};
}
#endif

Result<VolumeSourcePtr> open_volume(const VolumeInput& input, tiles::WorkerPool& pool, const remote::SitePtr& site) {
  if (files::is_url(input.planes)) return files::url_error(input.planes);
  if (!input.planes.empty()) return open_plane_files(input.planes, pool);
  if (site && !input.raw.empty()) return files::url_error(input.path.string());
  if (site) {
    auto file = tiles::open_remote_tiff(site);
    if (!file) return file.error();
    return *file ? open_tiff_volume(input.path, std::move(**file), pool) : open_zarr_volume(input.path, pool, site);
  }
  if (!input.raw.empty()) return open_raw_volume(input.path, input.raw);
  std::error_code none;
  if (std::filesystem::is_directory(input.path, none)) return open_zarr_volume(input.path, pool);
  auto file = tiles::open_input(input.path);
  if (!file) return file.error();
  std::array<char, 4> start{};
  const size_t bytes = std::min<size_t>(start.size(), file->size);
  if (tiles::read_fully(file->handle.number(), start.data(), bytes, 0) != 0) {
    return Error{ErrorCode::kIo, "cannot read it", input.path.string()};
  }
  const std::string_view text(start.data(), bytes);
  if (starts_with_one(text, kTiffStarts)) return open_tiff_volume(input.path, std::move(*file), pool);
  if (starts_with_one(text, kNiftiStarts)) return open_nifti_volume(input.path);
  return Error{ErrorCode::kUnsupported,
               "is no volume that is read: OME-Zarr, TIFF or NIfTI; voxels without a header need a description",
               input.path.string()};
}

}  // namespace onepass::volumes
