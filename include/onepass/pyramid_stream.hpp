// pyramid_stream.hpp: pyramids of images that are larger than memory: rows of the base in, rows of every level out.
//
//     rows of the base, in order                         rows of the levels, as soon as they are complete
//     push(rows, stride, count)  -->  PyramidStream  -->  sink(level 1, rows 0..31), sink(level 2, rows 0..15), ...
//
// A stream stores the few rows that unfinished rows of the levels still need, never the image. Its texels are those of
// cpu::Pyramid (pyramid.hpp), bit for bit, however the rows are divided into calls.
//
//     onepass::PyramidOptions options{.size = {200000, 150000}, .source = onepass::Format::kRGB8Srgb};
//     options.target = options.source;
//     options.footprint = onepass::Footprint::kCeil;  // level sizes of DeepZoom, TIFF and OME-Zarr
//     auto stream = onepass::cpu::PyramidStream::create(options, [&](const onepass::cpu::LevelRows& rows) {
//       return write_rows(files[rows.level], rows.data, rows.row_stride, rows.count);  // a Result<void>
//     });
//     if (!stream) return stream.error();
//     while (reader.next(&block)) {
//       if (auto done = stream->push(block.data, block.row_stride, block.rows); !done) return done.error();
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "onepass/export.h"
#include "onepass/progress.hpp"
#include "onepass/pyramid.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Validates the options of a stream and computes the plan. They are those of a pyramid, with these differences:
///
///   size       1 to 2^31 per axis
///   slices     1
///   source     also kRGB8Unorm, kRGB8Srgb, kRGB16Unorm, kRGB16Sfloat and kRGB32Sfloat: the target is then one of these
///              five, or has three or four channels
///   target     as source
///   footprint  kAligned, kCovering, kEdge, kCeil; not kTight
///   alpha      kIndependent, kWeighted; not kCoverage, which needs all texels of a level before the first is written
///   filter     kBox
///
/// Errors: kInvalidArgument and kUnsupported (kTight, kCoverage, other filters), naming the field and its value.
[[nodiscard]] ONEPASS_API Result<PyramidPlan> plan_pyramid_stream(const PyramidOptions& options);

namespace cpu {

/// Finished rows of a level. The pixels are valid during the call of the sink only.
struct LevelRows {
  uint32_t level = 0;          ///< 1 and up.
  uint32_t first = 0;          ///< Index of the first row; each level's rows come in order, without gaps.
  uint32_t count = 0;          ///< Rows, at least 1.
  uint32_t width = 0;          ///< Texels of a row: the width of the level.
  const void* data = nullptr;  ///< The first row, in PyramidOptions::target.
  size_t row_stride = 0;       ///< Bytes from one row to the next.
};

/// Receives finished rows, inside push() and on its thread. An error that it returns ends the stream: push() returns
/// it. Rows of different levels alternate as they become complete; a finer level is never behind a coarser one.
using LevelSink = std::function<Result<void>(const LevelRows&)>;

/// Tuning of a stream; it never changes a texel.
struct PyramidStreamTuning {
  uint32_t threads = 0;    ///< At most this many threads; 0 = usable_threads().
  Progress progress = {};  ///< The fraction of the base's rows that is reduced. push() calls it.
};

/// The part that one stream makes of a pyramid that several processes make together: some rows of the base and of the
/// levels below them, or the levels above those. The default is the whole pyramid.
///
///     levels 7, 8, ...                one stream: first_level = 6, its rows are those that the others have kept
///     levels 1 to 6, rows  0..1023    one stream each: last_level = 6, and first_row and rows
///                    rows 1024..2047
///
/// The texels are those of one stream for everything, bit for bit. Footprint kCeil only.
struct StreamPart {
  /// The level of the rows that push() takes. 0: the base. Else a multiple of 3: unrounded rows, as `kept` received
  /// them; of Reduction::kMode labels, which are not rounded.
  uint32_t first_level = 0;
  /// The coarsest level to make: a multiple of 3, or the last of the pyramid. 0: the last of the pyramid.
  uint32_t last_level = 0;
  uint32_t first_row = 0;  ///< The first row of first_level: a multiple of 2^(last_level - first_level).
  uint32_t rows = 0;       ///< As many rows: such a multiple, or all that follow. 0: all that follow.
  /// Receives the unrounded rows of last_level, if that is not the last of the pyramid: one per call, `row_stride`
  /// bytes each, in the byte order of the machine. May be empty.
  LevelSink kept = {};
};

/// Makes a pyramid from rows that arrive in order.
///
/// Memory, whatever the height: 64 rows of the base, up to 36 rows of level 1, 18 of level 2 and so on, and of every
/// third level 32 rows in working form: for RGB8 some 450 bytes for each column of the base, and 1 to 3 MB for each
/// thread.
/// Results are bit-identical for any division into calls, any number of threads and any SIMD target.
/// Threads: one object is used by one thread at a time; distinct objects are independent.
class ONEPASS_API PyramidStream {
 public:
  /// Validates the options and allocates all memory.
  /// Errors: those of plan_pyramid_stream(); kInvalidArgument for an empty sink; kOutOfMemory.
  static Result<PyramidStream> create(const PyramidOptions& options, LevelSink sink,
                                      const PyramidStreamTuning& tuning = {});

  /// A part of a pyramid. LevelRows::first counts the rows of the whole level.
  /// Errors: those of the other create(); kInvalidArgument for a part whose levels or rows do not fit.
  static Result<PyramidStream> create(const PyramidOptions& options, LevelSink sink, const StreamPart& part,
                                      const PyramidStreamTuning& tuning = {});

  /// Takes the next `count` rows of the base, in PyramidOptions::source, and passes the rows that they complete to the
  /// sink. Rows are reduced in batches of up to 64, on all threads; the rows of an incomplete batch are copied and
  /// wait for the next call. The last row of the base completes all levels: nothing else ends a stream. A call with
  /// hundreds of rows costs the least, single rows cost one copy more.
  /// Errors: kInvalidArgument if `rows` is null, `row_stride` is less than a row or more rows come than the base has;
  /// the error of the sink; kCancelled; kOutOfMemory. After one of the last three every call returns that error.
  Result<void> push(const void* rows, size_t row_stride, uint32_t count);

  [[nodiscard]] uint32_t rows_pushed() const;     ///< Rows that push() has taken.
  [[nodiscard]] size_t row_bytes() const;         ///< Bytes of a row that push() takes.
  [[nodiscard]] const PyramidPlan& plan() const;  ///< Number and sizes of the levels.

  PyramidStream(PyramidStream&&) noexcept;
  PyramidStream& operator=(PyramidStream&&) noexcept;
  ~PyramidStream();

 private:
  struct Impl;
  ONEPASS_INTERNAL explicit PyramidStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cpu
}  // namespace onepass
