# Sources of onepass/tiles.hpp, part of onepass::files.
set(onepass_tiles ${CMAKE_CURRENT_LIST_DIR})
target_sources(onepass_files PRIVATE
  ${onepass_tiles}/band.cpp
  ${onepass_tiles}/check_places.cpp
  ${onepass_tiles}/compress.cpp
  ${onepass_tiles}/decompress.cpp
  ${onepass_tiles}/file_io.cpp
  ${onepass_tiles}/journal.cpp
  ${onepass_tiles}/make_shards.cpp
  ${onepass_tiles}/make_tiles.cpp
  ${onepass_tiles}/openslide_library.cpp
  ${onepass_tiles}/output.cpp
  ${onepass_tiles}/output_dzi.cpp
  ${onepass_tiles}/output_tiff.cpp
  ${onepass_tiles}/output_zarr.cpp
  ${onepass_tiles}/picture_rows.cpp
  ${onepass_tiles}/put_in_place.cpp
  ${onepass_tiles}/reducer.cpp
  ${onepass_tiles}/row_plan.cpp
  ${onepass_tiles}/row_source.cpp
  ${onepass_tiles}/run.cpp
  ${onepass_tiles}/shard_files.cpp
  ${onepass_tiles}/source_file.cpp
  ${onepass_tiles}/source_grid.cpp
  ${onepass_tiles}/source_raw.cpp
  ${onepass_tiles}/source_slide.cpp
  ${onepass_tiles}/source_zarr.cpp
  ${onepass_tiles}/stream_reducer.cpp
  ${onepass_tiles}/system_posix.cpp
  ${onepass_tiles}/tiff_container.cpp
  ${onepass_tiles}/tile_jpeg.cpp
  ${onepass_tiles}/tile_options.cpp
  ${onepass_tiles}/tile_png.cpp
  ${onepass_tiles}/viewer.cpp
  ${onepass_tiles}/whole_output.cpp
  ${onepass_tiles}/worker_pool.cpp
  ${onepass_tiles}/zarr_array.cpp
)

onepass_compile_together(onepass_files tile_sources
  ${onepass_tiles}/row_plan.cpp ${onepass_tiles}/row_source.cpp
  ${onepass_tiles}/source_grid.cpp
  ${onepass_tiles}/picture_rows.cpp ${onepass_tiles}/source_file.cpp ${onepass_tiles}/source_raw.cpp
  ${onepass_tiles}/source_slide.cpp ${onepass_tiles}/openslide_library.cpp
  ${onepass_tiles}/source_zarr.cpp ${onepass_tiles}/zarr_array.cpp
  ${onepass_tiles}/tiff_container.cpp)
onepass_compile_together(onepass_files tile_outputs
  ${onepass_tiles}/compress.cpp ${onepass_tiles}/decompress.cpp ${onepass_tiles}/file_io.cpp ${onepass_tiles}/journal.cpp
  ${onepass_tiles}/output.cpp ${onepass_tiles}/output_dzi.cpp ${onepass_tiles}/output_tiff.cpp ${onepass_tiles}/output_zarr.cpp
  ${onepass_tiles}/put_in_place.cpp ${onepass_tiles}/tile_png.cpp ${onepass_tiles}/viewer.cpp
  ${onepass_tiles}/whole_output.cpp)
onepass_compile_together(onepass_files tile_runs
  ${onepass_tiles}/band.cpp ${onepass_tiles}/check_places.cpp ${onepass_tiles}/make_shards.cpp ${onepass_tiles}/make_tiles.cpp
  ${onepass_tiles}/reducer.cpp ${onepass_tiles}/run.cpp ${onepass_tiles}/shard_files.cpp
  ${onepass_tiles}/stream_reducer.cpp ${onepass_tiles}/tile_options.cpp ${onepass_tiles}/worker_pool.cpp)

# The viewer's page as a string of the library.
file(READ ${onepass_tiles}/viewer.html onepass_viewer)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/tiles/viewer_html.hpp @ONLY CONTENT
"// Made from src/tiles/viewer.html.
#pragma once
namespace onepass::tiles {
inline constexpr char kViewerHtml[] = R\"html(@onepass_viewer@)html\";
}  // namespace onepass::tiles
")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${onepass_tiles}/viewer.html)
target_include_directories(onepass_files PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/tiles)
