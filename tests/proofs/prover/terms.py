"""Bit-vector terms: shared, folded where they are made, evaluated on rows of operands, and translated for a solver.

A term is a word of some width or, with width 0, a truth value. Equal terms are one object, so what two sides of a goal have in
common is shared. Operations mean what SMT-LIB says; `f*` are those of binary32 with round to nearest even, on bit patterns,
of which every NaN is `NAN`.
"""

import numpy as np

NAN = 0x7FFFFFFF

COMMUTES = {"bvadd", "bvmul", "bvand", "bvor", "bvxor", "eq", "and", "or", "fadd", "fmul"}
FLOATS = {"fadd", "fmul", "fdiv", "fsqrt"}


class Term:
    """A node. Made by the functions below, never by hand."""

    __slots__ = ("op", "args", "width", "data", "id")
    known = {}

    def __init__(self, op, args, width, data, number):
        self.op, self.args, self.width, self.data, self.id = op, args, width, data, number

    def __repr__(self):
        return f"{self.op}#{self.id}"


def make(op, args, width, data=None):
    key = (op, tuple(arg.id for arg in args), width, data)
    term = Term.known.get(key)
    if term is None:
        term = Term.known[key] = Term(op, tuple(args), width, data, len(Term.known))
    return term


def const(value, width=32):
    return make("const", (), width, value & ((1 << width) - 1))


def truth(value):
    return make("const", (), 0, int(bool(value)))


TRUE, FALSE = truth(True), truth(False)
fresh_names = [0]


def var(name, width=32):
    return make("var", (), width, name)


def fresh(width=32):
    """A value of which nothing is known, like the bits of a NaN that a machine makes."""
    fresh_names[0] += 1
    return var(f"u{fresh_names[0]}", width)


def is_const(term, value=None):
    return term.op == "const" and (value is None or term.data == value & ((1 << term.width) - 1 if term.width else 1))


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) & 1 else value


def fold(op, width, data, args):
    """The value of an operation on constants."""
    rows = [np.array([arg.data], dtype=np.uint64 if arg.width else bool) for arg in args]
    value = apply(op, width, data, args, rows)[0]
    return const(int(value), width) if width else truth(value)


def build(op, args, width, data=None):
    """An operation, simplified by rules that hold for all values."""
    if args and all(arg.op == "const" for arg in args):
        return fold(op, width, data, args)
    if op in ("bvadd", "bvsub", "bvneg"):
        return linear(op, args, width)
    if op in COMMUTES and args[0].id > args[1].id:
        args = (args[1], args[0])
    if len(args) == 2:
        a, b = args
        c, x = (a, b) if a.op == "const" else (b, a)
        if op == "bvand":
            if a is b or is_const(c, -1):
                return x
            if is_const(c, 0):
                return c
            if c.op == "const" and x.op == "bvand":
                inner = [arg for arg in x.args if arg.op == "const"]
                if inner:
                    rest = x.args[0] if x.args[1] is inner[0] else x.args[1]
                    return build("bvand", (rest, const(c.data & inner[0].data, width)), width)
        elif op == "bvor":
            if a is b or is_const(c, 0):
                return x
            if is_const(c, -1):
                return c
        elif op == "bvxor":
            if a is b:
                return const(0, width)
            if is_const(c, 0):
                return x
            if c.op == "const" and x.op == "bvxor":
                inner = [arg for arg in x.args if arg.op == "const"]
                if inner:
                    rest = x.args[0] if x.args[1] is inner[0] else x.args[1]
                    return build("bvxor", (rest, const(c.data ^ inner[0].data, width)), width)
        elif op in ("bvshl", "bvlshr", "bvashr"):
            if is_const(b, 0):
                return a
        elif op == "eq":
            if a is b:
                return TRUE
            if a.width == 0 and c.op == "const":
                return x if c.data else build("not", (x,), 0)
            # A chosen constant against a constant.
            if c.op == "const" and x.op == "ite" and x.args[1].op == "const" and x.args[2].op == "const":
                yes, no = (x.args[1] is c), (x.args[2] is c)
                if yes and no:
                    return TRUE
                if not yes and not no:
                    return FALSE
                return x.args[0] if yes else build("not", (x.args[0],), 0)
        elif op in ("bvult", "bvslt"):
            if a is b:
                return FALSE
        elif op in ("and", "or"):
            if a is b:
                return a
            if c.op == "const":
                return (x if c.data else c) if op == "and" else (c if c.data else x)
            if (a.op == "not" and a.args[0] is b) or (b.op == "not" and b.args[0] is a):
                return truth(op == "or")
    mixed = conditional(op, args, width, data)
    if mixed is not None:
        return mixed
    if op == "not" and args[0].op == "not":
        return args[0].args[0]
    if op == "bvnot" and args[0].op == "bvnot":
        return args[0].args[0]
    if op == "ite":
        c, a, b = args
        if c.op == "const":
            return a if c.data else b
        if a is b:
            return a
        if c.op == "not":
            return build("ite", (c.args[0], b, a), width)
        if width == 0:
            if a.op == "const":
                return build("or", (c, b), 0) if a.data else build("and", (build("not", (c,), 0), b), 0)
            if b.op == "const":
                return build("or", (build("not", (c,), 0), a), 0) if b.data else build("and", (c, a), 0)
        if a.op == "ite" and a.args[0] is c:
            a = a.args[1]
        if b.op == "ite" and b.args[0] is c:
            b = b.args[2]
        if a is b:
            return a
        args = (c, a, b)
    if op in ("zext", "sext") and args[0].width == width:
        return args[0]
    if op == "zext" and args[0].op == "zext":
        args = (args[0].args[0],)
    if op == "extract":
        high, low = data
        x = args[0]
        if low == 0 and high == x.width - 1:
            return x
        if x.op == "zext":
            inner = x.args[0]
            if low >= inner.width:
                return const(0, width)
            if high < inner.width:
                return build("extract", (inner,), width, data)
            if low == 0 and high >= inner.width:
                return build("zext", (inner,), width)
        if x.op == "ite":
            if x.args[1].op == "const" or x.args[2].op == "const":
                return build("ite", (x.args[0], build(op, (x.args[1],), width, data), build(op, (x.args[2],), width, data)), width)
    return make(op, args, width, data)


