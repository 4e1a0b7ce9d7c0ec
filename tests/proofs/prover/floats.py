"""The float operations of a machine, bit for bit, as terms.

`Truncate` is the environment of the model `hw`: results are truncated, denormal operands and results are zero (runtime/src/fpenv.rs).
`Nearest` is the default environment, that of the model `ieee` and of golden functions. Bits of a NaN that an operation makes, and
results for operands that it must not be given, are unknown: what is proved does not depend on them.
`prove.py encodings` compares all of it with processors and with SMT-LIB's floats.
"""

from terms import (
    add, any_of, ashr, band, bnot, bor, bxor, conj, const, disj, eq, extract, floating, ite, lshr, mul, neg, no, shl, slt, sub,
    ult, var, zext,
)

C = const
SIGN, FRACTION, INFINITY, MAX = C(0x80000000), C(0x7FFFFF), C(0x7F800000), C(0x7F7FFFFF)
ZERO = C(0)


def exponent(a):
    return zext(extract(a, 30, 23), 32)


def fraction(a):
    return band(a, FRACTION)


def significand(a):
    return bor(fraction(a), C(0x800000))


def sign(a):
    return band(a, SIGN)


def magnitude(a):
    return band(a, C(0x7FFFFFFF))


def is_nan(a):
    return ult(INFINITY, magnitude(a))


def is_infinite(a):
    return eq(magnitude(a), INFINITY)


def is_small(a):
    """A zero or a denormal."""
    return eq(extract(a, 30, 23), C(0, 8))


def mask(condition):
    return ite(condition, C(-1), ZERO)


def normalise(v):
    """A word shifted left until its first bit is set, and by how much."""
    count, step = ZERO, v.width // 2
    while step:
        empty = eq(extract(v, v.width - 1, v.width - step), C(0, step))
        v = ite(empty, shl(v, C(step, v.width)), v)
        count = ite(empty, add(count, C(step)), count)
        step //= 2
    return v, count


def pack(signs, exponents, fractions):
    """Truncation: what is too small becomes zero, what is too great the greatest finite number."""
    number = bor(bor(signs, shl(exponents, C(23))), fractions)
    number = ite(slt(exponents, C(255)), number, bor(signs, MAX))
    return ite(slt(ZERO, exponents), number, signs)


def from_unsigned(v):
    """The nearest float of an unsigned word, halves to even."""
    top, count = normalise(v)
    low, last = extract(top, 7, 0), eq(extract(top, 8, 8), C(1, 1))
    up = disj(ult(C(128, 8), low), conj(eq(low, C(128, 8)), last))
    number = add(shl(sub(C(158), count), C(23)), zext(extract(top, 30, 8), 32))
    return ite(eq(v, ZERO), ZERO, add(number, ite(up, C(1), ZERO)))


def from_signed(v):
    """The nearest float of a signed word."""
    return bor(sign(v), from_unsigned(ite(slt(v, ZERO), neg(v), v)))


def less(a, b):
    """Of numbers, neither of which is a NaN; zeros are equal."""
    def key(x):
        return ite(eq(magnitude(x), ZERO), ZERO, ite(slt(x, ZERO), neg(magnitude(x)), x))
    return slt(key(a), key(b))


