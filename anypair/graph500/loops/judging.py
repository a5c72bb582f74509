"""What the rules of validation look at, vertex by vertex and edge by edge.

`parents[v]` is -1 outside the tree. Threads write the same values into `joined` and `tight`, so it
does not matter who comes first.
"""

from typing import Any

from anypair.compiling.caching import kernel


@kernel
def jump(
    begin: Any,
    end: Any,
    root: Any,
    ups: Any,
    depths: Any,
    places: Any,
    known_ups: Any,
    known_depths: Any,
    next_ups: Any,
    next_depths: Any,
) -> Any:
    """Let every vertex point twice as far up; returns how many do not point to the root yet.

    -1 is up from a vertex outside the tree, -2 from one whose way up leads there. What is known of
    the vertex that v points to stands at places[v].
    """
    unfinished = 0
    for v in range(begin, end):
        up, depth = ups[v], depths[v]
        if up >= 0:
            depth += known_depths[places[v]]
            up = known_ups[places[v]]
            up = up if up >= 0 else -2
        unfinished += up != -1 and up != root
        next_ups[v] = up
        next_depths[v] = depth
    return unfinished


@kernel
def judge_edges(
    begin: Any,
    end: Any,
    sources: Any,
    targets: Any,
    weights: Any,
    parents: Any,
    distances: Any,
    joined: Any,
    tight: Any,
) -> Any:
    """Count edges that break rules, with the last of each kind; note what edges say of vertices."""
    too_far, too_far_at, one_end, one_end_at = 0, -1, 0, -1
    for e in range(begin, end):
        u, v = sources[e], targets[e]
        above_u, above_v = parents[u], parents[v]
        if above_u < 0 or above_v < 0:
            if above_u >= 0 or above_v >= 0:
                one_end += 1
                one_end_at = e
            continue
        if u == v:
            continue
        from_u, from_v = distances[u] + weights[e], distances[v] + weights[e]
        if above_v == u:
            joined[v] = 1
            if from_u == distances[v]:
                tight[v] = 1
        if above_u == v:
            joined[u] = 1
            if from_v == distances[u]:
                tight[u] = 1
        if from_u < distances[v] or from_v < distances[u]:
            too_far += 1
            too_far_at = e
    return too_far, too_far_at, one_end, one_end_at
