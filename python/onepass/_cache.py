"""Engines: those of the last calls of functions, so that a call with the same shape and options creates nothing, and
those of objects. A child of os.fork() makes its own: an engine of the parent can be in the middle of a call of another
thread, and its locks are then never released."""
from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any, Callable, Hashable, List

_LIMIT = 8

_lock = threading.Lock()
_idle: "OrderedDict[Hashable, List[Any]]" = OrderedDict()
_count = 0
_of_parent: List[Any] = []  # never freed, because that could wait for a lock


def take(key: Hashable, create: Callable[[], Any]) -> Any:
    """An engine that no other call uses."""
    global _count
    try:
        hash(key)
    except TypeError:  # an option of a wrong type, which create() refuses by name
        return create()
    with _lock:
        engines = _idle.get(key)
        if engines:
            _count -= 1
            engine = engines.pop()
            if not engines:
                del _idle[key]
            return engine
    return create()


def give(key: Hashable, engine: Any) -> None:
    """Keeps an engine for the next call; the least recently used one is dropped when there are too many."""
    global _count
    dropped: List[Any] = []
    try:
        hash(key)
    except TypeError:
        return
    with _lock:
        _idle.setdefault(key, []).append(engine)
        _idle.move_to_end(key)
        _count += 1
        while _count > _LIMIT:
            oldest = next(iter(_idle))
            dropped.append(_idle[oldest].pop(0))
            if not _idle[oldest]:
                del _idle[oldest]
            _count -= 1


def clear_cache() -> None:
    """Frees the tables and working memory that functions keep for later calls with the same shapes and options.

    Functions keep up to eight such engines. Objects such as Pyramid are not affected.

    >>> import onepass
    >>> onepass.clear_cache()
    """
    global _count
    with _lock:
        dropped = list(_idle.values())
        _idle.clear()
        _count = 0
    del dropped


def keep(engine: Any) -> None:
    """Never frees an engine of the parent process."""
    _of_parent.append(engine)


class Own:
    """The engine of an object."""

    __slots__ = ("_make", "_engine", "_pid")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._engine = make()
        self._pid = os.getpid()

    def get(self) -> Any:
        """The engine of this process."""
        if self._pid != os.getpid():
            keep(self._engine)
            self._engine = self._make()
            self._pid = os.getpid()
        return self._engine


def _forget() -> None:
    global _count, _lock
    _lock = threading.Lock()  # another thread of the parent may have held it
    _of_parent.append(list(_idle.values()))
    _idle.clear()
    _count = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