def choice(term):
    """Whether a term is one of two constants."""
    return term.op == "ite" and term.width and term.args[1].op == "const" and term.args[2].op == "const"


def conditional(op, args, width, data):
    """Operations on masks, and on constants that a condition chooses, as conditions."""
    if not width or op not in ("bvand", "bvor", "bvxor", "bvnot", "zext", "sext", "extract"):
        return None
    if len(args) == 1:
        if not choice(args[0]):
            return None
        condition, yes, no_ = args[0].args
        return build("ite", (condition, build(op, (yes,), width, data), build(op, (no_,), width, data)), width)
    for a, b in (args, args[::-1]):
        if not choice(a):
            continue
        condition, yes, no_ = a.args
        is_mask = op != "bvxor" and {yes.data, no_.data} == {0, (1 << width) - 1}
        if is_mask or b.op == "const":
            return build("ite", (condition, build(op, (yes, b), width), build(op, (no_, b), width)), width)
    return None


def parts(term, factor, into):
    """The summands of a word with their factors."""
    if term.op == "bvadd":
        for arg in term.args:
            parts(arg, factor, into)
    elif term.op == "bvneg":
        parts(term.args[0], -factor, into)
    elif term.op == "const":
        into[None] = into.get(None, 0) + factor * term.data
    else:
        into[term] = into.get(term, 0) + factor


def linear(op, args, width):
    """Sums in one order, whatever order they were made in."""
    total = {}
    factors = {"bvadd": (1, 1), "bvsub": (1, -1), "bvneg": (-1,)}[op]
    for arg, factor in zip(args, factors):
        parts(arg, factor, total)
    number = total.pop(None, 0) % (1 << width)
    result = None
    for term, factor in sorted(total.items(), key=lambda item: item[0].id):
        factor %= 1 << width
        if factor == 0:
            continue
        if factor == (1 << width) - 1:
            term = make("bvneg", (term,), width)
        elif factor != 1:
            term = make("bvmul", (term, const(factor, width)), width)
        result = term if result is None else make("bvadd", (result, term), width)
    if result is None:
        return const(number, width)
    return make("bvadd", (result, const(number, width)), width) if number else result


# The operations, by short names.
def word(op):
    return lambda a, b: build(op, (a, b), a.width)


def relation(op):
    return lambda a, b: build(op, (a, b), 0)


add, sub, mul = word("bvadd"), word("bvsub"), word("bvmul")
band, bor, bxor = word("bvand"), word("bvor"), word("bvxor")
shl, lshr, ashr = word("bvshl"), word("bvlshr"), word("bvashr")
eq, ult, slt = relation("eq"), relation("bvult"), relation("bvslt")
conj, disj = relation("and"), relation("or")


def neg(a):
    return build("bvneg", (a,), a.width)


def bnot(a):
    return build("bvnot", (a,), a.width)


def no(a):
    return build("not", (a,), 0)


