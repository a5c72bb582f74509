"""Walks along adjacency lists. Given: multiply(edge, value, k, i, j), add(x, y), ANY, STOPS, TERMINAL.

`head[i]` is where the list of row i begins, `following[p]` where it goes on after place p, or -1 at its
end; `ends[p]` is the column there and `edges[p * step]` the value: a step of 0 is one value for all.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anypair.compiling.given import ANY, STOPS, TERMINAL, add, kernel, multiply


@kernel
def walk_from(places, values, head, following, ends, edges, step, wanted, touched, sums, reached):
    """Kernel 2 of the note: visit the list of each entry of the vector; returns how many columns were
    reached, and how many edges were looked at.
    """
    count, looked = 0, 0
    for f in range(len(places)):
        k = places[f]
        p = head[k]
        while p >= 0:
            looked += 1
            j = ends[p]
            if wanted[j]:
                if not touched[j]:
                    touched[j] = True
                    sums[j] = multiply(edges[p * step], values[f], k, j, 0)
                    reached[count] = j
                    count += 1
                elif not ANY:
                    sums[j] = add(sums[j], multiply(edges[p * step], values[f], k, j, 0))
            p = following[p]
    return count, looked


@kernel
def walk_rows(present, values, head, following, ends, edges, step, wanted, touched, sums, reached):
    """Look for entries of the vector along the list of each wanted row; returns as `walk_from`."""
    count, looked = 0, 0
    for i in range(len(head)):
        if wanted[i]:
            hit = False
            total = sums[i]
            p = head[i]
            while p >= 0:
                looked += 1
                k = ends[p]
                if present[k]:
                    product = multiply(edges[p * step], values[k], k, i, 0)
                    total = add(total, product) if hit else product
                    hit = True
                    if ANY or (STOPS and total == TERMINAL):
                        break
                p = following[p]
            if hit:
                touched[i] = True
                sums[i] = total
                reached[count] = i
                count += 1
    return count, looked
