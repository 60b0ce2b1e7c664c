"""Compares the defaults that Python, JavaScript and the program state as words with those of the C++ option structs.

The three state them by hand, because their functions have parameters of their own. A word is right if an option struct
has it as the default of a field of that enumeration, or if table.DEFAULTS names it with a reason.
"""

from __future__ import annotations

import pathlib
import re

import table
from headers import snake
from outputs import Api


def stated_in_cpp(api: Api) -> dict[str, set[str]]:
    """The words that are defaults of fields, by enumeration; a field without an initialiser has the first word."""
    found: dict[str, set[str]] = {}
    for struct in api.structs.values():
        if struct.name.startswith("Custom"):  # for C++ alone
            continue
        for field in struct.fields:
            enum = api.enum_of(field.type, struct.namespace)
            if enum in api.word_enums:
                name = field.default.rpartition("::k")[2]
                value = next((v for v in enum.values if v.name == name), enum.values[0])
                found.setdefault(enum.name, set()).add(api.word(enum, value))
    return found


def stated_elsewhere(root: pathlib.Path, api: Api) -> list[tuple[str, str, str]]:
    """(file, enumeration, word) of every default that is a word."""
    names = {enum.name for enum in api.word_enums}
    found = []
    for path in sorted((root / "python/onepass").glob("_*.py")):
        for name, word in re.findall(r"^ +\w+: (?:Optional\[)?(\w+)\]? = \"(\w+)\",?$", path.read_text(), re.M):
            found.append((path, name, word))
    by_list = {f"{name[0].lower()}{name[1:]}Words": name for name in names}
    for path in sorted((root / "web/src").glob("*.js")):
        text = path.read_text()
        for word, words in re.findall(r"checkOneOf\(\s*'\w+',\s*\w+\.\w+ \?\? '(\w+)',\s*(\w+)\)", text):
            some = words[0].upper() + words[1:].removesuffix("s")  # footprints: those that the web has
            found.append((path, by_list.get(words, some), word))
    enum_of_option = {}
    program = {path: path.read_text() for path in sorted((root / "cli").glob("*.[ch]pp"))}
    for text in program.values():
        for name, option in re.findall(r"\bvalue_of<(?:\w+::)?(\w+)>\([\w.]+?(?:\.|->)(\w+)\)", text):
            enum_of_option[option] = name
    for path, text in program.items():
        for option, word in re.findall(r"^  std::string (\w+) = \"(\w+)\";", text, re.M):
            if option in enum_of_option:
                found.append((path, enum_of_option[option], word))
    return [(str(path.relative_to(root)), name, word) for path, name, word in found if name in names]


def check(root: pathlib.Path, api: Api) -> list[str]:
    """What is wrong, a line each."""
    right = stated_in_cpp(api)
    elsewhere = stated_elsewhere(root, api)
    problems = []
    for path, name, word in elsewhere:
        if word not in right.get(name, set()) and (name, word) not in table.DEFAULTS:
            known = ", ".join(sorted(right.get(name, set()))) or "none"
            problems.append(f"{path}: default '{word}' of {name}: in C++ it is {known}")
    for name, word in table.DEFAULTS:
        if not any((name, word) == stated[1:] for stated in elsewhere):
            problems.append(f"api/table.py: DEFAULTS has {snake(name)} '{word}', which nothing states")
    if len({path.split("/")[0] for path, _, _ in elsewhere}) != 3:
        problems.append("api/defaults.py: no defaults found in one of python, web and cli")
    return problems
