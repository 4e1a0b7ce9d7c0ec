"""Functions of LLVM IR, as rustc writes it, as terms.

The golden functions are safe Rust without panics, so that their results are defined for all operands. Then what the optimiser's IR
leaves open (`undef`, `poison`, flags such as `nuw`) cannot be seen in a result, and any value may be taken for it: operations wrap,
and `undef` is zero. Blocks that end in `unreachable` are not entered. Loops and memory are not translated: such a function is
refused.
"""

import glob
import re
import struct

from floats import C, SIGN, ZERO, ENVIRONMENTS, from_signed, from_unsigned, magnitude
from terms import (
    FALSE, TRUE, add, any_of, ashr, band, bnot, bor, bxor, conj, const, disj, eq, extract, ite, lshr, mul, neg, no, sext, shl, slt,
    sub, truth, ult, zext,
)

NEAREST = ENVIRONMENTS["golden"]
LABEL = re.compile(r'label %("[^"]*"|[\w.$-]+)')
BINARY = {
    "add": add, "sub": sub, "mul": mul, "and": band, "or": bor, "xor": bxor, "shl": shl, "lshr": lshr, "ashr": ashr,
}
FLAGS = re.compile(r"\b(nuw|nsw|exact|disjoint|samesign|nneg|inbounds|fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|noundef|zeroext|signext)\b ?")


class Untranslated(Exception):
    """What the translation does not know."""


class Module:
    """All functions of some files."""

    def __init__(self, *patterns):
        self.functions, self.aliases = {}, {}
        for path in (path for pattern in patterns for path in glob.glob(pattern)):
            with open(path) as file:
                text = file.read()
            for match in re.finditer(r'^define [^\n]*?@("[^"]*"|[\w.$]+)\([^\n]*\{\n.*?^\}', text, re.S | re.M):
                self.functions.setdefault(match.group(1).strip('"'), match.group(0))
            for name, target in re.findall(r'^@("[^"]*"|[\w.$]+) = [^\n]*\balias [^\n]*@("[^"]*"|[\w.$]+)$', text, re.M):
                self.aliases[name.strip('"')] = target.strip('"')

    def find(self, *path):
        """The symbol of a path of Rust, in either mangling."""
        tail = "".join(f"{len(word)}{word}" for word in path)
        names = [name for name in (*self.functions, *self.aliases) if re.search(re.escape(tail) + r"(17h|E|$)", name)]
        if not names:
            raise Untranslated(f"no function {'::'.join(path)}")
        return names[0]

    def text(self, name):
        while name in self.aliases:
            name = self.aliases[name]
        if name not in self.functions:
            raise Untranslated(f"no body of {name}")
        return self.functions[name]

    def call(self, name, arguments):
        return Translation(self, self.text(name), arguments).result()


def width_of(kind):
    if kind == "float":
        return 32
    match = re.fullmatch(r"i(\d+)", kind)
    if not match:
        raise Untranslated(f"a value of type {kind}")
    width = int(match.group(1))
    return 0 if width == 1 else width


