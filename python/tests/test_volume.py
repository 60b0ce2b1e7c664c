"""Volumes against NumPy: levels by their definition, memory maps, planes one after the other, files, errors."""
import itertools
import json
import os
import pathlib
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


def chunks_of(folder, shape, dtype):
    """A Zarr 2 array without compression whose files are chunks; chunks that are not stored are 0."""
    metadata = json.loads((folder / ".zarray").read_text())
    assert metadata["compressor"] is None and metadata["dtype"] == np.dtype(dtype).newbyteorder("<").str
    assert tuple(metadata["shape"]) == shape
    chunk = metadata["chunks"]
    a = np.zeros(shape, dtype)
    for z, y, x in itertools.product(*(range(-(-extent // side)) for extent, side in zip(shape, chunk))):
        path = folder / f"{z}/{y}/{x}"
        if path.exists():
            part = a[tuple(slice(i * side, (i + 1) * side) for i, side in zip((z, y, x), chunk))]
            stored = np.frombuffer(path.read_bytes(), dtype).reshape(chunk)
            part[:] = stored[: part.shape[0], : part.shape[1], : part.shape[2]]
    return a


def levels_of(report, dtype):
    """The arrays of an output."""
    folder = pathlib.Path(report.output)
    return [chunks_of(folder / str(n), shape, dtype) for n, shape in enumerate(report.sizes)]


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


PLAIN = dict(zarr_version=2, compression="none", chunk=(8, 16, 24), levels=4, steps=STEPS)


class Lazy:
    """An array whose slices have compute(), as dask's have."""

    def __init__(self, a):
        self.a, self.shape = a, a.shape

    def __getitem__(self, part):
        return Lazy(self.a[part])

    def compute(self):
        return self.a


def mapped(path, a, offset=0, mode="r"):
    path.write_bytes(b"?" * offset + a.tobytes())
    return np.memmap(path, a.dtype, mode, offset, a.shape)


def saved_planes(folder, a):
    for z, plane in enumerate(a):
        onepass.write(folder / f"plane_{z}.tif", plane)
    return None


@pytest.mark.parametrize("reduction", ["mean", "mode"])
@pytest.mark.parametrize(
    "make, options",
    [
        (lambda a, folder: a, {}),
        (lambda a, folder: np.asfortranarray(a).astype(">u2"), {}),
        (lambda a, folder: Lazy(a), {}),
        (lambda a, folder: mapped(folder / "map.raw", a, 6), {}),
        (lambda a, folder: mapped(folder / "map.raw", a.astype(">u2")), {}),
        (lambda a, folder: mapped(folder / "map.raw", np.concatenate([a[:3], a]))[3:], {}),
        (lambda a, folder: (np.save(folder / "map.npy", a), np.load(folder / "map.npy", "r"))[1], {}),
        (lambda a, folder: mapped(folder / "map.raw", a).filename, {"raw": "50x70x33:uint16"}),
        (lambda a, folder: saved_planes(folder, a), {"planes": "plane_{z}.tif"}),
    ],
    ids=["array", "strides", "lazy", "map", "map_be", "part_of_map", "npy", "raw", "planes"],
)
def test_files_have_the_levels_of_the_volume(tmp_path, monkeypatch, make, options, reduction):
    monkeypatch.chdir(tmp_path)
    a = volume((33, 70, 50), np.uint16)
    if reduction == "mode":
        a //= 16384
    source = make(a, tmp_path)
    before = set(os.listdir(tmp_path))
    report = onepass.volume(source, "out.zarr", reduction=reduction, **PLAIN, **options)
    assert report.output == "out.zarr" and set(os.listdir(tmp_path)) == before | {"out.zarr"}
    right = onepass.mips3d(a, reduction=reduction, steps=STEPS)
    for level, expected_level in zip(levels_of(report, np.uint16), right):
        np.testing.assert_array_equal(level, expected_level)
    assert report.sizes == [level.shape for level in right] and report.steps == STEPS


def test_reports_of_files(tmp_path):
    a = volume((20, 40, 60), np.float64)
    report = onepass.volume(a, tmp_path / "a.zarr", voxel_size=(2, 0.5, 0.5), chunk=(8, 8, 16), shard_size=(16, 8, 32))
    assert (report.dtype, report.times, report.channels) == ("float32", 1, 1)
    assert (report.chunk, report.shard_size, report.block) == ((8, 8, 16), (16, 8, 32), (20, 40, 60))
    assert report.steps[0] == (1, 2, 2) and report.blocks == 1 and report.blocks_kept == 0
    assert report.warnings == [] and not report.was_complete
    assert report.seconds > 0 and 0 < report.bytes_written and 1 << 20 < report.planned_bytes < 1 << 30
    metadata = json.loads((tmp_path / "a.zarr" / "zarr.json").read_text())["attributes"]["ome"]["multiscales"][0]
    assert metadata["name"] == "a"
    assert metadata["datasets"][0]["coordinateTransformations"][0]["scale"] == [2, 0.5, 0.5]
    assert not (tmp_path / "a.html").exists()
    assert onepass.volume(a > 0, tmp_path / "b.zarr", reduction="max", viewer=True).dtype == "uint8"
    assert 'path: "b.zarr"' in (tmp_path / "b.html").read_text()


def test_maps_are_read_from_their_files(tmp_path):
    a = volume((9, 10, 11), np.int16)

    def name_of(source):
        onepass.volume(source, tmp_path / "out.zarr", zarr_version=2)
        return json.loads((tmp_path / "out.zarr" / ".zattrs").read_text())["multiscales"][0]["name"]

    assert name_of(mapped(tmp_path / "map.raw", a)) == "map"
    assert name_of(mapped(tmp_path / "map.raw", a, mode="r+")) == "map"
    changed = mapped(tmp_path / "map.raw", a, mode="c")  # its changes are not in the file
    changed[0] = 7
    assert name_of(changed) == "out"
    options = dict(zarr_version=2, compression="none")
    (level,) = levels_of(onepass.volume(changed, tmp_path / "out.zarr", **options), np.int16)
    assert np.array_equal(level, changed) and not np.array_equal(level, a)


def test_shards_and_interrupted_runs_make_the_same_files(tmp_path):
    a = mapped(tmp_path / "map.raw", volume((70, 300, 280), np.uint8))
    options = dict(PLAIN, chunk=(16, 16, 16), max_bytes=40 << 20)
    whole = contents(pathlib.Path(onepass.volume(a, tmp_path / "whole.zarr", **options).output))
    output = tmp_path / "shards.zarr"
    for index in (1, 0):
        assert not onepass.volume(a, output, shard=(index, 2), **options).was_complete
    again = onepass.volume(a, output, shard=(1, 2), **options)
    assert again.was_complete and again.output != str(output) and not output.exists()
    onepass.volume(a, output, merge=2, **options)
    assert contents(output) == whole
    output = tmp_path / "resumed.zarr"
    seen = []
    with pytest.raises(onepass.CancelledError):
        onepass.volume(a, output, progress=lambda fraction: seen.append(fraction) or False, **options)
    assert len(seen) == 1 and not output.exists()
    with pytest.raises(onepass.ArgumentError, match="resume"):
        onepass.volume(a, output, **options)
    onepass.volume(a, output, resume=True, progress=seen.append, **options)
    assert contents(output) == whole and seen[-1] == 1.0


@pytest.mark.parametrize(
    "source, options, argument",
    [
        (3, {}, "input"),
        (np.zeros((4, 4)), {}, "input"),
        (np.zeros((4, 0, 4)), {}, "input"),
        (np.zeros((4, 4, 4), np.int64), {}, "input"),
        (np.zeros((4, 4, 4), bool), {}, "input"),
        (None, {}, "input"),
        ("a\0b", {}, "input"),
        ("map.raw", {"raw": "2x2"}, "raw"),
        ("map.raw", {"raw": 3}, "raw"),
        ("map.raw", {"planes": "plane_{z}.tif"}, "input"),
        (np.zeros((4, 4, 4)), {"planes": "plane_{z}.tif"}, "planes"),
        (np.zeros((4, 4, 4)), {"raw": "4x4x4:uint8"}, "raw"),
        (np.zeros((4, 4, 4)), {"resume": True}, "resume"),
        (np.zeros((4, 4, 4)), {"shard": (0, 2)}, "shard"),
        (np.zeros((4, 4, 4)), {"merge": 2}, "merge"),
        ("map.raw", {"shard": 1}, "shard"),
        ("map.raw", {"shard": (2, 2)}, "shard"),
        ("map.raw", {"shard": (0, 0)}, "shard"),
        ("map.raw", {"merge": -1}, "merge"),
        ("map.raw", {"output": "out.tif"}, "output"),
        (np.zeros((4, 4, 4)), {"output": "missing/out.zarr"}, "output"),
        ("map.raw", {"voxel_size": (1, 1)}, "voxel_size"),
        ("map.raw", {"voxel_size": (1, 0, 1)}, "voxel_size"),
        ("map.raw", {"steps": []}, "steps"),
        ("map.raw", {"steps": [(2, 2, 3)]}, "steps[0]"),
        ("map.raw", {"levels": 33}, "levels"),
        ("map.raw", {"reduction": "min_max"}, "reduction"),
        ("map.raw", {"reduction": "median"}, "reduction"),
        ("map.raw", {"zarr_version": 4}, "zarr_version"),
        ("map.raw", {"chunk": 64}, "chunk"),
        ("map.raw", {"chunk": (0, 64, 64)}, "chunk"),
        ("map.raw", {"chunk": (8, 8, 5000)}, "chunk"),
        ("map.raw", {"shard_size": (64, 64, 100)}, "shard_size"),
        ("map.raw", {"compression": "gzip"}, "compression"),
        ("map.raw", {"max_bytes": -1}, "max_bytes"),
        ("map.raw", {"threads": -1}, "threads"),
        ("map.raw", {"progress": 3}, "progress"),
    ],
)
def test_errors_of_files_name_the_argument(tmp_path, monkeypatch, source, options, argument):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "map.raw").write_bytes(bytes(64))
    given = {"output": "out.zarr", **options}
    if isinstance(source, str) and "raw" not in given and "planes" not in given:
        given["raw"] = "4x4x4:uint8"
    with pytest.raises(onepass.ArgumentError) as raised:
        onepass.volume(source, **given)
    assert raised.value.argument == argument
    assert os.listdir(tmp_path) == ["map.raw"]


def test_failures_of_files(tmp_path):
    with pytest.raises(onepass.NotFoundError, match="none.zarr"):
        onepass.volume(tmp_path / "none.zarr", tmp_path / "out.zarr")
    with pytest.raises(onepass.OutOfMemoryError, match="blocks of"):
        onepass.volume(np.zeros((4, 4, 4), np.uint8), tmp_path / "out.zarr", max_bytes=1)
    with pytest.raises(onepass.UnsupportedError, match="uint64 has labels"):
        onepass.volume(np.zeros((100, 4, 4), np.uint64), tmp_path / "out.zarr")
    assert os.listdir(tmp_path) == []
