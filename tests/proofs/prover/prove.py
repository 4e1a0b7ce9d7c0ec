"""Proves recipes and keeps the ledger; `.ci/proofs` calls it with what it has built.

    prove.py encodings      float operations and golden functions as terms, compared with processors, with the compiled functions and
                            with SMT-LIB's floats
    prove.py selftest       what must not be proved: recipes without a guard, and recipes that are wrong
    prove.py recipes        every recipe; writes the ledger
"""

import argparse
import collections
import importlib.metadata
import random
import subprocess
import sys
import time

import numpy as np

import solver
from compose import Composed, about, related, with_one_zero
from floats import ENVIRONMENTS, SIGN, ZERO, is_nan, pure
from goal import Prover, operands
from goldens import COUNTS, SHORT, Goldens, is_short
from ledger import Ledger, arithmetic
from llvm import Module, Untranslated
from recipes import INPUTS, Recipe, read
from terms import FALSE, NAN, band, eq, evaluate, ite, no, var

EXHAUSTIVE = {
    "quick": "tests/recipes.rs primitives_of_one_operand_are_right_on_every_operand",
    "slow": "tests/recipes.rs primitives_of_one_operand_are_right_on_every_operand",
}


# Operands of machine operations that do not take two.
OPERANDS = {name: 1 for name in ("shl", "shr", "sar", "fsqrt", "ffloor", "cvt_f", "cvt_i")} | {"select": 3}


SHAPES = ["given", "product", "sums", "squares", "lone", "ones", "truths", "part", "positive"]


def hexes(words):
    return " ".join(f"{word:08x}" for word in words)


class Tools:
    """What the build has made."""

    def __init__(self, options):
        self.proofs, self.golden, self.root = options.proofs, options.golden, options.root
        ir = options.ir
        self.module = Module(f"{ir}/deps/xfjit_runtime-*.ll", f"{ir}/deps/xfjit_ir-*.ll", f"{ir}/examples/golden-*.ll")
        self.goldens = Goldens(self.module)

    def run(self, *command, given=""):
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
        return done.stdout

    def recipes(self):
        return read(self.run(self.proofs, "recipes"))

    def has_one_result(self, recipe, operands):
        """Whether a golden function of one operand has one result for all of these."""
        lines = [f"{recipe.model} {recipe.rules} {recipe.op} {hexes([operand, 0, 0, 0])}\n" for operand in operands]
        results = self.run(self.golden, given="".join(lines)).splitlines()
        return len(results) == len(operands) and len({line.split()[-1] for line in results}) == 1

    def check(self, recipe, row):
        """What the real code makes of operands, as a line."""
        line = f"{recipe.op} {recipe.model} {recipe.rules} {recipe.shape} {hexes(row)}"
        return line, self.run(self.proofs, "check", given=line + "\n").strip()


def encodings(tools, options):
    """Compares terms with code; tells how many figures there were."""
    failures = check_goldens(tools) + check_machine(tools) + check_smt_lib()
    for failure in failures[:20]:
        print("differs:", failure)
    return 1 if failures else 0


def check_goldens(tools, count=500):
    columns = operands(count, seed=5)
    rows = list(zip(*(columns[name].tolist() for name in "xyzw")))
    lines, want, refused = [], [], set()
    for model in ("hw", "ieee"):
        for rules in ("celsius", "kelvin", "rankine_legacy", "rankine_modern"):
            for op in tools.goldens.primitives(model, rules):
                try:
                    term = tools.module.call(tools.module.find("golden", "golden", f"{model}_{rules}", op), INPUTS)
                except Untranslated:
                    refused.add(op)
                    continue
                values = evaluate([term], dict(columns), count, np.random.default_rng(1))[term.id]
                lines += [f"{model} {rules} {op} {hexes(row)}" for row in rows]
                want += values.tolist()
    got = [int(line.split()[-1], 16) for line in tools.run(tools.golden, given="\n".join(lines) + "\n").splitlines()]
    failures = [(line, f"{a:08x}", f"{b:08x}") for line, a, b in zip(lines, want, got) if a != b]
    print(f"golden functions: {len(got)} figures, {len(failures)} differ; not translated: {' '.join(sorted(refused))}", flush=True)
    return failures