class Translation:
    """One function, applied to arguments."""

    def __init__(self, module, text, arguments):
        self.module, self.values, self.edges, self.returned = module, {}, {}, None
        head, *lines = text.splitlines()
        # Parameters, each last in its part; attributes have parentheses of their own.
        head = re.search(r'@("[^"]*"|[\w.$]+)(\(.*)', head).group(2)
        names = re.findall(r"(%[\w.]+)(?=[,)])", head)
        for name, argument in zip(names, arguments):
            self.values[name] = argument
        self.blocks = self.split(lines[:-1])

    def split(self, lines):
        blocks, current = {}, None
        for line in lines:
            line = re.sub(r", ![\w.]+ ![\w.]+", "", line.split(" ;")[0]).strip()
            if not line or line.startswith(";") or line.startswith("#dbg"):
                continue
            label = re.match(r'("[^"]*"|[\w.$-]+):', line)
            if label:
                current = label.group(1)
                blocks[current] = []
                continue
            if current is None:
                current = "start"
                blocks[current] = []
            body = blocks[current]
            if body and body[-1].startswith("switch") and not body[-1].endswith("]"):
                body[-1] += " " + line
            else:
                body.append(line)
        return blocks

    def result(self):
        dead = {name for name, body in self.blocks.items() if body[-1] == "unreachable"}
        before = {name: [] for name in self.blocks}
        for name, body in self.blocks.items():
            for target in dict.fromkeys(LABEL.findall(body[-1])):
                before[target].append(name)
        first = next(iter(self.blocks))
        for name in self.order(before):
            if name in dead:
                continue
            entered = TRUE if name == first else any_of(self.edges.get((source, name), FALSE) for source in before[name])
            for line in self.blocks[name]:
                self.step(name, entered, before[name], line)
        if self.returned is None:
            raise Untranslated("nothing is returned")
        return self.returned

    def order(self, before):
        done, under_way, result = set(), set(), []

        def visit(name):
            if name in done:
                return
            if name in under_way:
                raise Untranslated("a loop")
            under_way.add(name)
            for source in before[name]:
                visit(source)
            done.add(name)
            result.append(name)
        for name in before:
            visit(name)
        return result

    def value(self, text, kind):
        text, width = text.strip(), width_of(kind)
        if text in self.values:
            return self.values[text]
        if text in ("true", "false"):
            return truth(text == "true")
        if text in ("poison", "undef"):
            return const(0, width) if width else FALSE
        if kind == "float":
            # A float is written as the double of its value.
            number = struct.unpack(">d", bytes.fromhex(text[2:].rjust(16, "0")))[0] if text.startswith("0x") else float(text)
            return C(struct.unpack(">I", struct.pack(">f", number))[0])
        if re.fullmatch(r"-?\d+", text):
            return const(int(text), width) if width else truth(int(text))
        raise Untranslated(f"operand {text}")

    def leave(self, source, target, condition):
        known = self.edges.get((source, target), FALSE)
        self.edges[(source, target)] = disj(known, condition)

    def step(self, block, entered, before, line):
        target, _, rest = line.rpartition(" = ") if line.startswith("%") else ("", "", line)
        rest = FLAGS.sub("", re.sub(r"^(tail|musttail|notail) ", "", rest))
        rest = re.sub(r"range\([^)]*\) ?", "", rest)
        op = rest.split()[0]
        if op == "br":
            labels = LABEL.findall(rest)
            if len(labels) == 1:
                return self.leave(block, labels[0], entered)
            condition = self.value(re.match(r"br i1 ([^,]+),", rest).group(1), "i1")
            self.leave(block, labels[0], conj(entered, condition))
            return self.leave(block, labels[1], conj(entered, no(condition)))
        if op == "switch":
            kind, text, default, cases = re.match(r"switch (\w+) ([^,]+), (label \S+) \[(.*)\]", rest).groups()
            subject, others = self.value(text, kind), entered
            for number, label in re.findall(r"\w+ (-?\d+), label %(\S+)", cases):
                condition = eq(subject, const(int(number), subject.width))
                self.leave(block, label, conj(entered, condition))
                others = conj(others, no(condition))
            return self.leave(block, LABEL.findall(default)[0], others)
        if op == "ret":
            _, kind, text = rest.split()
            value = self.value(text, kind)
            self.returned = value if self.returned is None else ite(entered, value, self.returned)
            return None
        if op in ("unreachable", "store") or "@llvm.assume" in rest or "llvm.lifetime" in rest:
            if op == "store":
                raise Untranslated("memory")
            return None
        self.values[target] = self.operation(op, rest, block, before)
        return None

    def operation(self, op, rest, block, before):
        if op == "phi":
            kind, pairs = re.match(r"phi (\w+) (.*)", rest).groups()
            value = None
            for text, source in re.findall(r'\[ ([^,]+), %("[^"]*"|[\w.$-]+) \]', pairs):
                if (source, block) not in self.edges:
                    continue
                other = self.value(text, kind)
                value = other if value is None else ite(self.edges[(source, block)], other, value)
            return value
        if op == "icmp":
            name, kind, a, b = re.match(r"icmp (\w+) (\w+) ([^,]+), (.+)", rest).groups()
            return compare(name, self.value(a, kind), self.value(b, kind))
        if op == "fcmp":
            name, a, b = re.match(r"fcmp (\w+) float ([^,]+), (.+)", rest).groups()
            return compare_floats(name, self.value(a, "float"), self.value(b, "float"))
        if op == "select":
            c, kind, a, _, b = re.match(r"select i1 ([^,]+), (\w+) ([^,]+), (\w+) (.+)", rest).groups()
            return ite(self.value(c, "i1"), self.value(a, kind), self.value(b, kind))
        if op in ("zext", "sext", "trunc", "bitcast", "freeze", "uitofp", "sitofp"):
            match = re.match(r"\w+ (\w+) (\S+)(?: to (\w+))?", rest)
            kind, text, to = match.groups()
            return convert(op, self.value(text, kind), width_of(to or kind))
        if op in ("fadd", "fsub", "fmul", "fdiv"):
            a, b = re.match(r"\w+ float ([^,]+), (.+)", rest).groups()
            return getattr(NEAREST, op)(self.value(a, "float"), self.value(b, "float"))
        if op == "fneg":
            return bxor(self.value(re.match(r"fneg float (.+)", rest).group(1), "float"), SIGN)
        if op == "call":
            return self.call(rest)
        if op in BINARY:
            kind, a, b = re.match(r"\w+ (\w+) ([^,]+), (.+)", rest).groups()
            a, b = self.value(a, kind), self.value(b, kind)
            if a.width:
                return BINARY[op](a, b)
            return {"and": conj, "or": disj, "xor": lambda a, b: no(eq(a, b))}[op](a, b)
        raise Untranslated(op)

    def call(self, rest):
        match = re.search(r'@("[^"]*"|[\w.$]+)\((.*)\)', rest)
        name, given = match.group(1).strip('"'), match.group(2)
        arguments = []
        for part in filter(None, re.split(r", ", given)):
            words = part.split()
            arguments.append(self.value(words[-1], words[0]))
        if not name.startswith("llvm."):
            return self.module.call(name, arguments)
        op, a = name.split(".")[1], arguments
        if op == "abs":
            return ite(slt(a[0], const(0, a[0].width)), neg(a[0]), a[0])
        if op in ("smin", "smax", "umin", "umax"):
            less = slt(a[0], a[1]) if op[0] == "s" else ult(a[0], a[1])
            return ite(less, a[0], a[1]) if op.endswith("min") else ite(less, a[1], a[0])
        if op == "fabs":
            return magnitude(a[0])
        if op == "copysign":
            return bor(magnitude(a[0]), band(a[1], SIGN))
        if op == "sqrt":
            return NEAREST.fsqrt(a[0])
        if op == "floor":
            return NEAREST.ffloor(a[0])
        if op in ("fshl", "fshr") and a[2].op == "const":
            width, count = a[0].width, a[2].data % a[0].width
            left = count if op == "fshl" else width - count
            if left % width == 0:
                return a[0] if op == "fshl" else a[1]
            return bor(shl(a[0], const(left, width)), lshr(a[1], const(width - left, width)))
        raise Untranslated(name)


