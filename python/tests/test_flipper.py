"""Flipper as a device."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xfjit


def cp(number: int, value: int) -> bytes:
    return struct.pack(">BBI", 8, number, value)


def scene(base: int) -> bytes:
    """Three bytes of a position, indexed; one row of a matrix; a register of BP; a triangle."""
    row = struct.pack(">4f", 2, 0, 0, 1)
    loads = cp(0x50, 2 << 9) + cp(0x70, 1) + cp(0xA0, base) + cp(0xB0, 3) + b"\x10\x00\x03\x00\x00" + row
    return loads + b"\x61\x45\x00\x00\x02" + b"\x90\x00\x03\x00\x01\x02"


DATA = bytes([1, 0, 0, 2, 9, 0, 3, 0, 8])


@pytest.mark.parametrize("piece", [1, 2, 7, 100])
def test_streams_come_in_pieces(piece: int) -> None:
    unit = xfjit.Flipper(console="wii")
    stream, out = scene(0x1000_0000), []
    for at in range(0, len(stream), piece):
        out += unit.run(stream[at : at + piece], second=DATA)
    assert out[0] == {"kind": "bp", "register": 0x45, "value": 2}
    assert out[1]["kind"] == "draw" and out[1]["primitive"] == "triangles" and len(out) == 2
    np.testing.assert_array_equal(out[1]["outputs"]["eye"][:, 0], np.array([3, 5, 7], np.float32))
    assert out[1]["outputs"]["mask"].dtype == np.uint32 and out[1]["disagreement"] == []


def test_parts_of_a_draw() -> None:
    unit = xfjit.Flipper("dolphin-jit")
    whole = unit.run(scene(0), DATA)[1]
    alone = unit.draw("triangles", 0, 3, b"\0\1\2", DATA)
    for name, rows in whole["outputs"].items():
        np.testing.assert_array_equal(alone["outputs"][name], rows)
    fetched = unit.fetch("points", 0, 3, b"\0\xff\2", DATA)
    np.testing.assert_array_equal(fetched["position"][:, :3], np.array([[1, 0, 0], [3, 0, 8]], np.float32))
    assert fetched["matrices"].tolist() == [[0] * 9] * 2
    assert not unit.culled("strip", 0, 3, b"\0\1\2", DATA)
    assert unit.culled("strip", 0, 3, b"\0\1\2", DATA, back=True)


def test_arrays_are_transformed_as_draws_are() -> None:
    unit = xfjit.Flipper()
    unit.load_xf(0x1009, [2])
    draw = unit.run(scene(0), DATA)[1]
    fetched = unit.fetch("triangles", 0, 3, b"\0\1\2", DATA)
    before = unit.save()
    made = unit.transform({name: fetched[name] for name in ("position", "normal", "matrices")})
    assert unit.save() == before
    for name, rows in draw["outputs"].items():
        np.testing.assert_array_equal(made[name], rows, name)
        assert made[name].dtype == rows.dtype
    strided = np.zeros((4, 3, 5), np.float32)
    strided[:, 1, :3] = [[1, 0, 0], [2, 9, 0], [3, 0, 8], [4, 0, 0]]
    made = unit.transform({"position": strided[:, 1, :3], "colour0": np.full((4, 4), 255, np.float32)})
    np.testing.assert_array_equal(made["eye"][:, 0], np.array([3, 5, 7, 9], np.float32))
    assert unit.transform({})["clip"].shape == (0, 4)


@pytest.mark.parametrize("budget", [1, 3, 40, 1000])
def test_a_budget_ends_a_call(budget: int) -> None:
    unit, stream = xfjit.Flipper(), b"\x40\0\0\0\x40\0\0\0\x60" + scene(0)
    memory = DATA.ljust(0x40, b"\0") + b"\x61\x45\0\0\7".ljust(0x60, b"\0")
    whole, calls = xfjit.Flipper().run(stream, memory), 0
    out: list[dict[str, Any]] = []
    while stream or unit.in_list:
        some, taken = unit.run_some(stream, budget, memory)
        out, stream, calls = out + some, stream[taken:], calls + 1
    assert [item["kind"] for item in out] == [item["kind"] for item in whole] == ["call", "bp", "bp", "draw"]
    assert calls > 1 or budget == 1000


def test_registers_states_and_traces() -> None:
    unit = xfjit.Flipper()
    unit.load_cp(0xA1, 0xFFFF_FFFF)
    unit.load_xf(0x1056, [7, 1.0, 9])
    assert unit.read_cp(0xA1) == 0x03FF_FFFF and unit.read_xf(0x1055, 4) == [0, 7, 0x3F80_0000, 0]
    state = unit.save()
    other = xfjit.Flipper()
    other.restore(state)
    assert other.save() == state
    assert other.recorded() is None
    other.record()
    other.run(scene(0), DATA)
    trace = other.recorded()
    assert trace is not None and trace.startswith("chip flipper\n") and "draw 0x90 3 00 01 02" in trace


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: xfjit.Flipper("whale"), "`whale` is not a dialect: spec, dolphin-sw, dolphin-jit, dolphin"),
        (lambda: xfjit.Flipper(console="n64"), "`n64` is not a console: gamecube, wii"),
        (lambda: xfjit.Flipper(quirks={"depth": "deep"}), "quirk depth: `deep` is not one of plain, lessened"),
        (lambda: xfjit.Flipper(held=257), "held: the number must be 0 to 256"),
        (lambda: xfjit.Flipper(quirks={"deep": "plain"}), "`deep` is not a quirk of Flipper: depth,"),
        (lambda: xfjit.Flipper().load_cp(256, 0), "number: the number must be 0 to 255"),
        (lambda: xfjit.Flipper().draw("cube", 0, 0, b""), "`cube` is not a primitive: quads"),
        (lambda: xfjit.Flipper().draw("quads", 8, 0, b""), "formats: the number must be 0 to 7"),
        (lambda: xfjit.Flipper().restore(b"xfjit"), "this is not a state"),
        (lambda: xfjit.Flipper().run_some(b"", 0), "budget: the number must be 1 to"),
        (lambda: xfjit.Flipper().transform({"pos": np.zeros((1, 3), np.float32)}), "`pos` is not an attribute: position"),
        (
            lambda: xfjit.Flipper().transform({"position": np.zeros((1, 5), np.float32)}),
            "position: the shape must be (vertices, 1 to 4), not [1, 5]",
        ),
        (
            lambda: xfjit.Flipper().transform({"matrices": np.zeros((1, 8), np.uint8)}),
            "matrices: the shape must be (vertices, 9), not [1, 8]",
        ),
        (
            lambda: xfjit.Flipper().transform(
                {"position": np.zeros((2, 3), np.float32), "normal": np.zeros((1, 3), np.float32)}
            ),
            "normal: there are 1 vertices, of other attributes 2",
        ),
    ],
)
def test_what_is_refused(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(xfjit.Error) as refused:
        call()
    assert str(refused.value).startswith(words)


def test_too_few_bytes() -> None:
    unit = xfjit.Flipper()
    unit.load_cp(0x50, 1)
    for act in (unit.draw, unit.fetch, unit.culled):
        with pytest.raises(xfjit.Error, match="the vertices need 3 bytes"):
            act("points", 0, 3, b"\0\0")


def test_more_vertices_than_there_is_memory() -> None:
    unit = xfjit.Flipper()
    for count in (1 << 45, 1 << 56, 1 << 59):
        with pytest.raises(MemoryError):
            unit.transform({"position": np.broadcast_to(np.zeros((1, 3), np.float32), (count, 3))})
        with pytest.raises(MemoryError):
            unit.transform({"matrices": np.broadcast_to(np.zeros((1, 9), np.uint8), (count, 9))})


def test_many_vertices_are_transformed_in_parts() -> None:
    unit = xfjit.Flipper()
    unit.load_xf(0, [2, 0, 0, 1])
    for count in (4095, 4096, 4097, 10_000):
        positions = np.random.default_rng(count).standard_normal((count, 3), np.float32)
        made = unit.transform({"position": positions})
        some = np.arange(0, count, 997)
        for name, rows in unit.transform({"position": positions[some]}).items():
            assert len(made[name]) == count
            np.testing.assert_array_equal(made[name][some].view(np.uint32), rows.view(np.uint32))


def test_words_of_arrays_are_bits() -> None:
    unit = xfjit.Flipper()
    expected = [0x4000_0000, 0, 0, 0x3F80_0000]
    floats = np.array([2, 0, 0, 1], np.float32)
    forms: list[Any] = [
        floats, floats.view(np.uint32), list(floats), [2.0, 0, 0, np.float32(1)], floats.astype(np.float64),
        np.array([[2, 9], [0, 9], [0, 9], [1, 9]], np.float32)[:, 0], np.array(expected, np.int64),
    ]  # fmt: skip
    for words in forms:
        unit.load_xf(0, [0, 0, 0, 0])
        unit.load_xf(0, words)
        assert unit.read_xf(0, 4) == expected, words
    unit.load_xf(0, np.array([0x7FA0_0001], np.uint32).view(np.float32))
    assert unit.read_xf(0, 1) == [0x7FA0_0001]
    with pytest.raises(xfjit.Error, match="words: there are more than 1"):
        unit.load_xf(0xFFFF, floats)
    assert unit.read_xf(0xFFFF, 1) == [0]