def ite(c, a, b):
    return build("ite", (c, a, b), a.width)


def zext(a, width):
    return build("zext", (a,), width)


def sext(a, width):
    return build("sext", (a,), width)


def extract(a, high, low):
    return build("extract", (a,), high - low + 1, (high, low))


def floating(op, *args):
    return build(op, args, 32)


def all_of(terms):
    result = TRUE
    for term in terms:
        result = conj(result, term)
    return result


def any_of(terms):
    result = FALSE
    for term in terms:
        result = disj(result, term)
    return result


# Evaluation on rows.
U = np.uint64


def as_signed(values, width):
    shift = U(64 - width)
    return (values << shift).astype(np.int64) >> np.int64(64 - width)


def as_floats(values):
    return values.astype(np.uint32).view(np.float32)


def from_floats(values):
    bits = values.astype(np.float32).view(np.uint32).astype(U)
    return np.where(np.isnan(values), U(NAN), bits)


def apply(op, width, data, args, x):
    """One operation on arrays of values."""
    mask = U((1 << width) - 1) if width else None
    of = args[0].width if args else width
    if op in ("bvadd", "bvsub", "bvmul", "bvneg", "bvnot"):
        if op == "bvadd":
            value = x[0] + x[1]
        elif op == "bvsub":
            value = x[0] - x[1]
        elif op == "bvmul":
            value = x[0] * x[1]
        elif op == "bvneg":
            value = U(0) - x[0]
        else:
            value = ~x[0]
        return value & mask
    if op == "bvand":
        return x[0] & x[1]
    if op == "bvor":
        return x[0] | x[1]
    if op == "bvxor":
        return x[0] ^ x[1]
    if op in ("bvshl", "bvlshr"):
        count = np.minimum(x[1], U(63))
        value = x[0] << count & mask if op == "bvshl" else x[0] >> count
        return np.where(x[1] >= U(width), U(0), value)
    if op == "bvashr":
        count = np.minimum(x[1], U(width - 1)).astype(np.int64)
        return (as_signed(x[0], width) >> count).astype(U) & mask
    if op == "eq":
        return x[0] == x[1]
    if op == "bvult":
        return x[0] < x[1]
    if op == "bvslt":
        return as_signed(x[0], of) < as_signed(x[1], of)
    if op == "and":
        return x[0] & x[1]
    if op == "or":
        return x[0] | x[1]
    if op == "not":
        return ~x[0]
    if op == "ite":
        return np.where(x[0], x[1], x[2])
    if op == "zext":
        return x[0]
    if op == "sext":
        return as_signed(x[0], of).astype(U) & mask
    if op == "extract":
        return x[0] >> U(data[1]) & mask
    a = [as_floats(values) for values in x]
    with np.errstate(all="ignore"):
        if op == "fadd":
            return from_floats(a[0] + a[1])
        if op == "fmul":
            return from_floats(a[0] * a[1])
        if op == "fdiv":
            return from_floats(a[0] / a[1])
        if op == "fsqrt":
            return from_floats(np.sqrt(a[0]))
    raise NotImplementedError(op)


def order(roots):
    """All terms below some, operands first."""
    seen, result, stack = set(), [], [(root, False) for root in reversed(roots)]
    while stack:
        term, done = stack.pop()
        if done:
            result.append(term)
        elif term.id not in seen:
            seen.add(term.id)
            stack.append((term, True))
            stack.extend((arg, False) for arg in reversed(term.args) if arg.id not in seen)
    return result


def evaluate(roots, values, count, random):
    """The values of all terms below some; `values` has those of variables, others get random ones, which are added."""
    rows = {}
    for term in order(roots):
        if term.op == "const":
            kind = U if term.width else bool
            rows[term.id] = np.full(count, term.data, dtype=kind)
        elif term.op == "var":
            if term.data not in values:
                drawn = random.integers(0, 1 << max(term.width, 1), count, dtype=U)
                values[term.data] = drawn if term.width else drawn.astype(bool)
            rows[term.id] = values[term.data]
        else:
            rows[term.id] = apply(term.op, term.width, term.data, term.args, [rows[arg.id] for arg in term.args])
    return rows


def replace(roots, by):
    """Terms with some of the terms below them (by number) replaced by others."""
    new = {}
    for term in order(roots):
        if term.id in by:
            new[term.id] = by[term.id]
        elif not term.args:
            new[term.id] = term
        else:
            args = tuple(new[arg.id] for arg in term.args)
            same = all(a is b for a, b in zip(args, term.args))
            new[term.id] = term if same else build(term.op, args, term.width, term.data)
    return [new[root.id] for root in roots]
