"""Graph algorithms, each written once against the public names and run on every backend."""

from anypair.algorithms.betweenness import betweenness
from anypair.algorithms.bfs import bfs_levels, bfs_parents
from anypair.algorithms.components import connected_components
from anypair.algorithms.pagerank import pagerank
from anypair.algorithms.shortest_path_tree import shortest_path_parents
from anypair.algorithms.sssp import bellman_ford, delta_stepping
from anypair.algorithms.triangles import triangle_count

__all__ = [
    "bellman_ford",
    "betweenness",
    "bfs_levels",
    "bfs_parents",
    "connected_components",
    "delta_stepping",
    "pagerank",
    "shortest_path_parents",
    "triangle_count",
]
