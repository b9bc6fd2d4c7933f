#!/usr/bin/env python3
"""Prints each import that a target must not have, as FILE:LINE: REASON, and fails if there is one."""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Targets that link no full Foundation on Linux: they import it only where FoundationEssentials does not exist.
ESSENTIALS_ONLY = {
    "BrewTips", "BrewTipsBackend", "NetCache", "NetCacheSQLite", "NetCore", "NetCurl", "NetGzip", "NetLoopback",
    "NetSQLite",
}
# The targets that may import a module; every other one may not. Tests may import anything.
ALLOWED = {
    "FoundationNetworking": {"NetTesting", "NetURLSession"},
    "Testing": {"NetTesting"},
    "XCTest": {"NetTesting"},
}
# Targets that may import nothing but what stands here.
NOTHING_ELSE = {"BrewTips": {"Foundation", "FoundationEssentials", "NetCore", "Observation"}}

IMPORT = re.compile(
    r"(?:^|;)\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)"
)
DIRECTIVE = re.compile(r"\s*#(if|elseif|else|endif)\b\s*(.*?)\s*(?://.*)?$")


def imports(text):
    """Yields line, module and whether the line is compiled only where FoundationEssentials does not exist."""
    without_essentials = []  # one for each open #if: has the condition canImport(FoundationEssentials) been passed by?
    openings = []
    for number, line in enumerate(text.splitlines(), 1):
        directive = DIRECTIVE.match(line)
        if directive:
            keyword, condition = directive.groups()
            if keyword == "if":
                openings.append(condition)
                without_essentials.append(False)
            elif keyword == "endif" and openings:
                openings.pop()
                without_essentials.pop()
            elif openings:
                without_essentials[-1] |= openings[-1] == "canImport(FoundationEssentials)"
        else:
            for found in IMPORT.finditer(line):
                yield number, found.group(1), any(without_essentials)


def declared_dependencies():
    """For each target of the root's manifest, the names of what it depends on."""
    dump = subprocess.run(["swift", "package", "dump-package"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return {
        target["name"]: {next(iter(each.values()))[0] for each in target["dependencies"]}
        for target in json.loads(dump)["targets"]
    }


def reason_against(target, module, without_essentials, is_test, declared):
    # The compiler finds a module that anything else in the build happened to build before.
    if module in declared and module not in declared.get(target, {module}) | {target}:
        return f"{target} does not declare that it depends on {module}"
    if is_test:
        return None
    if module == "Foundation" and target in ESSENTIALS_ONLY and not without_essentials:
        return "import Foundation only in the #else of #if canImport(FoundationEssentials)"
    if target not in ALLOWED.get(module, {target}):
        return f"only {' and '.join(sorted(ALLOWED[module]))} may import {module}"
    if module not in NOTHING_ELSE.get(target, {module}):
        return f"{target} may import only {', '.join(sorted(NOTHING_ELSE[target]))}, not {module}"
    return None


def main():
    declared = declared_dependencies()
    failed = False
    for path in sorted([*ROOT.glob("Packages/*/Sources/*/**/*.swift"), *ROOT.glob("Tests/*/**/*.swift")]):
        place = path.relative_to(ROOT)
        is_test = place.parts[0] == "Tests"
        target = place.parts[1 if is_test else 3]
        for number, module, without_essentials in imports(path.read_text(encoding="utf-8")):
            reason = reason_against(target, module, without_essentials, is_test, declared)
            if reason:
                print(f"{place}:{number}: {reason}")
                failed = True
    sys.exit(failed)


main()
