#!/usr/bin/env python3
"""Reads the manifests: the root's, and one for each kit under Packages/.

usage: manifests.py agree        prints how the root's manifest and the kits' differ, a line each; fails if they do
       manifests.py libraries    prints "TARGET FOLDER DEPENDENCY…" for each library target, dependencies first
"""
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "Packages"

# Products that one kit has for another: the root, which outside users see, has none of them.
BETWEEN_KITS = {"NetSQLite"}


def dump(folder):
    """A package's manifest as `swift package dump-package` reads it."""
    scratch = ROOT / ".build" / (Path("kits") / folder.name if folder != ROOT else "")
    command = ["swift", "package", "dump-package", "--package-path", folder, "--scratch-path", scratch]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{folder / 'Package.swift'} cannot be read:\n{result.stderr}")
    return json.loads(result.stdout)


def shared_block(folder):
    """The text that all manifests must hold unchanged: from the tools version to the platforms."""
    text = (folder / "Package.swift").read_text(encoding="utf-8")
    found = re.match(r"// swift-tools-version.*?\nlet settings: .*?\n\]\nlet platforms: [^\n]*\n", text, re.DOTALL)
    return found and found.group(0)


def dependencies(target):
    """What a target depends on: names with their conditions. How a manifest spells the dependency is its own affair."""
    found = set()
    for dependency in target["dependencies"]:
        (values,) = dependency.values()
        found.add((values[0], json.dumps(values[-1], sort_keys=True)))
    return found


def rest(description, *compared):
    return {key: value for key, value in description.items() if key not in compared}


def by_name(descriptions):
    return {description["name"]: description for description in descriptions}


def disagreements(root, kits):
    """Yields a line for each thing that the manifests do not agree about."""
    block = shared_block(ROOT)
    if not block:
        yield "Package.swift: does not begin with the tools version, `let settings` and `let platforms`"
    if root["dependencies"]:
        yield "Package.swift: has package dependencies, but then nobody can depend on it by URL"
    targets, products = by_name(root["targets"]), by_name(root["products"])
    for target in targets.values():
        if target["type"] == "test" and "path" not in target and not (ROOT / "Tests" / target["name"]).is_dir():
            yield f"Package.swift: the test target {target['name']} has no folder Tests/{target['name']}"

    # Tests, and what only they use, are the root's alone.
    housed = {name for name, target in targets.items() if (target.get("path") or "Tests/").startswith("Tests/")}
    sold = set()
    for folder, kit in kits.items():
        here = f"Packages/{folder.name}/Package.swift"
        if block and shared_block(folder) != block:
            yield f"{here}: its tools version, settings and platforms are not those of the root's Package.swift"
        if kit["name"] != folder.name:
            yield f"{here}: the package is named {kit['name']}, its folder {folder.name}"
        for dependency in kit["dependencies"]:
            paths = [Path(each["path"]) for each in dependency.get("fileSystem", [])]
            if not paths or any(path.resolve().parent != PACKAGES for path in paths):
                yield f"{here}: depends on something else than a kit in Packages/: {json.dumps(dependency)}"
        for target in kit["targets"]:
            name = target["name"]
            housed.add(name)
            if name not in targets:
                yield f"{here}: the target {name} is missing in the root's Package.swift"
                continue
            twin = targets[name]
            place = f"Packages/{folder.name}/{target.get('path', 'Sources/' + name)}"
            if twin.get("path") != place:
                yield f"{here}: the root's target {name} has the path {twin.get('path')}, not {place}"
            for dependency, condition in sorted(dependencies(target) ^ dependencies(twin)):
                where = "here" if (dependency, condition) in dependencies(target) else "in the root's Package.swift"
                when = "" if condition == "null" else f" under the condition {condition}"
                yield f"{here}: the target {name} depends on {dependency}{when} only {where}"
            mine, its = (rest(each, "dependencies", "path") for each in (target, twin))
            for key in sorted(mine.keys() | its.keys()):
                if mine.get(key) != its.get(key):
                    yield f"{here}: the {key} of the target {name} differ from those in the root's Package.swift"
        for product in kit["products"]:
            sold.add(product["name"])
            if product["name"] in BETWEEN_KITS:
                if product["name"] in products:
                    yield f"Package.swift: the product {product['name']} is for other kits alone"
            elif products.get(product["name"]) != product:
                yield f"{here}: the product {product['name']} is not the same in the root's Package.swift"
    for name in sorted(targets.keys() - housed):
        yield f"Package.swift: the target {name} is in no kit's manifest"
    for name in sorted(products.keys() - sold):
        yield f"Package.swift: the product {name} is in no kit's manifest"


def libraries(root):
    """The targets of the library products, each after those it depends on, with all the libraries below it."""
    targets = by_name(root["targets"])
    wanted = [name for product in root["products"] if "library" in product["type"] for name in product["targets"]]
    below = {}

    def visit(name):
        if name not in below:
            direct = [each for each, _ in sorted(dependencies(targets[name])) if each in targets]
            for each in direct:
                visit(each)
            below[name] = {each for one in direct for each in (one, *below[one]) if each in wanted}

    for name in wanted:
        visit(name)
    return [(name, targets[name]["path"], *sorted(below[name])) for name in below if name in wanted]


def main():
    mode = sys.argv[1] if len(sys.argv) == 2 else ""
    if mode == "libraries":
        for line in libraries(dump(ROOT)):
            print(*line)
    elif mode == "agree":
        folders = [ROOT, *sorted(path.parent for path in PACKAGES.glob("*/Package.swift"))]
        with ThreadPoolExecutor(2) as pool:
            root, *kits = pool.map(dump, folders)
        lines = list(disagreements(root, dict(zip(folders[1:], kits))))
        print(*lines, sep="\n", end="\n" if lines else "")
        sys.exit(1 if lines else 0)
    else:
        sys.exit(__doc__)


main()
