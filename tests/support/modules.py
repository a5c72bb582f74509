"""Modules made for a test: operators of real files, as their authors have them."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


@contextmanager
def imported(folder: Path, **texts: str) -> Iterator[list[ModuleType]]:
    """Write a file for each text and import them, in that order; forgotten afterwards."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    importlib.invalidate_caches()
    sys.path.insert(0, str(folder))
    try:
        yield [importlib.import_module(name) for name in texts]
    finally:
        sys.path.remove(str(folder))
        for name in texts:
            sys.modules.pop(name, None)
