"""The one list of engines: a new one is a row here. Libraries are imported when they are asked for."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # NumPy and its threads have to wait until --threads is known
    from benchmarks.engines.base import Engine


@dataclass(frozen=True)
class Row:
    """Where an engine lives; `arguments` are for its class."""

    module: str
    class_name: str
    arguments: tuple[str, ...] = ()


SEARCHING: dict[str, Row] = {
    "anypair-jit": Row("anypair", "AnypairEngine", ("jit",)),
    "anypair-jit-by-degree": Row("anypair_by_degree", "ByDegreeEngine", ("jit",)),
    "anypair-suitesparse": Row("anypair", "AnypairEngine", ("suitesparse",)),
    "anypair-scipy": Row("anypair", "AnypairEngine", ("scipy",)),
    "python-graphblas-push-pull": Row("graphblas_push_pull", "PushPullEngine"),
    "python-graphblas-push": Row("graphblas_push", "PushEngine"),
    "scipy-csgraph": Row("csgraph", "CsgraphEngine"),
    "networkit": Row("networkit", "NetworkitEngine"),
    "igraph": Row("igraph", "IgraphEngine"),
    "rustworkx": Row("rustworkx", "RustworkxEngine"),
}


def with_own_semirings(backend: str) -> dict[str, Row]:
    """Engines that search with semirings of the user, and the built-in ones to compare with."""
    return {
        f"anypair-{backend}-built-in": Row("anypair_semirings", "BuiltInEngine", (backend,)),
        f"anypair-{backend}-user": Row("anypair_semirings", "UserDefinedEngine", (backend,)),
        "python-graphblas-push-pull-user": Row("graphblas_semirings", "UserPushPullEngine"),
        "python-graphblas-push-user": Row("graphblas_semirings", "UserPushEngine"),
    }


def create(rows: Mapping[str, Row]) -> tuple[list["Engine"], dict[str, str]]:
    """The engines that are ready here, and the reason why not for each of the others."""
    ready, missing = [], {}
    for name, row in rows.items():
        try:
            module = importlib.import_module(f"benchmarks.engines.{row.module}")
            ready.append(getattr(module, row.class_name)(name, *row.arguments))
        except ImportError as reason:
            missing[name] = str(reason)
    return ready, missing
