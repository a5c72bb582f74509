"""Operations one by one, beside those of python-graphblas and SciPy: the same operands and results."""

OPERATIONS = "operations"
SMALL = "small"
FEW_WITH_MANY = "100 with many"
COPY, BUILT = "copy", "Vector.from_entries"
#: What costs as much as the few do, however many there are of the others.
BY_FEW = ("update", "ewise_mult", "select of few")
