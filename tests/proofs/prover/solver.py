"""Terms for bitwuzla, and its answers."""

import time

from bitwuzla import Bitwuzla, Kind, Option, Options, Result, TermManager, RoundingMode

from terms import order

KINDS = {
    "bvadd": Kind.BV_ADD, "bvsub": Kind.BV_SUB, "bvmul": Kind.BV_MUL, "bvneg": Kind.BV_NEG, "bvnot": Kind.BV_NOT,
    "bvand": Kind.BV_AND, "bvor": Kind.BV_OR, "bvxor": Kind.BV_XOR, "bvshl": Kind.BV_SHL, "bvlshr": Kind.BV_SHR,
    "bvashr": Kind.BV_ASHR, "bvult": Kind.BV_ULT, "bvslt": Kind.BV_SLT, "eq": Kind.EQUAL, "and": Kind.AND, "or": Kind.OR,
    "not": Kind.NOT, "ite": Kind.ITE,
}
ROUNDED = {"fadd": Kind.FP_ADD, "fmul": Kind.FP_MUL, "fdiv": Kind.FP_DIV, "fsqrt": Kind.FP_SQRT}


class Translator:
    """Terms of bitwuzla, made once for all questions."""

    def __init__(self):
        self.manager = TermManager()
        self.known = {}
        self.variables = {}
        # What floats mean: conditions on the terms that stand for their bits.
        self.meanings = {}

    def sort(self, width):
        return self.manager.mk_bv_sort(width) if width else self.manager.mk_bool_sort()

    def term(self, root):
        for term in order([root]):
            if term.id not in self.known:
                self.known[term.id] = self.translate(term, [self.known[arg.id] for arg in term.args])
        return self.known[root.id]

    def translate(self, term, args):
        tm = self.manager
        if term.op == "const":
            return tm.mk_bv_value(self.sort(term.width), term.data) if term.width else (tm.mk_true() if term.data else tm.mk_false())
        if term.op == "var":
            return self.variables.setdefault(term.data, tm.mk_const(self.sort(term.width), term.data))
        if term.op in KINDS:
            return tm.mk_term(KINDS[term.op], args)
        if term.op == "zext":
            return tm.mk_term(Kind.BV_ZERO_EXTEND, args, [term.width - term.args[0].width])
        if term.op == "sext":
            return tm.mk_term(Kind.BV_SIGN_EXTEND, args, [term.width - term.args[0].width])
        if term.op == "extract":
            return tm.mk_term(Kind.BV_EXTRACT, args, list(term.data))
        if term.op in ROUNDED:
            return self.rounded(term, args)
        raise NotImplementedError(term.op)

    def floating(self, bits):
        return self.manager.mk_term(Kind.FP_TO_FP_FROM_BV, [bits], [8, 24])

    def rounded(self, term, args, mode=RoundingMode.RNE):
        tm = self.manager
        bits = tm.mk_const(self.sort(32), f"{term.op}{term.id}")
        value = tm.mk_term(ROUNDED[term.op], [tm.mk_rm_value(mode), *map(self.floating, args)])
        nan = tm.mk_term(Kind.EQUAL, [bits, tm.mk_bv_value(self.sort(32), 0x7FFFFFFF)])
        number = tm.mk_term(Kind.EQUAL, [self.floating(bits), value])
        self.meanings[term.id] = tm.mk_term(Kind.ITE, [tm.mk_term(Kind.FP_IS_NAN, [value]), nan, number])
        return bits


def rounded_term(translator, op, args, bits, mode):
    """That `bits` are those of an operation rounded otherwise."""
    tm = translator.manager
    value = tm.mk_term(ROUNDED[op], [tm.mk_rm_value(mode), *(translator.floating(translator.term(arg)) for arg in args)])
    result = translator.floating(translator.term(bits))
    nan = tm.mk_term(Kind.FP_IS_NAN, [result])
    return tm.mk_term(Kind.ITE, [tm.mk_term(Kind.FP_IS_NAN, [value]), nan, tm.mk_term(Kind.EQUAL, [result, value])])


class Answer:
    """`proved`, `wrong` with values of variables, or `unknown`."""

    def __init__(self, word, seconds, values=None):
        self.word, self.seconds, self.values = word, seconds, values


def ask(translator, assumptions, claim, seconds, more=()):
    """Whether a claim follows from assumptions, all of which are truth terms."""
    start = time.process_time()
    options = Options()
    options.set(Option.PRODUCE_MODELS, True)
    options.set(Option.TIME_LIMIT_PER, int(seconds * 1000))
    solver = Bitwuzla(translator.manager, options)
    formulas = [translator.term(term) for term in assumptions]
    formulas.append(translator.manager.mk_term(Kind.NOT, [translator.term(claim)]))
    below = order([*assumptions, claim])
    formulas += [translator.meanings[term.id] for term in below if term.id in translator.meanings]
    for formula in [*formulas, *more]:
        solver.assert_formula(formula)
    result = solver.check_sat()
    taken = time.process_time() - start
    if result == Result.UNSAT:
        return Answer("proved", taken)
    if result == Result.SAT:
        values = {}
        for term in below:
            if term.op == "var":
                value = solver.get_value(translator.known[term.id])
                values[term.data] = int(value.value(16), 16) if term.width else int(bool(value.value()))
        return Answer("wrong", taken, values)
    return Answer("unknown", taken)
