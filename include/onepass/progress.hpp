// progress.hpp: the callback by which long calls report progress and are cancelled.
#pragma once

#include <functional>

namespace onepass {

/// Receives the fraction of a call's work that is done, 0 to 1 and never less than before; returns false to cancel the
/// call, which then fails with ErrorCode::kCancelled. It is called about ten times a second, on a thread of the
/// library's choice, by one thread at a time, and at the end with 1 if the call took long enough for an earlier report.
/// It must not call the object whose work it watches. Empty: no reports.
using Progress = std::function<bool(double fraction)>;

}  // namespace onepass
