"""Proofs of goals: a recipe's result equals the golden one wherever no guard is raised.

1. Rows of operands, among them many awkward ones, are tried first: a wrong recipe is mostly found here.
2. The solver gets the whole question for a few seconds.
3. What it does not answer is cut. Terms of both sides that have equal values on all rows are asked for one by one, and those proved
   equal are shared from there on; then what is shared is replaced by variables, of which only ranges are known (and proved).
   Choices at the top of the recipe are proved case by case.

No step trusts rows: they only propose. What is replaced has been proved equal under the guards.
"""

import time

import numpy as np

from solver import Translator, ask
from terms import (
    FALSE, TRUE, band, choice, const, eq, evaluate, fresh, no, order, replace, slt, truth,
)

ROWS = 6000
U = np.uint64
# Bounds at which recipes, rules and tables change.
LANDMARKS = [
    0, 1, 0x7FFFFF, 0x800000, 0x0E800000, 0x0F000000, 0x1F800000, 0x33FFFFFF, 0x34000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
    0x42FFFFFF, 0x43000000, 0x4B000000, 0x4EFFFFFF, 0x4F000000, 0x5F800000, 0x7D000000, 0x7E800000, 0x7F000000, 0x7F7FFFFF,
    0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF,
]


def operands(count, seed=1):
    """Rows of four operands: numbers of all sizes, numbers that meet in sums, and corners of the number space."""
    random = np.random.default_rng(seed)
    integers = lambda high: random.integers(0, high, count, dtype=np.int64)
    base = integers(255)
    columns = []
    for _ in range(4):
        fraction = integers(1 << 23)
        cut = fraction >> integers(24) << integers(12) & 0x7FFFFF
        fraction = np.where(integers(3) == 0, cut, fraction)
        near = np.clip(base + integers(37) - 18, 0, 255)
        middle = 107 + integers(40)
        exponent = np.choose(integers(4), [near, near, middle, integers(256)])
        number = exponent << 23 | fraction
        corner = np.array(LANDMARKS)[integers(len(LANDMARKS))] + integers(3) - 1 & 0x7FFFFFFF
        word = np.where(integers(8) == 0, corner, number) | integers(2) << 31
        columns.append(word)
    x, y, z, w = columns
    sign = 1 << 31
    pick = integers(12)
    y = np.where(pick == 0, x ^ sign, y)
    y = np.where(pick == 1, (x ^ sign) + integers(3) - 1 & 0xFFFFFFFF, y)
    z = np.where(pick == 2, (y ^ sign) + integers(3) - 1 & 0xFFFFFFFF, z)
    # A product and its opposite.
    with np.errstate(all="ignore"):
        floats = [column.astype(np.uint32).view(np.float32) for column in (x, y)]
        product = (floats[0] * floats[1]).view(np.uint32).astype(np.int64)
    z = np.where(pick == 3, product ^ sign, z)
    y = np.where(pick == 4, x, y)
    return dict(zip("xyzw", (column.astype(U) for column in (x, y, z, w))))


class Outcome:
    """`proved`, `wrong` with operands, or `open`; how, and the processor's seconds."""

    def __init__(self, word, how, seconds=0.0, row=None):
        self.word, self.how, self.seconds, self.row = word, how, seconds, row


