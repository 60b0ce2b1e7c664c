/* onepass_files.h: image files, tiled pyramids and volumes in files in C: the library onepass_files. Read onepass.h
 * first: errors, sized structs, handles and threads are the same.
 *
 *     onepass_files_image* photo = NULL;
 *     if (onepass_files_read("photo.jpg", NULL, &photo, &error) != ONEPASS_OK) return fail(error.message);
 *     onepass_image_view base;
 *     onepass_files_image_level(photo, 0, &base, NULL);
 *     // onepass_cpu_pyramid_build(pyramid, &base, levels, level_count, &error)
 *     onepass_files_write("photo.ktx2", views, view_count, NULL, NULL, &error);
 *     onepass_files_image_destroy(photo);
 *
 * Paths and texts are UTF-8. A NULL text is an empty one. The full descriptions are in onepass/files.hpp,
 * onepass/tiles.hpp and onepass/volume_files.hpp: onepass::files::read() is onepass_files_read(),
 * onepass::tiles::make_tiles() onepass_make_tiles(), onepass::volumes::make_volume() onepass_make_volume().
 */
#ifndef ONEPASS_ONEPASS_FILES_H
#define ONEPASS_ONEPASS_FILES_H

#include "onepass/onepass.h"
#include "onepass/onepass_files_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading ---- */

/* The content of a file: onepass::files::ImageFile. */
typedef struct onepass_files_image onepass_files_image;

/* Reads an image file. options: NULL for the defaults. Errors: those of onepass::files::read(). */
ONEPASS_API onepass_code onepass_files_read(const char* path, const onepass_files_read_options* options,
                                            onepass_files_image** image, onepass_error* error);

/* Reads an image file from memory, which is not used after the call. name becomes the context of errors, and its
 * extension states the type of a TGA without a footer; NULL: "memory". */
ONEPASS_API onepass_code onepass_files_read_memory(const void* bytes, size_t size, const char* name,
                                                   const onepass_files_read_options* options,
                                                   onepass_files_image** image, onepass_error* error);

ONEPASS_API void onepass_files_image_destroy(onepass_files_image* image);

/* What a file states about its content. */
typedef struct onepass_files_info {
  size_t struct_size;
  onepass_chromaticities primaries; /* Of the colours in the levels. */
  uint64_t emissive_texels;         /* Texels of alpha 0 with a colour that became straight. */
  uint32_t levels;                  /* 1 or more. */
  uint32_t warnings;                /* Number of texts of onepass_files_image_warning(). */
  onepass_alpha_association alpha;  /* Of the colours in the levels. */
  uint32_t says_primaries;          /* 1: the file states its primaries; 0: BT.709 was assumed. */
  uint32_t cube;                    /* 1: slices are cube faces (KTX2). */
  uint32_t stored_channels;         /* 1 grey, 2 grey and alpha, 3 or 4. */
  uint32_t stored_bits;             /* Bits of one stored channel. */
  uint32_t transfer;                /* As a number of ITU-T H.273; 0: not stated. */
  uint32_t exif_orientation;        /* 1 (upright) to 8: reported, not applied. */
  float pixel_aspect_ratio;         /* Width over height of a pixel. */
  onepass_files_box data_window;    /* EXR: that of the file. Others: the image. */
  onepass_files_box display_window;
  const char*
      type; /* "PNG", "JPEG", "OpenEXR", "Radiance HDR", "PFM", "KTX2", "TIFF", "WebP", "TGA", "PNM" or "DDS". */
} onepass_files_info;

/* Fills *info, whose struct_size you set. */
ONEPASS_API onepass_code onepass_files_image_info(const onepass_files_image* image, onepass_files_info* info,
                                                  onepass_error* error);

/* The pixels of a level, 0 to info.levels - 1, with all slices. They belong to the image. */
ONEPASS_API onepass_code onepass_files_image_level(const onepass_files_image* image, uint32_t level,
                                                   onepass_image_view* view, onepass_error* error);

/* The same pixels, which you may change. */
ONEPASS_API onepass_code onepass_files_image_mutable_level(onepass_files_image* image, uint32_t level,
                                                           onepass_mutable_image_view* view, onepass_error* error);

/* A warning, one clause; NULL beyond the last. It belongs to the image. */
ONEPASS_API const char* onepass_files_image_warning(const onepass_files_image* image, uint32_t index);

/* ---- Writing ---- */

/* Writes levels as the type that the extension of path names. The file appears complete or not at all. options: NULL
 * for the defaults. attributes_of: an image read from OpenEXR, whose attributes an OpenEXR file receives; or NULL.
 * Errors: those of onepass::files::write(). */
ONEPASS_API onepass_code onepass_files_write(const char* path, const onepass_image_view* levels, size_t level_count,
                                             const onepass_files_write_options* options,
                                             const onepass_files_image* attributes_of, onepass_error* error);

/* The same for levels of blocks: .ktx2 or .dds. Blocks are never converted. */
ONEPASS_API onepass_code onepass_files_write_blocks(const char* path, const onepass_block_view* levels,
                                                    size_t level_count, const onepass_files_write_options* options,
                                                    onepass_error* error);

/* ---- Tiled pyramids ---- */

/* The state of a run: onepass::tiles::TileProgress. */
typedef struct onepass_tile_progress {
  size_t struct_size;
  uint64_t rows;
  uint64_t height;
  uint64_t texels;
  uint64_t tiles;
  uint64_t tiles_kept;
  uint64_t bytes_written;
  double seconds;
} onepass_tile_progress;

