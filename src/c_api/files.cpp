// files.cpp: C functions that read and write image files and make tiled pyramids.
#include "c_api/block_views.hpp"
#include "c_api/files_abi.hpp"

struct onepass_files_image {
  onepass::files::ImageFile object;
};

struct onepass_tile_report {
  onepass::tiles::TileReport object;
  std::vector<std::string> outputs;  // the paths, as UTF-8
};

namespace onepass::c_api {
namespace {

/// The options of C, or the defaults for null.
template <typename Options, typename CppOptions>
Result<CppOptions> options_or_defaults(const Options* options) {
  if (options == nullptr) return CppOptions{};
  return read_options(options);
}

onepass_tile_progress to_c(const tiles::TileProgress& p) {
  return {.struct_size = 0,
          .rows = p.rows,
          .height = p.height,
          .texels = p.texels,
          .tiles = p.tiles,
          .tiles_kept = p.tiles_kept,
          .bytes_written = p.bytes_written,
          .seconds = p.seconds};
}

}  // namespace
}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_files_read(const char* path, const onepass_files_read_options* options,
                                onepass_files_image** image, onepass_error* error) {
  return make_handle(image, error, [&]() -> Result<files::ImageFile> {
    if (auto there = require(path, "path"); !there) return there.error();
    auto o = options_or_defaults<onepass_files_read_options, files::ReadOptions>(options);
    if (!o) return o.error();
    return files::read(path_of(path), *o);
  });
}

onepass_code onepass_files_read_memory(const void* bytes, size_t size, const char* name,
                                       const onepass_files_read_options* options, onepass_files_image** image,
                                       onepass_error* error) {
  return make_handle(image, error, [&]() -> Result<files::ImageFile> {
    if (auto there = require(bytes, "bytes"); !there) return there.error();
    auto o = options_or_defaults<onepass_files_read_options, files::ReadOptions>(options);
    if (!o) return o.error();
    return files::read_memory({static_cast<const std::byte*>(bytes), size}, name != nullptr ? name : "memory", *o);
  });
}

void onepass_files_image_destroy(onepass_files_image* image) { delete image; }

onepass_code onepass_files_image_info(const onepass_files_image* image, onepass_files_info* info,
                                      onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(image, "image"); !there) return there;
    if (auto checked = check_result_struct("info", info); !checked) return checked;
    const files::ImageFile& f = image->object;
    write_result(info, {.struct_size = 0,
                        .primaries = to_c(f.primaries),
                        .emissive_texels = f.emissive_texels,
                        .levels = static_cast<uint32_t>(f.levels.size()),
                        .warnings = static_cast<uint32_t>(f.warnings.size()),
                        .alpha = number(f.alpha),
                        .says_primaries = f.says_primaries ? 1U : 0U,
                        .cube = f.cube ? 1U : 0U,
                        .stored_channels = f.stored_channels,
                        .stored_bits = f.stored_bits,
                        .transfer = f.transfer,
                        .exif_orientation = f.exif_orientation,
                        .pixel_aspect_ratio = f.pixel_aspect_ratio,
                        .data_window = to_c(f.data_window),
                        .display_window = to_c(f.display_window),
                        .type = files::type_name(f.type).data()});
    return {};
  });
}

onepass_code onepass_files_image_level(const onepass_files_image* image, uint32_t level, onepass_image_view* view,
                                       onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(image, "image"); !there) return there;
    if (auto there = require(view, "view"); !there) return there;
    const auto& levels = image->object.levels;
    if (level >= levels.size()) {
      return invalid("level: " + std::to_string(level) + ", but the file has " + std::to_string(levels.size()));
    }
    const ImageView v = levels[level].view();
    *view = {.data = v.data,
             .format = number(v.format),
             .size = to_c(v.size),
             .slices = v.slices,
             .row_stride = v.row_stride,
             .slice_stride = v.slice_stride};
    return {};
  });
}

onepass_code onepass_files_image_mutable_level(onepass_files_image* image, uint32_t level,
                                               onepass_mutable_image_view* view, onepass_error* error) {
  if (view == nullptr) return finish(error, ONEPASS_INVALID_ARGUMENT, {}, "view: null");
  onepass_image_view pixels{};
  const onepass_code code = onepass_files_image_level(image, level, &pixels, error);
  if (code == ONEPASS_OK) {
    *view = {.data = image->object.levels[level].data(),
             .format = pixels.format,
             .size = pixels.size,
             .slices = pixels.slices,
             .row_stride = pixels.row_stride,
             .slice_stride = pixels.slice_stride};
  }
  return code;
}

