"""Kernel 1 of the note: edges are put in front of the lists of their vertices, and nothing is sorted."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anypair.compiling.given import kernel


@kernel
def link_edges(sources, targets, self_loops, head, following, ends):
    """Both directions of each edge; its ends stand side by side, as in the list that was given."""
    for e in range(len(sources)):
        i, j = sources[e], targets[e]
        p = 2 * e
        ends[p] = i
        ends[p + 1] = j
        if i != j or self_loops:
            following[p + 1] = head[i]
            head[i] = p + 1
        if i != j:
            following[p] = head[j]
            head[j] = p


@kernel
def link_entries(rows, columns, self_loops, head, following, ends):
    """One direction, from the last to the first: lists have the order of the entries."""
    for p in range(len(rows) - 1, -1, -1):
        i, j = rows[p], columns[p]
        ends[p] = j
        if i != j or self_loops:
            following[p] = head[i]
            head[i] = p


@kernel
def find_rows(head, following, rows):
    """rows[p] = the row whose list place p is in."""
    for i in range(len(head)):
        p = head[i]
        while p >= 0:
            rows[p] = i
            p = following[p]
