"""What is nearer than was known."""

from anypair import Vector


def improvements(offers: Vector, distances: Vector) -> Vector:
    """The offers that are less than the distance known so far, or are the first one."""
    return offers.where(~(offers >= distances).true)
