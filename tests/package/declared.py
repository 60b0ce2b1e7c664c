#!/usr/bin/env python3
"""declared.py XML LIBRARY...: whether shared libraries show what headers declare, and nothing else. XML is Doxygen's."""
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as tree


def declared(folder):
    """Names of all functions that need a definition, and of all functions."""
    needed, known = set(), set()
    for path in pathlib.Path(folder).glob("*.xml"):
        compound = tree.parse(path).getroot().find("compounddef")
        if compound is None or compound.get("kind") not in ("class", "struct", "namespace", "file"):
            continue
        scope = compound.findtext("compoundname") + "::"
        if compound.get("kind") == "file":
            scope = ""  # C functions
        elif not scope.startswith("onepass::") or "<" in scope:
            continue
        for member in compound.iter("memberdef"):
            arguments = member.findtext("argsstring", "")
            if member.get("kind") != "function" or member.get("prot") == "private":
                continue
            if not scope and not member.findtext("name").startswith("onepass_"):
                continue
            name = scope + member.findtext("name")
            known.add(name)
            inline = member.get("inline") == "yes" or member.get("constexpr") == "yes"
            template = member.find("templateparamlist") is not None or scope == "onepass::Result::"
            if not (inline or template or "default" in arguments or "delete" in arguments):
                needed.add(name)
    return needed, known


def shown(library):
    """Names of the functions in a dynamic symbol table."""
    table = subprocess.run(["nm", "-DC", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = set()
    for line in table.splitlines():
        kind, name = line.split(maxsplit=2)[1:]
        if kind != "A":
            # g++ marks functions that return strings of its newer ABI with [abi:cxx11].
            names.add(name.split("(")[0].split("@")[0].replace("[abi:cxx11]", ""))
    return names


def special(name):
    """Constructors, destructors and assignments: a class is shown with all of them."""
    parts = name.split("::")
    return parts[-1].startswith(("~", "operator=")) or (len(parts) > 1 and parts[-1] == parts[-2])


def main(folder, libraries):
    needed, known = declared(folder)
    there = set().union(*map(shown, libraries))
    missing = sorted(name for name in needed - there if not special(name))
    extra = sorted(name for name in there - known if not special(name))
    for name in missing:
        print(f"declared without ONEPASS_API: {name}", file=sys.stderr)
    for name in extra:
        print(f"shown, but in no header: {name}", file=sys.stderr)
    print(f"{len(needed)} functions declared, {len(there)} shown")
    return 1 if missing or extra or len(needed) < 100 else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
