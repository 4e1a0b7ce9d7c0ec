"""The native half of the package."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Union, final

import numpy as np
from numpy.typing import NDArray

# numpy.float32, or numpy.uint32 with the bits of floats.
_Words = Union[NDArray[np.float32], NDArray[np.uint32]]
# An array of the shape (n, k, c); or for each register an array (n, c), one value (c,) for all vertices, or a format and
# elements as bytes.
_Attributes = Mapping[Any, Union[_Words, tuple[str, NDArray[np.uint8]]]]
_Inputs = Union[_Words, _Attributes]
# Words, or their bytes in any buffer of bytes, an array.array("B") among them.
_Microcode = Union[
    NDArray[np.uint32], NDArray[np.uint8], bytes, bytearray, memoryview, Sequence[int], Sequence[Sequence[int]]
]
_Options = Mapping[str, Union[str, bool, int, np.bool_, np.integer[Any], Sequence[int], NDArray[np.integer[Any]]]]

__all__ = [
    "AssemblyError",
    "CHIPS",
    "LANGUAGES",
    "ENCODINGS",
    "Error",
    "Flipper",
    "GENERATIONS",
    "MODELS",
    "OPERATIONS",
    "PRESETS",
    "Program",
    "Stepper",
    "__version__",
    "assemble",
    "decode",
    "disassemble",
    "operation",
]

__version__: Final[str]
CHIPS: Final[tuple[str, ...]]
GENERATIONS: Final[tuple[str, ...]]
MODELS: Final[tuple[str, ...]]
LANGUAGES: Final[tuple[str, ...]]
PRESETS: Final[tuple[str, ...]]
ENCODINGS: Final[tuple[str, ...]]
OPERATIONS: Final[tuple[str, ...]]

class Error(ValueError):
    """The library rejected something; the message says what."""

class AssemblyError(Error):
    """A text is not a valid program."""

    errors: list[tuple[int, int, str, str | None]]
    """The line, column, message and help of each error."""

def assemble(
    text: str, chip: str | None = None, *, options: _Options | None = None, pair: bool | None = None
) -> NDArray[np.uint32]: ...
def disassemble(
    words: _Microcode, chip: str | None = None, *, start: int | None = None, options: _Options | None = None
) -> str: ...
def decode(format: str, data: NDArray[np.uint8], byteorder: str) -> NDArray[np.float32]: ...
def operation(
    name: str, operands: tuple[_Words, ...], chip: str, model: str, arithmetic: str
) -> NDArray[np.float32]: ...

@final
class Program:
    def __new__(
        cls,
        source: str | _Microcode,
        chip: str | None = None,
        *,
        model: str | None = None,
        preset: str | None = None,
        options: _Options | None = None,
        start: int | None = None,
        outputs: str | Sequence[str] | None = None,
        backend: str = "auto",
        pair: bool | None = None,
    ) -> Program: ...
    def replace(self, *, model: str | None = None, backend: str | None = None) -> Program: ...
    label: str | None
    @property
    def generation(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def backend(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def words(self) -> NDArray[np.uint32]: ...
    @property
    def start(self) -> int: ...
    @property
    def slots(self) -> range: ...
    @property
    def inputs(self) -> list[int]: ...
    @property
    def outputs(self) -> dict[str, str]: ...
    @property
    def constants_read(self) -> list[int]: ...
    @property
    def constants_written(self) -> list[int]: ...
    @property
    def bindings(self) -> dict[int, str]: ...
    @property
    def is_native(self) -> bool: ...
    @property
    def refusal(self) -> str | None: ...
    @property
    def stats(self) -> dict[str, int | float]: ...
    def constants(self, state: Mapping[str, Any] | None = None) -> NDArray[np.float32]: ...
    def run(
        self,
        inputs: _Inputs,
        constants: _Words | None = None,
        *,
        indices: NDArray[np.uint16] | NDArray[np.uint32] | None = None,
        out: _Words | None = None,
        threads: int | None = None,
    ) -> dict[str, NDArray[np.float32]]: ...

@final
class Stepper:
    def __new__(
        cls, program: Program, inputs: _Inputs | None = None, constants: _Words | None = None
    ) -> Stepper: ...
    def step(self) -> str | None: ...
    def run(self) -> str: ...
    # If you set it, a program that has ended goes on there. After a timeout, set `left` too.
    slot: int
    left: int
    a0: int
    inputs: NDArray[np.float32]
    temps: NDArray[np.float32]
    outputs: NDArray[np.float32]
    constants: NDArray[np.float32]
    @property
    def ended(self) -> str | None: ...
    @property
    def instruction(self) -> str | None: ...
    @property
    def stack(self) -> list[tuple[str, list[int]]]: ...
    def __getitem__(self, name: str, /) -> NDArray[Any]: ...
    def __setitem__(self, name: str, value: Any, /) -> None: ...
    def __contains__(self, name: object, /) -> bool: ...

@final
class Flipper:
    def __new__(
        cls,
        dialect: str = "spec",
        *,
        console: str = "gamecube",
        quirks: Mapping[str, str] | None = None,
        held: int | None = None,
    ) -> Flipper: ...
    def load_cp(self, number: int, value: int) -> None: ...
    def read_cp(self, number: int) -> int: ...
    def load_xf(self, first: int, words: Sequence[int | float] | _Words) -> None: ...
    def read_xf(self, first: int, count: int) -> list[int]: ...
    def run(self, stream: bytes, memory: bytes = ..., second: bytes = ...) -> list[dict[str, Any]]: ...
    def run_some(
        self, stream: bytes, budget: int, memory: bytes = ..., second: bytes = ...
    ) -> tuple[list[dict[str, Any]], int]: ...
    @property
    def in_list(self) -> bool: ...
    def transform(self, attributes: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]: ...
    def draw(
        self, primitive: str, formats: int, count: int, vertices: bytes, memory: bytes = ..., second: bytes = ...
    ) -> dict[str, Any]: ...
    def fetch(
        self, primitive: str, formats: int, count: int, vertices: bytes, memory: bytes = ..., second: bytes = ...
    ) -> dict[str, NDArray[Any]]: ...
    def culled(
        self,
        primitive: str,
        formats: int,
        count: int,
        vertices: bytes,
        memory: bytes = ...,
        second: bytes = ...,
        *,
        front: bool = False,
        back: bool = False,
    ) -> bool: ...
    def save(self) -> bytes: ...
    def restore(self, state: bytes) -> None: ...
    def record(self) -> None: ...
    def recorded(self) -> str | None: ...
