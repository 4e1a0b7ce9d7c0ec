"""The golden function of a recipe with its shape, as a term."""

import re

from floats import C
from recipes import INPUTS
from terms import band

SHORT = C(0xFFFFFC00)
ONE = C(0x3F800000)
MASKS = {"is_less", "is_equal", "is_greater", "is_negative"}
COUNTS = {
    "mul": 2, "sum2": 2, "sum3": 3, "sum4": 4, "min": 2, "max": 2, "slt": 2, "sge": 2, "seq": 2, "sne": 2, "sgt": 2, "sle": 2,
    "lit_z": 3, "lt_mul": 2, "lt_add": 2, "lt_add3": 3, "lts_mul": 2, "lts_add": 2,
}


def is_short(op):
    return op.startswith(("lt_", "lts_"))


class Goldens:
    """The functions of a module of LLVM IR."""

    def __init__(self, module):
        self.module = module

    def primitives(self, model, rules):
        """The functions that there are."""
        names = re.findall(r"6golden(\d+)" + f"{model}_{rules}" + r"(\d+)(\w+?)(?:17h|E)", "\n".join(self.module.functions))
        return sorted({name[:int(count)] for _, count, name in names if len(name) >= int(count)})

    def apply(self, recipe, op, args):
        name = self.module.find("golden", "golden", f"{recipe.model}_{recipe.rules}", op)
        return self.module.call(name, (list(args) + [C(0)] * 4)[:4])

    def operands(self, recipe):
        """As `Shape::operands` of crates/testing/src/recipe.rs makes them."""
        short = is_short(recipe.op)
        given = [band(x, SHORT) for x in INPUTS] if short else INPUTS
        product, total = ("lt_mul", "lt_add") if short else ("mul", "sum2")
        x, y, z, w = given
        if recipe.shape == "given":
            return given
        if recipe.shape == "product":
            return [self.apply(recipe, product, [x, y]), y, z, w]
        if recipe.shape == "squares":
            return [self.apply(recipe, product, [a, a]) for a in given[:COUNTS.get(recipe.op, 1)]]
        if recipe.shape in ("sums", "truths"):
            pairs = [[x, y], [y, z], [z, w], [w, x]]
            made = total if recipe.shape == "sums" else "sge"
            return [self.apply(recipe, made, pair) for pair in pairs[:COUNTS.get(recipe.op, 1)]]
        if recipe.shape == "part":
            return [x, self.apply(recipe, product, [x, self.apply(recipe, "ssg", [y])]), z, w]
        if recipe.shape == "positive":
            return [self.apply(recipe, "max", [a, C(0)]) for a in given[:COUNTS.get(recipe.op, 1)]]
        rest = C(0) if recipe.shape == "lone" else ONE
        return [self.apply(recipe, total, [x, y]), rest, rest, rest]

    def result(self, recipe):
        return self.of(recipe, self.operands(recipe))

    def of(self, recipe, operands):
        """The golden function of a recipe, of any operands."""
        result = self.apply(recipe, recipe.op, operands[:COUNTS.get(recipe.op, 1)])
        if recipe.op in MASKS:
            return band(result, C(1))
        if recipe.op in ("arl", "arr"):
            return result
        return self.apply(recipe, "canonical", [result])
