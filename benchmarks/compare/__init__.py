"""Two versions of anypair against each other, in turns: python -m benchmarks.compare REVISION."""
