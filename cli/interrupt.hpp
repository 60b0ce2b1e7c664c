// interrupt.hpp: an interrupted run leaves nothing half done.
#pragma once

#include "onepass/files.hpp"

namespace onepass::cli {

/// Makes SIGINT, SIGTERM, SIGHUP and SIGPIPE delete unfinished files and end the process with 128 + the signal's
/// number. A file size limit becomes an ordinary write error.
void handle_signals();

/// Whether a progress bar is on the screen, which an interrupt then wipes.
void set_bar_visible(bool visible);

/// files::FileSet::commit(); a signal that would end the program waits until all files are in place, or none.
Result<void> commit_files(files::FileSet& set);

}  // namespace onepass::cli
