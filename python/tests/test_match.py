"""Template matching against SciPy's correlations in double."""
import numpy as np
import pytest

import onepass

scipy_signal = pytest.importorskip("scipy.signal")


def scores_of(image, templates, score):
    """The definition, with zeros, or the mean, beyond the edges."""
    image = image.astype(float)
    result = []
    for template in templates.astype(float):
        if score != "product":
            image = image - image.mean()
            template = template - template.mean()
            template /= np.linalg.norm(template)
        one = scipy_signal.correlate(image, template, "same", method="direct")
        if score == "coefficient":
            ones = np.ones(template.shape)
            total = scipy_signal.correlate(image, ones, "same", method="direct")
            squares = scipy_signal.correlate(image**2, ones, "same", method="direct")
            one /= np.sqrt(squares - total**2 / template.size)
        result.append(one)
    return np.array(result)


@pytest.mark.parametrize("score", ["product", "unit", "coefficient"])
@pytest.mark.parametrize(
    "shape, small", [((40, 33), (7, 5)), ((33, 40), (6, 8)), ((12, 9), (12, 9)), ((1, 50), (1, 9))]
)
def test_statistics_are_those_of_all_scores(rng, score, shape, small):
    image = rng.random(shape, np.float32)
    templates = rng.random((9, *small), np.float32) - 0.3
    found = onepass.match_templates(image, templates.astype(np.float32), score=score)
    scores = scores_of(image, templates, score)
    near = dict(rtol=0, atol=2e-5 * np.abs(scores).max())
    assert np.allclose(found.maximum, scores.max(axis=0), **near)
    assert np.allclose(found.mean, scores.mean(axis=0), **near)
    assert np.allclose(found.deviation, scores.std(axis=0), **near)
    assert np.allclose(np.take_along_axis(scores, found.template[None].astype(int), 0)[0], scores.max(axis=0), **near)
    assert found.maximum.dtype == found.mean.dtype == found.deviation.dtype == np.float32
    assert found.template.dtype == np.uint32


def test_iterables_and_arrays_give_the_same_bits(rng):
    image = rng.random((90, 70), np.float32)
    templates = rng.random((150, 8, 11), np.float32)
    whole = onepass.match_templates(image, templates)
    for other in (
        (template for template in templates),
        list(templates),
        templates.astype(float),
        templates[..., np.newaxis],
        np.repeat(templates, 2, axis=2)[:, :, ::2],
    ):
        for name, a, b in zip(whole._fields, whole, onepass.match_templates(image, other)):
            assert np.array_equal(a, b), name
    for threads in (1, 2):
        assert np.array_equal(onepass.match_templates(image, templates, threads=threads).maximum, whole.maximum)


def test_one_template_and_its_origin(rng):
    image = rng.random((30, 41), np.float32)
    template = image[4:13, 20:33].copy()
    found = onepass.match_templates(image, template)
    assert np.unravel_index(found.maximum.argmax(), image.shape) == (4 + 4, 20 + 6)
    found = onepass.match_templates(image, template, origin=(0, 12))
    assert np.unravel_index(found.maximum.argmax(), image.shape) == (4, 20 + 12)
    assert found.maximum.max() == pytest.approx(1, abs=1e-5)
    assert not found.deviation.any() and not found.template.any()
    assert np.array_equal(found.mean, found.maximum)


def test_integers_and_colours(rng):
    image = rng.integers(0, 255, (40, 50, 3), np.uint8)
    templates = rng.integers(0, 255, (3, 6, 7, 3), np.uint8)
    weights = np.array([0.2126, 0.7152, 0.0722])
    for score in ("product", "coefficient"):
        found = onepass.match_templates(image, templates, score=score)
        grey = onepass.match_templates(image @ weights, templates @ weights, score=score)
        assert np.allclose(found.maximum, grey.maximum, rtol=1e-5, atol=1e-5 * np.abs(grey.maximum).max())
        assert np.array_equal(found.template, grey.template)


def test_progress_and_cancellation(rng):
    image = rng.random((300, 300), np.float32)
    templates = np.tile(rng.random((400, 9, 9), np.float32), (8, 1, 1))  # some seconds
    for given in (templates, list(templates)):
        seen = []
        onepass.match_templates(image, given, progress=seen.append)
        assert seen == sorted(seen) and seen[-1] == 1 and seen[0] > 0
        with pytest.raises(onepass.CancelledError):
            onepass.match_templates(image, given, progress=lambda fraction: False)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda a, t: onepass.match_templates(a[0], t), "image"),
        (lambda a, t: onepass.match_templates(np.zeros((2, 9, 9, 1)), t), "image"),
        (lambda a, t: onepass.match_templates(a, t[0, 0]), "templates"),
        (lambda a, t: onepass.match_templates(a, np.zeros((3, 20, 4))), "template_size: 4x20"),
        (lambda a, t: onepass.match_templates(a, np.zeros((0, 4, 4))), "templates"),
        (lambda a, t: onepass.match_templates(a, []), "templates"),
        (lambda a, t: onepass.match_templates(a, iter(())), "templates"),
        (lambda a, t: onepass.match_templates(a, 3), "templates"),
        (lambda a, t: onepass.match_templates(a, [t[0], t[0, :3]]), r"templates\[1\]"),
        (lambda a, t: onepass.match_templates(a, [t[0], t[0, 0]]), r"templates\[1\]"),
        (lambda a, t: onepass.match_templates(a, t, score="ncc"), "score"),
        (lambda a, t: onepass.match_templates(a, t, origin=4), "origin"),
        (lambda a, t: onepass.match_templates(a, t, origin=(0, 4)), "origin: 4,0"),
        (lambda a, t: onepass.match_templates(a, t, threads=-1), "threads"),
        (lambda a, t: onepass.match_templates(a, t, progress=3), "progress"),
        (lambda a, t: onepass.match_templates(a, iter(t), progress=print), "progress"),
        (lambda a, t: onepass.match_templates(a * np.nan, t), r"texel \(0, 0\)"),
        (lambda a, t: onepass.match_templates(a, [t[0]] * 70 + [t[1] * np.inf]), r"template 70: texel \(0, 0\)"),
    ],
)
def test_errors_name_the_argument(rng, call, words):
    with pytest.raises(ValueError, match=words):
        call(rng.random((16, 17), np.float32), rng.random((3, 4, 4), np.float32))
