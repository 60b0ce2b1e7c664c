// run.cpp: the thread that reduces rows submits bands; tasks encode tiles; finished rows of tiles are appended in
// order.
#include "tiles/run.hpp"

#include <algorithm>

#include "files/writers.hpp"
#include "tiles/compress.hpp"
#include "tiles/text.hpp"

namespace onepass::tiles {
namespace {

constexpr uint32_t kRowsPerStep = 64;  // of the base, between two progress checks
constexpr uint32_t kRowsPerSkip = 1024;
constexpr size_t kTilesPerTask = 4;

}  // namespace

Run::Run(const OutputPlan& plan, WorkerPool& pool, Output& output, Journal* journal)
    : plan_(plan),
      pool_(pool),
      output_(output),
      journal_(journal),
      order_(plan.grids, plan.role == Role::kMerge ? plan_whole(plan.grids).tiles : plan.rows.tiles),
      start_(Clock::now()),
      reported_(start_ - kReportEvery) {
  for (uint32_t level = 0; level < plan_.grids.size(); ++level) {
    std::optional<BandBuilder>& builder = builders_.emplace_back();
    if (plan_.rows.tiles[level].count() == 0) continue;
    builder.emplace(level, plan_.grids[level], plan_.header.layout.pixel_bytes(), plan_.rows.tiles[level],
                    plan_.rows.texels[level]);
    // Enough to keep all threads busy while the next band fills.
    if (limit_ == 0) limit_ = builder->band_bytes() + builder->band_bytes() / 2;
  }
  progress_.height = plan_.rows.texels[plan_.rows.first_level].count();
}

Run::~Run() {
  if (plan_.site) plan_.site->set_poll({});
  failed_ = true;  // after a failure the tasks that still wait encode nothing
  pool_.wait_until([&] { return running_ == 0; });
}

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

// Finds which rows of tiles of an interrupted run are intact. A file that is appended to continues behind the first row
// of its order that is not.
Result<void> Run::restore() {
  if (journal_ == nullptr) return {};
  std::vector<TileOrder::Place> places;
  if (output_.ordered()) {
    for (TileOrder order = order_; !order.is_empty(); order.pop()) {
      if (is_complete(order.front())) places.push_back(order.front());
    }
  } else {
    for (const auto& [place, entry] : journal_->complete()) {
      const TileOrder::Place found{place.first, place.second};
      if (found.level < plan_.grids.size() && found.row < plan_.grids[found.level].rows()) places.push_back(found);
    }
  }
  std::vector<Result<bool>> intact(places.size(), false);
  pool_.run(places.size(), [&](size_t i) {
    const auto [level, row] = places[i];
    intact[i] = output_.is_intact(level, row, plan_.part, journal_->complete().at({level, row}));
  });
  bool follows = true;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!intact[i]) return intact[i].error();
    const auto [level, row] = places[i];
    const bool kept = *intact[i] && follows && output_.restore(level, row, journal_->complete().at({level, row}));
    if (output_.ordered()) follows = kept;
    if (!kept) journal_->forget(level, row);
    if (kept) progress_.tiles_kept += uint64_t{plan_.grids[level].columns()} * output_.planes();
  }
  return {};
}

// Adds a row of tiles to the journal. A task syncs groups of rows beside the others.
void Run::record(const Band& band, const std::string& entry, uint64_t bytes) {
  if (journal_ == nullptr || !journal_->add(band.level, band.row, entry, bytes)) return;
  ++running_;
  try {
    pool_.submit([this] {
      const Result<void> done =
          files::guarded(plan_.options.output, [&] { return journal_->flush([&] { return output_.sync(); }); });
      if (!done) fail(done.error());
      --running_;
    });
  } catch (...) {
    --running_;
    throw;
  }
}

