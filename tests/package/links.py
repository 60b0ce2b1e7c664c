#!/usr/bin/env python3
"""links.py PREFIX: every relative link and picture of the installed documents resolves, anchors included, and every path
that they name as <prefix>/PATH exists."""
import pathlib
import re
import sys

prefix = pathlib.Path(sys.argv[1])
documents = sorted((prefix / "share/doc/onepass").rglob("*.md"))
dead = []


def anchors_of(document):
    """The anchors of a document's headings: lower case, without punctuation, spaces as hyphens; repeated ones numbered."""
    seen = {}
    anchors = set()
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.*?) *$", text, re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        anchors.add(anchor if count == 0 else f"{anchor}-{count}")
    return anchors


if len(documents) < 30:
    sys.exit(f"{len(documents)} documents under {prefix}")
count = 0
for document in documents:
    text = document.read_text()
    name = document.relative_to(prefix)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    prose = re.sub(r"`[^`\n]*`", "code", prose)
    links = re.findall(r"\[[^]]*\]\(([^)\s]+)\)", prose) + re.findall(r'(?:src|srcset|href)="([^"]+)"', prose)
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        count += 1
        path, _, anchor = link.partition("#")
        target = (document.parent / path) if path else document
        if not target.exists():
            dead.append(f"{name}: {link}")
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            dead.append(f"{name}: {link}: no such heading")
    dead += [
        f"{name}: <prefix>/{path}"
        for path in re.findall(r"<prefix>/([\w./-]+)", text)
        if not (prefix / path.rstrip(".")).exists()
    ]
if count < 300:
    sys.exit(f"only {count} links found")
for line in dead:
    print(line, file=sys.stderr)
sys.exit(f"{len(dead)} of {count} links are dead" if dead else 0)
