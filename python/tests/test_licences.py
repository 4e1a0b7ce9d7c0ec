"""What a wheel has in it has a licence that the project admits."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parents[1]


def admitted() -> set[str]:
    """The licences of the project's own list."""
    text = (PYTHON.parent / "tests/licences.rs").read_text()
    found = re.search(r"const ALLOWED: &\[&str\] = &\[(.*?)\];", text, re.DOTALL)
    assert found is not None
    return set(re.findall(r'"([^"]+)"', found[1]))


def is_admitted(expression: str | None, licences: set[str]) -> bool:
    """Whether an expression of names, AND, OR (or a slash) and one level of brackets can be met."""
    if expression is None:
        return False
    groups = re.split(r" AND (?![^(]*\))", expression)
    return all(
        any(name.strip() in licences for name in re.split(r" OR |/", group.strip().strip("()"))) for group in groups
    )


def test_expressions() -> None:
    licences = admitted()
    assert {"MIT", "Apache-2.0"} <= licences
    for expression, expected in (
        ("MIT", True), ("GPL-3.0-only OR MIT", True), ("Apache-2.0 / MIT", True), ("MIT AND GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True), ("(MIT OR Apache-2.0) AND MPL-2.0", False), (None, False),
    ):  # fmt: skip
        assert is_admitted(expression, licences) is expected, expression


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo knows the dependencies")
def test_dependencies() -> None:
    command = ["cargo", "metadata", "--format-version=1", "--locked"]
    packages = json.loads(subprocess.run(command, cwd=PYTHON, check=True, capture_output=True).stdout)["packages"]
    licences = admitted()
    assert not [package["name"] for package in packages if not is_admitted(package["license"], licences)]
    assert {"pyo3", "numpy", "xfjit"} <= {package["name"] for package in packages}