Result<void> Run::encode_tile(BandJob& work, size_t number) {
  const Band& band = *work.band;
  const uint32_t columns = plan_.grids[band.level].columns();
  const auto column = static_cast<uint32_t>(number % columns);
  const Rect rect = plan_.grids[band.level].tile(column, band.row);
  const Tile tile{.level = band.level,
                  .column = column,
                  .row = band.row,
                  .plane = static_cast<uint32_t>(number / columns),
                  .pixels = {band.at(rect.y) + rect.x * plan_.header.layout.pixel_bytes(),
                             band.stride,
                             {rect.width, rect.height},
                             plan_.header.layout}};
  Bytes bytes = output_.encode(tile);
  bytes_ += bytes.size();
  ++tiles_;
  if (output_.ordered()) {
    work.encoded[number] = std::move(bytes);
    return {};
  }
  work.records[number] = {bytes.size(), crc32_of(0, bytes)};
  return output_.store(tile, bytes);
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
    const Result<void> recorded = files::guarded(plan_.options.output, [&]() -> Result<void> {
      uint64_t bytes = 0;
      for (const TileRecord& record : work.records) bytes += record.bytes;
      record(*work.band, entry_of(work.records), bytes);
      return {};
    });
    if (!recorded) fail(recorded.error());
  }
  work.band->pixels.reset();
  bytes_in_flight_ -= work.band->bytes();
}

