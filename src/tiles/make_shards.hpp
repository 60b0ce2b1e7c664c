// make_shards.hpp: runs that make a part of a pyramid, and the run that joins the parts.
#pragma once

#include "tiles/output.hpp"
#include "tiles/row_source.hpp"
#include "tiles/worker_pool.hpp"

namespace onepass::tiles {

/// Makes the shard that the options name. Errors: those of make_tiles().
Result<TileReport> make_shard(OutputPlan plan, RowSource& source, WorkerPool& pool);

/// Makes the coarse levels and the files of all. Errors: kNotFound for shards that are missing or not complete.
Result<TileReport> make_merge(OutputPlan plan, RowSource& source, WorkerPool& pool);

// Of make_tiles.cpp:

/// The part of a report that is known before the run.
TileReport report_of(const OutputPlan& plan);

/// A wide picture needs much memory for its rows of tiles. Errors: kOutOfMemory.
Result<void> check_run_memory(const OutputPlan& plan, const RowSource& source);

}  // namespace onepass::tiles
