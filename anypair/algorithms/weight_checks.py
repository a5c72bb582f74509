"""What some algorithms ask of the weights of edges besides."""

from anypair import Matrix
from anypair.algorithms.checks import check_weights
from anypair.errors import InvalidValue


def check_chances(algorithm: str, graph: Matrix) -> None:
    """Raise unless all weights are from 0 to 1."""
    check_weights(algorithm, graph, negative=False)
    if graph.value_range[1] > 1:
        raise InvalidValue(f"{algorithm}: weight {graph.value_range[1]} is no chance from 0 to 1")


def check_positive(algorithm: str, graph: Matrix) -> None:
    """Raise unless all weights are finite and above 0."""
    check_weights(algorithm, graph, negative=False)
    if graph.nvals and not graph.value_range[0] > 0:
        raise InvalidValue(f"{algorithm}: weight {graph.value_range[0]} is not above 0; all have to be")
