"""What the package does, and what it says when it cannot."""

from __future__ import annotations

import array
import collections
import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xfjit
from numpy.typing import NDArray

MUL = "MUL oPos, v0, c[0]\nMOV oD0, v3"


def f32(value: Any) -> NDArray[np.float32]:
    return np.array(value, dtype=np.float32)


def u32(value: Any) -> NDArray[np.uint32]:
    return np.array(value, dtype=np.uint32)


def bits(value: Any) -> Any:
    return np.asarray(value).view(np.uint32)


def test_text_and_words_are_the_same_program() -> None:
    words = xfjit.assemble(MUL)
    assert words.dtype == np.uint32 and words.shape == (2, 4)
    text = xfjit.disassemble(words)
    assert text == xfjit.Program(MUL).text == "MUL oPos, v0, c[0]\nMOV oD0, v3\n"
    forms: list[Any] = [words, words.ravel(), words.tobytes(), words.tolist(), words.ravel().tolist()]
    for given in (*forms, list(words), list(words.ravel())):
        assert xfjit.disassemble(given) == text
        np.testing.assert_array_equal(xfjit.Program(given).words, words)
    # At any address, at any stride.
    unaligned = np.zeros(33, np.uint8)[1:].view(np.uint32)
    unaligned[:] = words.ravel()
    for array in (unaligned, np.repeat(words, 2, axis=0)[::2]):
        assert xfjit.disassemble(array) == text


@pytest.mark.parametrize("chip", ["nv20", "nv2a", "nv30", "nv40", "kelvin", "rankine", "curie"])
def test_every_generation(chip: str) -> None:
    program = xfjit.Program("DP4 oPos.x, v0, c[1]", chip)
    assert xfjit.disassemble(xfjit.assemble("DP4 oPos.x, v0, c[1]", chip), chip) == program.text
    assert (program.inputs, program.outputs, program.constants_read) == ([0], {"oPos": "x"}, [1])
    assert (program.slots, program.constants_written, program.start) == (range(0, 1), [], 0)


LANGUAGES = {
    "!!VP1.0": ("MOV o[HPOS], v[OPOS]; END", "kelvin"),
    "!!VP1.1": ("SUB o[HPOS], v[OPOS], c[0]; END", "kelvin"),
    "!!VSP1.0": ("MOV c[3], v[0]; END", "kelvin"),
    "!!VP2.0": ("COS o[HPOS], v[OPOS].x; END", "rankine"),
    "!!VP3.0": ("MOV o[HPOS], v[OPOS]; END", "curie"),
    "!!ARBvp1.0": ("MOV result.position, vertex.position; END", "kelvin"),
}


@pytest.mark.parametrize("header", xfjit.LANGUAGES)
def test_every_language(header: str) -> None:
    body, generation = LANGUAGES[header]
    program = xfjit.Program(f"{header}\n{body}")
    assert program.generation == generation
    assert len(xfjit.assemble(f"{header}\n{body}")) == len(program.words)


#: Two operations of the vector unit and two of the scalar unit, one of which nobody reads.
LONG = "MUL r0, v0, c[0]\nRCP r1.x, v0.w\nRSQ r2.y, v0.z\nMUL oPos, r0, r1.x"
LONG_GL = "!!VP1.0\nMUL R0, v[0], c[0]; RCP R1.x, v[0].w; RSQ R2.y, v[0].z; MUL o[HPOS], R0, R1.x; END"


@pytest.mark.parametrize(("text", "default"), [(LONG, 4), (LONG_GL, 2)])
def test_programs_are_made_shorter(text: str, default: int) -> None:
    for pair, slots in ((None, default), (True, 2), (False, 4)):
        words = xfjit.assemble(text, pair=pair)
        program = xfjit.Program(text, pair=pair)
        assert len(words) == len(program.words) == slots
        np.testing.assert_array_equal(words, program.words)
        # Words stay as they are, unless something else is asked for.
        assert len(xfjit.Program(words).words) == len(xfjit.Program(words, pair=False).words) == slots
        assert len(xfjit.Program(words, pair=True).words) == 2
    assert len(xfjit.assemble(text)) == default


def test_a_shorter_program_computes_the_same_bits() -> None:
    generator = np.random.default_rng(1)
    vertices = generator.standard_normal((256, 16, 4), np.float32)
    runs = [
        bits(xfjit.Program(LONG, pair=pair, model=model).run(vertices, f32([[2.0, 3.0, 4.0, 5.0]]))["oPos"])
        for model in xfjit.MODELS
        for pair in (False, True)
    ]
    for plain, paired in zip(runs[::2], runs[1::2]):
        np.testing.assert_array_equal(plain, paired)
    with pytest.raises(TypeError):
        xfjit.assemble(LONG, pair="yes")  # type: ignore[arg-type]


def test_labels_are_for_people() -> None:
    text = "MUL oPos, v0, c[17]"
    program = xfjit.Program(text)
    assert program.label is None
    program.label = "skinning \N{GREEK SMALL LETTER ALPHA}"
    equal, other = xfjit.Program(text), xfjit.Program(text, model="ieee")
    assert (equal.label, other.label) == ("skinning \N{GREEK SMALL LETTER ALPHA}", None)
    for wrong, message in (("x" * 256, "a label of 256 bytes"), ("two\nlines", "a label contains U+000A")):
        with pytest.raises(xfjit.Error, match=re.escape(message)):
            program.label = wrong
    with pytest.raises(TypeError):
        program.label = 7  # type: ignore[assignment]
    assert equal.label == "skinning \N{GREEK SMALL LETTER ALPHA}"
    assert repr(equal).startswith("<xfjit.Program skinning \N{GREEK SMALL LETTER ALPHA}: kelvin, hw, 1 slots")
    equal.label = None
    assert program.label is None


def test_constants_of_opengl() -> None:
    text = """!!ARBvp1.0
    PARAM m[4] = { state.matrix.mvp }; PARAM two = 2;
    DP4 result.position.x, m[0], vertex.position; MUL result.color, two, program.env[2]; END"""
    program = xfjit.Program(text)
    assert sorted(program.bindings.values()) == [
        "program.env[2]", *(f"state.matrix.mvp.row[{row}]" for row in range(4)), "{ 2.0, 2.0, 2.0, 2.0 }",
    ]  # fmt: skip
    matrix = np.arange(16, dtype=np.float32).reshape(4, 4)
    constants = program.constants({"mvp": matrix, "program.env[2]": [1, 2, 3]})
    rows = {name: constants[row].tolist() for row, name in program.bindings.items()}
    assert rows["state.matrix.mvp.row[2]"] == [8, 9, 10, 11]
    assert rows["program.env[2]"] == [1, 2, 3, 1]
    out = program.run(f32([[[1, 2, 3, 4]]]), constants)
    assert out["oD0"].tolist() == [[2, 4, 6, 2]] and out["oPos"][0, 0] == 20
    # Without constants it has those of its text.
    assert program.run(f32([[[1, 2, 3, 4]]]))["oPos"][0, 0] == 1
    with pytest.raises(xfjit.Error, match="no inverse|binds|state"):
        program.constants({"nothing": 1.0})


@pytest.mark.parametrize("backend", ["auto", "native", "interpreter", "reference"])
@pytest.mark.parametrize("model", xfjit.MODELS)
def test_all_backends_agree(backend: str, model: str) -> None:
    rng = np.random.default_rng(1)
    vertices = rng.integers(0, 2**32, (1000, 16, 4), dtype=np.uint32)
    constants = rng.integers(0, 2**32, (192, 4), dtype=np.uint32)
    text = "DP4 R1.x, v0, c[0]\nMAD R2, v1, R1.x, c[7]\nRSQ R3, R2.x\nLIT oD0, R2\nMUL oPos, R2, R3"
    expected = xfjit.Program(text, model=model, backend="reference").run(vertices, constants)
    program = xfjit.Program(text, model=model, backend=backend)
    for name, rows in program.run(vertices, constants).items():
        np.testing.assert_array_equal(bits(rows), bits(expected[name]))
    assert program.is_native is (backend in ("auto", "native"))
    assert (program.backend, program.model, program.refusal) == (backend, model, None)


