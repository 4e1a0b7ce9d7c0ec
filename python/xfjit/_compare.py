"""Compares two models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ._native import Program

_Words = Union[NDArray[np.float32], NDArray[np.uint32]]
_Numbers = Union[_Words, np.float32, np.uint32]

NOT_A_DISTANCE = int(np.iinfo(np.int64).max)
""":func:`ulps` returns this where one of two numbers is a NaN."""


def _bits(name: str, value: Any) -> NDArray[np.uint32]:
    array = np.asarray(value)
    if array.dtype == np.uint32:
        return array
    if array.dtype != np.float32:
        raise TypeError(f"{name}: numpy.float32 is needed (or numpy.uint32, its bits), not {array.dtype}")
    return array.view(np.uint32)


def ulps(a: _Numbers, b: _Numbers) -> NDArray[np.int64]:
    """Returns the distance from ``a`` up to ``b`` in floats: 1 if ``b`` is the next float above ``a``.

    The two zeros count as one number, and so do all NaNs. A NaN and a number have no distance: the result is the greatest ``int64``.

    >>> import numpy as np, xfjit
    >>> xfjit.ulps(np.float32(1), np.array([1.0000001, 1, np.nan], np.float32)).tolist()
    [1, 0, 9223372036854775807]
    """
    left, right = np.broadcast_arrays(_bits("a", a), _bits("b", b))

    def place(bits: NDArray[np.uint32]) -> NDArray[np.int64]:
        magnitude = (bits & 0x7FFFFFFF).astype(np.int64)
        return np.where(bits >> 31 != 0, -magnitude, magnitude)

    def is_nan(bits: NDArray[np.uint32]) -> NDArray[np.bool_]:
        return (bits & 0x7FFFFFFF) > 0x7F800000

    nan, other = is_nan(left), is_nan(right)
    distance = np.where(nan & other, 0, place(right) - place(left))
    result: NDArray[np.int64] = np.where(nan ^ other, NOT_A_DISTANCE, distance)
    return result


@dataclass(frozen=True)
class Comparison:
    """The outputs of one program in two models."""

    a: dict[str, NDArray[np.float32]]
    """The outputs of the first model, by output register."""
    b: dict[str, NDArray[np.float32]]
    """The outputs of the second model."""

    @property
    def differs(self) -> dict[str, NDArray[np.bool_]]:
        """Where the bits differ."""
        return {name: self.a[name].view(np.uint32) != self.b[name].view(np.uint32) for name in self.a}

    @property
    def ulps(self) -> dict[str, NDArray[np.int64]]:
        """By how much the second model's outputs are greater (:func:`ulps`)."""
        return {name: ulps(self.a[name], self.b[name]) for name in self.a}

    @property
    def count(self) -> int:
        """The number of components whose bits differ."""
        return sum(int(np.count_nonzero(where)) for where in self.differs.values())

    @property
    def total(self) -> int:
        """The number of components."""
        return sum(array.size for array in self.a.values())

    def __str__(self) -> str:
        lines = [f"{self.count} of {self.total} components differ"]
        for name, distance in self.ulps.items():
            for component, letter in enumerate("xyzw"):
                where = self.differs[name][:, component]
                if where.any():
                    numbers = distance[:, component][distance[:, component] != NOT_A_DISTANCE]
                    most = int(np.abs(numbers).max(initial=0))
                    lines.append(f"{name}.{letter}: {int(where.sum())} of {where.size}, by up to {most} ulps")
        return "\n".join(lines)


def compare(
    program: Program,
    inputs: Any,
    constants: _Words | None = None,
    *,
    models: tuple[str, str] = ("hw", "ieee"),
    backend: str | None = None,
) -> Comparison:
    """Runs a program in two models and keeps both results.

    Each run uses its own copy of the constants, so a program that writes constants does not change the caller's.

    >>> import numpy as np, xfjit
    >>> program = xfjit.Program("RCP oPos, v0.x", "nv2a")
    >>> vertices = np.linspace(1, 2, 1000, dtype=np.float32).reshape(-1, 1, 1)
    >>> difference = xfjit.compare(program, vertices)
    >>> sorted(set(difference.ulps["oPos"][:, 0].tolist()))
    [0, 1, 2]
    """

    def run(model: str) -> dict[str, NDArray[np.float32]]:
        own = None if constants is None else constants.copy()
        return program.replace(model=model, backend=backend).run(inputs, own)

    a, b = models
    return Comparison(run(a), run(b))