class Nearest:
    """The default environment."""

    def __init__(self, name):
        self.name = name

    def unknown(self, what, *args, width=32):
        """What nothing is known of: the same whenever the same operation has the same operands. Golden functions have an environment of
        their own, so that no unknown is theirs and the recipe's."""
        return var(f"{self.name}.{what}({','.join(str(arg.id) for arg in args)})", width)

    def nan_bits(self, *args):
        """Some NaN."""
        bits = self.unknown("nan", *args)
        return ite(is_nan(bits), bits, C(0x7FC00000))

    def operand(self, a):
        return a

    # What rounded operations computed before the bits of a NaN were forgotten, by the number of the result.
    cores = {}

    def unspecified(self, a):
        result = ite(is_nan(a), self.nan_bits(a), a)
        self.cores[result.id] = a
        return result

    def rounded(self, op, *args):
        """Of a NaN operand the bits do not matter, so that any will do."""
        return self.unspecified(floating(op, *(self.cores.get(arg.id, arg) for arg in args)))

    def fadd(self, a, b):
        return self.rounded("fadd", a, b)

    def fsub(self, a, b):
        return self.fadd(a, bxor(b, SIGN))

    def fmul(self, a, b):
        return self.rounded("fmul", a, b)

    def fdiv(self, a, b):
        return self.rounded("fdiv", a, b)

    def fsqrt(self, a):
        return self.rounded("fsqrt", a)

    def cvt_f(self, a):
        return from_signed(a)

    def feq(self, a, b):
        a, b = self.operand(a), self.operand(b)
        zeros = conj(eq(magnitude(a), ZERO), eq(magnitude(b), ZERO))
        return conj(no(self.unordered(a, b)), disj(eq(a, b), zeros))

    def flt(self, a, b):
        a, b = self.operand(a), self.operand(b)
        return conj(no(self.unordered(a, b)), less(a, b))

    def fle(self, a, b):
        a, b = self.operand(a), self.operand(b)
        return conj(no(self.unordered(a, b)), no(less(b, a)))

    def picked(self, a):
        return a

    def unordered(self, a, b):
        return disj(is_nan(a), is_nan(b))

    def ffloor(self, a):
        """From 2^23 on every float is an integer."""
        a = self.operand(a)
        count = sub(C(150), exponent(a))
        below = sub(shl(C(1), count), C(1))
        cut = band(a, bnot(below))
        fractional = no(eq(band(a, below), ZERO))
        # Adding one unit to a magnitude carries into the exponent field as it should.
        moved = ite(conj(slt(a, ZERO), fractional), add(cut, shl(C(1), count)), cut)
        whole = slt(C(149), exponent(a))
        small = slt(exponent(a), C(127))
        minus = ite(eq(magnitude(a), ZERO), a, C(0xBF800000))
        small_value = ite(slt(a, ZERO), minus, ZERO)
        return self.unspecified(ite(whole, a, ite(small, small_value, moved)))

    def cvt_i(self, a):
        """Out of range the result must not be used."""
        e = exponent(a)
        whole = lshr(shl(significand(a), C(8)), sub(C(158), e))
        value = ite(slt(a, ZERO), neg(whole), whole)
        value = ite(ult(e, C(127)), ZERO, value)
        return ite(ult(e, C(158)), value, self.unknown("integer", a))

    def magnitudes(self, a, b, greater):
        """One operand by its magnitude: of NaNs the result must not be used."""
        a, b = self.operand(a), self.operand(b)
        first = ult(magnitude(b), magnitude(a))
        equal = eq(magnitude(a), magnitude(b))
        at_equal = band(a, b) if greater else bor(a, b)
        picked = ite(first, a, b) if greater else ite(first, b, a)
        return ite(self.unordered(a, b), self.unknown(f"magnitude{int(greater)}", a, b), ite(equal, at_equal, picked))


