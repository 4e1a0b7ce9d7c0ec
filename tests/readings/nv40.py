"""A second reading of what NV40's methods say about a program's surroundings: the execution mode and the output map.

The author saw the documents alone, as with `kelvin.py`. The facts are those of docs/spec/rankine_curie.md, 1.5 and 2.6; the field
split is inferred there.

    nv40.py SEED COUNT    prints COUNT settings, each with its reading

A line is `1e94 1fc4 1fc8 1fcc 1fd0 1fd4 1ff4 | reading`: the values that the methods write, then the mode (`error` if the method
refuses the value), the arithmetic, whether the viewport transform is skipped, and the output register of each attribute (with its
component where the attribute is a scalar), or `off` where the output mask leaves the attribute out.
"""

import random
import sys

MODES = ["FIXED", "V3", "V1", "V2"]
MODERN, SKIP_VIEWPORT = 1 << 4, 1 << 8
DEFAULTS = [0x11, 0x06144321, 0xEDCBA987, 0x6F, 0x171615, 0x1B1A19, 0x3FFFFF]

VECTOR, SCALAR = 4, 6  # Widths: a register, or a register and a component.
# Where the map names the attribute (method, lowest bit, width) and the bit of the output mask that enables it.
ATTRIBUTES = {
    "COL0": (0x1FC4, 0, VECTOR, 0),
    "COL1": (0x1FC4, 4, VECTOR, 1),
    "BFC0": (0x1FC4, 8, VECTOR, 2),
    "BFC1": (0x1FC4, 12, VECTOR, 3),
    "FOG": (0x1FC4, 16, SCALAR, 4),
    "PSZ": (0x1FC4, 22, SCALAR, 5),
    **{f"CLIP{n}": (0x1FD0 + n // 3 * 4, n % 3 * 8, SCALAR, 6 + n) for n in range(6)},
    "TC8": (0x1FCC, 0, VECTOR, 12),
    "TC9": (0x1FCC, 4, VECTOR, 13),
    **{f"TC{n}": (0x1FC8, n * 4, VECTOR, 14 + n) for n in range(8)},
}
METHODS = [0x1E94, 0x1FC4, 0x1FC8, 0x1FCC, 0x1FD0, 0x1FD4, 0x1FF4]


def mode(value):
    if value & ~(3 | MODERN | SKIP_VIEWPORT):
        return "mode=error"
    arithmetic = "modern" if value & MODERN else "legacy"
    return f"mode={MODES[value & 3]} arithmetic={arithmetic} viewport={'skipped' if value & SKIP_VIEWPORT else 'applied'}"


def place(values, method, low, width, enable):
    if not values[0x1FF4] >> enable & 1:
        return "off"
    bits = values[method] >> low & (1 << width) - 1
    return f"o{bits >> 2}.{'xyzw'[bits & 3]}" if width == SCALAR else f"o{bits}"


def read(values):
    named = dict(zip(METHODS, values))
    return " ".join([mode(named[0x1E94])] + [f"{name}={place(named, *field)}" for name, field in ATTRIBUTES.items()])


def cases(seed, count):
    """In turn: the usual values with one bit changed, and random values with a mode that is often accepted."""
    dice = random.Random(seed)
    for number in range(count):
        values = list(DEFAULTS)
        if number % 2:
            values = [dice.getrandbits(2) | dice.getrandbits(32) & (MODERN | SKIP_VIEWPORT)] + [dice.getrandbits(32) for _ in METHODS[1:]]
        values[dice.randrange(len(values))] ^= 1 << dice.randrange(32)
        yield values


def main(arguments):
    for values in cases(int(arguments[0]), int(arguments[1])):
        print(" ".join(f"{value:08x}" for value in values), "|", read(values))


if __name__ == "__main__":
    main(sys.argv[1:])
