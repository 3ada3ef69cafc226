"""Locks every direct dependency at the least version that Cargo.toml allows.

Run in a copy of the crate, whose Cargo.toml and Cargo.lock it changes. Fails with cargo's reason where such a version
cannot be had together with the others: then Cargo.toml promises too much.
"""

import json
import re
import subprocess
import sys


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], capture_output=True, text=True)


# Only what users of the crate build: neither the crates of its tests nor the other member of the workspace.
text = open("Cargo.toml").read()
for section in ("workspace", "dev-dependencies"):
    text = re.sub(rf"(?ms)^\[{section}\]\n.*?(?=^\[)", "", text)
open("Cargo.toml", "w").write(text)

metadata = json.loads(cargo("metadata", "--no-deps", "--format-version", "1").stdout)
left = {}
for dependency in metadata["packages"][0]["dependencies"]:
    numbers = dependency["req"].lstrip("^").split(".")
    left[dependency["name"]] = ".".join((numbers + ["0", "0"])[:3])
print(", ".join(f"{name} {least}" for name, least in left.items()))

# One may stand in the way of another, so there are several rounds.
while left:
    refused = {}
    for name, least in left.items():
        compatible = least.split(".")[: 2 if least.startswith("0.") else 1]
        known = re.findall(rf'name = "{name}"\nversion = "([^"]*)"', open("Cargo.lock").read())
        now = next(version for version in known if version.split(".")[: len(compatible)] == compatible)
        run = cargo("update", f"{name}@{now}", "--precise", least)
        if run.returncode:
            refused[name] = run.stderr
    if len(refused) == len(left):
        sys.exit("\n".join(f"{name} {left[name]} cannot be had: {why}" for name, why in refused.items()))
    left = {name: left[name] for name in refused}
