"""The whole benchmark, on every backend."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Vector, graph500
from anypair.errors import InvalidArgument, InvalidValue, NotEnoughMemory, ValidationFailed
from anypair.graph500 import Settings, benchmark, generate, run
from anypair.graph500.kernels import Tree, construct, search, shortest_paths

SMALL = Settings(scale=6, roots=5, seed=3, sssp=True)
QUARTILES = ["min", "firstquartile", "median", "thirdquartile", "max"]


def lines_of(kernel: str, quantities: tuple[str, ...] = ("time", "nedge", "TEPS")) -> list[str]:
    return [
        f"{kernel}_{name}_{quantity}"
        for quantity in quantities
        for name in [
            *QUARTILES,
            *(["harmonic_mean", "harmonic_stddev"] if quantity == "TEPS" else ["mean", "stddev"]),
        ]
    ]


HEAD = ["SCALE", "edgefactor", "NBFS", "graph_generation", "construction_time"]


def values(block: str) -> dict[str, float]:
    return {name: float(value) for name, value in (text.split(": ") for text in block.splitlines())}


def test_a_run_from_end_to_end(backend: str) -> None:
    result = run(SMALL)
    block = values(result.block())
    assert list(block) == [*HEAD, *lines_of("bfs"), *lines_of("sssp")]
    assert (block["SCALE"], block["edgefactor"], block["NBFS"]) == (6, 16, 5)
    assert all(value > 0 for name, value in block.items() if "stddev" not in name)
    found = json.loads(json.dumps(result.as_json(), allow_nan=False))
    assert (found["backend"], found["validated"], found["seed"]) == (backend, True, 3)
    assert len(found["times"]) == len(found["nedges"]) == len(found["sssp"]["teps"]) == 5
    assert found["harmonic_mean_TEPS"] == pytest.approx(block["bfs_harmonic_mean_TEPS"])
    assert found["median_TEPS"] == pytest.approx(block["bfs_median_TEPS"])
    assert found["teps"] == [m / t for m, t in zip(found["nedges"], found["times"], strict=True)]


@pytest.mark.parametrize("scale", [1, 3, 9])
def test_other_scales(backend: str, scale: int) -> None:
    settings = Settings(scale=scale, roots=2, edgefactor=4)
    assert run(settings).roots == run(settings, backend="reference").roots


def test_the_same_seed_gives_the_same_trees_on_every_backend(backend: str) -> None:
    """Parents are the smallest there are, and distances exact, so nothing is left to chance."""
    edges = generate(SMALL)
    graph, expected = construct(edges), construct(edges, "reference")
    roots = run(SMALL, backend="reference").roots
    assert list(run(SMALL).roots) == list(roots)
    for root in roots:
        assert search(graph, root).parents.to_dict() == search(expected, root).parents.to_dict()
        found, wanted = shortest_paths(graph, root), shortest_paths(expected, root)
        assert found.parents.to_dict() == wanted.parents.to_dict()
        assert found.distances.to_dict() == wanted.distances.to_dict()  # type: ignore[union-attr]


def test_duplicate_edges_count_with_the_smallest_weight(backend: str) -> None:
    edges = graph500.EdgeList([0, 1, 0, 2], [1, 0, 1, 2], np.float32([0.5, 0.25, 0.75, 0.5]))
    graph = construct(edges)
    assert [x.tolist() for x in graph.to_entries()] == [[0, 1], [1, 0], [0.25, 0.25]]
    assert graph.shape == (3, 3)


def test_without_kernel_3_its_rates_are_0() -> None:
    result = run(replace(SMALL, sssp=False), backend="reference")
    block = values(result.block())
    assert list(block) == [*HEAD, *lines_of("bfs"), *lines_of("sssp", ("TEPS",))]
    assert {block[name] for name in lines_of("sssp", ("TEPS",))} == {0.0}
    assert result.as_json()["sssp"] is None


def test_json_has_what_a_report_needs() -> None:
    found = run(replace(SMALL, validate=False), backend="reference").as_json()
    assert found.keys() >= {
        "scale", "edgefactor", "nroots", "seed", "backend", "threads", "ranks", "grid", "generation_time",
        "construction_time", "times", "teps", "nedges", "harmonic_mean_TEPS", "median_TEPS", "validated",
        "validation_time", "sssp", "roots", "versions", "machine", "warm_up", "warm_up_time",
    }  # fmt: skip
    assert (found["ranks"], found["grid"], found["threads"]) == (1, "1x1", 1)
    assert (found["validated"], found["validation_time"]) == (False, 0)
    assert found["versions"].keys() >= {"python", "numpy", "numba", "scipy", "anypair"}
    assert found["machine"].keys() == {"cpu", "cores", "memory_bytes", "system"}


def test_threads_are_those_of_the_backend(backend: str) -> None:
    with anypair.using(backend) as engine:
        has_option = "threads" in engine.options
        assert engine.threads >= 1
    with anypair.using(backend, **({"threads": 3} if has_option else {})):
        assert run(replace(SMALL, sssp=False)).threads == (3 if has_option else 1)


def test_one_root() -> None:
    block = values(run(replace(SMALL, roots=1), backend="reference").block())
    assert block["bfs_stddev_time"] == block["bfs_harmonic_stddev_TEPS"] == 0


def test_fewer_roots_than_asked_for_and_none() -> None:
    result = run(Settings(scale=3, roots=64), backend="reference")
    assert 0 < len(result.roots) <= 8
    with pytest.raises(InvalidValue, match="run: no vertex of the graph of scale 0 with seed 1"):
        run(Settings(scale=0), backend="reference")


def test_progress_tells_every_stage_from_0_to_its_end() -> None:
    told: list[tuple[str, int, int]] = []
    run(
        SMALL, progress=lambda stage, done, total: told.append((stage, done, total)), backend="reference"
    )
    stages = [stage for stage, done, _ in told if done == 0]
    assert stages == [
        "warm up",
        "generate edges",
        "construct graph",
        "prepare",
        "warm up",
        "bfs",
        "sssp",
    ]
    assert [total for stage, done, total in told if stage == "bfs"] == [5] * 6
    assert [done for stage, done, _ in told if stage == "sssp"] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("kernel", ["search", "shortest_paths"])
def test_a_wrong_answer_ends_the_run(monkeypatch: pytest.MonkeyPatch, kernel: str) -> None:
    right = getattr(benchmark, kernel)

    def wrong(graph: Any, root: int) -> Tree:
        tree = right(graph, root)
        parents = tree.parents.to_dict()
        leaf = max(parents.keys() - set(parents.values()))
        parents[leaf] = leaf
        return tree._replace(
            parents=Vector.from_entries(list(parents), list(parents.values()), tree.parents.size)
        )

    monkeypatch.setattr(benchmark, kernel, wrong)
    name = {"search": "bfs", "shortest_paths": "sssp"}[kernel]
    with pytest.raises(ValidationFailed, match=f"run: {name} 0 from root .* is wrong: rule 1 is broken"):
        run(SMALL, backend="reference")
    assert run(replace(SMALL, validate=False), backend="reference").roots


def test_a_graph_that_cannot_fit_is_refused_at_once() -> None:
    with pytest.raises(NotEnoughMemory, match="run: Graph500 at scale 40 on 'jit' needs about 8"):
        run(Settings(scale=40), backend="jit")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"scale": -1}, "scale=-1 is negative"),
        ({"scale": "9"}, "scale='9' is not a whole number"),
        ({"scale": 63}, "scale=63 is too large"),
        (
            {"scale": 60},
            "scale=60 with edgefactor=16 makes 2**63 edges or more; give a scale of at most 58",
        ),
        ({"scale": 5, "edgefactor": 0}, "edgefactor=0 has to be 1 or more"),
        ({"scale": 5, "roots": 0}, "roots=0 has to be 1 or more"),
        ({"scale": 5, "seed": 1.5}, "seed=1.5 is not a whole number"),
        ({"scale": 5, "sssp": 1}, "sssp=1 has to be True or False"),
        ({"scale": 5, "validate": None}, "validate=None has to be True or False"),
    ],
)
def test_bad_settings(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidValue, match=f"Settings: {re.escape(reason)}"):
        Settings(**arguments)


def test_settings_of_another_kind() -> None:
    with pytest.raises(InvalidArgument, match=r"settings=10 has to be a Settings\(\.\.\.\)"):
        run(10)  # type: ignore[arg-type]


def test_a_trace_holds_the_timed_searches_only() -> None:
    with anypair.using("scipy"), anypair.trace() as seen:
        run(replace(SMALL, sssp=False))
    first = [r for r in seen.records if r.operation == "vxm" and r.nvals_in["u"] == 1]
    assert len(first) >= SMALL.roots
    empty = [r for r in seen.records if r.operation == "vxm" and r.nvals_out == 0]
    assert len(empty) == SMALL.roots  # each search ends with one
