"""Figures that this project did not compute."""

from __future__ import annotations

from typing import Any

import golden
import numpy as np
import pytest
import xfjit
from xfjit import ops

RULES = {
    "kelvin": [{"chip": "nv2a"}, {"chip": "nv20"}],
    "rankine_legacy": [{"chip": "nv30", "arithmetic": "legacy"}],
    "rankine_modern": [{"chip": "nv30", "arithmetic": "modern"}, {"chip": "nv40"}],
}
OPERATIONS = golden.operations()


def result(unit: str, name: str, a: Any, b: Any, c: Any, whose: dict[str, str]) -> Any:
    """What an instruction computes, by the functions of ops."""
    if name == "MOV":
        return a if unit == "vec" else c
    if name in ("SFL", "STR"):
        return np.full_like(a, name == "STR")
    function = getattr(ops, name.lower())
    if unit == "sca":
        value = function(c if name == "LIT" else c[:, 0], **whose)
    else:
        operands = {"ADD": (a, c), "MAD": (a, b, c)}.get(name, (a,) if name in ("SSG", "FLR", "FRC") else (a, b))
        value = function(*operands, **whose)
    return value if value.ndim == 2 else np.repeat(value[:, None], 4, axis=1)


@pytest.mark.parametrize("key", OPERATIONS, ids="-".join)
def test_operations(key: tuple[str, str, str]) -> None:
    rules, unit, name = key
    operands, expected = OPERATIONS[key]
    a, b, c = operands.view(np.float32).transpose(1, 0, 2)
    for whose in RULES[rules]:
        got = result(unit, name, a, b, c, whose)
        np.testing.assert_array_equal(got.view(np.uint32), expected, err_msg=f"{key} {whose}")


def test_there_are_as_many_as_there_should_be() -> None:
    assert sum(len(results) for _, results in OPERATIONS.values()) == 20750


NAMES = {"xf_mul_nv10": "mul", "xf_add_v1": "add", "xf_sum3_v1": "sum3", "xf_sum4_v1": "sum4", "xf_rcp_lut1": "rcp",
         "xf_rcc_lut1": "rcc", "xf_rsq_v1_abs": "rsq", "xf2lt": "xf_to_lt"}  # fmt: skip
CELSIUS = {NAMES.get(name, name): cases for name, cases in golden.celsius().items()}


@pytest.mark.parametrize("name", sorted(CELSIUS.keys() & set(xfjit.OPERATIONS)))
def test_celsius(name: str) -> None:
    operands, expected = CELSIUS[name]
    for chip in ("nv10", "celsius"):
        got = ops.operation(name, *operands, chip=chip)
        np.testing.assert_array_equal(got.view(np.uint32), expected)


def test_celsius_is_tested() -> None:
    # Conversions of what leaves the chip are no operations here.
    assert CELSIUS.keys() - set(xfjit.OPERATIONS) == {"color_to_u8", "squash", "squash_xy"}


FILES = [
    ("kelvin_programs_hw.txt.xz", "nv2a", {"model": "hw"}, 1200),
    ("kelvin_programs_ieee.txt.xz", "nv2a", {"model": "ieee"}, 1200),
    ("rankine_programs_legacy.txt.xz", "nv30", {"options": {"arithmetic": "legacy"}}, 500),
    ("curie_programs_modern.txt.xz", "nv40", {}, 500),
]


@pytest.mark.parametrize(("name", "chip", "how", "least"), FILES, ids=[name for name, *_ in FILES])
def test_programs(name: str, chip: str, how: dict[str, Any], least: int) -> None:
    banks, vertices, cases = golden.programs(name)
    count = 0
    for number, case in enumerate(cases):
        count += 1
        options = dict(how.get("options", {}))
        if chip == "nv2a":
            # The files were computed register by register.
            options["fog_write"] = "masked"
        if case.bools:
            options["branch_bits"] = case.bools
        # Compiling takes longer than running four vertices.
        backend = "auto" if number % 8 == 0 else "interpreter"
        program = xfjit.Program(case.words, chip, backend=backend, **{**how, "options": options})
        for bank, vertex, expected in case.expected:
            got = program.run(vertices[vertex][None], banks[bank])
            for register, words, counts in expected:
                row = got[OUTPUTS[chip][register]][0].view(np.uint32)
                np.testing.assert_array_equal(row[counts], words[counts], err_msg=f"program {number} o{register}")
    assert count >= least


def names(chip: str) -> list[str]:
    """The outputs of a chip in the order of their numbers."""
    every = [f"o{register}" for register in range({"nv30": 23}.get(chip, 16))]
    return list(xfjit.Program("MOV oPos, v0", chip, outputs=every, backend="interpreter").outputs)


OUTPUTS = {chip: names(chip) for chip in ("nv2a", "nv30", "nv40")}
