"""The ledger of proofs: one line for each recipe, beginning with its fingerprint; what follows a colon is how it is known to be right.

The test `tests/proofs` compares it with the recipes and with the golden functions, whose source has a fingerprint as well.
"""

import collections
import glob
import os

HEAD = """\
# How each recipe is known to be right (docs/PROOFS.md). `.ci/proofs` writes this file; do not edit it.
# FINGERPRINT PRIMITIVE MODEL RULES SHAPE PATHS.MACHINES: proved METHOD SECONDS | exhaustive TEST | gap REASON
"""


def fingerprint(text):
    """FNV-1a, as in crates/testing/src/proofs.rs."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def arithmetic(root):
    """Changes with the code of the golden functions, but not with comments or tests, nor with who may call them."""
    text = ""
    for path in sorted(glob.glob(os.path.join(root, "runtime/src/num/*.rs"))):
        with open(path) as file:
            code = file.read().split("#[cfg(test)]")[0]
        lines = [line.strip() for line in code.splitlines()]
        lines = [line for line in lines if line and not line.startswith(("//", "#[doc(hidden)]", "pub use "))]
        lines = [line.removeprefix("pub ") for line in lines]
        text += "\n".join([os.path.basename(path), *lines]) + "\n"
    return fingerprint(text)


class Ledger:
    """Statuses by fingerprints."""

    def __init__(self, path):
        self.path, self.arithmetic, self.solver, self.statuses = path, None, None, {}
        if not os.path.exists(path):
            return
        with open(path) as file:
            for line in file:
                left, _, right = line.strip().partition(": ")
                if left == "arithmetic":
                    self.arithmetic = right
                elif left == "solver":
                    self.solver = right
                elif right and not line.startswith("#"):
                    self.statuses[left.split()[0]] = right

    def write(self, recipes, arithmetic, solver):
        words = [self.statuses.get(recipe.fingerprint, "gap").split()[0].rstrip(":") for recipe in recipes]
        counts = ", ".join(f"{count} {word}" for word, count in sorted(collections.Counter(words).items()))
        lines = [HEAD, f"# {len(words)} recipes: {counts}.\n", f"arithmetic: {arithmetic}\n", f"solver: {solver}\n"]
        for recipe in recipes:
            status = self.statuses.get(recipe.fingerprint, "gap: never tried")
            lines.append(f"{recipe.fingerprint} {recipe.name}: {status}\n")
        with open(self.path + ".new", "w") as file:
            file.writelines(lines)
        os.replace(self.path + ".new", self.path)
