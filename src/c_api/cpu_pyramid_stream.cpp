// cpu_pyramid_stream.cpp: C functions for pyramids of images larger than memory.
#include "c_api/options.hpp"
#include "onepass/pyramid_stream.hpp"

using namespace onepass;
using namespace onepass::c_api;

namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_level_rows) == 40);

/// The error of a code that a sink returned.
Error error_of(onepass_code code) {
  const bool known = code >= ONEPASS_INVALID_ARGUMENT && code <= ONEPASS_CANCELLED;
  return {known ? static_cast<ErrorCode>(code - ONEPASS_INVALID_ARGUMENT) : ErrorCode::kIo,
          "the sink returned " + std::to_string(code) + ", " + onepass_code_text(code), ""};
}
static_assert(ONEPASS_CANCELLED - ONEPASS_INVALID_ARGUMENT == static_cast<int>(ErrorCode::kCancelled));

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
      if (code != ONEPASS_OK) return error_of(code);
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

}  // extern "C"
