"""Long calls of the library: progress, and the reaction to Ctrl+C."""
from __future__ import annotations

import threading
from typing import Any, Callable, Tuple

from ._errors import refuse

#: Calls that move fewer bytes and report no progress run on the calling thread.
SHORT = 32 << 20


class State:
    """What a call and its callback in the library tell each other."""

    __slots__ = ("fraction", "stop")

    def __init__(self) -> None:
        self.fraction = 0.0
        self.stop = False

    def begin(self) -> None:
        """Before a call."""
        self.fraction = 0.0
        self.stop = False


def callback(state: State, kind: Any) -> Any:
    """The function of the library's type onepass_progress that belongs to a state."""

    def report(_user: Any, fraction: float) -> int:
        state.fraction = fraction
        return 0 if state.stop else 1

    return kind(report)


def check(report: Any) -> None:
    """Refuses what is no function."""
    if report is not None and not callable(report):
        raise refuse("progress", f"is of type {type(report).__name__}, expected a function")


def run(state: State, report: Any, work: Callable[..., Any], arguments: Tuple[Any, ...]) -> Any:
    """Runs `work` on a thread of its own; it calls state.begin() first.

    The calling thread lets Python handle signals and calls `report` with the fraction done, every 50 ms. If a signal
    handler or `report` raises, or `report` returns False, the work is cancelled at its next report to the library. The
    exception is raised afterwards.
    """
    check(report)
    done = threading.Event()
    results = []
    failures = []

    def target() -> None:
        try:
            results.append(work(*arguments))
        except BaseException as error:
            failures.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=target, name="onepass")
    raised = None
    stopped = False
    last = 0.0
    thread.start()
    try:
        while True:
            try:
                if done.wait(0.05):
                    break
                fraction = state.fraction
                if report is not None and not stopped and fraction > last:
                    last = fraction
                    stopped = report(fraction) is False
            except BaseException as error:
                raised = raised or error
                stopped = True
            if stopped:
                state.stop = True  # in every round: the work may have waited for its turn until now
    finally:
        while not done.is_set():  # another signal came at another place
            state.stop = True
            done.wait(0.05)
    thread.join()
    if raised is not None:
        raise raised
    if failures:
        raise failures[0]
    if report is not None and not stopped:
        report(1.0)
    return results[0]
