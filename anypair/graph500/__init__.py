"""The Graph500 benchmark; so far its generator."""

from anypair.graph500.kronecker import kronecker_edges

__all__ = ["kronecker_edges"]
