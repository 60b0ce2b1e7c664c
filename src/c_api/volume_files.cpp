// volume_files.cpp: C functions that make pyramids of volumes in files.
#include "c_api/files_abi.hpp"

struct onepass_volume_report {
  onepass::volumes::VolumeFileReport object;
  std::string output;  // the path, as UTF-8
};

namespace {

using namespace onepass;
using namespace onepass::c_api;

static_assert(sizeof(void*) != 8 || sizeof(onepass_volume_info) == 16 + 4 * 16);

onepass_volume_progress progress_in_c(const volumes::VolumeProgress& p) {
  return {.struct_size = sizeof(onepass_volume_progress),
          .voxels = p.voxels,
          .all_voxels = p.all_voxels,
          .blocks = p.blocks,
          .blocks_kept = p.blocks_kept,
          .bytes_written = p.bytes_written,
          .seconds = p.seconds};
}

}  // namespace

extern "C" {

onepass_code onepass_make_volume(const onepass_volume_file_options* options, onepass_volume_watch watch, void* user,
                                 onepass_volume_report** report, onepass_error* error) {
  if (report != nullptr) *report = nullptr;
  return guarded(error, [&]() -> Result<void> {
#if defined(__linux__)
    auto o = read_options(options);
    if (!o) return o.error();
    if (watch != nullptr) {
      o->progress = [watch, user](const volumes::VolumeProgress& progress) {
        const onepass_volume_progress state = progress_in_c(progress);
        return watch(user, &state) != 0;
      };
    }
    auto made = volumes::make_volume(*o);
    if (!made) return made.error();
    if (report == nullptr) return {};
    std::string output = utf8(made->output);
    *report = new onepass_volume_report{.object = std::move(*made), .output = std::move(output)};
    return {};
#else
    static_cast<void>(options), static_cast<void>(watch), static_cast<void>(user);
    return unsupported("volumes in files: only on Linux");
#endif
  });
}

void onepass_volume_report_destroy(onepass_volume_report* report) { delete report; }

onepass_code onepass_volume_report_progress(const onepass_volume_report* report, onepass_volume_progress* progress,
                                            onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(report, "report"); !there) return there;
    if (auto checked = check_result_struct("progress", progress); !checked) return checked;
    write_result(progress, progress_in_c(report->object.progress));
    return {};
  });
}

onepass_code onepass_volume_report_info(const onepass_volume_report* report, onepass_volume_info* info,
                                        onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(report, "report"); !there) return there;
    if (auto checked = check_result_struct("info", info); !checked) return checked;
    const volumes::VolumeFileReport& r = report->object;
    write_result(info, {.struct_size = 0,
                        .planned_bytes = r.planned_bytes,
                        .type = number(r.type),
                        .times = r.times,
                        .channels = r.channels,
                        .levels = static_cast<uint32_t>(r.sizes.size()),
                        .chunk = to_c(r.chunk),
                        .shard_size = to_c(r.shard_size),
                        .block = to_c(r.block),
                        .block_level = r.block_level,
                        .was_complete = r.was_complete ? 1U : 0U,
                        .reserved = 0});
    return {};
  });
}

onepass_volume_size onepass_volume_report_size(const onepass_volume_report* report, uint32_t level) {
  if (report == nullptr || level >= report->object.sizes.size()) return {0, 0, 0};
  return to_c(report->object.sizes[level]);
}

onepass_volume_step onepass_volume_report_step(const onepass_volume_report* report, uint32_t level) {
  if (report == nullptr || level >= report->object.steps.size()) return {0, 0, 0};
  const auto& [x, y, z] = report->object.steps[level];
  return {x, y, z};
}

const char* onepass_volume_report_output(const onepass_volume_report* report) {
  return report != nullptr ? report->output.c_str() : nullptr;
}

const char* onepass_volume_report_warning(const onepass_volume_report* report, uint32_t index) {
  return report != nullptr ? text_at(report->object.warnings, index) : nullptr;
}

}  // extern "C"