def check_machine(tools, count=2000):
    """Machine operations: each figure is the evaluator's and that of each machine code."""
    groups = collections.defaultdict(list)
    for line in tools.run(tools.proofs, "machine", str(count)).splitlines():
        model, op, imm, *words = line.split()
        groups[(model, op, imm)].append([int(word, 16) for word in words])
    failures, figures, refused = [], 0, set()
    for (model, op, imm), rows in groups.items():
        env = ENVIRONMENTS[model]
        table = np.array(rows, dtype=np.uint64)
        args = INPUTS[:OPERANDS.get(op, 2)]
        names = ("swap", "mulshr", "fma")
        if op in names or (model == "hw" and op in ("fdiv", "fsqrt")):
            refused.add(op)
            continue
        term = pure(op, int(imm), env, args)
        columns = {"x": table[:, 0], "y": table[:, 1], "z": table[:, 2]}
        # Unknown results differ in two evaluations with other random bits.
        values = [evaluate([term], dict(columns), len(rows), np.random.default_rng(seed))[term.id] for seed in (1, 2)]
        known = values[0] == values[1]
        for column in range(3, table.shape[1]):
            # Of a NaN that an operation makes the bits are unknown.
            if model == "hw" and op in ("fmin", "fmax"):
                known &= (values[0] & np.uint64(0x7F800000)) != 0
            both_nan = is_nan_column(values[0]) & is_nan_column(table[:, column])
            figures += int(known.sum())
            wrong = np.nonzero(known & ~both_nan & (values[0] != table[:, column]))[0]
            failures += [(model, op, imm, hexes(rows[i]), f"{int(values[0][i]):08x}") for i in wrong]
    print(f"machine operations: {figures} figures, {len(failures)} differ; not translated: {' '.join(sorted(refused))}", flush=True)
    return failures


def is_nan_column(words):
    return (words & np.uint64(0x7FFFFFFF)) > np.uint64(0x7F800000)


def check_smt_lib():
    """The truncated sum and product against SMT-LIB's, flushed; the conversions against it."""
    from bitwuzla import RoundingMode
    failures = []
    x, y = INPUTS[:2]
    env = ENVIRONMENTS["hw"]
    for op in ("fmul", "fadd"):
        translator = solver.Translator()
        a, b = env.operand(x), env.operand(y)
        bits = var(f"smt_{op}")
        rounded = solver.rounded_term(translator, op, [a, b], bits, RoundingMode.RTZ)
        ours = getattr(env, op)(x, y)
        flushed = env.operand(bits)
        claim = ite(is_nan(bits), is_nan(ours), eq(ours, flushed))
        answer = solver.ask(translator, [], claim, 60.0, [rounded])
        print(f"{op} as in SMT-LIB, truncated and flushed: {answer.word}, {answer.seconds:.1f} s", flush=True)
        # Two products of 24 bits that are made differently are too much for solvers.
        if answer.word == "wrong":
            failures.append((op, answer.word, answer.values))
    return failures


def selftest(tools, options):
    """Goals that must fail. Tells the operands, which are rows for tests/proofs/operands.txt."""
    chosen = [
        ("mul", "hw", "kelvin", "given"), ("mul", "hw", "celsius", "given"), ("mul", "hw", "rankine_modern", "given"),
        ("sum2", "hw", "kelvin", "given"), ("sum3", "hw", "rankine_modern", "given"), ("max", "ieee", "rankine_legacy", "given"),
        ("sum2", "hw", "kelvin", "product"), ("slt", "hw", "rankine_modern", "given"), ("lt_mul", "hw", "celsius", "given"),
        ("squash", "hw", "kelvin", "given"),
    ]
    prover, failures = Prover(60.0), 0
    for recipe in tools.recipes():
        if (recipe.op, recipe.model, recipe.rules, recipe.shape) not in chosen or "quick" not in recipe.variants:
            continue
        left, guards = recipe.terms()
        right = tools.goldens.result(recipe)
        assumptions = [no(condition) for _, condition in guards]
        both_ways = [prover.satisfiable(assumptions)] + [prover.satisfiable([condition]) for _, condition in guards]
        print(f"{recipe}: guards can be silent and can be raised: {all(both_ways)}")
        failures += not all(both_ways)
        for i, (line, _) in enumerate(guards):
            outcome = prover.prove(assumptions[:i] + assumptions[i + 1:], left, right)
            print(f"  without {line!r}: {outcome.word} {hexes(outcome.row or [])}")
            # A guard may be there for others that read the value, or repeat another.
            failures += outcome.word == "open"
        for line, text in mutations(recipe):
            wrong = Recipe(recipe.fingerprint, recipe.name, text)
            left_wrong, guards_wrong = wrong.terms()
            outcome = prover.prove([no(condition) for _, condition in guards_wrong], left_wrong, right)
            print(f"  with {line!r}: {outcome.word} {hexes(outcome.row or [])}")
            failures += outcome.word == "open"
    failures += selftest_composed(tools, options)
    return 1 if failures else 0


