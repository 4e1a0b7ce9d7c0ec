"""A second reading of Kelvin's instruction word.

The author read the fields of the words from the documents alone, without the project's decoder. The test `readings` holds the decoder
against what this program prints. What is printed was fitted to the decoder afterwards where the documents are silent or see no
difference: an operation whose result goes nowhere is NOP, a swizzle's component that nothing reads is `_`, so are those of a source
without a register, and a write to a row that does not exist is no write. The facts are those of docs/spec/kelvin.md, 1 and 2.

    kelvin.py SEED COUNT    prints COUNT words that SEED generates, each with its reading
    kelvin.py -             reads words from standard input (four hexadecimal dwords a line) and prints the same

A line is `d0 d1 d2 d3 | reading`. A reading names fields as `key=value` and destinations as `key>value`:

    mac, ilu      the operation of each unit; NOP if its result goes nowhere
    a, b, c       the sources that an operation of the slot reads: sign, register, swizzle; `_` is a component that nothing reads
    mac>, ilu>    the temporary (or address register) that the unit's result reaches, with its mask; `-` is none
    out>          the output or constant that a result reaches: the unit, then the register and its mask; `-` is none
    end           1 if the program ends after this slot

`unknown` stands where no document says what the silicon reads.
"""

import random
import sys

MAC = "NOP MOV MUL ADD MAD DP3 DPH DP4 DST MIN MAX SLT SGE ARL NOP NOP".split()
ILU = "NOP MOV RCP RCC RSQ EXP LOG LIT".split()

# The sources that an operation reads, and which components after the swizzle. `each`: those of its result that go somewhere.
EACH = "each"
MAC_SOURCES = {
    "NOP": {}, "MOV": {"a": EACH}, "MUL": {"a": EACH, "b": EACH}, "ADD": {"a": EACH, "c": EACH},
    "MAD": {"a": EACH, "b": EACH, "c": EACH}, "DP3": {"a": "xyz", "b": "xyz"}, "DPH": {"a": "xyz", "b": "xyzw"},
    "DP4": {"a": "xyzw", "b": "xyzw"}, "DST": {"a": "yz", "b": "yw"}, "MIN": {"a": EACH, "b": EACH},
    "MAX": {"a": EACH, "b": EACH}, "SLT": {"a": EACH, "b": EACH}, "SGE": {"a": EACH, "b": EACH}, "ARL": {"a": "x"},
}
ILU_SOURCES = {"NOP": {}, "MOV": {"c": EACH}, "LIT": {"c": "xyw"}} | {name: {"c": "x"} for name in "RCP RCC RSQ EXP LOG".split()}

# Where each field stands: the lowest bit of the 92-bit word that the silicon stores, and the width.
FIELDS = {
    "end": (0, 1), "indexed": (1, 1), "out_scalar": (2, 1), "out_address": (3, 8), "out_buffer": (11, 1), "out_mask": (12, 4),
    "ilu_mask": (16, 4), "dst": (20, 4), "mac_mask": (24, 4), "c": (28, 15), "b": (43, 15), "a": (58, 15),
    "input": (73, 4), "constant": (77, 8), "mac": (85, 4), "ilu": (89, 3),
}

READ_BACK = 12  # Reading this temporary gives the position as it was before the slot.
ILU_BESIDE_MAC = 1  # The scalar unit's temporary in a slot where both units work.
NO_OUTPUT = 0xFF
OUTPUTS = 16
CONSTANTS = 192
FOG = 5


def stored(words):
    """The 92 bits that the silicon keeps of four dwords."""
    _, d1, d2, d3 = words
    return (d1 & 0x0FFFFFFF) << 64 | d2 << 32 | d3


def split(words):
    bits = stored(words)
    return {name: bits >> low & (1 << width) - 1 for name, (low, width) in FIELDS.items()}


def join(fields):
    """The four dwords of these fields."""
    bits = 0
    for name, (low, _) in FIELDS.items():
        bits |= fields[name] << low
    return [0, bits >> 64, bits >> 32 & 0xFFFFFFFF, bits & 0xFFFFFFFF]


def mask(bits):
    """Components of a mask; x is the top bit."""
    return "".join(name for place, name in enumerate("xyzw") if bits & 8 >> place)


def source(fields, slot, components):
    """One operand: sign, register, swizzle of the components that are read."""
    bits = fields[slot]
    bank, register = bits & 3, bits >> 2 & 15
    swizzle = "".join("xyzw"[bits >> low & 3] if name in components else "_" for name, low in zip("xyzw", (12, 10, 8, 6)))
    sign = "-" if bits >> 14 & 1 else "+"
    if bank == 0 and slot == "c":
        # Neither the register nor, then, which of its components are read.
        where, swizzle = "unknown", "____"
    elif bank == 1:
        where = f"r{min(register, READ_BACK)}"
    elif bank == 3:
        where = f"c[{'a0+' if fields['indexed'] else ''}{fields['constant']}]"
    else:
        where = f"v{fields['input']}"
    return f"{sign}{where}.{swizzle}"


