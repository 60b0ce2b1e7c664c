"""Engines of the last calls of functions, so that a call with the same shape and options creates nothing."""
from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any, Callable, Dict, Hashable, List, Tuple

from ._errors import refuse

_LIMIT = 8

_lock = threading.Lock()
_idle: "OrderedDict[Hashable, List[Any]]" = OrderedDict()
_count = 0


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


def call_options(engine: str, threads: Any) -> Dict[str, Any]:
    """The options `engine` and `threads` of the extension module."""
    if not isinstance(engine, str):
        raise refuse("engine", f"is {engine!r}, expected a string")
    return {"engine": "cpu" if engine == "auto" else engine, "threads": threads}


def options_key(options: Dict[str, Any]) -> Tuple[Any, ...]:
    """A hashable key of a dictionary of options."""
    return tuple(options.items())


if hasattr(os, "register_at_fork"):
    # Threads of the engines do not survive a fork.
    os.register_at_fork(after_in_child=clear_cache)
