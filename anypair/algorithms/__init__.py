"""Graph algorithms, each written once against the public names and run on every backend."""

from anypair.algorithms.all_pairs import all_pairs_distances
from anypair.algorithms.betweenness import betweenness
from anypair.algorithms.bfs import bfs_levels, bfs_parents
from anypair.algorithms.bidirectional import bidirectional_path
from anypair.algorithms.bipartite import bipartition
from anypair.algorithms.closeness import closeness_centrality, harmonic_centrality
from anypair.algorithms.clustering import average_clustering, local_clustering, transitivity
from anypair.algorithms.colouring import colouring
from anypair.algorithms.components import connected_components
from anypair.algorithms.cores import core_numbers
from anypair.algorithms.cosine import cosine_similarity
from anypair.algorithms.diameter import diameter_bounds
from anypair.algorithms.eigenvector import eigenvector_centrality, katz_centrality
from anypair.algorithms.graph_convolution import graph_convolution
from anypair.algorithms.hits import hits
from anypair.algorithms.independent_set import maximal_independent_set
from anypair.algorithms.jaccard import jaccard_similarity
from anypair.algorithms.label_propagation import label_propagation
from anypair.algorithms.louvain import louvain
from anypair.algorithms.markov_clustering import markov_clustering
from anypair.algorithms.matching import maximal_bipartite_matching, maximal_matching
from anypair.algorithms.maximum_flow import maximum_flow
from anypair.algorithms.modularity import modularity
from anypair.algorithms.multi_source import multi_source_levels, multi_source_parents, nearest_sources
from anypair.algorithms.neighbourhood import neighbourhood
from anypair.algorithms.neighbourhood_sample import neighbourhood_sample
from anypair.algorithms.pagerank import pagerank
from anypair.algorithms.path_to import path_to
from anypair.algorithms.peer_pressure import peer_pressure
from anypair.algorithms.point_to_point import distance_between
from anypair.algorithms.random_walks import random_walks
from anypair.algorithms.shortest_path_counts import shortest_path_counts
from anypair.algorithms.shortest_path_tree import shortest_path_parents
from anypair.algorithms.spanning_forest import minimum_spanning_forest
from anypair.algorithms.square_clustering import square_clustering
from anypair.algorithms.sssp import bellman_ford, delta_stepping
from anypair.algorithms.strongly_connected import strongly_connected_components
from anypair.algorithms.topological import directed_cycle, topological_levels
from anypair.algorithms.triangles import triangle_count, triangles_per_vertex
from anypair.algorithms.truss import k_truss
from anypair.algorithms.undirected import undirected
from anypair.algorithms.widest import most_reliable_paths, widest_paths

__all__ = [
    "all_pairs_distances",
    "average_clustering",
    "bellman_ford",
    "betweenness",
    "bfs_levels",
    "bfs_parents",
    "bidirectional_path",
    "bipartition",
    "closeness_centrality",
    "colouring",
    "connected_components",
    "core_numbers",
    "cosine_similarity",
    "delta_stepping",
    "diameter_bounds",
    "directed_cycle",
    "distance_between",
    "eigenvector_centrality",
    "graph_convolution",
    "harmonic_centrality",
    "hits",
    "jaccard_similarity",
    "k_truss",
    "katz_centrality",
    "label_propagation",
    "local_clustering",
    "louvain",
    "markov_clustering",
    "maximal_bipartite_matching",
    "maximal_independent_set",
    "maximal_matching",
    "maximum_flow",
    "minimum_spanning_forest",
    "modularity",
    "most_reliable_paths",
    "multi_source_levels",
    "multi_source_parents",
    "nearest_sources",
    "neighbourhood",
    "neighbourhood_sample",
    "pagerank",
    "path_to",
    "peer_pressure",
    "random_walks",
    "shortest_path_counts",
    "shortest_path_parents",
    "square_clustering",
    "strongly_connected_components",
    "topological_levels",
    "transitivity",
    "triangle_count",
    "triangles_per_vertex",
    "undirected",
    "widest_paths",
]