def mac_destination(fields, mac):
    if mac == "ARL":
        return "a0.x"
    writes = mac != "NOP" and fields["dst"] < READ_BACK and fields["mac_mask"]
    return f"r{fields['dst']}.{mask(fields['mac_mask'])}" if writes else "-"


def ilu_destination(fields, mac, ilu):
    if ilu == "NOP" or not fields["ilu_mask"]:
        return "-"
    register = fields["dst"] if mac == "NOP" else ILU_BESIDE_MAC
    return f"r{register}.{mask(fields['ilu_mask'])}" if register < READ_BACK else "-"


def output(fields, mac, ilu):
    unit, operation = ("ilu", ilu) if fields["out_scalar"] else ("mac", mac)
    # The documents of the next chip say that ARL has no result but the address; Kelvin's are silent.
    if operation in ("NOP", "ARL") or not fields["out_mask"]:
        return "-"
    address, written = fields["out_address"], mask(fields["out_mask"])
    if fields["out_buffer"]:
        # Addresses above the buffer reach the lighting engine's memory, which no program can read; 0xff is "none".
        return f"{unit}:o{address}.{written}" if address < OUTPUTS else "-"
    # The documents have 192 rows and do not say what a write elsewhere does. Taken to do nothing.
    return f"{unit}:c[{address}].{written}" if address < CONSTANTS else "-"


def taken(unit, target, out):
    """The components of a unit's result that go somewhere."""
    components = target.partition(".")[2]
    if out.startswith(unit):
        # The fog value is x of the result, whatever the mask.
        components += out.partition(".")[2] + ("x" if f":o{FOG}." in out else "")
    return components


def decode(words):
    """The reading of one slot, field by field; the key of a destination ends in `>`."""
    fields = split(words)
    mac, ilu = MAC[fields["mac"]], ILU[fields["ilu"]]
    targets = mac_destination(fields, mac), ilu_destination(fields, mac, ilu)
    out = output(fields, mac, ilu)
    needed = {}
    names = []
    for unit, name, target, sources in (("mac", mac, targets[0], MAC_SOURCES[mac]), ("ilu", ilu, targets[1], ILU_SOURCES[ilu])):
        result = taken(unit, target, out)
        names.append(name if result else "NOP")
        for slot, components in sources.items() if result else ():
            needed[slot] = needed.get(slot, "") + (result if components == EACH else components)
    return {
        "mac": names[0],
        "ilu": names[1],
        **{slot: source(fields, slot, needed[slot]) for slot in "abc" if slot in needed},
        "mac>": targets[0],
        "ilu>": targets[1],
        "out>": out,
        "end": str(fields["end"]),
    }


def read(words):
    """The reading of one slot, on one line."""
    return " ".join(f"{key}{'' if key.endswith('>') else '='}{value}" for key, value in decode(words).items())


# Cases

SWIZZLES = [0x1B, 0x1B, 0x1B, 0x00, 0x55, 0xAA, 0xFF, 0xE4]


def plausible_source(dice):
    """An operand as a compiler writes it: often a plain swizzle, seldom a bank that means nothing."""
    bank = dice.choice([0, 1, 1, 1, 2, 2, 3, 3])
    swizzle = dice.choice(SWIZZLES) if dice.getrandbits(1) else dice.getrandbits(8)
    return bank | dice.getrandbits(4) << 2 | swizzle << 6 | (dice.getrandbits(2) == 0) << 14


def plausible(dice):
    """A word made field by field."""
    fields = {name: dice.getrandbits(width) for name, (_, width) in FIELDS.items()}
    for slot in "abc":
        fields[slot] = plausible_source(dice)
    fields["out_buffer"] = dice.getrandbits(2) != 0
    if fields["out_buffer"]:
        fields["out_address"] = dice.choice([dice.getrandbits(4)] * 4 + [NO_OUTPUT, dice.getrandbits(8)])
    fields["mac_mask"] = dice.choice([15, 15, 0, fields["mac_mask"]])
    fields["constant"] = dice.randrange(192) if dice.getrandbits(2) else fields["constant"]
    if dice.getrandbits(1):
        fields[dice.choice(["mac", "ilu"])] = 0
    return join(fields)


def cases(seed, count):
    """In turn: a plausible word, that word with one bit changed, and a word of random bits."""
    dice = random.Random(seed)
    word = plausible(dice)
    for number in range(count):
        if number % 3 == 0:
            word = plausible(dice)
            yield word
        elif number % 3 == 1:
            bit = dice.randrange(128)
            yield [dword ^ (1 << bit % 32 if place == bit // 32 else 0) for place, dword in enumerate(word)]
        else:
            yield [dice.getrandbits(32) for _ in range(4)]


def main(arguments):
    if arguments == ["-"]:
        words = ([int(dword, 16) for dword in line.split()] for line in sys.stdin if line.strip())
    else:
        words = cases(int(arguments[0]), int(arguments[1]))
    for word in words:
        print(" ".join(f"{dword:08x}" for dword in word), "|", read(word))


if __name__ == "__main__":
    main(sys.argv[1:])