const char* onepass_files_image_warning(const onepass_files_image* image, uint32_t index) {
  return image != nullptr ? text_at(image->object.warnings, index) : nullptr;
}

onepass_code onepass_files_write(const char* path, const onepass_image_view* levels, size_t level_count,
                                 const onepass_files_write_options* options, const onepass_files_image* attributes_of,
                                 onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(path, "path"); !there) return there;
    if (auto there = require(levels, "levels"); !there) return there;
    auto o = options_or_defaults<onepass_files_write_options, files::WriteOptions>(options);
    if (!o) return o.error();
    if (attributes_of != nullptr) o->exr.attributes = attributes_of->object.exr_attributes;
    std::vector<ImageView> views;
    for (size_t n = 0; n < level_count; ++n) {
      auto view = view_of("levels", levels + n);
      if (!view) return view.error();
      views.push_back(*view);
    }
    return files::write(path_of(path), views, *o);
  });
}

onepass_code onepass_files_write_blocks(const char* path, const onepass_block_view* levels, size_t level_count,
                                        const onepass_files_write_options* options, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(path, "path"); !there) return there;
    if (auto there = require(levels, "levels"); !there) return there;
    const auto o = options_or_defaults<onepass_files_write_options, files::WriteOptions>(options);
    if (!o) return o.error();
    std::vector<BlockView> views;
    for (size_t n = 0; n < level_count; ++n) {
      const auto view = blocks_of<BlockView>("levels", levels + n);
      if (!view) return view.error();
      views.push_back(*view);
    }
    return files::write(path_of(path), views, *o);
  });
}

onepass_code onepass_make_tiles(const onepass_tile_options* options, onepass_tile_watch watch, void* user,
                                onepass_tile_report** report, onepass_error* error) {
  if (report != nullptr) *report = nullptr;
  return guarded(error, [&]() -> Result<void> {
#if defined(__linux__)
    auto o = read_options(options);
    if (!o) return o.error();
    if (watch != nullptr) {
      o->progress = [watch, user](const tiles::TileProgress& progress) {
        onepass_tile_progress state = to_c(progress);
        state.struct_size = sizeof state;
        return watch(user, &state) != 0;
      };
    }
    auto made = tiles::make_tiles(*o);
    if (!made) return made.error();
    if (report == nullptr) return {};
    auto* out = new onepass_tile_report{.object = std::move(*made), .outputs = {}};
    for (const std::filesystem::path& path : out->object.outputs) out->outputs.push_back(utf8(path));
    *report = out;
    return {};
#else
    static_cast<void>(options), static_cast<void>(watch), static_cast<void>(user);
    return unsupported("tiles: only on Linux");
#endif
  });
}

void onepass_tile_report_destroy(onepass_tile_report* report) { delete report; }

onepass_code onepass_tile_report_progress(const onepass_tile_report* report, onepass_tile_progress* progress,
                                          onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(report, "report"); !there) return there;
    if (auto checked = check_result_struct("progress", progress); !checked) return checked;
    write_result(progress, to_c(report->object.progress));
    return {};
  });
}

onepass_code onepass_tile_report_info(const onepass_tile_report* report, onepass_tile_info* info,
                                      onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(report, "report"); !there) return there;
    if (auto checked = check_result_struct("info", info); !checked) return checked;
    const tiles::TileReport& r = report->object;
    write_result(info, {.struct_size = 0,
                        .sample = r.sample.c_str(),
                        .encoding = r.encoding.c_str(),
                        .channels = r.channels,
                        .srgb = r.srgb ? 1U : 0U,
                        .tile_size = r.tile_size,
                        .reserved = 0});
    return {};
  });
}

uint32_t onepass_tile_report_levels(const onepass_tile_report* report) {
  return report != nullptr ? static_cast<uint32_t>(report->object.sizes.size()) : 0;
}

onepass_extent onepass_tile_report_size(const onepass_tile_report* report, uint32_t level) {
  if (level >= onepass_tile_report_levels(report)) return {0, 0};
  return to_c(report->object.sizes[level]);
}

const char* onepass_tile_report_output(const onepass_tile_report* report, uint32_t index) {
  return report != nullptr ? text_at(report->outputs, index) : nullptr;
}

const char* onepass_tile_report_warning(const onepass_tile_report* report, uint32_t index) {
  return report != nullptr ? text_at(report->object.warnings, index) : nullptr;
}

}  // extern "C"
