"""A binary operator with one operand fixed, over all values. Given: operate(x, scalar)."""


@kernel
def apply_bound(begin, end, scalar, values, out):
    """Values begin to end; the number is an argument, so that another one compiles nothing."""
    for p in range(begin, end):
        out[p] = operate(values[p], scalar[0])
