"""A second reading of what Kelvin's slots do around the arithmetic.

The author saw the documents alone, as with `kelvin.py`, whose reading of the words this program executes: the order of reads and
writes in a paired slot, masks, the address register, constants that a program writes and reads again, the position read back
through r12, and the end of the program. The arithmetic is kept to whole numbers that single precision holds exactly, so no rule of
rounding matters.

    slots.py SEED COUNT    prints COUNT cases

A case is `slots | outcome`: the slots of a program, four hexadecimal dwords each, joined by `/`; then the registers that differ from
their start, as `o0=1,2,3,4 c100=...`. At the start v[i] = (i+1, 2-i, 10+i, i%3-1), c[i] = (i%7-3, i%5, 20-i%11, i%4-1), and constant
writes are allowed. The last slots of every program copy r0..r11, r12 and what the address register selects to constants, so that
the outcome shows them all.
"""

import random
import sys

import kelvin

OPERATIONS = [name for name in kelvin.MAC[:13] if name != "NOP"]
CONSTANTS = 192
EXACT = 1 << 20  # Sums of four products below this are exact in 24 bits.
COPIES = 160  # r0..r12 are copied here, then a constant that a0 selects.
IDENTITY = 0x1B


def multiply(a, b):
    return a * b if a and b else 0.0


def add(*terms):
    return sum(terms) or 0.0


def order(value):
    """The order of sign and magnitude: -0 is below +0."""
    return value, str(value)[0] != "-"


def compute(mac, a, b, c):
    if mac in ("NOP", "ARL"):
        return None
    if mac == "MOV":
        return a
    if mac == "ADD":
        return [add(x, z) for x, z in zip(a, c)]
    products = [multiply(x, y) for x, y in zip(a, b)]
    if any(abs(product) > EXACT for product in products):
        raise Unfit("too large to be exact")
    if mac == "MUL":
        return products
    if mac == "MAD":
        return [add(p, z) for p, z in zip(products, c)]
    if mac == "DP3":
        return [add(*products[:3])] * 4
    if mac == "DPH":
        return [add(*products[:3], b[3])] * 4
    if mac == "DP4":
        return [add(*products)] * 4
    if mac == "DST":
        return [1.0, products[1], a[2], b[3]]
    if mac == "MIN":
        return [min(x, y, key=order) for x, y in zip(a, b)]
    if mac == "MAX":
        return [max(x, y, key=order) for x, y in zip(a, b)]
    below = [order(x) < order(y) for x, y in zip(a, b)]
    return [float(test == (mac == "SLT")) for test in below]


class Unfit(Exception):
    """The case leaves what the documents settle, or whole numbers that are exact."""


class Machine:
    def __init__(self):
        self.r = [[0.0] * 4 for _ in range(12)]
        self.v = [[i + 1.0, 2.0 - i, 10.0 + i, i % 3 - 1.0] for i in range(16)]
        self.c = [[i % 7 - 3.0, float(i % 5), 20.0 - i % 11, i % 4 - 1.0] for i in range(CONSTANTS)]
        self.o = {}
        self.a0 = 0

    def fetch(self, name):
        if name == "r12":
            if 0 not in self.o or None in self.o[0]:
                raise Unfit("what the position holds before it is written is open")
            return self.o[0]
        if name[0] != "c":
            return {"r": self.r, "v": self.v}[name[0]][int(name[1:])]
        index = name[2:-1]
        index = self.a0 + int(index[3:]) if index.startswith("a0+") else int(index)
        if not 0 <= index < CONSTANTS:
            raise Unfit("what lies outside the constants is open")
        return self.c[index]

    def operand(self, text):
        name, swizzle = text[1:].rsplit(".", 1)
        sign = -1.0 if text[0] == "-" else 1.0
        value = self.fetch(name)
        # A component that nothing reads takes any value.
        return [0.0 if component == "_" else sign * value["xyzw".index(component)] for component in swizzle]

    def store(self, target, value):
        name, mask = target.split(".")
        if name[0] == "c":
            register = self.c[int(name[2:-1])]
        elif name[0] == "o":
            register = self.o.setdefault(int(name[1:]), [None] * 4)
        else:
            register = self.r[int(name[1:])]
        if name == "o5":  # Any write of the fog coordinate stores the result's x.
            register[0] = value[0]
            return
        for component in mask:
            register["xyzw".index(component)] = value["xyzw".index(component)]

    def slot(self, words):
        """Executes one slot. Every read, and every `Unfit`, happens before any write. Returns whether the program ends."""
        slot = kelvin.decode(words)
        a, b, c = (self.operand(slot[name]) if name in slot else None for name in "abc")
        results = {"mac": compute(slot["mac"], a, b, c), "ilu": c if slot["ilu"] == "MOV" else None}
        if any(abs(number) > EXACT for result in results.values() if result for number in result):
            raise Unfit("too large to be exact")
        if slot["mac"] == "ARL":
            if not -128 <= a[0] <= 127:
                raise Unfit("the width of the address register is open")
            self.a0 = int(a[0])
        for unit in ("mac", "ilu"):  # In r1 the scalar unit wins, component by component.
            if results[unit] and slot[unit + ">"] != "-":
                self.store(slot[unit + ">"], results[unit])
        if slot["out>"] != "-":
            unit, register = slot["out>"].split(":")
            self.store(register, results[unit])
        return slot["end"] == "1"

    def outcome(self):
        start = Machine()
        shown = [(f"o{number}", self.o[number]) for number in sorted(self.o)]
        shown += [(f"c{i}", self.c[i]) for i in range(CONSTANTS) if list(map(str, self.c[i])) != list(map(str, start.c[i]))]
        return " ".join(f"{name}={','.join(map(number, value))}" for name, value in shown)


