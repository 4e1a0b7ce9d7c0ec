"""The files of golden vectors of the project, as numpy arrays."""

from __future__ import annotations

import csv
import lzma
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
Words = NDArray[np.uint32]


def _words(words: list[str]) -> Words:
    return np.array([int(word, 16) for word in words], dtype=np.uint32)


def operations() -> dict[tuple[str, str, str], tuple[Words, Words]]:
    """By rules, unit and operation: operands (cases, 3, 4) and results (cases, 4)."""
    cases: dict[tuple[str, str, str], list[list[str]]] = {}
    with lzma.open(ROOT / "runtime/tests/data/ops_hw.txt.xz", "rt") as file:
        for line in file:
            rules, unit, name, *rest = line.split()
            assert rest[12] == "=" and len(rest) == 17, line
            cases.setdefault((rules, unit, name), []).append(rest[:12] + rest[13:])
    tables = {key: np.array([_words(line) for line in lines]) for key, lines in cases.items()}
    return {key: (table[:, :12].reshape(-1, 3, 4), table[:, 12:]) for key, table in tables.items()}


def celsius() -> dict[str, tuple[list[Words], Words]]:
    """By operation: its operands, and results."""
    cases: dict[str, list[list[str]]] = {}
    with open(ROOT / "runtime/tests/data/celsius_op_vectors.csv", newline="") as file:
        for name, *words in list(csv.reader(file))[1:]:
            cases.setdefault(name, []).append([word for word in words if word])
    tables = {name: np.array([_words(line) for line in lines]) for name, lines in cases.items()}
    return {name: (list(table[:, :-1].T), table[:, -1]) for name, table in tables.items()}


@dataclass
class Case:
    """A program: by bank and vertex, what registers hold where a component counts."""

    words: Words
    bools: int
    expected: list[tuple[int, int, list[tuple[int, Words, NDArray[np.bool_]]]]] = field(default_factory=list)


def programs(name: str) -> tuple[dict[int, Words], dict[int, Words], Iterator[Case]]:
    """Banks of constants, vertices and programs of a file."""
    with lzma.open(ROOT / "tests/data" / name, "rt") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    banks = {int(line[1]): _words(line[2:]).reshape(-1, 4) for line in lines if line[0] == "bank"}
    vertices = {int(line[1]): _words(line[2:]).reshape(16, 4) for line in lines if line[0] == "vertex"}

    def cases() -> Iterator[Case]:
        case = None
        for keyword, *rest in lines:
            if keyword == "program":
                if case is not None:
                    yield case
                case = Case(_words(rest[1:]).reshape(-1, 4), 0)
            elif keyword == "bools" and case is not None:
                case.bools = int(rest[0], 16)
            elif keyword == "expect" and case is not None:
                outputs = []
                for text in rest[2:]:
                    register, mask, *words = text.split(":")
                    counts = np.array([int(mask, 16) & bit != 0 for bit in (8, 4, 2, 1)])
                    outputs.append((int(register[1:]), _words(words), counts))
                case.expected.append((int(rest[0]), int(rest[1]), outputs))
        if case is not None:
            yield case

    return banks, vertices, cases()
