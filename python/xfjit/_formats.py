"""Vertex formats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native


def decode(format: str, data: NDArray[Any] | bytes, *, byteorder: str = "little") -> NDArray[np.float32]:
    """Decodes packed vertex attributes as the chips' fetch does, into one float4 for each.

    ``format`` is an encoding (:data:`ENCODINGS`) and the number of components: ``"s1:3"``. ``data`` is an array of bytes with
    one row for each element; a row may be longer than its element, as in rows of vertices that begin at the attribute. The rows of
    an array of numbers with two axes are elements too. ``data`` may also be any bytes in which elements follow each other.
    ``byteorder`` is the byte order of words and halves of words.

    >>> import xfjit
    >>> xfjit.decode("ub_d3d:4", bytes([0, 128, 255, 255]))
    array([[1.        , 0.50196075, 0.        , 1.        ]], dtype=float32)
    >>> xfjit.decode("f16:2", np.array([[1.5, -2], [0.25, 7]], np.float16))
    array([[ 1.5 , -2.  ,  0.  ,  1.  ],
           [ 0.25,  7.  ,  0.  ,  1.  ]], dtype=float32)
    """
    if isinstance(data, np.ndarray):
        if data.dtype.hasobject:
            raise TypeError(f"data: an array of bytes or numbers is needed, not of {data.dtype}")
        if data.dtype == np.uint8:
            return _native.decode(format, data, byteorder)
        if data.ndim == 2:
            # Its rows are those of the bytes: what a row has behind its element is skipped.
            return _native.decode(format, np.ascontiguousarray(data).view(np.uint8), byteorder)
        data = data.tobytes()
    return _native.decode(format, np.frombuffer(data, dtype=np.uint8), byteorder)
