#!/usr/bin/env python3
"""Times `onepass tiles` beside vips, GDAL and dask with zarr on the same pictures, in alternating rounds; then the same
pyramid in parts, and mip chains of many files beside OpenImageIO's maketx.

    tiles.py --program build/release/cli/onepass --photo PHOTO.jpg --folder WORK --results FILE.csv

Every program gets the same two cores and two threads. Its processor time is that of the process and its children,
user and system; its peak memory is that of the largest process. Before a result counts, the coarse levels are compared
with means of the source. Needs numpy, Pillow, tifffile and zarr; a peer that is not installed is left out.

The folder had better be on a tmpfs: when ext4 creates a file, it searches through the inodes of files that were deleted
in the last minutes, which can take longer than all the rest.
"""
import argparse
import csv
import functools
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numcodecs
import numpy as np
import tifffile
import zarr
from PIL import Image, ImageSequence

from command_cost import run

Image.MAX_IMAGE_PIXELS = None
SIDE = 20000  # of the colour picture
STACK_SIDE = 15000  # of each of the two channels of the stack
QUALITY = 75


def photo_rows(photo, width, begin, count, noise):
    """Rows of the photograph, mirrored side by side and below each other, with other noise in every row of tiles."""
    height = photo.shape[0]
    wide = np.concatenate([photo, photo[:, ::-1]], axis=1)
    columns = np.arange(width) % wide.shape[1]
    rows = np.arange(begin, begin + count) % (2 * height)
    rows = np.where(rows < height, rows, 2 * height - 1 - rows)
    texels = wide[rows][:, columns].astype(np.int16)
    texels += np.resize(np.roll(noise.pattern, noise.random.integers(1 << 20)), texels.size).reshape(texels.shape)
    return np.clip(texels, 0, 255).astype(np.uint8)


class Noise:
    """Normal deviates of standard deviation 4: a pattern of a million values, which starts elsewhere in every strip."""

    def __init__(self):
        self.random = np.random.default_rng(1)
        self.pattern = np.rint(self.random.normal(0, 4, (1 << 20) + 1)).astype(np.int16)


def write_picture(path, photo):
    noise = Noise()

    def strips():
        for begin in range(0, SIDE, 16):
            yield photo_rows(photo, SIDE, begin, min(16, SIDE - begin), noise)

    tifffile.imwrite(
        path, strips(), shape=(SIDE, SIDE, 3), dtype=np.uint8, photometric="rgb", rowsperstrip=16, bigtiff=True
    )


def write_stack(path, base, photo):
    """Two channels of 16 bits, as OME-TIFF and, for dask, as a Zarr array with chunks of 256 x 256."""
    noise = Noise()
    array = zarr.open(
        str(base),
        mode="w",
        shape=(2, STACK_SIDE, STACK_SIDE),
        chunks=(1, 256, 256),
        dtype="<u2",
        compressor=numcodecs.Zstd(level=3),
    )
    planes = np.empty((2, STACK_SIDE, STACK_SIDE), np.uint16)
    for begin in range(0, STACK_SIDE, 256):
        rows = photo_rows(photo, STACK_SIDE, begin, min(256, STACK_SIDE - begin), noise)
        for channel in range(2):
            planes[channel, begin : begin + len(rows)] = rows[:, :, channel].astype(np.uint16) * 16 + 5
    array[:] = planes
    tifffile.imwrite(
        path, planes, ome=True, metadata={"axes": "CYX"}, photometric="minisblack", bigtiff=True, rowsperstrip=16
    )


DASK = """
import sys, dask, numpy, numcodecs, dask.array
base, out = sys.argv[1:]
numbers = dask.array.from_zarr(base)
with dask.config.set(scheduler="threads", num_workers=2):
    for level in range(1, 5):
        sides = [n // 2 * 2 for n in numbers.shape[1:]]
        means = dask.array.coarsen(numpy.mean, numbers[:, :sides[0], :sides[1]], {1: 2, 2: 2})
        numbers = means.round().astype("u2").rechunk((1, 256, 256))
        numbers.to_zarr(out, component=str(level), compressor=numcodecs.Zstd(level=3), overwrite=True)
        numbers = dask.array.from_zarr(out, component=str(level))
"""


