"""Numbers as people read them: three digits and a prefix."""

import math

PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P"}


def si(value: float, unit: str = "", digits: int = 3) -> str:
    """`value` with an SI prefix.

    >>> si(1234567, "TEPS"), si(0.00025, "s"), si(12), si(0, "B")
    ('1.23 MTEPS', '250 µs', '12', '0 B')
    """
    rounded = float(f"{value:.{digits}g}")  # first, so that 999.9 becomes 1 k and not 1000
    if not 1e-9 <= abs(rounded) < 1e18:  # no prefix for these, 0 and infinity included
        return f"{rounded:.{digits}g} {unit}".strip()
    power = 3 * math.floor(math.log10(abs(rounded)) / 3)
    number = rounded / 10.0**power
    text = f"{number:.0f}" if abs(number) >= 100 else f"{number:.{digits}g}"
    return f"{text} {PREFIXES[power]}{unit}".strip()


def grouped(value: float) -> str:
    """A whole number with thin spaces between thousands.

    >>> grouped(1048576)
    '1\\u202f048\\u202f576'
    """
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