class Truncate(Nearest):
    """Rounds towards zero, flushes operands and results."""

    def operand(self, a):
        return ite(is_small(a), sign(a), a)

    def picked(self, a):
        """Processors flush a denormal that they pick, the evaluator does not: either may come out."""
        return ite(conj(is_small(a), self.unknown("flushes", a, width=0)), sign(a), a)

    def fmul(self, a, b):
        if a.op == "const":
            a, b = b, a
        if b.op == "const" and b.data & 0x7FFFFF == 0 and 0 < b.data >> 23 & 0xFF < 255:
            return self.scaled(a, b)
        product = mul(zext(significand(a), 64), zext(significand(b), 64))
        carry = zext(extract(product, 47, 47), 32)
        fractions = ite(eq(carry, C(1)), zext(extract(product, 46, 24), 32), zext(extract(product, 45, 23), 32))
        exponents = add(sub(add(exponent(a), exponent(b)), C(127)), carry)
        signs = sign(bxor(a, b))
        zero, infinite = disj(is_small(a), is_small(b)), disj(is_infinite(a), is_infinite(b))
        result = ite(zero, signs, pack(signs, exponents, fractions))
        result = ite(infinite, bor(signs, INFINITY), result)
        return ite(disj(self.unordered(a, b), conj(zero, infinite)), self.nan_bits(product, a, b), result)

    def scaled(self, a, power):
        """The product with a power of two, which is exact."""
        signs = sign(bxor(a, power))
        number = pack(signs, sub(add(exponent(a), exponent(power)), C(127)), fraction(a))
        result = ite(is_small(a), signs, ite(is_infinite(a), bor(signs, INFINITY), number))
        return ite(is_nan(a), self.nan_bits(a, power), result)

    def fadd(self, a, b):
        swap = ult(magnitude(a), magnitude(b))
        great, small = ite(swap, b, a), ite(swap, a, b)

        def wide(x):
            return shl(zext(ite(is_small(x), ZERO, significand(x)), 64), C(27, 64))
        upper, lower = wide(great), wide(small)
        distance = zext(sub(exponent(great), exponent(small)), 64)
        shifted = lshr(lower, distance)
        lost = no(eq(shl(shifted, distance), lower))
        opposite = no(eq(sign(a), sign(b)))
        difference = sub(sub(upper, shifted), ite(lost, C(1, 64), C(0, 64)))
        exact = ite(opposite, difference, add(upper, shifted))
        top, count = normalise(exact)
        exponents = sub(add(exponent(great), C(13)), count)
        result = pack(sign(great), exponents, zext(extract(top, 62, 40), 32))
        result = ite(eq(exact, C(0, 64)), band(sign(a), sign(b)), result)
        result = ite(is_infinite(great), great, result)
        infinities = conj(conj(is_infinite(a), is_infinite(b)), opposite)
        return ite(disj(self.unordered(a, b), infinities), self.nan_bits(exact, a, b), result)

    def fdiv(self, a, b):
        raise NotImplementedError("a truncated quotient")

    def fsqrt(self, a):
        raise NotImplementedError("a truncated root")

    def cvt_f(self, a):
        top, count = normalise(ite(slt(a, ZERO), neg(a), a))
        number = bor(shl(sub(C(158), count), C(23)), zext(extract(top, 30, 8), 32))
        return ite(eq(a, ZERO), ZERO, bor(sign(a), number))


ENVIRONMENTS = {"hw": Truncate("hw"), "ieee": Nearest("ieee"), "golden": Nearest("golden")}


def pure(name, imm, env, a):
    """A machine operation of crates/ir/src/ir/ops.rs."""
    integers = {"iadd": add, "isub": sub, "imul": mul, "and": band, "or": bor, "xor": bxor}
    if name in integers:
        return integers[name](*a)
    shifts = {"shl": shl, "shr": lshr, "sar": ashr}
    if name in shifts:
        return shifts[name](a[0], C(imm & 31))
    if name == "andnot":
        return band(a[0], bnot(a[1]))
    if name == "select":
        m = a[0]
        # A mask of all ones or none is a condition.
        if m.op == "ite" and {m.args[1], m.args[2]} == {C(-1), ZERO}:
            return ite(m.args[0], a[1], a[2]) if m.args[1] is C(-1) else ite(m.args[0], a[2], a[1])
        return bor(band(m, a[1]), band(bnot(m), a[2]))
    if name == "ieq":
        return mask(eq(*a))
    if name == "igt":
        return mask(slt(a[1], a[0]))
    if name == "imin":
        return ite(slt(a[0], a[1]), a[0], a[1])
    if name == "imax":
        return ite(slt(a[1], a[0]), a[0], a[1])
    if name == "umin":
        return ite(ult(a[0], a[1]), a[0], a[1])
    if name == "feq":
        return mask(env.feq(*a))
    if name == "flt":
        return mask(env.flt(*a))
    if name == "fle":
        return mask(env.fle(*a))
    if name == "funord":
        return mask(env.unordered(*a))
    if name == "fmin":
        return env.picked(ite(env.flt(*a), a[0], a[1]))
    if name == "fmax":
        return env.picked(ite(env.flt(a[1], a[0]), a[0], a[1]))
    if name == "fmaxmag":
        return env.magnitudes(*a, True)
    if name == "fminmag":
        return env.magnitudes(*a, False)
    if name in ("fadd", "fsub", "fmul", "fdiv", "fsqrt", "ffloor", "cvt_f", "cvt_i"):
        return getattr(env, name)(*a)
    raise NotImplementedError(name)
