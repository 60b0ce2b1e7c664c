"""The form of a commit's subject: `area: Imperative sentence`, at most 72 characters."""

import re

LONGEST = 72
FORM = re.compile(r"[a-z][a-z0-9_./+-]*(?:(?:, | )[a-z][a-z0-9_./+-]*)*: (.*)", re.DOTALL)

# First words that say nothing, or are no imperatives though they end like one.
REFUSED = {
    "various",
    "misc",
    "miscellaneous",
    "wip",
    "review",
    "cleanup",
    "tweaks",
    "minor",
    "some",
    "more",
    "new",
    "this",
    "the",
}
# Subjects of one such word say nothing.
ALONE = {"update", "fix", "change", "improve", "refactor", "clean", "edit", "format"}
# Verbs that end like a participle or a third person.
ING = {"bring", "string", "ping", "ring", "spring", "swing", "cling", "fling", "wing", "sing"}
ED = {"need", "feed", "embed", "speed", "seed", "exceed", "proceed", "shed", "shred", "heed", "breed", "wed", "weed"}
S = {"canvas", "focus", "bias", "alias", "bus", "canvass", "gas", "unbias", "discus"}


def fault(subject):
    """What is wrong with a subject; "" if nothing is."""
    if len(subject) > LONGEST:
        return f"has {len(subject)} characters, at most {LONGEST} are allowed"
    form = FORM.fullmatch(subject)
    if not form:
        return 'does not begin with an area in lower case, a colon and a space: "docs: Name the units"'
    sentence = form[1]
    if not re.match(r"[A-Z][a-z]", sentence):
        return "does not go on with a capital letter behind the area"
    if sentence.endswith((".", "!", " ", ":", ",")):
        return "ends with a full stop or a space"
    word = re.match(r"[\w-]+", sentence)[0].lower()
    words = sentence.split()
    if word in REFUSED or (word in ALONE and len(words) == 1):
        return f"says too little: {sentence.split()[0]}"
    if word.endswith("ing") and word not in ING:
        return f"does not begin with an imperative: {words[0]}"
    if word.endswith("ed") and word not in ED:
        return f"does not begin with an imperative: {words[0]}"
    if word.endswith("s") and not word.endswith("ss") and word not in S:
        return f"does not begin with an imperative: {words[0]}"
    return ""
