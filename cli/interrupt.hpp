// interrupt.hpp: signal handling, so that an interrupted program leaves no unfinished files.
#pragma once

#include "onepass/files.hpp"

namespace onepass::cli {

/// Makes SIGINT, SIGQUIT, SIGTERM, SIGHUP and SIGXCPU delete unfinished files and end the process with status 128 +
/// signal number. A broken pipe and reaching the limit of file sizes become ordinary write errors.
void handle_signals();

/// Tells the signal handler whether a progress bar is on the terminal; the handler erases it.
void set_bar_visible(bool visible);

/// Calls set.commit(). A signal that arrives meanwhile ends the program only when all files are in place, or none.
/// Threads: any number of calls at once; a signal waits for those that are renaming files.
Result<void> commit_files(files::FileSet& set);

}  // namespace onepass::cli
