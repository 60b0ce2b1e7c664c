#!/usr/bin/env python3
"""exports.py LIBRARY [NAMES]: LIBRARY, a shared library of the Python module (.so or .dll), exports the functions that the C headers
declare, and nothing else; all that python/onepass/_c.py calls are among them. Writes those to the file NAMES, one a line."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def exported(library: pathlib.Path) -> set[str]:
    if library.suffix == ".dll":
        table = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True).stdout
        table = table.split("[Ordinal/Name Pointer] Table", 1)[1].split("\n\n", 1)[0]
        return set(re.findall(r"^\s*\[ *\d+\](?: \+base\[ *\d+\])?\s+(?:[0-9a-f]+ )?(\S+)$", table, re.M))
    table = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in table.splitlines()}


def declared() -> set[str]:
    names: set[str] = set()
    for header in (ROOT / "include/onepass").glob("onepass*.h"):
        names.update(re.findall(r"ONEPASS_API [^;(]*?(\w+)\(", header.read_text(encoding="utf-8")))
    return names


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    library = pathlib.Path(sys.argv[1])
    exports, functions = exported(library), declared()
    module = (ROOT / "python/onepass/_c.py").read_text(encoding="utf-8")
    called = re.findall(r'^    \("(\w+)", ', module[module.index("FUNCTIONS:") :], re.M)
    wrong = [f"exports {name}, which no header declares" for name in sorted(exports - functions)]
    wrong += [f"does not export {name}" for name in sorted((functions | set(called)) - exports)]
    if wrong or not called:
        sys.exit("\n".join(f"{library.name} {text}" for text in wrong or ["is checked against an empty list"]))
    if len(sys.argv) == 3:
        pathlib.Path(sys.argv[2]).write_text("".join(f"{name}\n" for name in called), encoding="utf-8")
    print(f"{library.name}: {len(exports)} functions, those of the C headers; the Python module calls {len(called)}")


main()
