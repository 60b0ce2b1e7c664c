// make_tiles.cpp: the run: rows from the source, through the reduction, into bands; bands to the encoders; tiles to the
// output.
//
//     source --rows--> band of level 0 --rows--> reducer --rows--> bands of levels 1, 2, ...
//                            |                                        |
//                            +------- complete bands, in order -------+
//                                             |
//                             tiles, encoded by all threads of the pool
//                                             |
//                        stored as files, or appended in the order of the bands
//
// The owner of the pool reads, reduces and appends; when too many bytes of bands are being encoded, it encodes, too.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>

#include "files/writers.hpp"
#include "tiles/journal.hpp"
#include "tiles/output.hpp"
#include "tiles/put_in_place.hpp"
#include "tiles/reducer.hpp"
#include "tiles/row_source.hpp"
#include "tiles/text.hpp"
#include "tiles/tile_options.hpp"
#include "tiles/whole_output.hpp"

namespace onepass::tiles {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kRowsPerStep = 64;  // of the base, between two looks at the clock
constexpr auto kReportEvery = std::chrono::milliseconds(100);
constexpr size_t kTilesPerTask = 4;

// A band whose tiles are being encoded.
struct BandJob {
  BandPtr band;
  size_t tiles = 0;
  std::vector<Bytes> encoded;  // for outputs that append
  std::atomic<size_t> left{0};
};

class Run {
 public:
  Run(const OutputPlan& plan, RowSource& source, WorkerPool& pool, Output& output, Journal& journal)
      : plan_(plan), source_(source), pool_(pool), output_(output), journal_(journal) {
    for (uint32_t level = 0; level < plan_.grids.size(); ++level) {
      builders_.emplace_back(level, plan_.grids[level], plan_.layout.pixel_bytes());
    }
    // Enough to keep all threads busy while the next band fills.
    limit_ = builders_[0].band_bytes() + builders_[0].band_bytes() / 2;
    progress_.height = source_.size().height;
  }
  ~Run() {
    failed_ = true;  // after a failure the tasks that still wait encode nothing
    pool_.wait_until([&] { return running_ == 0; });
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Result<void> run();
  [[nodiscard]] TileProgress progress() const;

 private:
  Result<void> restore();
  void submit(BandPtr band);
  void encode_tiles(BandJob& work, size_t first, size_t end);
  Result<void> encode_tile(BandJob& work, size_t number);
  Result<void> append_complete();
  Result<void> wait_for_space(uint64_t limit);
  Result<void> report();
  Result<void> failure();
  void fail(const Error& error);

  const OutputPlan& plan_;
  RowSource& source_;
  WorkerPool& pool_;
  Output& output_;
  Journal& journal_;
  std::vector<BandBuilder> builders_;
  uint64_t limit_ = 0;
  std::atomic<uint64_t> bytes_in_flight_{0};
  std::atomic<size_t> running_{0};              // tasks
  std::deque<std::shared_ptr<BandJob>> queue_;  // bands in order, for outputs that append
  std::mutex mutex_;
  std::optional<Error> failure_;
  std::atomic<bool> failed_{false};
  TileProgress progress_;
  std::atomic<uint64_t> tiles_{0}, bytes_{0};
  Clock::time_point start_ = Clock::now();
  Clock::time_point reported_ = start_ - kReportEvery;
};

TileProgress Run::progress() const {
  TileProgress now = progress_;
  now.tiles = tiles_;
  now.bytes_written = bytes_;
  now.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  return now;
}

void Run::fail(const Error& error) {
  const std::scoped_lock lock(mutex_);
  if (!failure_) failure_ = error;
  failed_ = true;
}

Result<void> Run::failure() {
  const std::scoped_lock lock(mutex_);
  if (failure_) return *failure_;
  return {};
}

// Tells the output where the tiles of an interrupted run are.
Result<void> Run::restore() {
  for (const auto& [place, entry] : journal_.complete()) {
    const auto [level, row] = place;
    if (level >= plan_.grids.size() || row >= plan_.grids[level].rows()) {
      return Error{ErrorCode::kBadData, "the journal of the unfinished output is damaged", plan_.work.string()};
    }
    if (output_.ordered()) {
      if (auto done = output_.restore(level, row, entry); !done) return done;
    }
    progress_.tiles_kept += uint64_t{plan_.grids[level].columns()} * output_.planes();
  }
  return {};
}

Result<void> Run::encode_tile(BandJob& work, size_t number) {
  const Band& band = *work.band;
  const uint32_t columns = plan_.grids[band.level].columns();
  const auto column = static_cast<uint32_t>(number % columns);
  const Rect rect = plan_.grids[band.level].tile(column, band.row);
  const Tile tile{
      .level = band.level,
      .column = column,
      .row = band.row,
      .plane = static_cast<uint32_t>(number / columns),
      .pixels = {work.band->pixels.data() + (rect.y - band.first_y) * band.stride + rect.x * plan_.layout.pixel_bytes(),
                 band.stride,
                 {rect.width, rect.height},
                 plan_.layout}};
  Bytes bytes = output_.encode(tile);
  bytes_ += bytes.size();
  ++tiles_;
  if (!output_.ordered()) return output_.store(tile, bytes);
  work.encoded[number] = std::move(bytes);
  return {};
}

// One task.
void Run::encode_tiles(BandJob& work, size_t first, size_t end) {
  const Result<void> done = files::guarded(plan_.options.output, [&]() -> Result<void> {
    for (size_t i = first; i < end && !failed_; ++i) {
      if (auto one = encode_tile(work, i); !one) return one;
    }
    return {};
  });
  if (!done) fail(done.error());
  if (work.left.fetch_sub(end - first) != end - first) return;
  // The last task of the band.
  if (!output_.ordered() && !failed_) {
    const Result<void> recorded =
        files::guarded(plan_.options.output, [&] { return journal_.record(work.band->level, work.band->row, ""); });
    if (!recorded) fail(recorded.error());
  }
  bytes_in_flight_ -= work.band->pixels.size();
  work.band->pixels = {};
}

void Run::submit(BandPtr band) {
  if (journal_.complete().contains({band->level, band->row})) return;
  auto work = std::make_shared<BandJob>();
  work->tiles = size_t{plan_.grids[band->level].columns()} * output_.planes();
  work->left = work->tiles;
  if (output_.ordered()) {
    work->encoded.resize(work->tiles);
    queue_.push_back(work);
  }
  bytes_in_flight_ += band->pixels.size();
  work->band = std::move(band);
  for (size_t first = 0; first < work->tiles; first += kTilesPerTask) {
    ++running_;
    try {
      pool_.submit([this, work, first] {
        encode_tiles(*work, first, std::min(first + kTilesPerTask, work->tiles));
        --running_;
      });
    } catch (...) {
      --running_;  // else ~Run() would wait for a task that does not exist
      throw;
    }
  }
}

// Appends the bands at the head of the queue that are encoded.
Result<void> Run::append_complete() {
  while (!queue_.empty() && queue_.front()->left == 0) {
    if (failed_) return failure();
    BandJob& work = *queue_.front();
    const Band& band = *work.band;
    if (auto done = output_.append(band.level, band.row, work.encoded); !done) return done;
    if (auto done = journal_.record(band.level, band.row, output_.journal_entry()); !done) return done;
    queue_.pop_front();
  }
  return {};
}

// Helps to encode until at most `limit` bytes of bands are being encoded.
Result<void> Run::wait_for_space(uint64_t limit) {
  const auto enough = [&] { return bytes_in_flight_ <= limit && (limit > 0 || (running_ == 0 && queue_.empty())); };
  while (true) {
    if (auto done = append_complete(); !done) return done;
    if (failed_) return failure();
    if (enough()) return {};
    if (auto done = report(); !done) return done;
    pool_.wait_until([&] {
      const bool report_due = plan_.options.progress && Clock::now() - reported_ >= kReportEvery;
      return enough() || failed_ || report_due || (!queue_.empty() && queue_.front()->left == 0);
    });
  }
}

Result<void> Run::report() {
  const auto now = Clock::now();
  if (!plan_.options.progress || now - reported_ < kReportEvery) return {};
  reported_ = now;
  if (plan_.options.progress(progress())) return {};
  return files::file_error(plan_.options.output, ErrorCode::kCancelled,
                           "interrupted; " + plan_.work.string() + " can be continued with resume");
}

Result<void> Run::run() {
  if (auto done = restore(); !done) return done;
  std::deque<BandPtr> complete;
  const auto keep = [&](std::vector<BandPtr> bands) {
    for (BandPtr& band : bands) complete.push_back(std::move(band));
  };
  auto reducer = Reducer::create({.size = source_.size(),
                                  .layout = plan_.layout,
                                  .srgb = plan_.srgb,
                                  .reduction = plan_.options.reduction,
                                  .levels = static_cast<uint32_t>(plan_.grids.size()),
                                  .threads = plan_.threads},
                                 {.next_row = [&](uint32_t level) { return builders_[level].space().data; },
                                  .row_done = [&](uint32_t level) { keep(builders_[level].advance(1)); }});
  if (!reducer) return reducer.error();
  const uint32_t height = source_.size().height;
  const uint32_t step = std::max(kRowsPerStep, source_.block_rows());
  for (uint32_t y = 0; y < height;) {
    const BandBuilder::Space space = builders_[0].space();
    const uint32_t rows = std::min({space.rows, height - y, step});
    if (auto done = source_.read(rows, space.data, space.stride); !done) return done;
    if (auto done = (*reducer)->push(space.data, space.stride, rows); !done) return done;
    keep(builders_[0].advance(rows));
    y += rows;
    progress_.rows = y;
    progress_.texels = uint64_t{y} * source_.size().width;
    // The order does not depend on how the reduction alternates between levels.
    std::sort(complete.begin(), complete.end(), [](const BandPtr& a, const BandPtr& b) {
      return std::pair(a->level, a->row) < std::pair(b->level, b->row);
    });
    for (; !complete.empty(); complete.pop_front()) submit(std::move(complete.front()));
    if (auto done = wait_for_space(limit_); !done) return done;
    if (auto done = report(); !done) return done;
  }
  if (auto done = wait_for_space(0); !done) return done;
  reported_ = start_ - kReportEvery;  // the last state is always reported
  return report();
}

// Refuses to replace a directory that is no earlier output of the same kind.
Result<void> check_old(const std::filesystem::path& directory, const std::filesystem::path& witness) {
  std::error_code none;
  if (!std::filesystem::is_directory(directory, none) || std::filesystem::is_empty(directory, none)) return {};
  if (std::filesystem::exists(witness, none)) return {};
  return files::file_error(directory, ErrorCode::kIo,
                           "exists and is no earlier output, because " + witness.string() + " is missing");
}

Result<void> check_places(const TileOptions& options) {
  const std::filesystem::path& output = options.output;
  const OutputType type = output_type(output);
  if (auto fine = check_place(output, type == OutputType::kZarr); !fine) return fine;
  if (type == OutputType::kZarr) return check_old(output, output / ".zattrs");
  if (type != OutputType::kDeepZoom) return {};
  const auto tiles = output.parent_path() / (output.stem().string() + "_files");
  if (auto fine = check_place(tiles, true); !fine) return fine;
  if (options.viewer) {
    if (auto fine = check_place(output.parent_path() / (output.stem().string() + ".html"), false); !fine) return fine;
  }
  return check_old(tiles, output);
}

Result<OutputPtr> make_output(const OutputPlan& plan) {
  switch (output_type(plan.options.output)) {
    case OutputType::kDeepZoom:
      return make_deep_zoom(plan);
    case OutputType::kZarr:
      return make_zarr(plan);
    default:
      return make_tiff(plan);
  }
}

// Damaged inputs leave nothing; what a failed disk, a lack of memory or an interruption leaves can be continued. A
// damaged working directory is left to the user.
Error leave(const Error& error, const OutputPlan& plan) {
  const bool keep = error.code == ErrorCode::kIo || error.code == ErrorCode::kOutOfMemory ||
                    error.code == ErrorCode::kCancelled || error.context == plan.work.string();
  if (!keep) remove_directory(plan.work);
  return error;
}

TileReport report_of(const OutputPlan& plan) {
  TileReport report;
  for (const TileGrid& grid : plan.grids) report.sizes.push_back(grid.size);
  report.channels = plan.layout.channels;
  report.sample = sample_name(plan.layout.sample);
  report.srgb = plan.srgb;
  report.tile_size = plan.options.tile_size;
  report.outputs = {plan.options.output};
  report.warnings = plan.tags.warnings;
  if (!plan.tags.nodata.empty() && plan.options.reduction == Reduction::kMean) {
    report.warnings.push_back("GDAL_NODATA is " + plan.tags.nodata + "; texels of this value count as values");
  }
  if (plan.layout.has_alpha() && plan.options.tile_format == TileFormat::kJpeg) {
    report.warnings.emplace_back("JPEG tiles hold no alpha: colours are over black; choose png or webp to keep it");
  }
  return report;
}

// The report of a run that only completed the renames of an earlier one: no tiles, no encoding.
TileReport report_of_placed(const OutputPlan& plan) {
  TileReport report = report_of(plan);
  const std::filesystem::path& output = plan.options.output;
  if (output_type(output) == OutputType::kDeepZoom) {
    const std::string stem = output.stem().string();
    report.outputs.push_back(output.parent_path() / (stem + "_files"));
    if (plan.options.viewer) report.outputs.push_back(output.parent_path() / (stem + ".html"));
  }
  return report;
}

// A wide picture needs much memory for its rows of tiles.
Result<void> check_memory(const OutputPlan& plan, const RowSource& source) {
  uint64_t needed = source.memory_bytes();
  for (uint32_t level = 0; level < plan.grids.size(); ++level) {
    const uint64_t band = BandBuilder(level, plan.grids[level], plan.layout.pixel_bytes()).band_bytes();
    needed += level == 0 ? 3 * band : band;
  }
  // Rows and scratch memory of the reducer.
  needed += uint64_t{plan.grids[0].size.width} * plan.layout.pixel_bytes() * 150 + (uint64_t{plan.threads} << 22);
  const uint64_t most = plan.options.input.max_bytes;
  if (needed <= most) return {};
  return Error{ErrorCode::kOutOfMemory,
               text_of("rows of tiles of ", plan.options.tile_size, " texels need ", needed >> 20,
                       " MiB, more than the limit of ", most >> 20, " MiB; smaller tiles need less"),
               source.name()};
}

Result<TileReport> make_checked(const TileOptions& options) {
  if (auto fine = check_options(options); !fine) return fine.error();
  // A process that ended between its renames may have left places that check_places() refuses.
  bool placed = false;
  if (options.resume) {
    const auto moved = continue_moves(unfinished_path(options.output));
    if (!moved) return moved.error();
    placed = *moved;
  }
  if (!placed) {
    if (auto fine = check_places(options); !fine) return fine.error();
  }
  WorkerPool pool(options.threads);
  auto source = open_source(options.input, pool);
  if (!source) return source.error();
  auto plan = plan_output(options, **source);
  if (!plan) return plan.error();
  plan->threads = pool.threads();
  const OutputType type = output_type(options.output);
  if (type == OutputType::kKtx2 || type == OutputType::kExr) return make_whole(*plan, **source);
  if (placed) return report_of_placed(*plan);
  if (auto fits = check_memory(*plan, **source); !fits) return fits.error();
  auto journal = Journal::open(plan->work, identity_of(*plan), options.resume);
  if (!journal) return journal.error();
  auto output = make_output(*plan);
  if (!output) return leave(output.error(), *plan);
  TileReport report = report_of(*plan);
  report.encoding = (*output)->encoding_name();
  std::optional<Error> failure;
  {
    Run run(*plan, **source, pool, **output, **journal);
    if (auto done = run.run(); !done) failure = done.error();
    report.progress = run.progress();
  }  // no task writes to the working directory any more
  if (failure) return leave(*failure, *plan);
  auto made = (*output)->finish();
  if (!made) return leave(made.error(), *plan);
  report.outputs = std::move(*made);
  return report;
}

}  // namespace

Result<void> Output::store(const Tile& /*tile*/, std::span<const std::byte> /*bytes*/) { return {}; }
Result<void> Output::append(uint32_t /*level*/, uint32_t /*row*/, std::span<const Bytes> /*tiles*/) { return {}; }
Result<void> Output::restore(uint32_t /*level*/, uint32_t /*row*/, const std::string& /*entry*/) { return {}; }

Result<TileReport> make_tiles(const TileOptions& options) {
  try {
    return make_checked(options);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory", options.output.string()};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kIo, exception.what(), options.output.string()};
  }
}

}  // namespace onepass::tiles
