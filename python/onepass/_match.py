"""The search for templates in an image."""
from __future__ import annotations

import itertools
from ctypes import byref
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _arrays, _c, _options
from ._engines import Engine
from ._errors import make_error, refuse
from ._layout import Layout, Pixels
from ._library import lib, sized
from ._types import Array, ArrayLike, FloatArray, MatchScore, Progress


class Match(NamedTuple):
    """Statistics of the scores of all templates, arrays of the shape (H, W) of the image."""

    #: float32: the largest score.
    maximum: FloatArray
    #: uint32: the template that reached it first, counted from 0.
    template: Array
    #: float32: the mean of the scores of all templates.
    mean: FloatArray
    #: float32: their standard deviation.
    deviation: FloatArray


def _values(value: Any, name: str) -> Array:
    """float16 or float32; integers become float32 with their values."""
    a = _arrays.as_array(value, name)
    if a.size == 0:
        raise refuse(name, f"is empty: its shape is {a.shape}")
    return _arrays.typed(a, name, "ef", "iub")


def _is_array(value: Any) -> bool:
    return any(hasattr(value, name) for name in ("__array__", "__array_interface__", "__dlpack__"))


class _TemplateMatcher(Engine):
    PREFIX, OPTIONS = "template_matcher", _c.onepass_match_options

    def __init__(self, image: Array, shape: Sequence[int], char: str, values: Any) -> None:
        """`shape`: (h, w, C) of one template."""
        super().__init__(values)
        o = self.o
        layout = Layout.of(image.shape, image.dtype.char, "image")
        self._shape, self._char = tuple(shape), char
        o.size, o.image = layout.size, layout.format("image", padded=True)
        one = self._layout(1)
        o.template_size, o.templates = one.size, one.format("templates", padded=True)
        plan = sized(_c.onepass_match_plan)
        self.check(lib.onepass_plan_match(byref(o), byref(plan), self.error_ref))
        self.together = plan.together
        self._traffic = plan.bytes_read + plan.bytes_written
        self._image = Pixels(layout, o.image, "image", False).takes("linear")
        self.create()
        self.run(None, self._set, image)

    def _layout(self, count: int) -> Layout:
        return Layout.of((count, *self._shape), self._char, "templates")

    def _set(self, image: Array) -> int:
        self._image.read(image)
        self.check(lib.onepass_cpu_template_matcher_set_image(self.handle, self._image.ref, self.error_ref))
        return 0

    def add(self, templates: Array, progress: Any) -> None:
        """Adds templates (N, h, w, C)."""
        self.bytes = self._traffic * len(templates)
        self.run(progress, self._add, templates)

    def _add(self, templates: Array) -> int:
        pixels = Pixels(self._layout(len(templates)), self.o.templates, "templates", False).takes("linear")
        pixels.read(templates)
        self.check(lib.onepass_cpu_template_matcher_add(self.handle, pixels.ref, self.error_ref))
        return 0

    def write(self, image: Array) -> Match:
        """The statistics of the templates so far."""
        shape = image.shape[:2]
        made = Match(*(np.empty(shape, "I" if name == "template" else "f") for name in Match._fields))
        references = []
        for name, a in zip(Match._fields, made):
            layout = Layout.of(shape, a.dtype.char, name)
            format_ = layout.format(name, "labels" if name == "template" else "linear")
            pixels = Pixels(layout, format_, name, True)
            pixels.write(a)
            references.append(pixels)
        views = [pixels.ref for pixels in references]
        self.check(lib.onepass_cpu_template_matcher_write(self.handle, *views, self.error_ref))
        return made


class _Part:
    """Progress of a group of templates as a part of all."""

    def __init__(self, progress: Progress, done: int, count: int, total: int) -> None:
        self._progress, self._done, self._count, self._total = progress, done, count, total
        self.cancelled = False

    def __call__(self, fraction: float) -> bool:
        self.cancelled = self._progress((self._done + fraction * self._count) / self._total) is False
        return not self.cancelled


def _stacked(templates: Array) -> Array:
    """(N, h, w, C) of one template (h, w), or of templates (N, h, w) or (N, h, w, C)."""
    if templates.ndim == 2:
        templates = templates[np.newaxis]
    if templates.ndim == 3:
        templates = templates[..., np.newaxis]
    if templates.ndim != 4:
        raise refuse("templates", f"has {templates.ndim} dimensions; templates are (h, w), (N, h, w) or (N, h, w, C)")
    return _arrays.readable(templates)


