"""Runs vertex programs of NVIDIA's XF unit on numpy arrays, with the chip's arithmetic, exact to the bit.

>>> import numpy as np, xfjit
>>> program = xfjit.Program("MUL oPos, v0, c[0]", "nv2a")
>>> constants = program.constants()
>>> constants[0] = 2
>>> vertices = np.array([[[1, 2, 3, 1]], [[4, 5, 6, 1]]], np.float32)   # vertices, registers from v0 on, components
>>> program.run(vertices, constants)["oPos"]
array([[ 2.,  4.,  6.,  2.],
       [ 8., 10., 12.,  2.]], dtype=float32)

Arrays of vertices are ``numpy.float32``, or ``numpy.uint32`` with the bits of floats. They are read and written in place. If the
library rejects something, it raises an :class:`Error` with a message.
"""

from __future__ import annotations

from . import ops
from ._compare import Comparison, compare, ulps
from ._formats import decode
from ._native import (
    CHIPS,
    LANGUAGES,
    ENCODINGS,
    GENERATIONS,
    MODELS,
    OPERATIONS,
    PRESETS,
    AssemblyError,
    Error,
    Flipper,
    Program,
    Stepper,
    __version__,
    assemble,
    disassemble,
)

__all__ = [
    "CHIPS",
    "LANGUAGES",
    "ENCODINGS",
    "GENERATIONS",
    "MODELS",
    "OPERATIONS",
    "PRESETS",
    "AssemblyError",
    "Comparison",
    "Error",
    "Flipper",
    "Program",
    "Stepper",
    "__version__",
    "assemble",
    "compare",
    "decode",
    "disassemble",
    "ops",
    "ulps",
]