def test_arrays_are_read_and_written_where_they_are() -> None:
    program = xfjit.Program(MUL)
    constants = np.full((1, 4), 2, np.float32)
    whole = np.arange(5 * 8 * 4, dtype=np.float32).reshape(5, 8, 4)
    expected = (whole[:, 0] * 2, whole[:, 3])
    # Registers of a wider vertex, every other vertex, a row for all: whatever has rows of components side by side.
    for vertices in (whole, whole[:, :4], whole.astype(">f4").astype("<f4"), bits(whole)):
        out = program.run(vertices, constants)
        np.testing.assert_array_equal(out["oPos"], expected[0])
        np.testing.assert_array_equal(out["oD0"], expected[1])
    out = program.run(whole[::2], constants)
    np.testing.assert_array_equal(out["oPos"], expected[0][::2])
    out = program.run(np.broadcast_to(whole[1], (3, 8, 4)), constants)
    np.testing.assert_array_equal(out["oPos"], expected[0][[1, 1, 1]])
    # A dictionary; components that are missing are those of (0, 0, 0, 1).
    out = program.run({"v0": whole[:, 0, :2], 3: f32([7, 8])}, constants)
    assert out["oPos"][1].tolist() == [64, 66, 0, 2] and out["oD0"][4].tolist() == [7, 8, 0, 1]
    # Memory of the caller's, an unaligned one too.
    for memory in (np.empty((5, 2, 4), np.float32), np.zeros(5 * 32 + 1, np.uint8)[1:].view(np.uint32).reshape(5, 2, 4)):
        out = program.run(whole, constants, out=memory)
        assert np.shares_memory(out["oPos"], memory) and np.shares_memory(out["oD0"], memory)
        np.testing.assert_array_equal(memory.view(np.float32)[:, 0], expected[0])


def test_packed_attributes() -> None:
    program = xfjit.Program("MOV oPos, v2")
    raw = np.arange(48, dtype=np.uint8).reshape(4, 12)
    out = program.run({2: ("s1:3", raw[:, 2:10])})
    np.testing.assert_array_equal(out["oPos"], xfjit.decode("s1:3", raw[:, 2:10]))
    np.testing.assert_array_equal(xfjit.decode("s1:3", raw[:, 2:8].copy()), out["oPos"])
    np.testing.assert_array_equal(xfjit.decode("s1:3", raw[:, 2:8].tobytes()), out["oPos"])
    assert xfjit.decode("s32k:2", bytes([0, 1, 255, 255]), byteorder="big").tolist() == [[1, -1, 0, 1]]
    half = np.arange(1 << 16, dtype=np.uint16)
    values, expected = xfjit.decode("f16:1", half)[:, 0], half.view(np.float16).astype(np.float32)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(values[finite], expected[finite])


@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
def test_index_lists(kind: Any) -> None:
    program = xfjit.Program("MOV r0, v0\nADD oPos, r0, v1\nMOV oD0, v1", outputs="oPos")
    inputs = {0: f32([[1, 2, 3, 4], [5, 6, 7, 8], [9, 9, 9, 9]]), 1: f32([1, 1, 1, 1])}
    got = program.run(inputs, indices=np.array([2, 0, 0, 1, 2], kind))
    assert list(got) == ["oPos"]
    assert (got["oPos"] == program.run(inputs)["oPos"][[2, 0, 0, 1, 2]]).all()
    assert program.run(inputs, indices=np.array([], kind))["oPos"].shape == (0, 4)
    with pytest.raises(xfjit.Error):
        program.run(inputs, indices=np.array([0, 3], kind))
    with pytest.raises(xfjit.Error, match=r"the shape must be \(n,\), not \[1, 1\]"):
        program.run(inputs, indices=np.array([[0]], kind))
    with pytest.raises(xfjit.Error, match="contiguous"):
        program.run(inputs, indices=np.zeros(8, kind)[::2])


@pytest.mark.parametrize("kind", [np.int64, np.float32, np.uint8])
def test_index_lists_of_other_numbers(kind: Any) -> None:
    program = xfjit.Program("MOV oPos, v0")
    with pytest.raises(TypeError, match="numpy.uint16 or numpy.uint32 is needed"):
        program.run(np.ones((2, 1, 4), np.float32), indices=np.array([0, 1], kind))


def test_constants_that_are_missing() -> None:
    program = xfjit.Program("MUL oPos, v0, c[3]\nADD oD0, v0, c[4]")
    vertices = np.ones((2, 1, 4), np.float32)
    with pytest.warns(UserWarning, match=r"the program reads c\[3\] and one more row, and all of them are 0"):
        program.run(vertices)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program.run(vertices, program.constants())
        xfjit.Program("MOV oPos, v0").run(vertices)
        # Its text sets the row.
        xfjit.Program("!!ARBvp1.0\nMUL result.position, vertex.position, {1, 2, 3, 4};\nEND").run(vertices)


def test_outputs_as_text() -> None:
    text = "MOV oPos, v0\nMOV oD0, v1\nMOV oT0, v2"
    assert list(xfjit.Program(text, outputs="oPos oT0").outputs) == ["oPos", "oT0"]
    assert list(xfjit.Program(text, outputs=["oPos", "oT0"]).outputs) == ["oPos", "oT0"]
    with pytest.raises(xfjit.Error):
        xfjit.Program(text, outputs="oPos,oT0")


def test_empty_batches() -> None:
    program = xfjit.Program(MUL)
    for vertices in (np.empty((0, 16, 4), np.float32), {0: np.empty((0, 3), np.float32)}):
        assert {name: rows.shape for name, rows in program.run(vertices).items()} == {"oPos": (0, 4), "oD0": (0, 4)}
    # No attribute at all: defaults.
    assert program.run(np.empty((2, 0, 4), np.float32))["oD0"].tolist() == [[0, 0, 0, 1]] * 2
    assert program.run({})["oD0"].tolist() == [[0, 0, 0, 1]]
    assert xfjit.decode("f:4", b"").shape == (0, 4)
    assert xfjit.ops.rcp(np.empty((0, 3), np.float32)).shape == (0, 3)
    assert xfjit.Program("NOP").run(np.zeros((3, 1, 4), np.float32)) == {}