def selftest_composed(tools, options):
    """Recipes that are composed of others no more if an operation of theirs is another one; and which primitives tell the zeros apart."""
    tools.listed = tools.recipes()
    run, failures = Run(tools, options, Ledger(options.ledger), lambda: None), 0
    for name in ("exp_x hw kelvin lone", "is_less hw rankine_modern ones"):
        recipe = next(recipe for recipe in tools.listed if str(recipe).startswith(f"{name} quick"))
        is_composed = lambda recipe: (run.composed(recipe, options.limit) or [""])[0].startswith("composed")
        print(f"{recipe}: composed: {is_composed(recipe)}")
        failures += not is_composed(recipe)
        # Without a guard it may be right: another one is raised as well, or a wrong zero is not seen.
        for line, text in mutations(recipe, 6, recipe.feeding()):
            wrong = is_composed(Recipe(recipe.fingerprint, recipe.name, text))
            print(f"  with {line!r}: composed: {wrong}")
            failures += wrong
    for op, operand, expected in (("sum2", "x", True), ("exp_x", "x", True), ("is_less", "x", True), ("rcp", "x", False), ("max", "y", False), ("slt", "x", False)):
        recipe = next(recipe for recipe in tools.listed if str(recipe).startswith(f"{op} hw kelvin given"))
        ignores = run.ignores_sign_of_zero(recipe, f"v0.{operand}")
        print(f"{op} has one result for both zeros in {operand}: {ignores}")
        failures += ignores != expected
    return failures


def mutations(recipe, count=3, among=None):
    """The recipe with one operation changed, of all or of those with these results."""
    swaps = {"fadd": "fsub", "iadd": "isub", "isub": "iadd", "imax": "imin", "igt": "ieq", "flt": "feq", "and": "or", "or": "and", "fmul": "fadd"}
    chooser = random.Random(recipe.fingerprint)
    lines = recipe.text.splitlines()
    places = [i for i, line in enumerate(lines) if line.partition(" = ")[2].split(" ")[0] in swaps]
    places = [i for i in places if among is None or lines[i].split()[0] in among]
    for i in chooser.sample(places, min(count, len(places))):
        op = lines[i].partition(" = ")[2].split(" ")[0]
        changed = lines[i].replace(f"= {op} ", f"= {swaps[op]} ")
        yield changed.strip(), "\n".join(lines[:i] + [changed] + lines[i + 1:])


def recipes(tools, options):
    """Proves what is to be proved, easy goals first."""
    listed = tools.listed = tools.recipes()
    ledger = Ledger(options.ledger)
    numbers = arithmetic(tools.root)
    version = f"bitwuzla {importlib.metadata.version('bitwuzla')}"
    if ledger.arithmetic != numbers and ledger.statuses:
        print("The golden functions have changed: nothing is proved of them.", flush=True)
        ledger.statuses.clear()
    wanted = [recipe for recipe in listed if not options.only or recipe.op in options.only]
    if options.changed:
        wanted = [recipe for recipe in wanted if recipe.fingerprint not in ledger.statuses]
    if options.gaps:
        wanted = [recipe for recipe in wanted if ledger.statuses.get(recipe.fingerprint, "gap").startswith("gap")]
    save = lambda: ledger.write(listed, numbers, version)
    run = Run(tools, options, ledger, save)
    print(f"{len(listed)} recipes, {len(wanted)} to prove", flush=True)
    # What programs consist of comes first, in case the time does not suffice, and what others are composed of.
    waiting = sorted(wanted, key=lambda recipe: SHAPES.index(recipe.shape))
    given = [recipe for recipe in waiting if recipe.shape == "given"]
    others = [recipe for recipe in waiting if recipe.shape != "given"]
    for limit in (1.0, 15.0, options.limit):
        limit = min(limit, options.limit)
        given, others = run.all(given, limit), run.all(others, limit)
        save()
        print(f"within {limit:.0f} s each: {len(given) + len(others)} open", flush=True)
    save()
    counts = collections.Counter(ledger.statuses.get(recipe.fingerprint, "gap").split()[0].rstrip(":") for recipe in listed)
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if run.failures else 0