void Run::submit(BandPtr band) {
  const TileOrder::Place place{band->level, band->row};
  if (is_complete(place)) return;
  auto work = std::make_shared<BandJob>();
  work->tiles = size_t{plan_.grids[band->level].columns()} * output_.planes();
  work->left = work->tiles;
  if (output_.ordered()) {
    work->encoded.resize(work->tiles);
    encoding_[place] = work;
  } else {
    work->records.resize(work->tiles);
  }
  bytes_in_flight_ += band->bytes();
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

// Whether an interrupted run has made this row of tiles.
bool Run::is_complete(TileOrder::Place place) const {
  return journal_ != nullptr && journal_->complete().contains({place.level, place.row});
}

bool Run::is_next_encoded() const {
  if (order_.is_empty()) return false;
  const auto found = encoding_.find(order_.front());
  return found != encoding_.end() && found->second->left == 0;
}

// Appends rows of tiles in order, until one is not encoded yet.
Result<void> Run::append_complete() {
  for (; output_.ordered() && !order_.is_empty(); order_.pop()) {
    const TileOrder::Place place = order_.front();
    if (is_complete(place)) continue;
    if (!plan_.rows.tiles[place.level].contains(place.row)) {
      if (auto done = join_(place); !done) return done;
      continue;
    }
    const auto found = encoding_.find(place);
    if (found == encoding_.end() || found->second->left != 0) break;
    if (failed_) return failure();
    const BandJob& work = *found->second;
    if (auto done = output_.append(place.level, place.row, work.encoded); !done) return done;
    uint64_t bytes = 0;
    for (const Bytes& tile : work.encoded) bytes += tile.size();
    record(*work.band, output_.journal_entry(), bytes);
    encoding_.erase(found);
  }
  return {};
}

// Helps to encode until at most `limit` bytes of bands are being encoded.
Result<void> Run::wait_for_space(uint64_t limit) {
  const auto enough = [&] { return bytes_in_flight_ <= limit && (limit > 0 || (running_ == 0 && encoding_.empty())); };
  while (true) {
    if (auto done = append_complete(); !done) return done;
    if (failed_) return failure();
    if (enough()) return {};
    if (auto done = report(); !done) return done;
    pool_.wait_until([&] {
      const bool report_due = plan_.options.progress && Clock::now() - reported_ >= kReportEvery;
      return enough() || failed_ || report_due || is_next_encoded();
    });
  }
}

Result<void> Run::report() {
  const auto now = Clock::now();
  if (!plan_.options.progress || now - reported_ < kReportEvery) return {};
  reported_ = now;
  if (plan_.options.progress(progress())) return {};
  return files::file_error(plan_.options.output, ErrorCode::kCancelled,
                           plan_.role == Role::kShard ? "interrupted; run the shard again"
                           : plan_.role == Role::kMerge
                               ? "interrupted; run the merge again"
                               : "interrupted; " + plan_.work.string() + " can be continued with resume");
}

Result<std::unique_ptr<Reducer>> Run::make_reducer(const KeepRow& keep) {
  const RowPlan& rows = plan_.rows;
  ReducerOptions options{.size = plan_.grids[0].size,
                         .layout = plan_.header.layout,
                         .srgb = plan_.srgb,
                         .reduction = plan_.options.reduction,
                         .levels = static_cast<uint32_t>(plan_.grids.size()),
                         .threads = plan_.threads,
                         .first_level = rows.first_level,
                         .last_level = rows.last_level,
                         .nodata = plan_.nodata,
                         .rows = rows.texels[rows.first_level]};
  Reducer::Sink sink{.next_row = [this](uint32_t level) { return builders_[level]->space().data; },
                     .row_done = [this](uint32_t level) { keep_bands(builders_[level]->advance(1)); }};
  if (keep) {
    sink.keep_row = [&rows, &keep, y = rows.texels[rows.last_level].begin](std::span<const std::byte> row) mutable {
      return rows.kept.contains(y++) ? keep(row) : Result<void>();
    };
  }
  return Reducer::create(options, std::move(sink));
}

void Run::keep_bands(std::vector<BandPtr> bands) {
  for (BandPtr& band : bands) complete_.push_back(std::move(band));
}

// Encodes the bands that `rows` more rows have completed.
Result<void> Run::step(uint32_t rows) {
  progress_.rows += rows;
  progress_.texels = uint64_t{progress_.rows} * plan_.grids[plan_.rows.first_level].size.width;
  for (; !complete_.empty(); complete_.pop_front()) submit(std::move(complete_.front()));
  if (auto done = wait_for_space(limit_); !done) return done;
  return report();
}

Result<void> Run::end() {
  if (auto done = wait_for_space(0); !done) return done;
  reported_ = start_ - kReportEvery;  // the last state is always reported
  return report();
}

// Passes over the rows before those of a shard.
Result<void> Run::skip(RowSource& source) {
  for (uint32_t left = plan_.rows.texels[0].begin; left > 0;) {
    const uint32_t rows = std::min(left, kRowsPerSkip);
    if (auto done = source.skip(rows); !done) return done;
    if (auto done = report(); !done) return done;
    left -= rows;
  }
  return {};
}

Result<void> Run::from_base(RowSource& source, const KeepRow& keep) {
  if (plan_.site) plan_.site->set_poll([this] { return report(); });
  if (auto done = restore(); !done) return done;
  if (plan_.rows.is_empty()) return end();
  auto reducer = make_reducer(keep);
  if (!reducer) return reducer.error();
  if (auto done = skip(source); !done) return done;
  const uint32_t most = std::max(kRowsPerStep, source.block_rows());
  const RowRange texels = plan_.rows.texels[0];
  for (uint32_t y = texels.begin; y < texels.end;) {
    const BandBuilder::Space space = builders_[0]->space();
    const uint32_t rows = std::min({space.rows, texels.end - y, most});
    if (auto done = source.read(rows, space.data, space.stride); !done) return done;
    if (auto done = (*reducer)->push(space.data, space.stride, rows); !done) return done;
    keep_bands(builders_[0]->advance(rows));
    y += rows;
    if (auto done = step(rows); !done) return done;
  }
  return end();
}

Result<void> Run::from_kept(const ReadRow& read_row, const Join& join) {
  join_ = join;
  if (plan_.rows.first_level == plan_.rows.last_level) return end();  // the shards have made all levels
  auto reducer = make_reducer({});
  if (!reducer) return reducer.error();
  const size_t bytes = (*reducer)->unrounded_row_bytes();
  const size_t stride = (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
  const RowRange texels = plan_.rows.texels[plan_.rows.first_level];
  Bytes buffer(stride * kRowsPerStep);
  for (uint32_t y = texels.begin; y < texels.end;) {
    const uint32_t rows = std::min(texels.end - y, kRowsPerStep);
    for (uint32_t i = 0; i < rows; ++i) {
      if (auto done = read_row(std::span(buffer).subspan(i * stride, bytes)); !done) return done;
    }
    if (auto done = (*reducer)->push(buffer.data(), stride, rows); !done) return done;
    y += rows;
    if (auto done = step(rows); !done) return done;
  }
  return end();
}

}  // namespace onepass::tiles