/* Receives the state some times per second; returns 0 to end the run, which then returns ONEPASS_CANCELLED. */
typedef int32_t (*onepass_tile_watch)(void* user, const onepass_tile_progress* progress);

/* A finished run: onepass::tiles::TileReport. */
typedef struct onepass_tile_report onepass_tile_report;
ONEPASS_API void onepass_tile_report_destroy(onepass_tile_report* report);

/* Makes a pyramid. watch: or NULL. report: or NULL; receives the report of a finished run. Errors: those of
 * onepass::tiles::make_tiles(). On systems other than Linux ONEPASS_UNSUPPORTED. */
ONEPASS_API onepass_code onepass_make_tiles(const onepass_tile_options* options, onepass_tile_watch watch, void* user,
                                            onepass_tile_report** report, onepass_error* error);

/* The last state of the run. */
ONEPASS_API onepass_code onepass_tile_report_progress(const onepass_tile_report* report,
                                                      onepass_tile_progress* progress, onepass_error* error);

/* What was made. */
typedef struct onepass_tile_info {
  size_t struct_size;
  const char* sample;   /* "uint8", "uint16", "half", "float" and so on. It belongs to the report, as encoding does. */
  const char* encoding; /* "jpeg", "png", "deflate" and so on. */
  uint32_t channels;
  uint32_t srgb;      /* 1: the mean was that of decoded sRGB colours. */
  uint32_t tile_size; /* 0: KTX2 and OpenEXR, which have no tiles. */
  uint32_t reserved;
} onepass_tile_info;

/* Fills *info, whose struct_size you set. */
ONEPASS_API onepass_code onepass_tile_report_info(const onepass_tile_report* report, onepass_tile_info* info,
                                                  onepass_error* error);

/* Number of levels; 0 for NULL. */
ONEPASS_API uint32_t onepass_tile_report_levels(const onepass_tile_report* report);

/* Size of a level; all 0 beyond the last. */
ONEPASS_API onepass_extent onepass_tile_report_size(const onepass_tile_report* report, uint32_t level);

/* The files and directories that were made, and the warnings: texts of the report; NULL beyond the last. */
ONEPASS_API const char* onepass_tile_report_output(const onepass_tile_report* report, uint32_t index);
ONEPASS_API const char* onepass_tile_report_warning(const onepass_tile_report* report, uint32_t index);

/* ---- Pyramids of volumes ---- */

/* The state of a run: onepass::volumes::VolumeProgress. */
typedef struct onepass_volume_progress {
  size_t struct_size;
  uint64_t voxels;
  uint64_t all_voxels;
  uint64_t blocks;
  uint64_t blocks_kept;
  uint64_t bytes_written;
  double seconds;
} onepass_volume_progress;

/* Receives the state some times per second; returns 0 to end the run, which then returns ONEPASS_CANCELLED. */
typedef int32_t (*onepass_volume_watch)(void* user, const onepass_volume_progress* progress);

/* A finished run: onepass::volumes::VolumeFileReport. */
typedef struct onepass_volume_report onepass_volume_report;
ONEPASS_API void onepass_volume_report_destroy(onepass_volume_report* report);

/* Makes OME-Zarr of a volume:
 *
 *     onepass_volume_file_options options;
 *     onepass_volume_file_options_init(&options, sizeof options);
 *     options.input_path = "brain.zarr";
 *     options.output = "pyramid.zarr";
 *     if (onepass_make_volume(&options, NULL, NULL, NULL, &error) != ONEPASS_OK) return fail(error.message);
 *
 * watch: or NULL. report: or NULL; receives the report of a finished run. Errors: those of
 * onepass::volumes::make_volume(). On systems other than Linux ONEPASS_UNSUPPORTED. */
ONEPASS_API onepass_code onepass_make_volume(const onepass_volume_file_options* options, onepass_volume_watch watch,
                                             void* user, onepass_volume_report** report, onepass_error* error);

/* The last state of the run. */
ONEPASS_API onepass_code onepass_volume_report_progress(const onepass_volume_report* report,
                                                        onepass_volume_progress* progress, onepass_error* error);

/* What was made. */
typedef struct onepass_volume_info {
  size_t struct_size;
  uint64_t planned_bytes; /* Memory that the run was planned with. */
  onepass_voxel_type type;
  uint32_t times;
  uint32_t channels;
  uint32_t levels; /* With the base. */
  onepass_volume_size chunk;
  onepass_volume_size shard_size; /* Of files; the chunk's if they hold one chunk each. */
  onepass_volume_size block;      /* Voxels of the base that were reduced at a time. */
  uint32_t block_level;           /* The coarsest level that blocks of the base make. */
  uint32_t was_complete;          /* 1: a shard that an earlier run has made, or an output that it has finished. */
  uint32_t reserved;
} onepass_volume_info;

/* Fills *info, whose struct_size you set. */
ONEPASS_API onepass_code onepass_volume_report_info(const onepass_volume_report* report, onepass_volume_info* info,
                                                    onepass_error* error);

/* Size of a level, and the step that leads from it to the next one; all 0 where there is none. */
ONEPASS_API onepass_volume_size onepass_volume_report_size(const onepass_volume_report* report, uint32_t level);
ONEPASS_API onepass_volume_step onepass_volume_report_step(const onepass_volume_report* report, uint32_t level);

/* The output, or the directory of a shard; and the warnings: texts of the report; NULL beyond the last. */
ONEPASS_API const char* onepass_volume_report_output(const onepass_volume_report* report);
ONEPASS_API const char* onepass_volume_report_warning(const onepass_volume_report* report, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