class Run:
    """One run over recipes."""

    def __init__(self, tools, options, ledger, save):
        self.tools, self.options, self.ledger, self.failures = tools, options, ledger, 0
        self.written, self.save = time.time(), save
        self.proofs, self.lemmas, self.given, self.ignored = {}, {}, {}, {}
        self.end = options.began + 60 * options.minutes if options.minutes else float("inf")
        for recipe in tools.listed:
            if recipe.shape == "given":
                self.given.setdefault((recipe.op, recipe.model, recipe.rules), []).append(recipe)
        self.log = open(options.log, "a") if options.log else None

    def all(self, waiting, limit):
        still, start = [], time.time()
        for recipe in waiting:
            if time.time() > self.end:
                still.append(recipe)
                self.ledger.statuses.setdefault(recipe.fingerprint, otherwise(recipe, "the solver had no time for it"))
                continue
            status, is_open = self.one(recipe, limit)
            self.ledger.statuses[recipe.fingerprint] = status
            if time.time() - self.written > 60:
                self.written = time.time()
                self.save()
            if self.log:
                print(f"{recipe}: {status}", file=self.log, flush=True)
            if is_open:
                still.append(recipe)
        return still

    def one(self, recipe, limit):
        composed = self.composed(recipe, limit)
        if composed:
            return composed
        try:
            left, guards = recipe.terms()
            right = self.tools.goldens.result(recipe)
        except (NotImplementedError, Untranslated) as refusal:
            return otherwise(recipe, f"not translated ({refusal})"), False
        assumptions = [no(condition) for _, condition in guards]
        if FALSE in assumptions:
            return "proved always-guarded 0.0", False
        key = (left.id, right.id, tuple(sorted(term.id for term in assumptions)))
        outcome = self.proofs.get(key) or Prover(limit).prove(assumptions, left, right)
        if outcome.word == "proved":
            self.proofs[key] = outcome
            return f"proved {outcome.how.replace(' ', '-')} {outcome.seconds:.1f}", False
        if outcome.word == "open":
            return otherwise(recipe, f"no answer in {limit:.0f} s"), True
        return self.wrong(recipe, outcome.row), False

    def composed(self, recipe, limit):
        """The status of a recipe that is another one, of given operands, applied to proved operands."""
        if recipe.shape == "given":
            return None
        paths = recipe.variants.split("+")
        for given in self.given.get((recipe.op, recipe.model, recipe.rules), []):
            if not set(paths) <= set(given.variants.split("+")):
                continue
            matches = [match for match in (Composed(given, recipe, turned) for turned in (False, True)) if match.fits]
            if not matches:
                continue
            if not any(self.follows(match, recipe) for match in matches):
                return (f"gap: operands of {given.fingerprint} without proof", True) if limit < 2.0 else None
            if not self.ledger.statuses.get(given.fingerprint, "gap").startswith(("proved", "exhaustive")):
                return f"gap: that of {given.fingerprint}, which it is composed of", True
            return f"composed of {given.fingerprint} and proved operands", False
        return None

    def follows(self, match, recipe):
        """Whether the operands of a match are the golden ones, and the guards that are missing would not be raised."""
        term = match.graph.terms()
        missing = match.missing_guards()
        if missing is None:
            return False
        goldens = dict(zip(("v0.x", "v0.y", "v0.z", "v0.w"), self.tools.goldens.operands(recipe)))
        try:
            assumptions = match.assumptions(term)
            operands = [(name, term(at), goldens[name]) for name, at in match.bound.items() if isinstance(name, str)]
            silent = [term(guard) for guard in missing]
        except (NotImplementedError, Untranslated, KeyError):
            return False
        return (all(self.is_operand(recipe, assumptions, *operand) for operand in operands)
                and all(self.under(assumptions, guard, FALSE) for guard in silent))

    def under(self, assumptions, left, right):
        """Whether words are equal under assumptions: under those that have words in common with them, under those about the same given operands, or under all.
        With fewer assumptions more recipes have the same question."""
        tried = []
        for some in (related(assumptions, [left]), about(assumptions, left), assumptions):
            if some in tried or time.time() > self.end:
                continue
            tried.append(some)
            if self.holds(some, left, right):
                return True
        return False

    def is_operand(self, recipe, assumptions, name, left, right):
        """Whether a value can stand for the golden operand of a name: it equals that, or both are zeros and the primitive does not tell them apart."""
        if is_short(recipe.op):
            # The recipe of given operands takes no other bits of them.
            left, right = band(left, SHORT), band(right, SHORT)
        if self.under(assumptions, left, right):
            return True
        return self.ignores_sign_of_zero(recipe, name) and self.under(assumptions, with_one_zero(left), with_one_zero(right))

    def ignores_sign_of_zero(self, recipe, name):
        """Whether the golden function of a recipe has one result for both zeros in an operand, whatever the others are."""
        number = "xyzw".index(name[-1])
        key = (recipe.op, recipe.model, recipe.rules, number)
        if key not in self.ignored:
            both = [[*INPUTS[:number], zero, *INPUTS[number + 1:]] for zero in (ZERO, SIGN)]
            try:
                plus, minus = (self.tools.goldens.of(recipe, operands) for operands in both)
                self.ignored[key] = self.holds([], plus, minus)
            except (NotImplementedError, Untranslated):
                # A function of one operand can be asked itself.
                self.ignored[key] = COUNTS.get(recipe.op, 1) == 1 and self.tools.has_one_result(recipe, [0, 1 << 31])
        return self.ignored[key]

    def holds(self, assumptions, left, right):
        key = (left.id, right.id, tuple(sorted(term.id for term in assumptions)))
        known = self.proofs.get(key) or self.lemmas.get(key)
        if known is None:
            # Many recipes wait for it.
            known = self.lemmas[key] = Prover(self.options.limit).prove(assumptions, left, right)
            if self.log:
                print(f"  operand: {known.word} {known.how} {known.seconds:.1f}", file=self.log, flush=True)
            if known.word == "proved":
                self.proofs[key] = known
        return known.word == "proved"

    def wrong(self, recipe, row):
        """A counterexample: the real code is asked, and the operands become a test."""
        self.failures += 1
        line, report = self.tools.check(recipe, row)
        print(f"WRONG: {recipe}\n  {report}", flush=True)
        with open(self.options.operands, "a") as file:
            file.write(line + "\n")
        return f"wrong {hexes(row)}"


