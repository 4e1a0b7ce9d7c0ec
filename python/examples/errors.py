"""The error of RCP, RSQ, EXP and LOG on the chips, over the range of an operand in which it repeats itself.

Usage: python errors.py [--out errors.png] [--points 200000]

What a chip gives is compared with the exact value (double precision of the host's library, whose own error is 2^-29 of a
unit). RCP and RSQ have two sets of tables: those of NV10 and NV15 and those of all later chips; EXP and LOG have one. Each
column of a picture is a part of the range: the band is from the least error in it to the greatest, the line the mean. The
script prints the greatest errors as well.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray
from xfjit import ops

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]

# Okabe and Ito's colours, which are told apart by everybody: of a line, and of a band.
OLD, NEW = ("#D55E00", "#E69F00"), ("#00507D", "#56B4E9")


@dataclass(frozen=True)
class Panel:
    """One function: its name, the range, and who computes it."""

    title: str
    least: float
    greatest: float
    exact: Callable[[Doubles], Doubles]
    chips: list[tuple[str, tuple[str, str], Callable[[Floats], Floats]]]
    unit: Callable[[Doubles], Doubles] | float
    axis: str


def ulp(value: Doubles) -> Doubles:
    """The distance of floats where a value lies."""
    distance: Doubles = np.exp2(np.floor(np.log2(np.abs(value))) - 23)
    return distance


PANELS = [
    Panel("RCP: 1 / x", 1, 2, lambda x: 1 / x, [
        ("NV10, NV15", OLD, lambda x: ops.rcp(x, chip="nv10")),
        ("NV20 and later", NEW, lambda x: ops.rcp(x, chip="nv20")),
    ], ulp, "error, ulp"),
    Panel("RSQ: 1 / √x", 1, 4, lambda x: 1 / np.sqrt(x), [
        ("NV10, NV15", OLD, lambda x: ops.rsq(x, chip="nv10")),
        ("NV20 and later", NEW, lambda x: ops.rsq(x, chip="nv20")),
    ], ulp, "error, ulp"),
    Panel("EXP.z: 2ˣ", 0, 1, np.exp2, [
        ("NV20 and later", NEW, lambda x: ops.exp(x, chip="nv20")[:, 2]),
    ], ulp, "error, ulp"),
    # The logarithm is 0 at 1, where a unit of the result means nothing: units of 1 are constant.
    Panel("LOG.z: log₂ x", 1, 2, np.log2, [
        ("NV20 and later", NEW, lambda x: ops.log(x, chip="nv20")[:, 2]),
    ], 2.0**-23, "error, 2⁻²³ (ulp of 1)"),
]  # fmt: skip


def errors(panel: Panel, points: int, function: Callable[[Floats], Floats]) -> tuple[Floats, Doubles]:
    """Operands, which are evenly spaced, and errors in units in the last place."""
    x = np.linspace(panel.least, panel.greatest, points, endpoint=False).astype(np.float32)
    exact = panel.exact(x.astype(np.float64))
    unit = panel.unit if isinstance(panel.unit, float) else panel.unit(exact)
    return x, (function(x).astype(np.float64) - exact) / unit


def draw(axes: Any, panel: Panel, points: int, columns: int) -> None:
    """A panel."""
    for name, (line, band), function in panel.chips:
        x, error = errors(panel, points, function)
        rows = error[: points // columns * columns].reshape(columns, -1)
        places = x[: points // columns * columns].reshape(columns, -1)[:, 0]
        least, greatest = rows.min(axis=1), rows.max(axis=1)
        axes.fill_between(places, least, greatest, step="post", color=band, alpha=0.6, linewidth=0)
        mean = rows.mean(axis=1)
        axes.step(places, mean, where="post", color=line, linewidth=1.2, label=name)
        print(f"{panel.title}, {name}: {error.min():.3f} to {error.max():.3f}, mean {error.mean():.3f}")
    axes.axhline(0, color="black", linewidth=0.7)
    axes.set_title(panel.title, fontsize=12)
    axes.set_xlim(panel.least, panel.greatest)
    axes.set_ylabel(panel.axis)
    axes.grid(True, color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(loc="best", fontsize=9, framealpha=0.9)


def main() -> None:
    """Draws the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", default="errors.png")
    parser.add_argument("--points", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=400)
    arguments = parser.parse_args()
    # Nothing of the picture depends on the moment; of the machine no more than a rounding of what is exact.
    plt.rcParams.update({"svg.hashsalt": "xfjit", "font.size": 10, "figure.facecolor": "white"})
    figure, axes = plt.subplots(2, 2, figsize=(10, 6.2), layout="constrained")
    for place, panel in zip(axes.flat, PANELS):
        draw(place, panel, arguments.points, min(arguments.columns, arguments.points))
    for place in axes[1]:
        place.set_xlabel("operand")
    title = "Error of the chips' approximations against the exact value: mean, and range in each column"
    figure.suptitle(title, fontsize=12)
    metadata = {"Date": None} if arguments.out.endswith(".svg") else {"Software": None}
    figure.savefig(arguments.out, dpi=110, metadata=metadata)


if __name__ == "__main__":
    main()