VERTICES = np.zeros((4, 2, 4), np.float32)
READ_ONLY = np.empty((4, 2, 4), np.float32)
READ_ONLY.flags.writeable = False
BAD: list[tuple[type[Exception], str, dict[str, Any]]] = [
    (TypeError, "inputs: numpy.float32 is needed (or numpy.uint32, its bits), not float64", {"inputs": np.zeros((4, 2, 4))}),
    (TypeError, "not >f4", {"inputs": VERTICES.astype(">f4")}),
    (TypeError, "not object", {"inputs": VERTICES.astype(object)}),
    (TypeError, "inputs: a numpy array is needed, not list", {"inputs": [[[1.0]]]}),
    (TypeError, "inputs: a numpy array is needed, not NoneType", {"inputs": None}),
    (ValueError, "inputs: the shape must be (vertices, registers, components)", {"inputs": VERTICES[0]}),
    (ValueError, "not [4, 17, 4]", {"inputs": np.zeros((4, 17, 4), np.float32)}),
    (ValueError, "not [4, 2, 5]", {"inputs": np.zeros((4, 2, 5), np.float32)}),
    (ValueError, "not [4, 2, 0]", {"inputs": np.zeros((4, 2, 0), np.float32)}),
    (ValueError, "v0: the components of a vertex are not side by side", {"inputs": VERTICES.transpose(0, 2, 1)}),
    (ValueError, "v0: the array runs backwards", {"inputs": VERTICES[::-1]}),
    (ValueError, "v0: the array runs backwards", {"inputs": VERTICES[:, ::-1]}),
    (ValueError, "there is no attribute v16; the last one is v15", {"inputs": {16: VERTICES[:, 0]}}),
    (TypeError, "the keys are registers", {"inputs": {"position": VERTICES[:, 0]}}),
    (TypeError, "the keys are registers", {"inputs": {-1: VERTICES[:, 0]}}),
    (ValueError, "v1 has 3 vertices, others have 4", {"inputs": {0: VERTICES[:, 0], 1: VERTICES[:3, 0]}}),
    (ValueError, "v1: the shape must be", {"inputs": {1: VERTICES}}),
    (ValueError, "`s1` is not a format", {"inputs": {0: ("s1", np.zeros((4, 8), np.uint8))}}),
    (ValueError, "v0 must be bytes of the shape (n, 6) for s1:3", {"inputs": {0: ("s1:3", np.zeros((4, 5), np.uint8))}}),
    (TypeError, "v0: numpy.uint8 is needed, not int8", {"inputs": {0: ("s1:3", np.zeros((4, 6), np.int8))}}),
    (TypeError, "constants: numpy.float32 is needed", {"constants": np.zeros((4, 4))}),
    (ValueError, "constants: the shape must be (rows, 4), not [4]", {"constants": np.zeros(4, np.float32)}),
    (ValueError, "constants: 193 rows, kelvin has 192", {"constants": np.zeros((193, 4), np.float32)}),
    (ValueError, "out: the shape must be [4, 2, 4], not [3, 2, 4]", {"out": np.empty((3, 2, 4), np.float32)}),
    (ValueError, "out: the array is not contiguous", {"out": np.empty((4, 4, 4), np.float32)[:, ::2]}),
    (ValueError, "out: the array is read-only", {"out": READ_ONLY}),
    (ValueError, "out: the array overlaps another one of the call", {"out": VERTICES}),
    (TypeError, "out: numpy.float32 is needed", {"out": np.empty((4, 2, 4))}),
    (MemoryError, "", {"inputs": np.broadcast_to(VERTICES[:1], (1 << 56, 2, 4))}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "message", "arguments"), BAD, ids=range(len(BAD)))
def test_bad_arrays(kind: type[Exception], message: str, arguments: dict[str, Any]) -> None:
    program = xfjit.Program(MUL, backend="interpreter")
    with pytest.raises(kind, match=re.escape(message) or None):
        program.run(**{"inputs": VERTICES, **arguments})
    # Nothing stays borrowed.
    program.run(VERTICES.copy(), out=np.empty((4, 2, 4), np.float32))


BAD_PROGRAMS: list[tuple[type[Exception], str, tuple[Any, ...], dict[str, Any]]] = [
    (xfjit.AssemblyError, "1:1: ", ("MUG oPos, v0",), {}),
    (xfjit.AssemblyError, "is not a header", ("!!VP9.0 END",), {}),
    (xfjit.AssemblyError, "", ("",), {}),
    (xfjit.Error, "the program has no words", (np.empty((0, 4), np.uint32),), {}),
    (xfjit.Error, "5 words are not a whole number of slots", (np.zeros(5, np.uint32),), {}),
    (xfjit.Error, "137 slots exceed the 136 of XFPR", (np.zeros((137, 4), np.uint32),), {}),
    (xfjit.Error, "start slot 2 is beyond the 2 slots given", (np.zeros((2, 4), np.uint32),), {"start": 2}),
    (TypeError, "words: numpy.uint32 is needed, not int64", (np.zeros((2, 4), np.int64),), {}),
    (TypeError, "a program is a text, or words", (3.5,), {}),
    (xfjit.Error, "a word: the number must be 0 to 4294967295", ([1 << 32, 0, 0, 0],), {}),
    (xfjit.Error, "start: the number must be 0 to 4294967295", (np.zeros((2, 4), np.uint32),), {"start": -1}),
    (xfjit.Error, "start: the number must be", (np.zeros((2, 4), np.uint32),), {"start": 1 << 99}),
    (TypeError, "", (np.zeros((2, 4), np.uint32),), {"start": 1.0}),
    (xfjit.Error, "timeout: the number must be 0 to", ("NOP", "nv40"), {"options": {"timeout": 1 << 40}}),
    (xfjit.Error, "timeout: the number must be 0 to", ("NOP", "nv40"), {"options": {"timeout": -1}}),
    (xfjit.Error, "start is for words", ("NOP",), {"start": 0}),
    (xfjit.Error, "`nv1` is not a chip: nv10, ", ("NOP", "nv1"), {}),
    (xfjit.Error, "`nv10` runs no programs", ("NOP", "nv10"), {}),
    (xfjit.Error, "`fast` is not a model: hw, ieee", ("NOP",), {"model": "fast"}),
    (xfjit.Error, "`gpu` is not a backend: auto, native, ", ("NOP",), {"backend": "gpu"}),
    (xfjit.Error, 'no preset is called "dolphin"', ("NOP",), {"preset": "dolphin"}),
    (xfjit.Error, "xemu runs no programs of curie", ("NOP", "nv40"), {"preset": "xemu"}),
    (xfjit.Error, "a preset sets its own model", ("NOP",), {"preset": "xemu", "model": "hw"}),
    (xfjit.Error, "`acces` is not an option: access, ", ("NOP",), {"options": {"acces": "user"}}),
    (xfjit.Error, "`all` is not one of its values: full, user", ("NOP",), {"options": {"access": "all"}}),
    (xfjit.Error, "kelvin has no option timeout", ("NOP",), {"options": {"timeout": 3}}),
    (xfjit.Error, "kelvin has no output `oT9`; there are oPos, ", ("NOP",), {"outputs": ["oT9"]}),
    (UnicodeEncodeError, "", ("\ud800",), {}),
]


@pytest.mark.parametrize(("kind", "message", "given", "keywords"), BAD_PROGRAMS, ids=range(len(BAD_PROGRAMS)))
def test_bad_programs(kind: type[Exception], message: str, given: Any, keywords: Any) -> None:
    with pytest.raises(kind, match=re.escape(message) or None):
        xfjit.Program(*given, **keywords)


def test_what_is_wrong_with_a_text() -> None:
    with pytest.raises(xfjit.AssemblyError) as caught:
        xfjit.assemble("MOV oPos, v0\nMUL oPos, v0, v1, q\nMOV oQ, v0")
    errors = caught.value.errors
    assert [error[0] for error in errors] == [2, 3] and all(isinstance(error[2], str) for error in errors)
    assert "MOV oQ, v0\n  |     ^^" in str(caught.value)
    assert issubclass(xfjit.AssemblyError, xfjit.Error) and issubclass(xfjit.Error, ValueError)


def test_options_reach_the_program() -> None:
    text = "REP: MOV oPos, v0\nBRA REP"
    stopped = xfjit.Program(text, "nv30", options={"timeout": 9, "arithmetic": "legacy"})
    stopped.run(np.zeros((3, 1, 4), np.float32))
    assert stopped.stats["timeouts"] == 3
    text = "MOV oPos, v0\nBRB OUT, b3\nMOV oPos, v1\nOUT: NOP"
    vertices = f32([[[1] * 4, [2] * 4]])
    for set_, expected in ((8, 1.0), (0, 2.0), ("8", 1.0)):
        program = xfjit.Program(text, "nv40", options={"branch_bits": set_})
        assert program.run(vertices)["oPos"][0, 0] == expected


