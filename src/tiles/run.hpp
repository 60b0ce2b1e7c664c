// run.hpp: the run: rows from the source, through the reduction, into bands; bands to the encoders; tiles to the
// output.
//
//     file --files::open_rows() (src/files/read.cpp), which picks a reader by the first bytes--> row reader
//          --TiffRowReader::read() (src/files/tiff_rows.cpp) and its like--> FileRows::read() (source_file.cpp)
//          --picture_rows.cpp: upright, in sRGB or linear--> source, which open_source() (row_source.cpp) returns
//
//     source --Run::from_base()--> band of level 0 --Reducer::push()--> bands of levels 1, 2, ...
//                            |                                        |
//                            +--- BandBuilder::advance(): complete ---+
//                                             |  Run::submit()
//                    Run::encode_tile(): Output::encode(), by all threads of the pool
//                                             |
//              Output::store() as files, or Output::append() in the order of TileOrder
//
// The owner of the pool reads, reduces and appends; when too many bytes of bands are being encoded, it encodes, too.
// In a shard the rows of the coarsest level that it makes also go to a file. A merge reads these rows instead of a
// source; its order contains the rows of tiles that the shards have appended, too.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "tiles/journal.hpp"
#include "tiles/output.hpp"
#include "tiles/reducer.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {

class Run {
 public:
  /// `journal`: of the rows of tiles that this run makes; null in a merge.
  Run(const OutputPlan& plan, WorkerPool& pool, Output& output, Journal* journal);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Makes the rows of the plan from the base. `keep` receives those that are kept unrounded; it may be empty.
  using KeepRow = std::function<Result<void>(std::span<const std::byte> row)>;
  Result<void> from_base(RowSource& source, const KeepRow& keep);

  /// The same from the rows that shards have kept. `read_row` reads the next one; `join` passes a row of tiles of a
  /// shard to the output.
  using ReadRow = std::function<Result<void>(std::span<std::byte> row)>;
  using Join = std::function<Result<void>(TileOrder::Place place)>;
  Result<void> from_kept(const ReadRow& read_row, const Join& join);

  [[nodiscard]] TileProgress progress() const;

 private:
  using Clock = std::chrono::steady_clock;

  // A band whose tiles are being encoded.
  struct BandJob {
    BandPtr band;
    size_t tiles = 0;
    std::vector<Bytes> encoded;       // for outputs that append
    std::vector<TileRecord> records;  // for others
    std::atomic<size_t> left{0};
  };

  Result<void> restore();
  void record(const Band& band, const std::string& entry, uint64_t bytes);
  Result<std::unique_ptr<Reducer>> make_reducer(const KeepRow& keep);
  Result<void> skip(RowSource& source);
  void keep_bands(std::vector<BandPtr> bands);
  Result<void> step(uint32_t rows);
  Result<void> end();
  void submit(BandPtr band);
  void encode_tiles(BandJob& work, size_t first, size_t end);
  Result<void> encode_tile(BandJob& work, size_t number);
  [[nodiscard]] bool is_complete(TileOrder::Place place) const;
  [[nodiscard]] bool is_next_encoded() const;
  Result<void> append_complete();
  Result<void> wait_for_space(uint64_t limit);
  Result<void> report();
  Result<void> failure();
  void fail(const Error& error);

  const OutputPlan& plan_;
  WorkerPool& pool_;
  Output& output_;
  Journal* journal_;
  Join join_;
  std::vector<std::optional<BandBuilder>> builders_;  // by level, for those whose tiles this run makes
  std::deque<BandPtr> complete_;                      // bands that wait for submit()
  uint64_t limit_ = 0;
  std::atomic<uint64_t> bytes_in_flight_{0};
  std::atomic<size_t> running_{0};  // tasks
  // For outputs that append: the rows of tiles that are still to be appended, and those of them that are being encoded.
  TileOrder order_;
  std::map<TileOrder::Place, std::shared_ptr<BandJob>> encoding_;
  std::mutex mutex_;
  std::optional<Error> failure_;
  std::atomic<bool> failed_{false};
  TileProgress progress_;
  std::atomic<uint64_t> tiles_{0}, bytes_{0};
  Clock::time_point start_;
  Clock::time_point reported_;
};

}  // namespace onepass::tiles
