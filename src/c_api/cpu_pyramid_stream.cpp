// cpu_pyramid_stream.cpp: C functions for pyramids of images larger than memory.
#include <span>

#include "c_api/options.hpp"
#include "cpu/views.hpp"
#include "onepass/pyramid_stream.hpp"

using namespace onepass;
using namespace onepass::c_api;

namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_level_rows) == 40);

/// Checks that the views are those of the plan. Errors: kInvalidArgument.
Result<void> check_views(const PyramidOptions& o, const PyramidPlan& plan, const ImageView& source,
                         std::span<const MutableImageView> levels) {
  if (levels.size() + 1 != plan.levels) {
    return invalid("levels: " + std::to_string(levels.size()) + " instead of " + std::to_string(plan.levels - 1));
  }
  auto checked = cpu::check_view("source", source, o.source, o.size, o.slices);
  for (uint32_t n = 1; n < plan.levels && checked; ++n) {
    checked = cpu::check_view("level " + std::to_string(n), levels[n - 1], o.target, plan.sizes[n], o.slices);
  }
  return checked;
}

/// Makes the pyramid of one slice after the other.
Result<void> stream_image(PyramidOptions o, uint32_t threads, const Progress& report, const ImageView& source,
                          std::span<const MutableImageView> levels) {
  const uint32_t slices = o.slices;
  auto plan = [&] {
    PyramidOptions one = o;
    one.slices = 1;
    return plan_pyramid_stream(one);
  }();
  if (!plan) return plan.error();
  if (auto fit = check_views(o, *plan, source, levels); !fit) return fit;
  o.slices = 1;
  const size_t texel = texel_info(o.target).bytes_per_texel;
  for (uint32_t slice = 0; slice < slices; ++slice) {
    const auto sink = [&](const cpu::LevelRows& rows) -> Result<void> {
      const auto* from = static_cast<const std::byte*>(rows.data);
      for (uint32_t y = 0; y < rows.count; ++y, from += rows.row_stride) {
        std::memcpy(levels[rows.level - 1].row(rows.first + y, slice), from, rows.width * texel);
      }
      return {};
    };
    Progress progress;
    if (report) progress = [&](double fraction) { return report((slice + fraction) / slices); };
    auto stream = cpu::PyramidStream::create(o, sink, {.threads = threads, .progress = progress});
    if (!stream) return stream.error();
    if (auto done = stream->push(source.row(0, slice), source.row_stride, source.size.height); !done) return done;
  }
  return {};
}

}  // namespace

struct onepass_cpu_pyramid_stream {
  cpu::PyramidStream object;
};

extern "C" {

onepass_code onepass_cpu_pyramid_stream_create(const onepass_pyramid_options* options, const onepass_cpu_tuning* tuning,
                                               onepass_level_sink sink, void* user, onepass_cpu_pyramid_stream** stream,
                                               onepass_error* error) {
  return make_handle(stream, error, [&]() -> Result<cpu::PyramidStream> {
    auto o = read_options(options);
    if (!o) return o.error();
    auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    auto progress = progress_of(tuning);
    if (!progress) return progress.error();
    if (sink == nullptr) return invalid("sink: null");
    const auto call = [sink, user](const cpu::LevelRows& rows) -> Result<void> {
      const onepass_level_rows out = {sizeof out, rows.level, rows.first,     rows.count,
                                      rows.width, rows.data,  rows.row_stride};
      const onepass_code code = sink(user, &out);
      if (code != ONEPASS_OK) return error_of_sink(code);
      return {};
    };
    return cpu::PyramidStream::create(*o, call, {.threads = *threads, .progress = *progress});
  });
}

void onepass_cpu_pyramid_stream_destroy(onepass_cpu_pyramid_stream* stream) { delete stream; }

onepass_code onepass_cpu_pyramid_stream_push(onepass_cpu_pyramid_stream* stream, const void* rows, size_t row_stride,
                                             uint32_t count, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(stream, "stream"); !there) return there;
    return stream->object.push(rows, row_stride, count);
  });
}

onepass_code onepass_cpu_pyramid_stream_image(const onepass_pyramid_options* options, const onepass_cpu_tuning* tuning,
                                              const onepass_image_view* source,
                                              const onepass_mutable_image_view* levels, size_t level_count,
                                              onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    auto o = read_options(options);
    if (!o) return o.error();
    auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    auto progress = progress_of(tuning);
    if (!progress) return progress.error();
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = levels_of(levels, level_count);
    if (!to) return to.error();
    return stream_image(*o, *threads, *progress, *from, *to);
  });
}

}  // extern "C"
