"""Results and traces made up for tests of the report: no measurement, but the shape of one."""

import json
from pathlib import Path
from typing import Any


def result(scale: int = 10, **fields: Any) -> dict[str, Any]:
    """A result as `anypair graph500 --json` writes it; TEPS fall and rise with scale and threads."""
    threads, ranks = fields.get("threads", 1), fields.get("ranks", 1)
    teps = 1e6 * (1 + scale / 4) * (threads * ranks) ** 0.8 * fields.pop("speed", 1.0)
    values = [teps * (0.8 + 0.1 * k) for k in range(5)]
    return {
        "scale": scale,
        "edgefactor": 16,
        "nroots": 5,
        "seed": 1,
        "backend": "jit",
        "threads": 1,
        "ranks": 1,
        "grid": "1x1",
        "generation_time": 1e-7 * 2**scale,
        "construction_time": 2e-7 * 2**scale,
        "times": [16 * 2**scale / value for value in values],
        "teps": values,
        "nedges": [16 * 2**scale] * 5,
        "harmonic_mean_TEPS": 5 / sum(1 / value for value in values),
        "median_TEPS": values[2],
        "validated": True,
        "versions": {"anypair": "0.1.0", "numpy": "2.0.0"},
        "machine": {"cpu": "made up", "cores": 4, "memory_bytes": 8 * 10**9},
        **fields,
    }


def operations(frontiers: list[int], **phases: dict[str, float]) -> list[dict[str, Any]]:
    """The operations of a search with these frontiers."""
    found = []
    for level, size in enumerate(frontiers):
        after = frontiers[level + 1] if level + 1 < len(frontiers) else 0
        product = {
            "operation": "vxm",
            "operator": "min_source",
            "backend": "jit",
            "direction": "pull" if size > 100 else "push",
            "formats": "",
            "nvals_in": {"u": size, "A": 4096},
            "nvals_out": after,
            "edges": None,
            "seconds": 1e-5 + 1e-7 * size,
        }
        if phases:
            product["phases"] = phases
        update = {**product, "operation": "update", "operator": "", "direction": ""}
        update |= {"nvals_in": {"t": after}, "seconds": 5e-6, "phases": None}
        found += [product, update]
    return found


def trace(*searches: list[int], **phases: dict[str, float]) -> dict[str, Any]:
    """A trace as `--trace` writes it."""
    return {
        "anypair": "0.1.0",
        "about": {"backend": "jit", "graph": "scale 12"},
        "operations": [record for sizes in searches for record in operations(sizes, **phases)],
    }


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")
    return path


def full_folder(folder: Path) -> Path:
    """A folder with data for every section."""
    runs = [result(s, threads=t) for s in range(8, 15) for t in (1, 2, 4)]
    runs += [result(s, backend="scipy", speed=0.05, validated=s < 12) for s in range(8, 13)]
    runs += [result(s, backend="suitesparse", speed=0.4, threads=2) for s in range(8, 14)]
    write(folder / "bench.json", {"anypair": "0.1.0", "results": runs})
    write(folder / "one" / "graph500.json", result(15, threads=4))
    write(folder / "trace.json", trace([1, 40, 2000, 900, 7], [1, 3, 700, 2500, 60, 2]))
    sent = {"expand": {"seconds": 2e-6, "sent": 5000}, "fold": {"seconds": 4e-6, "sent": 20000}}
    write(folder / "ranks.json", trace([1, 30, 1800, 800], **sent))
    return folder
