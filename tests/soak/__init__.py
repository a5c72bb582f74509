"""Random programs of operations on all backends against `reference`: python -m tests.soak run --minutes 30."""
