"""How many entries rows of a product of matrices have, whatever the semiring."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anypair.compiling.given import kernel


@kernel
def count_product(
    begin, end, a_starts, a_indices, b_starts, b_indices, mode, m_starts, m_indices, stamps, limit
):
    """How many entries rows begin to end have, up to the first row that goes beyond the limit.

    mode 0: no mask, 1: inside the mask, 2: outside it. Stamps say which row a column was last seen in:
    2 * row + 1 named by the mask, 2 * row + 2 counted.
    """
    count = 0
    for i in range(begin, end):
        named, counted = 2 * i + 1, 2 * i + 2
        if mode:
            for m in range(m_starts[i], m_starts[i + 1]):
                stamps[m_indices[m]] = named
        for p in range(a_starts[i], a_starts[i + 1]):
            k = a_indices[p]
            for q in range(b_starts[k], b_starts[k + 1]):
                j = b_indices[q]
                stamp = stamps[j]
                if stamp != counted and (mode == 0 or (stamp == named) == (mode == 1)):
                    stamps[j] = counted
                    count += 1
        if count > limit:
            break
    return count