def compare(name, a, b):
    if name in ("eq", "ne"):
        equal = eq(a, b)
        return equal if name == "eq" else no(equal)
    if not a.width:
        raise Untranslated("an order of truth values")
    less = slt if name[0] == "s" else ult
    return {"lt": less(a, b), "gt": less(b, a), "le": no(less(b, a)), "ge": no(less(a, b))}[name[1:]]


def compare_floats(name, a, b):
    unordered = NEAREST.unordered(a, b)
    if name in ("ord", "uno"):
        return unordered if name == "uno" else no(unordered)
    equal, less, greater = NEAREST.feq(a, b), NEAREST.flt(a, b), NEAREST.flt(b, a)
    truths = {
        "eq": equal, "lt": less, "gt": greater, "le": disj(equal, less), "ge": disj(equal, greater), "ne": disj(less, greater),
    }
    value = truths[name[1:]]
    return disj(unordered, value) if name[0] == "u" else value


def convert(op, value, width):
    if op in ("bitcast", "freeze"):
        return value
    if op in ("zext", "sext"):
        if not value.width:
            return ite(value, const(1 if op == "zext" else -1, width), const(0, width))
        return zext(value, width) if op == "zext" else sext(value, width)
    if op == "trunc":
        return extract(value, width - 1, 0) if width else eq(extract(value, 0, 0), const(1, 1))
    if value.width != 32:
        if value.width > 32:
            raise Untranslated(f"{op} of {value.width} bits")
        value = zext(value, 32) if op == "uitofp" else sext(value, 32)
    return from_unsigned(value) if op == "uitofp" else from_signed(value)