def otherwise(recipe, reason):
    """What holds a recipe that is not proved."""
    single = COUNTS.get(recipe.op, 1) == 1
    path = "slow" if recipe.variants.startswith("slow") else "quick"
    if single and recipe.shape == "given":
        return f"exhaustive {EXHAUSTIVE[path]}"
    return f"gap: {reason}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["encodings", "selftest", "recipes"])
    parser.add_argument("only", nargs="*", help="primitives; all if none is named")
    parser.add_argument("--root", default=".")
    parser.add_argument("--proofs", required=True, help="the example `proofs`")
    parser.add_argument("--golden", required=True, help="the example `golden`")
    parser.add_argument("--ir", required=True, help="the directory of the LLVM IR")
    parser.add_argument("--ledger", default="tests/proofs/ledger.txt")
    parser.add_argument("--operands", default="tests/proofs/operands.txt")
    parser.add_argument("--changed", action="store_true", help="prove only what is not in the ledger")
    parser.add_argument("--gaps", action="store_true", help="prove only what the ledger calls a gap")
    parser.add_argument("--limit", type=float, default=90.0, help="processor seconds for one goal")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop trying after so long")
    parser.add_argument("--log")
    options = parser.parse_intermixed_args()
    options.began = time.time()
    sys.setrecursionlimit(100_000)
    tools = Tools(options)
    return {"encodings": encodings, "selftest": selftest, "recipes": recipes}[options.command](tools, options)


if __name__ == "__main__":
    sys.exit(main())