def test_constants_that_are_written() -> None:
    text = "!!VSP1.0 ADD R0, c[3], v[0]; MOV c[3], R0; END"
    program = xfjit.Program(text)
    (row,) = program.constants_written
    constants = program.constants()
    program.run(np.ones((5, 1, 4), np.float32), constants)
    assert constants[row].tolist() == [5, 5, 5, 5] and np.count_nonzero(constants) == 4
    constants.flags.writeable = False
    with pytest.raises(xfjit.Error, match="constants, which the program writes: the array is read-only"):
        program.run(np.ones((5, 1, 4), np.float32), constants)
    with pytest.raises(xfjit.Error, match=r"must be \[192, 4\]"):
        program.run(np.ones((5, 1, 4), np.float32), np.zeros((100, 4), np.float32))


def test_comparing_models() -> None:
    program = xfjit.Program("RSQ oPos, v0.x\nMOV oD0, v0")
    vertices = f32([1, 2, 3, 4]).reshape(4, 1, 1)
    found = xfjit.compare(program, vertices)
    assert not found.differs["oD0"].any() and found.total == 32
    assert found.ulps["oPos"][0].tolist() == [1] * 4 and found.ulps["oPos"][3].tolist() == [1] * 4
    assert found.count == np.count_nonzero(found.differs["oPos"])
    assert str(found).startswith(f"{found.count} of 32 components differ\noPos.x: ")
    same = xfjit.compare(program, vertices, models=("hw", "hw"), backend="interpreter")
    assert same.count == 0


def test_ulps() -> None:
    one = np.float32(1)
    above = np.nextafter(one, np.float32(2))
    least = np.uint32(1).view(np.float32)
    assert xfjit.ulps(one, above) == 1 and xfjit.ulps(above, one) == -1
    assert xfjit.ulps(np.float32(-0.0), np.float32(0)) == 0 and xfjit.ulps(-least, least) == 2
    nan, other = u32([0x7FC00000, 0xFFFFFFFF])
    assert xfjit.ulps(nan, other) == 0 and xfjit.ulps(nan, bits(one)) == np.iinfo(np.int64).max
    with pytest.raises(TypeError, match="not float64"):
        xfjit.ulps(np.zeros(3), np.zeros(3, np.float32))  # type: ignore[arg-type]


def test_stepping() -> None:
    program = xfjit.Program("MOV R1, v0\nARL A0.x, v1.x\nMUL R2, R1, c[A0.x + 1]\nMOV oPos, R2")
    constants = np.zeros((192, 4), np.float32)
    constants[3] = 10
    vertex = xfjit.Stepper(program, f32([[1, 2, 3, 4], [2.5, 0, 0, 0]]), constants)
    assert (vertex.slot, vertex.instruction, vertex.ended) == (0, "MOV r1, v0", None)
    assert vertex.step() is None and vertex["R1"].tolist() == [1, 2, 3, 4] == vertex.temps[1].tolist()
    assert vertex.step() is None and vertex.a0 == 2 and vertex["A0"][0] == 2
    vertex["r1"] = (5, 6, 7, 8)
    vertex["c3"] = f32([1, 1, 1, 2])
    assert repr(vertex) == "<xfjit.Stepper: slot 2: MUL r2, r1, c[a0 + 1]>"
    assert vertex.run() == "done" == vertex.ended and vertex.instruction is None
    assert vertex["oPos"].tolist() == [5, 6, 7, 16] == vertex.outputs[0].tolist()
    assert vertex["R12"].tolist() == [5, 6, 7, 16] == vertex.temps[12].tolist() and len(vertex.temps) == 13
    # Back, with another address, which is clamped to what the register holds.
    vertex = xfjit.Stepper(program, {0: f32([1, 2, 3, 4])})
    vertex.step(), vertex.step()
    vertex.a0 = 10000
    assert vertex.a0 == 255
    vertex["A0"] = (-3, 0, 0, 0)
    assert vertex.a0 == -3
    vertex.slot = 3
    temps = vertex.temps.copy()
    temps[2] = 9
    vertex.temps = temps
    assert vertex.step() == "done" and vertex["o0"].tolist() == [9] * 4
    for name in ("temps", "outputs", "constants", "inputs"):
        rows = getattr(vertex, name)
        with pytest.raises(ValueError, match="read-only"):
            rows[0] = 1
        changed = rows.copy()
        changed[5] = 3
        setattr(vertex, name, changed)
        np.testing.assert_array_equal(getattr(vertex, name), changed)
        with pytest.raises(xfjit.Error, match=f"{name}: there are {len(rows)} registers, not 1"):
            setattr(vertex, name, rows[:1])


def test_stepping_is_what_runs_do() -> None:
    rng = np.random.default_rng(2)
    text = "DP4 R1.x, v0, c[0]\nMAD R2, v1, R1.x, c[7]\nRSQ R3, R2.x\nLIT oD0, R2\nMUL oPos, R2, R3"
    constants = rng.normal(size=(192, 4)).astype(np.float32)
    vertices = rng.normal(size=(20, 16, 4)).astype(np.float32)
    for model in xfjit.MODELS:
        program = xfjit.Program(text, model=model)
        out = program.run(vertices, constants)
        for number, vertex in enumerate(vertices):
            stepper = xfjit.Stepper(program, vertex, constants)
            assert stepper.run() == "done"
            for name, rows in out.items():
                np.testing.assert_array_equal(bits(stepper[name]), bits(rows[number]))


def test_bad_steps() -> None:
    program = xfjit.Program("MOV oPos, v0")
    with pytest.raises(xfjit.Error, match="takes one vertex, not 2"):
        xfjit.Stepper(program, np.zeros((2, 1, 4), np.float32))
    with pytest.raises(TypeError, match="inputs: a numpy array is needed, not list"):
        xfjit.Stepper(program, [[1.0, 2.0]])  # type: ignore[arg-type]
    with pytest.raises(xfjit.Error, match="inputs: the shape must be"):
        xfjit.Stepper(program, np.zeros((17, 4), np.float32))
    assert xfjit.Stepper(program, np.zeros((0, 4), np.float32))["v15"].tolist() == [0, 0, 0, 1]
    vertex = xfjit.Stepper(program)
    for name in ("R13", "v16", "c192", "A2", "x", "", "oT9", "R-1", "R1 "):
        with pytest.raises(KeyError):
            vertex[name]
        with pytest.raises(KeyError):
            vertex[name] = (1, 2, 3, 4)
    with pytest.raises(TypeError, match="R1: four numbers are needed"):
        vertex["R1"] = 3
    with pytest.raises(xfjit.Error, match="R1: four components are needed"):
        vertex["R1"] = np.zeros(3, np.float32)
    vertex.slot = 10**9
    assert vertex.instruction is None and vertex.step() == "done"
    endless = xfjit.Stepper(xfjit.Program("L: ADD R0, R0, R0\nBRA L", "nv30", options={"timeout": 100}))
    assert endless.run() == "timeout" and endless.left == 0


def test_bad_operations() -> None:
    ops = xfjit.ops
    cases: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (xfjit.Error, "`sqrt` is not an operation: mul, ", lambda: ops.operation("sqrt", 1.0)),
        (xfjit.Error, "mul has 2 operands, not 1", lambda: ops.operation("mul", 1.0)),
        (xfjit.Error, "mul has 2 operands, not 0", lambda: ops.operation("mul")),
        (TypeError, "an operand of rcp: numpy.float32 is needed", lambda: ops.rcp(np.zeros(3))),
        (TypeError, "not int64", lambda: ops.rcp(np.arange(3, dtype=np.int64))),
        (ValueError, "broadcast", lambda: ops.mul(np.zeros(3, np.float32), np.zeros(4, np.float32))),
        (xfjit.Error, "dp4: 4 components are needed", lambda: ops.dp4(np.zeros(3, np.float32), np.zeros(4, np.float32))),
        (xfjit.Error, "lit: 4 components are needed", lambda: ops.lit(1.0)),
        (xfjit.Error, "`nv50` is not a chip", lambda: ops.rcp(1.0, chip="nv50")),
        (xfjit.Error, "`new` are not arithmetic rules: legacy, modern", lambda: ops.rcp(1.0, arithmetic="new")),
    ]
    for kind, message, call in cases:
        with pytest.raises(kind, match=re.escape(message) or None):
            call()


