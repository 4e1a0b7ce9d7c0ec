"""Recipes whose operands are results of other recipes, as the recipe of given operands applied to those.

The operations of such a recipe are matched with those of the recipe of given operands: where this reads an operand, that computes one.
What is left to prove is that each operand equals its golden function (but for the sign of a zero, where the primitive has one result for both
zeros), and that guards of the one recipe which the other does not
have would never be raised. No operation of the recipe itself is translated, so tables may be among them.
"""

from floats import C, ENVIRONMENTS, ZERO, magnitude, pure
from recipes import INPUTS, LEAST_SUMMED, greatest_exponent
from terms import eq, ite, no, order, ult

SORTED = {"iadd", "imul", "and", "or", "xor", "ieq", "imin", "imax", "umin", "fadd", "fmul", "funord", "fmaxmag", "fminmag", "mulshr"}


class Graph:
    """The operations of a recipe as they stand, shared where they are equal."""

    shared = {}

    def __init__(self, recipe):
        self.recipe, values, self.guards, self.result = recipe, {}, [], None
        for line in recipe.lines():
            target, _, rest = line.rpartition(" = ")
            words = rest.replace(",", " ").split()
            args = tuple(values[word] for word in words[1:] if word.startswith("%"))
            imm = " ".join(word for word in words[1:] if not word.startswith("%"))
            if words[0] == "output":
                self.result = args[0]
            elif target:
                values[target] = node(words[0], imm, args)
            else:
                self.guards.append(node(words[0], imm, args))

    def terms(self):
        """A function from nodes to terms; it raises NotImplementedError for what is not translated."""
        known, model = {}, self.recipe.model

        def term(at):
            if at in known:
                return known[at]
            op, imm, args = at.key
            if op == "const":
                result = C(int(imm, 16))
            elif op == "input":
                result = INPUTS["xyzw".index(imm[-1])]
            elif op in ("guard", "big_guard", "small_guard"):
                value = term(args[0])
                limit = C(greatest_exponent(self.recipe.rules))
                result = {"guard": no(eq(value, C(0))), "big_guard": ult(limit, value), "small_guard": ult(value, C(LEAST_SUMMED - 1))}[op]
            else:
                number = int(imm) if imm.isdigit() else 0
                result = pure(op, number, ENVIRONMENTS[model], [term(arg) for arg in args])
            known[at] = result
            return result
        return term


class Node:
    __slots__ = ("key",)

    def __init__(self, key):
        self.key = key


def node(op, imm, args):
    if op in SORTED:
        args = tuple(sorted(args, key=id))
    key = (op, imm, args)
    found = Graph.shared.get(key)
    if found is None:
        found = Graph.shared[key] = Node(key)
    return found


def bindings(pattern, at, bound, turned):
    """What the operands of a pattern are in a graph: extends `bound`, or tells that they do not match. Which operand of a commutative operation is
    which may not show; `turned` takes the other one first."""
    if bound.get((pattern, at)):
        return True
    op, imm, args = pattern.key
    if op == "input":
        known = bound.get(imm)
        if known is None:
            bound[imm] = at
            return True
        return known is at
    if at.key[0] != op or at.key[1] != imm or len(at.key[2]) != len(args):
        return False
    orders = [at.key[2], at.key[2][::-1]] if op in SORTED and len(args) == 2 else [at.key[2]]
    for others in reversed(orders) if turned else orders:
        attempt = dict(bound)
        if all(bindings(a, b, attempt, turned) for a, b in zip(args, others)):
            bound.clear()
            bound.update(attempt)
            bound[(pattern, at)] = True
            return True
    return False


def substituted(pattern, bound, known):
    """A node of the pattern with its operands replaced."""
    if pattern not in known:
        op, imm, args = pattern.key
        known[pattern] = bound[imm] if op == "input" else node(op, imm, tuple(substituted(arg, bound, known) for arg in args))
    return known[pattern]


class Composed:
    """A match: what is to be proved of it."""

    def __init__(self, given, recipe, turned):
        self.pattern, self.graph, self.bound = Graph(given), Graph(recipe), {}
        self.fits = bindings(self.pattern.result, self.graph.result, self.bound, turned)

    def missing_guards(self):
        """Guards of the recipe of given operands that the other does not have."""
        known, there = {}, set(self.graph.guards)
        try:
            guards = [substituted(guard, self.bound, known) for guard in self.pattern.guards if guard.key[0] != "row_guard"]
        except KeyError:
            return None
        return [guard for guard in guards if guard not in there]

    def assumptions(self, term):
        """The guards that can be translated, as terms of what holds."""
        result = []
        for guard in self.graph.guards:
            try:
                result.append(no(term(guard)))
            except NotImplementedError:
                continue
        return result


def with_one_zero(term):
    """A word, with +0 in place of -0."""
    return ite(eq(magnitude(term), ZERO), ZERO, term)


def about(assumptions, goal):
    """The assumptions that speak of no other given operands than a goal."""
    inputs = lambda term: {below.id for below in order([term]) if below.op == "var"}
    known = inputs(goal)
    return [assumption for assumption in assumptions if inputs(assumption) <= known]


def related(assumptions, goals):
    """The assumptions that have more in common with goals than given operands and constants."""
    below = {term.id for term in order(goals) if term.args}
    result = []
    for assumption in assumptions:
        own = [term for term in order([assumption]) if term.args]
        if any(term.id in below for term in own):
            result.append(assumption)
    return result
