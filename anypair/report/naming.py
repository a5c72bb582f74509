"""What a line in a chart is called: just what differs among the runs, so that none of it is hidden."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from anypair.report.reading import Run

#: How many work on a graph, which scaling is about; names have these apart from other options.
WORKERS = ("ranks", "threads", "grid")

Machine = tuple[Mapping[str, Any], Mapping[str, Any]]  # the hardware, and what was installed


def machines(runs: Iterable[Run]) -> list[Machine]:
    """Each different machine, with what was installed."""
    found: list[Machine] = []
    for run in runs:
        if (run.machine, run.versions) not in found:
            found.append((run.machine, run.versions))
    return found


def named(runs: Sequence[Run]) -> list[Run]:
    """The same runs, each with its family and its configuration, in words.

    A family has the same backend, options, kind of graph and machine; a configuration the same workers
    too. Runs of different ones have different names, and only runs of the same share a line.
    """
    places = machines(runs)
    options = _differing((run.backend, run.options) for run in runs)
    edgefactors = {run.edgefactor for run in runs}
    seeds = {run.seed for run in runs}
    grids = _values(((run.backend, run.ranks), run.grid) for run in runs)
    found = []
    for run in runs:
        special = [f"{name} {run.options.get(name, 'unknown')}" for name in options[run.backend]]
        special += [f"edge factor {run.edgefactor}"] if len(edgefactors) > 1 else []
        special += [f"seed {run.seed}"] if len(seeds) > 1 else []
        if len(places) > 1:
            special.append(f"machine {places.index((run.machine, run.versions)) + 1}")
        workers = [f"{run.ranks} ranks"] if run.ranks > 1 else []
        workers += [f"grid {run.grid}"] if len(grids[run.backend, run.ranks]) > 1 else []
        workers.append(f"{run.threads} thread{'s' if run.threads > 1 else ''}")
        found.append(
            replace(
                run,
                family=", ".join([run.backend, *special]),
                name=", ".join([run.backend, *workers, *special]),
            )
        )
    return found


def _differing(given: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, list[str]]:
    """For each backend the options, but for its workers, in which its runs differ."""
    runs: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for backend, options in given:
        runs[backend].append(options)
    return {
        backend: [
            name
            for name in sorted({name for options in found for name in options} - set(WORKERS))
            if any(options.get(name) != found[0].get(name) for options in found)
        ]
        for backend, found in runs.items()
    }


def _values(given: Iterable[tuple[Hashable, str]]) -> dict[Any, set[str]]:
    found: dict[Any, set[str]] = defaultdict(set)
    for key, value in given:
        found[key].add(value)
    return found
