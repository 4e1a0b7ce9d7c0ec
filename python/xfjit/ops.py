"""Single operations of the chips on arrays: the golden functions, which everything else in xfjit equals bit for bit.

Operands are ``numpy.float32``, ``numpy.uint32`` with the bits of floats, or numbers. They are broadcast against each other.
Vectors are in the last axis. Every function takes

- ``chip``: the chip with the arithmetic (a name of :data:`xfjit.CHIPS`, or ``celsius``, ``kelvin``, ``rankine``, ``curie``);
- ``model``: ``hw``, the chip bit for bit, or ``ieee``;
- ``arithmetic``: ``modern`` or ``legacy`` rules, for Rankine and Curie.

docs/NUMERICS.md defines what each computes.

>>> from xfjit import ops
>>> hex(ops.rsq(1.0, chip="nv2a").view("uint32"))      # one unit less than 1
'0x3f7fffff'
>>> ops.rsq(1.0, chip="nv30")
array(1., dtype=float32)
>>> ops.mul(float("inf"), 0.0), ops.mul(float("inf"), 0.0, chip="nv40")
(array(0., dtype=float32), array(nan, dtype=float32))
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native

__all__ = [
    "add", "arl", "arr", "cos", "dp3", "dp4", "dph", "dst", "ex2", "exp", "flr", "frc", "lg2", "lit", "log", "mad", "max",
    "min", "mul", "operation", "rcc", "rcp", "rsq", "saturate", "seq", "sge", "sgt", "sin", "sle", "slt", "sne", "ssg",
]  # fmt: skip

_Floats = NDArray[np.float32]


def _inexact(name: str, number: Any) -> _native.Error:
    return _native.Error(f"an operand of {name}: {number} is not a float of 32 bits; numpy.float32 rounds")


def _nearest(number: int | float) -> np.float32:
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            return np.float32(float(number))
        except OverflowError:
            return np.float32(np.inf)


def _exactly(name: str, value: Any) -> NDArray[Any]:
    """Converts Python numbers to 32-bit floats. They must be exact: rounding is the caller's decision."""
    given = np.asarray(value)
    if given.dtype in (np.float32, np.uint32) or given.size == 0:
        return given if given.size else given.astype(np.float32)
    if given.dtype == object and all(isinstance(number, (int, float)) for number in given.flat):
        # Integers of more than 64 bits. Python compares them with floats exactly.
        floats = np.empty(given.shape, np.float32)
        for at, number in np.ndenumerate(given):
            floats[at] = _nearest(number)
            if floats[at].item() != number and number == number:
                raise _inexact(name, number)
        return floats
    if given.dtype.kind not in "biuf":
        raise TypeError(f"an operand of {name}: numbers are needed, not {given.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        floats = given.astype(np.float32)
        rounded = (floats.astype(given.dtype) != given) & (given == given)
    if rounded.any():
        first = given[rounded].flat[0] if given.ndim else given
        raise _inexact(name, first)
    return floats


def _operand(name: str, value: Any) -> NDArray[Any]:
    array = value if isinstance(value, (np.ndarray, np.generic)) else _exactly(name, value)
    if array.dtype not in (np.float32, np.uint32):
        message = f"an operand of {name}: numpy.float32 is needed (or numpy.uint32, its bits), not {array.dtype}"
        raise TypeError(message)
    return np.asarray(array).view(np.float32)


def operation(
    name: str, *operands: Any, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern"
) -> _Floats:
    """Computes an operation by its name (:data:`xfjit.OPERATIONS`), component by component, including the arithmetic of LT and LTS.

    >>> import numpy as np
    >>> from xfjit import ops
    >>> hex(ops.operation("lt_rcp", np.uint32(0x3f800000)).view("uint32"))
    '0x3f7ff800'
    """
    arrays = np.broadcast_arrays(*(_operand(name, operand) for operand in operands))
    shape = arrays[0].shape if arrays else ()
    flat = tuple(np.ascontiguousarray(array).reshape(-1) for array in arrays)
    return _native.operation(name, flat, chip, model, arithmetic).reshape(shape)


def _vector(name: str, value: Any, least: int) -> NDArray[Any]:
    array = _operand(name, value)
    if array.ndim == 0 or array.shape[-1] < least:
        shape = array.shape
        raise _native.Error(f"an operand of {name}: {least} components are needed in the last axis, the shape is {shape}")
    return array


def _dot(name: str, a: Any, b: Any, components: tuple[int, int], **whose: str) -> _Floats:
    left, right = (_vector(name, value, least) for value, least in zip((a, b), components))
    parts = [left[..., c] for c in range(components[0])] + [right[..., c] for c in range(components[1])]
    return operation(name, *parts, **whose)


def _row(*components: _Floats) -> _Floats:
    return np.stack(np.broadcast_arrays(*components), axis=-1)


def dp3(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """Computes the dot product of three components: one sum of truncated products.

    >>> from xfjit import ops
    >>> ops.dp3([1, 2, 3], [[4, 5, 6], [1, 0, 0]])
    array([32.,  1.], dtype=float32)
    """
    return _dot("dp3", a, b, (3, 3), chip=chip, model=model, arithmetic=arithmetic)


def dph(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """Computes the dot product of four components, with 1.0 for w of ``a``."""
    return _dot("dph", a, b, (3, 4), chip=chip, model=model, arithmetic=arithmetic)


def dp4(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """Computes the dot product of four components."""
    return _dot("dp4", a, b, (4, 4), chip=chip, model=model, arithmetic=arithmetic)


def dst(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """Returns the vector (1, a.y b.y, a.z, b.w)."""
    left, right = _vector("dst", a, 4), _vector("dst", b, 4)
    product = operation("mul", left[..., 1], right[..., 1], chip=chip, model=model, arithmetic=arithmetic)
    return _row(np.ones_like(product), product, left[..., 2], right[..., 3])


def exp(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """Returns the vector (2^floor(a), a - floor(a), 2^a by the chip's table, 1).

    >>> from xfjit import ops
    >>> ops.exp(1.5)
    array([2.       , 0.5      , 2.8284912, 1.       ], dtype=float32)
    """
    x, y, z = (operation(f"exp_{c}", a, chip=chip, model=model, arithmetic=arithmetic) for c in "xyz")
    return _row(x, y, z, np.ones_like(x))


def log(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """Returns the vector (exponent, significand, log2(a) by the chip's table, 1)."""
    x, y, z = (operation(f"log_{c}", a, chip=chip, model=model, arithmetic=arithmetic) for c in "xyz")
    return _row(x, y, z, np.ones_like(x))


def lit(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """Lighting of (n . l, n . h, -, exponent): the vector (1, diffuse, specular, 1)."""
    vector = _vector("lit", a, 4)
    x, y, w = vector[..., 0], vector[..., 1], vector[..., 3]
    diffuse = operation("lit_y", x, chip=chip, model=model, arithmetic=arithmetic)
    specular = operation("lit_z", x, y, w, chip=chip, model=model, arithmetic=arithmetic)
    one = np.ones_like(diffuse)
    return _row(one, diffuse, specular, one)


def mul(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """a b."""
    return operation("mul", a, b, chip=chip, model=model, arithmetic=arithmetic)


def add(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """a + b."""
    return operation("add", a, b, chip=chip, model=model, arithmetic=arithmetic)


def min(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """The lesser one."""
    return operation("min", a, b, chip=chip, model=model, arithmetic=arithmetic)


def max(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """The greater one."""
    return operation("max", a, b, chip=chip, model=model, arithmetic=arithmetic)


def slt(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 where a < b."""
    return operation("slt", a, b, chip=chip, model=model, arithmetic=arithmetic)


def sge(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 where a >= b."""
    return operation("sge", a, b, chip=chip, model=model, arithmetic=arithmetic)


def seq(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 where a = b."""
    return operation("seq", a, b, chip=chip, model=model, arithmetic=arithmetic)


def sgt(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 where a > b."""
    return operation("sgt", a, b, chip=chip, model=model, arithmetic=arithmetic)


def sle(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 where a <= b."""
    return operation("sle", a, b, chip=chip, model=model, arithmetic=arithmetic)


def sne(a: Any, b: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 where a != b."""
    return operation("sne", a, b, chip=chip, model=model, arithmetic=arithmetic)


def mad(a: Any, b: Any, c: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """a b + c: a product and a sum, each truncated."""
    return operation("mad", a, b, c, chip=chip, model=model, arithmetic=arithmetic)


def rcp(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 / a: a table and two Newton steps."""
    return operation("rcp", a, chip=chip, model=model, arithmetic=arithmetic)


def rcc(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 / a, its magnitude clamped to 2^-64 .. 2^64."""
    return operation("rcc", a, chip=chip, model=model, arithmetic=arithmetic)


def rsq(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """1 / sqrt(|a|); under modern rules 1 / sqrt(a)."""
    return operation("rsq", a, chip=chip, model=model, arithmetic=arithmetic)


def ssg(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """The sign of a: -1, 0 or 1."""
    return operation("ssg", a, chip=chip, model=model, arithmetic=arithmetic)


def flr(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """The greatest integer not above a."""
    return operation("flr", a, chip=chip, model=model, arithmetic=arithmetic)


def frc(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """a - floor(a)."""
    return operation("frc", a, chip=chip, model=model, arithmetic=arithmetic)


def lg2(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """log2(a), of Rankine and Curie."""
    return operation("lg2", a, chip=chip, model=model, arithmetic=arithmetic)


def ex2(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """2^a, of Rankine and Curie."""
    return operation("ex2", a, chip=chip, model=model, arithmetic=arithmetic)


def sin(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """The sine, of Rankine and Curie, with the faults of its range reduction."""
    return operation("sin", a, chip=chip, model=model, arithmetic=arithmetic)


def cos(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """The cosine, of Rankine and Curie."""
    return operation("cos", a, chip=chip, model=model, arithmetic=arithmetic)


def saturate(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> _Floats:
    """a between 0 and 1."""
    return operation("saturate", a, chip=chip, model=model, arithmetic=arithmetic)


def arl(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> NDArray[np.int32]:
    """floor(a) as an address, which is clamped."""
    return operation("arl", a, chip=chip, model=model, arithmetic=arithmetic).view(np.int32)


def arr(a: Any, *, chip: str = "nv2a", model: str = "hw", arithmetic: str = "modern") -> NDArray[np.int32]:
    """The nearest integer as an address, which is clamped."""
    return operation("arr", a, chip=chip, model=model, arithmetic=arithmetic).view(np.int32)