def test_operations_take_any_array() -> None:
    values = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4)
    expected = np.array([xfjit.ops.rcp(value) for value in values.ravel()]).reshape(values.shape)
    for given, result in ((values, expected), (values.T, expected.T), (values[::-1, ::2], expected[::-1, ::2])):
        np.testing.assert_array_equal(xfjit.ops.rcp(given), result)
    np.testing.assert_array_equal(xfjit.ops.mul(values, np.float32(2)), values * 2)
    assert xfjit.ops.arl(f32([-1.5, 2.9, 1e9])).tolist() == [-2, 2, 255]
    assert xfjit.ops.rcp(np.uint32(0x40000000)) == 0.5


def test_threads_run_side_by_side() -> None:
    program = xfjit.Program("DP4 oPos.x, v0, c[0]\nRSQ oPos.y, v0.x")
    vertices = np.random.default_rng(3).normal(size=(20000, 1, 4)).astype(np.float32)
    constants = np.ones((1, 4), np.float32)
    expected = bits(program.run(vertices, constants)["oPos"]).copy()
    wrong: list[int] = []

    def work() -> None:
        for turn in range(20):
            if not np.array_equal(bits(program.run(vertices, constants)["oPos"]), expected):
                wrong.append(turn)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert program.stats["vertices"] >= 81 * 20000


def test_threads_divide_a_batch() -> None:
    program = xfjit.Program("MUL r0, v0, c[0]\nMAD oPos, r0, r0, v1\nMOV oD0, r0", model="ieee")
    random = np.random.default_rng(7)
    words = random.integers(0, 1 << 32, (200_000, 2, 4), dtype=np.uint32)
    constants = np.full((1, 4), 3, np.float32)
    alone = program.run(words, constants)
    left = program.stats["deopt_groups"]
    for number, threads in enumerate([None, 0, 1, 2, 3, 64], 2):
        together = program.run(words, constants, threads=threads)
        assert all(np.array_equal(alone[name].view(np.uint32), together[name].view(np.uint32)) for name in alone)
        assert program.stats["deopt_groups"] == number * left
    with pytest.raises(xfjit.Error, match="threads"):
        program.run(words, threads=-1)


def test_others_run_meanwhile() -> None:
    # A call that takes long, under the interpreter: this thread goes on while another one is in it.
    program = xfjit.Program(
        "!!ARBvp1.0\n" + "LIT result.color, vertex.position;\n" * 100 + "END", backend="reference"
    )
    for count in (30_000 << shift for shift in range(10)):
        vertices = np.ones((count, 1, 4), np.float32)
        done = threading.Event()

        def work(vertices: Any = vertices, done: threading.Event = done) -> None:
            program.run(vertices)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        turns = 0
        while not done.wait(0.0005):
            turns += 1
        thread.join()
        # Before the call begins, and behind it, there may be some; a machine that is busy may leave none.
        if turns > 20:
            return
    raise AssertionError("a run keeps others from running")


def test_names() -> None:
    assert xfjit.MODELS == ("hw", "ieee") and "nv2a" in xfjit.CHIPS and "xemu" in xfjit.PRESETS
    assert set(xfjit.GENERATIONS) == {"kelvin", "rankine", "curie"} and "s1" in xfjit.ENCODINGS
    assert sorted(xfjit.__all__) == sorted(set(xfjit.__all__))
    assert all(hasattr(xfjit, name) for name in xfjit.__all__)
    assert all(hasattr(xfjit.ops, name) for name in xfjit.ops.__all__)
    assert repr(xfjit.Program("MOV oPos, v0")) == "<xfjit.Program: kelvin, hw, 1 slots, outputs oPos>"


class Index:
    """A number that does something when it is looked at."""

    def __init__(self, number: int, act: Callable[[], Any]) -> None:
        self.number, self.act = number, act

    def __index__(self) -> int:
        self.act()
        return self.number

    def __float__(self) -> float:
        self.act()
        return float(self.number)


@pytest.mark.parametrize("kind", [np.float32, np.uint32])
def test_arrays_stay_where_they_are_while_arguments_are_looked_at(kind: Any) -> None:
    """What is taken of an array is read, whatever code of the caller's does meanwhile."""
    program = xfjit.Program("MOV oPos, v0\nMOV oD0, v1", backend="interpreter")
    positions = np.full((200_000, 4), 1, kind)
    other = np.zeros((200_000, 4), np.float32)

    def resize() -> None:
        positions.resize((1, 4), refcheck=False)

    def reshape() -> None:
        positions.shape = (positions.size,)

    for act in (resize, reshape):
        positions = np.full((200_000, 4), 1, kind)
        # Keys are looked at before arrays are: what the array is then is what is read, or refused.
        try:
            out = program.run({0: positions, Index(1, act): other})
        except xfjit.Error as reason:
            assert re.match("v[01]", str(reason))
        else:
            assert bits(out["oPos"]).min() == bits(np.array(1, kind)).max() and len(out["oPos"]) == len(other)
    # In the middle of a run as well: nobody resizes what it reads or writes, and what it has borrowed it gives back.
    positions = np.full((400_000, 4), 1, kind)
    memory = np.empty((400_000, 2, 4), np.float32)
    done = threading.Event()

    def meddle() -> None:
        while not done.is_set():
            for array in (positions, memory):
                try:
                    array.resize(4, refcheck=False)
                except ValueError:
                    pass
                array.shape = array.shape

    for _ in range(3):
        done.clear()
        positions = np.full((400_000, 4), 1, kind)
        memory = np.empty((400_000, 2, 4), np.float32)
        view = positions.reshape(400_000, 4)
        thread = threading.Thread(target=meddle)
        thread.start()
        try:
            program.run({0: view}, out=memory)
        except (xfjit.Error, ValueError):
            pass
        finally:
            done.set()
            thread.join()


def test_what_is_taken_is_pinned_until_the_call_ends() -> None:
    """A class of the caller's own runs code when the memory of a second array is asked for."""
    positions = np.full((200_000, 4), 1, np.float32)
    refused: list[str] = []

    class Curious(np.ndarray):
        @property
        def base(self) -> Any:
            try:
                positions.resize((1, 4), refcheck=False)
            except ValueError as reason:
                refused.append(str(reason))
            return None

    other = np.zeros((200_000, 4), np.float32).view(Curious)
    out = xfjit.Program("MOV oPos, v0\nMOV oD0, v1").run({0: positions, 1: other})
    assert refused and (out["oPos"] == 1).all()
    positions.resize((1, 4), refcheck=False)
    assert positions.shape == (1, 4)


def test_a_dictionary_may_change_while_it_is_read() -> None:
    program = xfjit.Program("MOV oPos, v0")
    inputs: dict[Any, Any] = {}
    inputs[Index(0, lambda: inputs.update({len(inputs) + 1: f32([1]), "more": f32([2])}))] = f32([7, 8, 9, 1])
    assert program.run(inputs)["oPos"].tolist() == [[7, 8, 9, 1]]
    inputs = {}
    inputs[Index(0, lambda: inputs.clear())] = f32([7, 8, 9, 1])
    assert program.run(inputs)["oPos"].tolist() == [[7, 8, 9, 1]] and not inputs
    options: dict[Any, Any] = {}
    options["branch_bits"] = [Index(5, lambda: options.update({str(len(options)): 1}))]
    xfjit.Program("NOP", "nv40", options=options)
    gl = xfjit.Program("!!ARBvp1.0 ADD result.position, program.env[0], vertex.position; END")
    state: dict[Any, Any] = {}
    state["program.env[0]"] = [Index(3, lambda: state.clear()), 0, 0, 1]
    assert gl.constants(state).max() == 3


