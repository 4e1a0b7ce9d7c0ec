"""Recipes as `proofs recipes` prints them, as terms."""

import re

from floats import C, ENVIRONMENTS, INFINITY, is_nan, pure
from terms import any_of, band, eq, no, ult, var

INPUTS = [var(name) for name in "xyzw"]
# crates/ir/src/ir/host.rs: LEAST_SUMMED and greatest_exponent. `prove.py encodings` does not see them, proofs fail if they are others.
LEAST_SUMMED = 29 << 23


def greatest_exponent(rules):
    return (0xFA if rules.startswith("rankine") else 0xFC) << 23


class Recipe:
    """One entry of the list."""

    def __init__(self, fingerprint, name, text):
        self.fingerprint, self.name, self.text = fingerprint, name, text
        self.op, self.model, self.rules, self.shape, self.variants = name.split()

    def __str__(self):
        return self.name

    def lines(self):
        return [line.strip() for line in self.text.splitlines() if line.startswith("  ")]

    def feeding(self):
        """The values that the result is made of."""
        found = set()
        for line in reversed(self.lines()):
            words = line.replace(",", " ").split()
            if words[0] == "output" or words[0] in found:
                found.update(word for word in words[1:] if word.startswith("%"))
        return found

    def terms(self, inputs=INPUTS):
        """The result, and the conditions of its guards with their lines."""
        env, values, guards, result = ENVIRONMENTS[self.model], {}, [], None
        for line in self.lines():
            target, _, rest = line.rpartition(" = ")
            words = rest.replace(",", " ").split()
            op = words[0]
            args = [values[word] for word in words[1:] if word.startswith("%")]
            imm = next((word for word in words[1:] if not word.startswith("%")), "")
            if op == "guard":
                guards.append((line, no(eq(args[0], C(0)))))
            elif op == "big_guard":
                guards.append((line, ult(C(greatest_exponent(self.rules)), args[0])))
            elif op == "small_guard":
                guards.append((line, ult(args[0], C(LEAST_SUMMED - 1))))
            elif op == "row_guard":
                guards.append((line, any_of(is_nan(component) for component in inputs)))
            elif op == "output":
                result = args[0]
            elif op == "const":
                values[target] = C(int(imm, 16))
            elif op == "input":
                values[target] = inputs["xyzw".index(imm[-1])]
            else:
                number = int(imm) if re.fullmatch(r"\d+", imm) else 0
                values[target] = pure(op, number, env, args)
        if result is None:
            raise NotImplementedError("a row that is copied")
        return result, guards


def read(text):
    """All recipes of a list."""
    found = re.findall(r"^@ (\S+) ([^\n]+)\n(.*?^\})", text, re.S | re.M)
    return [Recipe(*parts) for parts in found]