def number(value):
    """A whole number with its sign; `?` is a component that nothing wrote."""
    return "?" if value is None else str(value)[:-2]


# Cases

NOTHING = {name: 0 for name in kelvin.FIELDS} | {"out_buffer": 1, "out_address": kelvin.NO_OUTPUT}


def move(bank, register, target, swizzle=IDENTITY, **more):
    """A slot that copies a register to a constant or, with `out_buffer`, to an output."""
    fields = NOTHING | {"mac": 1, "out_buffer": 0, "out_address": target, "out_mask": 15} | more
    fields["a"] = bank | register << 2 | swizzle << 6
    return kelvin.join(fields)


def body_slot(dice):
    """A random slot of operations that keep whole numbers, over few registers, so that slots meet each other's results."""
    fields = kelvin.split(kelvin.plausible(dice))
    fields["mac"] = kelvin.MAC.index(dice.choice(OPERATIONS + ["ARL", "NOP", "MOV"]))
    fields["ilu"] = dice.getrandbits(1)
    fields["end"] = dice.getrandbits(5) == 0
    fields["indexed"] = dice.getrandbits(2) == 0
    fields["input"] = dice.getrandbits(4)
    fields["constant"] = 20 + dice.getrandbits(2)
    fields["dst"] = dice.choice([0, 0, 1, 1, 2, fields["dst"]])
    for slot in "abc":
        bank = dice.choice([1, 1, 2, 3])
        register = dice.choice([0, 1, 2, 12, dice.getrandbits(4)])
        fields[slot] = fields[slot] & ~63 | bank | register << 2
    if fields["out_buffer"]:
        fields["out_address"] = dice.choice([0, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, kelvin.NO_OUTPUT])
    else:
        fields["out_address"] = 20 + dice.getrandbits(2)
    return kelvin.join(fields)


def epilogue(a0):
    """Copies every temporary, the position and a constant that the address register selects to constants, then ends."""
    copies = [move(1, register, COPIES + register) for register in range(13)]
    return copies + [move(3, 0, COPIES + 13, indexed=1, constant=max(64 - a0, 0), end=1)]


def prologue(dice):
    """Writes the position, so that r12 is known, and gives r0..r2 an input each."""
    slots = [move(2, 0, 0, out_buffer=1, input=dice.getrandbits(4))]
    return slots + [move(2, 0, 20, input=dice.getrandbits(4), dst=register, mac_mask=15, out_mask=0) for register in (0, 1, 2)]


def case(dice):
    """A program and its outcome. A slot that the documents leave open is drawn again."""
    slots, machine = prologue(dice), Machine()
    for words in slots:
        machine.slot(words)
    length, ended = len(slots) + dice.randrange(2, 9), False
    while len(slots) < length and not ended:
        words = body_slot(dice)
        try:
            ended = machine.slot(words)
        except Unfit:
            continue
        slots.append(words)
    rest = epilogue(machine.a0)
    for words in rest if not ended else []:
        machine.slot(words)
    # Slots behind an early end must have no effect, so the program keeps them.
    return slots + rest, machine.outcome()


def cases(seed, count):
    dice = random.Random(seed)
    return (case(dice) for _ in range(count))


def main(arguments):
    for slots, outcome in cases(int(arguments[0]), int(arguments[1])):
        text = "/".join(" ".join(f"{dword:08x}" for dword in words) for words in slots)
        print(text, "|", outcome)


if __name__ == "__main__":
    main(sys.argv[1:])
