"""How many products of two matrices fall inside a mask: of a graph, wedges that an edge closes.

Where all three are the edges of one graph to smaller vertices, that is the number of its triangles, with
any numbers for its vertices. So they may be numbered by degree, the largest first: then rows are short.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.compiling.given import kernel, parts

ONE = np.uint64(1)


@kernel
def count_closed(
    header, begin, end, a_starts, a_indices, b_starts, b_indices, m_starts, m_indices, ncols
):
    """How many (i, k, j) there are, i from begin to end, with entries (i, k) of a, (k, j) of b, (i, j)
    of the mask.

    A row of the mask is scattered into flags, which are summed along rows of b, without a branch.
    """
    total = np.uint64(0)
    flags = np.zeros(ncols, np.uint8)
    for _part, low, high in parts(header, begin, end):
        for i in range(np.uint64(low), np.uint64(high)):
            m_first, m_last = np.uint64(m_starts[i]), np.uint64(m_starts[i + ONE])
            first, last = np.uint64(a_starts[i]), np.uint64(a_starts[i + ONE])
            if m_first == m_last or first == last:
                continue
            for m in range(m_first, m_last):
                flags[np.uint64(m_indices[m])] = 1
            for p in range(first, last):
                k = np.uint64(a_indices[p])
                count = np.uint32(0)
                for q in range(np.uint64(b_starts[k]), np.uint64(b_starts[k + ONE])):
                    count += flags[np.uint64(b_indices[q])]
                total += np.uint64(count)
            for m in range(m_first, m_last):
                flags[np.uint64(m_indices[m])] = 0
    return total


@kernel
def is_strictly_lower(starts, indices):
    """Whether every entry is below the diagonal."""
    for row in range(len(starts) - 1):
        if starts[row] < starts[row + 1] and indices[starts[row + 1] - 1] >= row:
            return False
    return True


@kernel
def number_by_degree(starts, indices, degrees, numbers):
    """Number vertices by the edges that they are an end of, those with most first, ties in order."""
    n = len(numbers)
    degrees[:] = 0
    for row in range(n):
        degrees[row] += starts[row + 1] - starts[row]
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + 1])):
            degrees[np.uint64(indices[p])] += 1
    most = 0
    for row in range(n):
        most = max(most, degrees[row])
    places = np.zeros(most + 2, np.int64)
    for row in range(n):
        places[most - degrees[row] + 1] += 1
    for degree in range(most + 1):
        places[degree + 1] += places[degree]
    for row in range(n):
        place = most - degrees[row]
        numbers[row] = places[place]
        places[place] += 1


@kernel
def count_renumbered(starts, indices, numbers, counts):
    """How many edges each vertex has to such of smaller numbers, once they are renumbered."""
    for row in range(np.uint64(len(numbers))):
        own = numbers[row]
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + ONE])):
            counts[np.uint64(max(own, numbers[np.uint64(indices[p])]))] += 1


@kernel
def renumber(starts, indices, numbers, places, out):
    """Put them there, in any order; `places` are where the rows begin, and move on."""
    for row in range(np.uint64(len(numbers))):
        own = numbers[row]
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + ONE])):
            other = numbers[np.uint64(indices[p])]
            larger = np.uint64(max(own, other))
            out[np.uint64(places[larger])] = min(own, other)
            places[larger] += 1
