# Every source of onepass::files. Groups: as in onepass_sources() of cmake/Options.cmake.
#
#   onepass_files(GROUP FILES...)   src/files/FILE.cpp
#   onepass_tiles(GROUP FILES...)   src/tiles/FILE.cpp
#   onepass_volume_files(GROUP FILES...)   src/volume_files/FILE.cpp
#   onepass_remote(GROUP FILES...)   src/remote/FILE.cpp
macro(onepass_files)
  onepass_sources(onepass_files . ${ARGN})
endmacro()
macro(onepass_tiles)
  onepass_sources(onepass_files ../tiles ${ARGN})
endmacro()
macro(onepass_remote)
  onepass_sources(onepass_files ../remote ${ARGN})
endmacro()
macro(onepass_volume_files)
  onepass_sources(onepass_files ../volume_files ${ARGN})
endmacro()

# Reading and writing of any type
onepass_files(any absent image_of_rows pixels printable read sample_rows target whole_rows write)
# Files and threads
onepass_files(apart file_set)
onepass_files(system atomic_file byte_stream output_conflict parallel pending system_${ONEPASS_SYSTEM})
# Colour
onepass_files(colour cmyk encoding icc icc_write)

# One type after another
onepass_files(exr
  exr_attributes exr_chroma exr_limits exr_read exr_scan exr_select exr_threads exr_write)
onepass_files(dds dds_format dds_read dds_write)
onepass_files(hdr float_write hdr_header hdr_rows)
onepass_files(jpeg exif jpeg_read jpeg_write)
onepass_files(ktx2 ktx2_format ktx2_header ktx2_read ktx2_write)
onepass_files(pnm pfm_rows pnm_rows pnm_write tga_rows)
onepass_files(png png_read png_rows png_write)
if("TIFF" IN_LIST ONEPASS_FILES_OPTIONAL)
  onepass_files(tiff lab ome_xml tiff_blocks tiff_file tiff_handle tiff_layout tiff_library tiff_read tiff_rows tiff_tags tiff_write)
endif()
if("WEBP" IN_LIST ONEPASS_FILES_OPTIONAL)
  onepass_files(apart webp_read)
endif()

# Inputs over HTTP, of tiles and volumes
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  onepass_remote(remote address curl_library range_cache remote_file site)
endif()

# Tiles
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  onepass_tiles(tile_sources
    grid_table openslide_library picture_rows row_plan row_source source_file source_grid source_mosaic source_raw source_slide
    source_zarr tiff_container)
  onepass_tiles(tile_outputs
    compress decompress file_io journal output output_dzi output_tiff output_zarr put_in_place tile_png viewer whole_output)
  onepass_tiles(tile_runs
    band check_places make_shards make_tiles output_places reducer run shard_files stream_reducer tile_options worker_pool)
  onepass_tiles(apart system_posix tile_jpeg)
endif()

# Volumes, over parts of tiles
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  onepass_volume_files(volume_zarr
    crc32c json_metadata ome_metadata zarr_array zarr_codecs zarr_metadata zarr_metadata_3 zarr_shards)
  onepass_volume_files(volume_sources
    flat_voxels gzip_file open_volume source_nifti source_planes source_raw source_zarr)
  if("TIFF" IN_LIST ONEPASS_FILES_OPTIONAL)
    onepass_volume_files(volume_tiff imagej_description source_tiff tiff_stack)
  endif()
  onepass_volume_files(volume_outputs
    block_maker block_plan chunk_codec chunk_writer deconvolved_volumes kept_level make_volume volume_layout volume_metadata volume_places volume_run
    volume_shards volume_viewer zarr_paths)
endif()

# The C functions
if(ONEPASS_C_API)
  onepass_sources(onepass_files ../c_api apart files files_options volume_files)
endif()