def _one(template: Any, number: int) -> Array:
    """(h, w, C) of a template of a sequence."""
    name = f"templates[{number}]"
    a = _values(template, name)
    if a.ndim not in (2, 3):
        raise refuse(name, f"has {a.ndim} dimensions; a template is (h, w) or (h, w, C)")
    return a[..., np.newaxis] if a.ndim == 2 else a


def _groups(first: Array, rest: Iterator[Any], together: int) -> Iterator[Array]:
    """Templates (h, w, C) as arrays (N, h, w, C), of which there is one at a time."""
    held: Array = np.empty((together, *first.shape), np.float32)
    count = 0
    for number, template in enumerate(itertools.chain([first], rest)):
        a = _one(template, number)
        if a.shape != first.shape:
            raise refuse(f"templates[{number}]", f"has shape {a.shape}, expected {first.shape}")
        held[count] = a
        count += 1
        if count == together:
            yield held
            count = 0
    if count > 0:
        yield held[:count]


def match_templates(
    image: ArrayLike,
    templates: Union[ArrayLike, Iterable[ArrayLike]],
    *,
    score: MatchScore = "coefficient",
    origin: Optional[Sequence[int]] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Match:
    """Correlates an image with many templates of one size and returns, per texel, statistics of all their scores.

    Edges are no neighbours of the opposite edges. The scores themselves are never stored: an iterable of templates,
    such as a generator of rotations, can be of any length.

    Args:
        image: (H, W) or (H, W, C); of colours the luminance is searched. Integers are taken with their values.
        templates: an array (h, w), (N, h, w) or (N, h, w, C), or an iterable of arrays (h, w) or (h, w, C); at most as
            large as the image.
        score: "coefficient" (normalised cross-correlation: Pearson's coefficient of the template and the image under
            it, -1 to 1), "unit" (the template less its mean, divided by its norm) or "product" (the plain sum).
        origin: the template's texel (row, column) that lies on the texel of a score; None: (h // 2, w // 2).
        threads: the most threads; None: all processors that the process may use.
        progress: called with the fraction done, 0 to 1, several times a second; False cancels the call. Needs an array
            or a sequence, whose length is known.

    Returns:
        Match(maximum, template, mean, deviation), arrays (H, W). (maximum - mean) / deviation is the z-score of the best
        template.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. DataError (a ValueError): NaN. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> rng = np.random.default_rng(1)
    >>> templates = rng.random((10, 9, 9), np.float32)
    >>> image = rng.random((100, 120), np.float32)
    >>> image[40:49, 70:79] += 2 * templates[7]
    >>> found = onepass.match_templates(image, templates)
    >>> y, x = (int(i) for i in np.unravel_index(found.maximum.argmax(), image.shape))
    >>> (x, y), int(found.template[y, x])
    ((74, 44), 7)
    """
    searched = _arrays.readable(_values(image, "image"))
    if searched.ndim not in (2, 3):
        raise refuse("image", f"has {searched.ndim} dimensions; an image is (H, W) or (H, W, C)")
    options = _options.call("auto", threads, score=score)
    if origin is not None:
        y, x = _options.indices(origin, "origin", 2, "two integers (row, column)")
        options.update(has_origin=1, origin=_c.onepass_offset(x, y))
    if _is_array(templates):
        stack = _stacked(_values(templates, "templates"))
        matcher = _TemplateMatcher(searched, stack.shape[1:], stack.dtype.char, options)
        matcher.add(stack, progress)
        return matcher.write(searched)
    try:
        rest = iter(templates)  # type: ignore[arg-type]
    except TypeError:
        raise refuse(
            "templates", f"is a {type(templates).__name__}, expected an array or an iterable of arrays"
        ) from None
    total = len(templates) if hasattr(templates, "__len__") else 0  # type: ignore[arg-type]
    if progress is not None and total == 0:
        raise refuse("progress", "needs templates whose number is known")
    first = next(rest, None)
    if first is None:
        raise refuse("templates", "is empty")
    first = _one(first, 0)
    matcher = _TemplateMatcher(searched, first.shape, "f", options)
    done = 0
    for group in _groups(first, rest, matcher.together):
        report = None if progress is None else _Part(progress, done, len(group), total)
        matcher.add(group, report)
        if report is not None and report.cancelled:  # by the last report of the group, which nothing else looks at
            raise make_error("cancelled", f"cancelled after {done + len(group)} templates")
        done += len(group)
    return matcher.write(searched)