def block_means(texels, n):
    """Means of blocks of n x n texels; texels that fill no block are left out."""
    high, wide = (side // n * n for side in texels.shape[:2])
    blocks = texels[:high, :wide].reshape(high // n, n, wide // n, n, -1)
    return blocks.mean(axis=(1, 3))


def linear_block_means(texels, n):
    """The same of sRGB codes in linear light."""
    values = np.arange(256) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    means = block_means(linear[texels], n)
    return 255 * np.where(means <= 0.0031308, means * 12.92, 1.055 * means ** (1 / 2.4) - 0.055)


def compare(name, level, expected, limit):
    """Compares means of 8 x 8 texels, which JPEG changes little; of colours the luma, whose resolution JPEG keeps."""
    high, wide = expected.shape[:2]
    level = np.asarray(level, np.float64).reshape(*level.shape[:2], -1)[:high, :wide, : expected.shape[2]]
    difference = level - expected[: level.shape[0], : level.shape[1]]
    luma = difference @ ([0.299, 0.587, 0.114] if difference.shape[2] == 3 else [1])
    error = float(np.abs(block_means(luma, 8)).mean())
    if error > limit:
        sys.exit(f"{name}: a coarse level differs from means of the source by {error:.2f} on average; limit {limit}")


def check_picture(name, path, texels):
    expected = (linear_block_means if name.endswith("onepass") else block_means)(texels, 32)
    if path.suffix == ".dzi":  # the level of a thirty-second of the side, its first tile
        folder = path.with_name(path.stem + "_files")
        last = max(int(entry.name) for entry in folder.iterdir() if entry.name.isdigit())
        tile = next(folder.joinpath(str(last - 5)).glob("0_0.jp*g"))
        compare(name, np.asarray(Image.open(tile)), expected, 2)
    else:
        with Image.open(path) as file:
            levels = (page for page in ImageSequence.Iterator(file) if page.width in (SIDE // 32, SIDE // 32 + 1))
            level = next(levels, None)
            if level is None:
                sys.exit(f"{name}: {path.name} has no level of a thirty-second of the side")
            compare(name, np.asarray(level), expected, 2)


def remove(path):
    for entry in [path, path.with_name(path.stem + "_files"), path.with_suffix(".tif.aux.xml")]:
        if entry.is_dir():
            shutil.rmtree(entry)
        elif entry.exists():
            entry.unlink()


def version(command, pattern):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return re.search(pattern, done.stdout + done.stderr)[1]


class Case:
    """Commands that make the same thing; the first is onepass's. `less` is a command whose cost is subtracted."""

    def __init__(self, name, commands, check, less=None):
        self.name, self.commands, self.check, self.less = name, commands, check, less or {}


def cases(arguments, picture, stack, base, texels):
    work = arguments.folder
    onepass = [arguments.program, "tiles", picture, "--threads", 2, "--quality", QUALITY, "-o"]
    vips = {"VIPS_CONCURRENCY": "2"}
    out = {
        name: work / name
        for name in (
            "onepass.dzi",
            "vips.dzi",
            "onepass.tif",
            "vips.tif",
            "onepass_cog.tif",
            "gdal_cog.tif",
            "onepass.zarr",
            "base.zarr",
            "dask.zarr",
        )
    }
    check = functools.partial(check_picture, texels=texels)
    # fmt: off
    found = [
        Case("DeepZoom, JPEG", {
            "onepass": (onepass + [out["onepass.dzi"]], {}, out["onepass.dzi"]),
            "vips": (["vips", "dzsave", picture, work / "vips", "--suffix", f".jpg[Q={QUALITY}]"], vips,
                     out["vips.dzi"])}, check),
        Case("TIFF, JPEG", {
            "onepass": (onepass + [out["onepass.tif"]], {}, out["onepass.tif"]),
            "vips": (["vips", "tiffsave", picture, out["vips.tif"], "--pyramid", "--tile", "--tile-width", 256,
                      "--tile-height", 256, "--compression", "jpeg", "--Q", QUALITY, "--bigtiff"], vips,
                     out["vips.tif"])}, check),
        Case("COG, JPEG", {
            "onepass": (onepass + [out["onepass_cog.tif"], "--cog"], {}, out["onepass_cog.tif"]),
            "gdal": (["gdal_translate", "-q", "-of", "COG", "-co", "COMPRESS=JPEG", "-co", f"QUALITY={QUALITY}",
                      "-co", "BLOCKSIZE=256", "-co", "RESAMPLING=AVERAGE", "-co", "NUM_THREADS=2", "-co", "BIGTIFF=YES",
                      picture, out["gdal_cog.tif"]], {}, out["gdal_cog.tif"])}, check),
    ]
    # fmt: on
    stack_command = [arguments.program, "tiles", stack, "--threads", 2, "--compression", "zstd", "-o"]

    def check_stack(name, path):
        level = zarr.open(str(path), mode="r")["4"][0, :64, :64]
        rows = zarr.open(str(base), mode="r")[0, :1024, :1024]
        compare(name, level, block_means(rows, 16), 1)

    found.append(
        Case(
            "OME-Zarr, levels 1 to 4",
            {
                "onepass": (stack_command + [out["onepass.zarr"], "--levels", 5], {}, out["onepass.zarr"]),
                "dask": ([sys.executable, "-c", DASK, base, out["dask.zarr"]], {}, out["dask.zarr"]),
            },
            check_stack,
            {"onepass": (stack_command + [out["base.zarr"], "--levels", 1], {}, out["base.zarr"])},
        )
    )
    return found


def measure(case, rounds):
    """Rounds of all commands in turn. Returns lists of (wall, processors, memory) by program."""
    times = {name: [] for name in case.commands if shutil.which(case.commands[name][0][0])}
    for number in range(rounds):
        for name in times:
            command, environment, path = case.commands[name]
            remove(path)
            wall, busy, memory = run(command, environment)
            if number == 0:
                case.check(f"{case.name}: {name}", path)
            remove(path)
            if name in case.less:
                command, environment, path = case.less[name]
                remove(path)
                less = run(command, environment)
                remove(path)
                wall, busy = wall - less[0], busy - less[1]
            times[name].append((wall, busy, memory))
    return times


def scale(arguments, photo):
    """`onepass tiles` of pictures without a header of 10^8, 10^9 and 10^10 pixels, and of one that is high."""
    rows = []
    sizes = [(10000, 10000), (31623, 31623), (SIDE, 10 * SIDE), (100000, 100000)]
    for width, height in sizes[: arguments.sizes]:
        raw, out = arguments.folder / "scale.raw", arguments.folder / "scale.tif"
        noise = Noise()
        with raw.open("wb") as file:
            block = photo_rows(photo, width, 0, 2 * photo.shape[0], noise).tobytes()
            for begin in range(0, height, 2 * photo.shape[0]):
                file.write(block[: min(height - begin, 2 * photo.shape[0]) * width * 3])
        remove(out)
        wall, busy, memory = run(
            [
                arguments.program,
                "tiles",
                raw,
                "--raw",
                f"{width}x{height}:rgb8",
                "--threads",
                arguments.scale_threads,
                "-o",
                out,
            ]
        )
        raw.unlink()
        remove(out)
        rows.append(["TIFF, JPEG, growing", f"{width}x{height}", "onepass", wall, busy, memory, 1])
        print(
            f"{width}x{height}: {wall:.1f} s, {busy:.1f} s of processors ({busy / width / height * 1e9:.1f} per 10^9 "
            f"pixels), {memory:.0f} MB",
            flush=True,
        )
    return rows


def measure_shards(arguments, picture, rounds):
    """One run and the same pyramid in parts, in turns: the processor time of the parts and of their merge over that of
    the run."""
    out = arguments.folder / "shards.dzi"
    command = [arguments.program, "tiles", picture, "--threads", 2, "--quality", QUALITY, "-o", out]
    costs = []
    for _ in range(rounds):
        remove(out)
        whole = run(command)
        remove(out)
        parts = [run([*command, "--shard", f"{i}/{arguments.shards}"]) for i in range(arguments.shards)]
        parts.append(run([*command, "--merge", arguments.shards]))
        remove(out)
        costs.append(
            (whole, (sum(part[0] for part in parts), sum(part[1] for part in parts), max(part[2] for part in parts)))
        )
    ratios = [parts[1] / whole[1] for whole, parts in costs]
    print(
        f"{arguments.shards} shards and merge: {statistics.median(ratios):.3f} ({min(ratios):.3f} to "
        f"{max(ratios):.3f}) of the processor time of one run",
        flush=True,
    )
    return [
        ["DeepZoom, JPEG, shards", SIDE, name, *(statistics.median(values) for values in zip(*rows)), 1]
        for name, rows in (
            ("one run", [cost[0] for cost in costs]),
            (f"{arguments.shards} shards", [cost[1] for cost in costs]),
        )
    ]


def measure_batch(arguments, photo, rounds):
    """Mip chains of many small files: one thread, two threads, and OpenImageIO's maketx, two at once, in turns."""
    folder, out = arguments.folder / "batch", arguments.folder / "batch_out"
    folder.mkdir(exist_ok=True)
    noise = Noise()
    names = [folder / f"{i:03}.png" for i in range(arguments.batch)]
    for i, name in enumerate(names):
        Image.fromarray(photo_rows(photo, 1024, 37 * i, 1024, noise)).save(name, compress_level=1)
    onepass = [arguments.program, "mips", *names, "--engine", "cpu", "-o", f"{out}/", "--threads"]
    commands = {"onepass, 1 thread": [*onepass, 1], "onepass, 2 threads": [*onepass, 2]}
    if shutil.which("maketx"):
        commands["maketx, 2 at once"] = [
            "sh",
            "-c",
            f"ls {folder}/*.png | xargs -P 2 -I X sh -c 'maketx --threads 1 X -o {out}/$(basename X).tx'",
        ]
    costs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            costs[name].append(run(command))
            if len(list(out.iterdir())) != arguments.batch:
                sys.exit(f"{name}: {len(list(out.iterdir()))} files instead of {arguments.batch}")
    shutil.rmtree(out)
    shutil.rmtree(folder)
    rows = []
    for name, values in costs.items():
        ratios = [one[0] / own[0] for one, own in zip(costs["onepass, 1 thread"], values)]
        rows.append(
            [
                "mips of PNG files",
                arguments.batch,
                name,
                *(statistics.median(v) for v in zip(*values)),
                statistics.median(ratios),
            ]
        )
        print(
            f"{arguments.batch} files of 1024 x 1024: {name}: {rows[-1][3]:.2f} s, {rows[-1][4]:.2f} s of "
            f"processors, {rows[-1][5]:.0f} MB; {rows[-1][6]:.2f} ({min(ratios):.2f} to {max(ratios):.2f}) times as "
            f"fast as onepass with one thread",
            flush=True,
        )
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--photo", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="sources and outputs: 8 GB; with --sizes 4 40 GB")
    parser.add_argument("--results", type=Path, required=True, help="a CSV file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, default=0, choices=range(5), help="how many sizes of growing pictures")
    parser.add_argument("--scale-threads", type=int, default=2)
    parser.add_argument("--shards", type=int, default=20, help="parts of one pyramid; 0: none")
    parser.add_argument("--batch", type=int, default=200, help="files of one command; 0: none")
    parser.add_argument("--commit", default="unknown")
    arguments = parser.parse_args()
    arguments.program = arguments.program.resolve()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    cores = sorted(os.sched_getaffinity(0))
    photo = np.asarray(Image.open(arguments.photo).convert("RGB"))

    rows = scale(arguments, photo) if arguments.sizes else []
    os.sched_setaffinity(0, cores[:2])
    if arguments.batch and arguments.rounds:
        rows += measure_batch(arguments, photo, arguments.rounds)
    if arguments.rounds:
        picture, stack, base = (arguments.folder / name for name in ("source.tif", "source.ome.tif", "source.zarr"))
        write_picture(picture, photo)
        write_stack(stack, base, photo)
        texels = tifffile.memmap(picture, mode="r")[: 32 * 254, : 32 * 254]
        for case in cases(arguments, picture, stack, base, texels):
            times = measure(case, arguments.rounds)
            for name, rounds in times.items():
                ratios = [own[1] / other[1] for own, other in zip(times["onepass"], rounds)]
                wall, busy, memory = (statistics.median(values) for values in zip(*rounds))
                rows.append(
                    [
                        case.name,
                        f"{SIDE if case.name[0] != 'O' else STACK_SIDE}",
                        name,
                        wall,
                        busy,
                        memory,
                        statistics.median(ratios),
                    ]
                )
                print(
                    f"{case.name}: {name}: {wall:.1f} s, {busy:.1f} s of processors, {memory:.0f} MB; onepass takes "
                    f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) of its processor time",
                    flush=True,
                )
        if arguments.shards:
            rows += measure_shards(arguments, picture, arguments.rounds)
    versions = [
        f"vips {version(['vips', '--version'], r'vips-([0-9.]+)')}",
        f"GDAL {version(['gdalinfo', '--version'], r'GDAL ([0-9.]+)')}",
        f"dask {version([sys.executable, '-c', 'import dask; print(dask.__version__)'], r'(.*)')}",
        f"zarr {zarr.__version__}",
    ]
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        machine = re.search(r"model name\s*: (.*)", file.read())
    with arguments.results.open("w", newline="", encoding="utf-8") as file:
        file.write(
            f"# {machine[1] if machine else platform.machine()}, two of {len(cores)} cores; commit {arguments.commit}, "
            f"{time.strftime('%Y-%m-%d')}; {', '.join(versions)}\n"
        )
        writer = csv.writer(file)
        writer.writerow(["case", "size", "program", "wall_s", "processor_s", "peak_mb", "onepass_over_program"])
        writer.writerows([*row[:3], *(f"{value:.4g}" for value in row[3:])] for row in rows)


if __name__ == "__main__":
    main()
