"""The picture in the documentation is what the example draws, and what is said of its figures is so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "python/examples/errors.py"
sys.path.insert(0, str(EXAMPLE.parent))

import errors  # noqa: E402
import matplotlib.image  # noqa: E402

# NUMERICS.md: the greatest relative errors, of LOG the greatest absolute one; of RSQ it says none.
BOUNDS = {"RCP": 22.1, "RSQ": 21.6, "EXP": 13.1, "LOG": 12.0}


@pytest.mark.parametrize("panel", errors.PANELS, ids=lambda panel: panel.title[:3])
def test_errors_are_those_that_are_documented(panel: errors.Panel) -> None:
    _, _, function = panel.chips[-1]
    x, error = errors.errors(panel, 1 << 20, function)
    exact = panel.exact(x.astype(np.float64))
    unit = panel.unit if isinstance(panel.unit, float) else panel.unit(exact) / exact
    greatest = np.log2(np.abs(error * unit).max())
    assert -greatest == pytest.approx(BOUNDS[panel.title[:3]], abs=0.06)


def test_the_picture_is_the_one_in_the_documentation(tmp_path: Path) -> None:
    drawn = tmp_path / "errors.png"
    subprocess.run([sys.executable, EXAMPLE, "--out", drawn], check=True, capture_output=True)
    now, then = (matplotlib.image.imread(path)[..., :3] for path in (drawn, ROOT / "docs/errors.png"))
    assert now.shape == then.shape
    # Not byte by byte: a rounding of a library may move a line by a part of a dot.
    assert np.abs(now - then).mean() < 0.002