def test_keys_of_any_kind() -> None:
    program = xfjit.Program("MOV oPos, v0")
    value = f32([1, 2, 3, 4])
    for key in (0, "v0", "V0", np.int8(0), np.uint64(0), False, "v00"):
        assert program.run({key: value})["oPos"].tolist() == [[1, 2, 3, 4]]
    bad: list[Any] = [0.0, None, (), b"v0", "", "v", "v+0", "v-1", " v0", "0", -1, 1 << 99, 1j, object(), np.float32(0)]
    for other in bad:
        with pytest.raises(TypeError, match="the keys are registers"):
            program.run({other: value})
    with pytest.raises(xfjit.Error, match="v0 is given twice"):
        program.run({0: value, "v0": value})

    class Broken:
        def __index__(self) -> int:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        program.run({Broken(): value})


def test_lists_of_any_length_that_they_claim() -> None:
    class Long(list):  # type: ignore[type-arg]
        def __len__(self) -> int:
            return 1 << 62

    words = xfjit.assemble(MUL).ravel().tolist()
    assert xfjit.disassemble(Long(words)) == xfjit.Program(MUL).text
    assert set(xfjit.Program(MUL, outputs=Long(["oD0"])).outputs) == {"oD0"}
    vertex = xfjit.Stepper(xfjit.Program("NOP"))
    vertex["R1"] = Long([1, 2, 3, 4])
    assert vertex["R1"].tolist() == [1, 2, 3, 4]

    def endless() -> Any:
        while True:
            yield 1

    with pytest.raises(xfjit.Error, match="words: there are more than"):
        xfjit.Program(endless())
    with pytest.raises(TypeError, match="four numbers are needed"):
        vertex["R1"] = endless()
    many = np.broadcast_to(f32([1, 2, 3, 4]), (1 << 56, 4))
    with pytest.raises(xfjit.Error, match="rows, kelvin has 192"):
        xfjit.Program("NOP").run({}, many)
    with pytest.raises(xfjit.Error, match="rows, the vertex has"):
        vertex.temps = many


def test_numbers_are_not_rounded() -> None:
    """As float64 is refused: 0.1 is not a float of 32 bits, and whoever wants the nearest one says so."""
    vertex = xfjit.Stepper(xfjit.Program("NOP"))
    gl = xfjit.Program("!!ARBvp1.0 ADD result.position, program.env[0], vertex.position; END")
    for number in (0.1, 1 << 25 | 1, (1 << 53) + 1, 1e300, 1e-300, 10**400, -(1 << 24) - 1):
        with pytest.raises(xfjit.Error, match="is not a float of 32 bits"):
            vertex["R1"] = (0, 0, number, 1)
        with pytest.raises(xfjit.Error, match="is not a float of 32 bits"):
            gl.constants({"program.env[0]": [0, 0, number, 1]})
        if abs(number) < 1 << 53:
            with pytest.raises(xfjit.Error, match="is not a float of 32 bits"):
                xfjit.ops.mul([1.0, number], 2)
    assert vertex["R1"].tolist() == [0, 0, 0, 0]
    kept: list[Any] = [0.5, float("inf"), 1 << 24, -0.0, float(np.float32(0.1)), np.float32(0.1), True]
    for number in kept:
        vertex["R1"] = (number, 0, 0, 1)
        assert bits(vertex["R1"])[0] == bits(np.float32(number))
        # (A product of the chip's has no sign where it is 0.)
        assert number == 0 or bits(xfjit.ops.operation("mul", number, np.float32(1)))[()] == bits(np.float32(number))
    vertex["R1"] = (float("nan"), 0, 0, 1)
    assert np.isnan(vertex["R1"][0])


def test_numbers_beyond_what_there_is() -> None:
    vertex = xfjit.Stepper(xfjit.Program("ARL a0, v0.x"))
    for name in ("slot", "left", "a0"):
        for number in (1 << 99, -1 << 99, 1 << 32):
            with pytest.raises(xfjit.Error, match=f"{name}: the number must be"):
                setattr(vertex, name, number)
        with pytest.raises(TypeError):
            setattr(vertex, name, "1")
    with pytest.raises(xfjit.Error, match="A0: the number must be"):
        vertex["A0"] = (1 << 31, 0, 0, 0)
    with pytest.raises(xfjit.Error, match="start: the number must be"):
        xfjit.disassemble([0, 0, 0, 1], start=-1)
    # Who gives a number may look at the vertex.
    vertex["R1"] = (Index(1, lambda: vertex["R1"]), Index(2, lambda: vertex.step()), 0, 1)
    assert vertex["R1"].tolist() == [1, 2, 0, 1]
    vertex.slot = Index(7, lambda: vertex.slot)  # type: ignore[assignment]
    assert vertex.slot == 7


def test_packed_words_come_whole() -> None:
    up = np.array([0x1FF << 22], "<u4")
    for format in ("cmp:1", "cmp:3"):
        assert xfjit.decode(format, up).tolist() == [[0, 0, 1, 1]]
    for format in ("cmp:0", "cmp:2", "cmp:4"):
        with pytest.raises(xfjit.Error, match="is not a format"):
            xfjit.decode(format, up)