class Prover:
    """Proves goals within a number of seconds each."""

    def __init__(self, limit=90.0, quick=2.0, log=None):
        self.limit, self.quick, self.log = limit, quick, log
        self.columns = operands(ROWS)

    def note(self, *words):
        if self.log:
            print(*words, file=self.log, flush=True)

    def prove(self, assumptions, left, right):
        start = time.process_time()
        self.deadline = start + self.limit
        self.translator = Translator()
        self.random = np.random.default_rng(7)
        self.values = dict(self.columns)
        outcome = self.case(list(assumptions), left, right, 0)
        outcome.seconds = time.process_time() - start
        return outcome

    def satisfiable(self, conditions):
        """Whether something meets all of them."""
        self.deadline, self.translator = time.process_time() + self.limit, Translator()
        return self.ask(conditions, FALSE, self.limit).word == "wrong"

    def left(self):
        return self.deadline - time.process_time()

    def ask(self, assumptions, claim, seconds):
        return ask(self.translator, assumptions, claim, max(0.1, min(seconds, self.left())))

    def case(self, assumptions, left, right, depth):
        if left is right:
            return Outcome("proved", "the same terms")
        row = self.differing_row(assumptions, left, right)
        if row:
            return Outcome("wrong", "rows", row=row)
        answer = self.ask(assumptions, eq(left, right), self.quick)
        self.note("  " * depth, "direct:", answer.word, f"{answer.seconds:.1f}")
        if answer.word != "unknown":
            return self.outcome(answer, "at once")
        if self.left() < 0:
            return Outcome("open", "time")
        new_left, new_right = self.sweep(assumptions, left, right)
        if new_left is new_right:
            return Outcome("proved", "by shared terms")
        if self.by_ranges(assumptions, new_left, new_right):
            return Outcome("proved", "by shared terms and ranges")
        at_top = depth < 2 and new_left.op == "ite" and not choice(new_left)
        condition = new_left.args[0] if at_top else factor_condition(new_left, new_right)
        if condition is not None and depth < 8:
            return self.split(assumptions, new_left, new_right, condition, depth)
        answer = self.ask(assumptions, eq(new_left, new_right), self.limit)
        self.note("  " * depth, "rest:", answer.word, f"{answer.seconds:.1f}")
        return self.outcome(answer, "after sharing terms")

    def outcome(self, answer, how):
        word = {"proved": "proved", "wrong": "wrong", "unknown": "open"}[answer.word]
        row = [answer.values.get(name, 0) for name in "xyzw"] if answer.values is not None else None
        return Outcome(word, how if word != "open" else "time", row=row)

    def rows(self, assumptions, roots):
        """Values of all terms, and which rows the assumptions admit."""
        rows = evaluate([*assumptions, *roots], self.values, ROWS, self.random)
        admitted = np.ones(ROWS, dtype=bool)
        for term in assumptions:
            admitted &= rows[term.id]
        return rows, admitted

    def differing_row(self, assumptions, left, right):
        rows, admitted = self.rows(assumptions, [left, right])
        wrong = np.nonzero(admitted & (rows[left.id] != rows[right.id]))[0]
        return [int(self.values[name][wrong[0]]) for name in "xyzw"] if len(wrong) else None

    def sweep(self, assumptions, left, right):
        """Both sides, with terms that are equal under the assumptions, as far as the solver sees it, made one."""
        rows, admitted = self.rows(assumptions, [left, right])
        if int(admitted.sum()) < 16:
            return left, right
        table, new, proved, asked = {}, {}, 0, 0
        for term in order([left, right]):
            args = tuple(new[arg.id] for arg in term.args)
            same = all(a is b for a, b in zip(args, term.args))
            now = new[term.id] = term if same else replace_args(term, args)
            if now.op == "const" or self.left() < 0:
                continue
            column, equals = rows[term.id][admitted], []
            if (column == column[0]).all():
                candidates = [const(int(column[0]), term.width) if term.width else truth(column[0])]
            else:
                equals = table.setdefault((term.width, column.tobytes()), [])
                candidates = [other for other in equals if other is not now][:2]
                if now in equals or term.op == "var":
                    candidates = []
            for candidate in candidates:
                asked += 1
                if self.ask(assumptions, eq(now, candidate), 2.0 if term.width else 1.0).word == "proved":
                    now = new[term.id] = candidate
                    proved += 1
                    break
            if now.op != "const" and now not in equals:
                equals.append(now)
        self.note("  swept:", proved, "of", asked, "questions")
        return new[left.id], new[right.id]

    def by_ranges(self, assumptions, left, right):
        """Whether both sides are equal whatever is shared, within its ranges."""
        shared = {term.id for term in order([left])} & {term.id for term in order([right])}
        frontier, facts, by = {}, [], {}
        for root in (left, right):
            if root.id in shared:
                return False
            for term in order([root]):
                if term.id not in shared:
                    frontier.update((arg.id, arg) for arg in term.args if arg.id in shared and arg.op != "const")
        rows, admitted = self.rows(assumptions, [left, right])
        for term in frontier.values():
            stand_in = fresh(term.width)
            by[term.id] = stand_in
            for fact in candidate_facts(term, rows[term.id][admitted]):
                if self.ask(assumptions, fact(term), 6.0).word == "proved":
                    facts.append(fact(stand_in))
        new_left, new_right = replace([left, right], by)
        answer = self.ask(facts, eq(new_left, new_right), 30.0)
        self.note("  ranges:", answer.word, f"{answer.seconds:.1f}", len(frontier), "terms", len(facts), "facts")
        return answer.word == "proved"

    def split(self, assumptions, left, right, condition, depth):
        """Proof by the two cases of a condition."""
        for value in (TRUE, FALSE):
            case = condition if value is TRUE else no(condition)
            sides = replace([left, right], {condition.id: value})
            outcome = self.case([*assumptions, case], *sides, depth + 1)
            if outcome.word != "proved":
                return outcome
        return Outcome("proved", "case by case")


def factor_condition(left, right):
    """The condition with the least height of a choice that a factor of a product depends on: solvers are slow to see that two products
    are one, and have nothing to see where the factors are the same terms."""
    factors = [arg for term in order([left, right]) if term.op == "bvmul" for arg in term.args]
    heights, best = {}, None
    for term in order(factors):
        heights[term.id] = 1 + max((heights[arg.id] for arg in term.args), default=0)
        if term.op == "ite":
            condition = term.args[0]
            if condition.op != "const" and (best is None or heights[condition.id] < heights[best.id]):
                best = condition
    return best


def replace_args(term, args):
    return replace([term], {arg.id: new for arg, new in zip(term.args, args)})[0]


def candidate_facts(term, column):
    """What the rows say of a word: bits that are never set, and its range as a signed number up to a power of two."""
    if not term.width or not len(column):
        return []
    width = term.width
    ones = int(np.bitwise_or.reduce(column))
    facts = []
    unused = ~ones & (1 << width) - 1
    if unused:
        facts.append(lambda t: eq(band(t, const(unused, width)), const(0, width)))
    signs = (column << U(64 - width)).astype(np.int64) >> np.int64(64 - width)
    low, high = int(signs.min()), int(signs.max())
    top = 1 << max(high, 0).bit_length()
    bottom = -(1 << (max(-low - 1, 0)).bit_length()) if low < 0 else 0
    if top < 1 << (width - 1) and top < 1 << 62:
        facts.append(lambda t: slt(t, const(top, width)))
        facts.append(lambda t: slt(t, const(high + 1, width)))
    elif high == low:
        pass
    if bottom > -(1 << (width - 1)):
        facts.append(lambda t: no(slt(t, const(bottom, width))))
    facts.append(lambda t: slt(const(-(1 << (width - 1)), width), t))
    if low > 0:
        facts.append(lambda t: no(slt(t, const(low, width))))
    return facts
