"""The six kernels of the GAP Benchmark Suite (Beamer, Asanović and Patterson), on any backend."""

from anypair.gap.benchmark import Result, Row, run
from anypair.gap.graphs import GraphSpec
from anypair.gap.kernels import KERNELS

__all__ = ["KERNELS", "GraphSpec", "Result", "Row", "run"]
