"""Puts lines into the sources of an emulator: finds functions by their names, refuses what it does not know, takes lines out again.

A script says which lines go where (`Patch`); everything else is here. Nothing is written before all places have been found.
"""

import argparse
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOADER = HERE.parent / "include" / "xfjit_loader.h"
# Every line of ours ends so; by that they are found again.
MARK = " // xfjit"


class Refusal(Exception):
    """The tree is not one that the script knows; nothing has been changed."""


@dataclass
class Source:
    """A file of the emulator, and the lines that are to come into it."""

    path: Path
    text: str
    lines: list[tuple[int, str]] = field(default_factory=list)

    def function(self, name: str, header: str) -> tuple[int, int]:
        """Where the body of a function begins and ends, by a pattern of all that stands before its opening brace."""
        found = [at for at in re.finditer(header + r"\s*\{", self.text) if self._is_code(at.start())]
        if len(found) != 1:
            many = "no" if not found else f"{len(found)} times the"
            raise Refusal(f"{self.path}: there is {many} function {name}")
        depth, at = 1, found[0].end()
        for kind, begin, end in pieces(self.text, at):
            if kind == "code":
                for place in range(begin, end):
                    depth += {"{": 1, "}": -1}.get(self.text[place], 0)
                    if depth == 0:
                        return at, place
        raise Refusal(f"{self.path}: the function {name} does not end")

    def only(self, what: str, pattern: str, within: tuple[int, int]) -> int:
        """Where the line begins that has the one match of a pattern within a part of the file."""
        found = [at for at in re.compile(pattern).finditer(self.text, *within) if self._is_code(at.start())]
        if len(found) != 1:
            many = "not" if not found else f"{len(found)} times"
            raise Refusal(f"{self.path}: {what} is {many} where it is expected")
        return self.text.rfind("\n", 0, found[0].start()) + 1

    def after(self, at: int) -> int:
        """Where the line behind the one at a place begins."""
        return self.text.index("\n", at) + 1

    def insert(self, at: int, *lines: str) -> None:
        """Lines that come before the line which begins at a place."""
        end = "\r\n" if "\r\n" in self.text else "\n"
        self.lines.append((at, "".join(f"{line}{MARK}{end}" for line in lines)))

    def _is_code(self, at: int) -> bool:
        return any(kind == "code" for kind, begin, end in pieces(self.text, 0) if begin <= at < end)

    def patched(self) -> str:
        text = self.text
        for at, lines in sorted(self.lines, reverse=True):
            text = text[:at] + lines + text[at:]
        return text


def pieces(text: str, begin: int):
    """The file from a place on as pieces of code, and of comments, strings and characters, in which a brace is none."""
    other = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
    for at in other.finditer(text, begin):
        yield "code", begin, at.start()
        yield "other", at.start(), at.end()
        begin = at.end()
    yield "code", begin, len(text)


@dataclass
class Patch:
    """An emulator: `sources` by their paths in its tree; `files` of this directory, and where they go; `edit` says what comes where."""

    emulator: str
    tried_with: str
    files: dict[str, str]
    sources: list[str]
    edit: "callable"

    def _read(self, root: Path) -> list[Source]:
        found = []
        for path in self.sources:
            if not (root / path).is_file():
                raise Refusal(f"{root}: there is no {path}; is that the top of a checkout of {self.emulator}?")
            with open(root / path, encoding="utf-8", newline="") as file:
                found.append(Source(root / path, file.read()))
        return found

    def _ours(self, root: Path) -> dict[Path, Path]:
        files = {HERE / name: root / folder / name for name, folder in self.files.items()}
        for folder in set(self.files.values()):
            files[LOADER] = root / folder / LOADER.name
        return files

    def apply(self, root: Path, is_check: bool) -> list[Path]:
        sources = self._read(root)
        for source in sources:
            if MARK in source.text:
                raise Refusal(f"{source.path}: has lines of xfjit already; --undo takes them out")
        self.edit(*sources)
        ours = self._ours(root)
        for to in ours.values():
            if to.exists():
                raise Refusal(f"{to}: is there already")
        if is_check:
            return []
        for source, to in ours.items():
            shutil.copyfile(source, to)
        for source in sources:
            write(source.path, source.patched())
        return [source.path for source in sources] + list(ours.values())

    def undo(self, root: Path) -> list[Path]:
        changed = []
        for source in self._read(root):
            lines = source.text.splitlines(keepends=True)
            kept = [line for line in lines if not line.rstrip("\r\n").endswith(MARK)]
            if kept != lines:
                write(source.path, "".join(kept))
                changed.append(source.path)
        for source, to in self._ours(root).items():
            if to.exists():
                to.unlink()
                changed.append(to)
        if not changed:
            raise Refusal(f"{root}: has nothing of xfjit")
        return changed


def write(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def main(patch: Patch) -> None:
    parser = argparse.ArgumentParser(
        description=f"Has {patch.emulator} run vertex programs in xfjit. Tried with {patch.tried_with}."
    )
    parser.add_argument("tree", type=Path, help="the top of a checkout")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="look whether the lines fit, and change nothing")
    action.add_argument("--undo", action="store_true", help="take the lines out again")
    arguments = parser.parse_args()
    try:
        if arguments.undo:
            changed = patch.undo(arguments.tree)
        else:
            changed = patch.apply(arguments.tree, arguments.check)
    except Refusal as refusal:
        sys.exit(f"{refusal}\nNothing has been changed. This script was tried with {patch.tried_with}.")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{error}")
    for path in changed:
        print(path)
    if arguments.check:
        print("the lines fit")
