#!/usr/bin/env python3
"""check.py XML: whether every public class and function in Doxygen's XML says what it is. Members whose name and type say
it, and comparisons, may go without."""
import pathlib
import sys
import xml.etree.ElementTree as tree


def text(node):
    """What the brief and the detailed description of a node say."""
    parts = [node.find("briefdescription"), node.find("detaileddescription")]
    return "".join("".join(part.itertext()) for part in parts if part is not None).strip()


def main(folder):
    silent, seen = [], 0
    for path in sorted(pathlib.Path(folder).glob("*.xml")):
        compound = tree.parse(path).getroot().find("compounddef")
        if compound is None or compound.get("kind") not in ("class", "struct", "namespace"):
            continue
        name = compound.findtext("compoundname")
        if not name.startswith("onepass") or compound.get("prot") == "private":
            continue
        seen += 1
        if not text(compound):
            silent.append(name)
        for member in compound.iter("memberdef"):
            kind, word = member.get("kind"), member.findtext("name")
            if kind not in ("function", "enum", "typedef") or member.get("prot") == "private":
                continue
            if "default" in member.findtext("argsstring", "") or "delete" in member.findtext("argsstring", ""):
                continue
            seen += 1
            if not text(member):
                silent.append(f"{name}::{word}{member.findtext('argsstring', '')}")
    for name in silent:
        print(f"not documented: {name}", file=sys.stderr)
    print(f"{seen} classes and functions, {len(silent)} not documented")
    return 1 if silent or seen < 200 else 0


sys.exit(main(sys.argv[1]))
