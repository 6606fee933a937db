"""The order of the folders inside a module, for Scripts/check-rules.

A module of five folders or more lists them in its DESIGN.md, lowest first, one line each:

    ## Folders

    1. `Values`: the contents of the folder

A file may name types of its own folder and of lower ones. If it names a type of a higher folder,
that is an upward use, which counts once for each file and type. Only names of types are compared,
including those of extensions, not names of members. Files outside the folders, names that two
folders declare, and private types are ignored. A nested type is found by its full name,
`Outer.Inner`.
"""

import collections
import re

SMALLEST = 5  # A module with fewer folders needs no list.

MODIFIERS = (
    r"(?:@\w+(?:\([^)]*\))? )*((?:(?:public|package|private|fileprivate|internal|open|final|"
    r"indirect|nonisolated) )*)"
)
OUTER = re.compile(
    r"^%s(class|struct|enum|actor|protocol|typealias|extension) +([\w.]+)(.*)" % MODIFIERS)
INNER = re.compile(r"^  %s(class|struct|enum|actor|protocol|typealias) +([A-Z_]\w*)" % MODIFIERS)
COMMENT = re.compile(r"//[^\n]*|/\*[\s\S]*?\*/")
TEXT = re.compile(r'"""[\s\S]*?"""|"(?:\\\((?:[^()]|\([^()]*\))*\)|\\.|[^"\\\n])*"')
INTERPOLATION = re.compile(r"\\\(((?:[^()]|\([^()]*\))*)\)")
NAME = re.compile(r"(?<![\w.])[A-Z_]\w*(?:\.[A-Z]\w*)*")
LISTED = re.compile(r"^\d+\. `(\w+)`: \S")


def declared_types(text):
    """The full names of a file's types, without private ones."""
    outer = None
    for line in text.split("\n"):
        found = OUTER.match(line)
        if found:
            modifiers, kind, outer, rest = found.groups()
            if kind != "extension" and "private" not in modifiers:
                yield outer
            if rest.rstrip().endswith("}"):
                outer = None
        elif line.startswith("}"):
            outer = None
        elif outer:
            found = INNER.match(line)
            if found and "private" not in found.group(1):
                yield outer + "." + found.group(3)


def named_types(text, folders):
    """The types of the module that a file names; for a nested name, the longest known part."""
    code = TEXT.sub(lambda found: " ".join(INTERPOLATION.findall(found.group())), text)
    for name in set(NAME.findall(COMMENT.sub("", code))):
        while name and name not in folders:
            name = name.rpartition(".")[0]
        if name:
            yield name


def listed_folders(module):
    """The folders that the DESIGN.md of a module lists, lowest first."""
    try:
        with open("Sources/%s/DESIGN.md" % module, encoding="utf-8") as file:
            section = file.read().partition("\n## Folders\n")[2].partition("\n## ")[0]
    except FileNotFoundError:
        return []
    return [found.group(1) for found in map(LISTED.match, section.split("\n")) if found]


def modules(paths):
    """The texts of the Swift files in folders, by module, folder and path."""
    texts = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in paths:
        parts = path.split("/")
        if parts[0] == "Sources" and len(parts) > 3 and path.endswith(".swift"):
            try:
                with open(path, encoding="utf-8") as file:
                    texts[parts[1]][parts[2]][path] = file.read()
            except FileNotFoundError:
                continue
    return {module: found for module, found in texts.items() if len(found) >= SMALLEST}


def upward_uses(files, order):
    """The lower folder, the higher folder, the path and the name of each upward use."""
    folders = collections.defaultdict(set)
    for folder, texts in files.items():
        for text in texts.values():
            for name in declared_types(text):
                folders[name].add(folder)
    height = {folder: number for number, folder in enumerate(order)}
    for folder, texts in files.items():
        for path, text in sorted(texts.items()):
            for name in sorted(named_types(text, folders)):
                above = max(folders[name], key=height.get)
                if len(folders[name]) == 1 and height[above] > height[folder]:
                    yield folder, above, path, name


def check(paths):
    """Messages about wrong lists, and the places of upward uses by module and pair of folders."""
    wrong, places = [], collections.defaultdict(list)
    for module, files in sorted(modules(paths).items()):
        order = listed_folders(module)
        if sorted(order) != sorted(files):
            wrong.append(
                "Sources/%s/DESIGN.md: `## Folders` must list these once each, lowest first: %s"
                % (module, ", ".join(sorted(files))))
            continue
        for folder, above, path, name in upward_uses(files, order):
            places["%s/%s:%s" % (module, folder, above)].append("%s: %s" % (path, name))
    return wrong, places