def over(memory: bytearray, first: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """An array over bytes of somebody else's, whose base no other array has."""
    return np.frombuffer(memoryview(memory), np.float32, int(np.prod(shape)), first).reshape(shape)


def test_memory_that_is_written_is_nobody_elses() -> None:
    """numpy's arrays may share memory although they are views of different objects."""
    program = xfjit.Program("MOV oPos, v0.wzyx\nMOV oD0, v0")
    memory = bytearray(16 * 30)
    whole = over(memory, 0, (10, 3, 4))
    whole[:, 0] = np.arange(40).reshape(10, 4)
    for first in (0, 16, 16 * 2, 16 * 10 - 16):
        with pytest.raises(xfjit.Error, match="out: the array overlaps another one of the call"):
            program.run(over(memory, 0, (10, 1, 4)), out=over(memory, first, (10, 2, 4)))
        with pytest.raises(xfjit.Error, match="out: the array overlaps another one of the call"):
            program.run({0: over(memory, 0, (10, 4))}, out=over(memory, first, (10, 2, 4)))
        with pytest.raises(xfjit.Error, match="out: the array overlaps another one of the call"):
            packed = np.frombuffer(memory, np.uint8, 160).reshape(10, 16)
            program.run({0: ("f:4", packed)}, out=over(memory, first, (10, 2, 4)))
    # Side by side, and nothing at all.
    out = program.run(over(memory, 0, (10, 1, 4)), out=over(memory, 160, (10, 2, 4)))
    np.testing.assert_array_equal(out["oD0"], over(memory, 0, (10, 4)))
    assert program.run(over(memory, 0, (0, 1, 4)), out=over(memory, 0, (0, 2, 4)))["oPos"].shape == (0, 4)
    # What is the same for all vertices has been read before anything is written, and so have indices.
    over(memory, 0, (4,))[:] = 1, 2, 3, 4
    out = program.run({0: over(memory, 0, (4,))}, out=over(memory, 0, (1, 2, 4)))
    assert out["oPos"].tolist() == [[4, 3, 2, 1]] and out["oD0"].tolist() == [[1, 2, 3, 4]]


def test_constants_that_are_written_are_nobody_elses() -> None:
    program = xfjit.Program("!!VSP1.0 ADD R0, c[3], v[0]; MOV c[3], R0; END")
    memory = bytearray(16 * 400)
    constants = over(memory, 0, (192, 4))
    with pytest.raises(xfjit.Error, match="constants, which the program writes: the array overlaps another one"):
        program.run(over(memory, 16 * 191, (5, 1, 4)), constants)
    text = "!!VSP1.0 MOV c[3], v[0]; MOV o[HPOS], v[0]; END"
    try:
        writer = xfjit.Program(text)
    except xfjit.AssemblyError:
        writer = xfjit.Program("MOV oPos, v0\nMOV c[3], v0", options={"constant_writes": True})
    vertices = np.ones((5, 1, 4), np.float32)
    with pytest.raises(xfjit.Error, match="out: the array overlaps another one"):
        writer.run(vertices, constants, out=over(memory, 16, (5, 1, 4)))
    writer.run(vertices, constants, out=over(memory, 16 * 192, (5, 1, 4)))
    program.run(over(memory, 16 * 192, (5, 1, 4)), constants)


def test_bytes_are_bytes_whatever_holds_them() -> None:
    words = xfjit.assemble(MUL)
    raw = words.tobytes()
    spread = np.zeros((len(raw), 2), np.uint8)
    spread[:, 0] = np.frombuffer(raw, np.uint8)
    forms: list[Any] = [
        raw, bytearray(raw), memoryview(raw), array.array("B", raw), np.frombuffer(raw, np.uint8), spread[:, 0],
        words.data.cast("B"), np.frombuffer(raw, np.uint8).reshape(2, 16), spread[:, 0].data,
        (ctypes.c_ubyte * len(raw)).from_buffer_copy(raw),
    ]  # fmt: skip
    for given in forms:
        assert xfjit.disassemble(given) == xfjit.Program(given).text == "MUL oPos, v0, c[0]\nMOV oD0, v3\n"
    # Wider numbers are words, as in a list.
    assert xfjit.disassemble(array.array("I", words.ravel().tolist())) == xfjit.disassemble(raw)
    for bad in (raw[:-1], bytearray(raw[:-1]), memoryview(raw)[:-1], array.array("B", raw[:-1])):
        with pytest.raises(xfjit.Error, match="the last slot, at byte 16, has 15 of its 16 bytes"):
            xfjit.Program(bad)


#: A process that is forked while other threads have the locks of engines.
FORKS = """
import os, sys, threading, numpy as np, xfjit
ends = False
def work(number):
    turn = 0
    while not ends:
        turn += 1
        slots = ["MUL R0, v0, c[%d]" % (turn % 190), "MAD R1, R0, v1, c[%d]" % number] * 20
        xfjit.Program("\\n".join([*slots, "MOV oPos, R1"]))
threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
[thread.start() for thread in threads]
vertices = np.ones((4, 2, 4), np.float32)
inherited = xfjit.Program("MOV oPos, v0")
codes = []
for _ in range(40):
    child = os.fork()
    if child == 0:
        try:
            for number in range(3):
                out = xfjit.Program("MUL oPos, v0, c[%d]" % number).run(vertices, np.full((3, 4), 2, np.float32))
                assert (out["oPos"] == 2).all()
            assert (inherited.run(vertices)["oPos"] == 1).all()
            os._exit(7)
        except BaseException:
            os._exit(1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
ends = True
[thread.join() for thread in threads]
sys.exit(codes != [7] * 40)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_forked_processes_make_programs(tmp_path: pathlib.Path) -> None:
    # (subprocess.run kills the parent alone when the time is up; its children would wait for ever.)
    script = [sys.executable, "-W", "ignore", "-c", FORKS]
    process = subprocess.Popen(script, cwd=tmp_path, start_new_session=True)
    try:
        assert process.wait(120) == 0
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def test_the_stride_of_one_vertex_means_nothing() -> None:
    program = xfjit.Program("MOV oPos, v0\nMOV oD0, v1")
    one = np.arange(8, dtype=np.float32).reshape(1, 2, 4)
    for vertices in (one[::-1], np.ascontiguousarray(one[::-1]), np.ascontiguousarray(one[::-1, :1])):
        assert program.run(vertices)["oPos"].tolist() == [[0, 1, 2, 3]]
    many = np.arange(12, dtype=np.float32).reshape(3, 1, 4)
    assert program.run(many[:, ::-1])["oPos"].tolist() == many[:, 0].tolist()


def test_options_of_several_kinds() -> None:
    text = "MOV oPos, v0\nBRB OUT, b4\nMOV oPos, v1\nOUT: NOP"
    vertices = f32([[[1] * 4, [2] * 4]])
    values: list[Any] = [16, [16], "10", np.int32(16), np.uint8(16), np.array(16), np.array([16]), (np.int64(16),)]
    for bits_ in values:
        program = xfjit.Program(text, "nv40", options={"branch_bits": bits_})
        assert program.run(vertices)["oPos"][0, 0] == 1.0, bits_
    for yes in (True, np.True_, "yes", np.str_("yes")):
        assert xfjit.Program("NOP", options={"constant_writes": yes}).generation == "kelvin"
    with pytest.raises(xfjit.Error, match="option constant_writes: `4` is not one of its values: yes, no"):
        xfjit.Program("NOP", options={"constant_writes": np.int32(4)})
    with pytest.raises(TypeError):
        xfjit.Program("NOP", "nv40", options={"timeout": np.float32(4)})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        xfjit.Program("NOP", "nv40", options={"timeout": np.longdouble(4)})  # type: ignore[dict-item]


def test_options_without_an_effect() -> None:
    options = {"products": "plain"}
    with pytest.raises(xfjit.Error, match="option products has no effect in the model hw"):
        xfjit.Program("NOP", options=options)
    program = xfjit.Program("RSQ oPos, v0.x", model="ieee", options=options)
    assert xfjit.compare(program, np.ones((1, 1, 1), np.float32)).total == 4
    assert xfjit.disassemble(xfjit.assemble("NOP", options=options), options=options) == "NOP\n"


def test_any_mapping_will_do() -> None:
    value = f32([1, 2, 3, 4])
    options = types.MappingProxyType({"timeout": 9})
    program = xfjit.Program("MOV oPos, v0", "nv40", options=options)
    inputs = collections.ChainMap({0: value}, {1: value})
    assert program.run(inputs)["oPos"].tolist() == [[1, 2, 3, 4]]
    assert xfjit.Stepper(program, types.MappingProxyType({"v0": value}))["v0"].tolist() == [1, 2, 3, 4]
    gl = xfjit.Program("!!ARBvp1.0 ADD result.position, program.env[0], vertex.position; END")
    assert gl.constants(types.MappingProxyType({"program.env[0]": [3, 0, 0, 1]})).max() == 3
    with pytest.raises(TypeError, match="options: a dictionary is needed, not list"):
        xfjit.Program("NOP", options=[("timeout", 9)])  # type: ignore[arg-type]


def test_states_take_bits_and_rows() -> None:
    gl = xfjit.Program("!!ARBvp1.0 PARAM m[4] = { state.matrix.mvp };\n"
                       "ADD result.position, program.env[0], vertex.position; DP4 result.color.x, m[0], vertex.position; END")  # fmt: skip
    row = next(row for row, name in gl.bindings.items() if name == "program.env[0]")
    for value in (u32([0x3F800000] * 4), f32([1] * 4), np.ones(4), [np.float32(1)] * 4, [1] * 4, [1.0, 1, True, np.int8(1)]):
        assert gl.constants({"program.env[0]": value})[row].tolist() == [1, 1, 1, 1], value
    nan = gl.constants({"program.env[0]": u32([0x7FA00001] * 4)})
    assert bits(nan)[row].tolist() == [0x7FA00001] * 4
    matrix = np.arange(16).reshape(4, 4)
    expected = gl.constants({"mvp": f32(matrix)})
    for form in (matrix, matrix.tolist(), list(f32(matrix)), bits(f32(matrix)), tuple(map(tuple, matrix.tolist())), f32(matrix.T).T):
        np.testing.assert_array_equal(gl.constants({"mvp": form}), expected)
    with pytest.raises(TypeError, match="mvp: a number is needed, not list"):
        gl.constants({"mvp": [[[1] * 4] * 4]})
    with pytest.raises(TypeError, match="mvp: a number is needed, not NoneType"):
        gl.constants({"mvp": [None]})


def test_rows_of_numbers_are_rows() -> None:
    wide = np.arange(12, dtype=np.float32).reshape(4, 3)
    expected = np.concatenate([wide[:, :2], np.tile(f32([0, 1]), (4, 1))], axis=1)
    np.testing.assert_array_equal(xfjit.decode("f:2", wide), expected)
    np.testing.assert_array_equal(xfjit.decode("f:2", np.asfortranarray(wide)), expected)
    np.testing.assert_array_equal(xfjit.decode("f:2", wide[::-1]), expected[::-1])
    np.testing.assert_array_equal(xfjit.decode("f:2", wide.ravel())[0], [0, 1, 0, 1])
    assert xfjit.decode("f:2", np.zeros((0, 3), np.float32)).shape == (0, 4)
    with pytest.raises(xfjit.Error, match=re.escape("data must be bytes of the shape (n, 12) for f:3, or wider, not [2, 5]")):
        xfjit.decode("f:3", np.zeros((2, 5), np.uint8))


@pytest.mark.skipif(not xfjit.Program("NOP").is_native, reason="only native code can be attached to")
@pytest.mark.skipif(not xfjit.Program("NOP").is_native, reason="only native code can be attached to")
@pytest.mark.parametrize("has_thread", [False, True])
def test_nothing_to_attach_to_stays_behind(tmp_path: pathlib.Path, has_thread: bool) -> None:
    files = tmp_path / "files"
    files.mkdir()
    text = """
import numpy as np, os, sys, threading, time, xfjit
kept = xfjit.Program("MOV oPos, v0"), xfjit.Program("MOV oPos, v0", backend="interpreter")
vertices = np.ones((100_000, 1, 4), np.float32)
kept[0].run(vertices)
def work():
    long = np.broadcast_to(vertices[:1], (30_000_000, 1, 4))
    while True: kept[0].run(vertices), xfjit.Program("NOP").run(long)
if "thread" in sys.argv: threading.Thread(target=work, daemon=True).start(); time.sleep(0.1)
print(len(os.listdir(os.environ["XFJIT_ATTACH_DIR"])))
"""
    environment = {**os.environ, "XFJIT_ATTACH": "1", "XFJIT_ATTACH_DIR": str(files)}
    script = [sys.executable, "-W", "ignore", "-c", text, *(["thread"] if has_thread else [])]
    ended = subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, "1\n"), ended.stderr
    # A thread that still runs keeps what it uses, and does no harm.
    assert has_thread or os.listdir(files) == []


def test_a_program_goes_on_where_it_is_told_to() -> None:
    stepper = xfjit.Stepper(xfjit.Program("ADD R0, R0, v0\nMOV oPos, R0"), {0: f32([1, 1, 1, 1])})
    assert stepper.run() == "done"
    stepper.slot = 0
    assert stepper.ended is None and stepper.instruction == "ADD r0, r0, v0"
    assert stepper.step() is None and stepper.run() == "done"
    assert stepper["oPos"].tolist() == [2, 2, 2, 2]


def test_registers_that_a_stepper_has() -> None:
    stepper = xfjit.Stepper(xfjit.Program("NOP"))
    assert all(name in stepper for name in ("v0", "R12", "c191", "oPos", "o0", "A0"))
    assert not any(name in stepper for name in ("v16", "R13", "", "x", 0, None))


def test_many_programs_need_little_memory() -> None:
    resource = pytest.importorskip("resource")
    vertices, programs = np.ones((1, 1, 4), np.float32), []
    for number in range(2, 2002):
        programs.append(xfjit.Program(f"MOV oPos, v0\nMOV R0, c[{number % 190}]\nMOV R1, c[{number // 190}]"))
        programs[-1].run(vertices)
        if number == 200:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # (Kilobytes, of Linux; elsewhere other units, in which it is less.)
    assert sys.platform != "linux" or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1800 * 40


LOOP = xfjit.Program("REP: ADD oPos, v0, v0\nBRA REP", "nv40", backend="interpreter")
STRAIGHT = xfjit.Program("LIT R0, v0\n" * 130 + "MOV oPos, R0", backend="reference")
MANY = np.broadcast_to(np.ones((1, 1, 4), np.float32), (3_000_000, 1, 4))


def endless() -> str:
    stepper = xfjit.Stepper(LOOP)
    stepper.left = 2**32 - 1
    return stepper.run()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="a thread sends the signal")
@pytest.mark.parametrize(
    "call", [lambda: LOOP.run(MANY), lambda: LOOP.run(MANY, threads=2), lambda: STRAIGHT.run(MANY), endless]
)
def test_a_call_that_takes_long_ends_by_a_signal(call: Callable[[], Any]) -> None:
    def stop(*_: Any) -> None:
        raise InterruptedError

    before = signal.signal(signal.SIGUSR1, stop)
    main = threading.get_ident()
    timer = threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGUSR1))
    try:
        timer.start()
        begun = time.monotonic()
        with pytest.raises(InterruptedError):
            call()
        # (To its end each takes longer.)
        assert time.monotonic() - begun < 8
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)


def test_long_runs_compute_what_short_ones_do() -> None:
    vertices = np.random.default_rng(5).integers(0, 1 << 32, (40_000, 1, 4), dtype=np.uint32)
    for model in xfjit.MODELS:
        program = xfjit.Program("RSQ R0, v0.x\n" * 60 + "MUL oPos, R0, v0", backend="interpreter", model=model)
        whole = program.run(vertices)["oPos"]
        parts = [program.run(vertices[at : at + 1000])["oPos"] for at in range(0, len(vertices), 1000)]
        np.testing.assert_array_equal(bits(whole), bits(np.concatenate(parts)))
        assert program.stats["batches"] == 41


WRONG: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (xfjit.Error, "a word: the number must be 0 to 4294967295", lambda: xfjit.Program([-1, 0, 0, 0])),
    (TypeError, "a slot has four words, not 3", lambda: xfjit.Program([[0, 0, 0]])),
    (xfjit.Error, "a slot: there are more than 4", lambda: xfjit.Program([[0] * 5])),
    (xfjit.Error, "words: there are more than", lambda: xfjit.Program([0] * 5000)),
    (TypeError, "words: a number or a slot of four is needed, not float", lambda: xfjit.Program([1.5])),  # type: ignore[arg-type]
    (TypeError, "bytes are a whole program, not a slot in a list", lambda: xfjit.Program([b"abcd"])),
    (TypeError, "program.env[0]: a number is needed, not NoneType", lambda: LOOP.constants({"program.env[0]": None})),
    (TypeError, "constants: a dictionary is needed, not list", lambda: LOOP.constants([])),  # type: ignore[arg-type]
    (xfjit.Error, "an operand of mul: 18446744073709551617 is not a float", lambda: xfjit.ops.mul(2**64 + 1, 1)),
    (xfjit.Error, "is not a float of 32 bits", lambda: xfjit.ops.mul(10**400, 1)),
    (xfjit.Error, "is not a float of 32 bits", lambda: xfjit.ops.mul([1, -(10**400)], 1)),
    (TypeError, "numbers are needed, not object", lambda: xfjit.ops.mul(None, 1)),
]


@pytest.mark.parametrize(("kind", "message", "call"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_said(kind: type[Exception], message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        call()


def test_large_integers_are_operands() -> None:
    assert xfjit.ops.mul(2**64, 1) == 2.0**64 and xfjit.ops.mul([2**64, -(2**70)], 1).tolist() == [2.0**64, -(2.0**70)]
