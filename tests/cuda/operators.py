"""Operators of a user, in a file of their own, so that their text can be found."""

from typing import Any

from anypair import MAX, MIN, Semiring, binary_op, monoid


@binary_op
def second(edge: Any, value: Any) -> Any:
    return value


@monoid(identity=MAX, terminal=MIN)
def smallest(x: Any, y: Any) -> Any:
    return x if x < y else y


@binary_op
def weight(x: Any, y: Any) -> Any:
    return x / (y + 1) if x > y else x // (y + 2)


@binary_op
def heavy(edge: Any, value: Any) -> Any:
    """Many numbers that are needed twice, in opposite orders: so all of them live at once."""
    a, b, c, d = edge / (value + 1.0), edge / (value + 2.0), edge / (value + 3.0), edge / (value + 4.0)
    e, f, g, h = edge / (value + 5.0), edge / (value + 6.0), edge / (value + 7.0), edge / (value + 8.0)
    i, j, k, m = edge / (a + b), edge / (b + c), edge / (c + d), edge / (d + e)
    n, o, p, q = edge / (e + f), edge / (f + g), edge / (g + h), edge / (h + a)
    first = ((((((((a * b + c) * d + e) * f + g) * h + i) * j + k) * m + n) * o) + p) * q
    r, s, t, u = first / (a + 1.5), first / (b + 1.5), first / (c + 1.5), first / (d + 1.5)
    v, w, x, y = first / (e + 1.5), first / (f + 1.5), first / (g + 1.5), first / (h + 1.5)
    second = (((((((q * p + o) * n + m) * k + j) * i + h) * g + f) * e + d) * c + b) * a
    third = ((((((r * second + s) * t + u) * v + w) * x + y) * r + s) * t + u) * v
    return (
        (((((((third * y + x) * w + v) * u + t) * s + r) * q + p) * o + n) * m + k) * (j + i) * (a + h)
    )


own_min_select = Semiring(smallest, second)
