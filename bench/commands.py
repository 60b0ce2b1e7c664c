#!/usr/bin/env python3
"""Times whole commands of the program beside other programs, in alternating rounds: a half OpenEXR file of 3840x2160 to
PNG, a JPEG file of 4095x4095 to all its levels, and the start of the program.

    commands.py --program build/release/cli/onepass --photo PHOTO.jpg --folder WORK --results FILE.csv

Every program gets the same two cores and two threads. Processor time is user and system; peak memory is the largest
resident set. The first round does not count. A peer that is not installed is left out.
"""
import argparse
import csv
import shutil
import statistics
import struct
import subprocess
import sys
from pathlib import Path

from command_cost import run

EXR_SIZE = (3840, 2160)
JPEG_SIDE = 4095


def png_size(path):
    return struct.unpack(">II", path.read_bytes()[16:24])


def ktx2_size(path):
    """Width, height and number of levels."""
    width, height, _, _, _, levels = struct.unpack("<6I", path.read_bytes()[20:44])
    return width, height, levels


class Case:
    def __init__(self, name, commands):
        self.name = name
        self.commands = commands  # by program: arguments, environment, what must be true of the output
        self.costs = {program: [] for program in commands}

    def measure(self, counts):
        for program, (command, environment, is_right) in self.commands.items():
            cost = run(command, environment)
            if not is_right():
                sys.exit(f"{self.name}: {program} wrote a wrong file")
            if counts:
                self.costs[program].append(cost)


def make_cases(program, photo, folder):
    scene = folder / "scene.exr"
    picture = folder / "picture.jpg"
    subprocess.run([program, "scene", "--size", "{}x{}".format(*EXR_SIZE), "-o", scene, "--quiet"], check=True)
    # The photograph, stretched to a square.
    subprocess.run(
        ["vips", "thumbnail", photo, f"{picture}[Q=90]", str(JPEG_SIDE), "--height", str(JPEG_SIDE), "--size", "force"],
        check=True,
    )
    tone_mapped, copied, converted = folder / "tone_mapped.png", folder / "vips.png", folder / "oiio.png"
    levels, tx = folder / "levels.ktx2", folder / "levels.tx"
    to_png = {
        "onepass tonemap": (
            [program, "tonemap", scene, "-o", tone_mapped, "--engine", "cpu", "--threads", 2],
            {},
            lambda: png_size(tone_mapped) == EXR_SIZE,
        ),
        "vips copy": (["vips", "copy", scene, copied], {"VIPS_CONCURRENCY": "2"}, lambda: png_size(copied) == EXR_SIZE),
        "oiiotool": (
            ["oiiotool", "--threads", 2, scene, "--ch", "R,G,B,A", "-o", converted],
            {},
            lambda: png_size(converted) == EXR_SIZE,
        ),
    }
    to_levels = {
        "onepass mips": (
            [program, "mips", picture, "-o", levels, "--engine", "cpu", "--threads", 2],
            {},
            lambda: ktx2_size(levels) == (JPEG_SIDE, JPEG_SIDE, 12),
        ),
        "maketx": (["maketx", "--threads", 2, picture, "-o", tx], {}, lambda: tx.stat().st_size > 1 << 20),
    }
    start = {"onepass --version": ([program, "--version"], {}, lambda: True)}
    cases = [
        Case("half OpenEXR of 3840x2160 to PNG", to_png),
        Case("JPEG of 4095x4095 to all levels", to_levels),
        Case("start", start),
    ]
    for case in cases:
        for name in list(case.commands):
            if shutil.which(str(case.commands[name][0][0])) is None:
                print(f"{name}: not installed, left out", file=sys.stderr)
                del case.commands[name]
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--photo", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    cases = make_cases(arguments.program.resolve(), arguments.photo, arguments.folder)
    for index in range(arguments.rounds + 1):
        for case in cases:
            case.measure(index > 0)
    with open(arguments.results, "w", newline="") as file:
        file.write(f"# bench/commands.py, {arguments.rounds} rounds; commit: {arguments.commit}\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["case", "program", "wall_s", "wall_min_s", "wall_max_s", "processors_s", "memory_mb"])
        for case in cases:
            for program in case.commands:
                wall, processors, memory = zip(*case.costs[program])
                table.writerow(
                    [
                        case.name,
                        program,
                        f"{statistics.median(wall):.4f}",
                        f"{min(wall):.4f}",
                        f"{max(wall):.4f}",
                        f"{statistics.median(processors):.4f}",
                        f"{max(memory):.1f}",
                    ]
                )
    print(arguments.results.read_text())


if __name__ == "__main__":
    main()
