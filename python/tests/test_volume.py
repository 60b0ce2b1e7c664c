"""Volumes against NumPy: levels by their definition, memory maps, planes one after the other, errors."""
import itertools
import os
import threading
import tracemalloc

import numpy as np
import onepass
import pytest

RNG = np.random.default_rng(5)
INTEGERS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64"]
STEPS = [(2, 2, 2), (1, 2, 2), (2, 1, 2)]


def volume(shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return RNG.integers(-1000, 1000, shape).astype(dtype)
    if dtype.kind == "b":
        return RNG.integers(0, 2, shape).astype(bool)
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max, shape, dtype, endpoint=True)


def cells(a, cell):
    """An iterator of the cells of `a` in the order of the level's voxels."""
    ranges = [range(0, extent, side) for extent, side in zip(a.shape[:3], cell)]
    for z, y, x in itertools.product(*ranges):
        yield a[z : z + cell[0], y : y + cell[1], x : x + cell[2]].reshape(-1, *a.shape[3:])


def expected(a, finer, n, reduction, steps):
    cell = np.prod(steps[:n], axis=0) if reduction != "mode" else steps[n - 1]
    source = a if reduction != "mode" else finer
    shape = [-(-extent // side) for extent, side in zip(source.shape[:3], cell)] + list(a.shape[3:])
    values = []
    for voxels in cells(source, cell):
        if reduction == "mean":
            exact = voxels.astype(np.float64).mean(axis=0)
            values.append(np.rint(exact) if a.dtype.kind in "iu" else exact)
        elif reduction == "mode":
            labels, counts = np.unique(voxels, return_counts=True)
            values.append(labels[np.argmax(counts)])
        else:
            values.append(getattr(voxels, reduction)(axis=0))
    return np.array(values).reshape(shape).astype(a.dtype)


@pytest.mark.parametrize("dtype", INTEGERS + ["float16", "float32", "bool"])
@pytest.mark.parametrize("reduction", ["mean", "min", "max", "mode"])
def test_levels_are_those_of_the_definition(dtype, reduction):
    if reduction == "mean" and dtype in ("uint64", "bool") or reduction == "mode" and dtype.startswith("float"):
        return  # test_errors_name_the_argument
    for shape in [(5, 7, 9), (1, 1, 1), (8, 4, 16), (3, 33, 2)]:
        a = volume(shape, dtype)
        levels = onepass.mips3d(a, reduction=reduction, steps=STEPS, threads=2)
        assert levels[0] is a and len(levels) == 4
        for n in range(1, 4):
            right = expected(a, levels[n - 1], n, reduction, STEPS)
            assert levels[n].dtype == a.dtype and levels[n].shape == right.shape
            np.testing.assert_array_equal(levels[n], right)


def test_channels_are_reduced_one_by_one():
    a = volume((4, 6, 10, 3), np.uint16)
    levels = onepass.mips3d(a, steps=STEPS)
    for c in range(3):
        for with_channels, alone in zip(levels, onepass.mips3d(a[..., c], steps=STEPS)):
            np.testing.assert_array_equal(with_channels[..., c], alone)


def test_strides_and_byte_orders():
    a = volume((6, 10, 14), np.int16)
    right = onepass.mips3d(a, steps=STEPS)[3]
    padded = np.zeros((6, 12, 20), np.int16)
    padded[:, 1:11, 3:17] = a
    before = onepass.copied_bytes()
    np.testing.assert_array_equal(onepass.mips3d(padded[:, 1:11, 3:17], steps=STEPS)[3], right)
    assert onepass.copied_bytes() == before, "rows with gaps are read in place"
    for other in [np.asfortranarray(a), a[::-1, :, ::-1][::-1, :, ::-1], a.astype(">i2")]:
        np.testing.assert_array_equal(onepass.mips3d(other, steps=STEPS)[3], right)
    np.testing.assert_array_equal(onepass.mips3d(np.flip(a), steps=[(1, 1, 1)])[1], np.flip(a))
    doubles = onepass.mips3d(a.astype(np.float64), steps=STEPS)
    assert {level.dtype for level in doubles} == {np.dtype(np.float32)}


def test_steps_follow_from_the_size_of_voxels():
    a = np.zeros((60, 300, 200), np.uint8)
    shapes = [level.shape for level in onepass.mips3d(a, voxel_size=(4, 1, 1))]
    assert shapes == [(60, 300, 200), (60, 150, 100), (60, 75, 50), (30, 38, 25)]
    assert len(onepass.mips3d(a, largest=300)) == 1
    assert onepass.mips3d(a, largest=1)[-1].shape == (1, 1, 1)


def test_memory_maps_are_not_copied(tmp_path):
    path = tmp_path / "volume.raw"
    a = volume((20, 64, 48), np.uint16)
    a.tofile(path)
    mapped = np.memmap(path, np.uint16, "r", shape=a.shape)
    before = onepass.copied_bytes()
    levels = onepass.mips3d(mapped, steps=STEPS)
    assert onepass.copied_bytes() == before
    np.testing.assert_array_equal(levels[2], onepass.mips3d(a, steps=STEPS)[2])


@pytest.mark.parametrize("shape", [(7, 9, 5), (8, 4, 4, 2), (1, 3, 3)])
@pytest.mark.parametrize("threads", [1, 3])
def test_planes_are_those_of_the_volume(shape, threads):
    a = volume(shape, np.float32)
    levels = onepass.mips3d(a, steps=STEPS)
    seen = [0] * 4
    for level, z, plane in onepass.mips3d_planes((plane for plane in a), len(a), steps=STEPS, threads=threads):
        assert z == seen[level] and (level == 1 or seen[level - 1] > z)
        seen[level] += 1
        assert plane.flags.writeable and plane.dtype == a.dtype
        np.testing.assert_array_equal(plane, levels[level][z])
    assert seen[1:] == [len(level) for level in levels[1:]]
    assert sum(1 for _ in onepass.mips3d_planes(a, steps=STEPS)) == sum(seen), "an array has a length"
    turned = onepass.mips3d_planes(list(a.swapaxes(1, 2)), steps=[(1, 1, 1)])
    np.testing.assert_array_equal(np.stack([plane for _, _, plane in turned]), a.swapaxes(1, 2))


def test_planes_take_the_memory_of_a_few():
    plane = np.zeros((512, 512), np.uint16)
    tracemalloc.start()
    for _ in onepass.mips3d_planes(itertools.repeat(plane, 200), 200, voxel_size=(1, 1, 1)):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * plane.nbytes


def test_a_generator_that_is_left_frees_its_stream():
    for _ in range(50):
        planes = onepass.mips3d_planes(itertools.repeat(np.zeros((64, 64), np.uint8), 8), 8, steps=STEPS)
        next(planes)
        planes.close()


def test_errors_of_planes():
    plane = np.zeros((4, 4), np.uint8)

    def message(planes, count=None, **options):
        with pytest.raises((onepass.ArgumentError, onepass.UnsupportedError)) as raised:
            list(onepass.mips3d_planes(planes, count, **{"steps": STEPS, **options}))
        return str(raised.value)

    assert message([plane] * 3, 4) == "planes has 3 planes, expected 4"
    assert message([plane] * 3, 2) == "planes has more than 2 planes"
    assert message(iter([plane])) == "count is None, but planes has no length"
    assert message([plane, plane[:3]]).startswith("planes[1] has shape (3, 4)")
    assert message([plane, plane.astype(np.int8)]).startswith("planes[1] has shape (4, 4) and dtype int8")
    assert message([plane[0]]).startswith("planes[0] has 1 dimensions")
    assert message([]) == "count is 0, expected 1 or more"
    assert message(3, 3).startswith("planes is a int")

    def broken():
        yield plane
        raise OSError("the scanner stopped")

    with pytest.raises(OSError, match="scanner"):
        list(onepass.mips3d_planes(broken(), 2, steps=STEPS))


@pytest.mark.parametrize(
    "call, argument",
    [
        (lambda a: onepass.mips3d(a[0]), "volume"),
        (lambda a: onepass.mips3d(a[:0]), "volume"),
        (lambda a: onepass.mips3d(a.astype(np.int64)), "volume"),
        (lambda a: onepass.mips3d(a.astype(complex)), "volume"),
        (lambda a: onepass.mips3d(np.zeros((2, 2, 2, 5), np.uint8)), "volume"),
        (lambda a: onepass.mips3d(a.astype(bool)), "volume"),
        (lambda a: onepass.mips3d(a, reduction="median"), "reduction"),
        (lambda a: onepass.mips3d(a, reduction="min_max"), "reduction"),
        (lambda a: onepass.mips3d(a, reduction=3), "reduction"),
        (lambda a: onepass.mips3d(a, steps=2), "steps"),
        (lambda a: onepass.mips3d(a, steps=[(2, 2)]), "steps[0]"),
        (lambda a: onepass.mips3d(a, steps=[(2, 2, 3)]), "steps[0]"),
        (lambda a: onepass.mips3d(a, steps=[(2, 2, 2)] * 32), "steps"),
        (lambda a: onepass.mips3d(a, voxel_size=1.0), "voxel_size"),
        (lambda a: onepass.mips3d(a, voxel_size=(1, 1)), "voxel_size"),
        (lambda a: onepass.mips3d(a, voxel_size=(1, 0, 1)), "voxel_size"),
        (lambda a: onepass.mips3d(a, voxel_size=(1, 1, float("nan"))), "voxel_size"),
        (lambda a: onepass.mips3d(a, largest=-1), "largest"),
        (lambda a: onepass.mips3d(a, threads=-1), "threads"),
        (lambda a: onepass.mips3d(a, steps=[(2, 2, 2)], progress=3), "progress"),
    ],
)
def test_errors_name_the_argument(call, argument):
    with pytest.raises(onepass.ArgumentError) as raised:
        call(np.zeros((4, 5, 6), np.uint8))
    assert raised.value.argument == argument and argument in str(raised.value)


def test_combinations_without_a_result():
    a = np.zeros((4, 5, 6), np.float32)
    with pytest.raises(onepass.ArgumentError, match="mode needs integers"):
        onepass.mips3d(a, reduction="mode", steps=STEPS)
    with pytest.raises(onepass.UnsupportedError, match="uint64 has labels"):
        onepass.mips3d(a.astype(np.uint64), steps=STEPS)


def test_progress_and_cancellation():
    a = np.zeros((200, 256, 256), np.uint8)
    seen = []
    onepass.mips3d(a, progress=seen.append)
    assert seen[-1] == 1.0
    a = np.zeros((128, 128, 128), np.float32)
    with pytest.raises(onepass.CancelledError):
        for _ in range(100):  # until a call lasts long enough for a report
            onepass.mips3d(a, threads=1, steps=[(1, 1, 1)] * 31, progress=lambda _: False)


def test_threads_do_not_disturb_each_other():
    a = volume((20, 40, 50), np.uint8)
    right = onepass.mips3d(a, steps=STEPS)[3]
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(onepass.mips3d(a, steps=STEPS)[3], right):
                wrong.append(os.getpid())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
