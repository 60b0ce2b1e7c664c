#!/usr/bin/env python3
"""corpus.py: the inputs of the fuzz targets, corpus/TARGET.zip beside this script.

corpus.py unpack FOLDER [TARGET...]   writes them as FOLDER/TARGET/NAME, of all targets if none is named
corpus.py pack FOLDER [TARGET...]     makes the archives of the files FOLDER/TARGET/*, of all folders if none is named
corpus.py add TARGET FILE...          adds files to one archive

The same files give the same archive on every machine: names in order, one date, no compression.
"""
import pathlib
import sys
import zipfile

ARCHIVES = pathlib.Path(__file__).resolve().parent / "corpus"
DATE = (1980, 1, 1, 0, 0, 0)  # the earliest of the format


def read_archive(target):
    path = ARCHIVES / f"{target}.zip"
    if not path.exists():
        return {}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_archive(target, inputs):
    ARCHIVES.mkdir(exist_ok=True)
    with zipfile.ZipFile(ARCHIVES / f"{target}.zip", "w") as archive:
        for name in sorted(inputs):
            entry = zipfile.ZipInfo(name, DATE)
            entry.create_system = 3  # Unix, also where the script runs on Windows
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, inputs[name])


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def main():
    command, *arguments = sys.argv[1:] or [""]
    if command not in ("pack", "unpack", "add") or len(arguments) < (2 if command == "add" else 1):
        sys.exit(__doc__)
    if command == "add":
        target, *files = arguments
        write_archive(
            target, read_archive(target) | {pathlib.Path(file).name: pathlib.Path(file).read_bytes() for file in files}
        )
        return
    folder = pathlib.Path(arguments[0])
    if command == "pack":
        for target in arguments[1:] or sorted(path.name for path in folder.iterdir() if path.is_dir()):
            write_archive(target, files_of(folder / target))
        return
    for target in arguments[1:] or sorted(path.stem for path in ARCHIVES.glob("*.zip")):
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, data in read_archive(target).items():
            (folder / target / name).write_bytes(data)


main()
